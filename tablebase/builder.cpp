#include "tablebase/builder.hpp"

#define XXH_INLINE_ALL
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <omp.h>
#include <optional>
#include <xxhash.h>

#include "core/error.hpp"
#include "tablebase/border.hpp"
#include "tablebase/layout.hpp"
#include "tablebase/team.hpp"

namespace mansuba::tablebase {
namespace {

/// Bytes that the values of a table take in memory, at most; who can mate stands there as distances.
std::uint64_t table_bytes(const Index& index, Metrics metrics) {
    std::uint64_t arrays = metrics.has(Metric::Winnable) || metrics.has_dth() ? 4 : 0;
    for (Metric m :
         {Metric::Wdl, Metric::Dtz, Metric::Dtm, Metric::Wdl75, Metric::Dtz75, Metric::Dtm50})
        if (metrics.has(m)) arrays += 2;
    return arrays * (index.kept_blocks() << 12);
}

/// The same of a table that others turn into (Table::let_go_of_classes).
std::uint64_t held_bytes(const Index& index, Metrics metrics) {
    const std::uint64_t cells = index.kept_blocks() << 12;
    return table_bytes(index, metrics) - (metrics.has(Metric::Dtm) ? 2 * cells - cells / 4 : 0);
}

/// What a table of those metrics needs of the tables it can turn into.
Metrics needed_of_smaller(Metrics metrics) {
    Metrics needed{Metric::Wdl};
    if (metrics.has(Metric::Dtm)) needed = needed.with(Metric::Dtm);
    if (metrics.has(Metric::Dtm50)) needed = needed.with(Metric::Dtm50);
    if (metrics.has_75()) needed = needed.with(Metric::Wdl75);
    if (metrics.has_dth())
        needed = needed.with(Metric::DthWhite).with(Metric::DthBlack);
    else if (metrics.has(Metric::Winnable))
        needed = needed.with(Metric::Winnable);
    return needed;
}

/// See GenerateOptions: for what six men have, whose sets take gigabytes.
bool is_lean(const Index& index, Metrics metrics) {
    return !metrics.has(Metric::Dtm) && index.blocks_per_placement() >= std::uint64_t{1} << 20;
}

/// For a checkpoint: all that the values of the first pass depend on.
std::string made_by(const GenerateOptions& options) {
    std::string text = options.dtm ? "wdl dtz dtm, claim" : "wdl dtz, claim";
    const auto& claim = options.limits.claim;
    if (claim.size() <= 1) return text + " " + std::to_string(options.limits.claim_at(0));
    char digest[17];
    std::snprintf(
        digest, sizeof digest, "%016llx",
        static_cast<unsigned long long>(XXH3_64bits(claim.data(), claim.size() * sizeof claim[0])));
    return text + "s " + digest;
}

std::string gibibytes(std::uint64_t bytes) {
    const auto tenths = (bytes * 10 + (1u << 30) - 1) >> 30;
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " GiB";
}

/// What tables are held for beyond those of the next step.
constexpr std::uint64_t kHeldBytes = std::uint64_t{2} << 30;

}  // namespace

/// Tables in memory while others may need them. What others do not need of them is let go.
class TableBuilder::Held {
public:
    Held(TableStore& store, Metrics metrics, std::uint64_t budget_bytes)
        : store_(store), metrics_(needed_of_smaller(metrics)), budget_bytes_(budget_bytes) {}

    /// Valid until make_room_for().
    const Table* get(const Material& m) {
        if (m == Material()) return nullptr;
        auto found = tables_.find(m);
        if (found == tables_.end()) found = insert(store_.load(m, metrics_));
        found->second.used = ++clock_;
        return &found->second.table;
    }
    void put(Table table) {
        table.dtz = {};
        table.dtz75 = {};
        table.dtm50_later = {};
        insert(std::move(table))->second.used = ++clock_;
    }
    /// Lets those go that were used longest ago, until the others, with what is needed next, are within
    /// the budget; what is needed stays.
    void make_room_for(const std::vector<Material>& needed) {
        const auto is_needed = [&](const Material& m) {
            return std::find(needed.begin(), needed.end(), m) != needed.end();
        };
        std::uint64_t bytes = 0;
        for (const auto& [m, held] : tables_) bytes += held_bytes(held.table.index, metrics_);
        for (const Material& m : needed)
            if (m != Material() && !tables_.contains(m)) bytes += held_bytes(Index(m), metrics_);
        while (bytes > budget_bytes_) {
            auto oldest = tables_.end();
            for (auto it = tables_.begin(); it != tables_.end(); ++it)
                if (!is_needed(it->first) &&
                    (oldest == tables_.end() || it->second.used < oldest->second.used))
                    oldest = it;
            if (oldest == tables_.end()) break;
            bytes -= held_bytes(oldest->second.table.index, metrics_);
            tables_.erase(oldest);
        }
    }

private:
    struct Entry {
        Table table;
        std::uint64_t used = 0;
    };
    std::map<Material, Entry>::iterator insert(Table table) {
        table.let_go_of_classes();
        const Material m = table.index.material();
        return tables_.insert_or_assign(m, Entry{std::move(table)}).first;
    }

    TableStore& store_;
    Metrics metrics_;
    std::uint64_t budget_bytes_, clock_ = 0;
    std::map<Material, Entry> tables_;
};

Estimate estimate(const Material& material, Metrics metrics, int members) {
    const Index index(material);
    Estimate e;
    e.positions = 2 * (index.kept_blocks() << 12);
    e.raw_bytes = 0;
    for (Metric m : kMetrics)
        if (metrics.has(m)) e.raw_bytes += e.positions;
    // Nine sets of bits (seven if is_lean()) over a placement of pawns, keys of captures and of pawn moves; and the tables
    // that are read.
    const std::uint64_t placement = e.positions / 2 / index.pawns().size();
    const std::uint64_t sets = is_lean(index, metrics) ? 7 : 9;
    std::uint64_t smaller = 0;
    const Metrics read = needed_of_smaller(metrics);
    Metrics made = metrics.with(Metric::Wdl).with(Metric::Dtz);
    if (metrics.has_75()) made = made.with(Metric::Dtz75);
    // Two clocks, and room for what differs with each: the worst of four men take 10 bytes a cell.
    const std::uint64_t by_clock = metrics.has(Metric::Dtm50) ? 14 * e.positions : 0;
    for (const Material& s : material.successors())
        if (s != Material()) smaller += held_bytes(Index(s), read);
    std::uint64_t shared =
                      table_bytes(index, made) + placement * sets / 8 + placement / 4 + by_clock,
                  beyond = 0;
    if (members > 1 && can_share(index)) {
        const std::uint64_t pairs = index.king_pairs().size();
        shared = shared / pairs * largest_share(index, members);
        // Two sets have what is beyond a border for one king, too, and two for the other.
        beyond = 2 * placement / 8 / pairs * largest_beyond(Layout(index), members);
    }
    // Keys of pawn moves are there for all of a placement on each.
    e.memory_bytes = shared + beyond + (material.pawns() ? placement * 4 : 0) + smaller;
    // Parts of pages, the program itself.
    e.memory_bytes += e.memory_bytes / 24 + (std::uint64_t{64} << 20);
    return e;
}

std::vector<bool> finished_tables(const std::vector<Material>& all, TableStore& store,
                                  const BuildOptions& options) {
    std::vector<bool> there(all.size());
    for (const Material& m : all) {
        const Limits limits = options.rules.limits(Index(m));
        if (options.metrics.has(Metric::Dtm50) &&
            (limits.claim.size() > 1 || limits.claim_at(0) == Limits::kNone))
            throw Error(ErrorCode::Usage, "dtm50 needs one limit for all pawns, and a limit",
                        options.rules.name() + ", " + m.name());
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        there[i] = options.resume && store.metrics(all[i]).contains(options.metrics);
        if (there[i] || !options.memory_bytes) continue;
        const int members = options.members ? options.members(all[i]) : 1;
        const std::uint64_t needed = estimate(all[i], options.metrics, members).memory_bytes;
        if (needed > options.memory_bytes)
            throw Error(ErrorCode::Usage,
                        all[i].name() + " needs " + gibibytes(needed) + " of memory",
                        "--memory allows " + gibibytes(options.memory_bytes));
    }
    // After all that may refuse the build.
    for (std::size_t i = 0; i < all.size() && !options.checkpoints.empty(); ++i)
        if (there[i] || !options.resume) Checkpoint::remove(options.checkpoints, all[i]);
    return there;
}

TableBuilder::TableBuilder(TableStore& store, const BuildOptions& options)
    : store_(store),
      options_(options),
      held_(std::make_unique<Held>(store, options.metrics, kHeldBytes)) {}

TableBuilder::~TableBuilder() = default;

BuiltTable TableBuilder::build(const Material& material, std::size_t number, std::size_t of,
                               Team* team) {
    BuildOptions::Event event{};
    event.material = material;
    event.number = number;
    event.of = of;
    const auto tell = [&](BuildOptions::Event::Kind kind) {
        event.kind = kind;
        if (options_.on_event) options_.on_event(event);
    };
    BuiltTable built;
    built.material = material;
    tell(BuildOptions::Event::Started);
    GenerateOptions generating;
    generating.threads = options_.threads;
    generating.simd = options_.simd;
    generating.dtm = options_.metrics.has(Metric::Dtm);
    const Index index(material);
    generating.limits = options_.rules.limits(index);
    generating.automatic = options_.metrics.has_75();
    generating.dtm50 = options_.metrics.has(Metric::Dtm50);
    generating.helpmates = options_.metrics.has(Metric::Winnable) || options_.metrics.has_dth();
    generating.lean = is_lean(index, options_.metrics);
    generating.stop = options_.stop;
    generating.team = team;
    generating.on_progress = [&](const BuildProgress& p) {
        event.progress = p;
        tell(BuildOptions::Event::Progress);
    };
    const std::vector<Material> needed = material.successors();
    held_->make_room_for(needed);
    for (const Material& s : needed) held_->get(s);
    std::optional<Checkpoint> checkpoint;
    if (!options_.checkpoints.empty()) {
        checkpoint.emplace(options_.checkpoints, index, made_by(generating),
                           options_.checkpoint_seconds,
                           options_.threads > 0 ? options_.threads : omp_get_max_threads(), team);
        generating.checkpoint = &*checkpoint;
        if (checkpoint->found()) tell(BuildOptions::Event::Resumed);
    }
    double start = omp_get_wtime();
    Table table = generate(
        material, [&](const Material& m) { return held_->get(m); }, generating);
    built.generate_seconds = omp_get_wtime() - start;
    built.positions = 2 * (table.index.kept_blocks() << 12);
    event.generate_seconds = built.generate_seconds;
    tell(BuildOptions::Event::Storing);
    start = omp_get_wtime();
    built.bytes =
        store_.save(table, options_.metrics, statistics(table, options_.threads, team), team);
    if (checkpoint && !(team && team->member())) Checkpoint::remove(options_.checkpoints, material);
    built.store_seconds = omp_get_wtime() - start;
    event.store_seconds = built.store_seconds;
    event.bytes = built.bytes;
    tell(BuildOptions::Event::Finished);
    // A share is of no use to others.
    if (!team) held_->put(std::move(table));
    return built;
}

BuildResult build(const std::vector<Material>& materials, TableStore& store,
                  const BuildOptions& options) {
    const std::vector<Material> all = closure(materials);
    const std::vector<bool> there = finished_tables(all, store, options);
    TableBuilder builder(store, options);
    BuildResult result;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (there[i]) {
            if (options.on_event)
                options.on_event({BuildOptions::Event::Skipped, all[i], i + 1, all.size()});
            result.tables.push_back({all[i], true});
        } else {
            result.tables.push_back(builder.build(all[i], i + 1, all.size()));
        }
        result.generate_seconds += result.tables.back().generate_seconds;
        result.store_seconds += result.tables.back().store_seconds;
    }
    return result;
}

}  // namespace mansuba::tablebase

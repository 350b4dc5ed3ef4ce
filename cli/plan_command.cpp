#include <algorithm>
#include <iostream>
#include <map>

#include <fmt/format.h>

#include "cli/tables.hpp"
#include "cluster/plan.hpp"
#include "core/error.hpp"
#include "tablebase/builder.hpp"

namespace mansuba::cli {
namespace {

struct PlanOptions {
    CommonOptions common;
    MaterialOptions materials;
    std::string metrics = "wdl,dtz,dtm", memory;
    int ranks = 1;
};

/// Cells built a second by one thread, and stored, as benchmarks/README.md has them for one core of
/// a server; what a cell of a stored metric takes compressed, in all tables of up to five men. They differ by
/// endgame.
constexpr double kBuiltPerSecond = 60e6, kStoredPerSecond = 100e6, kStoredBytesPerCell = 0.085;
/// The long end of a plan: how much of their speed many threads and ranks keep, and how much more slowly
/// a core works.
constexpr double kThreadsKeep = 0.4, kRanksKeep = 0.5, kSlowerCore = 1.5;
/// Bytes a second that go out of a rank, at best and at worst; and what a message waits for.
constexpr double kFastLink = 10e9, kSlowLink = 0.5e9, kMessageSeconds = 20e-6;
/// Plies of a table of many men, with the distances to mate and to zeroing.
constexpr double kPlies = 400;

struct Seconds {
    double low = 0, high = 0;
    Seconds operator+(Seconds s) const { return {low + s.low, high + s.high}; }
};

/// What one thread of each of so many ranks does with a table.
Seconds time_of(const tablebase::Estimate& e, const cluster::Exchange& x, int threads) {
    const double work = static_cast<double>(e.positions) / kBuiltPerSecond +
                        static_cast<double>(e.raw_bytes) / kStoredPerSecond;
    const double ideal = work / threads / x.members;
    const double slowed =
        kSlowerCore / (threads > 1 ? kThreadsKeep : 1) / (x.members > 1 ? kRanksKeep : 1);
    if (x.members == 1) return {ideal, ideal * slowed};
    const double waits =
        kPlies * kMessageSeconds * (static_cast<double>(x.messages_per_ply) / x.members);
    return {ideal + static_cast<double>(x.low) / x.members / kFastLink,
            ideal * slowed + static_cast<double>(x.high) / x.members / kSlowLink + waits};
}

std::string range_text(Seconds s) { return duration_text(s.low) + " to " + duration_text(s.high); }

int run_plan(const PlanOptions& options) {
    using namespace tablebase;
    const std::vector<Material> wanted = options.materials.materials(Material::kMaxPlanned);
    for (const Material& m : wanted)
        if (m.pawns() > PawnPlacements::kMaxPawns)
            throw Error(ErrorCode::Input, m.name() + " is not planned",
                        fmt::format("{} pawns; at most {}", m.pawns(), PawnPlacements::kMaxPawns));
    if (wanted.empty())
        throw Error(ErrorCode::Usage, "which endgames?", "name some, like KRPvKR, or give --men N");
    BuildOptions building;
    building.metrics = Metrics::parse(options.metrics);
    building.memory_bytes = options.memory.empty() ? 0 : parse_size(options.memory);
    const std::vector<Material> all = closure(wanted);
    const int threads = options.common.threads > 0 ? options.common.threads : 1;

    nlohmann::ordered_json tables = nlohmann::ordered_json::array();
    // Small tables go to a rank each, as far as they do not wait for each other; large ones to all.
    Seconds work, together;
    std::map<Material, Seconds> finished_after;
    Seconds chain;
    std::uint64_t memory = 0, disk = 0, raw = 0, positions = 0, exchanged = 0, low = 0, high = 0;
    for (const Material& m : all) {
        const cluster::Exchange x = cluster::exchange(m, building, options.ranks);
        const Estimate e = estimate(m, building.metrics, x.members);
        if (building.memory_bytes && e.memory_bytes > building.memory_bytes)
            throw Error(ErrorCode::Usage,
                        m.name() + " needs " + size_text(e.memory_bytes) + " of memory a rank",
                        "--memory-per-rank allows " + size_text(building.memory_bytes));
        const Seconds s = time_of(e, x, threads);
        if (x.members > 1) {
            together = together + s;
        } else {
            Seconds ready;
            for (const Material& needed : m.successors()) {
                ready.low = std::max(ready.low, finished_after[needed].low);
                ready.high = std::max(ready.high, finished_after[needed].high);
            }
            finished_after[m] = ready + s;
            chain.low = std::max(chain.low, finished_after[m].low);
            chain.high = std::max(chain.high, finished_after[m].high);
            work = work + s;
        }
        const auto bytes =
            static_cast<std::uint64_t>(static_cast<double>(e.raw_bytes) * kStoredBytesPerCell);
        memory = std::max(memory, e.memory_bytes);
        disk += bytes;
        raw += e.raw_bytes;
        positions += e.positions;
        exchanged += x.bytes;
        low += x.low;
        high += x.high;
        if (options.common.json || std::find(wanted.begin(), wanted.end(), m) != wanted.end())
            tables.push_back({{"material", m.name()},
                              {"positions", std::to_string(e.positions)},
                              {"ranks", x.members},
                              {"memory_bytes", e.memory_bytes},
                              {"exchanged_bytes", x.bytes},
                              {"exchanged_bytes_low", x.low},
                              {"exchanged_bytes_high", x.high},
                              {"messages_per_ply", x.messages_per_ply},
                              {"raw_bytes", e.raw_bytes},
                              {"disk_bytes", bytes},
                              {"seconds_low", s.low},
                              {"seconds_high", s.high}});
    }
    const Seconds seconds = together + Seconds{std::max(work.low / options.ranks, chain.low),
                                               std::max(work.high / options.ranks, chain.high)};
    const auto minutes = static_cast<std::uint64_t>(seconds.high / 60) + 10;
    std::string names;
    for (const Material& m : wanted) names += " " + m.name();
    const std::string command = fmt::format(
        "sbatch --ntasks={} --ntasks-per-node=1 --cpus-per-task={} --mem={}G --time={}:{:02}:00 "
        "slurm/build.sbatch{} --metrics {}",
        options.ranks, threads, (memory >> 30) + 1, minutes / 60, minutes % 60, names,
        building.metrics.names());
    std::vector<std::string> assumptions{
        fmt::format(
            "a core builds {:.0f} M cells a second and stores {:.0f} M; at the long end it is "
            "{} times slower",
            kBuiltPerSecond / 1e6, kStoredPerSecond / 1e6, kSlowerCore),
        fmt::format("threads keep {:.0f} to 100% of their speed, ranks {:.0f} to 100%",
                    100 * kThreadsKeep, 100 * kRanksKeep),
        fmt::format("a rank sends {:.1f} to {:.0f} GB/s; a message waits up to {:.0f} us",
                    kSlowLink / 1e9, kFastLink / 1e9, kMessageSeconds * 1e6),
        fmt::format("a stored number takes {} bytes compressed", kStoredBytesPerCell),
        "what crosses shares is known for measured endgames, else between the least and the most "
        "measured; one rank a node"};
    if (std::any_of(all.begin(), all.end(),
                    [](const Material& m) { return m.men() > Material::kMaxMen; }))
        assumptions.push_back(
            fmt::format("mansuba built more than {} men, which it refuses to", Material::kMaxMen));
    if (options.common.json) {
        print_json({{"tables", tables},
                    {"ranks", options.ranks},
                    {"threads", threads},
                    {"positions", std::to_string(positions)},
                    {"memory_bytes", memory},  // of each rank
                    {"exchanged_bytes", exchanged},
                    {"exchanged_bytes_low", low},
                    {"exchanged_bytes_high", high},
                    {"raw_bytes", raw},
                    {"disk_bytes", disk},
                    {"seconds_low", seconds.low},
                    {"seconds_high", seconds.high},
                    {"assumptions", assumptions},
                    {"sbatch", command}});
        return kDone;
    }
    for (const auto& t : tables) {
        const int ranks = t["ranks"];
        std::cout << fmt::format(
            "{}: {} positions, by {}, memory {}{}, disk about {}, {}\n",
            t["material"].get<std::string>(), t["positions"].get<std::string>(),
            ranks == 1 ? "one rank" : fmt::format("all {} ranks", ranks),
            size_text(t["memory_bytes"].get<std::uint64_t>()),
            ranks == 1 ? ""
                       : fmt::format(" each, exchange {} to {} in {} messages a ply",
                                     size_text(t["exchanged_bytes_low"].get<std::uint64_t>()),
                                     size_text(t["exchanged_bytes_high"].get<std::uint64_t>()),
                                     t["messages_per_ply"].get<std::uint64_t>()),
            size_text(t["disk_bytes"].get<std::uint64_t>()),
            range_text({t["seconds_low"].get<double>(), t["seconds_high"].get<double>()}));
    }
    std::cout << fmt::format(
        "all {} tables that are needed: memory {} a rank, exchange {} to {}, disk about {}, {} "
        "with "
        "{} rank{} of {} thread{}\n",
        all.size(), size_text(memory), size_text(low), size_text(high), size_text(disk),
        range_text(seconds), options.ranks, options.ranks == 1 ? "" : "s", threads,
        threads == 1 ? "" : "s");
    for (const std::string& a : assumptions) std::cout << "  if " << a << '\n';
    std::cout << command << '\n';
    return kDone;
}

}  // namespace

Runner add_plan(CLI::App& program) {
    const auto options = std::make_shared<PlanOptions>();
    CLI::App& c = *program.add_subcommand("plan",
                                          "Memory, disk, messages and time that building tables "
                                          "would take, and the job that does it");
    options->materials.add_to(c);
    c.add_option("--metrics", options->metrics,
                 "What to store, of wdl, dtz and dtm (default: all)");
    c.add_option("--ranks", options->ranks, "Processes that share the work")
        ->check(CLI::Range(1, 1 << 20));
    c.add_option("--memory,--memory-per-rank", options->memory,
                 "Refuse what takes more memory than this, of each rank")
        ->check(not_empty);
    options->common.add_to(c);
    return [options] { return run_plan(*options); };
}

}  // namespace mansuba::cli

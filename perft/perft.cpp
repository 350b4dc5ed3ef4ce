#include "perft/perft.hpp"

#include <chrono>
#include <memory>
#include <omp.h>

#include "core/error.hpp"
#include "perft/checkpoint.hpp"
#include "perft/frontier.hpp"
#include "perft/hash_table.hpp"
#include "perft/kernel.hpp"
#include "perft/monitor.hpp"
#include "perft/units.hpp"

namespace mansuba::perft {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

void add(Detail& sum, const Detail& d, Uint128 times) {
    for (const auto field : kDetailFields)
        sum.*field = add_saturating(sum.*field, multiply_saturating(d.*field, times));
}

/// The leaves `depth` plies below one board, by the way of counting that the options ask for.
UnitResult count_board(const Kernel& kernel, const Options& options, const CountContext& context,
                       const Board& board, Color side_to_move, int depth) {
    UnitResult r;
    if (options.detail)
        r.nodes = kernel.count_detail(board, side_to_move, depth, context, r.detail);
    else if (options.bulk)
        r.nodes = kernel.count(board, side_to_move, depth, context);
    else
        r.nodes = kernel.count_each(board, side_to_move, depth, context);
    return r;
}

/// Waking a team of threads takes longer than a count of few plies.
constexpr int kShallow = 4;
int threads_for(int depth, const Options& options) {
    if (depth <= kShallow) return 1;
    return options.threads > 0 ? options.threads : omp_get_max_threads();
}

/// Counts the units that `next` gives, until there are none or the count is stopped.
template <class Next, class Done>
LaneUse count_all(const Kernel& kernel, const Options& options, int threads,
                  const Frontier& frontier, int remaining, HashTable* hash, const Next& next,
                  const Done& done) {
    LaneUse all;
    const auto stopped = [&] {
        return options.stop && options.stop->load(std::memory_order_relaxed);
    };
#pragma omp parallel num_threads(threads)
    {
        LaneUse lane_use;
        const CountContext context{hash, options.stop, &lane_use};
        while (!stopped()) {
            const std::optional<std::uint32_t> unit = next();
            if (!unit) break;
            UnitResult r = count_board(kernel, options, context, frontier.units[*unit],
                                       frontier.side_to_move, remaining);
            if (stopped()) break;
            r.unit = *unit;
            done(r);
        }
#pragma omp critical
        {
            all.filled += lane_use.filled;
            all.offered += lane_use.offered;
        }
    }
    return all;
}

/// A hash table holds no details and no leaves that were made.
bool uses_hash(const Options& options) {
    return options.hash_bytes > 0 && options.bulk && !options.detail;
}

/// A count by units under way. Workers and the monitor meet in `finished_` alone: a unit's result is
/// written before its flag is set and never afterwards.
class Run {
public:
    Run(const Position& root, int depth, const Options& options)
        : options_(options),
          kernel_(kernel(options.simd)),
          threads_(threads_for(depth, options)),
          hashed_(uses_hash(options)),
          identity_{root.board(), root.side_to_move(), depth, options.detail, options.bulk, 0,
                    hashed_} {
        const bool resumed =
            !options.checkpoint.empty() && std::filesystem::exists(options.checkpoint);
        std::vector<UnitResult> known;
        if (resumed) {
            Checkpoint c = load_checkpoint(options.checkpoint);
            check_identity(c.identity);
            frontier_ = make_frontier(root, identity_.plies, identity_.merged, kernel_);
            if (c.units != frontier_.units.size()) fail("checkpoint of another count: other units");
            known = std::move(c.finished);
        } else {
            frontier_ = choose_frontier(root, depth, hashed_, threads_, kernel_);
            identity_.plies = frontier_.plies;
        }
        finished_ = std::vector<std::atomic<bool>>(frontier_.units.size());
        results_.resize(frontier_.units.size());
        paths_.resize(frontier_.units.size());
        for (const Share& s : frontier_.shares) paths_[s.unit] += s.paths;
        for (const UnitResult& u : known) {
            if (u.unit >= results_.size() || finished_[u.unit])
                fail("damaged checkpoint: impossible unit");
            results_[u.unit] = u;
            finished_[u.unit] = true;
        }
        before_ = progress();
        if (hashed_) hash_ = std::make_unique<HashTable>(options.hash_bytes);
    }

    Result run() {
        // At once, so that a checkpoint that cannot be written is known before hours of work.
        if (!options_.checkpoint.empty()) save();
        const auto start = Clock::now();
        {
            double last_save = 0;
            Monitor monitor([&](double elapsed_s) {
                if (options_.on_progress) {
                    Progress p = progress();
                    p.elapsed_s = elapsed_s;
                    p.units_this_run = p.units_done - before_.units_done;
                    p.nodes_this_run = p.nodes - before_.nodes;
                    options_.on_progress(p);
                }
                if (!options_.checkpoint.empty() &&
                    elapsed_s - last_save >= options_.checkpoint_interval_s) {
                    try {
                        save();
                    } catch (const Error& e) {  // the last good one stays; the next may work again
                        if (options_.on_warning) options_.on_warning(e.what());
                    }
                    last_save = elapsed_s;
                }
            });
            work();
        }
        const double seconds = seconds_since(start);
        if (!options_.checkpoint.empty()) save();
        if (stopped()) throw Error(ErrorCode::Interrupted, "stopped");
        Result r = sum();
        r.seconds = seconds;
        r.nodes_this_run = r.nodes - before_.nodes;
        return r;
    }

private:
    bool stopped() const { return options_.stop && options_.stop->load(std::memory_order_relaxed); }

    [[noreturn]] void fail(const char* what) const {
        throw Error(ErrorCode::File, what, options_.checkpoint.string());
    }

    /// Takes over the units of a count of the same kind, by whatever number of threads. A count that
    /// walks every branch or makes every leaf must not rest on one that did not.
    void check_identity(const CheckpointIdentity& theirs) {
        identity_.plies = theirs.plies;
        if (!(identity_ == theirs))
            fail(
                "checkpoint of another count: another position, depth, --detail, --no-bulk, or "
                "with "
                "--hash and without");
        if (theirs.plies < 1 || theirs.plies >= theirs.depth)
            fail("damaged checkpoint: impossible number of plies");
    }

    void accept(const UnitResult& r) {
        results_[r.unit] = r;
        finished_[r.unit].store(true, std::memory_order_release);
    }

    void work() {
        std::vector<std::uint32_t> left;
        for (std::uint32_t unit = 0; unit < results_.size(); ++unit)
            if (!finished_[unit].load(std::memory_order_relaxed)) left.push_back(unit);
        UnitQueue queue(std::move(left));
        // A count that one thread does at once is not worth a message.
        Sharing* const sharing = identity_.depth > kShallow ? options_.sharing : nullptr;
        if (sharing)
            sharing->begin({identity_.plies, identity_.merged, queue, [this](const UnitResult& r) {
                                if (r.unit < results_.size()) accept(r);
                            }});
        lane_use_ = count_all(
            kernel_, options_, threads_, frontier_, identity_.depth - identity_.plies, hash_.get(),
            [&] { return queue.next(); }, [this](const UnitResult& r) { accept(r); });
        if (sharing) sharing->end();
    }

    Progress progress() const {
        Progress p;
        p.units = results_.size();
        for (std::size_t i = 0; i < results_.size(); ++i) {
            if (!finished_[i].load(std::memory_order_acquire)) continue;
            ++p.units_done;
            p.nodes = add_saturating(p.nodes, multiply_saturating(results_[i].nodes, paths_[i]));
        }
        return p;
    }

    void save() const {
        Checkpoint c{identity_, results_.size(), {}};
        for (std::size_t i = 0; i < results_.size(); ++i)
            if (finished_[i].load(std::memory_order_acquire)) c.finished.push_back(results_[i]);
        save_checkpoint(options_.checkpoint, c);
    }

    Result sum() const {
        Result r;
        for (const Move m : frontier_.root_moves) r.divide.push_back({m, 0});
        if (options_.detail) r.detail.emplace();
        for (const Share& s : frontier_.shares) {
            const UnitResult& u = results_[s.unit];
            Uint128& nodes = r.divide[s.root_move].nodes;
            nodes = add_saturating(nodes, multiply_saturating(u.nodes, s.paths));
            if (r.detail) add(*r.detail, u.detail, s.paths);
        }
        for (const RootMove& m : r.divide) r.nodes = add_saturating(r.nodes, m.nodes);
        if (r.nodes == kUint128Max)
            throw Error(ErrorCode::Input, "the count does not fit into 128 bits",
                        "depth " + std::to_string(identity_.depth));
        r.threads = threads_;
        r.simd = kernel_.name;
        r.hash_bytes = hash_ ? hash_->bytes() : 0;
        if (lane_use_.offered != 0)
            r.lane_use =
                static_cast<double>(lane_use_.filled) / static_cast<double>(lane_use_.offered);
        return r;
    }

    const Options& options_;
    const Kernel& kernel_;
    const int threads_;
    const bool hashed_;
    CheckpointIdentity identity_;
    Frontier frontier_;
    std::vector<std::uint64_t> paths_;  // by unit
    std::vector<UnitResult> results_;
    std::vector<std::atomic<bool>> finished_;
    Progress before_;  // what the checkpoint brought
    std::unique_ptr<HashTable> hash_;
    LaneUse lane_use_;
};

/// Depths 0 and 1 have no units: the root's moves are the leaves.
Result count_shallow(const Position& root, int depth, const Options& options) {
    const auto start = Clock::now();
    const Kernel& k = kernel(options.simd);
    Result r;
    r.nodes = 1;
    if (options.detail) r.detail.emplace();
    if (depth == 1) {
        const UnitResult u = count_board(k, options, {}, root.board(), root.side_to_move(), 1);
        r.nodes = u.nodes;
        if (r.detail) r.detail = u.detail;
        for (const Move m : make_frontier(root, 1, false, k).root_moves) r.divide.push_back({m, 1});
    }
    r.nodes_this_run = r.nodes;
    r.threads = 1;
    r.simd = k.name;
    r.seconds = seconds_since(start);
    return r;
}

}  // namespace

Result count(const Position& root, int depth, const Options& options) {
    if (depth < 0 || depth > kMaxDepth)
        throw Error(ErrorCode::Usage, "depth must be 0 to " + std::to_string(kMaxDepth),
                    std::to_string(depth));
    return depth <= 1 ? count_shallow(root, depth, options) : Run(root, depth, options).run();
}

void count_units(const Position& root, int depth, const Options& options, int plies, bool merged,
                 const std::function<std::optional<std::uint32_t>()>& next,
                 const std::function<void(const UnitResult&)>& done) {
    const Kernel& k = kernel(options.simd);
    const Frontier frontier = make_frontier(root, plies, merged, k);
    std::unique_ptr<HashTable> hash;
    if (uses_hash(options)) hash = std::make_unique<HashTable>(options.hash_bytes);
    count_all(k, options, threads_for(depth, options), frontier, depth - plies, hash.get(), next,
              done);
}

}  // namespace mansuba::perft

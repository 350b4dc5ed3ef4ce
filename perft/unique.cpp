#define XXH_INLINE_ALL
#include <algorithm>
#include <omp.h>
#include <vector>
#include <xxhash.h>

#include "core/error.hpp"
#include "perft/kernel.hpp"
#include "perft/monitor.hpp"
#include "perft/perft.hpp"

namespace mansuba::perft {
namespace {

/// A set of boards, open addressing with linear probing. An empty place has no man on it.
class BoardSet {
public:
    void insert(const PackedBoard& board, std::uint64_t hash) {
        if (4 * (size_ + 1) > 3 * places_.size()) grow();
        if (place(board, hash)) ++size_;
    }
    std::size_t size() const { return size_; }
    void append_to(std::vector<PackedBoard>& out) const {
        for (const PackedBoard& p : places_)
            if (p.occupied) out.push_back(p);
    }

    static std::uint64_t hash(const PackedBoard& board) {
        return XXH3_64bits(&board, sizeof board);
    }

private:
    bool place(const PackedBoard& board, std::uint64_t hash) {
        const std::size_t mask = places_.size() - 1;
        for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
            if (places_[i] == board) return false;
            if (!places_[i].occupied) {
                places_[i] = board;
                return true;
            }
        }
    }
    void grow() {
        std::vector<PackedBoard> old(std::max<std::size_t>(64, 2 * places_.size()));
        old.swap(places_);
        for (const PackedBoard& p : old)
            if (p.occupied) place(p, hash(p));
    }

    std::vector<PackedBoard> places_;
    std::size_t size_ = 0;
};

/// The top bits of a hash choose the set, so that each set has one writer at a time; the next ones
/// choose the pass, the lowest ones the place in the set.
constexpr int kSetBits = 7;
constexpr std::size_t kSets = std::size_t{1} << kSetBits;

class Search {
public:
    Search(const Options& options, std::uint64_t memory_bytes)
        : options_(options),
          kernel_(kernel(options.simd)),
          threads_(options.threads > 0 ? options.threads : omp_get_max_threads()),
          memory_bytes_(memory_bytes) {}

    std::uint64_t count(const Position& root, int depth, unsigned part, unsigned parts) {
        std::vector<PackedBoard> frontier{kernel_.pack(root.board())};
        Color c = root.side_to_move();
        for (int ply = 1; ply < depth; ++ply, c = ~c) {
            std::vector<BoardSet> sets = distinct_children(frontier, c, 1, 0);
            frontier.clear();
            frontier.shrink_to_fit();
            for (BoardSet& s : sets) {
                s.append_to(frontier);
                s = {};
            }
            if (frontier.size() * sizeof(PackedBoard) > memory_bytes_)
                throw Error(ErrorCode::Usage,
                            "the distinct positions at ply " + std::to_string(ply) + " need " +
                                std::to_string(frontier.size() * sizeof(PackedBoard) >> 20) +
                                " MiB; give more with --hash",
                            "--unique");
        }
        if (depth == 0) return part == 0;

        // Less than half of all children are new in the games people count; a set is on average half
        // full while it grows.
        const std::uint64_t bytes = children_of(frontier, c) / 2 * sizeof(PackedBoard) * 2;
        const std::uint64_t passes = parts * (bytes / parts / memory_bytes_ + 1);
        std::uint64_t total = 0;
        for (std::uint64_t pass = part; pass < passes; pass += parts)
            for (const BoardSet& s : distinct_children(frontier, c, passes, pass))
                total += s.size();
        return total;
    }

private:
    bool stopped() const { return options_.stop && options_.stop->load(std::memory_order_relaxed); }

    std::uint64_t children_of(const std::vector<PackedBoard>& boards, Color c) const {
        std::uint64_t sum = 0;
#pragma omp parallel for schedule(static) num_threads(threads_) reduction(+ : sum)
        for (std::size_t i = 0; i < boards.size(); ++i)
            sum += static_cast<std::uint64_t>(kernel_.count(kernel_.unpack(boards[i]), c, 1, {}));
        return sum;
    }

    /// The distinct boards one ply below `boards`, those of one pass of several.
    std::vector<BoardSet> distinct_children(const std::vector<PackedBoard>& boards, Color c,
                                            std::uint64_t passes, std::uint64_t pass) {
        struct Entry {
            PackedBoard board;
            std::uint64_t hash;
        };
        // Bounds what the buffers hold between two rounds of inserting.
        constexpr std::size_t kChunk = 1 << 16;
        std::vector<BoardSet> sets(kSets);
        std::vector<std::vector<std::vector<Entry>>> buffers(
            static_cast<std::size_t>(threads_), std::vector<std::vector<Entry>>(kSets));
        std::atomic<std::size_t> done = 0;
        Monitor monitor([&](double elapsed_s) {
            if (!options_.on_progress) return;
            Progress p;
            p.units = boards.size() * passes;
            p.units_done = p.units_this_run = boards.size() * pass + done;
            p.elapsed_s = elapsed_s;
            options_.on_progress(p);
        });
        for (std::size_t first = 0; first < boards.size(); first += kChunk) {
            if (stopped()) throw Error(ErrorCode::Interrupted, "stopped");
            const std::size_t last = std::min(boards.size(), first + kChunk);
#pragma omp parallel num_threads(threads_)
            {
                auto& mine = buffers[static_cast<std::size_t>(omp_get_thread_num())];
#pragma omp for schedule(dynamic, 256)
                for (std::size_t i = first; i < last; ++i) {
                    Board children[kMaxMoves];
                    const int n = kernel_.children(kernel_.unpack(boards[i]), c, children);
                    for (int k = 0; k < n; ++k) {
                        const PackedBoard packed = kernel_.pack(children[k]);
                        const std::uint64_t hash = BoardSet::hash(packed);
                        if ((hash << kSetBits >> 40) % passes != pass) continue;
                        mine[hash >> (64 - kSetBits)].push_back({packed, hash});
                    }
                }
#pragma omp for schedule(dynamic, 1)
                for (std::size_t set = 0; set < kSets; ++set)
                    for (auto& buffer : buffers) {
                        for (const Entry& e : buffer[set]) sets[set].insert(e.board, e.hash);
                        buffer[set].clear();
                    }
            }
            done = last;
        }
        return sets;
    }

    const Options& options_;
    const Kernel& kernel_;
    const int threads_;
    const std::uint64_t memory_bytes_;
};

}  // namespace

std::uint64_t count_unique(const Position& root, int depth, const Options& options,
                           std::uint64_t memory_bytes, unsigned part, unsigned parts) {
    if (depth < 0 || depth > kMaxDepth)
        throw Error(ErrorCode::Usage, "depth must be 0 to " + std::to_string(kMaxDepth),
                    std::to_string(depth));
    return Search(options, std::max<std::uint64_t>(memory_bytes, 1 << 20))
        .count(root, depth, part, parts);
}

}  // namespace mansuba::perft

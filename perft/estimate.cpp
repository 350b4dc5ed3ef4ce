#include "perft/estimate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <omp.h>
#include <vector>

#include "core/error.hpp"
#include "perft/frontier.hpp"
#include "perft/kernel.hpp"

namespace mansuba::perft {
namespace {

constexpr int kGuidePlies = 2;  // moves are drawn by the leaves that far behind them
constexpr int kTailPlies = 3;   // counted at the end of each line
constexpr int kHeadPlies = 2;   // at most, from the root to where the lines begin
constexpr double kMostUnits = 50'000;
constexpr double kDeviations95 = 1.959964;

/// SplitMix64, by Sebastiano Vigna, https://prng.di.unimi.it/splitmix64.c (public domain).
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }
    /// 0 to n - 1.
    std::uint64_t below(std::uint64_t n) {
        return static_cast<std::uint64_t>(Uint128{next()} * n >> 64);
    }

private:
    std::uint64_t state_;
};

/// Where lines begin.
struct Start {
    Board board;
    std::uint64_t weight;      // leaves kTailPlies behind it
    std::uint64_t cumulative;  // with how often it is reached, up to and with this one
};

class Sampler {
public:
    Sampler(const Position& root, int depth, const Kernel& kernel) : kernel_(kernel) {
        int plies = std::min(kHeadPlies, depth - kTailPlies - 1);
        while (plies > 1 &&
               static_cast<double>(count(root.board(), root.side_to_move(), plies)) > kMostUnits)
            --plies;
        const Frontier frontier = make_frontier(root, plies, true, kernel);
        side_ = frontier.side_to_move;
        remaining_ = depth - plies;
        std::vector<std::uint64_t> paths(frontier.units.size());
        for (const Share& s : frontier.shares) paths[s.unit] += s.paths;
        for (std::size_t i = 0; i < frontier.units.size(); ++i) {
            const std::uint64_t weight = count(frontier.units[i], side_, kTailPlies);
            if (weight == 0) continue;  // no leaf is behind it
            total_ += weight * paths[i];
            starts_.push_back({frontier.units[i], weight, total_});
        }
    }

    /// One sample, of the expectation that is looked for.
    double sample(Random random) const {
        if (starts_.empty()) return 0;
        const std::uint64_t ticket = random.below(total_);
        const Start& start =
            *std::upper_bound(starts_.begin(), starts_.end(), ticket,
                              [](std::uint64_t t, const Start& s) { return t < s.cumulative; });
        double factor = static_cast<double>(total_) / static_cast<double>(start.weight);
        Board board = start.board;
        Color side = side_;
        for (int remaining = remaining_; remaining > kTailPlies; --remaining) {
            Board children[kMaxMoves];
            std::uint64_t weights[kMaxMoves];
            const int n = kernel_.children(board, side, children);
            side = ~side;
            std::uint64_t sum = 0;
            for (int i = 0; i < n; ++i) sum += weights[i] = count(children[i], side, kGuidePlies);
            if (sum == 0) return 0;
            std::uint64_t drawn = random.below(sum);
            int i = 0;
            while (drawn >= weights[i]) drawn -= weights[i++];
            factor *= static_cast<double>(sum) / static_cast<double>(weights[i]);
            board = children[i];
        }
        return factor * static_cast<double>(count(board, side, kTailPlies));
    }

private:
    std::uint64_t count(const Board& b, Color side, int plies) const {
        return static_cast<std::uint64_t>(kernel_.count(b, side, plies, {}));
    }

    const Kernel& kernel_;
    Color side_;
    int remaining_;  // plies from the starts to the leaves
    std::vector<Start> starts_;
    std::uint64_t total_ = 0;
};

}  // namespace

Estimate estimate(const Position& root, int depth, const EstimateOptions& options) {
    if (depth < 0 || depth > kMaxDepth)
        throw Error(ErrorCode::Usage, "depth must be 0 to " + std::to_string(kMaxDepth),
                    std::to_string(depth));
    if (options.samples < kFewestSamples)
        throw Error(ErrorCode::Usage,
                    "an estimate needs at least " + std::to_string(kFewestSamples) + " samples",
                    std::to_string(options.samples));
    const auto begin = std::chrono::steady_clock::now();
    const Kernel& k = kernel(options.simd);
    Estimate e;
    e.simd = k.name;
    e.threads = 1;
    const auto finish = [&] {
        e.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        return e;
    };
    if (depth <= kTailPlies + 1) {
        e.nodes = depth == 0
                      ? 1
                      : static_cast<double>(k.count(root.board(), root.side_to_move(), depth, {}));
        e.low = e.high = e.nodes;
        return finish();
    }

    const Sampler sampler(root, depth, k);
    e.samples = options.samples;
    e.threads = options.threads > 0 ? options.threads : omp_get_max_threads();
    std::vector<double> values(options.samples);
    const auto samples = static_cast<std::int64_t>(options.samples);
    const auto stopped = [&] {
        return options.stop && options.stop->load(std::memory_order_relaxed);
    };
    // Each sample has a stream of its own, so that the threads' order makes no difference.
    const std::uint64_t seed = Random(options.seed).next();
#pragma omp parallel for schedule(dynamic, 16) num_threads(e.threads)
    for (std::int64_t i = 0; i < samples; ++i)
        if (!stopped())
            values[static_cast<std::size_t>(i)] =
                sampler.sample(Random(Random(seed + static_cast<std::uint64_t>(i)).next()));
    if (stopped()) throw Error(ErrorCode::Interrupted, "stopped");

    const double n = static_cast<double>(samples);
    double sum = 0, squares = 0;
    for (const double v : values) sum += v;
    e.nodes = sum / n;
    for (const double v : values) squares += (v - e.nodes) * (v - e.nodes);
    const double half = kDeviations95 * std::sqrt(squares / (n - 1) / n);
    e.low = std::max(0.0, e.nodes - half);
    e.high = e.nodes + half;
    return finish();
}

}  // namespace mansuba::perft

// A statistical estimate of perft, for depths that nobody counts.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/position.hpp"

namespace mansuba::perft {

struct EstimateOptions {
    std::uint64_t samples = 20'000;  // at least kFewestSamples
    std::uint64_t seed = 0;          // the same seed, the same estimate, whatever the threads
    int threads = 0;                 // 0: all that OpenMP offers
    std::string_view simd = "auto";  // see kernel() in perft/kernel.hpp
    const std::atomic<bool>* stop = nullptr;  // set by a signal handler; may be null
};

/// Below this many, the spread that the samples show says little about their mean.
inline constexpr std::uint64_t kFewestSamples = 100;

struct Estimate {
    double nodes = 0;           // leaves
    double low = 0, high = 0;   // of the 95% interval; both equal `nodes` where it is a count
    std::uint64_t samples = 0;  // 0 where it is a count
    double seconds = 0;
    int threads = 0;
    std::string simd;
};

/// Estimates the leaves at `depth` plies, 0 to kMaxDepth, without bias. Each sample is a random line
/// of play, each move drawn in proportion to the leaves two plies behind it and weighted by one over
/// its probability; the first plies are drawn among all positions there are, in proportion to counts
/// behind them, and the last plies are counted. The interval is that of the normal distribution.
/// Depths of few plies are counted. Throws Error(Usage) for a depth or a number of samples out of
/// range, Error(Interrupted) once `stop` is set.
/// Method: D. E. Knuth, Estimating the efficiency of backtrack programs, Math. Comp. 29 (1975), with
/// importance sampling.
Estimate estimate(const Position& root, int depth, const EstimateOptions& options);

}  // namespace mansuba::perft

// The estimate against published counts: whether its interval holds them as often as it says, and
// whether it is without bias.
#include "perft/estimate.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/fen.hpp"
#include "perft/kernel.hpp"

namespace mansuba::perft {
namespace {

struct Known {
    const char* fen;
    int depth;
    double nodes;  // https://www.chessprogramming.org/Perft_Results
    Variant variant = Variant::Standard;
};
constexpr const char* kKiwipete =
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const Known kStart9{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 9, 2439530234167.0};
const Known kPlaces[] = {
    {kKiwipete, 6, 8031647685.0},
    {"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 8, 3009794393.0},
    // https://www.chessprogramming.org/Chess960_Perft_Results, position 1
    {"bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", 6, 227689589.0,
     Variant::Chess960},
};

Estimate run(const Known& known, std::uint64_t samples, std::uint64_t seed, int threads = 0) {
    EstimateOptions options;
    options.samples = samples;
    options.seed = seed;
    options.threads = threads;
    return estimate(parse_fen(known.fen, {known.variant, Strictness::Strict}), known.depth,
                    options);
}

// 200 runs at 95%: outside of 180 to 198 with a probability below 0.2%, and the seeds are fixed.
TEST(Estimate, IntervalsCoverTheCount) {
    for (const Known& known : kPlaces) {
        int covered = 0;
        double sum = 0, widths = 0;
        constexpr int kRuns = 200;
        for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
            const Estimate e = run(known, 100, seed);
            covered += e.low <= known.nodes && known.nodes <= e.high;
            sum += e.nodes;
            widths += e.high - e.low;
        }
        EXPECT_GE(covered, 180) << known.fen;
        EXPECT_LE(covered, 198) << known.fen;
        // The mean of all runs is sqrt(200) times nearer than one: no bias beyond four deviations.
        const double deviation = widths / kRuns / (2 * 1.96) / std::sqrt(kRuns);
        EXPECT_NEAR(sum / kRuns, known.nodes, 4 * deviation) << known.fen;
        EXPECT_GT(deviation, 0);
    }
}

TEST(Estimate, FollowsFromTheSeedAlone) {
    const Estimate one = run(kStart9, 300, 7, 1);
    for (const int threads : {2, 5}) {
        const Estimate other = run(kStart9, 300, 7, threads);
        EXPECT_EQ(other.nodes, one.nodes);
        EXPECT_EQ(other.low, one.low);
        EXPECT_EQ(other.high, one.high);
    }
    EXPECT_NE(run(kStart9, 300, 8).nodes, one.nodes);
    for (const Kernel& k : kernels()) {
        EstimateOptions options;
        options.samples = 100;
        options.simd = k.name;
        EXPECT_GT(estimate(Position(), 6, options).nodes, 1.1e8) << k.name;
        EXPECT_LT(estimate(Position(), 6, options).nodes, 1.3e8) << k.name;
    }
}

TEST(Estimate, FewPliesAreCounted) {
    constexpr double known[] = {1, 20, 400, 8902, 197281};
    for (int depth = 0; depth <= 4; ++depth) {
        const Estimate e = estimate(Position(), depth, {});
        EXPECT_EQ(e.nodes, known[depth]);
        EXPECT_EQ(e.low, e.nodes);
        EXPECT_EQ(e.high, e.nodes);
        EXPECT_EQ(e.samples, 0u);
    }
}

TEST(Estimate, PositionsWithoutLeaves) {
    for (const char* fen : {"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"}) {
        const Estimate e = estimate(parse_fen(fen), 8, {});
        EXPECT_EQ(e.nodes, 0);
        EXPECT_EQ(e.high, 0);
    }
}

TEST(Estimate, RefusesWhatIsOutOfRange) {
    EstimateOptions few;
    few.samples = kFewestSamples - 1;
    EXPECT_THROW(estimate(Position(), 9, few), Error);
    EXPECT_THROW(estimate(Position(), 32, {}), Error);
    EXPECT_THROW(estimate(Position(), -1, {}), Error);
    const std::atomic<bool> stop{true};
    EstimateOptions stopped;
    stopped.stop = &stop;
    EXPECT_THROW(estimate(Position(), 9, stopped), Error);
}

}  // namespace
}  // namespace mansuba::perft

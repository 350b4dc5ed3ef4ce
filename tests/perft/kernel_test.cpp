// Every kernel against the core's own moves, one position and one ply at a time. The core's moves
// are held against the reference generator in tests/core/movegen_test.cpp; here it is the slider
// methods and instruction sets that could differ.
#include "perft/kernel.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "core/fen.hpp"
#include "core/movegen.hpp"
#include "tests/core/random_positions.hpp"

namespace mansuba::perft {
namespace {

bool before(const Board& a, const Board& b) {
    return std::tie(a.plane0, a.plane1, a.plane2, a.black) <
           std::tie(b.plane0, b.plane1, b.plane2, b.black);
}

/// The boards after each legal move, sorted.
std::vector<Board> boards_after(const Position& position) {
    std::vector<Board> boards;
    for (const Move m : legal_moves(position)) {
        Position child = position;
        child.play(m);
        boards.push_back(child.board());
    }
    std::sort(boards.begin(), boards.end(), before);
    return boards;
}

/// Returns the number of positions looked at.
int check_theme(test::Theme theme, int positions) {
    int seen = 0;
    for (std::uint64_t seed = 1'000'000; seen < positions; ++seed)
        for (const test::Sample& sample : test::random_positions(theme, seed)) {
            const Position& p = sample.position;
            const std::vector<Board> expected = boards_after(p);
            Uint128 grandchildren = 0;
            for (const Move m : legal_moves(p)) {
                Position child = p;
                child.play(m);
                grandchildren += static_cast<unsigned>(count_legal_moves(child));
            }
            ++seen;
            for (const Kernel& k : kernels()) {
                Board out[kMaxMoves];
                const int n = k.children(p.board(), p.side_to_move(), out);
                std::sort(out, out + n, before);
                EXPECT_TRUE(std::equal(out, out + n, expected.begin(), expected.end()) &&
                            k.count(p.board(), p.side_to_move(), 1, {}) == expected.size() &&
                            k.count(p.board(), p.side_to_move(), 2, {}) == grandchildren)
                    << k.name << ' ' << to_fen(p) << ", " << name_of(theme) << " seed " << seed;
            }
            if (testing::Test::HasFailure()) return seen;
        }
    return seen;
}

class SimdKernels : public testing::TestWithParam<test::Theme> {};
TEST_P(SimdKernels, AgreeWithTheCore) { EXPECT_GE(check_theme(GetParam(), 12'000), 12'000); }
INSTANTIATE_TEST_SUITE_P(Themes, SimdKernels, testing::ValuesIn(test::kThemes),
                         [](const auto& test) { return std::string(name_of(test.param)); });

class LongKernels : public testing::TestWithParam<test::Theme> {};
TEST_P(LongKernels, AgreeWithTheCore) { EXPECT_GE(check_theme(GetParam(), 1'200'000), 1'200'000); }
INSTANTIATE_TEST_SUITE_P(Themes, LongKernels, testing::ValuesIn(test::kThemes),
                         [](const auto& test) { return std::string(name_of(test.param)); });

}  // namespace
}  // namespace mansuba::perft

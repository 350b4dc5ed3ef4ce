// Every kernel against the core's own moves, one position and one ply at a time. The core's moves
// are held against the reference generator in tests/core/movegen_test.cpp; here it is the slider
// methods and instruction sets that could differ.
#include "perft/kernel.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "core/fen.hpp"
#include "core/movegen.hpp"
#include "core/reference.hpp"
#include "tests/core/random_positions.hpp"
#include "tests/perft/plain_lanes.hpp"

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

/// All that this processor runs, and eight lanes without AVX-512.
std::vector<Kernel> kernels_to_test() {
    std::vector<Kernel> all(kernels().begin(), kernels().end());
    all.push_back(eight_plain_lanes());
    return all;
}

/// What the nodes two plies above the leaves met. A child is a position after one move.
struct Met {
    int positions = 0, castlings = 0, en_passants = 0, promotions = 0;  // moves to children
    int other_side = 0;  // positions in which the theme's trouble is the replying side's
    int wide = 0;        // more than 64 children
    int checks = 0, double_checks = 0, stuck = 0;  // children
    int castling_replies = 0, en_passant_replies = 0, promotion_replies = 0;
};

void tally_replies(const Position& child, Met& met) {
    const int checkers = popcount(child.checkers());
    met.checks += checkers == 1;
    met.double_checks += checkers > 1;
    const MoveList replies = legal_moves(child);
    met.stuck += replies.empty();
    for (const Move m : replies) {
        met.castling_replies += m.kind() == MoveKind::Castling;
        met.en_passant_replies += m.kind() == MoveKind::EnPassant;
        met.promotion_replies += is_promotion(m.kind());
    }
}

/// The same men with the other side to move, if that is a legal position. The themes make trouble
/// for the side to move; two plies above the leaves it is the other side's replies that are counted.
std::optional<Position> other_side(const Position& p) {
    if (p.in_check()) return std::nullopt;
    std::string fen = to_fen(p);
    const std::size_t side = fen.find(' ') + 1, castling = side + 2,
                      ep = fen.find(' ', castling) + 1;
    fen[side] = fen[side] == 'w' ? 'b' : 'w';
    fen.replace(ep, fen.find(' ', ep) - ep, "-");
    return parse_fen(fen, {Variant::Chess960, Strictness::Strict});
}

/// Every kernel one and two plies deep, against the core; now and then against the reference
/// generator as well, which the core's moves are held against everywhere in the core's own tests.
void check_node(const Position& p, const std::vector<Kernel>& all, Met& met) {
    constexpr int kReferenceEvery = 50;
    const std::vector<Board> expected = boards_after(p);
    met.wide += expected.size() > 64;
    Uint128 grandchildren = 0;
    for (const Move m : legal_moves(p)) {
        met.castlings += m.kind() == MoveKind::Castling;
        met.en_passants += m.kind() == MoveKind::EnPassant;
        met.promotions += is_promotion(m.kind());
        Position child = p;
        child.play(m);
        tally_replies(child, met);
        grandchildren += static_cast<unsigned>(count_legal_moves(child));
    }
    if (++met.positions % kReferenceEvery == 0) {
        EXPECT_EQ(grandchildren, reference::perft(p, 2)) << to_fen(p);
    }
    for (const Kernel& k : all) {
        Board out[kMaxMoves];
        const int n = k.children(p.board(), p.side_to_move(), out);
        std::sort(out, out + n, before);
        EXPECT_TRUE(std::equal(out, out + n, expected.begin(), expected.end()) &&
                    k.count(p.board(), p.side_to_move(), 1, {}) == expected.size() &&
                    k.count(p.board(), p.side_to_move(), 2, {}) == grandchildren)
            << k.name << ' ' << to_fen(p);
    }
}

Met check_theme(test::Theme theme, int positions) {
    const std::vector<Kernel> all = kernels_to_test();
    Met met;
    for (std::uint64_t seed = 1'000'000; met.positions < positions; ++seed)
        for (const test::Sample& sample : test::random_positions(theme, seed)) {
            check_node(sample.position, all, met);
            if (const auto other = other_side(sample.position)) {
                ++met.other_side;
                check_node(*other, all, met);
            }
            if (testing::Test::HasFailure()) {
                ADD_FAILURE() << name_of(theme) << " seed " << seed;
                return met;
            }
        }
    return met;
}

/// A run that did not meet what its theme is for has tested nothing.
void expect_met(test::Theme theme, const Met& met) {
    using test::Theme;
    const int often = met.positions / 50;
    EXPECT_GT(met.checks, often);
    switch (theme) {
        case Theme::Playouts: EXPECT_GT(met.castling_replies, often); break;
        case Theme::Placements: EXPECT_GT(met.promotion_replies, often); break;
        case Theme::Promoted: EXPECT_GT(met.wide, often); break;
        case Theme::Pins: EXPECT_GT(met.other_side, 10 * often); break;
        case Theme::Checks: EXPECT_GT(met.double_checks, often / 5); break;
        case Theme::EnPassant:
            EXPECT_GT(met.en_passants, often);
            EXPECT_GT(met.en_passant_replies, often);
            break;
        case Theme::Castling:
            EXPECT_GT(met.castlings, often);
            EXPECT_GT(met.castling_replies, often);
            break;
        case Theme::Promotions: EXPECT_GT(met.promotions, often); break;
        case Theme::BoxedKings: EXPECT_GT(met.stuck, often); break;
    }
}

class SimdKernels : public testing::TestWithParam<test::Theme> {};
TEST_P(SimdKernels, AgreeWithTheCore) {
    const Met met = check_theme(GetParam(), 16'000);
    expect_met(GetParam(), met);
}
INSTANTIATE_TEST_SUITE_P(Themes, SimdKernels, testing::ValuesIn(test::kThemes),
                         [](const auto& test) { return std::string(name_of(test.param)); });

class LongKernels : public testing::TestWithParam<test::Theme> {};
TEST_P(LongKernels, AgreeWithTheCore) {
    const Met met = check_theme(GetParam(), 1'200'000);
    expect_met(GetParam(), met);
}
INSTANTIATE_TEST_SUITE_P(Themes, LongKernels, testing::ValuesIn(test::kThemes),
                         [](const auto& test) { return std::string(name_of(test.param)); });

}  // namespace
}  // namespace mansuba::perft

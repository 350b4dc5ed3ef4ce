// The reference against published counts and against positions that a person can judge.
#include "core/reference.hpp"

#include <algorithm>
#include <string_view>

#include <gtest/gtest.h>

#include "core/fen.hpp"
#include "core/movegen.hpp"

namespace mansuba {
namespace {

/// Positions and counts: https://www.chessprogramming.org/Perft_Results, positions 1 to 6.
struct Count {
    std::string_view fen;
    int depth;
    std::uint64_t leaves;
};
constexpr Count kCounts[] = {
    {kStartFen, 4, 197281},
    {"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 3, 97862},
    {"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 4, 43238},
    {"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 3, 9467},
    {"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 3, 62379},
    {"r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 3, 89890},
};

std::uint64_t fast_perft(const Position& position, int depth) {
    if (depth == 1) return static_cast<std::uint64_t>(count_legal_moves(position));
    std::uint64_t leaves = 0;
    for (const Move m : legal_moves(position)) {
        Position next = position;
        next.play(m);
        leaves += fast_perft(next, depth - 1);
    }
    return leaves;
}

bool has(const Position& position, Square from, Square to, MoveKind kind) {
    const std::vector<Move> moves = reference::legal_moves(position);
    return std::find(moves.begin(), moves.end(), Move(from, to, kind)) != moves.end();
}
constexpr Square at(char file, int rank) { return make_square(file - 'a', rank - 1); }

TEST(Reference, PerftOfTheSixStandardPositions) {
    for (const Count& c : kCounts)
        EXPECT_EQ(reference::perft(parse_fen(c.fen), c.depth), c.leaves) << c.fen;
}

TEST(Movegen, PerftOfTheSixStandardPositions) {
    for (const Count& c : kCounts)
        EXPECT_EQ(fast_perft(parse_fen(c.fen), c.depth), c.leaves) << c.fen;
}

TEST(Reference, PerftAtDepthZeroAndOne) {
    EXPECT_EQ(reference::perft(Position(), 0), 1u);
    EXPECT_EQ(reference::perft(Position(), 1), 20u);
}

TEST(Reference, MateAndStalemateHaveNoMoves) {
    const Position mate =
        parse_fen("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3");
    EXPECT_TRUE(reference::in_check(mate));
    EXPECT_TRUE(reference::legal_moves(mate).empty());
    const Position stalemate = parse_fen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    EXPECT_FALSE(reference::in_check(stalemate));
    EXPECT_TRUE(reference::legal_moves(stalemate).empty());
}

// FIDE 3.8.2.2: the rook may pass an attacked square, the king may not.
TEST(Reference, CastlingPastAttacks) {
    const Position b_file = parse_fen("1r2k3/8/8/8/8/8/8/R3K2R w KQ - 0 1");
    EXPECT_TRUE(has(b_file, at('e', 1), at('a', 1), MoveKind::Castling));
    const Position d_file = parse_fen("3rk3/8/8/8/8/8/8/R3K2R w KQ - 0 1");
    EXPECT_FALSE(has(d_file, at('e', 1), at('a', 1), MoveKind::Castling));
    EXPECT_TRUE(has(d_file, at('e', 1), at('h', 1), MoveKind::Castling));
    const Position check = parse_fen("1k2r3/8/8/8/8/8/8/R3K2R w KQ - 0 1");
    EXPECT_FALSE(has(check, at('e', 1), at('a', 1), MoveKind::Castling));
    EXPECT_FALSE(has(check, at('e', 1), at('h', 1), MoveKind::Castling));
}

// Chess960: with the b-rook gone to d1, the rook on a1 attacks c1, which it did not before.
TEST(Reference, CastlingMayUncoverACheck) {
    const FenOptions chess960{Variant::Chess960};
    EXPECT_FALSE(has(parse_fen("4k3/8/8/8/8/8/8/rR1K4 w B - 0 1", chess960), at('d', 1), at('b', 1),
                     MoveKind::Castling));
    EXPECT_TRUE(has(parse_fen("4k3/8/8/8/8/8/8/1R1K4 w B - 0 1", chess960), at('d', 1), at('b', 1),
                    MoveKind::Castling));
}

TEST(Reference, CastlingMovesBothAndEndsBothRights) {
    const Position before = parse_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 7");
    const Position after =
        reference::play(before, Move(at('e', 1), at('h', 1), MoveKind::Castling));
    EXPECT_EQ(to_fen(after), "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 4 7");
}

TEST(Reference, CapturingARookEndsItsRight) {
    const Position before = parse_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 7");
    const Position after = reference::play(before, Move(at('h', 1), at('h', 8), MoveKind::Normal));
    EXPECT_EQ(to_fen(after), "r3k2R/8/8/8/8/8/8/R3K3 b Qq - 0 7");
}

// The right stands only if a capture is legal: here both pawns would leave the rank at once.
TEST(Reference, NoEnPassantRightWhereTheCapturingSideIsPinned) {
    const Position before = parse_fen("8/3p4/8/K3P2r/8/8/8/7k b - - 0 1");
    const Move push(at('d', 7), at('d', 5), MoveKind::DoublePush);
    EXPECT_EQ(reference::play(before, push).en_passant(), kNoSquare);
    const Position free = parse_fen("8/3p4/8/4P2r/8/8/K7/7k b - - 0 1");
    EXPECT_EQ(reference::play(free, push).en_passant(), at('d', 6));
    EXPECT_EQ(to_fen(reference::play(reference::play(free, push),
                                     Move(at('e', 5), at('d', 6), MoveKind::EnPassant))),
              "8/8/3P4/7r/8/8/K7/7k b - - 0 2");
}

TEST(Reference, PromotesToFourPiecesAndStartsTheClockAnew) {
    const Position before = parse_fen("8/P6k/8/8/8/8/8/K7 w - - 40 90");
    EXPECT_EQ(reference::legal_moves(before).size(), 3u + 4u);
    EXPECT_EQ(
        to_fen(reference::play(before, Move(at('a', 7), at('a', 8), MoveKind::PromoteToKnight))),
        "N7/7k/8/8/8/8/8/K7 b - - 0 90");
}

}  // namespace
}  // namespace mansuba

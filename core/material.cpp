#include "core/material.hpp"

namespace mansuba {

namespace {
constexpr Bitboard kDarkSquares = 0xaa55aa55aa55aa55;  // a1 is dark
}  // namespace

bool insufficient_material(const Position& position) {
    const Board& board = position.board();
    if (board.pawns() | board.orthogonal_sliders()) return false;
    // Two knights mate with the loser's help, and so does one beside any other man: that man takes
    // a square from its own king or from the other one.
    if (board.knights()) return popcount(board.occupied()) == 3;
    const Bitboard bishops = board.bishops();
    return !(bishops & kDarkSquares) || !(bishops & ~kDarkSquares);
}

}  // namespace mansuba

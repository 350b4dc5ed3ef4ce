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

bool insufficient_to_mate(const Board& board, Color winner) {
    const Bitboard own = board.of(winner);
    if ((board.pawns() | board.orthogonal_sliders()) & own) return false;
    const Bitboard men = own & ~board.kings();
    if (!men) return true;
    const Bitboard theirs = board.of(~winner);
    // A queen beside its king gives it away to no knight: she takes what checks, or leaves.
    if (men & board.knights())
        return popcount(men) == 1 && !(theirs & ~(board.kings() | board.queens()));
    // What stands on the other colour must take a square from its king, and cannot step between.
    const Bitboard bishops = board.bishops();
    return !(board.knights() | board.pawns()) &&
           (!(bishops & kDarkSquares) || !(bishops & ~kDarkSquares));
}

}  // namespace mansuba

// Zobrist keys: a 64-bit hash of a position, updated by a move in a few operations.
// Method: Albert Zobrist, A New Hashing Method with Application for Game Playing, 1970.
#pragma once

#include <array>

#include "core/position.hpp"

namespace mansuba {

using Key = std::uint64_t;

struct ZobristTable {
    // By colour, code of Board and square: castling rights are codes of their own; code 0 (an empty
    // square) adds nothing.
    std::array<std::array<std::array<Key, 64>, 8>, 2> man;
    std::array<Key, 64> en_passant;
    Key black_to_move;
};
extern const ZobristTable kZobrist;

/// The key of a board from scratch. Equal positions have equal keys; different ones differ with
/// probability 1 - 2^-64.
Key zobrist_key(const Board& board, Color side_to_move);

/// The key of the board `after` from that of the board `before`, one legal move earlier: only the
/// squares that differ are looked at. Equal to zobrist_key from scratch.
MANSUBA_INLINE Key zobrist_after(Key key, const Board& before, const Board& after) {
    const Bitboard occ_before = before.occupied(), occ_after = after.occupied();
    Bitboard changed = (before.plane0 ^ after.plane0) | (before.plane1 ^ after.plane1) |
                       (before.plane2 ^ after.plane2) |
                       ((before.black & occ_before) ^ (after.black & occ_after));
    while (changed) {  // two to four squares; castling rights that end are among them
        const Square s = pop_lowest(changed);
        key ^= kZobrist.man[before.black >> s & 1][before.code_at(s)][s] ^
               kZobrist.man[after.black >> s & 1][after.code_at(s)][s];
    }
    const Bitboard target_before = before.black & ~occ_before,
                   target_after = after.black & ~occ_after;
    if (target_before) key ^= kZobrist.en_passant[lowest(target_before)];
    if (target_after) key ^= kZobrist.en_passant[lowest(target_after)];
    return key ^ kZobrist.black_to_move;
}

}  // namespace mansuba

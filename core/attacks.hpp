// Where pieces attack: tables for knight, king and pawns, lines between squares, and the sliders.
#pragma once

#include <array>

#include "core/bitboard.hpp"
#include "core/types.hpp"

namespace mansuba {

namespace detail {

struct LeaperTables {
    std::array<Bitboard, 64> knight, king;
    std::array<std::array<Bitboard, 64>, 2> pawn;  // captures, by colour
};
struct LineTables {
    std::array<Bitboard, 64> rook, bishop;                  // attacks on the empty board
    std::array<Bitboard, 64> file, diagonal, antidiagonal;  // lines through, without the square
    std::array<std::array<Bitboard, 64>, 64> to;            // see squares_to
    std::array<std::array<Bitboard, 64>, 64> beyond;        // see squares_beyond
    std::array<std::array<std::uint8_t, 64>, 8> rank;       // by file and the six inner squares
};
struct CastlingTable {
    std::array<std::array<std::uint8_t, 8>, 8> clear, safe;  // by the files of king and rook
};
extern const LeaperTables kLeapers;
extern const LineTables kLines;
extern const CastlingTable kCastling;

}  // namespace detail

MANSUBA_INLINE Bitboard knight_attacks(Square s) { return detail::kLeapers.knight[s]; }
MANSUBA_INLINE Bitboard king_attacks(Square s) { return detail::kLeapers.king[s]; }
/// Squares that a pawn of colour c on s captures on.
MANSUBA_INLINE Bitboard pawn_attacks(Color c, Square s) {
    return detail::kLeapers.pawn[static_cast<int>(c)][s];
}

/// Rook and bishop attacks on the empty board.
MANSUBA_INLINE Bitboard rook_lines(Square s) { return detail::kLines.rook[s]; }
MANSUBA_INLINE Bitboard bishop_lines(Square s) { return detail::kLines.bishop[s]; }

/// The squares from a (left out) to b (included), if they share a rank, file or diagonal; else b.
MANSUBA_INLINE Bitboard squares_to(Square a, Square b) { return detail::kLines.to[a][b]; }

/// The squares beyond a on the line from b to a; empty if they share none.
MANSUBA_INLINE Bitboard squares_beyond(Square b, Square a) { return detail::kLines.beyond[b][a]; }

/// What castling needs (FIDE 3.8.2, II.3 of the Chess960 guidelines): no man on `clear`, no enemy
/// attack on `safe` (the king's way with its end; that it is not in check comes besides).
struct CastlingPath {
    Bitboard clear, safe;
};
MANSUBA_INLINE CastlingPath castling_path(Square king, Square rook) {
    const int shift = king & 56;
    return {Bitboard{detail::kCastling.clear[king & 7][rook & 7]} << shift,
            Bitboard{detail::kCastling.safe[king & 7][rook & 7]} << shift};
}

/// Sliders by o^(o-2r) on a byte-swapped board: no large table, any processor. A slider attacks
/// along each ray up to and including the first occupied square.
/// Method: Gerd Isenberg, https://www.chessprogramming.org/Hyperbola_Quintessence
struct HyperbolaSliders {
    MANSUBA_INLINE static Bitboard line(Square s, Bitboard occ, Bitboard mask) {
        Bitboard forward = occ & mask;
        Bitboard reverse = __builtin_bswap64(forward);
        forward -= bit(s);
        reverse -= bit(s ^ 56);
        return (forward ^ __builtin_bswap64(reverse)) & mask;
    }
    MANSUBA_INLINE static Bitboard rook(Square s, Bitboard occ) {
        const int shift = s & 56;
        const Bitboard rank = Bitboard{detail::kLines.rank[s & 7][occ >> shift >> 1 & 63]} << shift;
        return line(s, occ, detail::kLines.file[s]) | rank;
    }
    MANSUBA_INLINE static Bitboard bishop(Square s, Bitboard occ) {
        return line(s, occ, detail::kLines.diagonal[s]) |
               line(s, occ, detail::kLines.antidiagonal[s]);
    }
};

/// The table that PextSliders (core/pext_sliders_impl.hpp) reads: for every square the attacks by
/// the occupancy of its inner lines, compacted with PEXT. 841 KiB, filled at program start.
struct PextTable {
    struct Entry {
        Bitboard mask;
        const Bitboard* attacks;
    };
    std::array<Entry, 64> rook, bishop;
};
extern const PextTable kPextTable;

}  // namespace mansuba

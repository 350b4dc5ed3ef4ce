// A legal chess position, 40 bytes, and what a move does to it.
#pragma once

#include <cstdint>
#include <optional>

#include "core/bitboard.hpp"
#include "core/types.hpp"

namespace mansuba {

/// The men on the board, the castling rights and the en passant right in four bitboards: three
/// planes hold a code a square, the fourth the colour. Two boards of the same side to move are the
/// same position (FIDE 9.2.3) exactly if all four words are equal.
///
/// Codes (plane2 plane1 plane0): bit 0 moves along diagonals, bit 1 along ranks and files, bit 2
/// turns the sliders into the others. A rook that may still castle is a code of its own, so that
/// moving or capturing it, in any Chess960 set-up, ends the right by itself.
///
///     000 empty  001 bishop  010 rook  011 queen  100 knight  101 pawn  110 castling rook  111 king
///
/// `black` holds the black men, and on an empty square the en passant target, which is there only
/// if an en passant capture is legal.
struct Board {
    Bitboard plane0 = 0, plane1 = 0, plane2 = 0, black = 0;

    MANSUBA_INLINE constexpr Bitboard occupied() const { return plane0 | plane1 | plane2; }
    MANSUBA_INLINE constexpr Bitboard of(Color c) const {
        return c == Color::White ? occupied() & ~black : occupied() & black;
    }
    MANSUBA_INLINE constexpr Bitboard en_passant() const { return black & ~occupied(); }

    MANSUBA_INLINE constexpr Bitboard pawns() const { return plane2 & plane0 & ~plane1; }
    MANSUBA_INLINE constexpr Bitboard knights() const { return plane2 & ~(plane0 | plane1); }
    MANSUBA_INLINE constexpr Bitboard kings() const { return plane0 & plane1 & plane2; }
    MANSUBA_INLINE constexpr Bitboard castling_rooks() const { return plane1 & plane2 & ~plane0; }
    MANSUBA_INLINE constexpr Bitboard rooks() const { return plane1 & ~plane0; }
    MANSUBA_INLINE constexpr Bitboard bishops() const { return plane0 & ~(plane1 | plane2); }
    MANSUBA_INLINE constexpr Bitboard queens() const { return plane0 & plane1 & ~plane2; }
    MANSUBA_INLINE constexpr Bitboard diagonal_sliders() const { return plane0 & ~plane2; }
    MANSUBA_INLINE constexpr Bitboard orthogonal_sliders() const {
        return plane1 & ~(plane0 & plane2);
    }
    constexpr Bitboard of(PieceType t) const {
        switch (t) {
            case PieceType::Pawn: return pawns();
            case PieceType::Knight: return knights();
            case PieceType::Bishop: return bishops();
            case PieceType::Rook: return rooks();
            case PieceType::Queen: return queens();
            default: return kings();
        }
    }
    /// The code of a square as listed above, 0 to 7.
    MANSUBA_INLINE constexpr unsigned code_at(Square s) const {
        return static_cast<unsigned>((plane0 >> s & 1) | (plane1 >> s & 1) << 1 |
                                     (plane2 >> s & 1) << 2);
    }
    MANSUBA_INLINE constexpr Square king(Color c) const { return lowest(kings() & of(c)); }

    friend constexpr bool operator==(const Board&, const Board&) = default;
};

inline constexpr unsigned kCodeCastlingRook = 6;
/// The code of a piece that has no castling right.
MANSUBA_INLINE constexpr unsigned code_of(PieceType t) {
    constexpr unsigned codes[] = {5, 4, 1, 2, 3, 7};
    return codes[static_cast<int>(t)];
}

/// A position with its side to move and clocks. Always legal: one king each, not more than sixteen
/// men and eight pawns a side, the side not to move not in check. Made from a Setup
/// (core/setup.hpp) or a FEN (core/fen.hpp), and by moves. Equality leaves the clocks out.
class Position {
public:
    /// The start position of standard chess.
    Position();

    const Board& board() const { return board_; }
    Color side_to_move() const { return side_to_move_; }
    /// Plies since the last capture or pawn move.
    int halfmove_clock() const { return halfmove_clock_; }
    /// 1 in the start position, one more after each move of Black.
    int fullmove_number() const { return fullmove_number_; }

    Bitboard occupied() const { return board_.occupied(); }
    Bitboard of(Color c) const { return board_.of(c); }
    Bitboard of(PieceType t) const { return board_.of(t); }
    Bitboard of(Color c, PieceType t) const { return board_.of(c) & board_.of(t); }
    std::optional<Piece> piece_at(Square s) const;
    Square king(Color c) const { return board_.king(c); }

    /// The square an en passant capture goes to, kNoSquare unless such a capture is legal.
    Square en_passant() const;
    /// The rooks of c that may still castle: at most one on each side of the king.
    Bitboard castling_rooks(Color c) const { return board_.castling_rooks() & board_.of(c); }

    /// The men that give check to the side to move.
    Bitboard checkers() const;
    bool in_check() const { return checkers() != 0; }

    /// Plays a legal move (undefined for any other). The clocks stop at Setup::kMaxClock, so that
    /// every position has a FEN that can be read back.
    void play(Move m);

    friend bool operator==(const Position& a, const Position& b) {
        return a.board_ == b.board_ && a.side_to_move_ == b.side_to_move_;
    }

private:
    friend class Setup;
    Position(const Board& board, Color side_to_move, int halfmove_clock, int fullmove_number);

    Board board_;
    Color side_to_move_ = Color::White;
    std::uint16_t halfmove_clock_ = 0;
    std::uint16_t fullmove_number_ = 1;
};

/// The men of colour `by` that attack s, on a board with this occupancy.
Bitboard attackers(const Board& board, Square s, Color by, Bitboard occ);

}  // namespace mansuba

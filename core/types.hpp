// Colours, piece types and moves: the small words that every room speaks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/bitboard.hpp"

namespace mansuba {

enum class Color : std::uint8_t { White, Black };
MANSUBA_INLINE constexpr Color operator~(Color c) {
    return c == Color::White ? Color::Black : Color::White;
}

enum class PieceType : std::uint8_t { Pawn, Knight, Bishop, Rook, Queen, King };
inline constexpr int kPieceTypes = 6;

struct Piece {
    Color color;
    PieceType type;
    friend constexpr bool operator==(Piece, Piece) = default;
};

enum class MoveKind : std::uint8_t {
    Normal,           // also captures, and pawn pushes by one square
    DoublePush,       // a pawn push by two squares
    EnPassant,        // `to` is the empty square behind the captured pawn
    Castling,         // `to` is the square of the castling rook (Chess960 included)
    PromoteToKnight,  // the last four in the order of PieceType
    PromoteToBishop,
    PromoteToRook,
    PromoteToQueen,
};

MANSUBA_INLINE constexpr bool is_promotion(MoveKind k) { return k >= MoveKind::PromoteToKnight; }

/// A move of the side to move, in 16 bits. It means something only beside its position.
class Move {
public:
    constexpr Move() = default;
    constexpr Move(Square from, Square to, MoveKind kind)
        : bits_(static_cast<std::uint16_t>(from | to << 6 | static_cast<int>(kind) << 12)) {}

    constexpr Square from() const { return bits_ & 63; }
    constexpr Square to() const { return bits_ >> 6 & 63; }
    constexpr MoveKind kind() const { return static_cast<MoveKind>(bits_ >> 12); }
    constexpr std::uint16_t bits() const { return bits_; }
    /// The piece a promotion makes; only for promotions.
    constexpr PieceType promotion() const {
        return static_cast<PieceType>(static_cast<int>(kind()) -
                                      static_cast<int>(MoveKind::PromoteToKnight) +
                                      static_cast<int>(PieceType::Knight));
    }

    friend constexpr bool operator==(Move, Move) = default;
    friend constexpr auto operator<=>(Move, Move) = default;

private:
    std::uint16_t bits_ = 0;
};

/// No position has as many legal moves. 218 is the most that legal play reaches
/// (https://www.chessprogramming.org/Chess_Position); a set-up has at most 15 men beside the king,
/// none with more than 27 moves: 15 * 27 + 8 + 2 castlings.
inline constexpr std::size_t kMaxMoves = 416;

}  // namespace mansuba

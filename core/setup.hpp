// A set-up of the board as somebody wrote it down, which may be illegal; the only way to a Position
// besides playing moves.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/position.hpp"

namespace mansuba {

/// Which castling rights make sense.
enum class Variant {
    Standard,  // king on the e-file, rooks on the a- and h-files
    Chess960,  // king and rooks anywhere on their home rank, the king between the files b and g or
               // wherever X-FEN puts it
    Auto,      // Standard where the rights fit, else Chess960
};

/// What to do with castling and en passant rights that the board contradicts.
enum class Strictness {
    Strict,   // refuse them
    Lenient,  // drop them with a warning
};

class Setup {
public:
    std::array<std::optional<Piece>, 64> squares{};
    Color side_to_move = Color::White;
    Bitboard castling_rooks = 0;  // the rooks said to have a right, of both sides
    Square en_passant = kNoSquare;
    int halfmove_clock = 0;   // 0 to kMaxClock
    int fullmove_number = 1;  // 1 to kMaxClock

    static constexpr int kMaxClock = 10000;

    Setup() = default;
    explicit Setup(const Position& position);

    /// The legal position; its en passant right stands only if a capture is legal. Throws
    /// Error(Input), naming what is wrong, if there is none: not one king each, adjacent kings, pawns
    /// on the first or last rank, more than 16 men or 8 pawns of a side, the side not to move in
    /// check, clocks out of range, and with Strict: a castling right without king and rook in place
    /// (two rights on one side of a king included), an en passant square that no pawn can just have
    /// passed. With Lenient those rights are dropped and `warnings` (may be null) says so.
    Position position(Variant variant = Variant::Standard,
                      Strictness strictness = Strictness::Strict,
                      std::vector<std::string>* warnings = nullptr) const;
};

}  // namespace mansuba

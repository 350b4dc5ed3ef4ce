// Forsyth-Edwards Notation, in and out: FEN with six fields, EPD's four, X-FEN and Shredder-FEN.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/position.hpp"
#include "core/setup.hpp"

namespace mansuba {

inline constexpr std::string_view kStartFen =
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// How a FEN is read; see DESIGN's FEN policy in README.md.
struct FenOptions {
    Variant variant = Variant::Standard;
    Strictness strictness = Strictness::Strict;
};

/// Reads a FEN. Throws Error(Input) with the field and the reason; never reads past the text,
/// whatever it holds. `warnings` (may be null) receives what Lenient dropped.
Position parse_fen(std::string_view fen, FenOptions options = {},
                   std::vector<std::string>* warnings = nullptr);

/// Writes six fields. Castling rights as KQkq where that is unambiguous, else as the rook's file
/// (X-FEN); the en passant square only where a capture is legal.
std::string to_fen(const Position& position);

}  // namespace mansuba

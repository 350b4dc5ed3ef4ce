// A whole board in 24 bytes: the key of exact hash entries and of sets of positions.
#pragma once

#include <cstdint>

#include "core/position.hpp"

namespace mansuba::perft {

/// The occupied squares, and the four words of Board at those squares alone, lowest square first,
/// 32 bits each. An en passant right is the code 0 (empty) on the square of the pawn that may be
/// captured. Equal exactly if the boards are equal.
struct PackedBoard {
    std::uint64_t occupied, planes01, plane2_black;
    friend bool operator==(const PackedBoard&, const PackedBoard&) = default;
};

}  // namespace mansuba::perft

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

    /// A number all of whose bits hang on all of the board's, to find a bucket by: two
    /// multiplications instead of the dozens of instructions that a Zobrist key takes, even kept
    /// from move to move. Nothing may rest on its being different for different boards.
    /// Method: folded 128-bit products, Wang Yi, https://github.com/wangyi-fudan/wyhash
    MANSUBA_INLINE std::uint64_t mixed() const {
        constexpr std::uint64_t odd[] = {0x9e3779b97f4a7c15, 0xd1b54a32d192ed03,
                                         0x8cb92ba72f3d8dd7};
        return fold(fold(occupied ^ odd[0], planes01 ^ odd[1]) ^ odd[2], plane2_black ^ odd[0]);
    }

private:
    MANSUBA_INLINE static std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
        __extension__ typedef unsigned __int128 Wide;
        const Wide product = static_cast<Wide>(a) * b;
        return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    }
};

}  // namespace mansuba::perft

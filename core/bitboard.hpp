// Bitboards: sets of squares, one bit each, a1 = bit 0, b1 = bit 1, … h8 = bit 63.
#pragma once

#include <bit>
#include <cstdint>

// Small helpers must vanish into the kernels that use them, whatever instruction set the kernel is
// compiled for: a helper left out of line would fall back to the baseline instructions.
#define MANSUBA_INLINE inline __attribute__((always_inline))

namespace mansuba {

using Bitboard = std::uint64_t;

/// 0 = a1 … 63 = h8 (8 * rank + file); kNoSquare where there is none.
using Square = int;
inline constexpr Square kNoSquare = 64;

inline constexpr Bitboard kFileA = 0x0101010101010101;
inline constexpr Bitboard kFileH = kFileA << 7;
inline constexpr Bitboard kRank1 = 0xff;
inline constexpr Bitboard kRank8 = kRank1 << 56;

MANSUBA_INLINE constexpr Bitboard bit(Square s) { return Bitboard{1} << s; }
MANSUBA_INLINE constexpr int file_of(Square s) { return s & 7; }
MANSUBA_INLINE constexpr int rank_of(Square s) { return s >> 3; }
MANSUBA_INLINE constexpr Square make_square(int file, int rank) { return 8 * rank + file; }

MANSUBA_INLINE constexpr int popcount(Bitboard b) { return __builtin_popcountll(b); }
MANSUBA_INLINE constexpr bool more_than_one(Bitboard b) { return (b & (b - 1)) != 0; }

/// The lowest square of a set that is not empty.
MANSUBA_INLINE constexpr Square lowest(Bitboard b) { return __builtin_ctzll(b); }

/// Takes the lowest square out of a set that is not empty, and returns it.
MANSUBA_INLINE constexpr Square pop_lowest(Bitboard& b) {
    const Square s = lowest(b);
    b &= b - 1;
    return s;
}

}  // namespace mansuba

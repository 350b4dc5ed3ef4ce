// Unsigned 128-bit numbers for counts that outgrow 64 bits: perft of the start position does at
// ply 14 (https://oeis.org/A048987).
#pragma once

#include <string>
#include <string_view>

namespace mansuba {

__extension__ typedef unsigned __int128 Uint128;

inline constexpr Uint128 kUint128Max = ~Uint128{0};

/// Sums and products that stay at kUint128Max instead of wrapping around.
constexpr Uint128 add_saturating(Uint128 a, Uint128 b) {
    return a > kUint128Max - b ? kUint128Max : a + b;
}
constexpr Uint128 multiply_saturating(Uint128 a, Uint128 b) {
    return b != 0 && a > kUint128Max / b ? kUint128Max : a * b;
}

/// Decimal digits, without separators.
std::string to_string(Uint128 n);

/// Reads decimal digits; throws Error(Input) for anything else, or a number of 2^128 and more.
Uint128 parse_uint128(std::string_view digits);

}  // namespace mansuba

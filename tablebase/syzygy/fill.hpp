// Numbers for places where several would do.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mansuba::tablebase::syzygy {

/// `may[i]`: the numbers below 8 that may stand at place i, bit by bit, at least one. Chooses one for
/// each, so that there are as few changes from one place to the next as can be.
void fill_sets(std::span<const std::uint8_t> may, std::uint16_t* out);

/// In DTZ sections: any number may stand here.
inline constexpr std::uint16_t kAnyNumber = 0xffff;
/// Replaces kAnyNumber. Long runs of it take `usual`, short ones continue their neighbours, of which
/// the one with the lower number: numbers are expected to be given by falling frequency.
void fill_any(std::span<std::uint16_t> numbers, std::uint16_t usual);

}  // namespace mansuba::tablebase::syzygy

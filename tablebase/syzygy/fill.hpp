// Numbers for places where several would do.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mansuba::tablebase::syzygy {

/// Who takes places between two different numbers that either may have: the one before, the one after,
/// each up to where the place is a multiple of the highest power of two, or a certain number where it is one
/// of them (kPrefer + number). Which one packs best differs by endgame.
enum Fill : int { Before, After, Aligned, Prefer };
inline constexpr int kFills = Prefer + 5;

/// `may[i]`: the numbers below 8 that may stand at place `first` + i, bit by bit, at least one. Chooses one
/// for each, so that there are as few changes from one place to the next as can be. `fill` is below kFills.
void fill_sets(std::span<const std::uint8_t> may, std::uint64_t first, int fill,
               std::uint16_t* out);

/// In DTZ sections: any number may stand here.
inline constexpr std::uint16_t kAnyNumber = 0xffff;
/// Replaces kAnyNumber. Long runs of it take `usual`, short ones continue their neighbours, of which
/// the one with the lower number: numbers are expected to be given by falling frequency.
void fill_any(std::span<std::uint16_t> numbers, std::uint16_t usual);

}  // namespace mansuba::tablebase::syzygy

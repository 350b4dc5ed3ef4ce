// Lengths of codes by Huffman's method.
#pragma once

#include <cstdint>
#include <vector>

namespace mansuba::tablebase::syzygy {

/// For each symbol that occurs, a length from 1 to max_bits; 0 for others. The codes fill up: the sum
/// of 2^-length is 1. At least two symbols must occur. Where the best lengths exceed max_bits (20 at
/// least), nearly the best.
std::vector<std::uint8_t> code_lengths(const std::vector<std::uint64_t>& counts, int max_bits);

}  // namespace mansuba::tablebase::syzygy

// A section as it stands in a file: what describes its codes, two indexes, and blocks of codes.
#pragma once

#include <cstdint>
#include <vector>

#include "tablebase/syzygy/pairing.hpp"

namespace mansuba::tablebase::syzygy {

/// What Pairs reads. See tablebase/SYZYGY.md for each part.
struct Packed {
    bool single = false;
    std::uint8_t value = 0;                 // if single
    std::vector<std::uint8_t> description;  // what follows the flags
    std::vector<std::uint8_t> sparse_index;
    std::vector<std::uint8_t> block_lengths;
    std::vector<std::uint8_t> blocks;

    /// Bytes that it takes in a file.
    std::uint64_t bytes() const {
        return 1 + description.size() + sparse_index.size() + block_lengths.size() + blocks.size();
    }
};

/// Canonical Huffman codes in blocks of at most 2^max_block_bits bytes; smaller ones if all takes less so.
/// `size` is the number of values.
Packed pack(const Paired& paired, std::uint64_t size, int max_block_bits);

/// All values are the same.
Packed single_value(std::uint8_t value);

}  // namespace mansuba::tablebase::syzygy

// Makes few symbols out of many numbers, by giving pairs of neighbours that occur often a symbol.
#pragma once

#include <cstdint>
#include <vector>

namespace mansuba::tablebase::syzygy {

/// What stands for a number, or for two symbols one after the other.
struct PairSymbol {
    static constexpr std::uint16_t kLeaf = 0xfff;

    std::uint16_t left, right;  // right is kLeaf where left is a number
    std::uint16_t values;       // how many numbers it stands for
};

struct PairingOptions {
    /// All symbols have 12 bits, and one pattern of those is kLeaf.
    std::size_t max_symbols = 4095;
    /// Readers keep the values of a symbol, less one, in a byte.
    unsigned max_values = 256;
    /// Pairs that occur less often are left alone.
    std::uint32_t min_count = 3;
    int threads = 1;
};

/// Data as symbols. It was paired piece by piece, and no symbol crosses from one to the next, so that
/// the result does not depend on the number of threads.
struct Paired {
    std::vector<PairSymbol> symbols;  // what a symbol is made of stands before it
    std::vector<std::vector<std::uint16_t>> pieces;
    std::vector<std::uint64_t> counts;  // by symbol: how often it stands in the pieces

    /// An estimate: codes for the symbols, and the bytes that list them.
    double bits() const;
};

/// "Recursive pairing" (N. J. Larsson and A. Moffat, "Off-line dictionary-based compression", 1999) with
/// many pairs a pass: a pass takes pairs that cannot overlap, the most frequent first. Counts are
/// kept up to date where symbols change, and what is left is moved together, so that passes become
/// short soon. `numbers` are the numbers that occur in the pieces, at most 4095 of them. Stops where
/// more symbols would make the result larger.
Paired pair_up(std::vector<std::vector<std::uint16_t>> pieces,
               const std::vector<std::uint16_t>& numbers, const PairingOptions& options = {});

}  // namespace mansuba::tablebase::syzygy

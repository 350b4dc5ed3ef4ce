// The numbers of a section, one for each position, packed by pairing and canonical Huffman codes. See
// tablebase/SYZYGY.md.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tablebase/syzygy/bytes.hpp"

namespace mansuba::tablebase::syzygy {

/// A sequence of small numbers in blocks of one size, each block readable alone. Refers to the bytes of
/// the file. Immutable once read.
class Pairs {
public:
    static constexpr std::uint8_t kSingleValue = 0x80;  // in the flags

    /// Reads the flags and what describes the codes. `with_single`: whether a single value is in the
    /// file (it is in WDL files; else it is 0). Throws Damage.
    Pairs(Cursor& cursor, std::uint64_t size, bool with_single);

    /// Then, for all sections in turn, each of these. They throw Damage.
    void read_sparse_index(Cursor& cursor);
    void read_block_lengths(Cursor& cursor);
    void read_blocks(Cursor& cursor);

    /// The number at a place below size(). Throws Damage. Thread safe.
    unsigned value(std::uint64_t place) const;

    std::uint64_t size() const { return size_; }
    std::uint8_t flags() const { return flags_; }
    bool single() const { return (flags_ & kSingleValue) != 0; }

    // What describes the codes; all 0 for a single value.
    std::uint64_t block_bytes() const { return single() ? 0 : std::uint64_t{1} << block_bits_; }
    /// Values from one entry of the sparse index to the next.
    std::uint64_t span() const { return single() ? 0 : std::uint64_t{1} << span_bits_; }
    std::uint32_t blocks() const { return blocks_; }
    /// Entries of the list of block lengths beyond the blocks.
    std::uint32_t padding() const { return padding_; }
    int min_code_bits() const { return min_bits_; }
    int max_code_bits() const {
        return min_bits_ + static_cast<int>(codes_.size()) - (single() ? 0 : 1);
    }
    std::size_t symbols() const { return symbols_.size(); }
    /// The values of a symbol, first to last.
    std::vector<unsigned> expand(std::size_t symbol) const;

private:
    static constexpr std::uint16_t kLeaf = 0xfff;
    struct Symbol {
        std::uint16_t left, right;  // right is kLeaf where left is a value
        std::uint32_t values;       // how many it stands for
    };
    struct CodeLength {
        std::uint64_t first;   // code of this length, at the top of 64 bits
        std::uint32_t symbol;  // that it stands for
    };

    /// The codes that end within kRunBits bits, one after the other: what is passed over at once.
    struct Run {
        std::uint16_t values;
        std::uint8_t bits;  // 0: not even one ends
    };
    static constexpr int kRunBits = 12;

    void read_codes(Cursor& cursor);
    void read_symbols(Cursor& cursor);
    void find_runs();

    struct Code {
        std::size_t symbol;
        int bits;
    };
    /// The code that `window` begins with.
    Code first_code(std::uint64_t window) const {
        std::size_t length = shortest_[window >> 56];
        while (window < codes_[length].first) ++length;
        const int bits = min_bits_ + static_cast<int>(length);
        return {codes_[length].symbol + ((window - codes_[length].first) >> (64 - bits)), bits};
    }

    std::uint64_t size_;
    std::uint8_t flags_ = 0, single_ = 0;
    int block_bits_ = 0, span_bits_ = 0, min_bits_ = 0;
    std::uint32_t blocks_ = 0, padding_ = 0;
    std::vector<CodeLength> codes_;  // by length, from min_bits_ on
    // By the next eight bits: the place in codes_ of the shortest code they may begin.
    std::array<std::uint8_t, 256> shortest_{};
    std::vector<Symbol> symbols_;
    // By the next kRunBits bits. 16 KB a section; with all else of opening a file 90 us instead of 40.
    std::vector<Run> runs_;
    const std::uint8_t* sparse_index_ = nullptr;
    const std::uint8_t* block_lengths_ = nullptr;
    const std::uint8_t* data_ = nullptr;
    const std::uint8_t* data_end_ = nullptr;
};

}  // namespace mansuba::tablebase::syzygy

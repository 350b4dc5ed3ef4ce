#include "tablebase/syzygy/packed.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/error.hpp"
#include "tablebase/syzygy/code_lengths.hpp"

namespace mansuba::tablebase::syzygy {
namespace {

constexpr int kMaxCodeBits = 32;            // readers refill 32 bits at a time
constexpr unsigned kBlockValues = 1 << 16;  // a block's length is written in sixteen bits
constexpr int kMinBlockBits = 4;
/// Entries of the sparse index: so many blocks apart, as a power of two.
constexpr int kBlocksPerEntryBits = 5;

void put(std::vector<std::uint8_t>& bytes, std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> 8 * i));
}

/// Codes by symbol.
struct Codes {
    std::vector<std::uint8_t> bits;  // 0: the symbol has no code
    std::vector<std::uint32_t> code;
    std::vector<std::uint16_t> place;  // of the symbol in the file's list
    std::vector<std::uint16_t> order;  // the other way round
    int min_bits, max_bits;
    std::vector<std::uint16_t> first_place;  // by length from min_bits on
    /// The symbol of the shortest code whose values begin with those of this one: at the end of a block
    /// nobody reads what comes after.
    std::vector<std::uint16_t> ending;
};

Codes make_codes(const Paired& paired) {
    const std::size_t n = paired.symbols.size();
    Codes c;
    c.bits = code_lengths(paired.counts, kMaxCodeBits);
    c.order.resize(n);
    std::iota(c.order.begin(), c.order.end(), std::uint16_t{0});
    // The longest codes come first, symbols without one last.
    std::stable_sort(c.order.begin(), c.order.end(),
                     [&](std::uint16_t a, std::uint16_t b) { return c.bits[a] > c.bits[b]; });
    c.place.resize(n);
    for (std::size_t i = 0; i < n; ++i) c.place[c.order[i]] = static_cast<std::uint16_t>(i);
    c.max_bits = c.bits[c.order.front()];
    c.min_bits = c.max_bits;
    for (const std::uint8_t b : c.bits)
        if (b) c.min_bits = std::min<int>(c.min_bits, b);

    c.code.resize(n);
    c.first_place.resize(static_cast<std::size_t>(c.max_bits - c.min_bits + 1));
    std::uint64_t code = 0;
    std::size_t i = 0;
    for (int bits = c.max_bits; bits >= c.min_bits; --bits) {
        c.first_place[static_cast<std::size_t>(bits - c.min_bits)] = static_cast<std::uint16_t>(i);
        for (; i < n && c.bits[c.order[i]] == bits; ++i)
            c.code[c.order[i]] = static_cast<std::uint32_t>(code++);
        code /= 2;
    }

    c.ending.resize(n);
    std::iota(c.ending.begin(), c.ending.end(), std::uint16_t{0});
    for (std::size_t s = 0; s < n; ++s) {
        if (!c.bits[s]) continue;
        for (std::size_t begins = s; paired.symbols[begins].right != PairSymbol::kLeaf;) {
            begins = paired.symbols[begins].left;
            std::uint16_t& e = c.ending[begins];
            if (!c.bits[e] || c.bits[s] < c.bits[e]) e = static_cast<std::uint16_t>(s);
        }
    }
    return c;
}

/// Cuts the symbols into blocks: calls symbol(s) for each that is written, block(values) after each
/// block's last.
template <class OnSymbol, class OnBlock>
void cut(const Paired& paired, const Codes& codes, unsigned block_bits, OnSymbol symbol,
         OnBlock block) {
    unsigned bits = 0, values = 0;
    const auto length = [&](std::size_t s) { return codes.bits[s]; };
    const auto put_symbol = [&](std::size_t s, unsigned count) {
        symbol(s);
        bits += length(s);
        values += count;
    };
    const auto end_block = [&] {
        block(values);
        bits = values = 0;
    };
    for (const auto& piece : paired.pieces)
        for (const std::uint16_t s : piece) {
            const PairSymbol& of = paired.symbols[s];
            if (values + of.values > kBlockValues) end_block();
            if (bits + length(s) <= block_bits) {
                put_symbol(s, of.values);
                continue;
            }
            // What is left of the block takes all of the symbol, or one half of it, or nothing.
            const auto left_over = block_bits - bits;
            const std::uint16_t whole = codes.ending[s];
            if (length(whole) <= left_over) {
                put_symbol(whole, of.values);
                end_block();
                continue;
            }
            if (of.right != PairSymbol::kLeaf && length(of.left) && length(of.right)) {
                const unsigned left_values = paired.symbols[of.left].values;
                const std::uint16_t right_end = codes.ending[of.right],
                                    left_end = codes.ending[of.left];
                if (length(of.left) + unsigned{length(right_end)} <= left_over) {
                    put_symbol(of.left, left_values);
                    put_symbol(right_end, of.values - left_values);
                    end_block();
                    continue;
                }
                if (length(of.right) < length(s) && length(left_end) <= left_over) {
                    put_symbol(left_end, left_values);
                    end_block();
                    put_symbol(of.right, of.values - left_values);
                    continue;
                }
            }
            end_block();
            put_symbol(s, of.values);
        }
    if (values) end_block();
}

/// Places of the sparse index, and what they need.
struct Sparse {
    int span_bits;
    std::uint64_t entries;
    unsigned padding;  // blocks that are in the list of lengths only, for entries beyond the end

    std::uint64_t bytes() const { return 6 * entries + 2 * padding; }
};
Sparse sparse_for(std::uint64_t size, std::uint64_t blocks) {
    Sparse s{};
    s.span_bits = static_cast<int>(std::bit_width(size / blocks)) + kBlocksPerEntryBits;
    while (s.span_bits > 1 && (std::uint64_t{1} << (s.span_bits - 1)) > size) --s.span_bits;
    const std::uint64_t span = std::uint64_t{1} << s.span_bits;
    s.entries = (size + span - 1) / span;
    // Each entry is about the middle of its span: the last may lie beyond the end.
    const std::uint64_t last = span * s.entries - span / 2;
    s.padding = last >= size ? static_cast<unsigned>((last - size) / kBlockValues + 1) : 0;
    return s;
}

}  // namespace

Packed single_value(std::uint8_t value) {
    Packed packed;
    packed.single = true;
    packed.value = value;
    return packed;
}

Packed pack(const Paired& paired, std::uint64_t size, int max_block_bits) {
    const Codes codes = make_codes(paired);

    struct Choice {
        int bits = 0;
        std::uint64_t blocks = 0, bytes = ~std::uint64_t{0};
    } best;
    for (int b = max_block_bits; b >= kMinBlockBits; --b) {
        if (8 << b < codes.max_bits) break;
        std::uint64_t blocks = 0;
        cut(
            paired, codes, 8u << b, [](std::size_t) {}, [&](unsigned) { ++blocks; });
        const Sparse sparse = sparse_for(size, blocks);
        const std::uint64_t bytes = ((blocks << b) + 63) / 64 * 64 + 2 * blocks + sparse.bytes();
        if (bytes >= best.bytes) break;
        best = {b, blocks, bytes};
    }
    if (best.blocks >> 32) throw Error(ErrorCode::Usage, "too many blocks for a Syzygy file");

    Packed packed;
    packed.blocks.reserve(best.blocks << best.bits);
    std::uint64_t window = 0;
    int filled = 0;  // bits of the window, from the top
    std::vector<std::uint16_t> lengths;
    lengths.reserve(best.blocks);
    cut(
        paired, codes, 8u << best.bits,
        [&](std::size_t s) {
            window |= std::uint64_t{codes.code[s]} << (64 - codes.bits[s]) >> filled;
            filled += codes.bits[s];
            while (filled >= 8) {
                packed.blocks.push_back(static_cast<std::uint8_t>(window >> 56));
                window <<= 8;
                filled -= 8;
            }
        },
        [&](unsigned values) {
            packed.blocks.push_back(static_cast<std::uint8_t>(window >> 56));
            window = 0;
            filled = 0;
            lengths.push_back(static_cast<std::uint16_t>(values - 1));
            packed.blocks.resize(lengths.size() << best.bits);
        });

    const Sparse sparse = sparse_for(size, best.blocks);
    const std::uint64_t span = std::uint64_t{1} << sparse.span_bits;
    lengths.resize(lengths.size() + sparse.padding, kBlockValues - 1);
    std::uint64_t before = 0;  // values before the block
    std::size_t block = 0;
    for (std::uint64_t entry = 0; entry < sparse.entries; ++entry) {
        const std::uint64_t middle = entry * span + span / 2;
        while (before + lengths[block] < middle) before += lengths[block++] + 1u;
        put(packed.sparse_index, block, 4);
        put(packed.sparse_index, middle - before, 2);
    }
    for (const std::uint16_t l : lengths) put(packed.block_lengths, l, 2);

    auto& d = packed.description;
    put(d, static_cast<std::uint64_t>(best.bits), 1);
    put(d, static_cast<std::uint64_t>(sparse.span_bits), 1);
    put(d, sparse.padding, 1);
    put(d, best.blocks, 4);
    put(d, static_cast<std::uint64_t>(codes.max_bits), 1);
    put(d, static_cast<std::uint64_t>(codes.min_bits), 1);
    for (const std::uint16_t first : codes.first_place) put(d, first, 2);
    put(d, paired.symbols.size(), 2);
    for (const std::uint16_t s : codes.order) {
        const PairSymbol& symbol = paired.symbols[s];
        const bool leaf = symbol.right == PairSymbol::kLeaf;
        const unsigned left = leaf ? symbol.left : codes.place[symbol.left];
        const unsigned right = leaf ? unsigned{PairSymbol::kLeaf} : codes.place[symbol.right];
        put(d, left | right << 12, 3);
    }
    return packed;
}

}  // namespace mansuba::tablebase::syzygy

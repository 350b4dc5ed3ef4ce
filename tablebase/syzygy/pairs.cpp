#include "tablebase/syzygy/pairs.hpp"

namespace mansuba::tablebase::syzygy {
namespace {

// Readers refill 32 bits at a time, so that no code is longer.
constexpr int kMaxCodeBits = 32;
// A block holds at most so many values, as its length is written in sixteen bits; no symbol more.
constexpr std::uint32_t kMaxBlockValues = 1 << 16;
// Bytes behind the last block that are read with its last code.
constexpr std::size_t kReadAhead = 8;

}  // namespace

Pairs::Pairs(Cursor& cursor, std::uint64_t size, bool with_single) : size_(size) {
    flags_ = cursor.u8();
    if (single()) {
        if (with_single) single_ = cursor.u8();
    } else {
        block_bits_ = cursor.u8();
        span_bits_ = cursor.u8();
        if (block_bits_ < 3 || block_bits_ > 31) throw Damage{"its blocks have no sensible size"};
        if (span_bits_ < 1 || span_bits_ > 31)
            throw Damage{"its sparse index has no sensible span"};
        padding_ = cursor.u8();
        blocks_ = cursor.u32();
        read_codes(cursor);
        read_symbols(cursor);
        find_runs();
    }
    cursor.align(2);
}

void Pairs::read_codes(Cursor& cursor) {
    const int max_bits = cursor.u8();
    min_bits_ = cursor.u8();
    if (min_bits_ < 1 || max_bits < min_bits_ || max_bits > kMaxCodeBits)
        throw Damage{"its codes have no sensible lengths"};
    codes_.resize(static_cast<std::size_t>(max_bits - min_bits_ + 1));
    for (CodeLength& c : codes_) c.symbol = cursor.u16();

    // The longest codes count up from 0; what they leave above, cut by a bit, begins the next length.
    std::uint64_t first = 0;
    for (int i = static_cast<int>(codes_.size()) - 1; i >= 0; --i) {
        CodeLength& c = codes_[static_cast<std::size_t>(i)];
        if (static_cast<std::size_t>(i) + 1 < codes_.size()) {
            const CodeLength& longer = codes_[static_cast<std::size_t>(i) + 1];
            if (c.symbol < longer.symbol) throw Damage{"its codes are not in order"};
            first += c.symbol - longer.symbol;
            if (first % 2 != 0) throw Damage{"its codes do not fill up"};
            first /= 2;
        }
        const int bits = min_bits_ + i;
        if (first >> bits != 0) throw Damage{"it has too many codes"};
        c.first = first << (64 - bits);
    }
    for (std::size_t top = 0; top < shortest_.size(); ++top) {
        const std::uint64_t highest = (std::uint64_t{top} << 56) | (~std::uint64_t{0} >> 8);
        while (highest < codes_[shortest_[top]].first) ++shortest_[top];
    }
}

void Pairs::read_symbols(Cursor& cursor) {
    symbols_.resize(cursor.u16());
    if (symbols_.size() > kLeaf) throw Damage{"it has too many symbols"};
    for (Symbol& s : symbols_) {
        const Bytes b = cursor.take(3);
        s.left = static_cast<std::uint16_t>(b[0] | (b[1] & 15) << 8);
        s.right = static_cast<std::uint16_t>(b[1] >> 4 | b[2] << 4);
        s.values = s.right == kLeaf ? 1 : 0;
        if (s.right != kLeaf && (s.left >= symbols_.size() || s.right >= symbols_.size()))
            throw Damage{"a symbol is made of one that is not there"};
    }
    // Symbols are made of others anywhere in the list. Those that never get a length are made of
    // themselves.
    for (bool all = false; !all;) {
        all = true;
        bool any = false;
        for (Symbol& s : symbols_) {
            if (s.values != 0) continue;
            const std::uint32_t left = symbols_[s.left].values, right = symbols_[s.right].values;
            if (left != 0 && right != 0) {
                s.values = left + right;
                if (s.values > kMaxBlockValues) throw Damage{"a symbol is longer than a block"};
                any = true;
            } else {
                all = false;
            }
        }
        if (!all && !any) throw Damage{"a symbol is made of itself"};
    }
}

void Pairs::find_runs() {
    runs_.resize(std::size_t{1} << kRunBits);
    for (std::size_t top = 0; top < runs_.size(); ++top) {
        std::uint64_t window = std::uint64_t{top} << (64 - kRunBits);
        Run& run = runs_[top];
        for (;;) {
            // Bits that are not known are 0 here: they do not change a code that ends before them.
            const Code code = first_code(window);
            if (run.bits + code.bits > kRunBits || code.symbol >= symbols_.size()) break;
            const std::uint32_t values = run.values + symbols_[code.symbol].values;
            if (values > 0xffff) break;
            run.values = static_cast<std::uint16_t>(values);
            run.bits = static_cast<std::uint8_t>(run.bits + code.bits);
            window <<= code.bits;
        }
    }
}

void Pairs::read_sparse_index(Cursor& cursor) {
    if (!single()) sparse_index_ = cursor.take((size_ + span() - 1) / span() * 6).data();
}

void Pairs::read_block_lengths(Cursor& cursor) {
    if (!single()) block_lengths_ = cursor.take(2 * (std::uint64_t{blocks_} + padding_)).data();
}

void Pairs::read_blocks(Cursor& cursor) {
    if (single()) return;
    cursor.align(64);
    const Bytes bytes = cursor.take(blocks_ * block_bytes());
    data_ = bytes.data();
    data_end_ = data_ + bytes.size();
    if (cursor.left() < kReadAhead) throw Damage{"it ends too early"};
}

unsigned Pairs::value(std::uint64_t place) const {
    if (single()) return single_;

    // The sparse index knows the block, and the place in it, of the middle of each span.
    const std::uint64_t half = span() / 2;
    const std::uint8_t* const entry = sparse_index_ + (place >> span_bits_) * 6;
    std::uint32_t block = little32(entry);
    std::int64_t skip = std::int64_t{little16(entry + 4)} +
                        static_cast<std::int64_t>(place & (span() - 1)) -
                        static_cast<std::int64_t>(half);
    const std::uint32_t listed = blocks_ + padding_;
    const auto values_of = [&](std::uint32_t b) {
        return std::int64_t{little16(block_lengths_ + 2 * std::size_t{b})} + 1;
    };
    if (block >= listed) throw Damage{"its sparse index leads outside"};
    while (skip < 0) {
        if (block == 0) throw Damage{"its sparse index leads outside"};
        skip += values_of(--block);
    }
    for (std::int64_t values; skip >= (values = values_of(block)); skip -= values)
        if (++block >= listed) throw Damage{"its sparse index leads outside"};
    if (block >= blocks_) throw Damage{"its sparse index leads outside"};

    // `window` holds the next bits of the block at its top, `spent` of them are gone.
    const std::uint8_t* next = data_ + (std::size_t{block} << block_bits_);
    std::uint64_t window = big64(next);
    next += 8;
    int spent = 0;
    const auto pass = [&](int bits) {
        window <<= bits;
        spent += bits;
        if (spent >= 32) {
            if (next + 4 > data_end_ + kReadAhead) throw Damage{"a block ends too early"};
            spent -= 32;
            window |= std::uint64_t{big32(next)} << spent;
            next += 4;
        }
    };
    std::size_t symbol;
    for (;;) {
        const Run run = runs_[window >> (64 - kRunBits)];
        if (run.bits && skip >= run.values) {
            skip -= run.values;
            pass(run.bits);
            continue;
        }
        const Code code = first_code(window);
        symbol = code.symbol;
        if (symbol >= symbols_.size()) throw Damage{"it holds a code without a symbol"};
        const std::int64_t values = symbols_[symbol].values;
        if (skip < values) break;
        skip -= values;
        pass(code.bits);
    }

    while (symbols_[symbol].right != kLeaf) {
        const std::int64_t left = symbols_[symbols_[symbol].left].values;
        if (skip < left) {
            symbol = symbols_[symbol].left;
        } else {
            skip -= left;
            symbol = symbols_[symbol].right;
        }
    }
    return symbols_[symbol].left;
}

std::vector<unsigned> Pairs::expand(std::size_t symbol) const {
    std::vector<unsigned> values;
    std::vector<std::size_t> open{symbol};
    while (!open.empty()) {
        const Symbol& s = symbols_[open.back()];
        open.pop_back();
        if (s.right == kLeaf) {
            values.push_back(s.left);
        } else {
            open.push_back(s.right);
            open.push_back(s.left);
        }
    }
    return values;
}

}  // namespace mansuba::tablebase::syzygy

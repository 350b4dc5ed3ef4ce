// Moves of men on blocks of 64 by 64 positions as operations on bits: included once a target, inside
// its region and namespace. MANSUBA_LANES words make a vector. No include guard.
//
// A block holds the positions that differ in the squares of two men only: bit b of word w stands for
// the word man on w and the bit man on b. `from` of a man and a set of positions with the other side
// to move are the positions from which the man can move into the set. A bit of the set where the
// man stands on another's square is a capture, and is reached as an empty square is, but not passed.

typedef std::uint64_t Part __attribute__((vector_size(8 * MANSUBA_LANES)));
inline constexpr int kParts = 8 / MANSUBA_LANES;

/// Eight words: a rank of squares of the word man.
struct Row {
    Part part[kParts];
};

MANSUBA_INLINE Row load(const std::uint64_t* words) {
    Row r;
    _Pragma("GCC unroll 8") for (int i = 0; i < kParts; ++i) r.part[i] =
        *reinterpret_cast<const Part*>(words + i * MANSUBA_LANES);
    return r;
}
MANSUBA_INLINE void store(std::uint64_t* words, const Row& r) {
    _Pragma("GCC unroll 8") for (int i = 0; i < kParts; ++i) *
        reinterpret_cast<Part*>(words + i * MANSUBA_LANES) = r.part[i];
}
MANSUBA_INLINE Row zero_row() {
    Row r;
    _Pragma("GCC unroll 8") for (int i = 0; i < kParts; ++i) r.part[i] = Part{};
    return r;
}
MANSUBA_INLINE Row operator|(Row a, const Row& b) {
    _Pragma("GCC unroll 8") for (int i = 0; i < kParts; ++i) a.part[i] |= b.part[i];
    return a;
}
MANSUBA_INLINE Row operator&(Row a, const Row& b) {
    _Pragma("GCC unroll 8") for (int i = 0; i < kParts; ++i) a.part[i] &= b.part[i];
    return a;
}
MANSUBA_INLINE Row operator&(Row a, std::uint64_t b) {
    _Pragma("GCC unroll 8") for (int i = 0; i < kParts; ++i) a.part[i] &= b;
    return a;
}
MANSUBA_INLINE Row operator^(Row a, const Row& b) {
    _Pragma("GCC unroll 8") for (int i = 0; i < kParts; ++i) a.part[i] ^= b.part[i];
    return a;
}
MANSUBA_INLINE Row operator>>(Row a, int n) {
    _Pragma("GCC unroll 8") for (int i = 0; i < kParts; ++i) a.part[i] >>= n;
    return a;
}
MANSUBA_INLINE Row operator<<(Row a, int n) {
    _Pragma("GCC unroll 8") for (int i = 0; i < kParts; ++i) a.part[i] <<= n;
    return a;
}
MANSUBA_INLINE Row andnot(Row a, const Row& b) {  // a & ~b
    _Pragma("GCC unroll 8") for (int i = 0; i < kParts; ++i) a.part[i] &= ~b.part[i];
    return a;
}
MANSUBA_INLINE bool any(const Row& a) {
    Part p = a.part[0];
    _Pragma("GCC unroll 8") for (int i = 1; i < kParts; ++i) p |= a.part[i];
#if MANSUBA_X86 && MANSUBA_LANES == 8
    return _mm512_test_epi64_mask(reinterpret_cast<__m512i>(p), reinterpret_cast<__m512i>(p));
#elif MANSUBA_X86 && MANSUBA_LANES == 4
    return !_mm256_testz_si256(reinterpret_cast<__m256i>(p), reinterpret_cast<__m256i>(p));
#else
    std::uint64_t x = 0;
    _Pragma("GCC unroll 8") for (int i = 0; i < MANSUBA_LANES; ++i) x |= p[i];
    return x != 0;
#endif
}

template <int K>
MANSUBA_INLINE Part joined(Part low, Part high) {  // words K.. of low, then of high
#if MANSUBA_LANES == 2
    return K == 0 ? low : __builtin_shufflevector(low, high, 1, 2);
#elif MANSUBA_LANES == 4
    if constexpr (K == 0) return low;
    if constexpr (K == 1) return __builtin_shufflevector(low, high, 1, 2, 3, 4);
    if constexpr (K == 2) return __builtin_shufflevector(low, high, 2, 3, 4, 5);
    return __builtin_shufflevector(low, high, 3, 4, 5, 6);
#else
    return __builtin_shufflevector(low, high, K, K + 1, K + 2, K + 3, K + 4, K + 5, K + 6, K + 7);
#endif
}
/// Word i of the result is word i + K, or zero beyond the row; K from -7 to 7.
template <int K>
MANSUBA_INLINE Row shifted(const Row& a) {
    Row r;
    constexpr int words = K & (MANSUBA_LANES - 1);
    constexpr int parts = (K - words) / MANSUBA_LANES;
    _Pragma("GCC unroll 8") for (int i = 0; i < kParts; ++i) {
        const int low = i + parts, high = low + 1;
        r.part[i] = joined<words>(low >= 0 && low < kParts ? a.part[low] : Part{},
                                  high >= 0 && high < kParts ? a.part[high] : Part{});
    }
    return r;
}

/// A bit a row: which are in question, or which are not empty.
using RowSet = std::uint8_t;

template <class Do>
MANSUBA_INLINE void for_rows(RowSet rows, const Do& work) {
    for (unsigned left = rows; left; left &= left - 1) work(__builtin_ctz(left));
}
MANSUBA_INLINE Row row(const Block& b, int r) { return load(b.word + 8 * r); }
MANSUBA_INLINE void set_row(Block& b, int r, const Row& value) { store(b.word + 8 * r, value); }
MANSUBA_INLINE void add_to_row(Block& b, int r, const Row& value) {
    set_row(b, r, row(b, r) | value);
}

/// Those of `rows` that are not empty.
MANSUBA_INLINE RowSet filled(const Block& b, RowSet rows = 0xff) {
    unsigned found = 0;
    for_rows(rows, [&](int r) { found |= static_cast<unsigned>(any(row(b, r))) << r; });
    return static_cast<RowSet>(found);
}
/// Whether every bit of `wanted` (in its rows) is in `found`.
MANSUBA_INLINE bool covers(const Block& found, const Block& wanted, RowSet rows) {
    Row left = zero_row();
    for_rows(rows, [&](int r) { left = left | andnot(row(wanted, r), row(found, r)); });
    return !any(left);
}

/// ~bit(w) at w: what the bit man's square leaves of the word man's paths, and the other way round.
inline constexpr Block kApart = [] {
    Block b{};
    for (int w = 0; w < 64; ++w) b.word[w] = ~(std::uint64_t{1} << w);
    return b;
}();

/// Words of ones where a byte has ones.
inline constexpr auto kSpread = [] {
    struct {
        alignas(64) std::uint64_t word[256][8];
    } t{};
    for (unsigned byte = 0; byte < 256; ++byte)
        for (unsigned i = 0; i < 8; ++i) t.word[byte][i] = -std::uint64_t{byte >> i & 1};
    return t;
}();
/// Row r of the cells whose word and bit man stand neither on one square nor on occupied ones. Rows
/// are made whole: a word written for itself would hold up the row that is read after it.
MANSUBA_INLINE Row free_words(Bitboard occupied, int r) {
    return row(kApart, r) & load(kSpread.word[~occupied >> 8 * r & 0xff]);
}
MANSUBA_INLINE Row free_cells(Bitboard occupied, int r) {
    return free_words(occupied, r) & ~occupied;
}

// ---------------------------------------------------------------- the man on the words

/// Towards higher (Up) or lower ranks, and K files aside.
template <bool Up, int K>
MANSUBA_INLINE void word_ray(const Block& set, RowSet rows, Bitboard occupied, Block& out) {
    Row reached = zero_row();
    for (int i = 0; i < 7; ++i) {
        const int target = Up ? 7 - i : i;
        reached = reached & free_words(occupied, target);
        if (rows >> target & 1) reached = reached | row(set, target);
        reached = shifted<K>(reached);
        add_to_row(out, Up ? target - 1 : target + 1, reached);
    }
}
template <int K>  // K = 1: towards the h file
MANSUBA_INLINE Row row_ray(Row set, Row free) {
    set = set | (free & shifted<K>(set));
    free = free & shifted<K>(free);
    set = set | (free & shifted<2 * K>(set));
    free = free & shifted<2 * K>(free);
    set = set | (free & shifted<4 * K>(set));
    return shifted<K>(set);
}
inline void word_rook(const Block& set, RowSet rows, Bitboard occupied, Block& out) {
    word_ray<true, 0>(set, rows, occupied, out);
    word_ray<false, 0>(set, rows, occupied, out);
    for_rows(rows, [&](int r) {
        const Row s = row(set, r), f = free_words(occupied, r);
        add_to_row(out, r, row_ray<1>(s, f) | row_ray<-1>(s, f));
    });
}
inline void word_bishop(const Block& set, RowSet rows, Bitboard occupied, Block& out) {
    word_ray<true, 1>(set, rows, occupied, out);
    word_ray<true, -1>(set, rows, occupied, out);
    word_ray<false, 1>(set, rows, occupied, out);
    word_ray<false, -1>(set, rows, occupied, out);
}
inline void word_knight(const Block& set, RowSet rows, Block& out) {
    for_rows(rows, [&](int r) {
        const Row s = row(set, r);
        const Row two = shifted<2>(s) | shifted<-2>(s), one = shifted<1>(s) | shifted<-1>(s);
        if (r > 0) add_to_row(out, r - 1, two);
        if (r < 7) add_to_row(out, r + 1, two);
        if (r > 1) add_to_row(out, r - 2, one);
        if (r < 6) add_to_row(out, r + 2, one);
    });
}
inline void word_king(const Block& set, RowSet rows, Block& out) {
    for_rows(rows, [&](int r) {
        const Row s = row(set, r);
        const Row beside = shifted<1>(s) | shifted<-1>(s);
        add_to_row(out, r, beside);
        if (r > 0) add_to_row(out, r - 1, s | beside);
        if (r < 7) add_to_row(out, r + 1, s | beside);
    });
}

// ---------------------------------------------------------------- the man on the bits

inline constexpr std::uint64_t kNotA = ~kFileA, kNotH = ~kFileH;

/// Down the bits by Step (positions from which a step upwards leads into the set), or up if
/// negative; `inside` are the squares that such a step may leave.
template <int Step>
MANSUBA_INLINE Row step(const Row& a) {
    if constexpr (Step > 0) return a >> Step;
    return a << -Step;
}
template <int Step>
MANSUBA_INLINE Row bit_ray(Row set, Row free, std::uint64_t inside) {
    free = free & inside;
    set = set | (free & step<Step>(set));
    free = free & step<Step>(free);
    set = set | (free & step<2 * Step>(set));
    free = free & step<2 * Step>(free);
    set = set | (free & step<4 * Step>(set));
    return step<Step>(set) & inside;
}
MANSUBA_INLINE Row bit_rook(const Row& set, const Row& free) {
    return bit_ray<8>(set, free, ~std::uint64_t{0}) | bit_ray<-8>(set, free, ~std::uint64_t{0}) |
           bit_ray<1>(set, free, kNotH) | bit_ray<-1>(set, free, kNotA);
}
MANSUBA_INLINE Row bit_bishop(const Row& set, const Row& free) {
    return bit_ray<9>(set, free, kNotH) | bit_ray<-9>(set, free, kNotA) |
           bit_ray<7>(set, free, kNotA) | bit_ray<-7>(set, free, kNotH);
}
MANSUBA_INLINE Row bit_knight(const Row& s) {
    constexpr std::uint64_t not_ab = kNotA & kNotA << 1, not_gh = kNotH & kNotH >> 1;
    const Row left1 = (s & kNotA) >> 1, left2 = (s & not_ab) >> 2;
    const Row right1 = (s & kNotH) << 1, right2 = (s & not_gh) << 2;
    const Row one = left1 | right1, two = left2 | right2;
    return one << 16 | one >> 16 | two << 8 | two >> 8;
}
MANSUBA_INLINE Row bit_king(const Row& s) {
    const Row beside = (s & kNotA) >> 1 | (s & kNotH) << 1;
    const Row all = s | beside;
    return beside | all << 8 | all >> 8;
}
inline void from_word_man(PieceType type, const Block& set, RowSet rows, Bitboard occupied,
                          Block& out) {
    if (type == PieceType::Knight) return word_knight(set, rows, out);
    if (type == PieceType::King) return word_king(set, rows, out);
    if (type != PieceType::Bishop) word_rook(set, rows, occupied, out);
    if (type != PieceType::Rook) word_bishop(set, rows, occupied, out);
}

inline void from_bit_man(PieceType type, const Block& set, RowSet rows, Bitboard occupied,
                         Block& out) {
    const auto each = [&](const auto& moves) {
        for_rows(rows, [&](int r) {
            add_to_row(out, r, moves(row(set, r), row(kApart, r) & ~occupied));
        });
    };
    switch (type) {
        case PieceType::Knight: return each([](const Row& s, const Row&) { return bit_knight(s); });
        case PieceType::King: return each([](const Row& s, const Row&) { return bit_king(s); });
        case PieceType::Rook:
            return each([](const Row& s, const Row& f) { return bit_rook(s, f); });
        case PieceType::Bishop:
            return each([](const Row& s, const Row& f) { return bit_bishop(s, f); });
        default:
            return each(
                [](const Row& s, const Row& f) { return bit_rook(s, f) | bit_bishop(s, f); });
    }
}

// ---------------------------------------------------------------- symmetry

MANSUBA_INLINE Row transposed_bits(Row x) {
    const auto swap = [&x](int shift, std::uint64_t mask) {
        Row t = x ^ (x >> shift);
        t = t & mask;
        x = x ^ t ^ (t << shift);
    };
    swap(7, 0x00aa00aa00aa00aa);
    swap(14, 0x0000cccc0000cccc);
    swap(28, 0x00000000f0f0f0f0);
    return x;
}

/// Adds the block whose men stand on the images under the symmetry.
inline void add_image(Block& to, const Block& what, RowSet rows, Symmetry symmetry) {
    const unsigned t = symmetry.what();
    Block moved;
    for (Square w = 0; w < 64; ++w) {
        const Square from = symmetry(w);
        moved.word[w] = rows >> (from >> 3) & 1 ? what.word[from] : 0;
    }
    for (int i = 0; i < 8; ++i) {
        Row r = row(moved, i);
        if (t & Symmetry::kTranspose) r = transposed_bits(r);
        if (t & Symmetry::kFlipRanks) {
            r = (r & 0x00ff00ff00ff00ff) << 8 | (r >> 8 & 0x00ff00ff00ff00ff);
            r = (r & 0x0000ffff0000ffff) << 16 | (r >> 16 & 0x0000ffff0000ffff);
            r = r << 32 | r >> 32;
        }
        if (t & Symmetry::kMirrorFiles) {
            r = (r & 0x5555555555555555) << 1 | (r >> 1 & 0x5555555555555555);
            r = (r & 0x3333333333333333) << 2 | (r >> 2 & 0x3333333333333333);
            r = (r & 0x0f0f0f0f0f0f0f0f) << 4 | (r >> 4 & 0x0f0f0f0f0f0f0f0f);
        }
        add_to_row(to, i, r);
    }
}

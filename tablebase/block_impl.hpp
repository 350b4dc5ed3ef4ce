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
    for (int i = 0; i < kParts; ++i)
        r.part[i] = *reinterpret_cast<const Part*>(words + i * MANSUBA_LANES);
    return r;
}
MANSUBA_INLINE void store(std::uint64_t* words, const Row& r) {
    for (int i = 0; i < kParts; ++i)
        *reinterpret_cast<Part*>(words + i * MANSUBA_LANES) = r.part[i];
}
MANSUBA_INLINE Row zero_row() {
    Row r;
    for (int i = 0; i < kParts; ++i) r.part[i] = Part{};
    return r;
}
MANSUBA_INLINE Row operator|(Row a, const Row& b) {
    for (int i = 0; i < kParts; ++i) a.part[i] |= b.part[i];
    return a;
}
MANSUBA_INLINE Row operator&(Row a, const Row& b) {
    for (int i = 0; i < kParts; ++i) a.part[i] &= b.part[i];
    return a;
}
MANSUBA_INLINE Row operator&(Row a, std::uint64_t b) {
    for (int i = 0; i < kParts; ++i) a.part[i] &= b;
    return a;
}
MANSUBA_INLINE Row operator^(Row a, const Row& b) {
    for (int i = 0; i < kParts; ++i) a.part[i] ^= b.part[i];
    return a;
}
MANSUBA_INLINE Row operator>>(Row a, int n) {
    for (int i = 0; i < kParts; ++i) a.part[i] >>= n;
    return a;
}
MANSUBA_INLINE Row operator<<(Row a, int n) {
    for (int i = 0; i < kParts; ++i) a.part[i] <<= n;
    return a;
}
MANSUBA_INLINE Row andnot(Row a, const Row& b) {  // a & ~b
    for (int i = 0; i < kParts; ++i) a.part[i] &= ~b.part[i];
    return a;
}
MANSUBA_INLINE bool any(const Row& a) {
    Part p = a.part[0];
    for (int i = 1; i < kParts; ++i) p |= a.part[i];
    std::uint64_t x = 0;
    for (int i = 0; i < MANSUBA_LANES; ++i) x |= p[i];
    return x != 0;
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
    for (int i = 0; i < kParts; ++i) {
        const int low = i + parts, high = low + 1;
        r.part[i] = joined<words>(low >= 0 && low < kParts ? a.part[low] : Part{},
                                  high >= 0 && high < kParts ? a.part[high] : Part{});
    }
    return r;
}

MANSUBA_INLINE bool empty(const Block& b) {
    Row r = load(b.word);
    for (int i = 8; i < 64; i += 8) r = r | load(b.word + i);
    return !any(r);
}
/// Whether every bit of `wanted` is in `found`.
MANSUBA_INLINE bool covers(const Block& found, const Block& wanted) {
    Row r = andnot(load(wanted.word), load(found.word));
    for (int i = 8; i < 64; i += 8) r = r | andnot(load(wanted.word + i), load(found.word + i));
    return !any(r);
}
MANSUBA_INLINE void add(Block& to, const Block& what) {
    for (int i = 0; i < 64; i += 8) store(to.word + i, load(to.word + i) | load(what.word + i));
}

/// ~bit(w) at w: what the bit man's square leaves of the word man's paths, and the other way round.
inline constexpr Block kApart = [] {
    Block b{};
    for (int w = 0; w < 64; ++w) b.word[w] = ~(std::uint64_t{1} << w);
    return b;
}();

// ---------------------------------------------------------------- the man on the words

/// Towards higher (Up) or lower ranks, and K files aside.
template <bool Up, int K>
MANSUBA_INLINE void word_ray(const Block& set, const Block& free, Block& out) {
    Row reached = zero_row();
    for (int i = 0; i < 7; ++i) {
        const int target = Up ? 7 - i : i, from = Up ? target - 1 : target + 1;
        reached =
            shifted<K>(load(set.word + 8 * target) | (load(free.word + 8 * target) & reached));
        store(out.word + 8 * from, load(out.word + 8 * from) | reached);
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
inline void word_rook(const Block& set, const Block& free, Block& out) {
    word_ray<true, 0>(set, free, out);
    word_ray<false, 0>(set, free, out);
    for (int i = 0; i < 64; i += 8) {
        const Row s = load(set.word + i), f = load(free.word + i);
        store(out.word + i, load(out.word + i) | row_ray<1>(s, f) | row_ray<-1>(s, f));
    }
}
inline void word_bishop(const Block& set, const Block& free, Block& out) {
    word_ray<true, 1>(set, free, out);
    word_ray<true, -1>(set, free, out);
    word_ray<false, 1>(set, free, out);
    word_ray<false, -1>(set, free, out);
}
inline void word_knight(const Block& set, Block& out) {
    for (int r = 0; r < 8; ++r) {
        const Row s = load(set.word + 8 * r);
        const Row two = shifted<2>(s) | shifted<-2>(s), one = shifted<1>(s) | shifted<-1>(s);
        const auto give = [&](int rank, const Row& what) {
            if (rank >= 0 && rank < 8) store(out.word + 8 * rank, load(out.word + 8 * rank) | what);
        };
        give(r - 1, two);
        give(r + 1, two);
        give(r - 2, one);
        give(r + 2, one);
    }
}
inline void word_king(const Block& set, Block& out) {
    for (int r = 0; r < 8; ++r) {
        const Row s = load(set.word + 8 * r);
        const Row beside = shifted<1>(s) | shifted<-1>(s);
        store(out.word + 8 * r, load(out.word + 8 * r) | beside);
        const Row all = s | beside;
        if (r > 0) store(out.word + 8 * r - 8, load(out.word + 8 * r - 8) | all);
        if (r < 7) store(out.word + 8 * r + 8, load(out.word + 8 * r + 8) | all);
    }
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
template <class Move>
MANSUBA_INLINE void for_rows(const Block& set, Block& out, const Move& move) {
    for (int i = 0; i < 64; i += 8) {
        const Row s = load(set.word + i);
        if (any(s)) store(out.word + i, load(out.word + i) | move(i, s));
    }
}

/// Words w of the squares in `occupied` empty, bit w of word w empty: the word man's free squares.
MANSUBA_INLINE void word_paths(Bitboard occupied, Block& free) {
    free = kApart;
    while (occupied) free.word[pop_lowest(occupied)] = 0;
}

inline void from_word_man(PieceType type, const Block& set, Bitboard occupied, Block& out) {
    if (type == PieceType::Knight) return word_knight(set, out);
    if (type == PieceType::King) return word_king(set, out);
    Block free;
    word_paths(occupied, free);
    if (type != PieceType::Bishop) word_rook(set, free, out);
    if (type != PieceType::Rook) word_bishop(set, free, out);
}

inline void from_bit_man(PieceType type, const Block& set, Bitboard occupied, Block& out) {
    const auto free = [&](int i) { return load(kApart.word + i) & ~occupied; };
    switch (type) {
        case PieceType::Knight:
            return for_rows(set, out, [&](int, const Row& s) { return bit_knight(s); });
        case PieceType::King:
            return for_rows(set, out, [&](int, const Row& s) { return bit_king(s); });
        case PieceType::Rook:
            return for_rows(set, out, [&](int i, const Row& s) { return bit_rook(s, free(i)); });
        case PieceType::Bishop:
            return for_rows(set, out, [&](int i, const Row& s) { return bit_bishop(s, free(i)); });
        default:
            return for_rows(set, out, [&](int i, const Row& s) {
                const Row f = free(i);
                return bit_rook(s, f) | bit_bishop(s, f);
            });
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
inline void add_image(Block& to, const Block& what, Symmetry symmetry) {
    const unsigned t = symmetry.what();
    Block moved;
    for (Square w = 0; w < 64; ++w) moved.word[w] = what.word[symmetry(w)];
    for (int i = 0; i < 64; i += 8) {
        Row r = load(moved.word + i);
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
        store(to.word + i, load(to.word + i) | r);
    }
}

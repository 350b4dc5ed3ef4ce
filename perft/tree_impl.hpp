// The bodies of the counting kernels, once for every target: included by perft/kernel.cpp after
// moves_impl.hpp, inside the same region and namespace. No include guard.

/// Depths up to here count in 64 bits: 218 moves a ply is the most that play reaches, and the sides
/// cannot both have it; 218^8 < 2^63.
inline constexpr int kNarrowDepth = 8;

/// Stop is looked at where a subtree takes milliseconds.
inline constexpr int kStopDepth = 5;

inline bool stopped(const CountContext& context) {
    return context.stop && context.stop->load(std::memory_order_relaxed);
}

inline std::uint32_t compact(Bitboard word, Bitboard squares) {
#ifdef MANSUBA_HAS_PEXT
    return static_cast<std::uint32_t>(_pext_u64(word, squares));
#else
    std::uint32_t bits = 0;
    for (int i = 0; squares; ++i)
        bits |= static_cast<std::uint32_t>(word >> pop_lowest(squares) & 1) << i;
    return bits;
#endif
}

inline Bitboard expand(std::uint32_t bits, Bitboard squares) {
    Bitboard word = 0;
    for (; squares; bits >>= 1) word |= Bitboard{bits & 1} << pop_lowest(squares);
    return word;
}

inline PackedBoard pack(const Board& b) {
    const Bitboard occ = b.occupied();
    // The target of an en passant capture is on rank 3 or 6, its pawn on rank 4 or 5.
    const Bitboard target = b.black & ~occ;
    const Bitboard pawn = (target & kRank1 << 16) << 8 | (target & kRank1 << 40) >> 8;
    return {occ, compact(b.plane0 & ~pawn, occ) | std::uint64_t{compact(b.plane1, occ)} << 32,
            compact(b.plane2 & ~pawn, occ) | std::uint64_t{compact(b.black, occ)} << 32};
}

inline Board unpack(const PackedBoard& p) {
    Board b;
    b.plane0 = expand(static_cast<std::uint32_t>(p.planes01), p.occupied);
    b.plane1 = expand(static_cast<std::uint32_t>(p.planes01 >> 32), p.occupied);
    b.plane2 = expand(static_cast<std::uint32_t>(p.plane2_black), p.occupied);
    b.black = expand(static_cast<std::uint32_t>(p.plane2_black >> 32), p.occupied);
    if (const Bitboard pawn = p.occupied & ~b.occupied()) {
        b.plane0 |= pawn;
        b.plane2 |= pawn;
        b.black |= (pawn & kRank1 << 24) >> 8 | (pawn & kRank1 << 32) << 8;
    }
    return b;
}

template <Color Us>
std::uint64_t count_plain(const Board& b, int depth, const CountContext& context) {
    if (depth == 1) return count_moves<Us>(b);
    if (depth == 2) return count_leaf_parents<Us>(b, context);
    if (depth >= kStopDepth && stopped(context)) return 0;
    RawMove moves[kMaxMoves];
    const RawMove* end = list_moves<Us>(b, moves);
    std::uint64_t count = 0;
    for (const RawMove* m = moves; m != end; ++m)
        count += count_plain<~Us>(make<Us>(b, *m), depth - 1, context);
    return count;
}

/// A board, and what a table is asked by.
struct Hashed {
    Board board;
    PackedBoard packed;
    std::uint64_t key;
};

/// Room for the children of a node. A union, because boards would be set to zero first.
union Children {
    Hashed at[kMaxMoves];
    Children() {}
};

/// The same with the table, from remaining depth 2 on: below that, counting is cheaper than a cache
/// miss. All children's slots are on their way before the first is looked at.
template <Color Us>
std::uint64_t count_hashed(const Hashed& node, int depth, const CountContext& context) {
    std::uint64_t count = 0;
    if (depth == 1) return count_moves<Us>(node.board);
    if (context.hash->find(node.key, node.packed, depth, count)) return count;
    if (depth == 2) {
        count = count_leaf_parents<Us>(node.board, context);
    } else {
        if (depth >= kStopDepth && stopped(context)) return 0;
        RawMove moves[kMaxMoves];
        const RawMove* end = list_moves<Us>(node.board, moves);
        Children children;
        const auto n = static_cast<std::size_t>(end - moves);
        for (std::size_t i = 0; i < n; ++i) {
            Hashed& child = children.at[i];
            child.board = make<Us>(node.board, moves[i]);
            child.packed = pack(child.board);
            child.key = child.packed.mixed();
            context.hash->prefetch(child.key);
        }
        for (std::size_t i = 0; i < n; ++i)
            count += count_hashed<~Us>(children.at[i], depth - 1, context);
        if (depth >= kStopDepth && stopped(context)) return 0;  // some child may be cut short
    }
    context.hash->store(node.key, node.packed, depth, count);
    return count;
}

template <Color Us>
std::uint64_t count_made(const Board& b, int depth, const CountContext& context) {
    if (depth >= kStopDepth && stopped(context)) return 0;
    RawMove moves[kMaxMoves];
    const RawMove* end = list_moves<Us>(b, moves);
    std::uint64_t count = 0;
    for (const RawMove* m = moves; m != end; ++m) {
        const Board child = make<Us>(b, *m);
        if (depth > 1) {
            count += count_made<~Us>(child, depth - 1, context);
        } else {
            asm volatile("" : : "m"(child));  // the leaf is really made
            ++count;
        }
    }
    return count;
}

/// Kinds of leaves, 64 bits for a subtree of up to kNarrowDepth.
struct NarrowDetail {
    std::uint64_t captures, en_passant, castles, promotions, checks, discovered, double_checks,
        mates, stalemates;
};

template <Color Us>
inline void classify(const Board& before, const RawMove& m, const Board& after, NarrowDetail& d) {
    const Bitboard occ = after.occupied();
    d.captures += m.kind() == MoveKind::EnPassant ||
                  (m.kind() != MoveKind::Castling && (before.occupied() >> m.to() & 1));
    d.en_passant += m.kind() == MoveKind::EnPassant;
    d.castles += m.kind() == MoveKind::Castling;
    d.promotions += is_promotion(m.kind());
    const Square king = lowest(after.kings() & after.of(~Us));
    const Bitboard checkers = attackers_of<Us>(after, king, occ);
    const bool stuck = count_moves<~Us>(after) == 0;
    if (checkers) {
        ++d.checks;
        Bitboard moved = bit(m.to());
        if (m.kind() ==
            MoveKind::Castling)  // the king and its rook: all that is new on the home rank
            moved = bit((m.to() & 56) + (m.to() > m.from() ? 6 : 2)) |
                    bit((m.to() & 56) + (m.to() > m.from() ? 5 : 3));
        if (more_than_one(checkers))
            ++d.double_checks;
        else if (!(checkers & moved))
            ++d.discovered;
        d.mates += stuck;
    } else {
        d.stalemates += stuck;
    }
}

template <Color Us>
std::uint64_t count_kinds(const Board& b, int depth, const CountContext& context, NarrowDetail& d) {
    if (depth >= kStopDepth && stopped(context)) return 0;
    RawMove moves[kMaxMoves];
    const RawMove* end = list_moves<Us>(b, moves);
    if (depth == 1) {
        for (const RawMove* m = moves; m != end; ++m) classify<Us>(b, *m, make<Us>(b, *m), d);
        return static_cast<std::uint64_t>(end - moves);
    }
    std::uint64_t count = 0;
    for (const RawMove* m = moves; m != end; ++m)
        count += count_kinds<~Us>(make<Us>(b, *m), depth - 1, context, d);
    return count;
}

/// Above kNarrowDepth the same walk adds up in 128 bits.
template <Color Us, class Narrow>
Uint128 count_wide(const Board& b, int depth, const Narrow& narrow) {
    if (depth <= kNarrowDepth) return narrow.template count<Us>(b, depth);
    HashTable* const hash = narrow.hash();
    const PackedBoard packed = hash ? pack(b) : PackedBoard{};
    const std::uint64_t key = packed.mixed();
    std::uint64_t known;
    if (hash && hash->find(key, packed, depth, known)) return known;
    RawMove moves[kMaxMoves];
    const RawMove* end = list_moves<Us>(b, moves);
    Uint128 count = 0;
    for (const RawMove* m = moves; m != end; ++m)
        count = add_saturating(count, count_wide<~Us>(make<Us>(b, *m), depth - 1, narrow));
    if (hash && count < HashTable::kMaxCount && !stopped(narrow.context))
        hash->store(key, packed, depth, static_cast<std::uint64_t>(count));
    return count;
}

template <class Narrow>
Uint128 count_from(const Board& b, Color side_to_move, int depth, const Narrow& narrow) {
    return side_to_move == Color::White ? count_wide<Color::White>(b, depth, narrow)
                                        : count_wide<Color::Black>(b, depth, narrow);
}

struct BulkCount {
    const CountContext& context;
    HashTable* hash() const { return context.hash; }
    template <Color Us>
    std::uint64_t count(const Board& b, int depth) const {
        if (!context.hash) return count_plain<Us>(b, depth, context);
        const PackedBoard packed = pack(b);
        return count_hashed<Us>({b, packed, packed.mixed()}, depth, context);
    }
};
struct EachCount {
    const CountContext& context;
    static HashTable* hash() { return nullptr; }
    template <Color Us>
    std::uint64_t count(const Board& b, int depth) const {
        return count_made<Us>(b, depth, context);
    }
};
struct DetailCount {
    const CountContext& context;
    Detail& detail;
    static HashTable* hash() { return nullptr; }
    template <Color Us>
    std::uint64_t count(const Board& b, int depth) const {
        NarrowDetail d{};
        const std::uint64_t n = count_kinds<Us>(b, depth, context, d);
        detail.captures += d.captures;
        detail.en_passant += d.en_passant;
        detail.castles += d.castles;
        detail.promotions += d.promotions;
        detail.checks += d.checks;
        detail.discovered += d.discovered;
        detail.double_checks += d.double_checks;
        detail.mates += d.mates;
        detail.stalemates += d.stalemates;
        return n;
    }
};

Uint128 count(const Board& b, Color c, int depth, const CountContext& context) {
    return count_from(b, c, depth, BulkCount{context});
}
Uint128 count_each(const Board& b, Color c, int depth, const CountContext& context) {
    return count_from(b, c, depth, EachCount{context});
}
Uint128 count_detail(const Board& b, Color c, int depth, const CountContext& context,
                     Detail& detail) {
    return count_from(b, c, depth, DetailCount{context, detail});
}

template <Color Us>
int list_children(const Board& b, Board* out) {
    RawMove moves[kMaxMoves];
    const RawMove* end = list_moves<Us>(b, moves);
    for (const RawMove* m = moves; m != end; ++m) *out++ = make<Us>(b, *m);
    return static_cast<int>(end - moves);
}
int children(const Board& b, Color c, Board* out) {
    return c == Color::White ? list_children<Color::White>(b, out)
                             : list_children<Color::Black>(b, out);
}

constexpr Kernel make_kernel(std::string_view name, std::string_view description, int lanes) {
    return {name, description, lanes, count, count_each, count_detail, children, pack, unpack};
}

// Leaves two plies below a node, its children side by side in the lanes of a vector. Included by the
// kernels that have lanes, after moves_impl.hpp and one of the lanes_*_impl.hpp, inside the same
// region and namespace. No include guard.
//
// No child is made. A lane is a move: the squares that it empties and fills turn the parent's sets
// into the child's, and the legal replies of kLanes children are counted at once. What makes sets
// enough: in one direction a square is reached by one slider at most, so the ones in the eight
// fills are the sliders' moves, however many sliders there are. The king of the side that replies
// stands still among siblings: its lines are constants of the node.

/// The moves that lead to the children.
struct Siblings {
    static constexpr int kRoom = static_cast<int>(kMaxMoves) + kLanes;
    // from, to << 8, code << 16 and kind << 24 as in RawMove; the man after the move slides along
    // diagonals << 20, along ranks and files << 21.
    alignas(64) std::uint32_t words[kRoom];
    // What the mover's pawns, knights and king attack after the move.
    alignas(64) Bitboard leapers[kRoom];
    int size = 0;
    int special = 0;  // castling and en passant captures are the last ones, from here on
};

template <Color Us>
MANSUBA_INLINE Bitboard pawn_set_attacks(Bitboard pawns) {
    return capture_west<Us>(pawns) | capture_east<Us>(pawns);
}

/// Lists the moves of Us into Siblings, and counts replies en passant, which the lanes leave out.
template <Color Us>
struct SiblingSink {
    const Board& board;
    Siblings& list;
    std::uint64_t replies_en_passant = 0;
    Bitboard pawns_set, knights_set, pawn_cover, knight_cover, king_cover;
    Move late[4];  // castling and en passant
    int late_size = 0;
    bool promotes = false;

    MANSUBA_INLINE SiblingSink(const Board& b, Siblings& l) : board(b), list(l) {
        const Bitboard us = b.of(Us);
        pawns_set = b.pawns() & us;
        knights_set = b.knights() & us;
        pawn_cover = pawn_set_attacks<Us>(pawns_set);
        knight_cover = cover_of_knights(knights_set);
        king_cover = king_attacks(lowest(b.kings() & us));
    }
    MANSUBA_INLINE static Bitboard cover_of_knights(Bitboard knights) {
        Bitboard cover = 0;
        while (knights) cover |= knight_attacks(pop_lowest(knights));
        return cover;
    }
    static constexpr std::uint32_t word(Square from, unsigned code,
                                        MoveKind kind = MoveKind::Normal) {
        const unsigned slides = code & 4 ? 0 : code & 3;
        return static_cast<std::uint32_t>(from) | code << 16 | slides << 20 |
               static_cast<std::uint32_t>(kind) << 24;
    }
    MANSUBA_INLINE void add(std::uint32_t word_without_to, Square to, Bitboard leapers) {
        list.words[list.size] = word_without_to | static_cast<std::uint32_t>(to) << 8;
        list.leapers[list.size] = leapers;
        ++list.size;
    }

    MANSUBA_INLINE void king(Square from, Bitboard targets) {
        const std::uint32_t w = word(from, code_of(PieceType::King));
        while (targets) {
            const Square to = pop_lowest(targets);
            add(w, to, pawn_cover | knight_cover | king_attacks(to));
        }
    }
    MANSUBA_INLINE void castling(Square from, Square rook) {
        late[late_size++] = Move(from, rook, MoveKind::Castling);
    }
    MANSUBA_INLINE void en_passant(Square from, Square to) {
        late[late_size++] = Move(from, to, MoveKind::EnPassant);
    }
    MANSUBA_INLINE void piece(const Board& b, Square from, Bitboard targets) {
        unsigned code = b.code_at(from);
        if (code == kCodeCastlingRook) code = code_of(PieceType::Rook);
        const std::uint32_t w = word(from, code);
        if (code == code_of(PieceType::Knight)) {
            const Bitboard others =
                pawn_cover | king_cover | cover_of_knights(knights_set ^ bit(from));
            while (targets) {
                const Square to = pop_lowest(targets);
                add(w, to, others | knight_attacks(to));
            }
        } else {
            const Bitboard leapers = pawn_cover | king_cover | knight_cover;
            while (targets) add(w, pop_lowest(targets), leapers);
        }
    }
    MANSUBA_INLINE void pawns(Bitboard targets, int step, MoveKind kind) {
        while (targets) {
            const Square to = pop_lowest(targets), from = to - step;
            add(word(from, code_of(PieceType::Pawn), kind), to,
                pawn_set_attacks<Us>(pawns_set ^ (bit(from) | bit(to))) | king_cover |
                    knight_cover);
            if (kind == MoveKind::DoublePush) count_en_passant(from, to);
        }
    }
    MANSUBA_INLINE void promotions(Bitboard targets, int step) {
        if (targets) promotes = true;
        while (targets) {
            const Square to = pop_lowest(targets), from = to - step;
            const Bitboard leapers =
                pawn_set_attacks<Us>(pawns_set ^ bit(from)) | king_cover | knight_cover;
            add(word(from, code_of(PieceType::Queen), MoveKind::PromoteToQueen), to, leapers);
            add(word(from, code_of(PieceType::Rook), MoveKind::PromoteToRook), to, leapers);
            add(word(from, code_of(PieceType::Bishop), MoveKind::PromoteToBishop), to, leapers);
            add(word(from, code_of(PieceType::Knight), MoveKind::PromoteToKnight), to,
                leapers | knight_attacks(to));
        }
    }
    /// The replies that capture the pawn that has just come to `to`.
    void count_en_passant(Square from, Square to) {
        const Square target = to - kUp<Us>;
        Bitboard captors = pawn_attacks(Us, target) & board.pawns() & board.of(~Us);
        if (!captors) return;
        const Board child =
            make<Us>(board, RawMove(from, to, code_of(PieceType::Pawn), MoveKind::Normal));
        while (captors)
            replies_en_passant += en_passant_is_legal<~Us>(child, pop_lowest(captors), target);
    }
    /// Lists the special moves, behind all others, and fills the last vector up.
    void finish() {
        list.special = list.size;
        for (int i = 0; i < late_size; ++i) {
            const Square from = late[i].from(), to = late[i].to();
            if (late[i].kind() == MoveKind::Castling)
                add(word(from, code_of(PieceType::King), MoveKind::Castling), to,
                    pawn_cover | knight_cover | king_attacks((to & 56) + (to > from ? 6 : 2)));
            else
                add(word(from, code_of(PieceType::Pawn), MoveKind::EnPassant), to,
                    pawn_set_attacks<Us>(pawns_set ^ (bit(from) | bit(to))) | king_cover |
                        knight_cover);
        }
        // An empty lane is one in check, which counts nothing.
        for (int i = 0; i < kLanes; ++i) {
            list.words[list.size + i] = 0;
            list.leapers[list.size + i] = ~Bitboard{0};
        }
    }
};

MANSUBA_INLINE Lanes splat(std::uint64_t a) { return Lanes{} + a; }
template <int Step>
MANSUBA_INLINE Lanes step(Lanes a) {
    if constexpr (Step > 0)
        return a << Step;
    else
        return a >> -Step;
}

/// Squares that a step in a direction can come to: not those of the file where it would wrap.
template <int Step>
inline constexpr Bitboard kInto = (Step & 7) == 0                          ? ~Bitboard{0}
                                  : (Step == 1 || Step == 9 || Step == -7) ? ~kFileA
                                                                           : ~kFileH;

/// One direction of the sliders' moves by parallel prefix. The chain of the empty squares serves
/// both sides.
/// Method: Kogge-Stone, https://www.chessprogramming.org/Kogge-Stone_Algorithm
template <int Step>
struct Way {
    Lanes empty1, empty2, empty4;
    MANSUBA_INLINE explicit Way(Lanes empty) {
        empty1 = kInto<Step> == ~Bitboard{0} ? empty : empty & kInto<Step>;
        empty2 = empty1 & step<Step>(empty1);
        empty4 = empty2 & step<2 * Step>(empty2);
    }
    /// The squares that these sliders attack, up to and with the first man.
    MANSUBA_INLINE Lanes attacks(Lanes sliders) const {
        sliders = or_and(sliders, empty1, step<Step>(sliders));
        sliders = or_and(sliders, empty2, step<2 * Step>(sliders));
        sliders = or_and(sliders, empty4, step<4 * Step>(sliders));
        return kInto<Step> == ~Bitboard{0} ? step<Step>(sliders)
                                           : step<Step>(sliders) & kInto<Step>;
    }
};
/// Towards the h-file, subtraction in each rank does it: o^(o-2r), for any number of sliders.
template <>
struct Way<1> {
    Lanes occupied;
    MANSUBA_INLINE explicit Way(Lanes empty) : occupied(~empty) {}
    MANSUBA_INLINE Lanes attacks(Lanes sliders) const {
        const LaneBytes r = (LaneBytes)sliders;
        return occupied ^ (Lanes)((LaneBytes)occupied - (r + r));
    }
};

/// Adds up sets of squares, square by square in bits of weight 1, 2, 4, 8, so that few sets are left
/// whose ones are counted. All decisions are constants once it is compiled.
struct Tally {
    Lanes kept[5], waiting[5];
    bool has_kept[5] = {}, waits[5] = {};

    MANSUBA_INLINE void add(Lanes set, int level = 0) {
        if (!has_kept[level]) {
            kept[level] = set;
            has_kept[level] = true;
        } else if (!waits[level]) {
            waiting[level] = set;
            waits[level] = true;
        } else {
            const Lanes carry = carry_of(set, waiting[level], kept[level]);
            kept[level] = sum_of(set, waiting[level], kept[level]);
            waits[level] = false;
            if (level < 4) add(carry, level + 1);
        }
    }
    /// The sum of all ones, in bytes. The sets must be few enough for a byte to hold it.
    MANSUBA_INLINE LaneBytes counts(Lanes mask) {
        LaneBytes sum{};
        for (int level = 4; level >= 0; --level) {
            sum += sum;
            if (has_kept[level]) sum += count_in_bytes(kept[level] & mask);
            if (waits[level]) sum += count_in_bytes(waiting[level] & mask);
        }
        return sum;
    }
};

/// The squares a man on s sees along one line through it.
struct LineFrom {
    Lanes mask, square, swapped;
    MANSUBA_INLINE LineFrom(Square s, Bitboard line)
        : mask(splat(line)), square(splat(bit(s))), swapped(splat(bit(s ^ 56))) {}
    MANSUBA_INLINE Lanes seen(Lanes occupied) const {
        const Lanes men = occupied & mask;
        return ((men - square) ^ swap_bytes(swap_bytes(men) - swapped)) & mask;
    }
};
struct RankFrom {
    Lanes square, east, west;
    MANSUBA_INLINE explicit RankFrom(Square s)
        : square(splat(bit(s))),
          east(splat((kRank1 << (s & 56)) & ~(bit(s) | (bit(s) - 1)))),
          west(splat((kRank1 << (s & 56)) & (bit(s) - 1))) {}
    MANSUBA_INLINE Lanes seen(Lanes occupied) const {
        const Lanes men_east = occupied & east;
        Lanes below = occupied & west;  // becomes all squares up to the nearest man on the west
        below |= below >> 1;
        below |= below >> 2;
        below |= below >> 4;
        return ((men_east ^ (men_east - square)) & east) | (west & ~(below >> 1));
    }
};

template <Color Us>
MANSUBA_INLINE Lanes forward_lanes(Lanes a) {
    return step<kUp<Us>>(a);
}

/// The legal replies of all siblings, without those en passant. Diagonal and Orthogonal: whether any
/// man slides so, before or after the moves.
template <Color Us, bool Diagonal, bool Orthogonal>
std::uint64_t count_replies(const Board& b, const KingHome& home, const Siblings& list) {
    constexpr Color kReplier = ~Us;
    const Bitboard all = b.occupied(), own_all = b.of(kReplier), enemy_all = all ^ own_all;
    const Square king = home.king;
    const Lanes parent_occ = splat(all), parent_own = splat(own_all),
                parent_enemy_diagonal = splat(b.diagonal_sliders() & enemy_all),
                parent_enemy_orthogonal = splat(b.orthogonal_sliders() & enemy_all),
                parent_own_diagonal = splat(b.diagonal_sliders() & own_all),
                parent_own_orthogonal = splat(b.orthogonal_sliders() & own_all),
                parent_pawns = splat(b.pawns() & own_all), king_square = splat(bit(king)),
                king_moves = splat(king_attacks(king));
    Bitboard knights = b.knights() & own_all;
    const LineFrom king_file(king, detail::kLines.file[king]),
        king_diagonal(king, detail::kLines.diagonal[king]),
        king_antidiagonal(king, detail::kLines.antidiagonal[king]);
    const RankFrom king_rank(king);
    Lanes sum{};
    std::uint64_t count = 0;
    for (int i = 0; i < list.size; i += kLanes) {
        const Lanes words = load_words(list.words + i), to = words >> 8 & 63;
        Lanes from_set = squares(words & 63), to_set = squares(to);
        Lanes to_diagonal, to_orthogonal;
        if (Diagonal) to_diagonal = to_set & -(words >> 20 & 1);
        if (Orthogonal) to_orthogonal = to_set & -(words >> 21 & 1);
        if (__builtin_expect(i + kLanes > list.special && list.size > list.special, 0)) {
            for (int lane = 0; lane < kLanes && i + lane < list.size; ++lane) {
                if (i + lane < list.special) continue;
                const std::uint32_t word = list.words[i + lane];
                const Square from = static_cast<Square>(word & 63),
                             target = static_cast<Square>(word >> 8 & 63), row = target & 56;
                if (static_cast<MoveKind>(word >> 24) == MoveKind::EnPassant) {
                    from_set[lane] |= bit(target - kUp<Us>);
                } else {
                    const bool east = target > from;
                    from_set[lane] |= bit(target);
                    to_set[lane] = bit(row + (east ? 6 : 2)) | bit(row + (east ? 5 : 3));
                    if (Orthogonal) to_orthogonal[lane] = bit(row + (east ? 5 : 3));
                }
            }
        }
        const Lanes changed = from_set | to_set;
        const Lanes occ = (parent_occ & ~from_set) | to_set, own = parent_own & ~changed,
                    empty = ~occ;

        // Attacks of the side that has moved, by axis. The king stands in their way: what lies
        // behind it matters in check alone.
        Lanes attacked = *reinterpret_cast<const Lanes*>(list.leapers + i);
        Lanes pinned_rank, pinned_file, pinned_diagonal, pinned_antidiagonal, pinned{};
        const Way<1> east(empty);
        const Way<-1> west(empty);
        const Way<8> north(empty);
        const Way<-8> south(empty);
        const Way<9> north_east(empty);
        const Way<-9> south_west(empty);
        const Way<7> north_west(empty);
        const Way<-7> south_east(empty);
        if (Orthogonal) {
            const Lanes enemy = (parent_enemy_orthogonal & ~from_set) | to_orthogonal;
            const Lanes rank = east.attacks(enemy) | west.attacks(enemy),
                        file = north.attacks(enemy) | south.attacks(enemy);
            attacked |= rank | file;
            pinned_rank = own & rank & king_rank.seen(occ);
            pinned_file = own & file & king_file.seen(occ);
            pinned |= pinned_rank | pinned_file;
        }
        if (Diagonal) {
            const Lanes enemy = (parent_enemy_diagonal & ~from_set) | to_diagonal;
            const Lanes diagonal = north_east.attacks(enemy) | south_west.attacks(enemy),
                        antidiagonal = north_west.attacks(enemy) | south_east.attacks(enemy);
            attacked |= diagonal | antidiagonal;
            pinned_diagonal = own & diagonal & king_diagonal.seen(occ);
            pinned_antidiagonal = own & antidiagonal & king_antidiagonal.seen(occ);
            pinned |= pinned_diagonal | pinned_antidiagonal;
        }
        const Lanes quiet = zero_mask(attacked & king_square);

        Tally tally;
        const Lanes targets = ~own;
        if (Orthogonal) {
            const Lanes men = parent_own_orthogonal & ~changed, free = men & ~pinned;
            const Lanes on_rank = or_and(free, men, pinned_rank),
                        on_file = or_and(free, men, pinned_file);
            tally.add(east.attacks(on_rank) & targets);
            tally.add(west.attacks(on_rank) & targets);
            tally.add(north.attacks(on_file) & targets);
            tally.add(south.attacks(on_file) & targets);
        }
        if (Diagonal) {
            const Lanes men = parent_own_diagonal & ~changed, free = men & ~pinned;
            const Lanes on_diagonal = or_and(free, men, pinned_diagonal),
                        on_antidiagonal = or_and(free, men, pinned_antidiagonal);
            tally.add(north_east.attacks(on_diagonal) & targets);
            tally.add(south_west.attacks(on_diagonal) & targets);
            tally.add(north_west.attacks(on_antidiagonal) & targets);
            tally.add(south_east.attacks(on_antidiagonal) & targets);
        }

        // Pawns. Single and double pushes never end on one square, nor do pushes and captures.
        const Lanes pawns = parent_pawns & ~changed, enemies = occ & ~own;
        const Lanes free_pawns = pawns & ~pinned;
        Lanes pushers = free_pawns, along_diagonal = free_pawns, along_antidiagonal = free_pawns;
        if (Orthogonal) pushers |= pawns & pinned_file;
        if (Diagonal) {
            along_diagonal |= pawns & pinned_diagonal;
            along_antidiagonal |= pawns & pinned_antidiagonal;
        }
        constexpr int kAlongDiagonal = kReplier == Color::White ? 9 : -9,
                      kAlongAntidiagonal = kReplier == Color::White ? 7 : -7;
        const Lanes single = forward_lanes<kReplier>(pushers) & empty;
        const Lanes twice = forward_lanes<kReplier>(single & kThirdRank<kReplier>) & empty;
        const Lanes capture =
                        step<kAlongDiagonal>(along_diagonal) & kInto<kAlongDiagonal> & enemies,
                    anticapture = step<kAlongAntidiagonal>(along_antidiagonal) &
                                  kInto<kAlongAntidiagonal> & enemies;
        tally.add(single | twice | capture);
        tally.add(anticapture);

        // Knights, one square of the parent's after the other.
        const Lanes free_knights = ~(pinned | changed);
        for (Bitboard men = knights; men;) {
            const Square s = pop_lowest(men);
            const Lanes gone = zero_mask(free_knights & bit(s));
            sum += sum_bytes(count_in_bytes(splat(knight_attacks(s)) & targets & ~gone & quiet));
        }

        tally.add(king_moves & targets & ~attacked);
        sum += sum_bytes(tally.counts(quiet));

        if (b.pawns() & own_all & (kReplier == Color::White ? kRank1 << 48 : kRank1 << 8)) {
            const Lanes last = quiet & kLastRank<kReplier>;
            const LaneBytes three = count_in_bytes(single & last) + count_in_bytes(capture & last) +
                                    count_in_bytes(anticapture & last);
            sum += sum_bytes(three + three + three);
        }
        for (const KingHome::CastlingWay& way : home.ways) {
            if (!way.rook) break;
            Lanes bars = (occ & way.clear) | (attacked & way.safe) | (changed & way.rook);
            if (Orthogonal) bars |= pinned_rank & way.rook;
            sum -= zero_mask(bars) & quiet;
        }

        // Check is rare: such a child is made and looked at alone.
        unsigned checked = ~signs(quiet) & ((1u << kLanes) - 1);
        while (checked) {
            const int index = i + __builtin_ctz(checked);
            checked &= checked - 1;
            if (index >= list.size) break;
            const std::uint32_t word = list.words[index];
            MoveKind kind = static_cast<MoveKind>(word >> 24);
            if (kind == MoveKind::DoublePush) kind = MoveKind::Normal;  // ep is counted already
            count += count_moves<kReplier>(
                make<Us>(b, RawMove(static_cast<Square>(word & 63),
                                    static_cast<Square>(word >> 8 & 63), word >> 16 & 7, kind)),
                home);
        }
    }
    for (int lane = 0; lane < kLanes; ++lane) count += sum[lane];
    return count;
}

/// Leaves two plies below.
template <Color Us>
std::uint64_t count_leaf_parents(const Board& b) {
    Siblings list;
    SiblingSink<Us> sink(b, list);
    enumerate_moves<Us>(b, king_home<Us>(b), sink);
    sink.finish();
    const KingHome home = king_home<~Us>(b);
    const bool diagonal = b.diagonal_sliders() || sink.promotes,
               orthogonal = b.orthogonal_sliders() || sink.promotes;
    std::uint64_t count = sink.replies_en_passant;
    if (diagonal && orthogonal)
        count += count_replies<Us, true, true>(b, home, list);
    else if (orthogonal)
        count += count_replies<Us, false, true>(b, home, list);
    else if (diagonal)
        count += count_replies<Us, true, false>(b, home, list);
    else
        count += count_replies<Us, false, false>(b, home, list);
    return count;
}

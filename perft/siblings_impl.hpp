// Leaves two plies below a node, its children side by side in the lanes of a vector. Included by the
// kernels that have lanes, after moves_impl.hpp and one of the lanes_*_impl.hpp, inside the same
// region and namespace. No include guard.
//
// No child is made. A lane is a move: the squares that it empties and fills turn the parent's sets
// into the child's, and the legal replies of kLanes children are counted at once. What makes sets
// enough: in one direction a square is reached by one slider at most, so the ones in the eight
// fills are the sliders' moves, however many sliders there are. The king of the side that replies
// stands still among siblings: its lines are constants of the node.
//
// Most moves leave the replying king alone: they change neither what attacks the squares around it
// nor who is pinned (KingView says which). For their children the king's own moves and the pins are
// those of the parent, and only the other men are counted in lanes. And where such a move touches
// no square that the replying men see, the number of replies does not even depend on the move: one
// child is counted for all of that kind.

/// The moves that lead to the children, by what their replies hang on.
struct Siblings {
    static constexpr int kRoom = static_cast<int>(kMaxMoves) + kLanes;
    // from, to << 8, code << 16 and kind << 24 as in RawMove; the man after the move slides along
    // diagonals << 20, along ranks and files << 21.
    alignas(64) std::uint32_t words[kRoom];
    // What the mover's pawns, knights and king attack after the move.
    alignas(64) Bitboard leapers[kRoom];
    int size = 0;
    int special = 0;  // castling and en passant captures are the last ones, from here on

    // Moves that leave the replying king alone. The first of them stands for
    // `alike` more that are not listed.
    alignas(64) std::uint32_t far[kRoom];
    int far_size = 0;
    int alike = 0;
};

template <Color Us>
MANSUBA_INLINE Bitboard pawn_set_attacks(Bitboard pawns) {
    return capture_west<Us>(pawns) | capture_east<Us>(pawns);
}
MANSUBA_INLINE Bitboard knight_set_attacks(Bitboard knights) {
    const Bitboard one = (knights & ~kFileH) << 1 | (knights & ~kFileA) >> 1;
    const Bitboard two =
        (knights & ~(kFileH | kFileH >> 1)) << 2 | (knights & ~(kFileA | kFileA << 1)) >> 2;
    return one << 16 | one >> 16 | two << 8 | two >> 8;
}
MANSUBA_INLINE Bitboard king_set_attacks(Bitboard kings) {
    kings |= (kings & ~kFileH) << 1 | (kings & ~kFileA) >> 1;
    return kings | kings << 8 | kings >> 8;
}

/// Four directions in one vector: ranks and files in the first two lanes, diagonals in the others.
using Four = std::uint64_t __attribute__((vector_size(32), may_alias));
MANSUBA_INLINE Bitboard any_of(Four a) { return a[0] | a[1] | a[2] | a[3]; }

/// All eight directions of a board at once: north, east, north-east, north-west, and the opposites.
struct EightWays {
    static constexpr Four kSteps{8, 1, 9, 7};
    static constexpr Four kUp{~Bitboard{0}, ~kFileA, ~kFileA, ~kFileH},
        kDown{~Bitboard{0}, ~kFileH, ~kFileH, ~kFileA};
    Four up1, up2, up4, down1, down2, down4;

    MANSUBA_INLINE explicit EightWays(Bitboard occupied) {
        const Four empty = Four{} + ~occupied;
        up1 = empty & kUp;
        down1 = empty & kDown;
        up2 = up1 & up1 << kSteps;
        down2 = down1 & down1 >> kSteps;
        up4 = up2 & up2 << 2 * kSteps;
        down4 = down2 & down2 >> 2 * kSteps;
    }
    /// What is seen from these squares, up to and with the first man.
    MANSUBA_INLINE Four up(Four from) const {
        from |= up1 & from << kSteps;
        from |= up2 & from << 2 * kSteps;
        from |= up4 & from << 4 * kSteps;
        return from << kSteps & kUp;
    }
    MANSUBA_INLINE Four down(Four from) const {
        from |= down1 & from >> kSteps;
        from |= down2 & from >> 2 * kSteps;
        from |= down4 & from >> 4 * kSteps;
        return from >> kSteps & kDown;
    }
};

/// What the king of the side that replies to Us sees of the moves of Us. A move whose squares are
/// outside the sets named here leaves its moves, the castling, the checks and the pins as they are
/// before the move.
struct KingView {
    Bitboard touched = 0;                     // from or to, whatever moves
    Bitboard diagonal_from, diagonal_to;      // what slides along diagonals
    Bitboard orthogonal_from, orthogonal_to;  // along ranks and files
    Bitboard pawn, knight, king;              // from or to
    Bitboard seen_by_men = 0;  // where a man that comes or goes changes the other replies
    Bitboard pinned_rank, pinned_file, pinned_diagonal, pinned_antidiagonal;
    Bitboard attacked_by_repliers;   // before the move
    std::uint64_t king_replies = 0;  // of a child that leaves the king alone
};

template <Color Us>
MANSUBA_INLINE KingView king_view(const Board& b, const KingHome& home) {
    constexpr Color kReplier = ~Us;
    KingView v;
    const Bitboard occ = b.occupied(), own = b.of(kReplier), enemy = occ ^ own;
    const Square king = home.king;
    const Bitboard around = king_attacks(king);
    // The squares whose safety counts.
    Bitboard zone = (around & ~own) | bit(king);
    v.touched = around;
    // An own man in the way of castling stays there, or the man that captures it does.
    Bitboard castling = 0;
    for (const KingHome::CastlingWay& way : home.ways) {
        if (!way.rook || (way.clear & own)) continue;
        castling |= way.rook;
        zone |= way.safe;
        v.touched |= way.safe | way.clear | way.rook;
    }
    const Bitboard diagonal = b.diagonal_sliders() & enemy,
                   orthogonal = b.orthogonal_sliders() & enemy;
    const EightWays ways(occ);
    const Four sliders{orthogonal, orthogonal, diagonal, diagonal};
    const Four attacks_up = ways.up(sliders), attacks_down = ways.down(sliders);
    const Four zone_up = ways.up(Four{} + zone), zone_down = ways.down(Four{} + zone);
    // Lines from a slider to the zone: one that stands in it, or would.
    v.touched |= any_of((attacks_up & zone_down) | (attacks_down & zone_up));
    const Four zone_sees = zone_up | zone_down;
    const Bitboard orthogonal_zone = zone_sees[0] | zone_sees[1],
                   diagonal_zone = zone_sees[2] | zone_sees[3];
    // Pins and discovered checks: the king's lines to and with the second man.
    const Bitboard second_orthogonal =
        MANSUBA_SLIDERS::rook(king, occ ^ (MANSUBA_SLIDERS::rook(king, occ) & occ));
    const Bitboard second_diagonal =
        MANSUBA_SLIDERS::bishop(king, occ ^ (MANSUBA_SLIDERS::bishop(king, occ) & occ));
    const auto pins = [&](Bitboard aligned, Bitboard to_second) {
        Bitboard pinned = 0;
        while (aligned) {
            const Square slider = pop_lowest(aligned);
            const Bitboard line = squares_to(king, slider) & to_second;
            v.touched |= line;
            if (line & bit(slider)) pinned |= line & own;
        }
        return pinned;
    };
    const Bitboard pinned_orthogonally = pins(orthogonal & rook_lines(king), second_orthogonal),
                   pinned_diagonally = pins(diagonal & bishop_lines(king), second_diagonal);
    const Bitboard rank = kRank1 << (king & 56);
    v.pinned_rank = pinned_orthogonally & rank;
    v.pinned_file = pinned_orthogonally & ~rank;
    v.pinned_diagonal = pinned_diagonally & detail::kLines.diagonal[king];
    v.pinned_antidiagonal = pinned_diagonally & detail::kLines.antidiagonal[king];
    v.orthogonal_from = orthogonal_zone;
    v.orthogonal_to = orthogonal_zone | second_orthogonal;
    v.diagonal_from = diagonal_zone;
    v.diagonal_to = diagonal_zone | second_diagonal;
    v.pawn = pawn_set_attacks<kReplier>(zone);
    v.knight = knight_set_attacks(zone);
    v.king = king_set_attacks(zone);

    const Bitboard attacked =
        any_of(attacks_up | attacks_down) | pawn_set_attacks<Us>(b.pawns() & enemy) |
        knight_set_attacks(b.knights() & enemy) | king_attacks(lowest(b.kings() & enemy));
    v.king_replies = static_cast<unsigned>(popcount(around & ~own & ~attacked));
    if (castling)
        for (const KingHome::CastlingWay& way : home.ways)
            v.king_replies +=
                !((occ & way.clear) | (attacked & way.safe) | (v.pinned_rank & way.rook));

    const Bitboard pawns = b.pawns() & own;
    const Bitboard own_diagonal = b.diagonal_sliders() & own,
                   own_orthogonal = b.orthogonal_sliders() & own;
    const Four own_sliders{own_orthogonal, own_orthogonal, own_diagonal, own_diagonal};
    const Bitboard seen =
        any_of(ways.up(own_sliders) | ways.down(own_sliders)) | pawn_set_attacks<kReplier>(pawns);
    v.seen_by_men = seen | forward<kReplier>(pawns) |
                    forward<kReplier>(forward<kReplier>(pawns) & kThirdRank<kReplier>);
    v.attacked_by_repliers = seen | knight_set_attacks(b.knights() & own) | around;
    return v;
}

/// Lists the moves of Us into Siblings, and counts replies en passant, which the lanes leave out.
template <Color Us>
struct SiblingSink {
    const Board& board;
    const KingView& view;
    Siblings& list;
    std::uint64_t replies_en_passant = 0;
    Bitboard pawns_set, knights_set, pawn_cover, knight_cover, king_cover, enemies;
    Move late[4];  // castling and en passant
    int late_size = 0;
    bool promotes = false;

    MANSUBA_INLINE SiblingSink(const Board& b, const KingView& v, Siblings& l)
        : board(b), view(v), list(l) {
        const Bitboard us = b.of(Us);
        enemies = b.of(~Us);
        pawns_set = b.pawns() & us;
        knights_set = b.knights() & us;
        pawn_cover = pawn_set_attacks<Us>(pawns_set);
        knight_cover = knight_set_attacks(knights_set);
        king_cover = king_attacks(lowest(b.kings() & us));
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
    MANSUBA_INLINE void add_far(std::uint32_t word_without_to, Square to) {
        list.far[list.far_size++] = word_without_to | static_cast<std::uint32_t>(to) << 8;
    }
    /// Moves after which the number of replies is the same for all.
    MANSUBA_INLINE void add_alike(std::uint32_t word_without_to, Square to, int moves) {
        if (list.alike == 0) {
            list.far[list.far_size++] = list.far[0];
            list.far[0] = word_without_to | static_cast<std::uint32_t>(to) << 8;
            --moves;
            list.alike = 1;  // tells that there is one; finish() takes it away
        }
        list.alike += moves;
    }
    /// Takes from the targets of one man those that leave the replying king alone.
    MANSUBA_INLINE void take_far(Square from, unsigned code, Bitboard& targets, Bitboard from_here,
                                 Bitboard to_there) {
        if ((view.touched | from_here) & bit(from)) return;
        Bitboard far = targets & ~(view.touched | to_there);
        targets ^= far;
        if (!(view.seen_by_men & bit(from))) {
            const Bitboard alike = far & ~(view.seen_by_men | enemies);
            if (alike) {
                add_alike(word(from, code), lowest(alike), popcount(alike));
                far ^= alike;
            }
        }
        while (far) add_far(word(from, code), pop_lowest(far));
    }

    MANSUBA_INLINE void king(Square from, Bitboard targets) {
        if (!targets) return;
        const unsigned code = code_of(PieceType::King);
        take_far(from, code, targets, view.king, view.king);
        const std::uint32_t w = word(from, code);
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
        if (!targets) return;
        if (knights_set & bit(from)) {
            take_far(from, code_of(PieceType::Knight), targets, view.knight, view.knight);
            if (!targets) return;
            const std::uint32_t w = word(from, code_of(PieceType::Knight));
            const Bitboard others =
                pawn_cover | king_cover | knight_set_attacks(knights_set ^ bit(from));
            while (targets) {
                const Square to = pop_lowest(targets);
                add(w, to, others | knight_attacks(to));
            }
        } else {
            const Bitboard diagonal = -(b.plane0 >> from & 1), orthogonal = -(b.plane1 >> from & 1);
            const unsigned code = static_cast<unsigned>((diagonal & 1) | (orthogonal & 2));
            take_far(from, code, targets,
                     (view.diagonal_from & diagonal) | (view.orthogonal_from & orthogonal),
                     (view.diagonal_to & diagonal) | (view.orthogonal_to & orthogonal));
            if (!targets) return;
            const std::uint32_t w = word(from, code);
            const Bitboard leapers = pawn_cover | king_cover | knight_cover;
            while (targets) add(w, pop_lowest(targets), leapers);
        }
    }
    MANSUBA_INLINE void pawns(Bitboard targets, int step, MoveKind kind) {
        if (!targets) return;
        if (kind == MoveKind::DoublePush) count_en_passant(targets);
        const auto with_from = [step](Bitboard to) {
            return to | (step > 0 ? to << step : to >> -step);
        };
        Bitboard far = targets & ~with_from(view.touched | view.pawn);
        targets ^= far;
        const Bitboard alike = far & ~(with_from(view.seen_by_men) | enemies);
        if (alike) {
            add_alike(word(lowest(alike) - step, code_of(PieceType::Pawn)), lowest(alike),
                      popcount(alike));
            far ^= alike;
        }
        while (far) {
            const Square to = pop_lowest(far);
            add_far(word(to - step, code_of(PieceType::Pawn)), to);
        }
        while (targets) {
            const Square to = pop_lowest(targets), from = to - step;
            add(word(from, code_of(PieceType::Pawn), kind), to,
                pawn_set_attacks<Us>(pawns_set ^ (bit(from) | bit(to))) | king_cover |
                    knight_cover);
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
    /// The replies that capture one of the pawns that come to `targets` by a double push.
    void count_en_passant(Bitboard targets) {
        const Bitboard captors = board.pawns() & enemies;
        targets &= (captors & ~kFileH) << 1 | (captors & ~kFileA) >> 1;
        while (targets) {
            const Square to = pop_lowest(targets), passed = to - kUp<Us>;
            const Board child = make<Us>(
                board, RawMove(passed - kUp<Us>, to, code_of(PieceType::Pawn), MoveKind::Normal));
            for (Bitboard men = pawn_attacks(Us, passed) & captors; men;)
                replies_en_passant += en_passant_is_legal<~Us>(child, pop_lowest(men), passed);
        }
    }
    /// Lists the special moves, behind all others, and fills the last vectors up.
    MANSUBA_INLINE void finish() {
        const int kept = list.alike != 0;  // the one that stands for the others
        list.alike -= kept;
        // Lanes that would stay empty take moves of the other list. For them it makes no difference
        // which of the leapers' attacks are named: those that change are far from the king.
        const Bitboard leapers = pawn_cover | king_cover | knight_cover;
        while ((list.size + late_size) % kLanes != 0 && list.far_size > kept)
            add(list.far[--list.far_size], 0, leapers);
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
            list.far[list.far_size + i] = 0;
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
    static constexpr int kLevels = 5;  // for up to 31 sets and more
    Lanes kept[kLevels] = {}, waiting[kLevels] = {};
    bool has_kept[kLevels] = {}, waits[kLevels] = {};

    template <int Level = 0>
    MANSUBA_INLINE void add(Lanes set) {
        if (!has_kept[Level]) {
            kept[Level] = set;
            has_kept[Level] = true;
        } else if (!waits[Level]) {
            waiting[Level] = set;
            waits[Level] = true;
        } else {
            const Lanes carry = carry_of(set, waiting[Level], kept[Level]);
            kept[Level] = sum_of(set, waiting[Level], kept[Level]);
            waits[Level] = false;
            if constexpr (Level < kLevels - 1) add<Level + 1>(carry);
        }
    }
    /// The sum of all ones, in bytes. The sets must be few enough for a byte to hold it.
    MANSUBA_INLINE LaneBytes counts(Lanes mask) {
        LaneBytes sum{};
        for (int level = kLevels - 1; level >= 0; --level) {
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

/// The eight directions for one set of occupied squares.
struct Ways {
    Way<1> east;
    Way<-1> west;
    Way<8> north;
    Way<-8> south;
    Way<9> north_east;
    Way<-9> south_west;
    Way<7> north_west;
    Way<-7> south_east;
    MANSUBA_INLINE explicit Ways(Lanes empty)
        : east(empty),
          west(empty),
          north(empty),
          south(empty),
          north_east(empty),
          south_west(empty),
          north_west(empty),
          south_east(empty) {}
};

/// Men that may move along one line only, by that line.
struct Pins {
    Lanes rank{}, file{}, diagonal{}, antidiagonal{}, any{};
};

/// The sets of the replying side before the moves.
template <Color Replier>
struct Repliers {
    Lanes own, diagonal, orthogonal, pawns;
    Bitboard knights;
    bool promote;  // some pawn stands before its last rank

    MANSUBA_INLINE explicit Repliers(const Board& b) {
        const Bitboard men = b.of(Replier);
        own = splat(men);
        diagonal = splat(b.diagonal_sliders() & men);
        orthogonal = splat(b.orthogonal_sliders() & men);
        pawns = splat(b.pawns() & men);
        knights = b.knights() & men;
        promote = b.pawns() & men & (Replier == Color::White ? kRank1 << 48 : kRank1 << 8);
    }

    /// Adds the moves of all men but the king where `counted` has ones.
    template <bool Diagonal, bool Orthogonal>
    MANSUBA_INLINE void count(const Ways& ways, Lanes occ, Lanes changed, const Pins& pins,
                              Lanes counted, Tally& tally, Lanes& sum) const {
        const Lanes empty = ~occ, stay = own & ~changed, targets = ~stay;
        if (Orthogonal) {
            const Lanes men = orthogonal & ~changed, free = men & ~pins.any;
            const Lanes on_rank = or_and(free, men, pins.rank),
                        on_file = or_and(free, men, pins.file);
            tally.add(ways.east.attacks(on_rank) & targets);
            tally.add(ways.west.attacks(on_rank) & targets);
            tally.add(ways.north.attacks(on_file) & targets);
            tally.add(ways.south.attacks(on_file) & targets);
        }
        if (Diagonal) {
            const Lanes men = diagonal & ~changed, free = men & ~pins.any;
            const Lanes on_diagonal = or_and(free, men, pins.diagonal),
                        on_antidiagonal = or_and(free, men, pins.antidiagonal);
            tally.add(ways.north_east.attacks(on_diagonal) & targets);
            tally.add(ways.south_west.attacks(on_diagonal) & targets);
            tally.add(ways.north_west.attacks(on_antidiagonal) & targets);
            tally.add(ways.south_east.attacks(on_antidiagonal) & targets);
        }

        // Pawns. Single and double pushes never end on one square, nor do pushes and captures.
        const Lanes men = pawns & ~changed, enemies = occ & ~stay, free = men & ~pins.any;
        constexpr int kDiagonal = Replier == Color::White ? 9 : -9,
                      kAntidiagonal = Replier == Color::White ? 7 : -7;
        const Lanes single = step<kUp<Replier>>(or_and(free, men, pins.file)) & empty;
        const Lanes twice = step<kUp<Replier>>(single & kThirdRank<Replier>) & empty;
        const Lanes capture = step<kDiagonal>(or_and(free, men, pins.diagonal)) & kInto<kDiagonal> &
                              enemies,
                    anticapture = step<kAntidiagonal>(or_and(free, men, pins.antidiagonal)) &
                                  kInto<kAntidiagonal> & enemies;
        tally.add(single | twice | capture);
        tally.add(anticapture);
        if (promote) {
            const Lanes last = counted & kLastRank<Replier>;
            const LaneBytes three = count_in_bytes(single & last) + count_in_bytes(capture & last) +
                                    count_in_bytes(anticapture & last);
            sum += sum_bytes(three + three + three);
        }

        // Knights, one square of the parent's after the other.
        const Lanes free_knights = ~(pins.any | changed);
        for (Bitboard squares_left = knights; squares_left;) {
            const Square s = pop_lowest(squares_left);
            const Lanes gone = zero_mask(free_knights & bit(s));
            sum += sum_bytes(count_in_bytes(splat(knight_attacks(s)) & targets & ~gone & counted));
        }
    }
};

/// The legal replies of all listed siblings, without those en passant. Diagonal and Orthogonal:
/// whether any man slides so, before or after the moves.
template <Color Us, bool Diagonal, bool Orthogonal>
std::uint64_t count_replies(const Board& b, const KingHome& home, const Siblings& list) {
    constexpr Color kReplier = ~Us;
    const Repliers<kReplier> repliers(b);
    const Bitboard all = b.occupied(), enemy_all = b.of(Us);
    const Square king = home.king;
    const Lanes parent_occ = splat(all),
                parent_enemy_diagonal = splat(b.diagonal_sliders() & enemy_all),
                parent_enemy_orthogonal = splat(b.orthogonal_sliders() & enemy_all),
                king_square = splat(bit(king)), king_moves = splat(king_attacks(king));
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
        const Lanes occ = (parent_occ & ~from_set) | to_set, own = repliers.own & ~changed;
        const Ways ways(~occ);

        // Attacks of the side that has moved, by axis. The king stands in their way: what lies
        // behind it matters in check alone.
        Lanes attacked = *reinterpret_cast<const Lanes*>(list.leapers + i);
        Pins pins;
        if (Orthogonal) {
            const Lanes enemy = (parent_enemy_orthogonal & ~from_set) | to_orthogonal;
            const Lanes rank = ways.east.attacks(enemy) | ways.west.attacks(enemy),
                        file = ways.north.attacks(enemy) | ways.south.attacks(enemy);
            attacked |= rank | file;
            pins.rank = own & rank & king_rank.seen(occ);
            pins.file = own & file & king_file.seen(occ);
            pins.any |= pins.rank | pins.file;
        }
        if (Diagonal) {
            const Lanes enemy = (parent_enemy_diagonal & ~from_set) | to_diagonal;
            const Lanes diagonal = ways.north_east.attacks(enemy) | ways.south_west.attacks(enemy),
                        antidiagonal =
                            ways.north_west.attacks(enemy) | ways.south_east.attacks(enemy);
            attacked |= diagonal | antidiagonal;
            pins.diagonal = own & diagonal & king_diagonal.seen(occ);
            pins.antidiagonal = own & antidiagonal & king_antidiagonal.seen(occ);
            pins.any |= pins.diagonal | pins.antidiagonal;
        }
        const Lanes quiet = zero_mask(attacked & king_square);

        Tally tally;
        repliers.template count<Diagonal, Orthogonal>(ways, occ, changed, pins, quiet, tally, sum);
        tally.add(king_moves & ~own & ~attacked);
        sum += sum_bytes(tally.counts(quiet));
        for (const KingHome::CastlingWay& way : home.ways) {
            if (!way.rook) break;
            Lanes bars = (occ & way.clear) | (attacked & way.safe) | (changed & way.rook);
            if (Orthogonal) bars |= pins.rank & way.rook;
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

/// The legal replies to all moves that leave the king alone, without those en passant. Diagonal and
/// Orthogonal: whether any replying man slides so.
template <Color Us, bool Diagonal, bool Orthogonal>
std::uint64_t count_far_replies(const Board& b, const KingView& view, const Siblings& list) {
    const Repliers<~Us> repliers(b);
    const Lanes parent_occ = splat(b.occupied());
    Pins pins;
    pins.rank = splat(view.pinned_rank);
    pins.file = splat(view.pinned_file);
    pins.diagonal = splat(view.pinned_diagonal);
    pins.antidiagonal = splat(view.pinned_antidiagonal);
    pins.any = pins.rank | pins.file | pins.diagonal | pins.antidiagonal;
    static constexpr auto kFilled = [] {
        std::array<Bitboard, 2 * kLanes> a{};
        for (int i = 0; i < kLanes; ++i) a[i] = ~Bitboard{0};
        return a;
    }();
    Lanes sum{};
    std::uint64_t first = 0;
    for (int i = 0; i < list.far_size; i += kLanes) {
        const Lanes words = load_words(list.far + i);
        const Lanes from_set = squares(words & 63), to_set = squares(words >> 8 & 63);
        const Lanes changed = from_set | to_set, occ = (parent_occ & ~from_set) | to_set;
        const int rest = list.far_size - i;
        Lanes filled;
        __builtin_memcpy(&filled, &kFilled[rest < kLanes ? kLanes - rest : 0], sizeof filled);
        Tally tally;
        repliers.template count<Diagonal, Orthogonal>(Ways(~occ), occ, changed, pins, filled, tally,
                                                      sum);
        sum += sum_bytes(tally.counts(filled));
        if (i == 0) first = sum[0];
    }
    std::uint64_t count = first * static_cast<unsigned>(list.alike);
    for (int lane = 0; lane < kLanes; ++lane) count += sum[lane];
    return count + view.king_replies * static_cast<unsigned>(list.far_size + list.alike);
}

/// Leaves two plies below.
template <Color Us>
std::uint64_t count_leaf_parents(const Board& b, const CountContext& context) {
    const KingHome home = king_home<~Us>(b);
    const KingView view = king_view<Us>(b, home);
    Siblings list;
    SiblingSink<Us> sink(b, view, list);
    enumerate_moves<Us>(b, king_home<Us>(b), sink,
                        [&](Bitboard, Bitboard) { return view.attacked_by_repliers; });
    sink.finish();
    if (context.lane_use) {
        constexpr auto offered = [](int moves) { return (moves + kLanes - 1) / kLanes * kLanes; };
        context.lane_use->filled += static_cast<unsigned>(list.size + list.far_size);
        context.lane_use->offered +=
            static_cast<unsigned>(offered(list.size) + offered(list.far_size));
    }
    std::uint64_t count = sink.replies_en_passant;
    if (list.size) {
        const bool diagonal = b.diagonal_sliders() || sink.promotes,
                   orthogonal = b.orthogonal_sliders() || sink.promotes;
        if (diagonal && orthogonal)
            count += count_replies<Us, true, true>(b, home, list);
        else if (orthogonal)
            count += count_replies<Us, false, true>(b, home, list);
        else if (diagonal)
            count += count_replies<Us, true, false>(b, home, list);
        else
            count += count_replies<Us, false, false>(b, home, list);
    }
    if (list.far_size) {
        const Bitboard own = b.of(~Us);
        const bool diagonal = b.diagonal_sliders() & own, orthogonal = b.orthogonal_sliders() & own;
        if (diagonal && orthogonal)
            count += count_far_replies<Us, true, true>(b, view, list);
        else if (orthogonal)
            count += count_far_replies<Us, false, true>(b, view, list);
        else if (diagonal)
            count += count_far_replies<Us, true, false>(b, view, list);
        else
            count += count_far_replies<Us, false, false>(b, view, list);
    }
    return count;
}

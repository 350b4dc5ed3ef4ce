// The bodies behind legal moves: making a move, generating and counting legal moves, once for every
// instruction set and slider method. Included by the translation units that instantiate them,
// inside the target region and namespace they choose; see core/movegen.cpp and perft/kernel.cpp.
// No include guard: each inclusion defines everything anew in another namespace. The includer
// includes attacks.hpp and position.hpp first and names the slider method with MANSUBA_SLIDERS.

/// A move as the generator hands it on: what making it needs, without looking at the board. One word,
/// so that listing a move is one store.
class RawMove {
public:
    RawMove() = default;
    /// `code`: of the man after the move (Board).
    MANSUBA_INLINE RawMove(Square from, Square to, unsigned code, MoveKind kind)
        : bits_(static_cast<std::uint32_t>(from | to << 8) | code << 16 |
                static_cast<std::uint32_t>(kind) << 24) {}
    MANSUBA_INLINE Square from() const { return static_cast<Square>(bits_ & 63); }
    MANSUBA_INLINE Square to() const { return static_cast<Square>(bits_ >> 8 & 63); }
    MANSUBA_INLINE unsigned code() const { return bits_ >> 16 & 7; }
    MANSUBA_INLINE MoveKind kind() const { return static_cast<MoveKind>(bits_ >> 24); }

private:
    std::uint32_t bits_;
};

template <Color C>
MANSUBA_INLINE Bitboard forward(Bitboard b) {
    return C == Color::White ? b << 8 : b >> 8;
}
/// Pawn captures towards the a-file and towards the h-file.
template <Color C>
MANSUBA_INLINE Bitboard capture_west(Bitboard b) {
    return C == Color::White ? (b & ~kFileA) << 7 : (b & ~kFileA) >> 9;
}
template <Color C>
MANSUBA_INLINE Bitboard capture_east(Bitboard b) {
    return C == Color::White ? (b & ~kFileH) << 9 : (b & ~kFileH) >> 7;
}
template <Color C>
inline constexpr Bitboard kHomeRank = C == Color::White ? kRank1 : kRank8;
template <Color C>
inline constexpr Bitboard kThirdRank = C == Color::White ? kRank1 << 16 : kRank1 << 40;
template <Color C>
inline constexpr Bitboard kLastRank = C == Color::White ? kRank8 : kRank1;
template <Color C>
inline constexpr int kUp = C == Color::White ? 8 : -8;

/// The men of colour By that attack s with this occupancy; men outside `occ` do not count.
template <Color By>
MANSUBA_INLINE Bitboard attackers_of(const Board& b, Square s, Bitboard occ) {
    return ((pawn_attacks(~By, s) & b.pawns()) | (knight_attacks(s) & b.knights()) |
            (king_attacks(s) & b.kings()) |
            (MANSUBA_SLIDERS::rook(s, occ) & b.orthogonal_sliders()) |
            (MANSUBA_SLIDERS::bishop(s, occ) & b.diagonal_sliders())) &
           b.of(By) & occ;
}

/// Whether the pawn of Us on `from` may capture en passant on `target`: the king must not be
/// attacked afterwards, by anyone, through any of the three squares that change.
template <Color Us>
inline bool en_passant_is_legal(const Board& b, Square from, Square target) {
    const Bitboard occ = (b.occupied() ^ bit(from) ^ bit(target - kUp<Us>)) | bit(target);
    return attackers_of<~Us>(b, b.king(Us), occ) == 0;
}

/// Marks the en passant target after Us has pushed a pawn by two squares to `to`, if some capture
/// of it is legal.
template <Color Us>
inline void mark_en_passant(Board& b, Square to) {
    const Square target = to - kUp<Us>;
    Bitboard captors = pawn_attacks(Us, target) & b.pawns() & b.of(~Us);
    while (captors) {
        if (en_passant_is_legal<~Us>(b, pop_lowest(captors), target)) {
            b.black |= bit(target);
            return;
        }
    }
}

template <Color Us>
MANSUBA_INLINE void put(Board& b, Square s, unsigned code) {
    b.plane0 |= Bitboard{code & 1u} << s;
    b.plane1 |= Bitboard{code >> 1 & 1u} << s;
    b.plane2 |= Bitboard{code >> 2 & 1u} << s;
    if (Us == Color::Black) b.black |= bit(s);
}

template <Color Us>
inline void castle(Board& b, Square king, Square rook) {
    const Bitboard stay = ~(bit(king) | bit(rook));
    b.plane0 &= stay;
    b.plane1 &= stay;
    b.plane2 &= stay;
    b.black &= stay;
    const Square home = king & 56;
    put<Us>(b, home + (rook > king ? 6 : 2), code_of(PieceType::King));
    put<Us>(b, home + (rook > king ? 5 : 3), code_of(PieceType::Rook));
}

/// The board after a move of Us.
template <Color Us>
MANSUBA_INLINE Board make(Board b, RawMove m) {
    const Bitboard from = bit(m.from()), to = bit(m.to()), stay = ~(from | to);
    b.black &= b.occupied();  // an en passant right lasts one ply
    if (m.code() == code_of(PieceType::King)) {
        b.plane2 &= ~(b.castling_rooks() & b.of(Us));
        if (m.kind() == MoveKind::Castling) {
            castle<Us>(b, m.from(), m.to());
            return b;
        }
    }
    b.plane0 &= stay;
    b.plane1 &= stay;
    b.plane2 &= stay;
    b.black &= stay;
    put<Us>(b, m.to(), m.code());
    if (m.kind() == MoveKind::EnPassant) {
        const Bitboard others = ~bit(m.to() - kUp<Us>);
        b.plane0 &= others;
        b.plane2 &= others;
        b.black &= others;
    } else if (m.kind() == MoveKind::DoublePush) {
        mark_en_passant<Us>(b, m.to());
    }
    return b;
}

/// Every square that a man of Us attacks when `occ` is in the way.
template <Color Us>
MANSUBA_INLINE Bitboard all_attacks(const Board& b, Bitboard us, Bitboard occ) {
    const Bitboard pawns = b.pawns() & us;
    Bitboard attacked = capture_west<Us>(pawns) | capture_east<Us>(pawns);
    attacked |= king_attacks(lowest(b.kings() & us));
    for (Bitboard men = b.knights() & us; men;) attacked |= knight_attacks(pop_lowest(men));
    for (Bitboard men = b.diagonal_sliders() & us; men;)
        attacked |= MANSUBA_SLIDERS::bishop(pop_lowest(men), occ);
    for (Bitboard men = b.orthogonal_sliders() & us; men;)
        attacked |= MANSUBA_SLIDERS::rook(pop_lowest(men), occ);
    return attacked;
}

/// What the enemy's sliders allow: who gives check, and the lines from the king to each pinning
/// man (both ends' squares as squares_to has them). A man on such a line may move along it only.
struct KingLines {
    Bitboard checkers = 0, pinned_orthogonally = 0, pinned_diagonally = 0;
};

MANSUBA_INLINE KingLines king_lines(const Board& b, Square king, Bitboard us, Bitboard them,
                                    Bitboard occ) {
    KingLines k;
    const Bitboard orthogonal = b.orthogonal_sliders() & them & rook_lines(king);
    if (orthogonal) {
        const Bitboard seen = MANSUBA_SLIDERS::rook(king, occ);
        k.checkers |= seen & orthogonal;
        Bitboard pinners = MANSUBA_SLIDERS::rook(king, occ ^ (seen & us)) & orthogonal & ~seen;
        while (pinners) k.pinned_orthogonally |= squares_to(king, pop_lowest(pinners));
    }
    const Bitboard diagonal = b.diagonal_sliders() & them & bishop_lines(king);
    if (diagonal) {
        const Bitboard seen = MANSUBA_SLIDERS::bishop(king, occ);
        k.checkers |= seen & diagonal;
        Bitboard pinners = MANSUBA_SLIDERS::bishop(king, occ ^ (seen & us)) & diagonal & ~seen;
        while (pinners) k.pinned_diagonally |= squares_to(king, pop_lowest(pinners));
    }
    return k;
}

/// The moves of all men but the king. Bound is false where nothing gives check or pins, which is
/// most of the time: the masks are constants then and fall away.
template <Color Us, bool Bound, class Sink>
MANSUBA_INLINE void enumerate_men(const Board& b, Bitboard occ, Bitboard us, Square king,
                                  const KingLines& lines, Sink& sink) {
    // In check, the others may only capture the checker or step in between.
    const Bitboard mask =
        Bound && lines.checkers ? squares_to(king, lowest(lines.checkers)) : ~Bitboard{0};
    const Bitboard orthogonal_pin = Bound ? lines.pinned_orthogonally : 0;
    const Bitboard diagonal_pin = Bound ? lines.pinned_diagonally : 0;
    const Bitboard free = us & ~(orthogonal_pin | diagonal_pin);
    const Bitboard targets = mask & ~us;

    // Pawns. A pin along the file leaves the pushes, one along a diagonal the captures along it.
    const Bitboard pawns = b.pawns(), enemies = occ & ~us & mask;
    Bitboard single = forward<Us>(pawns & free), west = capture_west<Us>(pawns & free),
             east = capture_east<Us>(pawns & free);
    if (Bound) {
        single |= forward<Us>(pawns & us & orthogonal_pin & ~diagonal_pin) & orthogonal_pin;
        west |= capture_west<Us>(pawns & us & diagonal_pin & ~orthogonal_pin) & diagonal_pin;
        east |= capture_east<Us>(pawns & us & diagonal_pin & ~orthogonal_pin) & diagonal_pin;
    }
    single &= ~occ;
    sink.pawns(forward<Us>(single & kThirdRank<Us>) & ~occ & mask, 2 * kUp<Us>,
               MoveKind::DoublePush);
    single &= mask;
    west &= enemies;
    east &= enemies;
    if ((single | west | east) & kLastRank<Us>) {
        sink.promotions(single & kLastRank<Us>, kUp<Us>);
        sink.promotions(west & kLastRank<Us>, kUp<Us> - 1);
        sink.promotions(east & kLastRank<Us>, kUp<Us> + 1);
        single &= ~kLastRank<Us>;
        west &= ~kLastRank<Us>;
        east &= ~kLastRank<Us>;
    }
    sink.pawns(single, kUp<Us>, MoveKind::Normal);
    sink.pawns(west, kUp<Us> - 1, MoveKind::Normal);
    sink.pawns(east, kUp<Us> + 1, MoveKind::Normal);
    if (const Bitboard target = b.black & ~occ) {
        const Square to = lowest(target);
        for (Bitboard men = pawn_attacks(~Us, to) & pawns & us; men;) {
            const Square from = pop_lowest(men);
            if (en_passant_is_legal<Us>(b, from, to)) sink.en_passant(from, to);
        }
    }

    for (Bitboard men = b.knights() & free; men;) {
        const Square from = pop_lowest(men);
        sink.piece(b, from, knight_attacks(from) & targets);
    }
    for (Bitboard men = b.diagonal_sliders() & free; men;) {
        const Square from = pop_lowest(men);
        sink.piece(b, from, MANSUBA_SLIDERS::bishop(from, occ) & targets);
    }
    for (Bitboard men = b.orthogonal_sliders() & free; men;) {
        const Square from = pop_lowest(men);
        sink.piece(b, from, MANSUBA_SLIDERS::rook(from, occ) & targets);
    }
    if (Bound) {  // pinned sliders stay on their line; pins of two kinds never meet in one man
        for (Bitboard men = b.diagonal_sliders() & us & diagonal_pin; men;) {
            const Square from = pop_lowest(men);
            sink.piece(b, from, MANSUBA_SLIDERS::bishop(from, occ) & targets & diagonal_pin);
        }
        for (Bitboard men = b.orthogonal_sliders() & us & orthogonal_pin; men;) {
            const Square from = pop_lowest(men);
            sink.piece(b, from, MANSUBA_SLIDERS::rook(from, occ) & targets & orthogonal_pin);
        }
    }
}

/// What hangs on the king's square and the castling rights of a side: the same among the positions
/// that the other side's moves lead to, but that a castling rook may be captured.
struct KingHome {
    struct CastlingWay {
        Bitboard rook = 0, clear = ~Bitboard{0}, safe = 0;  // CastlingPath; never clear: no right
    };
    Square king;
    CastlingWay ways[2];
};

template <Color Us>
MANSUBA_INLINE KingHome king_home(const Board& b) {
    KingHome home{b.king(Us), {}};
    KingHome::CastlingWay* way = home.ways;
    for (Bitboard rooks = b.castling_rooks() & b.of(Us); rooks; ++way) {
        const Square rook = pop_lowest(rooks);
        const CastlingPath path = castling_path(home.king, rook);
        *way = {bit(rook), path.clear, path.safe};
    }
    return home;
}

/// All legal moves of Us, handed to a sink in sets: CountSink adds them up, ListSink lists them.
/// `attacked` tells what the other side attacks, all men in their places; it is asked only if the
/// king is not in check.
template <Color Us, class Sink, class Attacked>
MANSUBA_INLINE void enumerate_moves(const Board& b, const KingHome& home, Sink& sink,
                                    Attacked attacked_out_of_check) {
    const Square king = home.king;
    const Bitboard occ = b.occupied(), us = b.of(Us), them = occ ^ us;
    KingLines lines = king_lines(b, king, us, them, occ);
    lines.checkers |=
        ((pawn_attacks(Us, king) & b.pawns()) | (knight_attacks(king) & b.knights())) & them;

    Bitboard king_targets = king_attacks(king) & ~us;
    Bitboard castlers = 0;  // with a clear way; mostly there is none, and no attack is looked for
    for (const KingHome::CastlingWay& way : home.ways)
        if (!(way.clear & occ)) castlers |= way.rook;
    // A rook pinned on the rank uncovers its king even where no square of the way is attacked.
    castlers &= lines.checkers ? 0 : b.castling_rooks() & us & ~lines.pinned_orthogonally;
    if (king_targets | castlers) {
        // A slider that gives check attacks through the king as well.
        const Bitboard attacked = lines.checkers ? all_attacks<~Us>(b, them, occ ^ bit(king))
                                                 : attacked_out_of_check(them, occ);
        sink.king(king, king_targets & ~attacked);
        if (castlers)
            for (const KingHome::CastlingWay& way : home.ways)
                if ((castlers & way.rook) && !(way.safe & attacked))
                    sink.castling(king, lowest(way.rook));
    }

    if (!(lines.checkers | lines.pinned_orthogonally | lines.pinned_diagonally))
        enumerate_men<Us, false>(b, occ, us, king, lines, sink);
    else if (!more_than_one(lines.checkers))
        enumerate_men<Us, true>(b, occ, us, king, lines, sink);
}

template <Color Us, class Sink>
MANSUBA_INLINE void enumerate_moves(const Board& b, const KingHome& home, Sink& sink) {
    enumerate_moves<Us>(
        b, home, sink, [&](Bitboard them, Bitboard occ) { return all_attacks<~Us>(b, them, occ); });
}

/// Adds the moves up without looking at one of them.
struct CountSink {
    std::uint64_t count = 0;

    MANSUBA_INLINE void king(Square, Bitboard targets) { add(targets); }
    MANSUBA_INLINE void castling(Square, Square) { ++count; }
    MANSUBA_INLINE void piece(const Board&, Square, Bitboard targets) { add(targets); }
    MANSUBA_INLINE void pawns(Bitboard targets, int, MoveKind) { add(targets); }
    MANSUBA_INLINE void promotions(Bitboard targets, int) {
        count += 4 * static_cast<unsigned>(popcount(targets));
    }
    MANSUBA_INLINE void en_passant(Square, Square) { ++count; }

private:
    MANSUBA_INLINE void add(Bitboard targets) { count += static_cast<unsigned>(popcount(targets)); }
};

/// Writes the moves one behind the other; the caller has room for kMaxMoves.
struct ListSink {
    RawMove* end;

    MANSUBA_INLINE void king(Square from, Bitboard targets) {
        add(from, targets, code_of(PieceType::King));
    }
    MANSUBA_INLINE void castling(Square from, Square rook) {
        add(from, rook, code_of(PieceType::King), MoveKind::Castling);
    }
    MANSUBA_INLINE void piece(const Board& b, Square from, Bitboard targets) {
        unsigned code = b.code_at(from);
        if (code == kCodeCastlingRook) code = code_of(PieceType::Rook);
        add(from, targets, code);
    }
    MANSUBA_INLINE void pawns(Bitboard targets, int step, MoveKind kind) {
        while (targets) {
            const Square to = pop_lowest(targets);
            add(to - step, to, code_of(PieceType::Pawn), kind);
        }
    }
    MANSUBA_INLINE void promotions(Bitboard targets, int step) {
        while (targets) {
            const Square to = pop_lowest(targets);
            add(to - step, to, code_of(PieceType::Queen), MoveKind::PromoteToQueen);
            add(to - step, to, code_of(PieceType::Rook), MoveKind::PromoteToRook);
            add(to - step, to, code_of(PieceType::Bishop), MoveKind::PromoteToBishop);
            add(to - step, to, code_of(PieceType::Knight), MoveKind::PromoteToKnight);
        }
    }
    MANSUBA_INLINE void en_passant(Square from, Square to) {
        add(from, to, code_of(PieceType::Pawn), MoveKind::EnPassant);
    }

private:
    MANSUBA_INLINE void add(Square from, Square to, unsigned code, MoveKind kind) {
        *end++ = RawMove(from, to, code, kind);
    }
    MANSUBA_INLINE void add(Square from, Bitboard targets, unsigned code) {
        while (targets) add(from, pop_lowest(targets), code, MoveKind::Normal);
    }
};

/// The number of legal moves of Us.
template <Color Us>
MANSUBA_INLINE std::uint64_t count_moves(const Board& b, const KingHome& home) {
    CountSink sink;
    enumerate_moves<Us>(b, home, sink);
    return sink.count;
}
template <Color Us>
inline std::uint64_t count_moves(const Board& b) {
    return count_moves<Us>(b, king_home<Us>(b));
}

/// Lists the legal moves of Us from `out` on and returns the end; room for kMaxMoves is needed.
template <Color Us>
inline RawMove* list_moves(const Board& b, RawMove* out) {
    ListSink sink{out};
    enumerate_moves<Us>(b, king_home<Us>(b), sink);
    return sink.end;
}

// The bodies of the solver's steps: included once a target after block_impl.hpp, inside its region
// and namespace. No include guard.

/// Where the value stands among 64 codes.
template <class Code>
MANSUBA_INLINE std::uint64_t equal_mask(const Code* codes, Code value) {
    std::uint64_t mask = 0;
#if MANSUBA_X86
    if constexpr (sizeof(Code) == 1) {
        const __m128i v = _mm_set1_epi8(static_cast<char>(value));
        for (int i = 0; i < 4; ++i)
            mask |= static_cast<std::uint64_t>(
                        static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(
                            _mm_loadu_si128(reinterpret_cast<const __m128i*>(codes) + i), v))))
                    << 16 * i;
        return mask;
    }
#endif
    for (int i = 0; i < 64; ++i) mask |= std::uint64_t{codes[i] == value} << i;
    return mask;
}
/// Where codes are at most the value.
template <class Code>
MANSUBA_INLINE std::uint64_t at_most_mask(const Code* codes, Code value) {
    std::uint64_t mask = 0;
#if MANSUBA_X86
    if constexpr (sizeof(Code) == 1) {
        const __m128i v = _mm_set1_epi8(static_cast<char>(value));
        for (int i = 0; i < 4; ++i) {
            const __m128i c = _mm_loadu_si128(reinterpret_cast<const __m128i*>(codes) + i);
            mask |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(
                        _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(c, v), c))))
                    << 16 * i;
        }
        return mask;
    }
#endif
    for (int i = 0; i < 64; ++i) mask |= std::uint64_t{codes[i] <= value} << i;
    return mask;
}

template <class Code>
void write(Code* cells, const Block& set, Code value) {
    for (int w = 0; w < 64; ++w, cells += 64) {
        std::uint64_t bits = set.word[w];
        if (popcount(bits) < 12) {
            while (bits) cells[pop_lowest(bits)] = value;
        } else {
            for (int b = 0; b < 64; ++b) cells[b] = bits >> b & 1 ? value : cells[b];
        }
    }
}

// ---------------------------------------------------------------- blocks as wholes

MANSUBA_INLINE void fill(Block& b, std::uint64_t word) {
    for (std::uint64_t& w : b.word) w = word;
}

/// The cells whose men all stand on squares of their own.
inline void distinct(const Place& place, Block& out) {
    if (place.clash) return fill(out, 0);
    for (int i = 0; i < 64; i += 8) store(out.word + i, load(kApart.word + i) & ~place.occupied);
    Bitboard occupied = place.occupied;
    while (occupied) out.word[pop_lowest(occupied)] = 0;
}

/// Adds the cells where two men share a square.
inline void add_coincidence(const Layout& layout, const Place& place, int a, int b, Block& out) {
    const Where wa = layout.where[static_cast<std::size_t>(a)];
    const Where wb = layout.where[static_cast<std::size_t>(b)];
    if (wa == Where::Fixed && wb == Where::Fixed) {
        if (place.squares[static_cast<std::size_t>(a)] ==
            place.squares[static_cast<std::size_t>(b)])
            fill(out, ~std::uint64_t{0});
    } else if (wa == Where::Fixed || wb == Where::Fixed) {
        const Square s = place.squares[static_cast<std::size_t>(wa == Where::Fixed ? a : b)];
        if ((wa == Where::Fixed ? wb : wa) == Where::Word)
            out.word[s] = ~std::uint64_t{0};
        else
            for (std::uint64_t& w : out.word) w |= bit(s);
    } else {
        for (Square s = 0; s < 64; ++s) out.word[s] |= bit(s);
    }
}

// ---------------------------------------------------------------- moves

struct Rays {
    std::int8_t square[64][8][7];
    std::int8_t length[64][8];
};
/// Even directions are a rook's, odd ones a bishop's.
inline constexpr Rays kRays = [] {
    constexpr int step[8][2] = {{1, 0},  {1, 1},   {0, 1},  {-1, 1},
                                {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
    Rays r{};
    for (int s = 0; s < 64; ++s)
        for (int d = 0; d < 8; ++d) {
            int n = 0, f = (s & 7) + step[d][0], k = (s >> 3) + step[d][1];
            for (; f >= 0 && f < 8 && k >= 0 && k < 8; f += step[d][0], k += step[d][1])
                r.square[s][d][n++] = static_cast<std::int8_t>(8 * k + f);
            r.length[s][d] = static_cast<std::int8_t>(n);
        }
    return r;
}();

/// Adds the cells from which an outer man moves into the set.
inline bool from_outer_man(const Layout& layout, const Place& place, std::size_t outer,
                           const Set& set, Block& out) {
    const auto man = static_cast<std::size_t>(layout.outer_men[outer]);
    const PieceType type = layout.men[man].type;
    const Square s = place.squares[man];
    const std::uint32_t stride = layout.outer_stride(outer);
    const std::uint32_t base =
        place.pair * layout.blocks_per_pair + place.outer - static_cast<std::uint32_t>(s) * stride;
    const auto number = [&](int square) {
        return base + static_cast<std::uint32_t>(square) * stride;
    };
    bool found = false;
    if (type == PieceType::Knight || type == PieceType::King) {
        Bitboard to = type == PieceType::Knight ? knight_attacks(s) : king_attacks(s);
        while (to) {
            const std::uint32_t n = number(pop_lowest(to));
            if (!set.any[n]) continue;
            add(out, set.block[n]);
            found = true;
        }
        return found;
    }
    const int first = type == PieceType::Bishop ? 1 : 0, step = type == PieceType::Queen ? 1 : 2;
    for (int d = first; d < 8; d += step) {
        const std::int8_t* ray = kRays.square[s][d];
        int length = 0;  // up to the last square that has something
        for (int i = 0; i < kRays.length[s][d]; ++i) {
            if (set.any[number(ray[i])]) length = i + 1;
            if (place.occupied >> ray[i] & 1) break;
        }
        if (!length) continue;
        found = true;
        if (length == 1) {
            add(out, set.block[number(ray[0])]);
            continue;
        }
        Block reached = set.block[number(ray[length - 1])];
        for (int i = length - 2; i >= 0; --i) {
            const Square q = ray[i];
            const std::uint32_t n = number(q);
            reached.word[q] = 0;
            if (set.any[n]) {
                for (int k = 0; k < 64; k += 8)
                    store(reached.word + k,
                          (load(reached.word + k) & ~bit(q)) | load(set.block[n].word + k));
            } else {
                for (int k = 0; k < 64; k += 8)
                    store(reached.word + k, load(reached.word + k) & ~bit(q));
            }
        }
        add(out, reached);
    }
    return found;
}

inline bool from_king(const Layout& layout, const Place& place, Color c, const Set& set,
                      Block& out) {
    bool found = false;
    for (const Layout::Step& step : layout.steps(c, place.pair)) {
        std::uint32_t n = step.pair * layout.blocks_per_pair;
        for (std::size_t i = 0; i < layout.outer_men.size(); ++i)
            n += layout.outer_stride(i) *
                 static_cast<std::uint32_t>(
                     step.symmetry(place.squares[static_cast<std::size_t>(layout.outer_men[i])]));
        if (!set.any[n]) continue;
        found = true;
        if (step.symmetry == Symmetry())
            add(out, set.block[n]);
        else
            add_image(out, set.block[n], step.symmetry);
    }
    return found;
}

/// Adds the cells of a block from which a man of c (no pawn) moves into the set; stops once all
/// `wanted` ones are found. Whether there was anything in reach.
inline bool add_moves(const Layout& layout, const Place& place, std::uint32_t block, Color c,
                      const Set& set, const Block& wanted, Block& out) {
    const Piece word = layout.men[static_cast<std::size_t>(layout.word_man)];
    const Piece on_bit = layout.men[static_cast<std::size_t>(layout.bit_man)];
    bool found = false;
    if (set.any[block]) {
        if (on_bit.color == c) from_bit_man(on_bit.type, set.block[block], place.occupied, out);
        if (word.color == c) from_word_man(word.type, set.block[block], place.occupied, out);
        found = on_bit.color == c || word.color == c;
        if (found && covers(out, wanted)) return true;
    }
    if (from_king(layout, place, c, set, out)) {
        found = true;
        if (covers(out, wanted)) return true;
    }
    for (std::size_t i = 0; i < layout.outer_men.size(); ++i)
        if (layout.men[static_cast<std::size_t>(layout.outer_men[i])].color == c &&
            from_outer_man(layout, place, i, set, out)) {
            found = true;
            if (covers(out, wanted)) return true;
        }
    return found;
}

// ---------------------------------------------------------------- steps

inline void king_captures(const Layout& layout, const Squares& pawns, Color c, Set captures,
                          std::uint32_t first, std::uint32_t last) {
    const int king = c == Color::White ? Index::kBlackKing : Index::kWhiteKing;
    for (std::uint32_t b = first; b < last; ++b) {
        const Place place = layout.place(pawns, b);
        Block& out = captures.block[b];
        fill(out, 0);
        for (int m = 0; m < static_cast<int>(layout.men.size()); ++m) {
            const Piece man = layout.men[static_cast<std::size_t>(m)];
            if (man.color == c && man.type != PieceType::Pawn)
                add_coincidence(layout, place, m, king, out);
        }
        captures.any[b] = !empty(out);
    }
}

inline void legal(const Layout& layout, const Squares& pawns, Color c, Set captures, Set legal,
                  std::uint32_t first, std::uint32_t last) {
    const int king = c == Color::White ? Index::kBlackKing : Index::kWhiteKing;
    Bitboard attacked = 0;  // by pawns
    for (int m = Index::kFirstPawn; m < layout.index->first_other(); ++m)
        if (layout.men[static_cast<std::size_t>(m)].color == c)
            attacked |= pawn_attacks(c, pawns[static_cast<std::size_t>(m)]);
    for (std::uint32_t b = first; b < last; ++b) {
        const Place place = layout.place(pawns, b);
        Block& out = legal.block[b];
        distinct(place, out);
        switch (layout.where[static_cast<std::size_t>(king)]) {
            case Where::Fixed:
                if (attacked >> place.squares[static_cast<std::size_t>(king)] & 1) fill(out, 0);
                break;
            case Where::Word:
                for (Square s = 0; s < 64; ++s)
                    if (attacked >> s & 1) out.word[s] = 0;
                break;
            case Where::Bit:
                for (std::uint64_t& w : out.word) w &= ~attacked;
        }
        legal.any[b] = !empty(out);
        if (!legal.any[b]) continue;
        Block checks{};
        if (!add_moves(layout, place, b, c, captures, out, checks)) continue;
        for (int i = 0; i < 64; i += 8)
            store(out.word + i, andnot(load(out.word + i), load(checks.word + i)));
        legal.any[b] = !empty(out);
    }
}

inline void stuck(const Layout& layout, const Squares& pawns, Color c, Set legal, Set targets,
                  const Block* pawn_moves, Set stuck, std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t b = first; b < last; ++b) {
        stuck.any[b] = 0;
        if (!legal.any[b]) continue;
        Block wanted = legal.block[b];
        if (pawn_moves)
            for (int i = 0; i < 64; i += 8)
                store(wanted.word + i, andnot(load(wanted.word + i), load(pawn_moves[b].word + i)));
        Block moves{};
        add_moves(layout, layout.place(pawns, b), b, c, targets, wanted, moves);
        for (int i = 0; i < 64; i += 8)
            store(stuck.block[b].word + i, andnot(load(wanted.word + i), load(moves.word + i)));
        stuck.any[b] = !empty(stuck.block[b]);
    }
}

template <class Code>
void record(const Block& found, std::uint32_t block, Code plies, std::uint8_t code_class,
            Code* cells, std::uint8_t* classes) {
    write(cells + (std::size_t{block} << 12), found, plies);
    if (classes) write(classes + (std::size_t{block} << 12), found, code_class);
}

template <class Code>
bool lose(const Chain<Code>& chain, int ply, bool all, std::uint8_t code_class, std::uint32_t first,
          std::uint32_t last) {
    const Color loser = ~chain.winner;
    const Layout& layout = *chain.layout;
    const auto before = static_cast<Code>(ply - 1);
    bool any_found = false;
    for (std::uint32_t b = first; b < last; ++b) {
        if (!chain.candidates.any[b]) continue;
        Block& open = chain.candidates.block[b];
        const Place place = layout.place(chain.pawns, b);
        Block touched{};
        if (all) {
            touched = open;
        } else {
            const bool by_pawn = chain.pawn_lost && chain.pawn_lost[b];
            if (!add_moves(layout, place, b, loser, chain.won, open, touched) && !by_pawn) continue;
            if (by_pawn)
                for (int w = 0; w < 64; ++w)
                    touched.word[w] |=
                        equal_mask(chain.loss_key + (std::size_t{b} << 12) + 64 * w, before);
            for (int i = 0; i < 64; i += 8)
                store(touched.word + i, load(touched.word + i) & load(open.word + i));
        }
        if (chain.loss_key)
            for (int w = 0; w < 64; ++w)
                if (touched.word[w])
                    touched.word[w] &=
                        at_most_mask(chain.loss_key + (std::size_t{b} << 12) + 64 * w, before);
        if (empty(touched)) continue;
        Block escapes{};
        add_moves(layout, place, b, loser, chain.open, touched, escapes);
        for (int i = 0; i < 64; i += 8)
            store(touched.word + i, andnot(load(touched.word + i), load(escapes.word + i)));
        if (empty(touched)) continue;
        any_found = true;
        for (int i = 0; i < 64; i += 8)
            store(open.word + i, andnot(load(open.word + i), load(touched.word + i)));
        chain.candidates.any[b] = !empty(open);
        chain.lost_next.block[b] = touched;
        chain.lost_next.any[b] = 1;
        record(touched, b, static_cast<Code>(ply), code_class, chain.loser_plies,
               chain.loser_class);
    }
    return any_found;
}

template <class Code>
bool win(const Chain<Code>& chain, int ply, std::uint8_t code_class, std::uint32_t first,
         std::uint32_t last) {
    const Layout& layout = *chain.layout;
    bool any_found = false;
    for (std::uint32_t b = first; b < last; ++b) {
        chain.won.any[b] = 0;
        if (!chain.open.any[b] || !chain.legal.any[b]) continue;
        Block& open = chain.open.block[b];
        Block wanted;
        for (int i = 0; i < 64; i += 8)
            store(wanted.word + i, load(open.word + i) & load(chain.legal.block[b].word + i));
        const bool by_pawn = chain.pawn_won && chain.pawn_won[b];
        Block found{};
        if (!add_moves(layout, layout.place(chain.pawns, b), b, chain.winner, chain.lost, wanted,
                       found) &&
            !by_pawn)
            continue;
        if (by_pawn)
            for (int w = 0; w < 64; ++w)
                found.word[w] |= equal_mask(chain.win_key + (std::size_t{b} << 12) + 64 * w,
                                            static_cast<Code>(ply - 1));
        for (int i = 0; i < 64; i += 8)
            store(found.word + i, load(found.word + i) & load(wanted.word + i));
        if (empty(found)) continue;
        any_found = true;
        for (int i = 0; i < 64; i += 8)
            store(open.word + i, andnot(load(open.word + i), load(found.word + i)));
        chain.open.any[b] = !empty(open);
        chain.won.block[b] = found;
        chain.won.any[b] = 1;
        record(found, b, static_cast<Code>(ply), code_class, chain.winner_plies,
               chain.winner_class);
    }
    return any_found;
}

template <class Code>
void collide(const Layout& layout, const Squares& pawns, const Collisions<Code>& collisions,
             std::uint32_t block, Code code, bool equal, bool take_out, Set set) {
    using Slot = typename Collisions<Code>::Slot;
    // Words are written only where something changes: most blocks have a few captures of a code.
    Block& out = set.any[block] ? set.block[block] : (fill(set.block[block], 0), set.block[block]);
    const auto put = [&](std::uint64_t& word, std::uint64_t bits) {
        word = take_out ? word & ~bits : word | bits;
    };
    const auto mask_of = [&](const Code* codes) {
        const std::uint64_t mask = equal_mask(codes, code);
        return equal ? mask : ~mask;
    };
    if (const std::uint32_t n = collisions.whole[block]) {
        const Code* codes = collisions.whole_codes.data() + (std::size_t{n - 1} << 12);
        for (int w = 0; w < 64; ++w) put(out.word[w], mask_of(codes + 64 * w));
    } else {
        const Place place = layout.place(pawns, block);
        const Code* codes =
            collisions.codes.data() + std::size_t{block} * collisions.slots.size() * 64;
        for (const Slot& slot : collisions.slots) {
            std::uint64_t mask = mask_of(codes);
            codes += 64;
            const Square s = slot.kind == Slot::Diagonal
                                 ? 0
                                 : place.squares[static_cast<std::size_t>(slot.partner)];
            if (slot.kind == Slot::Row) {
                put(out.word[s], mask);
            } else {
                while (mask) {
                    const Square w = pop_lowest(mask);
                    put(out.word[w], bit(slot.kind == Slot::Column ? s : w));
                }
            }
        }
    }
    set.any[block] = !empty(out);
}

template <class Code>
constexpr Solver<Code> make_solver() {
    return {king_captures, legal, stuck, lose<Code>, win<Code>, collide<Code>, write<Code>};
}

constexpr SolverTarget make_target(std::string_view name, std::string_view description) {
    return {name, description, make_solver<std::uint8_t>(), make_solver<std::uint16_t>()};
}

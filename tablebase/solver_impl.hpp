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
MANSUBA_INLINE void write_word(Code* cells, std::uint64_t bits, Code value) {
#if MANSUBA_X86 && MANSUBA_LANES == 4
    if constexpr (sizeof(Code) == 1)
        if (popcount(bits) >= 12) {
            const __m256i spread = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1,
                                                    2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
            const __m256i select = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201));
            for (int i = 0; i < 2; ++i) {
                auto* at = reinterpret_cast<__m256i*>(cells + 32 * i);
                const __m256i mask = _mm256_shuffle_epi8(
                    _mm256_set1_epi32(static_cast<int>(bits >> 32 * i)), spread);
                const __m256i where = _mm256_cmpeq_epi8(_mm256_and_si256(mask, select), select);
                _mm256_storeu_si256(
                    at, _mm256_blendv_epi8(_mm256_loadu_si256(at),
                                           _mm256_set1_epi8(static_cast<char>(value)), where));
            }
            return;
        }
#endif
    while (bits) cells[pop_lowest(bits)] = value;
}

template <class Code>
void write(Code* cells, const Block& set, std::uint8_t rows, Code value) {
    for_rows(rows, [&](int r) {
        for (int w = 8 * r; w < 8 * r + 8; ++w)
            if (set.word[w]) write_word(cells + 64 * w, set.word[w], value);
    });
}

// ---------------------------------------------------------------- blocks as wholes

MANSUBA_INLINE void fill(Block& b, std::uint64_t word) {
    for (std::uint64_t& w : b.word) w = word;
}

MANSUBA_INLINE void take_out(Block& from, const Block& what, RowSet rows) {
    for_rows(rows, [&](int r) { set_row(from, r, andnot(row(from, r), row(what, r))); });
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

/// Everything but word w of a row.
inline constexpr Block kNotWord = [] {
    Block b{};
    for (int w = 0; w < 8; ++w)
        for (int i = 0; i < 8; ++i) b.word[8 * w + i] = i == w ? 0 : ~std::uint64_t{0};
    return b;
}();

/// What moves are looked for: a block, and which of its rows matter.
struct Wanted {
    const Block& cells;
    RowSet rows;
};

/// Adds the cells from which an outer man moves into the set.
inline bool from_outer_man(const Layout& layout, const Place& place, std::size_t outer,
                           const Set& set, RowSet wanted, Block& out) {
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
            const RowSet rows = set.rows[n] & wanted;
            if (!rows) continue;
            found = true;
            for_rows(rows, [&](int r) { add_to_row(out, r, row(set.block[n], r)); });
        }
        return found;
    }
    const int first = type == PieceType::Bishop ? 1 : 0, step = type == PieceType::Queen ? 1 : 2;
    for (int d = first; d < 8; d += step) {
        const std::int8_t* ray = kRays.square[s][d];
        RowSet filled_at[7], rows = 0;
        int length = 0;  // up to the last square that has something
        for (int i = 0; i < kRays.length[s][d]; ++i) {
            filled_at[i] = set.rows[number(ray[i])] & wanted;
            rows |= filled_at[i];
            if (filled_at[i]) length = i + 1;
            if (place.occupied >> ray[i] & 1) break;
        }
        if (!length) continue;
        found = true;
        for_rows(rows, [&](int r) {
            Row reached = zero_row();
            for (int i = length - 1; i >= 0; --i) {
                const Square q = ray[i];
                reached = reached & ~bit(q);
                if (q >> 3 == r) reached = reached & row(kNotWord, q & 7);
                if (filled_at[i] >> r & 1) reached = reached | row(set.block[number(q)], r);
            }
            add_to_row(out, r, reached);
        });
    }
    return found;
}

inline bool from_king(const Layout& layout, const Place& place, Color c, const Set& set,
                      RowSet wanted, Block& out) {
    bool found = false;
    for (const Layout::Step& step : layout.steps(c, place.pair)) {
        std::uint32_t n = step.pair * layout.blocks_per_pair;
        for (std::size_t i = 0; i < layout.outer_men.size(); ++i)
            n += layout.outer_stride(i) *
                 static_cast<std::uint32_t>(
                     step.symmetry(place.squares[static_cast<std::size_t>(layout.outer_men[i])]));
        if (!set.rows[n]) continue;
        found = true;
        if (step.symmetry == Symmetry())
            for_rows(set.rows[n] & wanted,
                     [&](int r) { add_to_row(out, r, row(set.block[n], r)); });
        else
            add_image(out, set.block[n], set.rows[n], step.symmetry);
    }
    return found;
}

/// Adds the cells of a block from which a man of c (no pawn) moves into the set, at least those that
/// are wanted; stops once all of them are found. Whether there was anything in reach.
inline bool add_moves(const Layout& layout, const Place& place, std::uint32_t block, Color c,
                      const Set& set, const Wanted& wanted, Block& out) {
    const Piece word = layout.men[static_cast<std::size_t>(layout.word_man)];
    const Piece on_bit = layout.men[static_cast<std::size_t>(layout.bit_man)];
    bool found = false;
    if (const RowSet rows = set.rows[block]) {
        if (on_bit.color == c && (rows & wanted.rows)) {
            from_bit_man(on_bit.type, set.block[block], rows & wanted.rows, place.occupied, out);
            found = true;
        }
        if (word.color == c) {
            from_word_man(word.type, set.block[block], rows, place.occupied, out);
            found = true;
        }
        if (found && covers(out, wanted.cells, wanted.rows)) return true;
    }
    for (std::size_t i = 0; i < layout.outer_men.size(); ++i)
        if (layout.men[static_cast<std::size_t>(layout.outer_men[i])].color == c &&
            from_outer_man(layout, place, i, set, wanted.rows, out)) {
            found = true;
            if (covers(out, wanted.cells, wanted.rows)) return true;
        }
    return from_king(layout, place, c, set, wanted.rows, out) || found;
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
        captures.rows[b] = filled(out);
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
        legal.rows[b] = filled(out);
        if (!legal.rows[b]) continue;
        Block checks{};
        if (!add_moves(layout, place, b, c, captures, {out, legal.rows[b]}, checks)) continue;
        take_out(out, checks, 0xff);
        legal.rows[b] = filled(out);
    }
}

inline void stuck(const Layout& layout, const Squares& pawns, Color c, Set legal, Set targets,
                  const Block* pawn_moves, Set stuck, std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t b = first; b < last; ++b) {
        stuck.rows[b] = 0;
        const RowSet rows = legal.rows[b];
        if (!rows) continue;
        Block& left = stuck.block[b];
        for_rows(rows, [&](int r) { set_row(left, r, row(legal.block[b], r)); });
        if (pawn_moves) take_out(left, pawn_moves[b], rows);
        Block moves{};
        add_moves(layout, layout.place(pawns, b), b, c, targets, {left, rows}, moves);
        take_out(left, moves, rows);
        stuck.rows[b] = filled(left, rows);
    }
}

template <class Code>
MANSUBA_INLINE void record(const Block& found, RowSet rows, std::uint32_t block, Code plies,
                           std::uint8_t code_class, Code* cells, std::uint8_t* classes) {
    write(cells + (std::size_t{block} << 12), found, rows, plies);
    if (classes) write(classes + (std::size_t{block} << 12), found, rows, code_class);
}

template <class Code>
bool lose(const Chain<Code>& chain, int ply, bool all, std::uint8_t code_class, std::uint32_t first,
          std::uint32_t last) {
    const Color loser = ~chain.winner;
    const Layout& layout = *chain.layout;
    const auto before = static_cast<Code>(ply - 1);
    bool any_found = false;
    for (std::uint32_t b = first; b < last; ++b) {
        RowSet rows = chain.candidates.rows[b];
        if (!rows) continue;
        Block& open = chain.candidates.block[b];
        const Code* loss_key = chain.loss_key ? chain.loss_key + (std::size_t{b} << 12) : nullptr;
        const Place place = layout.place(chain.pawns, b);
        Block touched{};
        if (all) {
            for_rows(rows, [&](int r) { set_row(touched, r, row(open, r)); });
        } else {
            const bool by_pawn = chain.pawn_lost && chain.pawn_lost[b];
            if (!add_moves(layout, place, b, loser, chain.won, {open, rows}, touched) && !by_pawn)
                continue;
            for_rows(rows, [&](int r) {
                if (by_pawn)
                    for (int w = 8 * r; w < 8 * r + 8; ++w)
                        touched.word[w] |= equal_mask(loss_key + 64 * w, before);
                set_row(touched, r, row(touched, r) & row(open, r));
            });
        }
        if (loss_key)
            for_rows(rows, [&](int r) {
                for (int w = 8 * r; w < 8 * r + 8; ++w)
                    if (touched.word[w]) touched.word[w] &= at_most_mask(loss_key + 64 * w, before);
            });
        rows = filled(touched, rows);
        if (!rows) continue;
        Block escapes{};
        add_moves(layout, place, b, loser, chain.open, {touched, rows}, escapes);
        take_out(touched, escapes, rows);
        rows = filled(touched, rows);
        if (!rows) continue;
        any_found = true;
        take_out(open, touched, rows);
        chain.candidates.rows[b] = filled(open, chain.candidates.rows[b]);
        for_rows(rows, [&](int r) { set_row(chain.lost_next.block[b], r, row(touched, r)); });
        chain.lost_next.rows[b] = rows;
        record(touched, rows, b, static_cast<Code>(ply), code_class, chain.loser_plies,
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
        chain.won.rows[b] = 0;
        RowSet rows = chain.open.rows[b];
        if (!rows) continue;
        const Place place = layout.place(chain.pawns, b);
        if (place.clash) continue;
        Block& open = chain.open.block[b];
        Block wanted;  // what is open but for the captures
        for_rows(rows, [&](int r) {
            set_row(wanted, r, row(open, r) & row(kApart, r) & ~place.occupied);
        });
        Bitboard occupied = place.occupied;
        while (occupied) wanted.word[pop_lowest(occupied)] = 0;
        const bool by_pawn = chain.pawn_won && chain.pawn_won[b];
        Block found{};
        if (!add_moves(layout, place, b, chain.winner, chain.lost, {wanted, rows}, found) &&
            !by_pawn)
            continue;
        for_rows(rows, [&](int r) {
            if (by_pawn)
                for (int w = 8 * r; w < 8 * r + 8; ++w)
                    found.word[w] |= equal_mask(chain.win_key + (std::size_t{b} << 12) + 64 * w,
                                                static_cast<Code>(ply - 1));
            set_row(found, r, row(found, r) & row(wanted, r));
        });
        rows = filled(found, rows);
        if (!rows) continue;
        any_found = true;
        take_out(open, found, rows);
        chain.open.rows[b] = filled(open, chain.open.rows[b]);
        for_rows(rows, [&](int r) { set_row(chain.won.block[b], r, row(found, r)); });
        chain.won.rows[b] = rows;
        record(found, rows, b, static_cast<Code>(ply), code_class, chain.winner_plies,
               chain.winner_class);
    }
    return any_found;
}

/// Codes of DtmCode, even for losses and odd for wins.
template <class Code>
MANSUBA_INLINE std::uint64_t decided_mask(const Code* codes, bool won) {
    std::uint64_t mask = 0;
#if MANSUBA_X86
    if constexpr (sizeof(Code) == 1) {
        const __m128i max = _mm_set1_epi8(static_cast<char>(DtmCode<Code>::kMaxPlies));
        const __m128i flip = _mm_set1_epi8(won ? 0 : 1);
        for (int i = 0; i < 4; ++i) {
            const __m128i c = _mm_loadu_si128(reinterpret_cast<const __m128i*>(codes) + i);
            const __m128i parity = _mm_slli_epi16(_mm_xor_si128(c, flip), 7);
            const __m128i in = _mm_cmpeq_epi8(_mm_min_epu8(c, max), c);
            mask |= static_cast<std::uint64_t>(
                        static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_and_si128(parity, in))))
                    << 16 * i;
        }
        return mask;
    }
#endif
    for (int i = 0; i < 64; ++i)
        mask |= std::uint64_t{codes[i] <= DtmCode<Code>::kMaxPlies && (codes[i] & 1) == won} << i;
    return mask;
}

template <class Code>
void decided(const Code* cells, bool won, Set out, std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t b = first; b < last; ++b) {
        for (int w = 0; w < 64; ++w)
            out.block[b].word[w] = decided_mask(cells + (std::size_t{b} << 12) + 64 * w, won);
        out.rows[b] = filled(out.block[b]);
    }
}

template <class Code>
void collide(const Layout& layout, const Squares& pawns, const Collisions<Code>& collisions,
             std::uint32_t block, Code code, bool equal, bool take_out, Set set) {
    using Slot = typename Collisions<Code>::Slot;
    Block& out = set.block[block];
    for_rows(static_cast<RowSet>(~set.rows[block]), [&](int r) { set_row(out, r, zero_row()); });
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
    set.rows[block] = filled(out);
}

template <class Code>
constexpr Solver<Code> make_solver() {
    return {king_captures, legal,         stuck,         lose<Code>,
            win<Code>,     collide<Code>, decided<Code>, write<Code>};
}

constexpr SolverTarget make_target(std::string_view name, std::string_view description) {
    return {name, description, make_solver<std::uint8_t>(), make_solver<std::uint16_t>()};
}

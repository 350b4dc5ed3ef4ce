// The bodies of the solver's steps: included once a target after block_impl.hpp, inside its region
// and namespace. No include guard.

/// Where the value stands among 64 codes.
template <class Code>
MANSUBA_INLINE std::uint64_t equal_mask(const Code* codes, Code value) {
    std::uint64_t mask = 0;
#if MANSUBA_X86 && MANSUBA_LANES == 8
    if constexpr (sizeof(Code) == 1)
        return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(codes),
                                      _mm512_set1_epi8(static_cast<char>(value)));
#elif MANSUBA_X86
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
#if MANSUBA_X86 && MANSUBA_LANES == 8
    if constexpr (sizeof(Code) == 1)
        return _mm512_cmple_epu8_mask(_mm512_loadu_si512(codes),
                                      _mm512_set1_epi8(static_cast<char>(value)));
#elif MANSUBA_X86
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
#if MANSUBA_X86 && MANSUBA_LANES == 8
    if constexpr (sizeof(Code) == 1) {
        _mm512_mask_storeu_epi8(cells, bits, _mm512_set1_epi8(static_cast<char>(value)));
    } else {
        const __m512i values = _mm512_set1_epi16(static_cast<short>(value));
        _mm512_mask_storeu_epi16(cells, static_cast<__mmask32>(bits), values);
        _mm512_mask_storeu_epi16(cells + 32, static_cast<__mmask32>(bits >> 32), values);
    }
    return;
#elif MANSUBA_X86 && MANSUBA_LANES == 4
    if constexpr (sizeof(Code) == 1)
        if (popcount(bits) >= 3) {
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
    for (int r = 0; r < 8; ++r) set_row(out, r, free_cells(place.occupied, r));
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

/// What a man on q leaves of a path through it, in rows without word q and in the row with it, where
/// the word man may be the man on q.
struct Passing {
    alignas(64) std::uint64_t other[64][8];
    alignas(64) std::uint64_t own[64][8];
    alignas(64) std::uint64_t none[8];
};
inline constexpr Passing kPassing = [] {
    Passing p{};
    for (int q = 0; q < 64; ++q)
        for (int w = 0; w < 8; ++w) {
            p.other[q][w] = ~(std::uint64_t{1} << q);
            p.own[q][w] = w == (q & 7) ? 0 : ~(std::uint64_t{1} << q);
        }
    return p;
}();

/// The lines of the board in each of the eight directions, each from its end to its beginning.
struct Lines {
    std::int8_t square[8][15][8];
    std::int8_t length[8][15];
    std::int8_t count[8];
};
inline constexpr Lines kLinesOf = [] {
    Lines l{};
    for (int d = 0; d < 8; ++d)
        for (int s = 0; s < 64; ++s) {
            if (kRays.length[s][d]) continue;  // the end of a line
            const int back = (d + 4) % 8;
            auto& line = l.square[d][l.count[d]];
            int n = 0;
            line[n++] = static_cast<std::int8_t>(s);
            for (int i = 0; i < kRays.length[s][back]; ++i) line[n++] = kRays.square[s][back][i];
            if (n > 1) l.length[d][l.count[d]++] = static_cast<std::int8_t>(n);
        }
    return l;
}();

/// What moves are looked for: a block, and which of its rows matter.
struct Wanted {
    const Block& cells;
    RowSet rows;
};

/// Adds, to the 64 blocks that differ in the square of a man only, the cells from which it moves into the
/// set. `number` tells which blocks these are.
inline void along_lines(PieceType type, Bitboard occupied, const std::uint32_t* number,
                        const Set& set, RowSet wanted, Block* out, std::uint8_t* found) {
    const int first = type == PieceType::Bishop ? 1 : 0, step = type == PieceType::Queen ? 1 : 2;
    for (int d = first; d < 8; d += step)
        for (int l = 0; l < kLinesOf.count[d]; ++l) {
            const std::int8_t* line = kLinesOf.square[d][l];
            const int length = kLinesOf.length[d][l];
            RowSet rows_at[8], rows = 0;
            for (int i = 0; i + 1 < length; ++i) {
                rows_at[i] = set.rows[number[line[i]]] & wanted;
                rows |= rows_at[i];
            }
            if (!rows) continue;
            for (int i = 1; i < length; ++i) found[line[i]] = 1;
            for_rows(rows, [&](int r) {
                Row reached = zero_row();
                for (int i = 0; i + 1 < length; ++i) {
                    const Square q = line[i];
                    const std::uint64_t* pass = (q >> 3) == r ? kPassing.own[q] : kPassing.other[q];
                    if (occupied >> q & 1) pass = kPassing.none;
                    const std::uint64_t* here =
                        rows_at[i] >> r & 1 ? set.block[number[q]].word + 8 * r : kPassing.none;
                    reached = (reached & load(pass)) | load(here);
                    add_to_row(out[line[i + 1]], r, reached);
                }
            });
        }
}

/// Adds the cells of one block from which an outer man moves into the set.
inline bool from_outer_man(const Layout& layout, const Place& place, std::size_t outer,
                           const Set& set, RowSet wanted, Block& out) {
    const auto man = static_cast<std::size_t>(layout.outer_men[outer]);
    const PieceType type = layout.men[man].type;
    const Square s = place.squares[man];
    const std::uint32_t stride = layout.outer_stride(outer);
    const std::uint32_t base =
        place.pair * layout.blocks_per_pair + place.outer - static_cast<std::uint32_t>(s) * stride;
    const auto number = [&](int square) {
        return layout.index->kept(base + static_cast<std::uint32_t>(square) * stride);
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
        RowSet rows_at[7], rows = 0;
        int length = 0;  // up to the last square that has something
        for (int i = 0; i < kRays.length[s][d]; ++i) {
            rows_at[i] = set.rows[number(ray[i])] & wanted;
            rows |= rows_at[i];
            if (rows_at[i]) length = i + 1;
            if (place.occupied >> ray[i] & 1) break;
        }
        if (!length) continue;
        found = true;
        for_rows(rows, [&](int r) {
            Row reached = zero_row();
            for (int i = length - 1; i >= 0; --i) {
                const Square q = ray[i];
                const std::uint64_t* pass = (q >> 3) == r ? kPassing.own[q] : kPassing.other[q];
                const std::uint64_t* here =
                    rows_at[i] >> r & 1 ? set.block[number(q)].word + 8 * r : kPassing.none;
                reached = (reached & load(pass)) | load(here);
            }
            add_to_row(out, r, reached);
        });
    }
    return found;
}

/// Blocks that are worked on together: those that differ in the square of the last outer man, where
/// that is a slider, else one.
struct Plane {
    std::uint32_t first, size;
};
MANSUBA_INLINE std::uint32_t plane_size(const Layout& layout) {
    if (layout.outer_men.empty()) return 1;
    switch (layout.men[static_cast<std::size_t>(layout.outer_men.back())].type) {
        case PieceType::Queen:
        case PieceType::Rook:
        case PieceType::Bishop: return 64;
        default: return 1;
    }
}

/// Where a king's step leads from the blocks of a plane.
struct Neighbour {
    const Index* index;
    std::uint32_t first;  // block, without the plane's man
    std::uint32_t stride;
    Symmetry symmetry;

    MANSUBA_INLINE std::uint32_t of(std::uint32_t i) const {
        return index->kept(first +
                           stride * static_cast<std::uint32_t>(symmetry(static_cast<Square>(i))));
    }
};

/// The moves of one side into a set, block by block of a plane.
struct Moves {
    alignas(64) Block block[64];
    std::uint8_t found[64];  // whether there was anything in reach of the plane's man
    Neighbour neighbours[8];
    int neighbour_count;

    /// Begins a plane: takes up the moves of the man that the blocks differ in. Only rows in `wanted`
    /// of any of the blocks matter.
    void begin(const Layout& layout, const Squares& pawns, Plane plane, Color c, const Set& set,
               RowSet wanted) {
        for (std::uint32_t i = 0; i < plane.size; ++i) {
            found[i] = 0;
            for (int r = 0; r < 8; ++r) set_row(block[i], r, zero_row());
        }
        const Place place = layout.place(pawns, plane.first);
        neighbour_count = 0;
        for (const Layout::Step& step : layout.steps(c, place.pair)) {
            Neighbour& n = neighbours[neighbour_count++];
            n = {layout.index, step.pair * layout.blocks_per_pair, plane.size > 1, step.symmetry};
            const std::size_t still = layout.outer_men.size() - n.stride;
            for (std::size_t o = 0; o < still; ++o)
                n.first += layout.outer_stride(o) *
                           static_cast<std::uint32_t>(step.symmetry(
                               place.squares[static_cast<std::size_t>(layout.outer_men[o])]));
        }
        if (plane.size == 1) return;
        const auto man = static_cast<std::size_t>(layout.outer_men.back());
        if (layout.men[man].color != c) return;
        Bitboard occupied = 0;
        for (int m : layout.fixed_men)
            if (static_cast<std::size_t>(m) != man)
                occupied |= bit(place.squares[static_cast<std::size_t>(m)]);
        std::uint32_t number[64];
        for (std::uint32_t i = 0; i < 64; ++i) number[i] = layout.index->kept(plane.first + i);
        along_lines(layout.men[man].type, occupied, number, set, wanted, block, found);
    }

    /// Adds the moves of the others for block i of the plane, at least those that are wanted; stops
    /// once all of them are found. Whether there was anything in reach.
    bool complete(const Layout& layout, const Place& place, Plane plane, std::uint32_t i, Color c,
                  const Set& set, const Wanted& wanted) {
        const Piece word = layout.men[static_cast<std::size_t>(layout.word_man)];
        const Piece on_bit = layout.men[static_cast<std::size_t>(layout.bit_man)];
        Block& out = block[i];
        bool any_found = found[i];
        if (any_found && covers(out, wanted.cells, wanted.rows)) return true;
        if (const RowSet rows = set.rows[plane.first + i]) {
            const Block& own = set.block[plane.first + i];
            if (on_bit.color == c && (rows & wanted.rows)) {
                from_bit_man(on_bit.type, own, rows & wanted.rows, place.occupied, out);
                any_found = true;
            }
            if (word.color == c) {
                from_word_man(word.type, own, rows, place.occupied, out);
                any_found = true;
            }
            if (any_found && covers(out, wanted.cells, wanted.rows)) return true;
        }
        const std::size_t outers = layout.outer_men.size() - (plane.size > 1 ? 1 : 0);
        for (std::size_t o = 0; o < outers; ++o)
            if (layout.men[static_cast<std::size_t>(layout.outer_men[o])].color == c &&
                from_outer_man(layout, place, o, set, wanted.rows, out)) {
                any_found = true;
                if (covers(out, wanted.cells, wanted.rows)) return true;
            }
        return from_king(set, i, wanted.rows, out) || any_found;
    }

    bool from_king(const Set& set, std::uint32_t i, RowSet wanted, Block& out) const {
        bool found_any = false;
        RowSet rows_of[8], beside = 0;  // of neighbours in the same frame
        const std::uint64_t* words[8];
        int count = 0;
        for (int k = 0; k < neighbour_count; ++k) {
            const Neighbour& neighbour = neighbours[k];
            const std::uint32_t n = neighbour.of(i);
            const RowSet rows = set.rows[n];
            if (!rows) continue;
            found_any = true;
            if (neighbour.symmetry == Symmetry()) {
                words[count] = set.block[n].word;
                rows_of[count++] = rows;
                beside |= rows;
            } else {
                add_image(out, set.block[n], rows, neighbour.symmetry);
            }
        }
        for_rows(beside & wanted, [&](int r) {
            Row sum = row(out, r);
            for (int k = 0; k < count; ++k)
                if (rows_of[k] >> r & 1) sum = sum | load(words[k] + 8 * r);
            set_row(out, r, sum);
        });
        return found_any;
    }
};

/// Calls `work` for every plane of a range of blocks, which holds whole ones.
template <class Work>
MANSUBA_INLINE void for_planes(const Layout& layout, std::uint32_t first, std::uint32_t last,
                               const Work& work) {
    const std::uint32_t size = plane_size(layout);
    for (std::uint32_t b = first; b < last; b += size) work(Plane{b, size});
}
MANSUBA_INLINE RowSet rows_of(const Set& set, Plane plane) {
    RowSet rows = 0;
    for (std::uint32_t i = 0; i < plane.size; ++i) rows |= set.rows[plane.first + i];
    return rows;
}

// ---------------------------------------------------------------- steps

inline void king_captures(const Layout& layout, const Squares& pawns, Color c, Set captures,
                          std::uint32_t first, std::uint32_t last) {
    const int king = c == Color::White ? Index::kBlackKing : Index::kWhiteKing;
    for (std::uint32_t b = first; b < last; ++b) {
        captures.rows[b] = 0;
        if (!layout.index->is_kept(b)) continue;
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
    Moves checks;
    for_planes(layout, first, last, [&](Plane plane) {
        checks.begin(layout, pawns, plane, c, captures, 0xff);
        for (std::uint32_t i = 0; i < plane.size; ++i) {
            const std::uint32_t b = plane.first + i;
            legal.rows[b] = 0;
            if (!layout.index->is_kept(b)) continue;
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
            if (!checks.complete(layout, place, plane, i, c, captures, {out, legal.rows[b]}))
                continue;
            take_out(out, checks.block[i], 0xff);
            legal.rows[b] = filled(out);
        }
    });
}

inline void stuck(const Layout& layout, const Squares& pawns, Color c, Set legal, Set targets,
                  const Block* pawn_moves, Set stuck, std::uint32_t first, std::uint32_t last) {
    Moves moves;
    for_planes(layout, first, last, [&](Plane plane) {
        const RowSet all_rows = rows_of(legal, plane);
        if (all_rows) moves.begin(layout, pawns, plane, c, targets, all_rows);
        for (std::uint32_t i = 0; i < plane.size; ++i) {
            const std::uint32_t b = plane.first + i;
            stuck.rows[b] = 0;
            const RowSet rows = legal.rows[b];
            if (!rows) continue;
            Block left;
            for_rows(rows, [&](int r) { set_row(left, r, row(legal.block[b], r)); });
            if (pawn_moves) take_out(left, pawn_moves[b], rows);
            moves.complete(layout, layout.place(pawns, b), plane, i, c, targets, {left, rows});
            take_out(left, moves.block[i], rows);
            stuck.rows[b] = filled(left, rows);
            // Few blocks have any: the others' memory is not touched.
            for_rows(stuck.rows[b], [&](int r) { set_row(stuck.block[b], r, row(left, r)); });
        }
    });
}

template <class Code>
bool lose(const Chain<Code>& chain, int ply, bool all, std::uint32_t first, std::uint32_t last) {
    const Color loser = ~chain.winner;
    const Layout& layout = *chain.layout;
    const auto before = static_cast<Code>(ply - 1);
    bool any_found = false;
    Moves touching, escapes;
    for_planes(layout, first, last, [&](Plane plane) {
        const RowSet open_rows = rows_of(chain.candidates, plane);
        if (!open_rows) return;
        touching.begin(layout, chain.pawns, plane, loser, chain.won, all ? 0 : open_rows);
        RowSet rows_at[64], left_rows = 0;
        for (std::uint32_t i = 0; i < plane.size; ++i) {
            const std::uint32_t b = plane.first + i;
            rows_at[i] = 0;
            const RowSet rows = chain.candidates.rows[b];
            if (!rows) continue;
            const Block& open = chain.candidates.block[b];
            Block& touched = touching.block[i];
            const Code* loss_key =
                chain.loss_key ? chain.loss_key + (std::size_t{b} << 12) : nullptr;
            if (all) {
                for_rows(rows, [&](int r) { set_row(touched, r, row(open, r)); });
            } else {
                const bool by_pawn = chain.pawn_lost && chain.pawn_lost[b];
                if (!touching.complete(layout, layout.place(chain.pawns, b), plane, i, loser,
                                       chain.won, {open, rows}) &&
                    !by_pawn)
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
                        if (touched.word[w])
                            touched.word[w] &= at_most_mask(loss_key + 64 * w, before);
                });
            rows_at[i] = filled(touched, rows);
            left_rows |= rows_at[i];
        }
        if (!left_rows) return;
        escapes.begin(layout, chain.pawns, plane, loser, chain.open, left_rows);
        for (std::uint32_t i = 0; i < plane.size; ++i) {
            if (!rows_at[i]) continue;
            const std::uint32_t b = plane.first + i;
            Block& lost = touching.block[i];
            escapes.complete(layout, layout.place(chain.pawns, b), plane, i, loser, chain.open,
                             {lost, rows_at[i]});
            take_out(lost, escapes.block[i], rows_at[i]);
            const RowSet rows = filled(lost, rows_at[i]);
            if (!rows) continue;
            any_found = true;
            take_out(chain.candidates.block[b], lost, rows);
            chain.candidates.rows[b] = filled(chain.candidates.block[b], chain.candidates.rows[b]);
            for_rows(rows, [&](int r) { set_row(chain.lost_next.block[b], r, row(lost, r)); });
            chain.lost_next.rows[b] = rows;
            write(chain.loser_plies + (std::size_t{b} << 12), lost, rows, static_cast<Code>(ply));
        }
    });
    return any_found;
}

template <class Code>
bool win(const Chain<Code>& chain, int ply, std::uint32_t first, std::uint32_t last) {
    const Layout& layout = *chain.layout;
    bool any_found = false;
    Moves moves;
    for_planes(layout, first, last, [&](Plane plane) {
        for (std::uint32_t i = 0; i < plane.size; ++i) chain.won.rows[plane.first + i] = 0;
        const RowSet open_rows = rows_of(chain.open, plane);
        if (!open_rows) return;
        moves.begin(layout, chain.pawns, plane, chain.winner, chain.lost, open_rows);
        for (std::uint32_t i = 0; i < plane.size; ++i) {
            const std::uint32_t b = plane.first + i;
            RowSet rows = chain.open.rows[b];
            if (!rows) continue;
            const Place place = layout.place(chain.pawns, b);
            if (place.clash) continue;
            Block& open = chain.open.block[b];
            Block wanted;  // what is open but for the captures
            for_rows(rows, [&](int r) {
                set_row(wanted, r, row(open, r) & free_cells(place.occupied, r));
            });
            const bool by_pawn = chain.pawn_won && chain.pawn_won[b];
            if (!moves.complete(layout, place, plane, i, chain.winner, chain.lost,
                                {wanted, rows}) &&
                !by_pawn)
                continue;
            Block& found = moves.block[i];
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
            write(chain.winner_plies + (std::size_t{b} << 12), found, rows, static_cast<Code>(ply));
        }
    });
    return any_found;
}

template <class Code>
void classify(const Set& set, const Code* plies, int rule_plies,
              std::array<std::uint8_t, 2> by_rule, std::uint8_t* classes, std::uint32_t first,
              std::uint32_t last) {
    const auto rule =
        static_cast<Code>(std::min(rule_plies, static_cast<int>(std::numeric_limits<Code>::max())));
    for (std::uint32_t b = first; b < last; ++b)
        for_rows(set.rows[b], [&](int r) {
            for (int w = 8 * r; w < 8 * r + 8; ++w) {
                const std::uint64_t cells = set.block[b].word[w];
                if (!cells) continue;
                const std::size_t at = (std::size_t{b} << 12) + static_cast<std::size_t>(64 * w);
                const std::uint64_t in_time = at_most_mask(plies + at, rule);
                write_word(classes + at, cells & in_time, by_rule[0]);
                if (cells & ~in_time) write_word(classes + at, cells & ~in_time, by_rule[1]);
            }
        });
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
void decided(const Code* cells, bool won, Set legal, Set out, std::uint32_t first,
             std::uint32_t last) {
    for (std::uint32_t b = first; b < last; ++b) {
        for_rows(legal.rows[b], [&](int r) {
            for (int w = 8 * r; w < 8 * r + 8; ++w)
                out.block[b].word[w] = decided_mask(cells + (std::size_t{b} << 12) + 64 * w, won);
        });
        out.rows[b] = filled(out.block[b], legal.rows[b]);
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
        const Code* codes = collisions.codes.template as<Code>() +
                            std::size_t{block} * collisions.slots.size() * 64;
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
    return {king_captures, legal,         stuck,          lose<Code>, win<Code>,
            collide<Code>, decided<Code>, classify<Code>, write<Code>};
}

constexpr SolverTarget make_target(std::string_view name, std::string_view description) {
    return {name, description, make_solver<std::uint8_t>(), make_solver<std::uint16_t>()};
}

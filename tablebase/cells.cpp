#include "tablebase/cells.hpp"

#include <algorithm>
#include <cstring>

#include "core/attacks.hpp"
#include "tablebase/solver.hpp"

namespace mansuba::tablebase {
namespace {

constexpr Color kColors[] = {Color::White, Color::Black};

/// No helpmate, as files have it.
constexpr std::uint8_t kStoredNever = 255;

std::size_t side_of(Color c) { return static_cast<std::size_t>(c); }

/// Runs through blocks of cells: `worth` of each that is canonical and `known`, both asked by number.
template <class Stored, class Known, class Worth>
void encode_as(std::span<const Block> canonical, Stored* out, const Known& known,
               const Worth& worth) {
    Stored last = 0;
    std::size_t leading = 0, i = 0;
    bool any = false;
    for (const Block& block : canonical)
        for (const std::uint64_t word : block.word) {
            if (!word) {
                std::fill(out + i, out + i + 64, last);
                i += 64;
                continue;
            }
            for (int bit = 0; bit < 64; ++bit, ++i) {
                // Chosen rather than branched: which cells count is hard to foresee.
                const bool counts = (word >> bit & 1) & (known(i) ? 1 : 0);
                last = counts ? static_cast<Stored>(worth(i)) : last;
                leading = any ? leading : i;
                any |= counts;
                out[i] = last;
            }
        }
    if (any) std::fill(out, out + leading, out[leading]);
}

/// Numbers of 64 cells that differ in the square of the last man.
using Row = std::array<std::uint16_t, 64>;

/// Where the numbers of a row's legal cells are in a file.
struct RowSource {
    std::uint64_t first;
    bool direct;  // each in its own cell, else:
    std::array<std::uint64_t, 64> cells;

    Row read(const StoredCells& stored) const {
        return stored.bytes_per_cell == 1 ? read(stored.pages.as<std::uint8_t>())
                                          : read(stored.pages.as<std::uint16_t>());
    }

private:
    template <class Stored>
    Row read(const Stored* stored) const {
        Row row;
        if (direct)
            std::copy_n(stored + first, 64, row.begin());
        else
            for (std::size_t x = 0; x < 64; ++x) row[x] = stored[cells[x]];
        return row;
    }
};

void write_row(Numbers& to, std::uint64_t first, const Row& row) {
    if (to.wide()) {
        std::copy(row.begin(), row.end(), to.as<std::uint16_t>() + first);
    } else {
        std::uint8_t* const out = to.as<std::uint8_t>() + first;
        for (std::size_t x = 0; x < 64; ++x) out[x] = static_cast<std::uint8_t>(row[x]);
    }
}

/// Moves of the longest mate, with how much later it comes at a clock of 0.
unsigned longest_of(const StoredCells& dtm, const StoredCells& later) {
    if (!dtm.there()) return 0;
    const auto longest = [&]<class Stored>(const Stored* moves) {
        const auto* const more = later.there() ? later.pages.as<std::uint8_t>() : nullptr;
        unsigned most = 0;
#pragma omp parallel for reduction(max : most)
        for (std::uint64_t i = 0; i < dtm.count; ++i)
            most = std::max(most, moves[i] + (more ? more[i] : 0u));
        return most;
    };
    return dtm.bytes_per_cell == 1 ? longest(dtm.pages.as<std::uint8_t>())
                                   : longest(dtm.pages.as<std::uint16_t>());
}

}  // namespace

int stored_bytes(const Table& table, Metric metric, Color side_to_move) {
    const auto side = side_of(side_to_move);
    switch (metric) {
        case Metric::Dtz: return table.dtz[side].wide() ? 2 : 1;
        case Metric::Dtz75: return table.distances(true)[side].wide() ? 2 : 1;
        case Metric::Dtm: {
            // Halved plies mostly fit a byte where plies do not.
            if (!table.dtm[side].wide()) return 1;
            const std::uint16_t* codes = table.dtm[side].as<std::uint16_t>();
            const std::uint64_t n = table.dtm[side].size();
            return std::all_of(codes, codes + n,
                               [](std::uint16_t c) {
                                   return c <= 510 || c > DtmCode<std::uint16_t>::kMaxPlies;
                               })
                       ? 1
                       : 2;
        }
        default: return 1;
    }
}

void encode(const Table& table, Metric metric, Color side_to_move, std::uint64_t first,
            std::span<const Block> canonical, int bytes, std::byte* out) {
    const auto side = side_of(side_to_move);
    const std::uint64_t cell = first << 12;
    const bool automatic = metric == Metric::Wdl75 || metric == Metric::Dtz75;
    const std::uint8_t* const classes = table.classes(automatic)[side].as<std::uint8_t>() + cell;
    const auto legal = [&](std::size_t i) { return classes[i] != wdl_code::kIllegal; };
    const auto decided = [&](std::size_t i) { return 0b0011011u >> classes[i] & 1; };
    const auto put = [&](const auto& known, const auto& worth) {
        if (bytes == 1)
            encode_as(canonical, reinterpret_cast<std::uint8_t*>(out), known, worth);
        else
            encode_as(canonical, reinterpret_cast<std::uint16_t*>(out), known, worth);
    };
    const auto put_plies = [&](const Numbers& numbers, const auto& worth) {
        if (numbers.wide())
            put(decided, [&, plies = numbers.as<std::uint16_t>() + cell](std::size_t i) {
                return worth(plies[i]);
            });
        else
            put(decided, [&, plies = numbers.as<std::uint8_t>() + cell](std::size_t i) {
                return worth(plies[i]);
            });
    };
    const auto mates = [&](std::size_t winner) {
        return table.dth[winner][side].as<std::uint8_t>() + cell;
    };
    switch (metric) {
        case Metric::Wdl:
        case Metric::Wdl75:
            return put(legal, [&](std::size_t i) {
                const int code = std::min(classes[i], std::uint8_t{wdl_code::kStalemate});
                return code == wdl_code::kStalemate ? 0 : code - wdl_code::kDraw;
            });
        case Metric::Dtz:
        case Metric::Dtz75:
            return put_plies(table.distances(automatic)[side],
                             [](unsigned plies) { return plies; });
        case Metric::Dtm:
            return put_plies(table.dtm[side], [](unsigned plies) { return (plies + 1) / 2; });
        case Metric::Winnable:
            return put(legal, [white = mates(0), black = mates(1)](std::size_t i) {
                return (white[i] != help_code::kNever) | (black[i] != help_code::kNever) << 1;
            });
        case Metric::DthWhite:
        case Metric::DthBlack:
            return put(legal, [plies = mates(metric == Metric::DthBlack)](std::size_t i) {
                return plies[i] == help_code::kNever ? kStoredNever : plies[i];
            });
        case Metric::Dtm50: break;  // has a clock: encode_later()
    }
}

void encode_later(const Table& table, int clock, Color side_to_move, std::uint64_t first,
                  std::span<const Block> canonical, std::byte* out) {
    const std::uint64_t begin = first << 12, end = (first + canonical.size()) << 12;
    const auto& row = table.dtm50_later[static_cast<std::size_t>(clock - table.dtm50_first)]
                                       [side_of(side_to_move)];
    auto next = std::lower_bound(row.begin(), row.end(), begin,
                                 [](const Table::Later& l, std::uint64_t c) { return l.cell < c; });
    std::fill(out, out + (end - begin), std::byte{0});
    for (; next != row.end() && next->cell < end; ++next) {
        const std::uint64_t i = next->cell - begin;
        if (canonical[i >> 12].word[i >> 6 & 63] >> (i & 63) & 1)
            out[i] = static_cast<std::byte>(next->moves);
    }
}

Table decode(const Material& material, Metrics metrics, bool limits_agree, const ReadCells& read,
             const std::string& simd) {
    Table table(material);
    table.limits_agree = metrics.has_75() && limits_agree;
    const Layout layout(table.index);
    const auto& solver = solver_target(simd).narrow;
    const std::uint32_t blocks = layout.blocks;
    const std::uint64_t cells = table.index.cells();
    const std::uint32_t placements = table.index.pawns().size();

    // Which cells are legal is not in the file.
    std::array<std::vector<std::uint8_t>, 2> rows;
    std::array<Pages, 2> sets;
    for (std::size_t side = 0; side < 2; ++side) {
        rows[side].resize(blocks);
        sets[side] = Pages(std::size_t{blocks} * sizeof(Block));
    }
    const Set captures{sets[0].as<Block>(), rows[0].data()},
        legal{sets[1].as<Block>(), rows[1].data()};

    const bool dth_by_length = metrics.has_dth();
    const bool mates = dth_by_length || metrics.has(Metric::Winnable);
    table.dth_by_length = dth_by_length;
    for (const Color c : kColors) {
        const auto side = side_of(c);
        const auto read_if = [&](Metric m, bool wanted) {
            return wanted ? read(m, c) : StoredCells{};
        };
        const StoredCells wdl = read(Metric::Wdl, c),
                          dtz = read_if(Metric::Dtz, metrics.has(Metric::Dtz)),
                          dtm = read_if(Metric::Dtm, metrics.has(Metric::Dtm)),
                          wdl75 = read_if(Metric::Wdl75, metrics.has_75() && !limits_agree),
                          dtz75 =
                              read_if(Metric::Dtz75, metrics.has(Metric::Dtz75) && !limits_agree),
                          winnable = read_if(Metric::Winnable, mates && !dth_by_length),
                          by_white = read_if(Metric::DthWhite, dth_by_length),
                          by_black = read_if(Metric::DthBlack, dth_by_length),
                          later = read_if(Metric::Dtm50, metrics.has(Metric::Dtm50));
        const bool wide =
            2 * longest_of(dtm, later) > static_cast<unsigned>(DtmCode<std::uint8_t>::kMaxPlies);
        const auto allocate = [&](Numbers& to, bool wanted, bool two_bytes) {
            if (wanted) to = Numbers(cells, two_bytes);
        };
        allocate(table.wdl[side], true, false);
        allocate(table.dtz[side], dtz.there(), dtz.bytes_per_cell == 2);
        allocate(table.dtm[side], dtm.there(), wide);
        allocate(table.dtm50_start[side], later.there(), wide);
        allocate(table.wdl75[side], wdl75.there(), false);
        allocate(table.dtz75[side], dtz75.there(), dtz75.bytes_per_cell == 2);
        for (auto& by_winner : table.dth) allocate(by_winner[side], mates, false);

        const unsigned dtm_illegal =
            wide ? DtmCode<std::uint16_t>::kIllegal : DtmCode<std::uint8_t>::kIllegal;
        const unsigned dtm_draw =
            wide ? DtmCode<std::uint16_t>::kDraw : DtmCode<std::uint8_t>::kDraw;
        const auto write = [&](Numbers& to, std::uint64_t first, Bitboard is_legal,
                               unsigned illegal, const auto& number) {
            Row row;
            for (unsigned x = 0; x < 64; ++x)
                row[x] = static_cast<std::uint16_t>(is_legal >> x & 1 ? number(x) : illegal);
            write_row(to, first, row);
        };
        const auto put_classes = [&](const StoredCells& stored, Numbers& classes,
                                     const StoredCells& stored_plies, Numbers& plies,
                                     const RowSource& from, Bitboard is_legal) {
            Row codes = from.read(stored);  // as they are in a byte
            for (std::uint16_t& code : codes) code = (code + wdl_code::kDraw) & 255;
            write(classes, from.first, is_legal, wdl_code::kIllegal,
                  [&](unsigned x) { return codes[x]; });
            if (plies.size())
                write(plies, from.first, is_legal, 0,
                      [&, number = from.read(stored_plies)](unsigned x) {
                          return codes[x] == wdl_code::kDraw ? 0u : number[x];
                      });
            return codes;
        };
        const auto put_mates = [&](std::size_t winner, const StoredCells& stored,
                                   const RowSource& from, Bitboard is_legal) {
            const Row number = from.read(dth_by_length ? stored : winnable);
            write(table.dth[winner][side], from.first, is_legal, help_code::kIllegal,
                  [&](unsigned x) -> unsigned {
                      if (!dth_by_length) return number[x] >> winner & 1 ? 0 : help_code::kNever;
                      return number[x] == kStoredNever ? help_code::kNever : number[x];
                  });
        };
        const auto put_row = [&](const RowSource& from, Bitboard is_legal) {
            const Row codes =
                put_classes(wdl, table.wdl[side], dtz, table.dtz[side], from, is_legal);
            if (table.wdl75[side].size())
                put_classes(wdl75, table.wdl75[side], dtz75, table.dtz75[side], from, is_legal);
            Row moves{};
            if (dtm.there()) {
                moves = from.read(dtm);
                write(table.dtm[side], from.first, is_legal, dtm_illegal, [&](unsigned x) {
                    return codes[x] == wdl_code::kDraw
                               ? dtm_draw
                               : 2u * moves[x] - (codes[x] > wdl_code::kDraw ? 1 : 0);
                });
            }
            if (later.there())
                write(table.dtm50_start[side], from.first, is_legal, dtm_illegal,
                      [&, more = from.read(later)](unsigned x) {
                          if (codes[x] == wdl_code::kWin) return 2u * (moves[x] + more[x]) - 1;
                          if (codes[x] == wdl_code::kLoss) return 2u * (moves[x] + more[x]);
                          return dtm_draw;
                      });
            if (mates) {
                put_mates(0, by_white, from, is_legal);
                put_mates(1, by_black, from, is_legal);
            }
        };
        for (std::uint32_t p = 0; p < placements; ++p) {
            const Squares pawns = layout.pawns(p);
            solver.king_captures(layout, pawns, c, captures, 0, blocks);
            solver.legal(layout, pawns, c, captures, legal, 0, blocks);
            // Placements with few blocks are many: to wake the threads for each takes longer than the
            // work, and for ever where others want the processors, too.
#pragma omp parallel for schedule(dynamic, 64) if (blocks > 64)
            for (std::uint32_t b = 0; b < blocks; ++b) {
                const Block canonical = layout.canonical(p, b);
                const std::uint64_t first = (std::uint64_t{p} * blocks + b) << 12;
                const bool ordered = layout.symmetry_is_decided(layout.place(pawns, b));
                for (Square w = 0; w < 64; ++w) {
                    RowSource from;
                    from.first = first + static_cast<std::uint64_t>(64 * w);
                    const Bitboard is_legal =
                        legal.rows[b] >> (w >> 3) & 1 ? legal.block[b].word[w] : 0;
                    from.direct = !(is_legal & ~canonical.word[w]);
                    for (unsigned x = 0; x < (from.direct ? 0 : 64); ++x) {
                        const std::uint64_t cell = from.first + x;
                        from.cells[x] = !(is_legal >> x & 1) || canonical.word[w] >> x & 1 ? cell
                                        : ordered ? table.index.lowest_order(cell)
                                                  : table.index.lowest(cell);
                    }
                    put_row(from, is_legal);
                }
            }
        }
    }
    return table;
}

void decode_later(Table& table, Color side_to_move,
                  const std::function<void(std::size_t, std::span<std::byte>)>& read) {
    const auto side = side_of(side_to_move);
    const auto* const classes = table.wdl[side].as<std::uint8_t>();
    // Files have but one of the cells that stand for a position.
    struct Double {
        std::uint32_t cell, stored;
    };
    std::vector<Double> doubles;
    const Layout layout(table.index);
    std::uint32_t cell = 0;
    for (std::uint32_t p = 0; p < table.index.pawns().size(); ++p)
        for (std::uint32_t b = 0; b < layout.blocks; ++b)
            for (const std::uint64_t word : layout.canonical(p, b).word)
                for (int bit = 0; bit < 64; ++bit, ++cell)
                    if (!(word >> bit & 1) &&
                        (classes[cell] == wdl_code::kWin || classes[cell] == wdl_code::kLoss))
                        doubles.push_back(
                            {cell, static_cast<std::uint32_t>(table.index.lowest(cell))});
    std::vector<std::byte> cells(table.index.cells());
    for (std::size_t r = 0; r < table.dtm50_later.size(); ++r) {
        read(r, cells);
        const auto moves = [&](std::size_t i) { return static_cast<std::uint8_t>(cells[i]); };
        auto& row = table.dtm50_later[r][side];
        for (std::size_t first = 0; first < cells.size(); first += 64) {
            std::uint64_t any = 0, eight;
            for (std::size_t i = first; i < first + 64; i += 8) {
                std::memcpy(&eight, cells.data() + i, 8);
                any |= eight;
            }
            for (std::size_t i = first; any && i < first + 64; ++i)
                if (moves(i)) row.push_back({static_cast<std::uint32_t>(i), moves(i)});
        }
        const auto stored = static_cast<std::ptrdiff_t>(row.size());
        for (const Double& d : doubles)
            if (moves(d.stored)) row.push_back({d.cell, moves(d.stored)});
        std::inplace_merge(
            row.begin(), row.begin() + stored, row.end(),
            [](const Table::Later& a, const Table::Later& b) { return a.cell < b.cell; });
    }
}

}  // namespace mansuba::tablebase

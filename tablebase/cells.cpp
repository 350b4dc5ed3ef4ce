#include "tablebase/cells.hpp"

#include <algorithm>
#include <cstring>

#include "core/attacks.hpp"
#include "tablebase/solver.hpp"

namespace mansuba::tablebase {
namespace {

constexpr Color kColors[] = {Color::White, Color::Black};

std::size_t side_of(Color c) { return static_cast<std::size_t>(c); }

template <class Plies, class Stored>
void encode_as(const std::uint8_t* classes, const Plies* plies, Metric metric,
               std::span<const Block> canonical, Stored* out) {
    // What a class is worth; for distances, whether it has one.
    std::array<std::uint8_t, wdl_code::kIllegal + 1> worth{};
    for (unsigned c = 0; c < wdl_code::kStalemate; ++c)
        worth[c] = static_cast<std::uint8_t>(static_cast<int>(c) - int{wdl_code::kDraw});
    const unsigned known = metric == Metric::Wdl ? 0b0111111u : 0b0011011u;  // by class
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
                const unsigned code = classes[i];
                if (word >> bit & 1 && known >> code & 1) {
                    if (metric == Metric::Wdl)
                        last = worth[code];
                    else if (metric == Metric::Dtz)
                        last = static_cast<Stored>(plies[i]);
                    else
                        last = static_cast<Stored>((plies[i] + 1) / 2);
                    if (!any) leading = i;
                    any = true;
                }
                out[i] = last;
            }
        }
    if (any) std::fill(out, out + leading, out[leading]);
}

unsigned stored_at(const StoredCells& cells, std::uint64_t i) {
    if (cells.bytes_per_cell == 1) return static_cast<unsigned>(cells.bytes[i]);
    std::uint16_t value;
    std::memcpy(&value, cells.bytes.data() + 2 * i, 2);
    return value;
}

}  // namespace

int stored_bytes(const Table& table, Metric metric, Color side_to_move) {
    const auto side = side_of(side_to_move);
    switch (metric) {
        case Metric::Wdl: return 1;
        case Metric::Dtz: return table.dtz[side].wide() ? 2 : 1;
        default: {
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
    }
}

void encode(const Table& table, Metric metric, Color side_to_move, std::uint64_t first,
            std::span<const Block> canonical, int bytes, std::byte* out) {
    const auto side = side_of(side_to_move);
    const std::uint8_t* const classes = table.wdl[side].as<std::uint8_t>() + (first << 12);
    const Numbers& numbers = metric == Metric::Dtm ? table.dtm[side] : table.dtz[side];
    const auto with = [&](const auto* plies) {
        if (bytes == 1)
            encode_as(classes, plies, metric, canonical, reinterpret_cast<std::uint8_t*>(out));
        else
            encode_as(classes, plies, metric, canonical, reinterpret_cast<std::uint16_t*>(out));
    };
    if (metric == Metric::Wdl)
        with(classes);
    else if (numbers.wide())
        with(numbers.as<std::uint16_t>() + (first << 12));
    else
        with(numbers.as<std::uint8_t>() + (first << 12));
}

Table decode(const Material& material, Metrics metrics, const ReadCells& read,
             const std::string& simd) {
    Table table(material);
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

    for (const Color c : kColors) {
        const auto side = side_of(c);
        const StoredCells wdl = read(Metric::Wdl, c);
        const StoredCells dtz = metrics.has(Metric::Dtz) ? read(Metric::Dtz, c) : StoredCells{};
        const StoredCells dtm = metrics.has(Metric::Dtm) ? read(Metric::Dtm, c) : StoredCells{};
        unsigned longest = 0;
        for (std::uint64_t i = 0; i < (dtm.bytes.empty() ? 0 : cells); ++i)
            longest = std::max(longest, stored_at(dtm, i));
        const bool wide = 2 * longest > static_cast<unsigned>(DtmCode<std::uint8_t>::kMaxPlies);
        table.wdl[side] = Numbers(cells, false);
        if (metrics.has(Metric::Dtz)) table.dtz[side] = Numbers(cells, dtz.bytes_per_cell == 2);
        if (metrics.has(Metric::Dtm)) table.dtm[side] = Numbers(cells, wide);

        const auto put = [](Numbers& to, std::uint64_t cell, unsigned value) {
            if (to.wide())
                to.as<std::uint16_t>()[cell] = static_cast<std::uint16_t>(value);
            else
                to.as<std::uint8_t>()[cell] = static_cast<std::uint8_t>(value);
        };
        const unsigned dtm_illegal =
            wide ? DtmCode<std::uint16_t>::kIllegal : DtmCode<std::uint8_t>::kIllegal;
        const unsigned dtm_draw =
            wide ? DtmCode<std::uint16_t>::kDraw : DtmCode<std::uint8_t>::kDraw;
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
                for (Square w = 0; w < 64; ++w) {
                    const std::uint64_t is_legal =
                        legal.rows[b] >> (w >> 3) & 1 ? legal.block[b].word[w] : 0;
                    for (unsigned x = 0; x < 64; ++x) {
                        const std::uint64_t cell = first + static_cast<std::uint64_t>(64 * w) + x;
                        unsigned code = wdl_code::kIllegal, plies = 0, mate = dtm_illegal;
                        if (is_legal >> x & 1) {
                            const std::uint64_t from =
                                canonical.word[w] >> x & 1
                                    ? cell
                                    : table.index.index_of(table.index.position_at(cell));
                            const int value = static_cast<std::int8_t>(stored_at(wdl, from));
                            code = static_cast<unsigned>(value + wdl_code::kDraw);
                            mate = dtm_draw;
                            if (value) {
                                if (!dtz.bytes.empty()) plies = stored_at(dtz, from);
                                if (!dtm.bytes.empty())
                                    mate = 2 * stored_at(dtm, from) - (value > 0 ? 1 : 0);
                            }
                        }
                        put(table.wdl[side], cell, code);
                        if (table.dtz[side].size()) put(table.dtz[side], cell, plies);
                        if (table.dtm[side].size()) put(table.dtm[side], cell, mate);
                    }
                }
            }
        }
    }
    return table;
}

}  // namespace mansuba::tablebase

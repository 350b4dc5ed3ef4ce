#include "tablebase/statistics.hpp"

#include <algorithm>
#include <omp.h>
#include <vector>

#include "core/fen.hpp"
#include "core/material.hpp"
#include "core/setup.hpp"
#include "tablebase/layout.hpp"

namespace mansuba::tablebase {
namespace {

constexpr Color kColors[] = {Color::White, Color::Black};

/// Positions by class, distance and metric, and the first cell of each kind.
struct Tally {
    struct Kind {
        std::uint64_t count = 0, first = ~std::uint64_t{0};
        void add(std::uint64_t cell) {
            if (!count++) first = cell;
        }
        void add(const Kind& other) {
            count += other.count;
            first = std::min(first, other.first);
        }
    };
    std::array<std::uint64_t, wdl_code::kIllegal + 1> classes{};
    std::array<std::vector<Kind>, wdl_code::kIllegal + 1> dtz;  // by class and plies
    std::array<std::vector<Kind>, 2> dtm;                       // losses and wins, by plies
    std::array<std::vector<Kind>, 2> dth;                       // by who mates, by plies
    std::array<std::uint64_t, 4> winnable{};
    std::uint64_t drawn_not_dead = 0, lost_without_hope = 0;
    Kind dead_beyond_material;

    static void count(std::vector<Kind>& kinds, unsigned plies, std::uint64_t cell) {
        if (kinds.size() <= plies) kinds.resize(plies + 1);
        kinds[plies].add(cell);
    }
    void add(const Tally& other) {
        const auto merge = [](std::vector<Kind>& to, const std::vector<Kind>& from) {
            if (to.size() < from.size()) to.resize(from.size());
            for (std::size_t i = 0; i < from.size(); ++i) to[i].add(from[i]);
        };
        for (std::size_t c = 0; c < classes.size(); ++c) {
            classes[c] += other.classes[c];
            merge(dtz[c], other.dtz[c]);
        }
        for (std::size_t i = 0; i < 2; ++i) {
            merge(dtm[i], other.dtm[i]);
            merge(dth[i], other.dth[i]);
        }
        for (std::size_t i = 0; i < winnable.size(); ++i) winnable[i] += other.winnable[i];
        drawn_not_dead += other.drawn_not_dead;
        lost_without_hope += other.lost_without_hope;
        dead_beyond_material.add(other.dead_beyond_material);
    }

    /// As numbers, for another process.
    void put(std::vector<std::uint64_t>& out) const {
        const auto put_kinds = [&](const std::vector<Kind>& kinds) {
            out.push_back(kinds.size());
            for (const Kind& k : kinds) out.insert(out.end(), {k.count, k.first});
        };
        out.insert(out.end(), classes.begin(), classes.end());
        for (const auto& kinds : dtz) put_kinds(kinds);
        for (const auto& kinds : dtm) put_kinds(kinds);
        for (const auto& kinds : dth) put_kinds(kinds);
        out.insert(out.end(), winnable.begin(), winnable.end());
        out.insert(out.end(), {drawn_not_dead, lost_without_hope, dead_beyond_material.count,
                               dead_beyond_material.first});
    }
    /// The next of those that put() made, from `at` on.
    static Tally taken(const std::vector<std::uint64_t>& in, std::size_t& at) {
        const auto next = [&] { return in.at(at++); };
        const auto take_kinds = [&](std::vector<Kind>& kinds) {
            kinds.resize(next());
            for (Kind& k : kinds) k = {next(), next()};
        };
        Tally t;
        for (std::uint64_t& n : t.classes) n = next();
        for (auto& kinds : t.dtz) take_kinds(kinds);
        for (auto& kinds : t.dtm) take_kinds(kinds);
        for (auto& kinds : t.dth) take_kinds(kinds);
        for (std::uint64_t& n : t.winnable) n = next();
        t.drawn_not_dead = next();
        t.lost_without_hope = next();
        t.dead_beyond_material = {next(), next()};
        return t;
    }
};

/// Cells by the class with White and with Black to move.
using ClassPairs =
    std::array<std::array<std::uint64_t, wdl_code::kIllegal + 1>, wdl_code::kIllegal + 1>;

/// Of the result for the side to move.
int sign_of(unsigned code) {
    if (code == wdl_code::kDraw || code == wdl_code::kStalemate) return 0;
    return code > wdl_code::kDraw ? 1 : -1;
}

Position position_of(const Index& index, std::uint64_t cell, Color side_to_move) {
    const Squares squares = index.position_at(cell);
    Setup setup;
    for (std::size_t i = 0; i < index.men().size(); ++i)
        setup.squares[static_cast<std::size_t>(squares[i])] = index.men()[i];
    setup.side_to_move = side_to_move;
    return setup.position();
}

/// Counts who can mate in a position of class `code`.
void count_winnable(const Table& table, std::size_t side, std::uint64_t cell, unsigned code,
                    Tally& tally) {
    const std::array<unsigned, 2> plies{table.dth[0][side][cell], table.dth[1][side][cell]};
    std::size_t who = 0;
    for (std::size_t winner = 0; winner < 2; ++winner) {
        if (plies[winner] == help_code::kNever) continue;
        who |= std::size_t{1} << winner;
        Tally::count(tally.dth[winner], plies[winner], cell);
    }
    ++tally.winnable[who];
    const bool drawn = code == wdl_code::kDraw || code == wdl_code::kStalemate;
    tally.drawn_not_dead += drawn && who != 0;
    tally.lost_without_hope += code < wdl_code::kDraw && !(who >> side & 1);
    if (who == 0 &&
        !insufficient_material(position_of(table.index, cell, static_cast<Color>(side))))
        tally.dead_beyond_material.add(cell);
}

}  // namespace

std::string fen_of(const Index& index, std::uint64_t cell, Color side_to_move) {
    return to_fen(position_of(index, cell, side_to_move));
}

Statistics statistics(const Table& table, int threads, Team* team) {
    const Layout layout(table.index);
    const int member = team ? team->member() : 0;
    const std::vector<int> owner = team ? owners(table.index, team->size()) : std::vector<int>();
    const std::uint64_t blocks = table.index.blocks();
    if (threads <= 0) threads = omp_get_max_threads();
    const bool with_dtm = table.has(Metric::Dtm), with_winnable = table.has(Metric::Winnable);
    std::array<Tally, 2> all;
    ClassPairs pairs{};

#pragma omp parallel num_threads(threads)
    {
        std::array<Tally, 2> some;
        ClassPairs some_pairs{};
#pragma omp for schedule(dynamic, 64)
        for (std::uint64_t b = 0; b < blocks; ++b) {
            const auto pair =
                static_cast<std::uint32_t>(b % layout.blocks) / layout.blocks_per_pair;
            if (team && owner[pair] != member) continue;
            const Block canonical = layout.canonical(static_cast<std::uint32_t>(b / layout.blocks),
                                                     static_cast<std::uint32_t>(b % layout.blocks));
            for (Square w = 0; w < 64; ++w)
                for (std::uint64_t left = canonical.word[w]; left;) {
                    const std::uint64_t cell =
                        (b << 12) + static_cast<std::uint64_t>(64 * w + pop_lowest(left));
                    std::array<unsigned, 2> codes;
                    for (std::size_t side = 0; side < 2; ++side) {
                        const unsigned code = codes[side] = table.wdl[side][cell];
                        if (code == wdl_code::kIllegal) continue;
                        Tally& tally = some[side];
                        if (with_winnable) count_winnable(table, side, cell, code, tally);
                        if (code == wdl_code::kDraw || code == wdl_code::kStalemate) continue;
                        Tally::count(tally.dtz[code], table.dtz[side][cell], cell);
                        if (with_dtm)
                            Tally::count(tally.dtm[code > wdl_code::kDraw], table.dtm[side][cell],
                                         cell);
                    }
                    ++some_pairs[codes[0]][codes[1]];
                }
        }
#pragma omp critical(mansuba_statistics)
        {
            for (std::size_t side = 0; side < 2; ++side) all[side].add(some[side]);
            for (std::size_t white = 0; white < pairs.size(); ++white)
                for (std::size_t black = 0; black < pairs.size(); ++black)
                    pairs[white][black] += some_pairs[white][black];
        }
    }

    std::array<std::uint64_t, 3> zugzwangs{};
    for (unsigned white = 0; white < wdl_code::kIllegal; ++white)
        for (unsigned black = 0; black < wdl_code::kIllegal; ++black) {
            const int w = sign_of(white), b = sign_of(black);
            const std::uint64_t count = pairs[white][black];
            zugzwangs[0] += w == 0 && b == -1 ? count : 0;
            zugzwangs[1] += w == -1 && b == 0 ? count : 0;
            zugzwangs[2] += w == -1 && b == -1 ? count : 0;
        }
    for (std::size_t white = 0; white < pairs.size(); ++white)
        for (std::size_t black = 0; black < pairs.size(); ++black) {
            all[0].classes[white] += pairs[white][black];
            all[1].classes[black] += pairs[white][black];
        }

    Statistics s;
    s.has_winnable = with_winnable;
    s.has_dth = with_winnable && table.dth_by_length;
    if (team && team->member()) {
        std::vector<std::uint64_t> numbers(zugzwangs.begin(), zugzwangs.end());
        for (const Tally& tally : all) tally.put(numbers);
        send_values<std::uint64_t>(*team, 0, numbers);
    }
    for (int m = 1; team && !team->member() && m < team->size(); ++m) {
        const auto numbers = receive_values<std::uint64_t>(*team, m);
        std::size_t at = zugzwangs.size();
        for (Tally& tally : all) tally.add(Tally::taken(numbers, at));
        for (std::size_t i = 0; i < zugzwangs.size(); ++i) zugzwangs[i] += numbers[i];
    }
    s.zugzwang_white_draws = zugzwangs[0];
    s.zugzwang_black_draws = zugzwangs[1];
    s.zugzwang_full = zugzwangs[2];
    for (const Color c : kColors) {
        const auto i = static_cast<std::size_t>(c);
        const Tally& tally = all[i];
        SideStatistics& side = s.side[i];
        using namespace wdl_code;
        side.loss = tally.classes[kLoss];
        side.blessed_loss = tally.classes[kBlessedLoss];
        side.draw = tally.classes[kDraw] + tally.classes[kStalemate];
        side.cursed_win = tally.classes[kCursedWin];
        side.win = tally.classes[kWin];
        side.stalemates = tally.classes[kStalemate];
        if (!tally.dtz[kLoss].empty()) side.mates = tally.dtz[kLoss][0].count;
        const auto longest = [&](const std::vector<Tally::Kind>& kinds) {
            if (kinds.empty()) return Longest{};
            return Longest{static_cast<int>(kinds.size() - 1), kinds.back().count,
                           fen_of(table.index, kinds.back().first, c)};
        };
        side.dtz_win = longest(tally.dtz[kWin]);
        side.dtz_cursed_win = longest(tally.dtz[kCursedWin]);
        side.dtz_loss = longest(tally.dtz[kLoss]);
        side.dtz_blessed_loss = longest(tally.dtz[kBlessedLoss]);
        side.winnable = tally.winnable;
        side.drawn_not_dead = tally.drawn_not_dead;
        side.lost_without_hope = tally.lost_without_hope;
        side.dead_beyond_material = tally.dead_beyond_material.count;
        if (side.dead_beyond_material)
            side.dead_beyond_material_fen =
                fen_of(table.index, tally.dead_beyond_material.first, c);
        for (std::size_t winner = 0; winner < 2; ++winner)
            side.dth[winner] = longest(tally.dth[winner]);
        side.dtm_loss = longest(tally.dtm[0]);
        side.dtm_win = longest(tally.dtm[1]);
        const auto histogram = [](std::map<int, std::uint64_t>& to,
                                  const std::vector<Tally::Kind>& kinds) {
            for (std::size_t p = 0; p < kinds.size(); ++p)
                if (kinds[p].count) to[static_cast<int>(p)] += kinds[p].count;
        };
        histogram(side.dtz_histogram_win, tally.dtz[kWin]);
        histogram(side.dtz_histogram_win, tally.dtz[kCursedWin]);
        histogram(side.dtz_histogram_loss, tally.dtz[kLoss]);
        histogram(side.dtz_histogram_loss, tally.dtz[kBlessedLoss]);
        histogram(side.dtm_histogram_loss, tally.dtm[0]);
        histogram(side.dtm_histogram_win, tally.dtm[1]);
    }
    return s;
}

}  // namespace mansuba::tablebase

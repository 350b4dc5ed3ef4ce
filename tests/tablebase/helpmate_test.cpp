#include "tablebase/helpmate.hpp"

#include <deque>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "core/fen.hpp"
#include "core/material.hpp"
#include "core/movegen.hpp"
#include "tablebase/outcome.hpp"
#include "tests/tablebase/tables.hpp"

namespace mansuba::tablebase {
namespace {

using test::rows_of;

TEST(Helpmate, AllPositionsOfTheTable) {
    int positions = 0;
    for (const auto& row : rows_of("dead_positions.tsv")) {
        const Winnable w = winnable(parse_fen(row[1]));
        const auto expect = [&](std::optional<bool> got, const std::string& expected) {
            ASSERT_TRUE(got) << row[1];
            EXPECT_EQ(*got, expected == "y") << row[1];
        };
        expect(w.white, row[2]);
        expect(w.black, row[3]);
        expect(w.dead(), row[4]);
        ++positions;
    }
    EXPECT_EQ(positions, 217);
}

/// All that can arise, first come first served: no rule of material, no order.
bool can_mate_by_exhaustion(const Position& root, Color winner) {
    const auto key = [](const Position& p) {
        const Board& b = p.board();
        return std::tuple(b.plane0, b.plane1, b.plane2, b.black, p.side_to_move());
    };
    std::set<decltype(key(root))> seen{key(root)};
    std::deque<Position> waiting{root};
    while (!waiting.empty()) {
        const Position p = waiting.front();
        waiting.pop_front();
        const MoveList moves = legal_moves(p);
        if (moves.empty() && p.in_check() && p.side_to_move() != winner) return true;
        for (const Move m : moves) {
            Position after = p;
            after.play(m);
            if (seen.insert(key(after)).second) waiting.push_back(after);
        }
    }
    return false;
}

TEST(Helpmate, ExhaustionAgreesWhereLittleCanArise) {
    int positions = 0, yes = 0, others = 0;
    for (const auto& row : rows_of("dead_positions.tsv")) {
        // Few men; and of those few where much can arise.
        if (row[5] > "3" || row[5].size() > 1 || (row[4] == "n" && ++others % 8 != 0)) continue;
        const Position p = parse_fen(row[1]);
        for (const Color c : {Color::White, Color::Black}) {
            const bool can = can_mate_by_exhaustion(p, c);
            EXPECT_EQ(can_mate(p, c, kHelpmatePositions), can) << row[1];
            yes += can;
        }
        ++positions;
    }
    EXPECT_GT(positions, 10);
    EXPECT_GE(yes, 2);
}

/// Whether some placement of these men is mate by White.
bool has_mate(const char* material) {
    const Index index(Material::parse(material));
    for (std::uint64_t cell = 0; cell < index.cells(); ++cell) {
        const auto p = position_at(index, Color::Black, cell);
        if (p && p->in_check() && count_legal_moves(*p) == 0) return true;
    }
    return false;
}

TEST(Helpmate, RulesOfMaterialHoldForFourMen) {
    const auto rule = [](const char* fen) {
        return insufficient_to_mate(parse_fen(fen).board(), Color::White);
    };
    // Black is the stronger side by name, and so White in the table: colours are exchanged.
    const auto mate_by_black = [](const char* material) {
        const Index index(Material::parse(material));
        for (std::uint64_t cell = 0; cell < index.cells(); ++cell) {
            const auto p = position_at(index, Color::White, cell);
            if (p && p->in_check() && count_legal_moves(*p) == 0) return true;
        }
        return false;
    };
    EXPECT_TRUE(rule("8/8/4k2q/8/8/3KN3/8/8 w - - 0 1"));
    EXPECT_FALSE(mate_by_black("KQvKN"));
    EXPECT_TRUE(rule("8/8/4k2q/8/8/3KB3/8/8 w - - 0 1"));
    EXPECT_FALSE(mate_by_black("KQvKB"));
    EXPECT_TRUE(rule("8/8/4k2r/8/8/3KB3/8/8 w - - 0 1"));
    EXPECT_FALSE(mate_by_black("KRvKB"));
    EXPECT_FALSE(rule("8/8/4k2r/8/8/3KN3/8/8 w - - 0 1"));
    EXPECT_TRUE(mate_by_black("KRvKN"));
    EXPECT_FALSE(rule("8/8/4k2b/8/8/3KN3/8/8 w - - 0 1"));
    EXPECT_TRUE(mate_by_black("KBvKN"));
    EXPECT_FALSE(rule("8/8/4k2n/8/8/3KB3/8/8 w - - 0 1"));
    EXPECT_TRUE(has_mate("KBvKN"));
    EXPECT_FALSE(rule("8/8/4k2n/8/8/3KN3/8/8 w - - 0 1"));
    EXPECT_TRUE(has_mate("KNvKN"));
    EXPECT_FALSE(rule("8/8/4k3/8/8/3KNN2/8/8 w - - 0 1"));
    EXPECT_TRUE(has_mate("KNNvK"));
}

TEST(Helpmate, NothingIsSaidWhereTheSearchIsTooShort) {
    const Position p = parse_fen("8/2pN4/3p4/3k4/r7/8/5K2/8 b - - 0 1");
    EXPECT_EQ(can_mate(p, Color::White, 10), std::nullopt);
    EXPECT_EQ((Winnable{std::nullopt, false}.dead()), std::nullopt);
    EXPECT_EQ((Winnable{std::nullopt, true}.dead()), false);
}

TEST(Outcome, TheCountDecides) {
    Value win;
    win.wdl = Wdl::Win, win.dtz = 31;
    EXPECT_EQ(result(win, false, 69, 100), Result::Win);
    EXPECT_EQ(result(win, false, 70, 100), Result::Draw);
    EXPECT_EQ(automatic_result(win, false, 119, true), Result::Win);
    EXPECT_EQ(automatic_result(win, false, 119, false), Result::Win);
    EXPECT_EQ(automatic_result(win, false, 120, true), Result::Draw);
    EXPECT_EQ(automatic_result(win, false, 120, false), std::nullopt);
    EXPECT_EQ(automatic_result(win, false, 150, false), Result::Draw);
    Value loss;
    loss.wdl = Wdl::Loss, loss.dtz = -2;
    EXPECT_EQ(result(loss, false, 98, 100), Result::Loss);
    EXPECT_EQ(result(loss, false, 99, 100), Result::Draw);
    loss.dtz = -1;
    EXPECT_EQ(result(loss, true, 100, 100), Result::Loss);  // mate goes before the count
    EXPECT_EQ(automatic_result(loss, true, 150, false), Result::Loss);
    Value cursed;
    cursed.wdl = Wdl::CursedWin, cursed.dtz = 101;
    EXPECT_EQ(result(cursed, false, 0, 100), Result::Draw);
    EXPECT_EQ(automatic_result(cursed, false, 0, false), std::nullopt);
}

}  // namespace
}  // namespace mansuba::tablebase

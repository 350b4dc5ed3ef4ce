// Results under limits of moves, against play on a board with a clock; who can mate, against a search.
#include <map>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "core/fen.hpp"
#include "core/movegen.hpp"
#include "tablebase/helpmate.hpp"
#include "tablebase/outcome.hpp"
#include "tablebase/verify.hpp"
#include "tests/core/random_positions.hpp"
#include "tests/tablebase/tables.hpp"

namespace mansuba::tablebase::test {
namespace {

/// For the side to move: what is won soonest is greatest, and what is lost latest of what is lost.
using Game = short;
constexpr Game kMated = -10000, kDrawn = 0;
Game after_move(Game reply) {
    return static_cast<Game>(reply < 0 ? -reply - 1 : reply > 0 ? -reply + 1 : 0);
}
int sign_of(Game g) { return (g > 0) - (g < 0); }
/// As dtm50() has it.
std::optional<int> plies_of(Game g) {
    if (g == kDrawn) return std::nullopt;
    return g > 0 ? -kMated - g : kMated - g;
}

/// An endgame as it is played: every position with every clock, from the limit down. Knows nothing of
/// distances, classes and sets.
class ClockedGame {
public:
    using Others = std::function<const ClockedGame*(const Material&)>;

    ClockedGame(const Material& material, int limit, Others others)
        : index_(material), limit_(limit), others_(std::move(others)) {
        for (auto& by_clock : results_)
            by_clock.assign(static_cast<std::size_t>(limit + 1),
                            std::vector<Game>(index_.cells(), kDrawn));
        // Pawn moves lead to placements of lower numbers only.
        const std::uint64_t size = index_.blocks_per_placement() << 12;
        for (std::uint64_t first = 0; first < index_.cells(); first += size)
            solve(first, first + size);
    }

    Game at(const Position& p, int clock) const {
        if (p.en_passant() != kNoSquare) return best_of_moves(p, clock);
        const Material as_it_stands = Material::of(p.board());
        if (as_it_stands.men() == 2) return 0;
        const Material material = as_it_stands.normalized();
        if (material != index_.material()) return others_(material)->at(p, clock);
        const bool swapped = !as_it_stands.is_normal();
        const Color side = swapped ? ~p.side_to_move() : p.side_to_move();
        return at(side, index_.index_of(index_.squares_of(p.board(), swapped)), clock);
    }
    Game at(Color side_to_move, std::uint64_t cell, int clock) const {
        return results_[static_cast<std::size_t>(side_to_move)][static_cast<std::size_t>(clock)]
                       [cell];
    }

private:
    static constexpr Game kNone = 2 * kMated;

    void solve(std::uint64_t first, std::uint64_t last) {
        struct Node {
            Color side;
            std::uint64_t cell;
            std::vector<std::uint64_t> quiet;  // cells of the other side
            Game zeroing = kNone;              // the best of them
            bool over = false;
        };
        std::vector<Node> nodes;
        for (const Color side : {Color::White, Color::Black})
            for (std::uint64_t cell = first; cell < last; ++cell) {
                const auto p = position_at(index_, side, cell);
                if (!p || index_.index_of(index_.position_at(cell)) != cell) continue;
                Node node{side, cell, {}, kNone, false};
                const MoveList moves = legal_moves(*p);
                for (const Move m : moves) {
                    Position after = *p;
                    after.play(m);
                    if (is_zeroing(*p, m))
                        node.zeroing = std::max(node.zeroing, after_move(at(after, 0)));
                    else
                        node.quiet.push_back(
                            index_.index_of(index_.squares_of(after.board(), false)));
                }
                if (moves.empty()) {
                    node.over = true;
                    if (p->in_check())
                        for (auto& of_clock : results_[static_cast<std::size_t>(side)])
                            of_clock[cell] = kMated;
                }
                nodes.push_back(std::move(node));
            }
        // With the limit reached all but the mates above is drawn.
        for (int clock = limit_ - 1; clock >= 0; --clock)
            for (const Node& node : nodes) {
                if (node.over) continue;
                Game best = node.zeroing;
                for (const std::uint64_t to : node.quiet)
                    best = std::max(best, after_move(at(~node.side, to, clock + 1)));
                results_[static_cast<std::size_t>(node.side)][static_cast<std::size_t>(clock)]
                        [node.cell] = best;
            }
    }

    Game best_of_moves(const Position& p, int clock) const {
        const MoveList moves = legal_moves(p);
        if (moves.empty()) return p.in_check() ? kMated : kDrawn;
        if (clock >= limit_) return kDrawn;
        Game best = kNone;
        for (const Move m : moves) {
            Position after = p;
            after.play(m);
            best = std::max(best, after_move(at(after, is_zeroing(p, m) ? 0 : clock + 1)));
        }
        return best;
    }

    Index index_;
    int limit_;
    Others others_;
    std::array<std::vector<std::vector<Game>>, 2> results_;  // by side, clock and cell
};

class ClockedGames {
public:
    explicit ClockedGames(int limit) : limit_(limit) {}
    const ClockedGame& operator()(const Material& m) {
        auto& game = games_[m];
        if (!game) {
            for (const Material& s : m.successors())
                if (s != Material()) (*this)(s);
            game = std::make_unique<ClockedGame>(
                m, limit_, [this](const Material& s) { return games_.at(s).get(); });
        }
        return *game;
    }

private:
    int limit_;
    std::map<Material, std::unique_ptr<ClockedGame>> games_;
};

/// Both limits of a table, in every position with every clock. How many positions differ between them.
std::uint64_t expect_as_played(const Table& table, const ClockedGame& claim,
                               const ClockedGame& automatic) {
    const Limits& limits = table.limits();
    std::uint64_t differ = 0, faults = 0;
    for (const Color side : {Color::White, Color::Black})
        for (std::uint64_t cell = 0; cell < table.index.cells(); ++cell) {
            if (!table.legal(side, cell) ||
                table.index.index_of(table.index.position_at(cell)) != cell)
                continue;
            const Value value = table.value(side, cell);
            Value longer = value;
            longer.wdl = value.wdl75, longer.dtz = value.dtz75;
            differ += value.wdl != value.wdl75 || value.dtz != value.dtz75;
            const bool mated = value.wdl == Wdl::Loss && value.dtz == -1 &&
                               count_legal_moves(*position_at(table.index, side, cell)) == 0;
            const auto compare = [&](const Value& v, const ClockedGame& game, int limit) {
                for (int clock = 0; clock <= limit; ++clock)
                    faults += static_cast<int>(result(v, mated, clock, limit)) !=
                              sign_of(game.at(side, cell, clock));
            };
            compare(value, claim, limits.claim_at(table.index.placement_of(cell)));
            compare(longer, automatic, limits.automatic);
            const int limit = limits.claim_at(table.index.placement_of(cell));
            for (int clock = 0; clock < limit; ++clock)
                faults += dtm50(table, side, cell, clock) != plies_of(claim.at(side, cell, clock));
            if (faults) {
                ADD_FAILURE() << fen_of(table.index, cell, side);
                return differ;
            }
        }
    return differ;
}

void expect_as_played(const std::vector<Material>& materials, int claim, int automatic) {
    GenerateOptions options;
    options.limits = {{claim}, automatic};
    options.automatic = options.dtm50 = true;
    Tables tables(options);
    ClockedGames by_claim(claim), by_itself(automatic);
    std::uint64_t differ = 0;
    for (const Material& m : materials)
        differ += expect_as_played(tables(m), by_claim(m), by_itself(m));
    EXPECT_GT(differ, 1000u) << claim << " and " << automatic;
}

// Limits so short that nearly everything depends on them.
TEST(Laws, TablesOfThreeMenAreAsPlayedUnderShortLimits) {
    for (const auto& [claim, automatic] : {std::pair(6, 10), {10, 16}, {3, 9}})
        expect_as_played(materials_up_to(3), claim, automatic);
}
TEST(LongLaws, SomeOfFourMenAreAsPlayedUnderShortLimits) {
    const auto named = [](std::initializer_list<const char*> names) {
        std::vector<Material> all;
        for (const char* name : names) all.push_back(Material::parse(name));
        return all;
    };
    expect_as_played(named({"KPvKP", "KRvKN"}), 6, 10);
    expect_as_played(named({"KPvKP", "KQvKR"}), 10, 16);
}

// Endgames whose results under 50 moves, under 75 and without a limit are three different things: what is too
// long for one limit is as without any, and wins of 101 to 150 plies are wins under 75.
TEST(LongLaws, WinsThatAreLongForOneLimitAlone) {
    GenerateOptions options;
    options.automatic = true;
    Tables tables(options);
    GenerateOptions unlimited;
    unlimited.limits.claim = {Limits::kNone};
    Tables without(unlimited);
    for (const char* name : {"KBBvKN", "KQvKNN", "KNNvKP"}) {
        const Table &table = tables(name), &endless = without(name);
        std::uint64_t by_75 = 0, by_neither = 0;
        for (const Color side : {Color::White, Color::Black})
            for (std::uint64_t cell = 0; cell < table.index.cells(); ++cell) {
                if (!table.legal(side, cell)) continue;
                const Value v = table.value(side, cell), u = endless.value(side, cell);
                ASSERT_EQ(sign_of(static_cast<Game>(v.wdl)), sign_of(static_cast<Game>(u.wdl)));
                ASSERT_EQ(sign_of(static_cast<Game>(v.wdl75)), sign_of(static_cast<Game>(u.wdl)));
                if (v.wdl == Wdl::Win || v.wdl == Wdl::Loss) {
                    ASSERT_EQ(v.wdl75, v.wdl) << fen_of(table.index, cell, side);
                }
                if (v.wdl75 == Wdl::CursedWin) {
                    ASSERT_EQ(v.wdl, Wdl::CursedWin) << fen_of(table.index, cell, side);
                    ASSERT_GT(v.dtz75, 150) << fen_of(table.index, cell, side);
                    ++by_neither;
                }
                by_75 += v.wdl == Wdl::CursedWin && v.wdl75 == Wdl::Win;
            }
        EXPECT_GT(by_75, 100u) << name;
        std::printf("%s: %lu under 75 only, %lu under neither\n", name,
                    static_cast<unsigned long>(by_75), static_cast<unsigned long>(by_neither));
        if (std::string_view(name) == "KNNvKP") {
            EXPECT_GT(by_neither, 100u) << name;
        }
    }
}

TEST(Laws, LimitsThatAgreeAreStoredOnce) {
    GenerateOptions options;
    options.automatic = true;
    Tables tables(options);
    EXPECT_TRUE(tables("KPvK").limits_agree);
    EXPECT_EQ(tables("KPvK").wdl75[0].size(), 0u);
    EXPECT_TRUE(tables("KPvK").has(Metric::Dtz75));
    options.limits = {{10}, 16};
    Tables shorter(options);
    EXPECT_FALSE(shorter("KPvK").limits_agree);
    // None of its own is too long, but what it turns into differs.
    EXPECT_FALSE(shorter("KPPvK").limits_agree);
}

// What verify() knows of clocks: each distance against those after the moves, one clock on.
TEST(Laws, MatesInTimeAreVerifiedWithEachClock) {
    GenerateOptions options;
    options.limits = {{10}, 16};
    options.dtm50 = true;
    Tables tables(options);
    EXPECT_EQ(verify(tables("KQvK"), tables.lookup()).faults, 0u);
    Table& table = const_cast<Table&>(tables("KPvK"));
    EXPECT_EQ(verify(table, tables.lookup()).faults, 0u);
    int tried = 0;
    for (std::size_t row = 0; row < table.dtm50_later.size(); row += 3)
        for (auto& later : table.dtm50_later[row]) {
            if (later.empty()) continue;
            const std::uint64_t cell =
                table.index.index_of(table.index.position_at(later[later.size() / 2].cell));
            const auto found = std::find_if(later.begin(), later.end(),
                                            [&](const auto& l) { return l.cell == cell; });
            ASSERT_NE(found, later.end());
            ++found->moves;
            EXPECT_GT(verify(table, tables.lookup()).faults, 0u) << row;
            --found->moves;
            ++tried;
        }
    EXPECT_GT(tried, 5);
}

Tables& with_helpmates() {
    static Tables all([] {
        GenerateOptions options;
        options.helpmates = true;
        return options;
    }());
    return all;
}

void expect_winnable_by_search(const Material& m, std::uint64_t step) {
    const Table& table = with_helpmates()(m);
    std::array<std::uint64_t, 2> yes{}, no{};
    mansuba::test::Random random(m.hash());
    for (std::uint64_t cell = 0; cell < table.index.cells(); cell += 1 + random.next() % step)
        for (const Color side : {Color::White, Color::Black}) {
            const auto p = position_at(table.index, side, cell);
            if (!p) continue;
            const Value v = table.value(side, cell);
            for (const Color winner : {side, ~side}) {
                const bool can = (winner == side ? v.dth_mates : v.dth_mated) >= 0;
                const auto found = can_mate(*p, winner, kHelpmatePositions);
                ASSERT_TRUE(found) << to_fen(*p);
                ASSERT_EQ(can, *found) << to_fen(*p);
                ++(can ? yes : no)[static_cast<std::size_t>(winner)];
            }
        }
    EXPECT_GT(yes[0] + no[0], 50u) << m.name();
}

TEST(Laws, WhoCanMateIsWhatASearchFinds) {
    for (const Material& m : materials_up_to(3)) expect_winnable_by_search(m, 200);
    for (const char* name : {"KBvKB", "KBvKN", "KNvKN", "KPvKP", "KBBvK", "KNvKP"})
        expect_winnable_by_search(Material::parse(name), 40000);
}
TEST(LongLaws, WhoCanMateIsWhatASearchFinds) {
    for (const Material& m : materials_up_to(4)) expect_winnable_by_search(m, 3000);
}

TEST(Laws, DeadPositionsOfTheTable) {
    int positions = 0;
    for (const auto& row : rows_of("dead_positions.tsv")) {
        const Position p = parse_fen(row[1]);
        const int men = popcount(p.occupied());
        if (men < 3 || men > 4 || p.castling_rooks(Color::White) | p.castling_rooks(Color::Black))
            continue;
        with_helpmates()(Material::of(p.board()).normalized());
        const Value v = probe(p, with_helpmates().lookup());
        const bool white = p.side_to_move() == Color::White;
        EXPECT_EQ((white ? v.dth_mates : v.dth_mated) >= 0, row[2] == "y") << row[1];
        EXPECT_EQ((white ? v.dth_mated : v.dth_mates) >= 0, row[3] == "y") << row[1];
        ++positions;
    }
    EXPECT_GT(positions, 20);
}

// Descending to a mate on the board, one ply at a time, is a proof: see verify().
TEST(Laws, LengthsOfHelpmatesAreVerified) {
    for (const char* name : {"KPvK", "KBBvK", "KBvKN", "KPvKP"}) {
        const Table& t = with_helpmates()(name);
        EXPECT_EQ(verify(t, with_helpmates().lookup()).faults, 0u) << name;
    }
    const Table& t = with_helpmates()("KRvK");
    auto* codes = const_cast<std::uint8_t*>(t.dth[0][1].as<std::uint8_t>());
    for (std::uint64_t cell = 0;; ++cell) {
        if (codes[cell] < 4 || codes[cell] > help_code::kMaxPlies ||
            t.index.index_of(t.index.position_at(cell)) != cell)
            continue;
        codes[cell] += 2;
        EXPECT_GT(verify(t, with_helpmates().lookup()).faults, 0u);
        codes[cell] -= 2;
        break;
    }
}

TEST(Laws, HelpmatesByHand) {
    const auto dth = [](const char* fen) {
        const Position p = parse_fen(fen);
        with_helpmates()(Material::of(p.board()).normalized());
        const Value v = probe(p, with_helpmates().lookup());
        return std::pair(v.dth_mates, v.dth_mated);
    };
    EXPECT_EQ(dth("k7/7Q/1K6/8/8/8/8/8 w - - 0 1"), std::pair(1, -1));    // Qh8 mate
    EXPECT_EQ(dth("k6Q/8/1K6/8/8/8/8/8 b - - 0 1"), std::pair(-1, 0));    // is mate
    EXPECT_EQ(dth("k7/2Q5/1K6/8/8/8/8/8 b - - 0 1"), std::pair(-1, -1));  // stalemate: dead
    EXPECT_EQ(dth("8/8/8/8/8/2N5/8/k1K5 w - - 0 1"), std::pair(-1, -1));  // a knight cannot
    // Smothered by his own pawn.
    EXPECT_EQ(dth("8/8/8/8/8/1N6/p1K5/k7 b - - 0 1"), std::pair(-1, 0));
}

}  // namespace
}  // namespace mansuba::tablebase::test

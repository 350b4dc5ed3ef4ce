// The bit-set generator against its slow twin, cell by cell, and against itself: targets, threads,
// widths.
#include "tablebase/generator.hpp"

#include <gtest/gtest.h>

#include "tablebase/solver.hpp"
#include "tests/tablebase/tables.hpp"

namespace mansuba::tablebase::test {
namespace {

/// What the slow twin makes of the endgame, from the same smaller tables; generate() built them, and
/// they are compared on their own.
void expect_as_by_reference(Tables& fast, std::string_view name, int rule_plies = kRulePlies) {
    const Table& table = fast(name);
    const Table reference = reference::generate(table.index.material(), fast.lookup(),
                                                {.threads = 0, .limits = {{rule_plies}}});
    EXPECT_EQ(difference(table, reference), "") << "limit " << rule_plies;
}

TEST(Generator, EqualsTheReferenceWithThreeMen) {
    // Here the slow twin stands on its own feet.
    Tables reference = reference_tables();
    for (const Material& m : materials_up_to(3))
        EXPECT_EQ(difference(tables()(m), reference(m)), "");
}

TEST(Generator, EqualsTheReferenceWithFourMen) {
    for (const char* name : {"KBNvK", "KRvKB", "KPPvK", "KPvKP", "KQvKP"})
        expect_as_by_reference(tables(), name);
}

TEST(LongGenerator, EqualsTheReferenceWithFourMen) {
    Tables reference = reference_tables();
    for (const Material& m : materials_up_to(4))
        EXPECT_EQ(difference(tables()(m), reference(m)), "");
}

GenerateOptions with_limit(int rule_plies) {
    GenerateOptions options;
    options.limits.claim = {rule_plies};
    return options;
}

// Small limits make most wins cursed: what follows a zeroing move counts from the limit on.
TEST(Generator, EqualsTheReferenceUnderOtherLimits) {
    for (const int rule_plies : {1, 6, 15}) {
        Tables fast(with_limit(rule_plies));
        for (const Material& m : materials_up_to(3))
            expect_as_by_reference(fast, m.name(), rule_plies);
        std::uint64_t cursed = 0;
        const Numbers& classes = fast("KPvK").wdl[0];
        for (std::uint64_t c = 0; c < classes.size(); ++c)
            cursed += classes[c] == wdl_code::kCursedWin;
        EXPECT_GT(cursed, 1000u) << rule_plies;
    }
}
TEST(Generator, EqualsTheReferenceUnderALimitOfTenInKPvKP) {
    Tables fast(with_limit(10));
    expect_as_by_reference(fast, "KPvKP", 10);
}
// What is held for larger tables keeps no classes where the distances tell them.
TEST(Generator, HeldTablesWithoutClassesGiveTheSame) {
    for (const int rule_plies : {10, kRulePlies}) {
        const GenerateOptions options = with_limit(rule_plies);
        Tables whole(options);
        Tables held([&](const Material& m, const Smaller& smaller) {
            Table t = generate(m, smaller, options);
            if (m.men() < 4) t.let_go_of_classes();
            return t;
        });
        for (const char* name : {"KPvKP", "KQPvK", "KRvKN"})
            EXPECT_EQ(difference(held(name), whole(name)), "") << "limit " << rule_plies;
        EXPECT_EQ(held("KRvK").wdl[0].size(), 0u);
        EXPECT_EQ(held("KRvK").late[0].empty(), rule_plies == kRulePlies);
    }
}

TEST(LongGenerator, EqualsTheReferenceUnderALimitOfTwelveWithFourMen) {
    Tables fast(with_limit(12));
    for (const char* name : {"KRvKN", "KQvKR", "KBNvK", "KPPvK", "KQvKP", "KRvKP", "KNPvK"})
        expect_as_by_reference(fast, name, 12);
}

/// A copy with two bytes a distance, which makes whatever is built from it use two.
Table widened(const Table& t) {
    Table wide(t.index.material());
    for (std::size_t side = 0; side < 2; ++side) {
        const std::uint64_t cells = t.index.cells();
        wide.wdl[side] = Numbers(cells, false);
        wide.dtz[side] = Numbers(cells, true);
        wide.dtm[side] = Numbers(cells, true);
        for (std::uint64_t c = 0; c < cells; ++c) {
            wide.wdl[side].as<std::uint8_t>()[c] = static_cast<std::uint8_t>(t.wdl[side][c]);
            wide.dtz[side].as<std::uint16_t>()[c] = static_cast<std::uint16_t>(t.dtz[side][c]);
            wide.dtm[side].as<std::uint16_t>()[c] = static_cast<std::uint16_t>(dtm_of(t, side, c));
        }
    }
    return wide;
}

void expect_equal_widths(const std::string& simd, std::initializer_list<const char*> names) {
    GenerateOptions options;
    options.simd = simd;
    for (const char* name : names) {
        const Material m = Material::parse(name);
        tables()(m);
        std::map<Material, Table> smaller;
        for (const Material& s : m.successors())
            if (s != Material()) smaller.emplace(s, widened(tables()(s)));
        const Table wide = generate(
            m,
            [&](const Material& s) {
                const auto it = smaller.find(s);
                return it == smaller.end() ? nullptr : &it->second;
            },
            options);
        EXPECT_TRUE(wide.dtm[0].wide()) << name;
        EXPECT_FALSE(tables()(m).dtm[0].wide()) << name;
        EXPECT_EQ(difference(wide, tables()(m)), "") << simd;
    }
}

TEST(Generator, TwoBytesADistanceGiveTheSame) {
    expect_equal_widths("auto", {"KPvK", "KRvKB", "KPPvK", "KPvKP", "KQPvK"});
}

TEST(SimdGenerator, AllTargetsGiveTheSame) {
    // Each way men can lie in a block: few men, king pairs, pawns with few men and with king pairs.
    const auto targets = solver_targets();
    ASSERT_FALSE(targets.empty());
    for (const SolverTarget& target : targets) {
        GenerateOptions options;
        options.simd = target.name;
        Tables mine(options);
        for (const char* name : {"KBNvK", "KQvKR", "KPPvK", "KPvKP", "KQvKP"})
            EXPECT_EQ(difference(mine(name), tables()(name)), "") << target.name;
        expect_equal_widths(std::string(target.name), {"KPvK", "KPvKP"});
    }
}

TEST(LongSimdGenerator, AllTargetsGiveTheSameWithFiveMen) {
    for (const SolverTarget& target : solver_targets())
        for (const char* name : {"KRBvKN", "KRNPvK"}) {
            tables()(name);
            GenerateOptions options;
            options.simd = target.name;
            const Table t = generate(
                Material::parse(name), [](const Material& m) { return tables().find(m); }, options);
            EXPECT_EQ(difference(t, tables()(name)), "") << target.name;
        }
}

TEST(Generator, AnyNumberOfThreadsGivesTheSame) {
    for (const int threads : {1, 2, 3, 5}) {
        GenerateOptions options;
        options.threads = threads;
        for (const char* name : {"KPvK", "KRvKN", "KPvKP"}) {
            tables()(name);
            const Table t = generate(
                Material::parse(name), [](const Material& m) { return tables().find(m); }, options);
            EXPECT_EQ(difference(t, tables()(name)), "") << threads;
        }
    }
}

// Distances to mate are a metric of their own: without them the others stay.
TEST(Generator, WithoutDistancesToMate) {
    GenerateOptions options;
    options.dtm = false;
    for (const auto& [name, lean] : {std::pair("KQvKR", false),
                                     {"KPPvK", false},
                                     {"KQvKR", true},
                                     {"KRPvK", true},
                                     {"KRvKR", true}}) {
        options.lean = lean;
        const Table& full = tables()(name);
        const Table t = generate(
            Material::parse(name), [](const Material& m) { return tables().find(m); }, options);
        EXPECT_FALSE(t.has(Metric::Dtm));
        for (std::size_t side = 0; side < 2; ++side)
            for (std::uint64_t c = 0; c < t.index.cells(); ++c) {
                const unsigned code = t.wdl[side][c];
                ASSERT_EQ(code, full.wdl[side][c]) << name << " " << c;
                if (code == wdl_code::kDraw || code >= wdl_code::kStalemate) continue;
                ASSERT_EQ(t.dtz[side][c], full.dtz[side][c]) << name << " " << c;
            }
    }
}

TEST(Generator, StopsWhenAsked) {
    const std::atomic<bool> stop = true;
    GenerateOptions options;
    options.stop = &stop;
    try {
        generate(
            Material::parse("KRvK"), [](const Material&) { return nullptr; }, options);
        ADD_FAILURE() << "went on";
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::Interrupted);
    }
}

}  // namespace
}  // namespace mansuba::tablebase::test

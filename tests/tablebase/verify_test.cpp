// Verification accepts what is right and finds what is not, be it one value by one.
#include "tablebase/verify.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "tests/core/random_positions.hpp"
#include "tests/tablebase/tables.hpp"

namespace mansuba::tablebase::test {
namespace {

using mansuba::test::Random;

std::string first_fault(const VerifyReport& r) {
    if (r.first_faults.empty()) return {};
    const Fault& f = r.first_faults.front();
    return f.fen + ": " + f.expected + ", but " + f.found;
}

void expect_sound(const Table& t) {
    const VerifyReport r = verify(t, tables().lookup());
    EXPECT_EQ(r.faults, 0u) << t.index.material().name() << ": " << first_fault(r);
    // Counted on the board on one side, on bit sets on the other.
    const Statistics s = statistics(t);
    EXPECT_EQ(r.positions, s.side[0].positions() + s.side[1].positions());
    EXPECT_EQ(r.mates, s.side[0].mates + s.side[1].mates);
    EXPECT_EQ(r.stalemates, s.side[0].stalemates + s.side[1].stalemates);
}

TEST(Verify, AcceptsTablesOfThreeMen) {
    for (const Material& m : materials_up_to(3)) expect_sound(tables()(m));
}
TEST(Verify, AcceptsTablesOfFourMen) {
    for (const char* name : {"KRvKN", "KPPvK"}) expect_sound(tables()(name));
}
TEST(LongVerify, AcceptsAllTablesOfFourMen) {
    for (const Material& m : materials_up_to(4)) expect_sound(tables()(m));
}
TEST(Verify, AcceptsSamplesOfAllTablesOfFourMen) {
    for (const Material& m : materials_up_to(4)) {
        VerifyOptions options;
        options.sample = 10000;
        const VerifyReport r = verify(tables()(m), tables().lookup(), options);
        EXPECT_EQ(r.positions, 10000u);
        EXPECT_EQ(r.faults, 0u) << m.name() << ": " << first_fault(r);
    }
}
TEST(Verify, AcceptsTablesBuiltForAnotherLimit) {
    GenerateOptions generating;
    generating.limits.claim = {10};
    Tables ten(generating);
    ten("KPvK");
    EXPECT_EQ(verify(ten("KPvK"), ten.lookup()).faults, 0u);
    const_cast<Table&>(ten("KPvK")).built_for.claim = {9};
    EXPECT_GT(verify(ten("KPvK"), ten.lookup()).faults, 0u);
}

/// Changes a number by what it takes, for as long as the object lives.
class Changed {
public:
    Changed(const Numbers& numbers, std::uint64_t cell, int by)
        : byte_(const_cast<std::uint8_t*>(numbers.as<std::uint8_t>()) + cell), was_(*byte_) {
        EXPECT_FALSE(numbers.wide());
        *byte_ = static_cast<std::uint8_t>(was_ + by);
    }
    ~Changed() { *byte_ = was_; }
    Changed(const Changed&) = delete;
    Changed& operator=(const Changed&) = delete;

private:
    std::uint8_t* byte_;
    std::uint8_t was_;
};

/// Positions that files have cells for, decided or not, of one side to move.
std::vector<std::uint64_t> some_cells(const Table& t, Color c, bool decided, int count,
                                      Random& random) {
    std::vector<std::uint64_t> cells;
    for (int attempts = 0; attempts < 1000000 && static_cast<int>(cells.size()) < count;
         ++attempts) {
        const std::uint64_t cell = random.next() % t.index.cells();
        if (!t.legal(c, cell) || t.index.index_of(t.index.position_at(cell)) != cell) continue;
        if ((t.value(c, cell).wdl != Wdl::Draw) == decided) cells.push_back(cell);
    }
    return cells;
}

TEST(Verify, FindsEachSingleWrongValue) {
    Random random(7);
    VerifyOptions options;
    options.max_faults = 1000000;
    int tried = 0;
    for (const char* name : {"KRvK", "KPvK"}) {
        Table t = generate(Material::parse(name), [](const Material& m) {
            return m == Material() ? nullptr : &tables()(m);
        });
        for (const Color c : {Color::White, Color::Black}) {
            const auto side = static_cast<std::size_t>(c);
            const auto expect_found = [&](const Numbers& numbers, std::uint64_t cell, int by) {
                const Changed change(numbers, cell, by);
                const VerifyReport r = verify(t, tables().lookup(), options);
                const std::string fen = fen_of(t.index, cell, c);
                const bool found = std::any_of(
                    r.first_faults.begin(), r.first_faults.end(),
                    [&](const Fault& f) { return f.fen == fen && f.expected != f.found; });
                EXPECT_TRUE(found) << name << " " << fen << " by " << by;
                EXPECT_EQ(r.first_faults.size(), r.faults);
                ++tried;
            };
            for (const std::uint64_t cell : some_cells(t, c, true, 2, random)) {
                const bool won = t.value(c, cell).wdl > Wdl::Draw;
                const int by = random.chance(50) ? 1 : -1;
                expect_found(t.dtm[side], cell, t.dtm[side][cell] ? 2 * by : 2);
                expect_found(t.dtz[side], cell, t.dtz[side][cell] ? by : 2);
                expect_found(t.wdl[side], cell, won ? -1 : 1);
                expect_found(t.wdl[side], cell, won ? -2 : 2);
            }
            for (const std::uint64_t cell : some_cells(t, c, false, 1, random)) {
                if (t.value(c, cell).stalemate) continue;
                expect_found(t.wdl[side], cell, -1);
                expect_found(t.wdl[side], cell, 1);
                expect_found(t.wdl[side], cell, wdl_code::kStalemate - wdl_code::kDraw);
            }
        }
        EXPECT_EQ(verify(t, tables().lookup()).faults, 0u);
    }
    EXPECT_GE(tried, 38);
}

TEST(Verify, FindsManyWrongValuesAtOnce) {
    Random random(11);
    Table t = generate(Material::parse("KQvKR"), [](const Material& m) { return &tables()(m); });
    std::vector<std::unique_ptr<Changed>> changes;
    std::set<std::string> wrong;
    for (const Color c : {Color::White, Color::Black}) {
        const auto side = static_cast<std::size_t>(c);
        const auto cells = some_cells(t, c, true, 60, random);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const bool won = t.value(c, cells[i]).wdl > Wdl::Draw;
            wrong.insert(fen_of(t.index, cells[i], c));
            changes.push_back(std::make_unique<Changed>(i % 3 == 0   ? t.wdl[side]
                                                        : i % 3 == 1 ? t.dtz[side]
                                                                     : t.dtm[side],
                                                        cells[i],
                                                        i % 3 == 0   ? (won ? -2 : 2)
                                                        : i % 3 == 1 ? 3
                                                                     : 2));
        }
    }
    ASSERT_EQ(wrong.size(), 120u);
    VerifyOptions options;
    options.max_faults = 1000000;
    const VerifyReport all = verify(t, tables().lookup(), options);
    std::set<std::string> found;
    for (const Fault& f : all.first_faults) found.insert(f.fen);
    for (const std::string& fen : wrong) EXPECT_TRUE(found.contains(fen)) << fen;
}

TEST(Verify, FaultsAreTheSameForAnyThreads) {
    Random random(13);
    Table t = generate(Material::parse("KPvK"),
                       [](const Material& m) { return m == Material() ? nullptr : &tables()(m); });
    for (const std::uint64_t cell : some_cells(t, Color::Black, true, 50, random))
        t.dtm[1].as<std::uint8_t>()[cell] ^= 1;
    VerifyOptions options;
    options.max_faults = 1000000;
    const VerifyReport all = verify(t, tables().lookup(), options);
    EXPECT_GE(all.faults, 50u);
    ASSERT_EQ(all.first_faults.size(), all.faults);
    options.max_faults = 7;
    for (const int threads : {1, 2, 3}) {
        options.threads = threads;
        const VerifyReport few = verify(t, tables().lookup(), options);
        EXPECT_EQ(few.faults, all.faults);
        EXPECT_EQ(few.positions, all.positions);
        ASSERT_EQ(few.first_faults.size(), 7u);
        for (std::size_t i = 0; i < 7; ++i)
            EXPECT_EQ(few.first_faults[i].fen, all.first_faults[i].fen) << threads;
    }
}

/// Some metrics of a table, and nothing sensible in cells that need not have a value.
struct OnlySome final : Values {
    OnlySome(const Table& t, std::set<Metric> which) : table(t), metrics(std::move(which)) {}
    const Index& numbering() const override { return table.index; }
    bool has(Metric m) const override { return metrics.contains(m); }
    Value value(Color c, std::uint64_t cell) const override {
        if (!table.legal(c, cell) || table.index.index_of(table.index.position_at(cell)) != cell)
            return {Wdl::CursedWin, false, 33, 44};
        Value v = table.value(c, cell);
        v.stalemate = false;
        if (!has(Metric::Dtz)) v.dtz = 0;
        if (!has(Metric::Dtm)) v.dtm = 0;
        return v;
    }
    const Table& table;
    std::set<Metric> metrics;
};

TEST(Verify, ReadsWhatFilesHaveAndNoMore) {
    const Table& pawn = tables()("KPvK");
    for (const std::set<Metric>& metrics :
         {std::set{Metric::Wdl}, std::set{Metric::Wdl, Metric::Dtz},
          std::set{Metric::Wdl, Metric::Dtm}, std::set{Metric::Wdl, Metric::Dtz, Metric::Dtm}}) {
        std::map<Material, OnlySome> held;
        for (const Material& m : pawn.index.material().successors())
            if (m != Material()) held.emplace(m, OnlySome(tables()(m), metrics));
        const VerifyReport r =
            verify(OnlySome(pawn, metrics),
                   [&](const Material& m) -> const Values* { return &held.at(m); });
        EXPECT_EQ(r.faults, 0u) << metrics.size() << ": " << first_fault(r);
        EXPECT_EQ(r.positions, 81664u + 84012u);  // tests/data/dtm_stats_34.tsv
    }
}

TEST(Verify, OfClassesAloneSignsAreFound) {
    Table t = generate(Material::parse("KRvK"), [](const Material&) { return nullptr; });
    Random random(3);
    const OnlySome classes(t, {Metric::Wdl});
    const Lookup none = [](const Material&) { return nullptr; };
    for (const Color c : {Color::White, Color::Black})
        for (const std::uint64_t cell : some_cells(t, c, true, 5, random)) {
            const Changed change(t.wdl[static_cast<std::size_t>(c)], cell,
                                 c == Color::White ? -2 : 2);
            EXPECT_GT(verify(classes, none).faults, 0u) << fen_of(t.index, cell, c);
        }
}

// Everything a draw but for mates, and everything won: claims that hold each other up fall over where
// the board speaks.
TEST(Verify, FindsConsistentNonsense) {
    Table t = generate(Material::parse("KRvK"), [](const Material&) { return nullptr; });
    for (std::size_t side = 0; side < 2; ++side)
        for (std::uint64_t c = 0; c < t.index.cells(); ++c)
            if (t.legal(static_cast<Color>(side), c) && t.dtm[side][c] != 0)
                t.wdl[side].as<std::uint8_t>()[c] = wdl_code::kDraw;
    const Lookup none = [](const Material&) { return nullptr; };
    EXPECT_GT(verify(t, none).faults, 0u);
}

TEST(Verify, SamplesAreTheSameForAnyThreads) {
    Table t = generate(Material::parse("KQvKR"), [](const Material& m) { return &tables()(m); });
    for (std::uint64_t c = 0; c < t.index.cells(); c += 2)
        if (t.legal(Color::White, c)) t.dtm[0].as<std::uint8_t>()[c] ^= 1;
    VerifyOptions options;
    options.sample = 20000;
    options.max_faults = 100;
    options.threads = 1;
    const VerifyReport one = verify(t, tables().lookup(), options);
    options.threads = 3;
    const VerifyReport three = verify(t, tables().lookup(), options);
    EXPECT_EQ(one.positions, 20000u);
    EXPECT_EQ(three.positions, 20000u);
    EXPECT_GT(one.faults, 1000u);
    EXPECT_EQ(one.faults, three.faults);
    ASSERT_EQ(one.first_faults.size(), 100u);
    ASSERT_EQ(three.first_faults.size(), 100u);
    for (std::size_t i = 0; i < 100; ++i)
        EXPECT_EQ(one.first_faults[i].fen, three.first_faults[i].fen);
    options.seed = 2;
    EXPECT_NE(verify(t, tables().lookup(), options).faults, one.faults);
}

TEST(Verify, WhatIsMissingIsNamed) {
    const Table& t = tables()("KPvK");
    const auto refusal = [&](const Values& table, const Lookup& lookup) {
        try {
            verify(table, lookup);
        } catch (const Error& e) {
            EXPECT_EQ(e.code(), ErrorCode::Input);
            return std::string(e.what());
        }
        return std::string("went through");
    };
    EXPECT_NE(refusal(t, [](const Material&) { return nullptr; }).find("mansuba build K"),
              std::string::npos);
    const OnlySome classes(tables()("KQvK"), {Metric::Wdl});
    const std::string lacking = refusal(t, [&](const Material& m) -> const Values* {
        return m.name() == "KQvK" ? static_cast<const Values*>(&classes) : tables().find(m);
    });
    EXPECT_NE(lacking.find("KQvK needs its dtz"), std::string::npos) << lacking;
    EXPECT_NE(refusal(OnlySome(t, {Metric::Dtm}), tables().lookup()).find("has no wdl"),
              std::string::npos);
}

TEST(Verify, StopsAndTellsHowFar) {
    std::uint64_t last = 0, of = 0;
    std::atomic<bool> stop = false;
    VerifyOptions options;
    options.threads = 1;
    options.on_progress = [&](std::uint64_t done, std::uint64_t all) {
        EXPECT_GT(done, last);
        last = done;
        of = all;
    };
    const Table& t = tables()("KPvK");
    verify(t, tables().lookup(), options);
    EXPECT_EQ(last, 2 * t.index.cells());
    EXPECT_EQ(of, last);
    options.stop = &stop;
    options.on_progress = [&](std::uint64_t, std::uint64_t) { stop = true; };
    try {
        verify(t, tables().lookup(), options);
        ADD_FAILURE() << "went on";
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::Interrupted);
    }
}

}  // namespace
}  // namespace mansuba::tablebase::test

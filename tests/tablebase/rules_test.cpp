// Rule sets: what they say of an endgame, and what is refused; tables built for them, kept and read back.
#include "tablebase/rules.hpp"

#include <filesystem>
#include <unistd.h>

#include <gtest/gtest.h>

#include "core/fen.hpp"
#include "tablebase/builder.hpp"
#include "tablebase/hdf5/table_file.hpp"
#include "tablebase/hdf5/table_store.hpp"
#include "tablebase/probe.hpp"
#include "tablebase/verify.hpp"
#include "tests/tablebase/tables.hpp"

namespace mansuba::tablebase::test {
namespace {

namespace fs = std::filesystem;

int plies_of(const RuleSet& rules, const char* fen) {
    const Position p = parse_fen(fen);
    const Index index(Material::of(p.board()).normalized());
    const bool swapped = !Material::of(p.board()).is_normal();
    return rules.limits(index).claim_at(
        index.placement_of(index.index_of(index.squares_of(p.board(), swapped))));
}

TEST(Rules, ThoseThatComeWithTheProgram) {
    EXPECT_EQ(RuleSet::names(),
              (std::vector<std::string>{"fide", "none", "fide1988", "fide1984", "codex"}));
    EXPECT_EQ(RuleSet::load("fide"), RuleSet());
    const char* const rook_and_bishop = "8/8/8/4k3/8/2r5/8/KRB5 w - - 0 1";
    const char* const seventh = "8/2P5/8/4k3/8/2q5/8/KQ6 w - - 0 1";
    const char* const swapped = "kq6/8/3Q4/8/4K3/8/2p5/8 w - - 0 1";
    const char* const sixth = "8/8/2P5/4k3/8/2q5/8/KQ6 w - - 0 1";
    const char* const blocked = "8/8/8/8/p2k4/N7/8/K1N5 w - - 0 1";
    const char* const too_far = "8/8/8/8/3k4/8/p7/K1NN4 w - - 0 1";
    const struct {
        const char* rules;
        int rook_and_bishop, seventh, sixth, blocked, too_far, rook;
    } expected[] = {{"fide", 100, 100, 100, 100, 100, 100},
                    {"none", Limits::kNone, Limits::kNone, Limits::kNone, Limits::kNone,
                     Limits::kNone, Limits::kNone},
                    {"fide1988", 150, 150, 100, 150, 150, 100},
                    {"fide1984", 200, 100, 100, 200, 100, 100},
                    {"codex", 150, 150, 100, 150, 150, 100}};
    for (const auto& e : expected) {
        const RuleSet rules = RuleSet::load(e.rules);
        EXPECT_EQ(rules.name(), e.rules);
        EXPECT_EQ(plies_of(rules, rook_and_bishop), e.rook_and_bishop) << e.rules;
        EXPECT_EQ(plies_of(rules, seventh), e.seventh) << e.rules;
        EXPECT_EQ(plies_of(rules, swapped), e.seventh) << e.rules;
        EXPECT_EQ(plies_of(rules, sixth), e.sixth) << e.rules;
        EXPECT_EQ(plies_of(rules, blocked), e.blocked) << e.rules;
        EXPECT_EQ(plies_of(rules, too_far), e.too_far) << e.rules;
        EXPECT_EQ(plies_of(rules, "8/8/8/4k3/8/8/8/KR6 w - - 0 1"), e.rook) << e.rules;
    }
    for (const char* name : {"fide1988", "fide1984"}) {
        try {
            RuleSet::load(name).limits(Index(Material::parse("KRPvKBP")));
            ADD_FAILURE() << name;
        } catch (const Error& e) {
            EXPECT_EQ(e.code(), ErrorCode::Usage);
        }
    }
}

TEST(Rules, WhatIsWrongIsNamedWithItsLine) {
    const struct {
        const char *text, *says;
    } refused[] = {
        {"", "not JSON (f:1)"},
        {"{\n\"name\": \"x\",\n\"moves\": 5,\n}", "not JSON (f:4)"},
        {"[]", "a rule set is an object, {...} (f:1)"},
        {"{\"moves\": 50}", "\"name\" is missing (f:1)"},
        {"{\"name\": 5, \"moves\": 50}", "\"name\" is no string (f:1)"},
        {"{\"name\": \"\", \"moves\": 50}", "no proper name (f:1)"},
        {"{\"name\": \"x\"}", "\"moves\" is missing (f:1)"},
        {"{\"name\": \"x\",\n\"moves\": 0\n}", "from 1 to 1000 (f:2)"},
        {"{\"name\": \"x\",\n\"moves\": 1001}", "from 1 to 1000 (f:2)"},
        {"{\"name\": \"x\",\n\"moves\": 50.5}", "from 1 to 1000 (f:2)"},
        {"{\"name\": \"x\",\n\"moves\": \"50\"}", "from 1 to 1000 (f:2)"},
        {"{\"name\": \"x\",\n\"moves\": 50,\n\n\"limit\": 4}", "unknown key \"limit\" (f:4)"},
        {"{\"name\": \"x\",\n\"moves\": 50,\n\"exceptions\": 4}", "exceptions are a list (f:3)"},
        {"{\"name\": \"x\",\n\"moves\": 50,\n\"exceptions\": [4]}", "is an object, {...} (f:3)"},
        {"{\"name\": \"x\",\n\"moves\": null,\n\"exceptions\": [{\"endgame\": \"KRvK\", \"moves\": "
         "3}]}",
         "there can be no exceptions (f:3)"},
        {"{\"name\": \"x\",\n\"moves\": 50,\n\"exceptions\": [\n{\"endgame\": \"KPvKQ\", "
         "\"moves\": 3, "
         "\"white_pawns\": [\"a2\", \"h2\"]}]}",
         "it must be written KQvKP (f:4)"},
        {"{\"name\": \"x\",\n\"moves\": 50,\n\"exceptions\": [\n{\"endgame\": \"KXvK\", \"moves\": "
         "3}]}",
         "KXvK"},
        {"{\"name\": \"x\",\n\"moves\": 50,\n\"exceptions\": [\n{\"endgame\": \"KRvK\",\n\"move\": "
         "3}]}",
         "unknown key \"move\" (f:5)"},
        {"{\"name\": \"x\",\n\"moves\": 50,\n\"exceptions\": [\n{\"endgame\": \"KPvK\", \"moves\": "
         "3,\n"
         "\"white_pawns\": [\"a7\",\n\"h8\"]}]}",
         "no square of a pawn: \"h8\" (f:6)"},
        {"{\"name\": \"x\",\n\"moves\": 50,\n\"exceptions\": [\n{\"endgame\": \"KPvK\", \"moves\": "
         "3, "
         "\"white_pawns\": [\"a7\"]}]}",
         "not the same on the mirrored board (f:4)"},
        {"{\"name\": \"x\",\n\"moves\": 50,\n\"exceptions\": [\n{\"endgame\": \"KBvK\", \"moves\": "
         "3, "
         "\"white_bishop\": \"grey\"}]}",
         "\"dark\" or \"light\" (f:4)"},
    };
    for (const auto& [text, says] : refused) {
        try {
            RuleSet::parse(text, "f");
            ADD_FAILURE() << text;
        } catch (const Error& e) {
            EXPECT_EQ(e.code(), ErrorCode::Input) << text;
            EXPECT_NE(std::string(e.what()).find(says), std::string::npos) << e.what();
        }
    }
    EXPECT_THROW(RuleSet::load("no such set"), Error);
}

class RulesOnDisk : public ::testing::Test {
protected:
    RulesOnDisk()
        : directory_(fs::temp_directory_path() / ("mansuba_rules_" + std::to_string(::getpid()))) {
        fs::remove_all(directory_);
    }
    ~RulesOnDisk() override { fs::remove_all(directory_); }
    const fs::path directory_;

    void build_here(const char* name, const RuleSet& rules, const char* metrics) {
        hdf5::TableDirectory::Options storing;
        storing.rules = rules;
        hdf5::TableDirectory store(directory_, storing);
        BuildOptions options;
        options.rules = rules;
        options.resume = true;
        options.metrics = Metrics::parse(metrics);
        build({Material::parse(name)}, store, options);
    }
};

// A limit that most wins exceed, another for pawns on the seventh rank, and the 75-move rule beside them.
const char* const kShort = R"({"name": "short", "moves": 6, "exceptions": [
    {"endgame": "KPvK", "moves": 4, "white_pawns": ["a7", "h7", "b7", "g7"]},
    {"endgame": "KQvK", "moves": 7}]})";

TEST_F(RulesOnDisk, TablesAreVerifiedUnderTheirOwnRules) {
    const RuleSet rules = RuleSet::parse(kShort, "short");
    build_here("KPvK", rules, "dtz,dtm,dtz75,winnable,dth");
    hdf5::TableFiles files(directory_);
    const hdf5::TableFile* table = files.find(Material::parse("KPvK"));
    ASSERT_TRUE(table);
    EXPECT_EQ(table->rules(), rules);
    EXPECT_EQ(verify(*table, files.lookup()).faults, 0u);

    // And as they were built in memory, so they are read back.
    const Table stored =
        hdf5::TableDirectory(directory_)
            .load(Material::parse("KPvK"), Metrics::parse("dtz,dtm,dtz75,winnable,dth"));
    Tables fresh([&](const Material& m, const Smaller& smaller) {
        GenerateOptions options;
        options.limits = rules.limits(Index(m));
        options.automatic = options.helpmates = true;
        return generate(m, smaller, options);
    });
    const Table& built = fresh("KPvK");
    EXPECT_FALSE(built.limits_agree);
    EXPECT_EQ(stored.built_for, built.built_for);
    std::uint64_t differ = 0;
    for (const Color side : {Color::White, Color::Black})
        for (std::uint64_t cell = 0; cell < built.index.cells(); ++cell) {
            ASSERT_EQ(stored.legal(side, cell), built.legal(side, cell));
            if (!built.legal(side, cell)) continue;
            Value v = built.value(side, cell);
            differ += v.wdl != v.wdl75;
            v.stalemate = false;  // files do not tell
            ASSERT_EQ(stored.value(side, cell), v) << fen_of(built.index, cell, side);
            if (built.index.index_of(built.index.position_at(cell)) == cell) {
                ASSERT_EQ(table->value(side, cell), v) << fen_of(built.index, cell, side);
            }
        }
    EXPECT_GT(differ, 5000u);
}

/// Also the cells that files do not have, because like men are exchanged or the board is turned.
TEST_F(RulesOnDisk, EveryCellIsReadBackAsItWasBuilt) {
    Tables fresh(
        [](const Material& m, const Smaller& smaller) { return generate(m, smaller, {}); });
    for (const char* name : {"KQQvK", "KRvKR", "KPPvK"}) {
        build_here(name, RuleSet(), "dtz,dtm");
        const Table stored =
            hdf5::TableDirectory(directory_).load(Material::parse(name), Metrics::parse("dtz,dtm"));
        const Table& built = fresh(name);
        std::uint64_t images = 0;
        for (const Color side : {Color::White, Color::Black})
            for (std::uint64_t cell = 0; cell < built.index.cells(); ++cell) {
                ASSERT_EQ(stored.legal(side, cell), built.legal(side, cell));
                if (!built.legal(side, cell)) continue;
                images += built.index.index_of(built.index.position_at(cell)) != cell;
                Value v = built.value(side, cell);
                v.stalemate = false;  // files do not tell
                ASSERT_EQ(stored.value(side, cell), v) << fen_of(built.index, cell, side);
            }
        EXPECT_GT(images, 1000u) << name;
    }
}

TEST_F(RulesOnDisk, MatesInTimeAreReadBackWithEachClock) {
    const Metrics metrics = Metrics::parse("dtm50");
    const RuleSet rules = RuleSet::parse(R"({"name": "twelve", "moves": 12})", "twelve");
    build_here("KQvKR", rules, "dtm50");
    hdf5::TableFiles files(directory_);
    const hdf5::TableFile* table = files.find(Material::parse("KQvKR"));
    ASSERT_TRUE(table);
    Tables fresh([&](const Material& m, const Smaller& smaller) {
        GenerateOptions options;
        options.limits = rules.limits(Index(m));
        options.dtm50 = true;
        return generate(m, smaller, options);
    });
    const Table& built = fresh("KQvKR");
    const Table stored = hdf5::TableDirectory(directory_).load(Material::parse("KQvKR"), metrics);
    EXPECT_EQ(stored.dtm50_first, built.dtm50_first);
    EXPECT_EQ(table->first_clock(), built.dtm50_first);
    ASSERT_EQ(stored.dtm50_later.size(), static_cast<std::size_t>(24 - built.dtm50_first));
    EXPECT_TRUE(stored.dtm50_later == built.dtm50_later);
    std::uint64_t later = 0;
    for (const Color side : {Color::White, Color::Black})
        for (std::uint64_t cell = 0; cell < built.index.cells(); cell += 17) {
            if (!built.legal(side, cell)) continue;
            const auto code = built.dtm50_start[static_cast<std::size_t>(side)][cell];
            ASSERT_EQ(stored.dtm50_start[static_cast<std::size_t>(side)][cell], code)
                << fen_of(built.index, cell, side);
            if (built.index.index_of(built.index.position_at(cell)) != cell) continue;
            for (int clock = 0; clock < 24; ++clock) {
                const auto expected = dtm50(built, side, cell, clock);
                ASSERT_EQ(dtm50(*table, side, cell, clock), expected)
                    << fen_of(built.index, cell, side) << " " << clock;
                later += expected && *expected != built.value(side, cell).dtm;
            }
        }
    EXPECT_GT(later, 10000u);
}

TEST_F(RulesOnDisk, ThoseOfOtherRulesAreNotMixed) {
    build_here("KRvK", RuleSet::parse(kShort, "short"), "wdl,dtz");
    try {
        build_here("KRvK", RuleSet(), "wdl,dtz");
        ADD_FAILURE();
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::File);
        EXPECT_NE(std::string(e.what()).find("made for the rules short, not for fide"),
                  std::string::npos)
            << e.what();
    }
    const fs::path other = directory_ / "other";
    hdf5::TableDirectory store(other);
    build({Material::parse("KQvK")}, store);
    fs::copy_file(other / "KQvK.h5", directory_ / "KQvK.h5");
    hdf5::TableFiles files(directory_);
    EXPECT_TRUE(files.find(Material::parse("KRvK")));
    EXPECT_THROW(files.find(Material::parse("KQvK")), Error);
}

TEST_F(RulesOnDisk, WhatIsTheSameForBothLimitsTakesNoRoom) {
    build_here("KPvK", RuleSet(), "wdl,dtz");
    const auto alone = fs::file_size(directory_ / "KPvK.h5");
    fs::remove_all(directory_);
    build_here("KPvK", RuleSet(), "wdl,dtz,dtz75");
    EXPECT_LT(fs::file_size(directory_ / "KPvK.h5"), alone + 2048);
    hdf5::verify_file(directory_ / "KPvK.h5");
    const hdf5::Reader reader(directory_ / "KPvK.h5");
    const auto both = reader.find("white", "dtz75");
    ASSERT_TRUE(both);
    EXPECT_EQ(reader.read_all(*both), reader.read_all(*reader.find("white", "dtz")));
}

}  // namespace
}  // namespace mansuba::tablebase::test

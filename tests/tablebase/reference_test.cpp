// The slow twin on its own: values that can be checked by hand, and what it refuses. That it equals the
// generator stands in generator_test.cpp.
#include "tablebase/reference.hpp"

#include <gtest/gtest.h>

#include "core/fen.hpp"
#include "tests/tablebase/tables.hpp"

namespace mansuba::tablebase::test {
namespace {

Value value_of(Tables& tables, const char* fen) { return probe(parse_fen(fen), tables.lookup()); }

TEST(Reference, ValuesThatCanBeSeen) {
    Tables tables = reference_tables();
    tables("KPvK");
    const Value mated{Wdl::Loss, false, -1, 0};
    EXPECT_EQ(value_of(tables, "k7/1Q6/1K6/8/8/8/8/8 b - - 0 1"), mated);
    EXPECT_EQ(value_of(tables, "8/8/8/8/8/1k6/1q6/K7 w - - 0 1"), mated);
    const Value stalemate{Wdl::Draw, true, 0, 0};
    EXPECT_EQ(value_of(tables, "k7/2Q5/1K6/8/8/8/8/8 b - - 0 1"), stalemate);
    // Qb7 or Qc8 mate at once; the queen is lost.
    EXPECT_EQ(value_of(tables, "k7/2Q5/1K6/8/8/8/8/8 w - - 0 1"), (Value{Wdl::Win, false, 1, 1}));
    EXPECT_EQ(value_of(tables, "8/8/8/8/8/1kq5/8/1K6 w - - 0 1"), stalemate);
    // Only Ka1, and Qb2, Qd1 or Qf1 mates.
    EXPECT_EQ(value_of(tables, "8/8/8/8/8/1k6/3q4/1K6 w - - 0 1"),
              (Value{Wdl::Loss, false, -2, -2}));
    EXPECT_EQ(value_of(tables, "8/8/8/8/8/2Q5/1k6/7K b - - 0 1"), (Value{Wdl::Draw, false, 0, 0}));
    // The pawn moves at once, and it is long until mate.
    const Value pawn = value_of(tables, "8/P7/8/4k3/8/8/8/7K w - - 0 1");
    EXPECT_EQ(pawn.dtz, 1);
    EXPECT_GT(pawn.dtm, 10);
}

// Longest wins of these are published: tests/data/tb_positions.tsv.
TEST(Reference, CountsTheRuleFromZeroingMoves) {
    Tables ten = reference_tables(10), usual = reference_tables();
    ten("KRvK"), usual("KRvK");
    const char* longest = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1";
    EXPECT_EQ(value_of(usual, longest), (Value{Wdl::Win, false, 31, 31}));
    EXPECT_EQ(value_of(ten, longest), (Value{Wdl::CursedWin, false, 31, 31}));
    const char* one_ply = "k7/7R/1K6/8/8/8/8/8 w - - 0 1";
    EXPECT_EQ(value_of(ten, one_ply), (Value{Wdl::Win, false, 1, 1}));
}

TEST(Reference, AMissingTableIsNamed) {
    try {
        reference::generate(Material::parse("KPvK"), [](const Material&) { return nullptr; });
        ADD_FAILURE() << "built from nothing";
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::Input);
        EXPECT_NE(std::string(e.what()).find("mansuba build K"), std::string::npos) << e.what();
    }
}

}  // namespace
}  // namespace mansuba::tablebase::test

#include "core/material.hpp"

#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "core/fen.hpp"

namespace mansuba {
namespace {

TEST(InsufficientMaterial, AgreesWithTheTable) {
    std::ifstream table(std::string(MANSUBA_TEST_DATA) + "/insufficient_material.tsv");
    std::string line;
    ASSERT_TRUE(std::getline(table, line));
    ASSERT_EQ(line, "fen\texpected\tsource");
    int rows = 0, dead = 0;
    while (std::getline(table, line)) {
        std::istringstream fields(line);
        std::string fen, expected;
        std::getline(fields, fen, '\t');
        std::getline(fields, expected, '\t');
        ASSERT_TRUE(expected == "y" || expected == "n") << line;
        EXPECT_EQ(insufficient_material(parse_fen(fen)), expected == "y") << line;
        ++rows;
        dead += expected == "y";
    }
    EXPECT_EQ(rows, 60);
    EXPECT_EQ(dead, 19);
}

TEST(InsufficientMaterial, ARookThatMayCastleIsARook) {
    EXPECT_FALSE(insufficient_material(parse_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1")));
    EXPECT_FALSE(insufficient_material(parse_fen("r3k3/8/8/8/8/8/8/4K3 b q - 0 1")));
}

TEST(InsufficientMaterial, TheSideToMovePlaysNoPart) {
    for (const char* men : {"8/2n5/8/4k3/8/4K3/8/8", "8/2n5/8/4k3/8/4K3/8/5B2"}) {
        const std::string fen = men;
        EXPECT_EQ(insufficient_material(parse_fen(fen + " w - - 0 1")),
                  insufficient_material(parse_fen(fen + " b - - 0 1")));
    }
}

}  // namespace
}  // namespace mansuba

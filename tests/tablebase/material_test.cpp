#include "tablebase/material.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/fen.hpp"

namespace mansuba::tablebase {
namespace {

TEST(Material, NamesAreNormalised) {
    EXPECT_EQ(Material::parse("KRPvKR").name(), "KRPvKR");
    EXPECT_EQ(Material::parse("KRPKR").name(), "KRPvKR");
    EXPECT_EQ(Material::parse("KRvKPR").name(), "KRPvKR");
    EXPECT_EQ(Material::parse("KRvKNN").name(), "KNNvKR");
    EXPECT_EQ(Material::parse("KNvKQ").name(), "KQvKN");
    EXPECT_EQ(Material::parse("KPPvKQP").name(), "KQPvKPP");
    EXPECT_EQ(Material::parse("KvKP").name(), "KPvK");
    EXPECT_EQ(Material::parse("KK").name(), "KvK");
    EXPECT_EQ(Material::parse("KPNBRQvK").name(), "KQRBNPvK");
}

TEST(Material, NonsenseIsRefusedWithTheReason) {
    const auto reason = [](std::string_view name) {
        try {
            Material::parse(name);
        } catch (const Error& e) {
            EXPECT_EQ(e.code(), ErrorCode::Input);
            return std::string(e.what());
        }
        return std::string("accepted");
    };
    EXPECT_NE(reason("KXvK").find("\"X\" is no man"), std::string::npos) << reason("KXvK");
    EXPECT_NE(reason("").find("two sides"), std::string::npos) << reason("");
    EXPECT_NE(reason("KR").find("two sides"), std::string::npos) << reason("KR");
    EXPECT_NE(reason("QKvK").find("begins with its K"), std::string::npos) << reason("QKvK");
    EXPECT_NE(reason("KRvRK").find("begins with its K"), std::string::npos) << reason("KRvRK");
    EXPECT_NE(reason("KKvK").find("one v"), std::string::npos) << reason("KKvK");
    EXPECT_NE(reason("KvKvK").find("one v"), std::string::npos) << reason("KvKvK");
    EXPECT_NE(reason("vKK").find("one v"), std::string::npos) << reason("vKK");
    EXPECT_NE(reason("KQQQQvKRR").find("8 men; at most 7"), std::string::npos)
        << reason("KQQQQvKRR");
    EXPECT_NE(reason("krvk").find("is no man"), std::string::npos) << reason("krvk");
}

TEST(Material, OfABoard) {
    const Position p = parse_fen("8/8/1r6/8/2k5/8/1P6/3K2R1 w - - 0 1");
    EXPECT_EQ(Material::of(p.board()).name(), "KRPvKR");
    EXPECT_EQ(Material::of(p.board()).swapped().name(), "KRvKRP");
    EXPECT_EQ(Material::of(Position().board()).men(), 32);
}

TEST(Material, NumbersOfEndgames) {
    // 5, 30 and 110 with 3, 4 and 5 men, 145 in all as the Syzygy and Nalimov sets count them;
    // 365 with six and 1001 with seven.
    EXPECT_EQ(materials_up_to(3).size(), 5u);
    EXPECT_EQ(materials_up_to(4).size(), 35u);
    EXPECT_EQ(materials_up_to(5).size(), 145u);
    EXPECT_EQ(materials_up_to(6).size(), 510u);
    EXPECT_EQ(materials_up_to(7).size(), 1511u);
}

TEST(Material, ClosureIsInTheOrderOfNeed) {
    const std::vector<Material> all = closure({Material::parse("KRPvKP")});
    EXPECT_EQ(all.back().name(), "KRPvKP");
    for (std::size_t i = 0; i < all.size(); ++i)
        for (const Material& s : all[i].successors())
            EXPECT_TRUE(s == Material() ||
                        std::find(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i), s) !=
                            all.begin() + static_cast<std::ptrdiff_t>(i))
                << all[i].name() << " needs " << s.name();
    std::string names;
    for (const Material& m : closure({Material::parse("KPvK")})) names += m.name() + " ";
    EXPECT_EQ(names, "KNvK KBvK KRvK KQvK KPvK ");
}

}  // namespace
}  // namespace mansuba::tablebase

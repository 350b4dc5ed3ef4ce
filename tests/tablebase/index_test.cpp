#include "tablebase/index.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace mansuba::tablebase {
namespace {

bool distinct(const Index& index, const Squares& s) {
    const auto n = index.men().size();
    std::set<int> all(s.begin(), s.begin() + static_cast<std::ptrdiff_t>(n));
    return all.size() == n;
}

bool kings_apart(const Squares& s) {
    const int w = s[Index::kWhiteKing], b = s[Index::kBlackKing];
    return std::max(std::abs(file_of(w) - file_of(b)), std::abs(rank_of(w) - rank_of(b))) > 1;
}

/// Men and squares without their order: what a position is, before symmetry.
std::multiset<std::tuple<int, int, int>> men_on_squares(const Index& index, const Squares& s,
                                                        Symmetry symmetry = {}) {
    std::multiset<std::tuple<int, int, int>> set;
    for (std::size_t i = 0; i < index.men().size(); ++i)
        set.emplace(static_cast<int>(index.men()[i].color), static_cast<int>(index.men()[i].type),
                    symmetry(s[i]));
    return set;
}

TEST(Symmetry, ComposesAsItActs) {
    for (unsigned a = 0; a < 8; ++a)
        for (unsigned b = 0; b < 8; ++b)
            for (Square s = 0; s < 64; ++s)
                ASSERT_EQ(then(Symmetry(a), Symmetry(b))(s), Symmetry(b)(Symmetry(a)(s)));
}

TEST(Index, Sizes) {
    // 462 and 3612 king pairs, 24 squares of one pawn: what every numbering of this kind has.
    EXPECT_EQ(Index(Material::parse("KRBvKR")).king_pairs().size(), 462u);
    EXPECT_EQ(Index(Material::parse("KRPvKR")).king_pairs().size(), 3612u);
    EXPECT_EQ(Index(Material::parse("KRPvKR")).pawns().size(), 24u);
    EXPECT_EQ(Index(Material::parse("KRPvKR")).cells(), 24u * 3612u * 64u * 64u);
    EXPECT_EQ(Index(Material::parse("KQQvKQQ")).cells(), 462ull << 24);
    EXPECT_EQ(Index(Material::parse("KQvK")).cells(), 64u * 64u * 64u);
    EXPECT_EQ(Index(Material::parse("KQRBNvKQ")).cells(), 462ull << 30);
    EXPECT_EQ(Index(Material::parse("KPPvK")).pawns().size() * 4096,
              Index(Material::parse("KPPvK")).cells());
}

// Two outer men that are alike take half of the blocks, three a sixth.
TEST(Index, LikeOuterMenStandInOrder) {
    for (const auto& [name, kept] : {std::pair{"KQQvKQQ", 462u * (64 * 65 / 2)},
                                     {"KRBvKRN", 462u * 4096},
                                     {"KQQQQQvK", 462u * (64 * 65 * 66 / 6)},
                                     {"KQQQQvKR", 462u * 64 * (64 * 65 / 2)},
                                     {"KQQQPvKN", 24u * 3612 * 64 * 64}}) {
        const Index index(Material::parse(name));
        EXPECT_EQ(index.kept_blocks(), kept) << name;
        std::uint64_t state = 1;
        for (int i = 0; i < 20'000; ++i) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            const std::uint64_t cell = (state >> 8) % index.cells(), block = cell >> 12,
                                of = index.kept(block);
            ASSERT_TRUE(index.is_kept(of));
            ASSERT_LE(of, block);
            const Squares here = index.position_at(cell),
                          there = index.position_at(of << 12 | (cell & 4095));
            ASSERT_EQ(men_on_squares(index, here), men_on_squares(index, there)) << name;
            ASSERT_EQ(index.cell(here), of << 12 | (cell & 4095)) << name;
            if (distinct(index, here) && kings_apart(here)) {
                ASSERT_TRUE(index.is_kept(index.index_of(here) >> 12)) << name;
            }
        }
    }
}

// Exchanging like men is all that is left where kings decide the symmetry; else all can be turned over.
TEST(Index, LowestIsFoundWithoutThePosition) {
    for (const char* name : {"KQQvKQ", "KQQQvK", "KQQvKQQ", "KRBvKR", "KRRvKBB", "KRPvKR"}) {
        const Index index(Material::parse(name));
        std::uint64_t decided = 0, turned = 0;
        for (std::uint64_t cell = 0; cell < index.cells(); cell += index.cells() / 100003) {
            const Squares s = index.position_at(cell);
            const std::uint64_t lowest = index.index_of(s);
            ASSERT_EQ(index.lowest(cell), lowest) << name << ' ' << cell;
            if (index.lowest_order(cell) == lowest)
                ++decided;
            else
                ++turned;
        }
        EXPECT_GT(decided, 80000u) << name;
        EXPECT_EQ(turned > 1000, !index.material().pawns()) << name;
    }
}

TEST(PawnPlacements, PushesLeadToLowerNumbers) {
    for (const auto& [w, b] : {std::pair{1, 0}, {2, 0}, {1, 1}, {2, 1}}) {
        const PawnPlacements placements(w, b);
        for (std::uint32_t p = 0; p < placements.size(); ++p) {
            const auto pawns = placements.at(p);
            ASSERT_EQ(placements.find(pawns).placement, p);
            ASSERT_FALSE(placements.find(pawns).mirrored);
            for (std::size_t i = 0; i < pawns.size(); ++i) {
                std::vector<std::int8_t> pushed(pawns.begin(), pawns.end());
                pushed[i] = static_cast<std::int8_t>(pushed[i] +
                                                     (i < static_cast<std::size_t>(w) ? 8 : -8));
                if (pushed[i] < 8 || pushed[i] >= 56 ||
                    std::count(pushed.begin(), pushed.end(), pushed[i]) > 1)
                    continue;
                const auto found = placements.find(pushed);
                ASSERT_LT(found.placement, p);
                ASSERT_FALSE(found.mirrored);
                ASSERT_EQ(placements.steps_left(found.placement), placements.steps_left(p) - 1);
            }
        }
    }
}

/// Every cell of the table.
void check_round_trips(const Index& index) {
    const std::vector<std::uint64_t> shape = index.shape();
    std::uint64_t product = 1, positions = 0;
    for (std::uint64_t d : shape) product *= d;
    ASSERT_EQ(product, index.cells());
    for (std::uint64_t cell = 0; cell < index.cells(); ++cell) {
        const Squares s = index.position_at(cell);
        ASSERT_TRUE(!index.has_king_pairs() || kings_apart(s));
        if (!distinct(index, s) || !kings_apart(s)) continue;
        ++positions;
        if (cell % 61 && index.material().men() > 3) continue;  // the rest is slow
        ASSERT_EQ(index.cell(s), cell);
        const std::uint64_t lowest = index.index_of(s);
        ASSERT_LE(lowest, cell);
        const Squares back = index.position_at(lowest);
        ASSERT_EQ(index.index_of(back), lowest);
        // The same position up to like men and symmetry, and all its images have the same index.
        bool same = false;
        for (unsigned t = 0; t < (index.material().pawns() ? 2u : 8u); ++t) {
            same |= men_on_squares(index, s, {t}) == men_on_squares(index, back);
            Squares image = s;
            for (std::size_t i = 0; i < index.men().size(); ++i)
                image[i] = static_cast<std::int8_t>(Symmetry(t)(s[i]));
            ASSERT_EQ(index.index_of(image), lowest) << index.material().name() << " " << cell;
        }
        ASSERT_TRUE(same) << index.material().name() << " " << cell;
    }
    ASSERT_GT(positions, 0u);
}

TEST(Index, RoundTripsOverThreeAndFourMen) {
    const std::vector<Material> all = materials_up_to(4);
#pragma omp parallel for schedule(dynamic)
    for (std::size_t i = 0; i < all.size(); ++i) check_round_trips(Index(all[i]));
}

TEST(Index, LargerTablesAtRandomCells) {
    std::uint64_t x = 1;
    for (const char* name : {"KRPvKR", "KQQvKQ", "KPPvKP", "KRPPvKR", "KQQvKQQ", "KRPPvKRP"}) {
        const Index index(Material::parse(name));
        for (int i = 0; i < 20000; ++i) {
            x = x * 6364136223846793005 + 1442695040888963407;
            const std::uint64_t cell = (x >> 11) % index.cells();
            const Squares s = index.position_at(cell);
            if (!distinct(index, s)) continue;
            ASSERT_EQ(index.cell(s), index.kept(cell >> 12) << 12 | (cell & 4095)) << name;
            const std::uint64_t lowest = index.index_of(s);
            ASSERT_LE(lowest, cell) << name;
            ASSERT_EQ(index.index_of(index.position_at(lowest)), lowest) << name;
        }
    }
}

}  // namespace
}  // namespace mansuba::tablebase

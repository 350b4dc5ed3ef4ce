// Numbers for places where several would do.
#include "tablebase/syzygy/fill.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace mansuba::tablebase::syzygy {
namespace {

using Numbers16 = std::vector<std::uint16_t>;

Numbers16 filled(const std::vector<std::uint8_t>& may, int fill, std::uint64_t first = 0) {
    Numbers16 numbers(may.size());
    fill_sets(may, first, fill, numbers.data());
    return numbers;
}
int changes(const Numbers16& numbers) {
    int n = 0;
    for (std::size_t i = 1; i < numbers.size(); ++i) n += numbers[i] != numbers[i - 1];
    return n;
}

TEST(Fill, WhoTakesThePlacesBetween) {
    // 4, three places for 2 or 4, 2.
    const std::vector<std::uint8_t> may{16, 20, 20, 20, 4};
    EXPECT_EQ(filled(may, Fill::Before), (Numbers16{4, 4, 4, 4, 2}));
    EXPECT_EQ(filled(may, Fill::After), (Numbers16{4, 2, 2, 2, 2}));
    EXPECT_EQ(filled(may, Fill::Prefer + 2), (Numbers16{4, 2, 2, 2, 2}));
    EXPECT_EQ(filled(may, Fill::Prefer + 4), (Numbers16{4, 4, 4, 4, 2}));
    EXPECT_EQ(filled(may, Fill::Prefer + 0), (Numbers16{4, 4, 4, 4, 2}));
    // Place 4 is the most even one, or with the first at 6 place 8, the third.
    EXPECT_EQ(filled(may, Fill::Aligned), (Numbers16{4, 4, 4, 4, 2}));
    EXPECT_EQ(filled(may, Fill::Aligned, 6), (Numbers16{4, 4, 2, 2, 2}));
}

TEST(Fill, AllowedAndWithAsFewChanges) {
    std::mt19937 random(5);
    for (int round = 0; round < 200; ++round) {
        std::vector<std::uint8_t> may(200);
        for (std::uint8_t& m : may) m = static_cast<std::uint8_t>(random() % 31 + 1);
        const int fewest = changes(filled(may, 0));
        for (int fill = 0; fill < kFills; ++fill) {
            const Numbers16 numbers = filled(may, fill, random() % 1000);
            for (std::size_t i = 0; i < may.size(); ++i)
                ASSERT_TRUE(may[i] >> numbers[i] & 1) << fill << " " << i;
            EXPECT_LE(changes(numbers), fewest) << fill;
        }
    }
}

}  // namespace
}  // namespace mansuba::tablebase::syzygy

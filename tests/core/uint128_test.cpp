#include "core/uint128.hpp"

#include <cstdint>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace mansuba {
namespace {

constexpr Uint128 kLargest = ~Uint128{0};

TEST(Uint128, WritesAndReadsKnownNumbers) {
    const struct {
        Uint128 value;
        std::string_view digits;
    } numbers[] = {
        {0, "0"},
        {9, "9"},
        {10, "10"},
        {UINT64_MAX, "18446744073709551615"},
        {Uint128{UINT64_MAX} + 1, "18446744073709551616"},
        // Perft of the start position at ply 15, https://oeis.org/A048987
        {Uint128{109} << 64 | 4404846019023345816u, "2015099950053364471960"},
        {kLargest - 1, "340282366920938463463374607431768211454"},
        {kLargest, "340282366920938463463374607431768211455"},
    };
    for (const auto& n : numbers) {
        EXPECT_EQ(to_string(n.value), n.digits);
        EXPECT_TRUE(parse_uint128(n.digits) == n.value) << n.digits;
    }
}

TEST(Uint128, RoundTripsAroundEveryPowerOfTwoAndTen) {
    const auto check = [](Uint128 n) {
        EXPECT_TRUE(parse_uint128(to_string(n)) == n) << to_string(n);
    };
    for (unsigned shift = 0; shift < 128; ++shift) {
        check(Uint128{1} << shift);
        check((Uint128{1} << shift) - 1);
    }
    std::string digits = "1";
    for (Uint128 power = 1;; power *= 10, digits += '0') {
        EXPECT_EQ(to_string(power), digits);
        check(power - 1);
        if (power > kLargest / 10) break;
    }
    EXPECT_EQ(digits.size(), 39u);
}

TEST(Uint128, LeadingZerosDoNotCount) {
    EXPECT_TRUE(parse_uint128("007") == 7);
    EXPECT_TRUE(parse_uint128(std::string(60, '0') + to_string(kLargest)) == kLargest);
}

TEST(Uint128, RefusesWhatIsNoNumber) {
    using namespace std::string_view_literals;
    for (const std::string_view text : {""sv, "-1"sv, "+1"sv, " 1"sv, "1 "sv, "1\n"sv, "1\0"sv,
                                        "0x10"sv, "1e3"sv, "1.0"sv, "1,000"sv, "\xef\xbc\x91"sv}) {
        try {
            parse_uint128(text);
            ADD_FAILURE() << "accepted: " << text;
        } catch (const Error& e) {
            EXPECT_EQ(e.code(), ErrorCode::Input);
        }
    }
}

TEST(Uint128, RefusesWhatDoesNotFit) {
    for (const std::string& text : {std::string("340282366920938463463374607431768211456"),
                                    std::string("340282366920938463463374607431768211460"),
                                    std::string("3402823669209384634633746074317682114550"),
                                    std::string(39, '9'), std::string(5000, '1')}) {
        try {
            parse_uint128(text);
            ADD_FAILURE() << "accepted: " << text;
        } catch (const Error& e) {
            EXPECT_EQ(e.code(), ErrorCode::Input);
            EXPECT_NE(std::string_view(e.what()).find("larger"), std::string_view::npos);
            EXPECT_LT(std::string_view(e.what()).size(), 200u) << "a long text is cut";
        }
    }
}

}  // namespace
}  // namespace mansuba

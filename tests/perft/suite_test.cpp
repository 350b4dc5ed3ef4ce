#include "perft/suite.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/fen.hpp"
#include "perft/perft.hpp"

namespace mansuba::perft {
namespace {

constexpr const char* kStart4 = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
constexpr const char* kStart6 = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

std::string with(const char* fen, const std::string& rest) { return fen + rest; }

/// The message of the Error(Input) that the text makes.
std::string error_of(const std::string& text) {
    try {
        parse_suite(text, "s.epd");
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::Input) << e.what();
        return e.what();
    }
    ADD_FAILURE() << "accepted: " << text;
    return {};
}

TEST(Suite, EpdInEveryPunctuation) {
    for (const char* fen : {kStart4, kStart6}) {
        for (const char* rest : {" ;D1 20 ;D2 400", " ;D1 20 ;D2 400 ;", "; D1 20; D2 400;",
                                 ";D1 20;D2 400", " D1 20; D2 400;", "\t;\tD1\t20\t;\tD2\t400\t",
                                 " ;d1 20 ;d2 400\r", " ; D1 20 ;; D2 400 ; "}) {
            const auto rows = parse_suite(with(fen, rest), "s");
            ASSERT_EQ(rows.size(), 2u) << fen << rest;
            for (const SuiteRow& row : rows) {
                EXPECT_EQ(row.fen, fen) << rest;
                EXPECT_EQ(row.line, 1u);
                EXPECT_EQ(row.variant, Variant::Auto);
                EXPECT_EQ(row.id, "");
            }
            EXPECT_EQ(rows[0].depth, 1);
            EXPECT_TRUE(rows[0].nodes == 20);
            EXPECT_EQ(rows[1].depth, 2);
            EXPECT_TRUE(rows[1].nodes == 400);
        }
    }
}

TEST(Suite, EpdSkipsWhatIsNotACount) {
    const auto rows = parse_suite(
        "\xef\xbb\xbf# a comment ;D1 5\r\n\r\n" +
            with(kStart4, " bm e4; D1 20; id \"a;b D9 1\"; c0 \"; D3 7\"; hmvc 0; dm 4;\r\n") +
            " \t\r\n" + with(kStart6, " ;D2 400") + "\n# end",
        "s");
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].id, "a;b D9 1");
    EXPECT_EQ(rows[0].fen, kStart4);
    EXPECT_EQ(rows[0].line, 3u);
    EXPECT_TRUE(rows[0].nodes == 20);
    EXPECT_EQ(rows[1].id, "");
    EXPECT_EQ(rows[1].line, 5u);
}

TEST(Suite, CountsOf128BitsAndDepthZero) {
    const auto rows =
        parse_suite(with(kStart4, " ;D0 1 ;D40 340282366920938463463374607431768211455"), "s");
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].depth, 0);
    EXPECT_TRUE(rows[1].nodes == ~Uint128{0});
}

TEST(Suite, EpdErrorsNameFileAndLine) {
    const std::string good = with(kStart4, " ;D1 20\n");
    const auto fails = [&](const std::string& line, const std::string& reason) {
        const std::string what = error_of(good + line + "\n" + good);
        EXPECT_NE(what.find(reason), std::string::npos) << what;
        EXPECT_NE(what.find("(s.epd:2)"), std::string::npos) << what;
        EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    };
    fails(with(kStart4, " ;D1 8,902"), "separators");
    fails(with(kStart4, " ;D1 8'902"), "separators");
    fails(with(kStart4, " ;D1 8 902"), "separators");
    fails(with(kStart4, " ;D1 -5"), "not a number");
    fails(with(kStart4, " ;D1 2e9"), "not a number");
    fails(with(kStart4, " ;D1"), "not a number");
    fails(with(kStart4, " ;D1x 20"), "depth");
    fails(with(kStart4, " ;D1000 20"), "depth");
    fails(with(kStart4, " ;D9 340282366920938463463374607431768211456"), "128 bits");
    fails(with(kStart4, ""), "without counts");
    fails(with(kStart4, " bm e4; id \"x\";"), "without counts");
    fails(with(kStart4, " ;20 400"), "no EPD operation");
    fails(with(kStart4, " ;D1 20; id \"x"), "not closed");
    fails("hello world", "not a position");
    fails("8/8/8/8/8/8/8/8 w ;D1 20", "not a position");
    fails(std::string("\x01\xff\0;", 4), "not a position");
}

TEST(Suite, PerftBlocks) {
    const auto rows = parse_suite("# comment\n\nid a b\nepd " +
                                      with(kStart4, "\nperft 1 20\nperft  2\t400\n\nepd ") +
                                      with(kStart6, "\r\nperft 3 8902\r\nid c\r\nepd ") +
                                      with(kStart4, "\n# within\nperft 0 1"),
                                  "s");
    ASSERT_EQ(rows.size(), 4u);
    EXPECT_EQ(rows[0].id, "a b");
    EXPECT_EQ(rows[0].line, 5u);
    EXPECT_EQ(rows[1].fen, kStart4);
    EXPECT_TRUE(rows[1].nodes == 400);
    EXPECT_EQ(rows[2].id, "");
    EXPECT_EQ(rows[2].fen, kStart6);
    EXPECT_EQ(rows[3].id, "c");
    EXPECT_EQ(rows[3].line, 13u);
    EXPECT_EQ(rows[3].depth, 0);
}

TEST(Suite, PerftErrorsNameFileAndLine) {
    const std::string good = "id a\nepd " + with(kStart4, "\nperft 1 20\n\n");  // four lines
    const auto fails = [&](const std::string& text, const std::string& reason, int line) {
        const std::string what = error_of(good + text);
        EXPECT_NE(what.find(reason), std::string::npos) << what;
        EXPECT_NE(what.find("(s.epd:" + std::to_string(line) + ")"), std::string::npos) << what;
    };
    fails("perft 1 20", "without an epd", 5);
    fails("epd " + with(kStart4, "\nperft 1"), "not a number", 6);
    fails("epd " + with(kStart4, "\nperft x 20"), "depth", 6);
    fails("epd " + with(kStart4, "\nperft 1 20 30"), "not a number", 6);
    fails("epd " + with(kStart4, "\n\nid b\n"), "without counts", 5);
    fails("epd " + with(kStart4, ""), "without counts", 5);
    fails("epd\nperft 1 20", "epd without", 5);
    fails("depth 1 20", "unknown word", 5);
}

TEST(Suite, TsvByColumnNamesInAnyOrder) {
    const auto rows =
        parse_suite("# ours\nnodes\tnote\tfen\tchess960\tdepth\tid\n20\t\t" +
                        with(kStart6, "\tn\t1\tx\n\n20\tr;s\t") +
                        with(kStart4, "\ty\t1\ty\n400\t-\t") + with(kStart4, "\t\t2\t\r\n"),
                    "s");
    ASSERT_EQ(rows.size(), 3u);
    EXPECT_EQ(rows[0].fen, kStart6);
    EXPECT_EQ(rows[0].variant, Variant::Standard);
    EXPECT_EQ(rows[0].id, "x");
    EXPECT_EQ(rows[0].line, 3u);
    EXPECT_EQ(rows[1].variant, Variant::Chess960);
    EXPECT_EQ(rows[2].variant, Variant::Auto);
    EXPECT_TRUE(rows[2].nodes == 400);
    EXPECT_EQ(rows[2].line, 6u);

    const auto few = parse_suite(std::string("fen\tdepth\tnodes\n") + kStart4 + "\t1\t20", "s");
    ASSERT_EQ(few.size(), 1u);
    EXPECT_EQ(few[0].variant, Variant::Auto);
}

TEST(Suite, TsvErrorsNameFileAndLine) {
    const auto fails = [](const std::string& text, const std::string& reason) {
        const std::string what = error_of(text);
        EXPECT_NE(what.find(reason), std::string::npos) << what;
    };
    fails("fen\tdepth\n", "no column is named nodes (s.epd:1)");
    fails("fen\tnodes\tnote\n", "no column is named depth (s.epd:1)");
    fails("fen\tdepth\tnodes\tfen\n", "two columns");
    fails("fen\tdepth\tnodes\n", "empty (s.epd)");
    fails("fen\tdepth\tnodes\n" + with(kStart4, "\t1"), "(s.epd:2)");
    fails("fen\tdepth\tnodes\n" + with(kStart4, "\t1\t20\tx"),
          "4 fields under 3 columns (s.epd:2)");
    fails("fen\tdepth\tnodes\n" + with(kStart4, "\t1\t4 865 609"), "separators (s.epd:2)");
    fails("fen\tdepth\tnodes\n\t1\t20", "no fen (s.epd:2)");
    fails("fen\tdepth\tnodes\tchess960\n" + with(kStart4, "\t1\t20\tmaybe"),
          "neither y nor n (s.epd:2)");
}

TEST(Suite, EmptyIsAnError) {
    for (const char* text : {"", "\n", "# nothing\n\n", "\xef\xbb\xbf"})
        EXPECT_EQ(error_of(text), "the suite is empty (s.epd)");
}

TEST(Suite, OtherGamesAreReadAndRefusedLater) {
    for (const char* fen :
         {"2k5/8/8/8/8/8/8/4K3[QRBNPqrbnp] w - -", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 1+1",
          "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3+3 0 1"}) {
        const auto rows = parse_suite(with(fen, " ;D1 26"), "s");
        ASSERT_EQ(rows.size(), 1u);
        EXPECT_EQ(rows[0].fen, fen);
        EXPECT_THROW(parse_fen(rows[0].fen), Error);
    }
}

TEST(Suite, FilesThatCannotBeRead) {
    const auto code_of = [](const std::filesystem::path& path) {
        try {
            read_suite(path);
        } catch (const Error& e) {
            EXPECT_NE(std::string(e.what()).find(path.string()), std::string::npos) << e.what();
            return e.code();
        }
        return ErrorCode::Internal;
    };
    const auto directory = std::filesystem::temp_directory_path() /
                           ("mansuba_suite_test." + std::to_string(::getpid()));
    std::filesystem::create_directories(directory);
    EXPECT_EQ(code_of(directory), ErrorCode::File);
    EXPECT_EQ(code_of(directory / "missing.epd"), ErrorCode::File);
    const auto secret = directory / "secret.epd";
    std::ofstream(secret) << with(kStart4, " ;D1 20\n");
    EXPECT_EQ(read_suite(secret).size(), 1u);
    std::filesystem::permissions(secret, std::filesystem::perms::none);
    if (::geteuid() != 0) {  // root reads anything
        EXPECT_EQ(code_of(secret), ErrorCode::File);
    }
    std::filesystem::remove_all(directory);
}

TEST(Suite, OurTablesAreReadInFull) {
    const std::string data = MANSUBA_TEST_DATA;
    const auto suite = read_suite(data + "/perft_suite.tsv");
    EXPECT_EQ(suite.size(), 1169u);  // lines of the file but its header
    EXPECT_EQ(std::count_if(suite.begin(), suite.end(),
                            [](const SuiteRow& r) { return r.variant == Variant::Chess960; }),
              309);
    EXPECT_EQ(read_suite(data + "/perft_breakdown.tsv").size(), 25u);
}

TEST(Suite, OurTablesAgreeWithOurCounts) {
    Options options;
    options.threads = 1;  // the counts are small
    int checked = 0;
    for (const char* file : {"/perft_suite.tsv", "/perft_breakdown.tsv"}) {
        for (const SuiteRow& row : read_suite(std::string(MANSUBA_TEST_DATA) + file)) {
            if (row.nodes > 200'000) continue;
            const Position position = parse_fen(row.fen, {row.variant, Strictness::Lenient});
            EXPECT_EQ(to_string(count(position, row.depth, options).nodes), to_string(row.nodes))
                << file << ":" << row.line << " " << row.fen << " depth " << row.depth;
            ++checked;
        }
    }
    EXPECT_GT(checked, 500);
}

TEST(Suite, SuitesOfOtherProjectsAreRead) {
    const std::string perft = std::string(MANSUBA_SHARED_DATA) + "/perft/";
    if (!std::filesystem::exists(perft + "random.perft"))
        GTEST_SKIP() << "no suites of other projects in " << perft;
    struct Case {
        const char* file;
        std::size_t rows, positions;
    };
    // Numbers of `perft` and `epd` lines: grep -c '^perft', grep -c '^epd'.
    for (const Case& c : {Case{"random.perft", 41028, 6838}, Case{"chess960.perft", 5760, 960},
                          Case{"tricky.perft", 67, 19}, Case{"3check.perft", 6, 2},
                          Case{"crazyhouse.perft", 18, 5}}) {
        const auto rows = read_suite(perft + c.file);
        EXPECT_EQ(rows.size(), c.rows) << c.file;
        EXPECT_EQ(
            std::count_if(rows.begin(), rows.end(), [](const SuiteRow& r) { return r.depth == 1; }),
            static_cast<std::ptrdiff_t>(c.positions))
            << c.file;
    }
}

}  // namespace
}  // namespace mansuba::perft

// Counts against published and independently verified numbers, and every way of counting against
// the others.
#include "perft/perft.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/fen.hpp"
#include "core/reference.hpp"
#include "perft/kernel.hpp"
#include "perft/suite.hpp"

namespace mansuba::perft {
namespace {

constexpr const char* kKiwipete =
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

Uint128 nodes(std::string_view fen, int depth, const Options& options = {}) {
    return count(parse_fen(fen), depth, options).nodes;
}

/// Counts every row of a suite with at most this many leaves, by every kernel; returns how many
/// rows that were.
int check_suite(const std::string& file, Uint128 max_nodes, std::uint64_t hash_bytes = 0) {
    int rows = 0;
    for (const SuiteRow& row : read_suite(file)) {
        if (row.nodes > max_nodes) continue;
        ++rows;
        const Position p = parse_fen(row.fen, {row.variant, Strictness::Lenient});
        for (const Kernel& k : kernels()) {
            Options options;
            options.simd = k.name;
            options.hash_bytes = hash_bytes;
            EXPECT_EQ(to_string(count(p, row.depth, options).nodes), to_string(row.nodes))
                << file << ':' << row.line << ' ' << row.fen << " depth " << row.depth << ", "
                << k.name;
        }
    }
    return rows;
}

const std::string kData = MANSUBA_TEST_DATA;
const std::string kShared = MANSUBA_SHARED_DATA;

#define MANSUBA_NEEDS_FILE(file) \
    if (!std::filesystem::exists(file)) GTEST_SKIP() << "no " << (file) << " here"

TEST(PerftSuite, OurTable) { EXPECT_EQ(check_suite(kData + "/perft_suite.tsv", 2'000'000), 1020); }

TEST(PerftSuite, Tricky) {
    MANSUBA_NEEDS_FILE(kShared + "/perft/tricky.perft");
    EXPECT_EQ(check_suite(kShared + "/perft/tricky.perft", 10'000'000), 67);
}

TEST(PerftSuite, Chess960) {
    MANSUBA_NEEDS_FILE(kShared + "/perft/chess960.perft");
    EXPECT_EQ(check_suite(kShared + "/perft/chess960.perft", 20'000), 2420);
}

TEST(PerftSuite, Random) {
    MANSUBA_NEEDS_FILE(kShared + "/perft/random.perft");
    EXPECT_EQ(check_suite(kShared + "/perft/random.perft", 15'000), 17'145);
}

TEST(LongPerftSuite, OurTable) { check_suite(kData + "/perft_suite.tsv", 1'000'000'000); }

TEST(LongPerftSuite, OurTableHashed) {
    check_suite(kData + "/perft_suite.tsv", 100'000'000'000, std::uint64_t{1} << 30);
}

TEST(LongPerftSuite, Chess960) {
    MANSUBA_NEEDS_FILE(kShared + "/perft/chess960.perft");
    check_suite(kShared + "/perft/chess960.perft", 30'000'000);
}

TEST(LongPerftSuite, Random) {
    MANSUBA_NEEDS_FILE(kShared + "/perft/random.perft");
    check_suite(kShared + "/perft/random.perft", 3'000'000);
}

// A table of named columns; empty cells and "-" are what nobody knows.
std::vector<std::map<std::string, std::string>> read_table(const std::string& file) {
    std::ifstream in(file);
    std::string line, cell;
    std::vector<std::string> names;
    std::vector<std::map<std::string, std::string>> rows;
    while (std::getline(in, line)) {
        std::istringstream cells(line);
        std::map<std::string, std::string> row;
        for (std::size_t i = 0; std::getline(cells, cell, '\t'); ++i) {
            if (rows.empty() && names.size() <= i && line.starts_with("id\t"))
                names.push_back(cell);
            else
                row[names.at(i)] = cell;
        }
        if (!row.empty()) rows.push_back(row);
    }
    return rows;
}

int check_breakdown(Uint128 max_nodes) {
    const std::map<std::string, Uint128 Detail::*> columns{
        {"captures", &Detail::captures},    {"ep", &Detail::en_passant},
        {"castles", &Detail::castles},      {"promotions", &Detail::promotions},
        {"checks", &Detail::checks},        {"disc_checks_only", &Detail::discovered},
        {"checkmates", &Detail::mates},     {"double_checks", &Detail::double_checks},
        {"stalemates", &Detail::stalemates}};
    int rows = 0;
    for (auto& row : read_table(kData + "/perft_breakdown.tsv")) {
        if (parse_uint128(row.at("nodes")) > max_nodes) continue;
        // Published by others and disputed, as their notes say: not to be held against us.
        if (row.at("verified_by") == "published-only") continue;
        ++rows;
        for (const Kernel& k : kernels()) {
            Options options;
            options.simd = k.name;
            options.detail = true;
            const Result r = count(parse_fen(row.at("fen")), std::stoi(row.at("depth")), options);
            EXPECT_EQ(to_string(r.nodes), row.at("nodes")) << row.at("id");
            for (const auto& [name, field] : columns)
                EXPECT_EQ(to_string((*r.detail).*field), row.at(name))
                    << row.at("id") << " depth " << row.at("depth") << ' ' << name << ", "
                    << k.name;
        }
    }
    return rows;
}

TEST(PerftDetail, OurTable) { EXPECT_EQ(check_breakdown(12'000'000), 22); }

TEST(LongPerftDetail, StartPositionDepth6) {
    // Own run and https://www.chessprogramming.org/Perft_Results; its "checks" leave mates out.
    Options options;
    options.detail = true;
    const Result r = count(Position(), 6, options);
    EXPECT_EQ(to_string(r.detail->captures), "2812008");
    EXPECT_EQ(to_string(r.detail->en_passant), "5248");
    EXPECT_EQ(to_string(r.detail->mates), "10828");
    EXPECT_EQ(to_string(r.detail->checks), "809099");
    EXPECT_EQ(to_string(r.detail->discovered), "329");
    EXPECT_EQ(to_string(r.detail->double_checks), "46");
}

TEST(Perft, DepthsZeroAndOne) {
    EXPECT_EQ(nodes(kStartFen, 0), 1u);
    const Result r = count(Position(), 1, {});
    EXPECT_EQ(r.nodes, 20u);
    EXPECT_EQ(r.divide.size(), 20u);
    // Stalemate: no moves at any depth, and one leaf at depth 0.
    EXPECT_EQ(nodes("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 0), 1u);
    EXPECT_EQ(nodes("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 1), 0u);
    EXPECT_EQ(nodes("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 5), 0u);
}

TEST(Perft, RefusesImpossibleDepths) {
    EXPECT_THROW(nodes(kStartFen, -1), Error);
    EXPECT_THROW(nodes(kStartFen, kMaxDepth + 1), Error);
}

TEST(Perft, EveryWayOfCountingGivesTheSame) {
    struct Case {
        const char* fen;
        int depth;
        std::uint64_t nodes;
    };
    // https://www.chessprogramming.org/Perft_Results
    for (const Case c :
         {Case{kStartFen.data(), 5, 4865609}, Case{kKiwipete, 4, 4085603},
          Case{"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 6, 11030083},
          Case{"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 4, 422333},
          Case{"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 4, 2103487},
          Case{"r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 4,
               3894594}}) {
        for (const Kernel& k : kernels())
            for (const int threads : {1, 2, 7})
                for (const std::uint64_t hash : {std::uint64_t{0}, std::uint64_t{64},
                                                 std::uint64_t{100'000}, std::uint64_t{16} << 20})
                    for (const bool bulk : {true, false}) {
                        if (hash && !bulk) continue;  // one at a time never looks at the table
                        Options options;
                        options.simd = k.name;
                        options.threads = threads;
                        options.hash_bytes = hash;
                        options.bulk = bulk;
                        const Result r = count(parse_fen(c.fen), c.depth, options);
                        EXPECT_EQ(r.nodes, c.nodes)
                            << c.fen << ' ' << k.name << " threads " << threads << " hash " << hash
                            << " bulk " << bulk;
                        Uint128 sum = 0;
                        for (const RootMove& m : r.divide) sum += m.nodes;
                        EXPECT_EQ(sum, r.nodes);
                    }
    }
}

TEST(Perft, DivideIsTheCountBehindEachMove) {
    const Position root = parse_fen(kKiwipete);
    Options hashed;
    hashed.hash_bytes = 1 << 20;
    for (const Options& options : {Options{}, hashed})
        for (const RootMove& m : count(root, 4, options).divide) {
            Position child = root;
            child.play(m.move);
            EXPECT_EQ(m.nodes, reference::perft(child, 3));
        }
}

// Deeper than 64 bits are used for, and the same with and without a table.
TEST(Perft, DeepCountsOfFewMoves) {
    constexpr const char* fen = "8/8/8/8/p1p1p3/P1P1P1k1/8/7K w - - 0 1";
    Options hashed;
    hashed.hash_bytes = 1 << 20;
    for (const int depth : {9, 10, 12})
        EXPECT_EQ(nodes(fen, depth), nodes(fen, depth, hashed)) << depth;
    // Bare kings in opposite corners: 31 plies are out of reach without a table.
    EXPECT_GT(nodes("k7/8/8/8/8/8/8/7K w - - 0 1", kMaxDepth, hashed), Uint128{1} << 80);
}

TEST(PerftUnique, StartPosition) {
    // https://oeis.org/A083276 with en passant rights counted only where a capture is legal.
    constexpr std::uint64_t known[] = {1, 20, 400, 5362, 72078, 822518, 9417681};
    for (int depth = 0; depth <= 5; ++depth)
        for (const int threads : {1, 2, 7}) {
            Options options;
            options.threads = threads;
            EXPECT_EQ(count_unique(Position(), depth, options, std::uint64_t{1} << 30),
                      known[depth]);
        }
    // So little room that the last ply takes many passes.
    EXPECT_EQ(count_unique(Position(), 5, {}, 4 << 20), known[5]);
    for (const Kernel& k : kernels()) {
        Options options;
        options.simd = k.name;
        EXPECT_EQ(count_unique(Position(), 6, options, std::uint64_t{1} << 30), known[6]);
    }
}

TEST(PerftUnique, SaysWhatItNeeds) {
    try {
        count_unique(Position(), 6, {}, 1 << 20);
        FAIL() << "822518 positions do not fit into a MiB";
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::Usage);
        EXPECT_NE(std::string(e.what()).find("MiB"), std::string::npos);
    }
}

TEST(LongPerftUnique, StartPositionPly7) {
    EXPECT_EQ(count_unique(Position(), 7, {}, std::uint64_t{6} << 30), 96400068u);
}

TEST(Kernels, UnknownNamesAreRefused) {
    EXPECT_THROW(kernel("abacus"), Error);
    EXPECT_THROW(kernel(""), Error);
    EXPECT_EQ(kernel("auto").name, kernels().back().name);
    EXPECT_EQ(kernel("portable").name, "portable");
}

}  // namespace
}  // namespace mansuba::perft

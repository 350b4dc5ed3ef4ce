// The program as a user or a script meets it: what it prints and where, its exit codes, and that
// neither signals nor damaged files nor full disks make it lose work or print a wrong count.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/mount.h>

#include "core/uint128.hpp"
#include "perft/checkpoint.hpp"
#include "tests/cli/child_program.hpp"
#include "tests/perft/engines.hpp"

namespace mansuba::cli {
namespace {

using namespace testing;
namespace fs = std::filesystem;
using perft::testing::fake_engine;
using Json = nlohmann::ordered_json;
using Strings = std::vector<std::string>;

const std::string kStart = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const std::string kKiwipete =
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const std::string kEndgame = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1";  // position 3 of the wiki

// https://www.chessprogramming.org/Perft_Results
const std::string kStartD6 = "119060324", kStartD7 = "3195901860";

Finished run(const Arguments& arguments, const ChildOptions& options = {}) {
    return Child(MANSUBA_PROGRAM, arguments, options).wait();
}

std::string shown(const Arguments& arguments) {
    std::string text = "mansuba";
    for (const std::string& a : arguments) text += " '" + a + "'";
    return text;
}

/// Runs to a good end; stderr must be empty.
std::string output(const Arguments& arguments, const ChildOptions& options = {}) {
    const Finished f = run(arguments, options);
    EXPECT_EQ(f.exit_code, 0) << shown(arguments) << "\nsignal " << f.signal << '\n' << f.err;
    EXPECT_EQ(f.err, "") << shown(arguments);
    return f.out;
}

Json json_output(const Arguments& arguments, const ChildOptions& options = {}) {
    return Json::parse(output(arguments, options), nullptr, false);
}

/// With --json behind the arguments.
Json perft(Arguments arguments, const ChildOptions& options = {}) {
    arguments.insert(arguments.begin(), "perft");
    arguments.push_back("--json");
    return json_output(arguments, options);
}

std::string nodes(const Arguments& arguments, const ChildOptions& options = {}) {
    return perft(arguments, options).value("nodes", "none");
}

/// What every refusal looks like: nothing on stdout, one line on stderr, in which `part` stands.
void expect_refused(const Finished& f, int exit_code, const std::string& part,
                    const std::string& what) {
    EXPECT_EQ(f.exit_code, exit_code) << what << "\nsignal " << f.signal << '\n' << f.out << f.err;
    EXPECT_EQ(f.out, "") << what;
    const Strings lines = f.error_lines();
    ASSERT_EQ(lines.size(), 1u) << what << '\n' << f.err;
    EXPECT_TRUE(lines[0].starts_with("mansuba: error: ")) << what << '\n' << lines[0];
    EXPECT_NE(lines[0].find(part), std::string::npos) << what << '\n' << lines[0];
    EXPECT_EQ(f.err.back(), '\n') << what;
}

void expect_refused(const Arguments& arguments, int exit_code, const std::string& part = {},
                    const ChildOptions& options = {}) {
    expect_refused(run(arguments, options), exit_code, part, shown(arguments));
}

Strings lines_of(const std::string& text) {
    Strings lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

Strings keys_of(const Json& j) {
    Strings keys;
    for (const auto& [key, value] : j.items()) keys.push_back(key);
    return keys;
}

bool is_decimal(const Json& j) {
    if (!j.is_string()) return false;
    const auto& text = j.get_ref<const std::string&>();
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

Uint128 sum_of(const Json& divide) {
    Uint128 sum = 0;
    for (const auto& [move, count] : divide.items()) sum += parse_uint128(count.get<std::string>());
    return sum;
}

Strings simd_names() {
    Strings names;
    const Json info = json_output({"info", "--json"});
    for (const Json& target : info["simd_targets"]) names.push_back(target["name"]);
    return names;
}

// --- Help and usage

TEST(Cli, EveryCommandHasHelp) {
    for (const std::string& help : Strings{"-h", "--help"}) {
        const std::string all = output({help});
        for (const std::string& command : Strings{"perft", "suite", "diff", "info"}) {
            EXPECT_NE(all.find("  " + command + " "), std::string::npos) << command;
            EXPECT_NE(output({command, help}).find("Usage: mansuba " + command), std::string::npos);
        }
    }
}

TEST(Cli, PerftHelpSaysWhatAHashHitRestsOn) {
    std::string help = output({"perft", "--help"});
    help.erase(0, std::min(help.find("--hash"), help.size()));
    help.resize(std::min(help.find("--no-bulk"), help.size()));
    EXPECT_NE(help.find("A hit is exact: an entry holds the whole position"), std::string::npos)
        << help;
}

TEST(Cli, Version) {
    const std::string version = output({"--version"});
    EXPECT_TRUE(version.starts_with("mansuba ")) << version;
    EXPECT_EQ(lines_of(version).size(), 1u);
    EXPECT_NE(version.find(json_output({"info", "--json"})["version"].get<std::string>()),
              std::string::npos);
}

TEST(Cli, WrongUsage) {
    expect_refused({}, 2);
    expect_refused({""}, 2);
    expect_refused({"perfd", "3"}, 2, "unknown command \"perfd\"");
    expect_refused({"--bogus"}, 2);
    expect_refused({"perft", "1", "--bogus"}, 2, "--bogus");
    expect_refused({"perft", "1", "2"}, 2);
    expect_refused({"perft", "1", "--fen"}, 2, "--fen");
    expect_refused({"suite"}, 2, "FILE");
    expect_refused({"diff", "2"}, 2, "--engine");
    expect_refused({"info", "--bogus"}, 2, "--bogus");
    expect_refused({"perft", "1", "--progress", "often"}, 2, "--progress");
    expect_refused({"perft", "1", "--format", "xml"}, 2, "--format");
    expect_refused({"perft", "1", "--notation", "icelandic"}, 2, "icelandic");
    expect_refused({"perft", "1", "--format", "uci", "--json"}, 2, "--json");
    expect_refused({"perft", "1", "--unique", "--checkpoint", "f"}, 2, "--unique");
}

TEST(Cli, WhatTheUserWroteStaysOnOneLine) {
    expect_refused({"perft", "1", "--fen", "a\nb\r\nc"}, 2);
    expect_refused({"perft", "1", "--moves", "e2\x1b[31m\x07"}, 2, "\\x1b");
    expect_refused({"perft", "1\n2"}, 2);
    expect_refused({"suite", "no\nsuch\nfile"}, 3);
}

TEST(Cli, Depths) {
    for (const std::string& depth : Strings{"-1", "x", "32", "1.5", "", "99999999999999999999"})
        expect_refused({"perft", depth}, 2, "DEPTH");
    expect_refused({"perft"}, 2, "DEPTH");
    EXPECT_EQ(nodes({"0"}), "1");
    EXPECT_EQ(nodes({"1"}), "20");
    EXPECT_EQ(nodes({"31", "--fen", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "--hash", "0"}), "0");
}

// --- perft: output

TEST(Perft, Text) {
    const Strings lines = lines_of(output({"perft", "3", "--fen", kKiwipete}));
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0], "perft 3: 97862 leaves");
    EXPECT_NE(lines[1].find(" leaves/s, "), std::string::npos) << lines[1];

    const Strings more = lines_of(output({"perft", "3", "--divide", "--detail", "--unique"}));
    ASSERT_EQ(more.size(), 20u + 1 + 9 + 1 + 1);
    EXPECT_EQ(more[0], "a2a3: 380");
    EXPECT_EQ(more[11], "e2e4: 600");
    EXPECT_EQ(more[20], "perft 3: 8902 leaves");
    EXPECT_TRUE(more[21].starts_with("  captures ") && more[21].ends_with(" 34")) << more[21];
    EXPECT_TRUE(more[25].starts_with("  checks ") && more[25].ends_with(" 12")) << more[25];
    EXPECT_EQ(more[30], "  distinct positions 5362");  // https://oeis.org/A083276
}

TEST(Perft, JsonHasTheKeysOfTheContract) {
    const Json j = perft({"3", "--simd", "scalar"});
    EXPECT_EQ(keys_of(j), (Strings{"fen", "depth", "nodes", "seconds", "nps", "threads", "ranks",
                                   "simd", "hash_bytes"}));
    EXPECT_EQ(j["fen"], kStart);
    EXPECT_EQ(j["depth"], 3);
    EXPECT_EQ(j["nodes"], "8902");
    EXPECT_TRUE(j["seconds"].is_number_float() && j["seconds"] >= 0);
    EXPECT_TRUE(j["nps"].is_number_float() && j["nps"] >= 0);
    EXPECT_TRUE(j["threads"].is_number_integer() && j["threads"] >= 1);
    EXPECT_EQ(j["ranks"], 1);
    EXPECT_TRUE(j["simd"].is_string());
    EXPECT_EQ(j["hash_bytes"], 0);

    const Json full = perft({"2", "--divide", "--detail", "--unique"});
    Strings keys = keys_of(j);
    keys.insert(keys.end(), {"divide", "detail", "unique"});
    EXPECT_EQ(keys_of(full), keys);
    EXPECT_EQ(keys_of(full["detail"]),
              (Strings{"captures", "ep", "castles", "promotions", "checks", "discovered",
                       "double_checks", "mates", "stalemates"}));
    for (const Json& value : full["detail"]) EXPECT_TRUE(is_decimal(value)) << value;
    for (const Json& value : full["divide"]) EXPECT_EQ(value, "20");
    EXPECT_EQ(full["divide"].size(), 20u);
    EXPECT_EQ(full["unique"], "400");
}

TEST(Perft, DivideSumsUp) {
    const Json kiwipete = perft({"4", "--divide", "--fen", kKiwipete});
    EXPECT_EQ(kiwipete["nodes"], "4085603");
    EXPECT_EQ(kiwipete["divide"].size(), 48u);
    EXPECT_EQ(to_string(sum_of(kiwipete["divide"])), "4085603");
    Strings moves = keys_of(kiwipete["divide"]);
    EXPECT_TRUE(std::is_sorted(moves.begin(), moves.end()));
    // Each line is the count one ply below.
    EXPECT_EQ(kiwipete["divide"]["e1g1"], nodes({"3", "--fen", kKiwipete, "--moves", "e1g1"}));
    EXPECT_EQ(kiwipete["divide"]["d5e6"], nodes({"3", "--fen", kKiwipete, "--moves", "d5e6"}));

    EXPECT_EQ(perft({"0", "--divide"})["divide"], Json::object());
    const Json mate = perft({"3", "--divide", "--fen", "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"});
    EXPECT_EQ(mate["nodes"], "0");
    EXPECT_EQ(mate["divide"], Json::object());
}

// tests/data/perft_breakdown.tsv, cpw-2-kiwipete at depth 4.
TEST(Perft, Detail) {
    const Json j = perft({"4", "--detail", "--fen", kKiwipete});
    EXPECT_EQ(j["nodes"], "4085603");
    const Json expected{{"captures", "757163"},  {"ep", "1929"},      {"castles", "128013"},
                        {"promotions", "15172"}, {"checks", "25523"}, {"discovered", "42"},
                        {"double_checks", "6"},  {"mates", "43"},     {"stalemates", "0"}};
    EXPECT_EQ(j["detail"], expected);
    const Json queen = perft({"1", "--detail", "--fen", "7k/8/6K1/8/8/8/5Q2/8 w - - 0 1"});
    EXPECT_EQ(queen["detail"]["stalemates"], "2");  // Qa2 and Qf7
    EXPECT_EQ(queen["detail"]["mates"], "1");       // Qf8
}

// https://oeis.org/A083276
TEST(Perft, Unique) {
    const Json j = perft({"5", "--unique"});
    EXPECT_EQ(j["nodes"], "4865609");
    EXPECT_EQ(j["unique"], "822518");
    EXPECT_EQ(perft({"4", "--unique", "--threads", "3"})["unique"], "72078");
    // Little room: the last ply in several passes.
    EXPECT_EQ(perft({"5", "--unique", "--hash", "8M"})["unique"], "822518");
}

TEST(Perft, UciFormat) {
    Strings lines = lines_of(output({"perft", "2", "--format", "uci"}));
    ASSERT_EQ(lines.size(), 22u);
    EXPECT_EQ(lines[0], "a2a3: 20");
    EXPECT_EQ(lines[19], "h2h4: 20");
    EXPECT_EQ(lines[20], "");
    EXPECT_EQ(lines[21], "Nodes searched: 400");
    lines = lines_of(
        output({"perft", "1", "--format", "uci", "--fen", "8/P6k/8/8/8/8/8/K7 w - - 0 1"}));
    EXPECT_EQ(lines, (Strings{"a1a2: 1", "a1b1: 1", "a1b2: 1", "a7a8b: 1", "a7a8n: 1", "a7a8q: 1",
                              "a7a8r: 1", "", "Nodes searched: 7"}));
}

// --- perft: the position

TEST(Perft, Moves) {
    const Json uci = perft({"3", "--moves", "e2e4 c7c5 e4e5 d7d5"});
    EXPECT_EQ(uci["fen"], "rnbqkbnr/pp2pppp/8/2ppP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3");
    const Json san = perft({"3", "--moves", " e4  c5\te5 d5 "});
    EXPECT_EQ(san["fen"], uci["fen"]);
    EXPECT_EQ(san["nodes"], uci["nodes"]);
    EXPECT_EQ(perft({"1", "--moves", "e4 e5 Nf3 Nc6 Bb5 a6 O-O"})["fen"],
              "r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQ1RK1 b kq - 1 4");

    expect_refused({"perft", "3", "--moves", "e2e4 e2e4"}, 2, "e2e4");
    expect_refused({"perft", "3", "--moves", "e2e5"}, 2, "e2e5");
    expect_refused({"perft", "3", "--moves", "Nf6"}, 2, "Nf6");
    expect_refused({"perft", "3", "--moves", "O-O"}, 2, "O-O");
    expect_refused({"perft", "3", "--moves", "hello"}, 2, "hello");
    expect_refused({"perft", "3", "--moves", "Nd2", "--fen", "4k3/8/8/8/8/1N3N2/8/4K3 w - - 0 1"},
                   2, "Nd2");
}

TEST(Perft, Notation) {
    const auto moves = [](const std::string& notation) {
        const Strings keys =
            keys_of(perft({"1", "--divide", "--fen", kKiwipete, "--notation", notation})["divide"]);
        return std::set<std::string>(keys.begin(), keys.end());
    };
    const auto expect_all = [&](const std::string& notation, const Strings& expected) {
        const std::set<std::string> found = moves(notation);
        EXPECT_EQ(found.size(), 48u) << notation;
        for (const std::string& move : expected) EXPECT_TRUE(found.contains(move)) << move;
    };
    expect_all("uci", {"e1g1", "e1c1", "d5e6", "e5d7", "f3f6", "e2a6", "a2a3"});
    expect_all("san", {"O-O", "O-O-O", "dxe6", "Nxd7", "Qxf6", "Bxa6", "a3"});
    expect_all("lan", {"O-O", "O-O-O", "d5xe6", "Ne5xd7", "Qf3xf6", "Be2xa6", "a2-a3"});
    expect_all("ru", {"O-O", "O-O-O", "dxe6", "Кxd7", "Фxf6", "Сxa6", "Лb1", "Крd1", "a3"});
}

// tests/data/perft_suite.tsv, tricky-xfen-03, and what UCI_Chess960 changes in standard chess.
TEST(Perft, Chess960) {
    const Json standard = perft({"1", "--divide", "--fen", kKiwipete});
    EXPECT_TRUE(standard["divide"].contains("e1g1") && standard["divide"].contains("e1c1"));
    const Json same = perft({"1", "--divide", "--fen", kKiwipete, "--chess960"});
    EXPECT_TRUE(same["divide"].contains("e1h1") && same["divide"].contains("e1a1"));
    EXPECT_FALSE(same["divide"].contains("e1g1"));
    EXPECT_EQ(same["nodes"], "48");

    const std::string inner = "2r5/8/8/8/8/8/6PP/k2KR3 w K - 0 1";
    expect_refused({"perft", "4", "--fen", inner}, 2, "--chess960");
    const Json j = perft({"4", "--divide", "--fen", inner, "--chess960"});
    EXPECT_EQ(j["nodes"], "57700");
    EXPECT_TRUE(j["divide"].contains("d1e1"));
}

TEST(Perft, LenientDropsWithAWarning) {
    const std::string fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR w KQkq e6 0 1";
    expect_refused({"perft", "2", "--fen", fen}, 2, "FEN castling rights");
    const Finished f = run({"perft", "2", "--fen", fen, "--lenient", "--json"});
    EXPECT_EQ(f.exit_code, 0);
    EXPECT_EQ(Json::parse(f.out, nullptr, false).value("fen", ""),
              "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR w Kkq - 0 1");
    ASSERT_EQ(f.error_lines().size(), 2u) << f.err;
    for (const std::string& line : f.error_lines())
        EXPECT_TRUE(line.starts_with("mansuba: warning: FEN ")) << line;
    expect_refused({"perft", "2", "--lenient", "--fen", "8/8/8/8/8/8/8/K7 w - - 0 1"}, 2, "FEN");
}

/// Undoes the escapes of fen_cases.tsv: \xNN and \uNNNN name a code point, which comes as UTF-8.
std::string unescaped(std::string text) {
    const std::map<std::string, std::string> escapes{{"\\xa0", "\xc2\xa0"},
                                                     {"\\u265c", "\xe2\x99\x9c"}};
    for (const auto& [escape, bytes] : escapes)
        if (const auto at = text.find(escape); at != std::string::npos)
            text.replace(at, escape.size(), bytes);
    EXPECT_EQ(text.find('\\'), std::string::npos) << text;
    return text;
}

// The reasons are the matter of tests/core/fen_test.cpp; here, that they reach the user.
TEST(Perft, EveryBadFenIsRefusedInOneLine) {
    const std::set<std::string> good = {
        "ok-start",     "ok-4field",  "ok-ep-impossible-capture", "move-zero",
        "clock-150",    "lead-space", "too-much-promoted",        "3-checkers",
        "2-rooks-line", "align-3",    "pawn-behind-bishop"};
    const std::set<std::string> good_in_chess960 = {"ok-xfen-inner", "bogus-k-e8-none"};
    std::ifstream file(MANSUBA_TEST_DATA "/fen_cases.tsv");
    std::string line;
    std::getline(file, line);
    ASSERT_TRUE(line.starts_with("id\tfen\t"));
    std::size_t accepted = 0, refused = 0;
    while (std::getline(file, line)) {
        const std::string id = line.substr(0, line.find('\t'));
        const std::size_t at = id.size() + 1;
        const std::string fen = unescaped(line.substr(at, line.find('\t', at) - at));
        SCOPED_TRACE(id);
        if (good.contains(id)) {
            ++accepted;
            EXPECT_NE(nodes({"1", "--fen", fen}), "none");
        } else {
            ++refused;
            expect_refused({"perft", "1", "--fen", fen}, 2, "FEN ");
        }
        if (good_in_chess960.contains(id)) {
            EXPECT_NE(nodes({"1", "--fen", fen, "--chess960"}), "none");
        }
    }
    EXPECT_EQ(accepted, good.size());
    EXPECT_GE(refused, 34u);
}

// --- perft: ways of counting

TEST(SimdPerft, EveryTargetOfInfoCounts) {
    const Strings names = simd_names();
    ASSERT_FALSE(names.empty());
    for (const std::string& name : names) {
        const Json asked = perft({"3", "--fen", kKiwipete, "--simd", name});
        EXPECT_EQ(asked["nodes"], "97862") << name;
        EXPECT_EQ(asked["simd"], name);
        const Json wished =
            perft({"3", "--fen", kKiwipete}, {.environment = {{"MANSUBA_SIMD", name}}});
        EXPECT_EQ(wished["nodes"], "97862") << name;
        EXPECT_EQ(wished["simd"], name);
        EXPECT_EQ(json_output({"info", "--json", "--simd", name})["simd"], name);
    }
    // The option goes before the environment; auto is the last of the list.
    EXPECT_EQ(perft({"2", "--simd", names[0]}, {.environment = {{"MANSUBA_SIMD", "none"}}})["simd"],
              names[0]);
    EXPECT_EQ(perft({"2", "--simd", "auto"})["simd"], names.back());
    EXPECT_EQ(perft({"2"}, {.environment = {{"MANSUBA_SIMD", ""}}})["simd"], names.back());
}

TEST(SimdPerft, LaneUseIsThatOfVectors) {
    bool some = false;
    for (const std::string& name : simd_names()) {
        // Full enough of moves for eight lanes.
        const Json j = perft({"4", "--fen", kKiwipete, "--simd", name});
        EXPECT_EQ(j["nodes"], "4085603") << name;
        if (!j.contains("lane_use")) continue;
        some = true;
        EXPECT_GT(j["lane_use"], 0.85) << name;
        EXPECT_LE(j["lane_use"], 1.0) << name;
        EXPECT_FALSE(perft({"4", "--no-bulk", "--simd", name}).contains("lane_use"));
    }
    EXPECT_FALSE(perft({"4", "--simd", "scalar"}).contains("lane_use"));
    // Every processor that has more than the first target has one with lanes.
    EXPECT_EQ(some, simd_names().size() > 1);
}

TEST(SimdPerft, UnknownTarget) {
    for (const Arguments& arguments : {Arguments{"perft", "1"}, Arguments{"perft", "5"},
                                       Arguments{"info"}, Arguments{"info", "--json"}}) {
        Arguments with_option = arguments;
        with_option.insert(with_option.end(), {"--simd", "mmx"});
        expect_refused(with_option, 2, "mmx");
        expect_refused(arguments, 2, "mmx", {.environment = {{"MANSUBA_SIMD", "mmx"}}});
    }
}

TEST(Perft, Threads) {
    for (const std::string& n : Strings{"1", "2", "3", "17"}) {
        const Json j = perft({"5", "--threads", n});
        EXPECT_EQ(j["nodes"], "4865609");
        EXPECT_EQ(j["threads"], std::stoi(n));
    }
    for (const std::string& n : Strings{"0", "-1", "5000", "x", ""})
        expect_refused({"perft", "5", "--threads", n}, 2, "--threads");
}

TEST(Perft, HashSizes) {
    const auto with = [](const std::string& size) { return perft({"5", "--hash", size}); };
    for (const std::string& size : Strings{"0", "64", "65", "4096", "1M", "3m", "20000K"})
        EXPECT_EQ(with(size)["nodes"], "4865609") << size;
    EXPECT_EQ(with("0")["hash_bytes"], 0);
    EXPECT_EQ(with("64")["hash_bytes"], 64);
    EXPECT_EQ(with("1M")["hash_bytes"], 1 << 20);
    // None below depth 7, unless asked for.
    EXPECT_EQ(perft({"6", "--fen", kEndgame})["hash_bytes"], 0);
    EXPECT_GT(perft({"7", "--fen", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"})["hash_bytes"], 0);

    for (const std::string& size :
         Strings{"5Q", "-1", "M", "1MM", "1 M", "0x10", "16777216T", "99999999999999999999"})
        expect_refused({"perft", "5", "--hash", size}, 2, "not a size");
    const auto memory = json_output({"info", "--json"})["memory_bytes"].get<std::uint64_t>();
    expect_refused({"perft", "5", "--hash", std::to_string(2 * memory)}, 2, "--hash");
    expect_refused({"perft", "5", "--hash", "1000T"}, 2, "--hash");
}

TEST(Perft, NoBulk) {
    EXPECT_EQ(nodes({"4", "--fen", kKiwipete, "--no-bulk"}), "4085603");
    EXPECT_EQ(nodes({"1", "--no-bulk"}), "20");
    EXPECT_EQ(perft({"4", "--divide", "--no-bulk"})["divide"], perft({"4", "--divide"})["divide"]);
}

/// Leaves below two bare kings, by a walk over the pairs of squares that shares nothing with ours.
Uint128 kings_perft(int white, int black, int depth) {
    const auto apart = [](int a, int b) {
        return std::max(std::abs(a % 8 - b % 8), std::abs(a / 8 - b / 8));
    };
    std::vector<Uint128> below(64 * 64, 1), above(64 * 64);  // [king to move][other king]
    for (int ply = 0; ply < depth; ++ply) {
        for (int mine = 0; mine < 64; ++mine)
            for (int theirs = 0; theirs < 64; ++theirs) {
                Uint128 sum = 0;
                for (int to = 0; to < 64; ++to)
                    if (apart(mine, to) == 1 && apart(to, theirs) > 1)
                        sum += below[static_cast<std::size_t>(64 * theirs + to)];
                above[static_cast<std::size_t>(64 * mine + theirs)] = sum;
            }
        std::swap(below, above);
    }
    return below[static_cast<std::size_t>(64 * white + black)];
}

TEST(Perft, Estimate) {
    const Json j = perft({"15", "--estimate", "--seed", "1", "--samples", "1000"});
    EXPECT_EQ(keys_of(j), (Strings{"fen", "depth", "estimate", "low", "high", "samples", "seed",
                                   "seconds", "threads", "ranks", "simd"}));
    for (const char* key : {"estimate", "low", "high"}) EXPECT_TRUE(is_decimal(j[key])) << j;
    // https://oeis.org/A048987
    EXPECT_LT(parse_uint128(j["low"].get<std::string>()), parse_uint128("2015099950053364471960"));
    EXPECT_GT(parse_uint128(j["high"].get<std::string>()), parse_uint128("2015099950053364471960"));
    EXPECT_EQ(j["samples"], 1000);
    EXPECT_EQ(j["seed"], "1");
    const Json again =
        perft({"15", "--estimate", "--seed", "1", "--samples", "1000", "--threads", "1"});
    EXPECT_EQ(again["estimate"], j["estimate"]);

    // Without a seed it says which it took.
    const Json free = perft({"8", "--estimate", "--samples", "100", "--fen", kKiwipete});
    EXPECT_EQ(perft({"8", "--estimate", "--samples", "100", "--fen", kKiwipete, "--seed",
                     free["seed"].get<std::string>()})["estimate"],
              free["estimate"]);
    const std::string text =
        output({"perft", "9", "--estimate", "--samples", "100", "--seed", "5"});
    EXPECT_NE(text.find("perft 9: about 2."), std::string::npos) << text;
    EXPECT_NE(text.find("95% interval"), std::string::npos) << text;
    EXPECT_NE(text.find("--seed 5"), std::string::npos) << text;
    EXPECT_EQ(perft({"4", "--estimate"})["estimate"], "197281");

    for (const Arguments& with :
         {Arguments{"--divide"}, Arguments{"--detail"}, Arguments{"--unique"},
          Arguments{"--no-bulk"}, Arguments{"--checkpoint", "f"}, Arguments{"--hash", "1M"},
          Arguments{"--format", "uci"}}) {
        Arguments arguments{"perft", "9", "--estimate"};
        arguments.insert(arguments.end(), with.begin(), with.end());
        expect_refused(arguments, 2, with[0]);
    }
    expect_refused({"perft", "9", "--estimate", "--samples", "99"}, 2, "99");
    expect_refused({"perft", "9", "--estimate", "--seed", "x"}, 2, "--seed");
    expect_refused({"perft", "4", "--seed", "1"}, 2, "--seed");
    expect_refused({"perft", "4", "--samples", "1000"}, 2, "--samples");
}

TEST(Perft, CountsBeyond64Bits) {
    const Json j =
        perft({"30", "--divide", "--hash", "64M", "--fen", "7k/8/8/8/8/8/8/K7 w - - 0 1"});
    ASSERT_TRUE(is_decimal(j["nodes"])) << j;
    EXPECT_EQ(j["nodes"], to_string(kings_perft(0, 63, 30)));
    EXPECT_GT(kings_perft(0, 63, 30), static_cast<Uint128>(1) << 64);
    EXPECT_EQ(to_string(sum_of(j["divide"])), j["nodes"]);
}

// --- Progress and output

TEST(Progress, NeverOnStdout) {
    const Finished f = run({"perft", "5", "--progress", "always", "--json"});
    EXPECT_EQ(f.exit_code, 0);
    EXPECT_EQ(Json::parse(f.out, nullptr, false).value("nodes", ""), "4865609");
    ASSERT_FALSE(f.error_lines().empty());
    for (const std::string& line : f.error_lines())
        EXPECT_TRUE(line.starts_with("perft 5: ")) << line;
    EXPECT_EQ(f.err.find_first_of("\r\x1b"), std::string::npos) << f.err;
    EXPECT_NE(f.err.find("100.0%"), std::string::npos) << f.err;
}

TEST(Progress, SilentWhereAskedTo) {
    EXPECT_NE(output({"perft", "5", "--progress", "never"}), "");
    EXPECT_NE(output({"perft", "5", "--progress", "always", "--quiet"}), "");
    EXPECT_NE(output({"perft", "5"}), "");  // a pipe gets lines only from long counts
}

/// Runs with stdout and stderr on a terminal; what appears there. Empty if there is none to be had.
std::string seen_on_a_terminal(const Arguments& arguments) {
    const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0 || ::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0) return {};
    const std::string name = ::ptsname(terminal);
    std::string seen;
    {
        const int other_end = ::open(name.c_str(), O_RDWR | O_NOCTTY);
        Child child(MANSUBA_PROGRAM, arguments, {.stdout_path = name, .stderr_fd = other_end});
        ::close(other_end);
        char buffer[4096];  // read fails once the child has gone
        for (ssize_t n; (n = ::read(terminal, buffer, sizeof buffer)) > 0;)
            seen.append(buffer, static_cast<std::size_t>(n));
        EXPECT_EQ(child.wait().exit_code, 0);
    }
    ::close(terminal);
    return seen;
}

TEST(Progress, ALiveLineOnATerminalMakesRoomForTheResult) {
    const std::string seen = seen_on_a_terminal({"perft", "6", "--no-bulk", "--threads", "1"});
    if (seen.empty()) GTEST_SKIP() << "no pseudo-terminals here";
    EXPECT_TRUE(seen.starts_with("\rperft 6: ")) << seen;
    const std::string result = "\r\x1b[Kperft 6: " + kStartD6 + " leaves\r\n";
    const std::size_t at = seen.find(result);
    ASSERT_NE(at, std::string::npos) << seen;
    EXPECT_EQ(seen.substr(0, at).find('\n'), std::string::npos) << seen;
    EXPECT_EQ(seen.find('\x1b', at + result.size()), std::string::npos) << seen;
}

TEST(Output, AStdoutThatTakesNothingIsAnError) {
    if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
    const TemporaryDirectory directory;
    const std::string suite = directory.file("good.epd");
    write_content(suite, kStart + " ;D1 20\n");
    for (const Arguments& arguments :
         {Arguments{"perft", "3"}, Arguments{"perft", "3", "--json"}, Arguments{"info"},
          Arguments{"suite", suite}, Arguments{"suite", suite, "--json"},
          Arguments{"perft", "2", "--format", "uci"}, Arguments{"--help"}})
        expect_refused(arguments, 3, "standard output", {.stdout_path = "/dev/full"});
    expect_refused({"perft", "3"}, 3, "standard output", {.no_stdout = true});
}

// --- suite

class Suite : public ::testing::Test {
protected:
    std::string with(const std::string& content) {
        const std::string path = directory_.file("suite.epd");
        write_content(path, content);
        return path;
    }
    const TemporaryDirectory directory_;
};

TEST_F(Suite, Good) {
    const std::string path = with(kStart + " ;D1 20 ;D2 400\n");
    const Strings lines = lines_of(output({"suite", path}));
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines[1], "ok      line 1 D2 400  " + kStart);
    EXPECT_TRUE(lines[2].starts_with("2 rows: 2 ok, 0 wrong, 0 refused, 0 skipped; 420 leaves"))
        << lines[2];
    EXPECT_EQ(lines_of(output({"suite", path, "--quiet"})).size(), 1u);

    const Json j = json_output({"suite", path, "--json"});
    EXPECT_EQ(keys_of(j), (Strings{"file", "rows", "ok", "wrong", "refused", "skipped", "nodes",
                                   "seconds", "lines"}));
    EXPECT_EQ(j["file"], path);
    EXPECT_EQ(j["rows"], 2);
    EXPECT_EQ(j["ok"], 2);
    EXPECT_EQ(j["nodes"], "420");
    EXPECT_EQ(j["lines"][1], (Json{{"line", 1},
                                   {"id", ""},
                                   {"fen", kStart},
                                   {"depth", 2},
                                   {"expected", "400"},
                                   {"verdict", "ok"},
                                   {"nodes", "400"}}));
}

TEST_F(Suite, WrongCount) {
    const std::string path = with(kStart + " ;D1 20 ;D2 401\n");
    Finished f = run({"suite", path});
    EXPECT_EQ(f.exit_code, 1);
    EXPECT_NE(f.out.find("wrong   line 1 D2 401, counted 400  "), std::string::npos) << f.out;
    f = run({"suite", path, "--json"});
    EXPECT_EQ(f.exit_code, 1);
    const Json j = Json::parse(f.out, nullptr, false);
    EXPECT_EQ(j["ok"], 1);
    EXPECT_EQ(j["wrong"], 1);
    EXPECT_EQ(j["lines"][1]["verdict"], "wrong");
    EXPECT_EQ(j["lines"][1]["expected"], "401");
    EXPECT_EQ(j["lines"][1]["nodes"], "400");
}

TEST_F(Suite, RefusedPosition) {
    const std::string path = with(kStart + " ;D1 20\n8/8/8/8/8/8/8/8 w - - 0 1 ;D1 0\n");
    Finished f = run({"suite", path});
    EXPECT_EQ(f.exit_code, 2);
    EXPECT_NE(f.out.find("refused line 2 D1 0, FEN piece placement"), std::string::npos) << f.out;
    f = run({"suite", path, "--json"});
    EXPECT_EQ(f.exit_code, 2);
    const Json j = Json::parse(f.out, nullptr, false);
    EXPECT_EQ(j["ok"], 1);
    EXPECT_EQ(j["refused"], 1);
    EXPECT_EQ(j["lines"][1]["verdict"], "refused");
    EXPECT_TRUE(j["lines"][1]["reason"].is_string());
    EXPECT_FALSE(j["lines"][1].contains("nodes"));
    // A wrong count weighs more than a refusal.
    EXPECT_EQ(run({"suite", with(kStart + " ;D1 21\n8/8/8/8/8/8/8/8 w - - 0 1 ;D1 0\n")}).exit_code,
              1);
}

TEST_F(Suite, FilesThatAreNone) {
    expect_refused({"suite", directory_.file("missing.epd")}, 3, "missing.epd");
    expect_refused({"suite", directory_.path().string()}, 3, directory_.path().string());
    expect_refused({"suite", with("")}, 2, "suite.epd");
    expect_refused({"suite", with("# only a comment\n\n")}, 2, "suite.epd");
    expect_refused({"suite", with(kStart + " ;D1 twenty\n")}, 2, "suite.epd:1");
    expect_refused({"suite", ""}, 3);
}

TEST_F(Suite, MaxNodes) {
    const std::string path = with(kStart + " ;D1 20 ;D2 400 ;D9 2439530234167\n");
    const Json j = json_output({"suite", path, "--json", "--max-nodes", "400"});
    EXPECT_EQ(j["ok"], 2);
    EXPECT_EQ(j["skipped"], 1);
    EXPECT_EQ(j["lines"][2]["verdict"], "skipped");
    expect_refused({"suite", path, "--max-nodes", "many"}, 2, "many");
    expect_refused({"suite", path, "--max-nodes", "-1"}, 2);
}

TEST_F(Suite, OurOwn) {
    const Finished f = run({"suite", MANSUBA_TEST_DATA "/perft_suite.tsv", "--lenient",
                            "--max-nodes", "20000", "--json"});
    EXPECT_EQ(f.exit_code, 0);
    const Json j = Json::parse(f.out, nullptr, false);
    EXPECT_EQ(j["wrong"], 0);
    EXPECT_EQ(j["refused"], 0);
    EXPECT_GT(j["ok"], 700);
    EXPECT_EQ(j["ok"].get<int>() + j["skipped"].get<int>(), j["rows"].get<int>());
    for (const std::string& line : f.error_lines())
        EXPECT_TRUE(line.starts_with("mansuba: warning: ") && line.ends_with("; dropped")) << line;
}

// --- diff

class Diff : public ::testing::Test {
protected:
    void SetUp() override { MANSUBA_NEEDS_PYTHON(); }
};

TEST_F(Diff, AnEngineThatAgrees) {
    EXPECT_EQ(output({"diff", "2", "--engine", fake_engine()}),
              "no difference to depth 2 in 1 position\n");
    const Json j =
        json_output({"diff", "2", "--engine", fake_engine(), "--json", "--fen", kKiwipete});
    EXPECT_EQ(keys_of(j), (Strings{"engine", "depth", "positions", "differences"}));
    EXPECT_EQ(j["differences"], Json::array());
}

TEST_F(Diff, BugsAreNamed) {
    struct Case {
        std::string bug, fen;
        Json line, missing, extra;
    };
    const Json none = Json::array();
    const std::vector<Case> cases = {
        {"no-ep", "4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", {"d7d5"}, {"e5d6"}, none},
        {"castle-through-check", "4kr2/8/8/8/8/8/8/4K2R w K - 0 1", none, none, {"e1g1"}},
        {"promote-queen-only",
         "8/P6k/8/8/8/8/8/K7 w - - 0 1",
         none,
         {"a7a8b", "a7a8n", "a7a8r"},
         none},
        {"move-twice", kStart, none, none, {"a2a3"}},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(c.bug);
        const Finished f =
            run({"diff", "3", "--engine", fake_engine("--bug " + c.bug), "--fen", c.fen, "--json"});
        EXPECT_EQ(f.exit_code, 1) << f.err;
        EXPECT_EQ(f.err, "");
        const Json j = Json::parse(f.out, nullptr, false);
        ASSERT_EQ(j["differences"].size(), 1u) << f.out;
        const Json& d = j["differences"][0];
        EXPECT_EQ(d["root"], c.fen);
        EXPECT_EQ(d["line"], c.line);
        EXPECT_EQ(d["missing"], c.missing);
        EXPECT_EQ(d["extra"], c.extra);
        EXPECT_TRUE(d["engine_position"].is_string());
        EXPECT_EQ(d["depth"], 1);
    }
}

TEST_F(Diff, AMiscountIsNamed) {
    const Finished f = run({"diff", "2", "--engine", fake_engine("--bug wrong-count"), "--json"});
    EXPECT_EQ(f.exit_code, 1);
    const Json j = Json::parse(f.out, nullptr, false);
    ASSERT_EQ(j["differences"].size(), 1u) << f.out;
    EXPECT_EQ(j["differences"][0]["miscount"],
              (Json{{"move", "a2a3"}, {"expected", "20"}, {"engine", "21"}}));
}

TEST_F(Diff, TextSaysHowToSeeItAgain) {
    const std::string fen = "4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1";
    const Finished f = run({"diff", "3", "--engine", fake_engine("--bug no-ep"), "--fen", fen});
    EXPECT_EQ(f.exit_code, 1);
    EXPECT_NE(f.out.find("\nmissing  e5d6\n"), std::string::npos) << f.out;
    EXPECT_NE(f.out.find("position fen " + fen + " moves d7d5\n"), std::string::npos) << f.out;
    EXPECT_NE(f.out.find("go perft 1\n"), std::string::npos) << f.out;
}

TEST_F(Diff, EnginesThatAreNone) {
    for (const std::string& fault :
         Strings{"--die-after-uci", "--crash", "--exit-code 3", "--search", "--bad-count"})
        expect_refused({"diff", "2", "--engine", fake_engine(fault)}, 2, "engine ");
    // These end by the timeout.
    for (const std::string& fault : Strings{"--hang", "--no-uciok", "--rubbish"})
        expect_refused({"diff", "2", "--engine", fake_engine(fault), "--timeout", "0.5"}, 2,
                       "engine ");
    for (const std::string& command :
         Strings{"no-such-engine-anywhere", "echo one; echo two >&2; cat", "sleep 60"})
        expect_refused({"diff", "2", "--engine", command, "--timeout", "0.5"}, 2, "engine ");
    // What an unset shell variable leaves.
    for (const std::string& option : Strings{"--engine", "--hash", "--checkpoint"})
        expect_refused({option == "--engine" ? "diff" : "perft", "2", option, ""}, 2,
                       option + ": the value is empty");
    for (const std::string& depth : Strings{"0", "-1", "13", "x"})
        expect_refused({"diff", depth, "--engine", fake_engine()}, 2, "DEPTH");
    for (const std::string& seconds : Strings{"0", "-1", "x"})
        expect_refused({"diff", "2", "--engine", fake_engine(), "--timeout", seconds}, 2,
                       "--timeout");
}

TEST_F(Diff, AHangIsNoticedInTime) {
    Child child(MANSUBA_PROGRAM,
                {"diff", "2", "--engine", fake_engine("--hang --stubborn"), "--timeout", "0.5"});
    const Finished f = child.wait();
    expect_refused(f, 2, "did not answer in 0.5 s", "hang");
    EXPECT_LT(f.seconds, 10);
}

TEST_F(Diff, OverASuite) {
    const TemporaryDirectory directory;
    const std::string path = directory.file("positions.epd");
    write_content(path, kStart + " ;D1 20 ;D2 400\n4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1 ;D1 7\n" +
                            kEndgame + " ;D1 14\n");
    EXPECT_EQ(output({"diff", "2", "--engine", fake_engine(), "--suite", path}),
              "no difference to depth 2 in 3 positions\n");
    const Finished f =
        run({"diff", "1", "--engine", fake_engine("--bug no-ep"), "--suite", path, "--json"});
    EXPECT_EQ(f.exit_code, 1);
    const Json j = Json::parse(f.out, nullptr, false);
    EXPECT_EQ(j["positions"], 3);
    ASSERT_EQ(j["differences"].size(), 1u);
    EXPECT_EQ(j["differences"][0]["root"], "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1");
    EXPECT_EQ(j["differences"][0]["missing"], Json{"e5d6"});

    expect_refused({"diff", "1", "--engine", fake_engine(), "--suite", directory.file("missing")},
                   3, "missing");
    expect_refused({"diff", "1", "--engine", fake_engine(), "--suite", path, "--fen", kStart}, 2,
                   "--fen");
    write_content(path, "8/8/8/8/8/8/8/8 w - - 0 1 ;D1 0\n");
    expect_refused({"diff", "1", "--engine", fake_engine(), "--suite", path}, 2, "positions.epd:1");
}

TEST_F(Diff, ASignalEndsTheEngineToo) {
    const TemporaryDirectory directory;
    const std::string file = directory.file("child");
    Child child(MANSUBA_PROGRAM,
                {"diff", "2", "--engine", fake_engine("--hang --child '" + file + "'")});
    ASSERT_TRUE(wait_until([&] { return !content_of(file).empty(); }));
    child.send(SIGINT);
    const Finished f = child.wait();
    expect_refused(f, 4, "stopped", "diff");
    EXPECT_LT(f.seconds, 5);
    const auto grandchild = static_cast<pid_t>(std::stol(content_of(file)));
    // A zombie until init takes it: then its /proc entry is gone or says so.
    const std::string stat = "/proc/" + std::to_string(grandchild) + "/stat";
    EXPECT_TRUE(wait_until(
        [&] {
            const std::string text = content_of(stat);
            return text.empty() || text.find(") Z ") != std::string::npos;
        },
        std::chrono::seconds(5)));
}

// lichess-org/lila#19199: the pawn's double step cannot have left the knight's check standing, and
// the capture does not end it. Stockfish 15.1 lists it all the same; later ones do not.
TEST(ClientDiff, StockfishTakesEnPassantInKnightCheck) {
    MANSUBA_NEEDS_STOCKFISH();
    const std::string fen = "k7/8/8/3pP3/8/7n/5K2/8 w - d6 0 1";
    const Finished f =
        run({"diff", "1", "--engine", perft::testing::stockfish(), "--fen", fen, "--json"});
    EXPECT_EQ(f.err, "");
    if (f.exit_code == 0) GTEST_SKIP() << "this Stockfish has the fault mended";
    EXPECT_EQ(f.exit_code, 1);
    const Json j = Json::parse(f.out, nullptr, false);
    ASSERT_EQ(j["differences"].size(), 1u) << f.out;
    const Json& d = j["differences"][0];
    EXPECT_EQ(d["line"], Json::array());
    EXPECT_EQ(d["missing"], Json::array());
    EXPECT_EQ(d["extra"], Json{"e5d6"});
    EXPECT_EQ(d["engine_position"], fen);
}

TEST(ClientDiff, StockfishAgreesElsewhere) {
    MANSUBA_NEEDS_STOCKFISH();
    const std::string stockfish = perft::testing::stockfish();
    EXPECT_EQ(output({"diff", "3", "--engine", stockfish, "--fen", kKiwipete}),
              "no difference to depth 3 in 1 position\n");
    // What we print in its format is what it prints itself, but for the order of the moves.
    Strings ours = lines_of(output({"perft", "3", "--format", "uci", "--fen", kKiwipete}));
    const TemporaryDirectory directory;
    const std::string said = directory.file("said");
    const std::string command = "printf 'position fen " + kKiwipete +
                                "\\ngo perft 3\\nquit\\n' | " + stockfish + " > '" + said + "'";
    ASSERT_EQ(std::system(command.c_str()), 0);
    Strings theirs;
    for (const std::string& line : lines_of(content_of(said)))
        if (line.empty() || line.find(": ") != std::string::npos) theirs.push_back(line);
    for (Strings* lines : {&ours, &theirs}) {
        std::sort(lines->begin(), lines->end());
        lines->erase(lines->begin(), std::find_if(lines->begin(), lines->end(),
                                                  [](const std::string& l) { return !l.empty(); }));
        std::erase_if(*lines, [](const std::string& l) { return l.starts_with("info"); });
    }
    EXPECT_EQ(ours, theirs);
}

// --- Signals and checkpoints

class Checkpoint : public ::testing::Test {
protected:
    /// Counts with the checkpoint to the end.
    Json resumed(Arguments arguments) const {
        arguments.insert(arguments.end(), {"--divide", "--checkpoint", file_});
        return perft(arguments);
    }
    std::size_t finished() const { return perft::load_checkpoint(file_).finished.size(); }
    bool exists() const { return fs::exists(file_); }

    /// Once the count is under way: the first save comes before it.
    void wait_for_file() const {
        ASSERT_TRUE(wait_until([&] { return exists(); }));
    }

    const TemporaryDirectory directory_;
    const std::string file_ = directory_.file("count.checkpoint");
};

TEST_F(Checkpoint, ASignalStopsWithTheStateSaved) {
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) {
        SCOPED_TRACE(signal);
        fs::remove(file_);
        for (int round = 0; round < 2; ++round) {  // the second resumes what the first saved
            Child child(MANSUBA_PROGRAM, {"perft", "9", "--hash", "64M", "--checkpoint", file_,
                                          "--checkpoint-interval", "0.2"});
            wait_for_file();
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            child.send(signal);
            const Finished f = child.wait();
            expect_refused(f, 4, "resume", "signal");
            EXPECT_NE(f.err.find(file_), std::string::npos) << f.err;
            EXPECT_LT(f.seconds, 2);
            const perft::Checkpoint c = perft::load_checkpoint(file_);
            EXPECT_EQ(c.identity.depth, 9);
            EXPECT_GT(c.units, 0u);
        }
    }
}

TEST_F(Checkpoint, WithoutOneNothingIsSaved) {
    for (const Arguments& arguments : {Arguments{"perft", "9", "--hash", "64M"},
                                       Arguments{"perft", "9", "--hash", "0", "--json"},
                                       Arguments{"perft", "12", "--no-bulk"}}) {
        for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) {
            Arguments with_progress = arguments;
            with_progress.insert(with_progress.end(), {"--progress", "always"});
            Child child(MANSUBA_PROGRAM, with_progress);
            ASSERT_TRUE(wait_until([&] { return !child.errors_so_far().empty(); }));
            child.send(signal);
            const Finished f = child.wait();
            EXPECT_EQ(f.exit_code, 4);
            EXPECT_EQ(f.out, "");
            EXPECT_LT(f.seconds, 2);
            std::size_t errors = 0;
            for (const std::string& line : f.error_lines())
                if (line.starts_with("mansuba: error: ")) {
                    ++errors;
                    EXPECT_NE(line.find("nothing saved"), std::string::npos) << line;
                }
            EXPECT_EQ(errors, 1u) << f.err;
        }
    }
}

TEST_F(Checkpoint, ASuiteStopsToo) {
    const std::string path = directory_.file("long.epd");
    write_content(path, kStart + " ;D9 2439530234167\n");
    Child child(MANSUBA_PROGRAM, {"suite", path});
    std::this_thread::sleep_for(std::chrono::seconds(1));
    child.send(SIGTERM);
    const Finished f = child.wait();
    expect_refused(f, 4, "stopped", "suite");
    EXPECT_LT(f.seconds, 2);
}

TEST_F(Checkpoint, StoppedAgainAndAgainTheTotalIsExact) {
    const Json whole = perft({"6", "--divide"});
    ASSERT_EQ(whole["nodes"], kStartD6);
    std::size_t known = 0;
    int stops = 0;
    for (const std::string& threads : Strings{"1", "2", "3", "2"}) {
        Child child(MANSUBA_PROGRAM,
                    {"perft", "6", "--no-bulk", "--threads", threads, "--checkpoint", file_});
        if (stops == 0) wait_for_file();
        std::this_thread::sleep_for(std::chrono::milliseconds(150));
        child.send(SIGINT);
        const Finished f = child.wait();
        if (f.exit_code == 0) break;  // a quick machine
        ++stops;
        EXPECT_EQ(f.exit_code, 4) << f.err;
        EXPECT_GE(finished(), known);
        known = finished();
    }
    EXPECT_GE(stops, 1);
    EXPECT_GT(known, 0u);
    const Json j = resumed({"6", "--no-bulk", "--threads", "2"});
    EXPECT_EQ(j["nodes"], kStartD6);
    EXPECT_EQ(j["divide"], whole["divide"]);
}

/// Counts with SIGKILL at random moments and other numbers of threads each time, then to the end.
class Killed : public Checkpoint, public ::testing::WithParamInterface<unsigned> {
protected:
    Json count(const Arguments& arguments, int most_kills) {
        std::mt19937 random(GetParam());
        // Saves come with the looks at progress, about five a second.
        std::uniform_int_distribution<int> delay_ms(150, 600), threads(1, 3);
        for (int i = 0, quicker = 1; i < most_kills; ++i) {
            Arguments all = arguments;
            all.insert(all.begin(), "perft");
            all.insert(all.end(), {"--threads", std::to_string(i == 0 ? 1 : threads(random)),
                                   "--checkpoint", file_, "--checkpoint-interval", "0.1"});
            Child child(MANSUBA_PROGRAM, all);
            std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms(random) / quicker));
            child.send(SIGKILL);
            const Finished f = child.wait();
            if (f.signal == 0) {
                EXPECT_EQ(f.exit_code, 0) << f.err;
                if (kills_ > 0) break;
                fs::remove(file_);  // a quick machine: strike earlier
                quicker *= 2;
                continue;
            }
            EXPECT_EQ(f.signal, SIGKILL);
            ++kills_;
            if (!exists()) continue;
            EXPECT_GE(finished(), known_);  // and it is whole, or this throws
            known_ = finished();
        }
        EXPECT_GE(kills_, 1);
        return resumed(arguments);
    }
    int kills_ = 0;
    std::size_t known_ = 0;  // units that the last of the killed runs left
};

TEST_P(Killed, BetweenSaves) {
    const Json j = count({"6", "--no-bulk"}, 5);
    EXPECT_GT(known_, 0u);
    EXPECT_EQ(j["nodes"], kStartD6);
    EXPECT_EQ(j["divide"], perft({"6", "--divide"})["divide"]);
}

TEST_P(Killed, WithHashAndMergedUnits) {
    const Json j = count({"7", "--hash", "16M"}, 3);
    EXPECT_EQ(j["nodes"], kStartD7);
    EXPECT_EQ(to_string(sum_of(j["divide"])), kStartD7);
    EXPECT_EQ(j["divide"]["e2e4"], nodes({"6", "--moves", "e2e4"}));
}

// tests/data/perft_breakdown.tsv, cpw-3 at depth 6.
TEST_P(Killed, WithDetail) {
    const Json j = count({"6", "--detail", "--fen", kEndgame}, 3);
    EXPECT_EQ(j["nodes"], "11030083");
    const Json expected{{"captures", "940350"}, {"ep", "33325"},      {"castles", "0"},
                        {"promotions", "7552"}, {"checks", "452473"}, {"discovered", "26067"},
                        {"double_checks", "0"}, {"mates", "2733"},    {"stalemates", "0"}};
    EXPECT_EQ(j["detail"], expected);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Killed, ::testing::Values(1u, 2u));

TEST_F(Checkpoint, AFinishedOneAnswersAtOnce) {
    const Json first = resumed({"5"});
    EXPECT_EQ(first["nodes"], "4865609");
    const std::string content = content_of(file_);
    const Json again = resumed({"5", "--threads", "1"});
    EXPECT_EQ(again["nodes"], "4865609");
    EXPECT_EQ(again["divide"], first["divide"]);
    EXPECT_EQ(again["nps"], 0);  // nothing was counted
    EXPECT_EQ(content_of(file_), content);
    const Strings lines = lines_of(output({"perft", "5", "--checkpoint", file_}));
    EXPECT_EQ(lines.back(), "4865609 of the leaves were in the checkpoint");
    // Who asks for every branch, or every leaf, must not get what was counted otherwise.
    for (const Strings& other : {Strings{"--no-bulk"}, Strings{"--hash", "1M"}}) {
        Strings arguments{"perft", "5", "--checkpoint", file_};
        arguments.insert(arguments.end(), other.begin(), other.end());
        expect_refused(arguments, 3, "another count");
    }
    // Nothing else was left behind.
    EXPECT_EQ(std::distance(fs::directory_iterator(directory_.path()), {}), 1);
}

TEST_F(Checkpoint, OfAnotherCount) {
    ASSERT_EQ(resumed({"4"})["nodes"], "197281");
    const std::string content = content_of(file_);
    for (const Arguments& other :
         {Arguments{"perft", "5"}, Arguments{"perft", "3"}, Arguments{"perft", "4", "--detail"},
          Arguments{"perft", "4", "--moves", "e2e4"}, Arguments{"perft", "4", "--fen", kKiwipete},
          Arguments{"perft", "4", "--fen",
                    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQq - 0 1"},
          Arguments{"perft", "4", "--fen",
                    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1"}}) {
        Arguments arguments = other;
        arguments.insert(arguments.end(), {"--checkpoint", file_});
        expect_refused(arguments, 3, file_);
        EXPECT_EQ(content_of(file_), content);
    }
}

TEST_F(Checkpoint, ForeignOrDamagedIsRefusedAndLeftAlone) {
    ASSERT_EQ(resumed({"4"})["nodes"], "197281");
    const std::string good = content_of(file_);
    Strings bad = {"",
                   "x",
                   "# my notes, dear to me\n",
                   std::string(5000, '\0'),
                   good + '\0',
                   good.substr(0, 7),
                   good.substr(0, 8),
                   good.substr(0, 79),
                   good.substr(0, good.size() - 1),
                   good.substr(0, good.size() - 20)};
    for (const std::size_t at :
         {std::size_t{0}, std::size_t{8}, std::size_t{12}, std::size_t{20}, std::size_t{48},
          std::size_t{52}, std::size_t{56}, std::size_t{64}, std::size_t{75}, good.size() / 2,
          good.size() - 9, good.size() - 1}) {
        bad.push_back(good);
        bad.back()[at] = static_cast<char>(bad.back()[at] ^ 1);
    }
    for (const std::string& content : bad) {
        write_content(file_, content);
        expect_refused({"perft", "4", "--checkpoint", file_}, 3, file_);
        EXPECT_EQ(content_of(file_), content);
    }
    write_content(file_, good);
    EXPECT_EQ(resumed({"4"})["nodes"], "197281");
}

TEST_F(Checkpoint, ThatCannotBeWrittenIsKnownBeforeTheCount) {
    for (const std::string& path :
         Strings{directory_.file("missing/checkpoint"), directory_.path().string(),
                 std::string("/proc/checkpoint")}) {
        Child child(MANSUBA_PROGRAM, {"perft", "12", "--hash", "0", "--checkpoint", path});
        expect_refused(child.wait(std::chrono::seconds(60)), 3, path, path);
    }
}

// A limit on file sizes, as batch systems set it: first none fits, then only the smallest.
TEST_F(Checkpoint, AFileSizeLimitIsAnErrorLikeAFullDisk) {
    // Our own capture of stderr is a file too, so its line is not there to be seen.
    Finished f = run({"perft", "12", "--hash", "0", "--checkpoint", file_}, {.file_size_limit = 0});
    EXPECT_EQ(f.exit_code, 3) << "signal " << f.signal;
    f = run({"perft", "6", "--no-bulk", "--checkpoint", file_, "--checkpoint-interval", "0.1"},
            {.file_size_limit = 200});
    EXPECT_EQ(f.exit_code, 3) << "signal " << f.signal;
    EXPECT_EQ(f.out, "");
    EXPECT_EQ(resumed({"6", "--no-bulk"})["nodes"], kStartD6);
}

/// A tiny file system of its own, where we may make one.
class TinyDisk {
public:
    explicit TinyDisk(const fs::path& at) : at_(at) {
        fs::create_directory(at_);
        mounted_ = ::mount("tmpfs", at_.c_str(), "tmpfs", 0, "size=64k") == 0;
    }
    ~TinyDisk() {
        if (mounted_) ::umount2(at_.c_str(), MNT_DETACH);
    }
    TinyDisk(const TinyDisk&) = delete;
    TinyDisk& operator=(const TinyDisk&) = delete;
    bool mounted() const { return mounted_; }

    /// Fills it but for `pages` pages.
    void fill(std::size_t pages) const {
        const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        const std::size_t free = fs::space(at_).available;
        write_content(filler(), std::string(free - std::min(free, pages * page), 'x'));
    }
    void make_room() const { fs::remove(filler()); }

private:
    std::string filler() const { return (at_ / "filler").string(); }
    fs::path at_;
    bool mounted_ = false;
};

TEST_F(Checkpoint, AFullDiskNeverMakesAWrongCount) {
    const TinyDisk disk(directory_.path() / "disk");
    if (!disk.mounted()) GTEST_SKIP() << "no leave to mount a small disk here";
    const std::string file = directory_.file("disk/count.checkpoint");
    disk.fill(0);
    expect_refused({"perft", "12", "--hash", "0", "--checkpoint", file}, 3, file);
    disk.make_room();

    disk.fill(2);  // the first save and its successor while they are small
    const Finished f =
        run({"perft", "6", "--no-bulk", "--checkpoint", file, "--checkpoint-interval", "0.1"});
    EXPECT_EQ(f.exit_code, 3);
    EXPECT_EQ(f.out, "");
    const Strings lines = f.error_lines();
    ASSERT_FALSE(lines.empty());
    for (const std::string& line : lines)
        EXPECT_TRUE(line.starts_with(
            line == lines.back() ? "mansuba: error: " : "mansuba: warning: checkpoint not saved: "))
            << line;
    perft::load_checkpoint(file);  // the last one that fitted, or this throws
    disk.make_room();
    EXPECT_EQ(nodes({"6", "--no-bulk", "--checkpoint", file}), kStartD6);
}

// --- info

TEST(Info, Json) {
    const Json j = json_output({"info", "--json"});
    for (const char* key :
         {"version", "commit", "compiler", "cpu", "threads", "simd", "simd_targets", "memory_bytes",
          "available_bytes", "huge_pages", "mpi", "hdf5", "filters"})
        EXPECT_TRUE(j.contains(key)) << key;
    EXPECT_GE(j["threads"], 1);
    EXPECT_GT(j["memory_bytes"], 0);
    std::size_t used = 0;
    for (const Json& target : j["simd_targets"])
        if (target["used"] == true) {
            ++used;
            EXPECT_EQ(target["name"], j["simd"]);
        }
    EXPECT_EQ(used, 1u);
    EXPECT_NE(output({"info"}).find(" (used)\n"), std::string::npos);
}

}  // namespace
}  // namespace mansuba::cli

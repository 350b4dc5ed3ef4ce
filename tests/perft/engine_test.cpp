#include "perft/engine.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "core/error.hpp"
#include "core/fen.hpp"
#include "perft/divide_line.hpp"
#include "tests/perft/engines.hpp"

namespace mansuba::perft {
namespace {

using std::chrono::milliseconds;
using testing::fake_engine;

// Enough for an interpreter to start on a busy machine.
constexpr milliseconds kPatience{30'000}, kImpatience{5'000};
constexpr const char* kKiwipete =
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

DivideLine read(const char* line, int depth = 3) {
    return read_divide_line(simplified_line(line), depth);
}

TEST(DivideLine, Moves) {
    for (const char* line :
         {"e2e4: 20", "e2e4 20", "e2e4 - 20", "e2e4:20", "e2e4 : 20", "e2e4=20", "e2e4 = 20",
          " e2e4\t20 ", "1. e2e4 20", "12) e2e4: 20", "E2E4: 20", "3.e2e4 20", "e2e4: 20 nodes"}) {
        const DivideLine read_line = read(line);
        EXPECT_EQ(read_line.kind, DivideLine::Kind::Move) << line;
        EXPECT_EQ(read_line.move, "e2e4") << line;
        EXPECT_TRUE(read_line.count == 20) << line;
    }
    EXPECT_EQ(read("a7a8q: 1").move, "a7a8q");
    EXPECT_EQ(read("a7b8N: 1").move, "a7b8n");
    EXPECT_TRUE(read("e2e4: 340282366920938463463374607431768211455").count == ~Uint128{0});
}

TEST(DivideLine, Totals) {
    for (const char* line :
         {"Nodes searched: 8902", "Nodes searched  : 8902", "Total: 8902", "Nodes: 8902",
          "total nodes = 8902", "Perft 3: 8902", "perft(3) = 8902", "Leaf nodes: 8902 nodes"}) {
        const DivideLine read_line = read(line);
        EXPECT_EQ(read_line.kind, DivideLine::Kind::Total) << line;
        EXPECT_TRUE(read_line.count == 8902) << line;
    }
}

TEST(DivideLine, Talk) {
    for (const char* line : {"",
                             "e2e4",
                             "e2e4 e7e5 20",
                             "e2e4 wins",
                             "e2e4!: 20",
                             "i2i4: 20",
                             "e2e9: 20",
                             "e2: 20",
                             "Perft 2: 400",
                             "Perft 3 took 5 ms",
                             "Total: 12 ms",
                             "Total time: 12",
                             "Nodes/second: 5",
                             "Nodes searched",
                             "Time: 3",
                             "20",
                             "12",
                             "1.",
                             "1. ",
                             "bestmove e2e4",
                             "Moves: 20",
                             "-",
                             ":"}) {
        EXPECT_EQ(read(line).kind, DivideLine::Kind::Other) << line;
    }
}

TEST(DivideLine, CountsThatAreNone) {
    for (const char* line : {"e2e4: many", "e2e4:", "e2e4: -1", "e2e4: 1,234", "e2e4 1'234",
                             "e2e4: 20 40", "e2e4: 1e6", "Nodes searched: many", "Nodes searched:",
                             "Total: 4,865,609", "e2e4: 340282366920938463463374607431768211456"}) {
        EXPECT_EQ(read(line).kind, DivideLine::Kind::BadCount) << line;
    }
}

TEST(DivideLine, LongLines) {
    for (const char* begin : {"", "e2e4: ", "Total: ", "e2e4"}) {
        for (const char filling : {'1', ' ', 'x', '\xff'})
            read((begin + std::string(1 << 20, filling)).c_str());
    }
}

TEST(EnginePosition, IsSentAsOneLineOfSixFields) {
    EXPECT_EQ(position_text({"8/8/8/8/8/8/8/K1k5 w - -", {}, false}),
              "8/8/8/8/8/8/8/K1k5 w - - 0 1");
    EXPECT_EQ(position_text({" 8/8/8/8/8/8/8/K1k5  w\t-\n- 5 9 ", {"a1a2", "c1c2"}, false}),
              "8/8/8/8/8/8/8/K1k5 w - - 5 9 moves a1a2 c1c2");
}

TEST(EnginePosition, Chess960IsSeenFromTheCastlingRights) {
    EXPECT_FALSE(needs_chess960(Position{}));
    EXPECT_FALSE(needs_chess960(parse_fen("8/8/8/8/8/8/8/K1k5 w - - 0 1")));
    const auto parse = [](const char* fen) {
        return parse_fen(fen, {Variant::Auto, Strictness::Strict});
    };
    EXPECT_TRUE(needs_chess960(parse("4k3/8/8/8/8/8/8/3K3R w K - 0 1")));
    EXPECT_TRUE(needs_chess960(parse("4k1r1/8/8/8/8/8/8/4K3 w k - 0 1")));
}

/// Not there, or a zombie that init has yet to collect.
bool is_gone(int pid) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    if (!std::getline(stat, text)) return true;
    return text.substr(text.rfind(')') + 2, 1) == "Z";
}

bool is_gone_soon(int pid) {
    for (int i = 0; i < 100 && !is_gone(pid); ++i) std::this_thread::sleep_for(milliseconds{20});
    return is_gone(pid);
}

/// All tests here also hold that no child is left to be reaped.
class Engine : public ::testing::Test {
protected:
    void SetUp() override { MANSUBA_NEEDS_PYTHON(); }
    void TearDown() override {
        EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
        EXPECT_EQ(errno, ECHILD);
    }

    /// The Error(Engine) of a divide of the start position, and what must stand in it.
    static void expect_error(const std::string& switches, milliseconds timeout,
                             const std::vector<std::string>& parts) {
        const std::string command = fake_engine(switches);
        const auto begin = std::chrono::steady_clock::now();
        std::string what;
        try {
            UciEngine engine(command, {timeout, nullptr});
            engine.divide({std::string(kStartFen), {}, false}, 2);
            ADD_FAILURE() << "no error with " << switches;
        } catch (const Error& e) {
            EXPECT_EQ(e.code(), ErrorCode::Engine);
            what = e.what();
        }
        for (const std::string& part : parts)
            EXPECT_NE(what.find(part), std::string::npos) << part << "\nin " << what;
        EXPECT_NE(what.find("fake_engine.py"), std::string::npos) << what;
        EXPECT_EQ(what.find_first_of("\n\r"), std::string::npos) << what;
        EXPECT_LT(what.size(), 700u);
        // The time to end the process comes on top.
        EXPECT_LT(std::chrono::steady_clock::now() - begin, 2 * timeout + milliseconds{2000});
    }
};

TEST_F(Engine, DividesTheStartPosition) {
    UciEngine engine(fake_engine(), {kPatience, nullptr});
    const EngineDivide one = engine.divide({std::string(kStartFen), {}, false}, 1);
    EXPECT_EQ(one.moves.size(), 20u);
    EXPECT_TRUE(one.moves.at("e2e4") == 1);
    EXPECT_TRUE(one.total == 20);
    EXPECT_TRUE(one.repeated.empty());
    const EngineDivide three = engine.divide({std::string(kStartFen), {}, false}, 3);
    EXPECT_TRUE(three.moves.at("e2e4") == 600);
    EXPECT_TRUE(three.total == 8902);
    const EngineDivide after =
        engine.divide({std::string(kStartFen), {"f2f3", "e7e5", "g2g4"}, false}, 2);
    EXPECT_TRUE(after.moves.at("d8h4") == 0);
    const EngineDivide mate =
        engine.divide({std::string(kStartFen), {"f2f3", "e7e5", "g2g4", "d8h4"}, false}, 2);
    EXPECT_TRUE(mate.moves.empty());
    EXPECT_TRUE(mate.total == 0);
}

// All the punctuation that UciEngine knows, with and without a total line.
TEST_F(Engine, DividesInOtherDialects) {
    for (const char* switches :
         {"--separator ' '", "--separator ' - '", "--separator ' : ' --numbered", "--total ''",
          "--total 'Total: {n}'",
          "--total 'perft {d}: {n}' --separator =", "--total 'Nodes: {n} nodes'"}) {
        UciEngine engine(fake_engine(switches), {kPatience, nullptr});
        const EngineDivide kiwipete = engine.divide({kKiwipete, {}, false}, 2);
        EXPECT_EQ(kiwipete.moves.size(), 48u) << switches;
        EXPECT_TRUE(kiwipete.moves.at("e1g1") == 43)
            << switches;  // https://www.chessprogramming.org/Perft_Results
        EXPECT_TRUE(kiwipete.total == 2039) << switches;
        const EngineDivide stalemate =
            engine.divide({"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", {}, false}, 1);
        EXPECT_TRUE(stalemate.moves.empty() && stalemate.total == 0) << switches;
    }
}

TEST_F(Engine, MovesListedTwiceAreToldApart) {
    UciEngine engine(fake_engine("--bug move-twice"), {kPatience, nullptr});
    const EngineDivide divide = engine.divide({std::string(kStartFen), {}, false}, 1);
    EXPECT_EQ(divide.moves.size(), 20u);
    EXPECT_EQ(divide.repeated, std::vector<std::string>{"a2a3"});
}

TEST_F(Engine, Hangs) {
    expect_error(
        "--hang", kImpatience,
        {"did not answer in 5 s", "awaited the answer to go perft 1", "its last line \"uciok\""});
}

TEST_F(Engine, SaysNoUciok) {
    expect_error("--no-uciok", milliseconds{1500}, {"did not answer in 1.5 s: awaited uciok"});
}

TEST_F(Engine, PrintsTooSlowly) {
    expect_error("--slow-lines 0.5", kImpatience, {"did not answer in 5 s", "its last line"});
}

TEST_F(Engine, IsSlowButInTime) {
    UciEngine engine(fake_engine("--slow-lines 0.01"), {kPatience, nullptr});
    EXPECT_TRUE(engine.divide({std::string(kStartFen), {}, false}, 2).total == 400);
}

TEST_F(Engine, DiesAfterUci) {
    expect_error("--die-after-uci", kPatience,
                 {"ended with exit code 0", "awaited the answer to go perft 1"});
}

TEST_F(Engine, ExitsWithACode) {
    expect_error("--exit-code 3", kPatience,
                 {"ended with exit code 3", "its last line \"cannot go on\""});
}

TEST_F(Engine, Crashes) {
    expect_error("--crash", kPatience, {"SIGSEGV", "awaited the answer to go perft 1"});
}

TEST_F(Engine, PrintsRubbish) {
    expect_error("--rubbish", kPatience, {"printed no divide", "xxxxx", "\"..."});
}

TEST_F(Engine, PrintsRubbishCounts) {
    expect_error("--bad-count", kPatience,
                 {"a count that is no number", "its last line \"a2a3: many\""});
}

TEST_F(Engine, SearchesInstead) {
    expect_error("--search", kPatience, {"does not know perft", "bestmove"});
}

TEST_F(Engine, IsNotThere) {
    try {
        UciEngine engine("/no/such/engine", {kPatience, nullptr});
        FAIL();
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::Engine);
        EXPECT_NE(std::string(e.what()).find("no such command"), std::string::npos) << e.what();
        EXPECT_NE(std::string(e.what()).find("it printed nothing"), std::string::npos) << e.what();
    }
}

TEST_F(Engine, FloodsWithoutEnd) {
    for (const char* command : {"yes info string flood", "yes uci", "tr '\\0' x </dev/zero"}) {
        try {
            UciEngine engine(command, {milliseconds{500}, nullptr});
            FAIL();
        } catch (const Error& e) {
            EXPECT_NE(std::string(e.what()).find("did not answer in 0.5 s"), std::string::npos)
                << e.what();
        }
    }
}

TEST_F(Engine, NeverReads) {
    // More than a pipe holds: the write itself must time out.
    UciEngine engine("echo uciok; exec sleep 3600", {milliseconds{500}, nullptr});
    EXPECT_THROW(engine.divide({std::string(kStartFen), {}, false}, 1), Error);
    UciEngine talker("echo uciok; echo a2a3: 1; echo Total: 1; echo readyok; exec sleep 3600",
                     {milliseconds{500}, nullptr});
    EXPECT_THROW(talker.divide({std::string(200'000, 'x'), {}, false}, 1), Error);
}

TEST_F(Engine, ClosesItsInputWithoutHarmToUs) {
    // Writing to it raises SIGPIPE, which would end this test.
    UciEngine engine("echo uciok; exec 0<&-; exec sleep 3600", {milliseconds{500}, nullptr});
    EXPECT_THROW(engine.divide({std::string(kStartFen), {}, false}, 1), Error);
    sigset_t pending, blocked;
    sigpending(&pending);
    EXPECT_EQ(sigismember(&pending, SIGPIPE), 0);
    pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    EXPECT_EQ(sigismember(&blocked, SIGPIPE), 0);
    struct sigaction action {};
    sigaction(SIGPIPE, nullptr, &action);
    EXPECT_EQ(action.sa_handler, SIG_DFL);
}

TEST_F(Engine, IsEndedWithAllItsChildren) {
    const auto file = std::filesystem::temp_directory_path() /
                      ("mansuba_engine_test." + std::to_string(::getpid()));
    for (const char* switches : {"", "--stubborn"}) {
        int engine_pid = 0, child_pid = 0;
        {
            UciEngine engine(
                fake_engine(std::string(switches) + " --child '" + file.string() + "'"),
                {kPatience, nullptr});
            engine_pid = engine.process_id();
            std::ifstream(file) >> child_pid;
            ASSERT_GT(child_pid, 0);
            EXPECT_FALSE(is_gone(engine_pid));
            EXPECT_FALSE(is_gone(child_pid));
        }
        EXPECT_TRUE(is_gone(engine_pid)) << switches;
        EXPECT_TRUE(is_gone_soon(child_pid)) << switches;
        std::filesystem::remove(file);
    }
}

TEST_F(Engine, StopsOnRequest) {
    std::atomic<bool> stop{false};
    UciEngine engine(fake_engine("--hang"), {kPatience, &stop});
    std::thread signal([&] {
        std::this_thread::sleep_for(milliseconds{200});
        stop = true;
    });
    try {
        engine.divide({std::string(kStartFen), {}, false}, 1);
        ADD_FAILURE();
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::Interrupted);
    }
    signal.join();
}

TEST(ClientStockfish, DividesKiwipete) {
    MANSUBA_NEEDS_STOCKFISH();
    UciEngine engine(testing::stockfish(), {kPatience, nullptr});
    const EngineDivide divide = engine.divide({kKiwipete, {}, false}, 3);
    EXPECT_EQ(divide.moves.size(), 48u);
    EXPECT_TRUE(divide.total == 97862);
    Uint128 sum = 0;
    for (const auto& [move, nodes] : divide.moves) sum += nodes;
    EXPECT_TRUE(sum == divide.total);
    EXPECT_EQ(divide.moves.count("e1g1"), 1u);
    // The same with castling as king takes rook, and back.
    EXPECT_EQ(engine.divide({kKiwipete, {}, true}, 1).moves.count("e1h1"), 1u);
    EXPECT_EQ(engine.divide({kKiwipete, {}, false}, 1).moves.count("e1g1"), 1u);
}

TEST(ClientStockfish, MateHasNoMoves) {
    MANSUBA_NEEDS_STOCKFISH();
    UciEngine engine(testing::stockfish(), {kPatience, nullptr});
    const EngineDivide mate = engine.divide({"7k/6Q1/6K1/8/8/8/8/8 b - -", {}, false}, 2);
    EXPECT_TRUE(mate.moves.empty());
    EXPECT_TRUE(mate.total == 0);
}

}  // namespace
}  // namespace mansuba::perft

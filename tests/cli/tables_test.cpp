// The commands that work on endgame tables, as their users meet them.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/child_program.hpp"

namespace mansuba::cli {
namespace {

using namespace testing;
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Finished run(const Arguments& arguments) { return Child(MANSUBA_PROGRAM, arguments, {}).wait(); }

Json json_output(Arguments arguments) {
    arguments.push_back("--json");
    const Finished f = run(arguments);
    EXPECT_EQ(f.exit_code, 0) << f.err;
    return Json::parse(f.out, nullptr, false);
}

void expect_refused(const Arguments& arguments, int exit_code, const std::string& part) {
    const Finished f = run(arguments);
    EXPECT_EQ(f.exit_code, exit_code) << part << '\n' << f.out << f.err;
    EXPECT_EQ(f.out, "") << part;
    ASSERT_EQ(f.error_lines().size(), 1u) << f.err;
    EXPECT_TRUE(f.error_lines()[0].starts_with("mansuba: error: ")) << f.err;
    EXPECT_NE(f.error_lines()[0].find(part), std::string::npos) << f.err;
}

/// KQvKR and what it needs, built once.
class Tables : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        directory_ = fs::temp_directory_path() / ("mansuba_tables_" + std::to_string(::getpid()));
        fs::remove_all(directory_);
        built_ = json_output({"build", "KQvKR", "KPK", "--out", directory_.string()});
    }
    static void TearDownTestSuite() { fs::remove_all(directory_); }

    static std::string directory() { return directory_.string(); }
    static inline fs::path directory_;
    static inline Json built_;
};

TEST_F(Tables, BuildSaysWhatItDidAndSkipsWhatIsThere) {
    ASSERT_TRUE(built_.is_object());
    for (const char* key : {"generate_seconds", "store_seconds", "peak_memory_bytes", "bytes",
                            "tables", "threads", "simd", "metrics"})
        EXPECT_TRUE(built_.contains(key)) << key;
    EXPECT_GT(built_["threads"], 0);
    std::string names;
    for (const Json& t : built_["tables"]) {
        names += t["material"].get<std::string>() + " ";
        EXPECT_FALSE(t["skipped"]);
        EXPECT_GT(t["bytes"], 1000);
    }
    EXPECT_EQ(names, "KNvK KBvK KRvK KQvK KPvK KQvKR ");
    const Json again = json_output({"build", "KRKQ", "--out", directory()});
    ASSERT_EQ(again["tables"].size(), 3u);
    for (const Json& t : again["tables"]) EXPECT_TRUE(t["skipped"]);
    for (const auto& file : fs::directory_iterator(directory_))
        EXPECT_EQ(file.path().extension(), ".h5") << "left behind: " << file.path();
}

TEST_F(Tables, ProbeAnswersInOrder) {
    const Json j =
        json_output({"probe", "--tables", directory(), "8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1",
                     "8/8/8/8/8/2k5/1R6/K7 w - - 0 1", "8/8/4k3/8/8/3K4/8/8 w - - 0 1",
                     "7k/5KQ1/8/8/8/8/8/8 b - - 0 1", "7k/5K2/6Q1/8/8/8/8/8 b - - 0 1",
                     "8/8/2K5/1R6/8/8/8/2kq4 w - - 0 1", "--moves", "--line"});
    ASSERT_EQ(j.size(), 6u);
    // The longest loss of KQvKR, as syzygy1/tb has it; tests/data/dtm_stats_34.tsv for its mate.
    EXPECT_EQ(j[0]["wdl"], -2);
    EXPECT_EQ(j[0]["dtz"], -62);
    EXPECT_EQ(j[0]["dtm"], -70);
    EXPECT_EQ(j[0]["line"].size(), 70u);
    EXPECT_EQ(j[0]["moves"].size(), 18u);
    EXPECT_EQ(j[0]["moves"][0]["dtm"], 69);  // best first
    EXPECT_EQ(j[1]["dtm"], 31);
    EXPECT_EQ(j[1]["line"].size(), 31u);
    EXPECT_EQ(j[2]["wdl"], 0);
    EXPECT_TRUE(j[2]["dtm"].is_null());
    EXPECT_TRUE(j[3]["checkmate"]);
    EXPECT_EQ(j[3]["dtm"], 0);
    EXPECT_EQ(j[3]["wdl"], -2);
    EXPECT_TRUE(j[4]["stalemate"]);
    EXPECT_EQ(j[4]["wdl"], 0);
    for (const char* key : {"wdl", "dtz", "dtm", "material"})  // colours exchanged
        EXPECT_EQ(j[5][key], j[0][key]) << key;
}

TEST_F(Tables, ProbeRefusesWhatItCannotAnswer) {
    expect_refused({"probe", "--tables", directory(), "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"}, 2,
                   "castling");
    expect_refused({"probe", "--moves", "--tables", directory(), "4k3/8/8/8/8/8/8/RR2K3 w - - 0 1"},
                   2, "needs KRRvK: mansuba build KRRvK");
    expect_refused({"probe", "--tables", directory(), "4k3/8/8/8/8/8/8/RR2K3"}, 2, "FEN");
    expect_refused({"probe", "--tables", directory()}, 2, "FEN");
    const Json j = json_output(
        {"probe", "--tables", directory(), "--ignore-castling", "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"});
    EXPECT_EQ(j[0]["wdl"], 2);
}

TEST_F(Tables, StatsAreThePublishedOnes) {
    const Json j = json_output({"stats", "KQvKR", "--tables", directory()});
    ASSERT_EQ(j.size(), 1u);
    // tests/data/dtm_stats_34.tsv
    EXPECT_EQ(j[0]["white"]["win"], 1108111);
    EXPECT_EQ(j[0]["white"]["draw"], 8963);
    EXPECT_EQ(j[0]["black"]["loss"], 883075);
    EXPECT_EQ(j[0]["black"]["mates"], 1374);
    EXPECT_EQ(j[0]["black"]["longest"]["dtm_loss"]["plies"], 70);
    EXPECT_EQ(j[0]["black"]["longest"]["dtm_loss"]["count"], 59);
    expect_refused({"stats", "KRRvK", "--tables", directory()}, 2, "needs KRRvK");
}

TEST_F(Tables, ProbeTellsHowTheGameEndsByTheClock) {
    std::ifstream table(std::string(MANSUBA_TEST_DATA) + "/tb_positions.tsv");
    std::string line;
    int known = 0;
    while (std::getline(table, line)) {
        std::vector<std::string> row;
        std::istringstream fields(line);
        for (std::string field; std::getline(fields, field, '\t');) row.push_back(field);
        if (row[0] != "clock") continue;
        const Finished f = run({"probe", "--json", "--tables", directory(), row[1]});
        const Json outcome = Json::parse(f.out)[0]["outcome"];
        for (const auto& [key, column] : {std::pair("claim50", 5), {"auto75", 6}}) {
            if (row[column].empty() || outcome[key].is_null()) continue;
            EXPECT_EQ(outcome[key], row[column]) << row[1] << ' ' << key;
            ++known;
        }
    }
    EXPECT_EQ(known, 16);
}

TEST_F(Tables, ProbeTellsWhoCanStillBeMated) {
    const Json j = json_output({"probe", "--tables", directory(), "8/8/4k3/8/8/3K4/8/8 w - - 0 1",
                                "8/8/8/8/8/2k5/1R6/K7 w - - 0 1", "Rk6/8/2K5/8/8/8/8/8 b - - 0 1",
                                "4k3/8/8/8/8/p1p1p1p1/P1P1P1P1/4K3 w - - 0 1", "--moves"});
    const auto is = [&](int i, const char* winnable, const Json& dead) {
        EXPECT_EQ(j[i]["winnable"], Json::parse(winnable)) << i;
        EXPECT_EQ(j[i]["dead"], dead) << i;
    };
    is(0, R"({"white": false, "black": false})", true);
    is(1, R"({"white": true, "black": false})", false);
    is(2, R"({"white": false, "black": false})", true);  // the capture is forced
    is(3, R"({"white": false, "black": false})", true);  // needs no table
    EXPECT_EQ(j[3]["wdl"], 0);
    EXPECT_EQ(j[3]["outcome"]["claim50"], "draw");
}

TEST_F(Tables, ProbeTellsOfTheLawsWithoutATable) {
    // More men than any table has.
    const Json j =
        json_output({"probe", "--tables", directory(), "7k/1qQ5/p4PPK/6PP/8/5P2/8/8 w - - 0 1"});
    EXPECT_EQ(j[0]["winnable"], Json::parse(R"({"white": true, "black": true})"));
    EXPECT_EQ(j[0]["dead"], false);
    EXPECT_TRUE(j[0]["wdl"].is_null());
    // A table that could be built: what is known, and the error.
    const Finished f =
        run({"probe", "--json", "--tables", directory(), "4k3/8/8/8/8/8/8/RR2K3 w - - 110 1"});
    EXPECT_EQ(f.exit_code, 2);
    ASSERT_EQ(f.error_lines().size(), 1u);
    EXPECT_NE(f.err.find("needs KRRvK: mansuba build KRRvK"), std::string::npos);
    const Json known = Json::parse(f.out)[0];
    EXPECT_TRUE(known["wdl"].is_null());
    EXPECT_EQ(known["winnable"]["white"], true);
    EXPECT_EQ(known["outcome"]["claim50"], "draw");
    EXPECT_TRUE(known["outcome"]["auto75"].is_null());
}

/// All metrics, and rules of one's own.
TEST_F(Tables, EveryMetricIsAnswered) {
    const std::string all = (directory_ / "all").string();
    const Json built = json_output({"build", "KQvKR", "KBvKN", "--out", all, "--metrics",
                                    "wdl,dtz,dtm,wdl75,dtz75,winnable,dth,dtm50"});
    EXPECT_EQ(built["metrics"], "wdl,dtz,dtm,wdl75,dtz75,winnable,dth_white,dth_black,dtm50");
    const Json j =
        json_output({"probe", "--tables", all, "8/8/2k5/1r6/8/8/8/2KQ4 b - - 50 80",
                     "8/8/2k5/1r6/8/8/8/2KQ4 b - - 100 99", "8/8/8/3kb3/8/8/2N5/K7 w - - 0 1",
                     "8/8/8/3kb3/8/8/2N5/K7 w - - 0 1", "8/8/8/8/8/2k5/1R6/K7 w - - 69 60",
                     "8/8/8/8/8/2k5/1R6/K7 w - - 70 60"});
    EXPECT_EQ(j[0]["dtm"], -70);
    EXPECT_TRUE(j[0]["dtm50"].is_null());  // 62 plies are left to the capture, and 50 to a claim
    EXPECT_EQ(j[0]["outcome"]["claim50"], "draw");
    EXPECT_EQ(j[0]["outcome"]["auto75"], "loss");
    EXPECT_EQ(j[0]["wdl75"], -2);
    EXPECT_EQ(j[0]["dtz75"], -62);
    EXPECT_EQ(j[1]["outcome"]["auto75"], "draw");  // 62 more are too many for 150, too
    EXPECT_EQ(j[3]["winnable"], Json::parse(R"({"white": true, "black": true})"));
    EXPECT_EQ(j[3]["dth"], Json::parse(R"({"white": 15, "black": 10})"));
    EXPECT_EQ(j[4]["dtm50"], 31);  // the 100th ply mates
    EXPECT_TRUE(j[5]["dtm50"].is_null());
    const Json stats = json_output({"stats", "KBvKN", "--tables", all});
    const Json& white = stats[0]["white"]["winnable"];
    EXPECT_GT(white["both"], 100000);
    EXPECT_EQ(white["dead"].get<int>() + white["white_only"].get<int>() +
                  white["black_only"].get<int>() + white["both"].get<int>(),
              stats[0]["white"]["positions"].get<int>());
    EXPECT_GT(white["dead_beyond_material"], 0);
    EXPECT_TRUE(white["dead_beyond_material_fen"].is_string());
    EXPECT_TRUE(json_output({"verify", "KQvKR", "--tables", all, "--sample", "5000"})["ok"]);
    fs::remove_all(all);
}

TEST_F(Tables, RulesOfOnesOwn) {
    const fs::path out = directory_ / "rules";
    fs::create_directory(out);
    const std::string file = (out / "club.json").string();
    std::ofstream(file) << R"({"name": "club", "moves": 15})";
    json_output({"build", "KRvK", "--rules", file, "--out", out.string()});
    const Json j =
        json_output({"probe", "--tables", out.string(), "8/8/8/8/8/2k5/1R6/K7 w - - 0 60",
                     "8/8/8/8/3k4/8/1R6/K7 b - - 0 60"});
    EXPECT_EQ(j[0]["rules"], "club");
    EXPECT_EQ(j[0]["wdl"], 1);  // 31 plies are one too many
    EXPECT_TRUE(j[0]["outcome"]["claim50"].is_null());
    EXPECT_EQ(j[0]["outcome"]["claim"], "draw");
    expect_refused({"build", "KQvKR", "--out", out.string()}, 3, "made for the rules club");
    expect_refused({"export", "syzygy", "KRvK", "--tables", out.string(), "--out", out.string()}, 3,
                   "club");
    expect_refused({"build", "KQvK", "--rules", "nonsense", "--out", out.string()}, 2, "nonsense");
    std::ofstream(file) << "{\"name\": \"club\",\n \"moves\": 0}";
    expect_refused({"build", "KQvK", "--rules", file, "--out", out.string()}, 2, "club.json:2");
    expect_refused({"build", "KQvK", "--rules", "none", "--metrics", "dtm50", "--out",
                    (out / "none").string()},
                   2, "dtm50");
    fs::remove_all(out);
}

TEST_F(Tables, VerifyFindsThemRightAndDamageWrong) {
    const Json j = json_output({"verify", "KQvKR", "--tables", directory(), "--progress", "never"});
    EXPECT_TRUE(j["ok"]);
    EXPECT_EQ(j["tables"][0]["positions"], 2467122);
    EXPECT_EQ(j["tables"][0]["faults"], 0);

    const fs::path damaged = directory_ / "damaged";
    fs::create_directory(damaged);
    for (const char* name : {"KQvK.h5", "KRvK.h5", "KQvKR.h5"})
        fs::copy_file(directory_ / name, damaged / name);
    const fs::path file = damaged / "KQvKR.h5";
    std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(100000).put('x');
    expect_refused({"verify", "KQvKR", "--tables", damaged.string(), "--progress", "never"}, 3,
                   "KQvKR.h5");
    fs::resize_file(file, fs::file_size(file) / 2);
    expect_refused({"probe", "--tables", damaged.string(), "8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1"}, 3,
                   "KQvKR.h5");
    fs::remove(file);
    fs::copy_file(damaged / "KQvK.h5", file);
    expect_refused({"probe", "--tables", damaged.string(), "8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1"}, 3,
                   "KQvKR.h5");
    fs::remove_all(damaged);
}

TEST_F(Tables, NonsenseIsRefused) {
    expect_refused({"build", "KXK", "--out", directory()}, 2, "KXK");
    expect_refused({"build", "KvK", "--out", directory()}, 2, "KvK");
    expect_refused({"build", "--out", directory()}, 2, "which endgames");
    expect_refused({"build", "KRvK", "--metrics", "wdl,foo", "--out", directory()}, 2, "foo");
    expect_refused({"build", "KQQvKQ", "--memory", "100M", "--out", directory()}, 2,
                   "KQQvKQ needs");
    expect_refused({"build", "KRvK", "--out", "/proc/nowhere"}, 3, "/proc/nowhere");
    expect_refused({"verify", "--tables", (directory_ / "none").string()}, 2, "no tables");
}

TEST_F(Tables, AStoppedBuildLeavesNothingUnfinished) {
    const fs::path out = directory_ / "stopped";
    Child child(MANSUBA_PROGRAM, {"build", "KQQvKQ", "--out", out.string(), "--progress", "never"},
                {});
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    child.send(SIGTERM);
    const Finished f = child.wait();
    EXPECT_EQ(f.exit_code, 4) << f.err;
    EXPECT_NE(f.err.find("stopped, resume with the same command"), std::string::npos) << f.err;
    EXPECT_FALSE(fs::exists(out / "KQQvKQ.h5"));
    fs::remove_all(out);
}

TEST(CheckpointInterval, OutOfRangeIsRefused) {
    for (const char* command : {"build", "perft"}) {
        const std::string what = command == std::string("build") ? "KRvK" : "3";
        expect_refused({command, what, "--checkpoint-interval", "nan"}, 2,
                       "not a number of seconds");
        expect_refused({command, what, "--checkpoint-interval", "1e300"}, 2, "not in range");
        expect_refused({command, what, "--checkpoint-interval", "0.01"}, 2, "not in range");
    }
}

TEST(Plan, AnyMaterialOfSevenMen) {
    const Json j = json_output({"plan", "KRBNvKQP", "--ranks", "16", "--threads", "32"});
    EXPECT_EQ(j["ranks"], 16);
    EXPECT_GT(j["memory_bytes"].get<std::uint64_t>(), std::uint64_t{1} << 35);
    EXPECT_NE(j["sbatch"].get<std::string>().find("--ntasks=16"), std::string::npos);
    EXPECT_LT(j["exchanged_bytes_low"], j["exchanged_bytes_high"]);
    EXPECT_LT(j["seconds_low"], j["seconds_high"]);
    EXPECT_FALSE(j["assumptions"].empty());
    const Json large = j["tables"].back();
    EXPECT_EQ(large["material"], "KRBNvKQP");
    EXPECT_EQ(large["ranks"], 16);
    // Two between each rank and the first, by which all agree, and 70 across borders.
    EXPECT_EQ(large["messages_per_ply"], 2 * 15 + 70);
    // More ranks need less memory each.
    const Json more = json_output({"plan", "KRBNvKQP", "--ranks", "64", "--threads", "32"});
    EXPECT_LT(more["memory_bytes"], j["memory_bytes"]);
    expect_refused({"plan", "KQRvKQ", "--memory-per-rank", "100M"}, 2, "a rank");
}

TEST(Plan, EightMenArePlannedButNotBuilt) {
    const Json j = json_output({"plan", "KQRBvKQRN", "--ranks", "512", "--threads", "64"});
    const Json large = j["tables"].back();
    EXPECT_EQ(large["material"], "KQRBvKQRN");
    EXPECT_EQ(large["positions"], "63496796504064");  // 2 * 462 * 64^6
    EXPECT_NE(j["assumptions"].back().get<std::string>().find("7 men"), std::string::npos);
    expect_refused({"plan", "KQQQQQvKQQ"}, 2, "9 men; at most 8");
    expect_refused({"plan", "KPPPPvKPP"}, 2, "6 pawns; at most 5");
    expect_refused({"build", "KQRBvKQRN"}, 2, "8 men; at most 7");
}

}  // namespace
}  // namespace mansuba::cli

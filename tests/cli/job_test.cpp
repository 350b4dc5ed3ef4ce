// The program under mpirun.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/child_program.hpp"

namespace mansuba::cli {
namespace {

using namespace testing;
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

class ClientJob : public ::testing::Test {
protected:
    void SetUp() override {
        if (mpirun().empty() || !is_built_with_mpi())
            GTEST_SKIP() << "needs mpirun, and a program built with MPI";
        directory = fs::temp_directory_path() / ("mansuba_job_" + std::to_string(::getpid()));
        fs::remove_all(directory);
        fs::create_directories(directory);
    }
    void TearDown() override {
        if (!directory.empty()) fs::remove_all(directory);
    }

    static std::string mpirun() {
        for (const char* path : {"/usr/bin/mpirun", "/usr/local/bin/mpirun"})
            if (fs::exists(path)) return path;
        return {};
    }
    static bool is_built_with_mpi() {
        const Finished f = Child(MANSUBA_PROGRAM, {"info", "--json"}).wait();
        return !Json::parse(f.out)["mpi"].is_null();
    }
    static Child start(int ranks, Arguments arguments) {
        Arguments all{"-n", std::to_string(ranks), MANSUBA_PROGRAM};
        all.insert(all.end(), arguments.begin(), arguments.end());
        return Child(mpirun(), all,
                     {.environment = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                                      {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                                      {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
                                      {"OMPI_MCA_hwloc_base_binding_policy", "none"},
                                      {"OMPI_MCA_mpi_yield_when_idle", "1"}}});
    }
    static Json json_of(int ranks, Arguments arguments) {
        arguments.push_back("--json");
        const Finished f = start(ranks, arguments).wait();
        EXPECT_EQ(f.exit_code, 0) << f.err;
        return Json::parse(f.out, nullptr, false);
    }

    std::map<std::string, std::string> content(const std::string& name) const {
        return contents_of(directory / name);
    }
    void kill_builds(int kills);

    fs::path directory;
};

TEST_F(ClientJob, OneAnswerWhateverTheRanks) {
    for (const int ranks : {1, 2, 3, 4}) {
        const Json j = json_of(ranks, {"perft", "6", "--hash", "64M", "--divide", "--unique"});
        EXPECT_EQ(j["nodes"], "119060324");
        EXPECT_EQ(j["unique"], "9417681");
        EXPECT_EQ(j["divide"]["e2e4"], "9771632");
        EXPECT_EQ(j["ranks"], ranks);
    }
}

TEST_F(ClientJob, ExitCodesAndErrorsAreRankZeros) {
    for (const auto& [arguments, code] : {std::pair(Arguments{"perft", "x"}, 2),
                                          {{"perft", "5", "--simd", "abacus"}, 2},
                                          {{"verify", "KQvK", "--tables", "/nonexistent"}, 2}}) {
        const Finished f = start(3, arguments).wait();
        EXPECT_EQ(f.exit_code, code) << f.err;
        EXPECT_EQ(f.out, "");
        int lines = 0;
        for (const std::string& line : f.error_lines()) lines += line.starts_with("mansuba: error");
        EXPECT_EQ(lines, 1) << f.err;
    }
    EXPECT_EQ(start(2, {"perft", "1"}).wait().exit_code, 0);
    const Finished version = start(3, {"--version"}).wait();
    EXPECT_EQ(std::count(version.out.begin(), version.out.end(), '\n'), 1);
}

TEST_F(ClientJob, AKilledRankLosesOnlyWhatWasNotSaved) {
    const std::string file = (directory / "count").string();
    const Arguments count{"perft", "7", "--no-bulk", "--checkpoint", file, "--checkpoint-interval",
                          "0.2"};
    Child job = start(2, count);
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    // A rank of this job: mpirun ends the others.
    const Finished found =
        Child("/usr/bin/pkill", {"-KILL", "-P", std::to_string(job.id()), "-n"}).wait();
    const Finished killed = job.wait();
    if (found.exit_code == 0) {
        EXPECT_NE(killed.exit_code, 0);
    }
    ASSERT_TRUE(fs::exists(file));
    Arguments again = count;
    const Json j = json_of(3, again);
    EXPECT_EQ(j["nodes"], "3195901860");
    EXPECT_EQ(j["ranks"], 3);
}

/// Starts a job again and again, with another number of ranks each, and kills one of them at a random moment,
/// until that was done `kills` times and the job is at its end. Calls `check` with the output at each end.
template <class StartJob, class Check>
void kill_ranks(int kills, int latest_ms, const StartJob& start_job, const Check& check) {
    std::mt19937 random(11);
    int killed = 0, ends = 0;
    while (killed < kills || ends == 0) {
        const int ranks = 1 + static_cast<int>(random() % 4);
        Child job = start_job(ranks);
        if (killed < kills) {
            std::this_thread::sleep_for(
                std::chrono::milliseconds(100 + static_cast<int>(random()) % latest_ms));
            const char* which = random() % 2 ? "-n" : "-o";
            Child("/usr/bin/pkill", {"-KILL", "-P", std::to_string(job.id()), which}).wait();
        }
        const Finished f = job.wait();
        if (f.exit_code == 0) {
            check(f);
            ++ends;
            continue;
        }
        ASSERT_LT(killed, kills) << f.err;
        ++killed;
    }
}

using LongJob = ClientJob;
TEST_F(LongJob, ACountWhoseRanksAreKilledAtRandomEndsWithTheSameTotal) {
    const std::string file = (directory / "count").string();
    kill_ranks(
        10, 2500,
        [&](int ranks) {
            return start(ranks, {"perft", "7", "--json", "--checkpoint", file,
                                 "--checkpoint-interval", "0.1"});
        },
        [&](const Finished& f) {
            EXPECT_EQ(Json::parse(f.out)["nodes"], "3195901860");
            fs::remove(file);
        });
}

TEST_F(ClientJob, AKilledBuildGoesOnToTheSameFiles) { kill_builds(2); }
TEST_F(LongJob, ABuildWhoseRanksAreKilledAtRandomEndsWithTheSameFiles) { kill_builds(10); }

void ClientJob::kill_builds(int kills) {
    const auto build = [&](const std::string& name, int ranks) {
        return start(ranks, {"build", "KRBvKR", "--out", (directory / name).string(), "--metrics",
                             "wdl,dtz", "--checkpoint-interval", "0.1"});
    };
    ASSERT_EQ(build("whole", 1).wait().exit_code, 0);
    const auto expected = content("whole");
    EXPECT_EQ(expected.size(), 6u);
    int resumed = 0;
    kill_ranks(
        kills, 3000, [&](int ranks) { return build("parts", ranks); },
        [&](const Finished& f) {
            resumed += f.err.find("goes on from its checkpoint") != std::string::npos;
            // Other processes may have left temporary files, but none that passes for a table.
            auto found = content("parts");
            std::erase_if(found, [](const auto& f) { return !f.first.ends_with(".h5"); });
            EXPECT_EQ(found, expected);
            fs::remove_all(directory / "parts");
        });
    if (kills > 2) {
        EXPECT_GT(resumed, 0);
    }
}

TEST_F(ClientJob, ASignalToMpirunSaves) {
    const std::string file = (directory / "count").string();
    Child job = start(2, {"perft", "9", "--hash", "0", "--checkpoint", file});
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    job.send(SIGUSR1);
    const Finished f = job.wait();
    EXPECT_EQ(f.exit_code, 4) << f.err;
    EXPECT_NE(f.err.find("resume with the same command"), std::string::npos) << f.err;
    EXPECT_TRUE(fs::exists(file));
}

TEST_F(ClientJob, TablesAreTheSameWhateverTheRanks) {
    for (const auto& [name, ranks] : {std::pair("one", 1), {"two", 2}, {"four", 4}}) {
        const Json j =
            json_of(ranks, {"build", "KQvKR", "KPvK", "--out", (directory / name).string()});
        EXPECT_EQ(j["ranks"], ranks);
        EXPECT_EQ(j["tables"].size(), 6u);
    }
    EXPECT_EQ(content("one").size(), 6u);
    EXPECT_EQ(content("two"), content("one"));
    EXPECT_EQ(content("four"), content("one"));
}

}  // namespace
}  // namespace mansuba::cli

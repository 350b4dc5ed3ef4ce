// Tables built by ranks that are threads of this process.
#include "cluster/build.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <random>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "cluster/local_transport.hpp"
#include "core/error.hpp"
#include "tablebase/hdf5/table_store.hpp"
#include "tests/files.hpp"

namespace mansuba::cluster {
namespace {

namespace fs = std::filesystem;
using namespace tablebase;

class ClusterBuild : public ::testing::Test {
protected:
    void SetUp() override {
        directory = fs::temp_directory_path() / ("mansuba_build_" + std::to_string(::getpid()));
        fs::remove_all(directory);
    }
    void TearDown() override { fs::remove_all(directory); }

    static BuildOptions options() {
        BuildOptions o;
        o.threads = 1;
        o.resume = true;
        return o;
    }
    static hdf5::TableDirectory store_of(const fs::path& path) {
        hdf5::TableDirectory::Options o;
        o.threads = 1;
        o.generator = "test";
        return hdf5::TableDirectory(path, o);
    }

    BuildResult build_with(int ranks, const std::string& name,
                           const std::vector<Material>& materials, const BuildOptions& o,
                           const std::atomic<bool>* others_stop = nullptr) {
        LocalNetwork network(ranks);
        std::vector<std::thread> threads;
        for (int rank = 1; rank < ranks; ++rank)
            threads.emplace_back([&, rank] {
                auto store = store_of(directory / name);
                BuildOptions mine = o;
                mine.on_event = nullptr;
                mine.stop = others_stop;
                help_build(materials, store, mine, network.end(rank));
            });
        struct Join {
            std::vector<std::thread>& threads;
            LocalNetwork& network;
            ~Join() {
                finish(network.end(0), 0);
                for (std::thread& t : threads) t.join();
            }
        } join{threads, network};
        auto store = store_of(directory / name);
        return build(materials, store, o, network.end(0));
    }

    std::map<std::string, std::string> files(const std::string& name) const {
        return testing::contents_of(directory / name);
    }

    fs::path directory;
};

TEST_F(ClusterBuild, FilesAreTheSameWhateverTheRanks) {
    const std::vector<Material> materials{Material::parse("KQvKR"), Material::parse("KRPvK")};
    const BuildResult one = build_with(1, "1", materials, options());
    const auto expected = files("1");
    EXPECT_EQ(expected.size(), one.tables.size());
    for (const int ranks : {2, 5}) {
        int told = 0;
        BuildOptions o = options();
        o.on_event = [&](const BuildOptions::Event& e) {
            told += e.kind == BuildOptions::Event::Finished;
        };
        const std::string name = std::to_string(ranks);
        const BuildResult r = build_with(ranks, name, materials, o);
        EXPECT_EQ(files(name), expected) << ranks;
        EXPECT_EQ(told, static_cast<int>(one.tables.size())) << ranks;
        ASSERT_EQ(r.tables.size(), one.tables.size());
        for (std::size_t i = 0; i < r.tables.size(); ++i) {
            EXPECT_EQ(r.tables[i].material, one.tables[i].material);
            EXPECT_EQ(r.tables[i].bytes, one.tables[i].bytes);
        }
    }
    // All is there already.
    const BuildResult again = build_with(3, "2", materials, options());
    for (const BuiltTable& t : again.tables) EXPECT_TRUE(t.skipped);
}

/// Memory that is too little for one rank alone.
BuildOptions too_little_for_one(BuildOptions o, const Material& m, int ranks) {
    // Still enough for the small tables that one rank makes.
    o.memory_bytes = estimate(m, o.metrics, std::min(ranks, 8)).memory_bytes;
    EXPECT_LT(o.memory_bytes, estimate(m, o.metrics).memory_bytes);
    EXPECT_TRUE(is_shared(m, o, ranks));
    return o;
}

// Where a rank alone refuses, ranks build together, each a share of the king pairs.
TEST_F(ClusterBuild, TogetherTheyMakeTheSameFiles) {
    // Fewer than two men beside kings and pawns: nothing to share.
    EXPECT_FALSE(can_share(Index(Material::parse("KPPvKB"))));
    for (const char* name : {"KQvKR", "KBNvK"}) {
        const Material m = Material::parse(name);
        const std::string alone = std::string(name) + "-1";
        build_with(1, alone, {m}, options());
        const auto expected = files(alone);
        // There are not as many shares as forty.
        for (const int ranks : {2, 3, 4, 8, 40}) {
            const BuildOptions o = too_little_for_one(options(), m, ranks);
            EXPECT_THROW(build_with(1, "refused", {m}, o), Error);
            const std::string together = name + std::string("-") + std::to_string(ranks);
            build_with(ranks, together, {m}, o);
            EXPECT_EQ(files(together), expected) << name << " " << ranks;
        }
    }
}

// While all build together nobody but the builders looks for a stop or an error.
TEST_F(ClusterBuild, AStopWhileTheyBuildTogetherStopsAll) {
    const Material m = Material::parse("KQvKR");
    std::atomic<bool> stop = false;
    BuildOptions o = too_little_for_one(options(), m, 3);
    o.stop = &stop;
    o.on_event = [&](const BuildOptions::Event& e) {
        if (e.kind == BuildOptions::Event::Started && e.material == m) stop = true;
    };
    try {
        build_with(3, "a", {m}, o);
        ADD_FAILURE() << "built on";
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::Interrupted) << e.what();
    }
    EXPECT_FALSE(files("a").contains("KQvKR.h5"));
    EXPECT_TRUE(files("a").contains("KQvK.h5"));
    // What is there stays, and the rest is made.
    build_with(2, "a", {m}, too_little_for_one(options(), m, 2));
    build_with(1, "1", {m}, options());
    EXPECT_EQ(files("a"), files("1"));
}

// Stopped again and again, in the middle of tables that all build, and gone on with as many ranks as
// there are: from where the last ones were, to the same files.
TEST_F(ClusterBuild, TheyGoOnFromACheckpointWithAnotherNumberOfRanks) {
    std::mt19937 random(7);
    int stops = 0, resumed = 0;
    for (const char* name : {"KQvKR", "KBNvK"}) {
        const Material m = Material::parse(name);
        build_with(1, "1", {m}, options());
        const auto expected = files("1");
        for (int round = 0; round < 10; ++round) {
            const fs::path out = directory / "a";
            bool done = false;
            for (int attempt = 0; !done; ++attempt) {
                const int ranks = 1 + static_cast<int>(random() % 4);
                BuildOptions o = options();
                // The last one is not stopped.
                if (ranks > 1) o = too_little_for_one(o, m, ranks);
                o.checkpoints = out;
                o.checkpoint_seconds = round % 2 ? 0 : 1e6;
                std::atomic<bool> stop = false;
                o.stop = &stop;
                std::thread later;
                const auto after = std::chrono::microseconds(random() % 60'000);
                o.on_event = [&](const BuildOptions::Event& e) {
                    if (e.material != m) return;
                    resumed += e.kind == BuildOptions::Event::Resumed;
                    if (e.kind == BuildOptions::Event::Started && attempt < 5)
                        later = std::thread([&] {
                            std::this_thread::sleep_for(after);
                            stop = true;
                        });
                };
                try {
                    build_with(ranks, "a", {m}, o);
                    done = true;
                } catch (const Error& e) {
                    if (later.joinable()) later.join();
                    ASSERT_EQ(e.code(), ErrorCode::Interrupted) << e.what();
                    EXPECT_TRUE(fs::exists(out / (m.name() + ".checkpoint")));
                    ++stops;
                }
                if (later.joinable()) later.join();
            }
            EXPECT_EQ(files("a"), expected) << name << " " << round;
            fs::remove_all(out);
        }
        fs::remove_all(directory / "1");
    }
    EXPECT_GE(stops, 20);
    EXPECT_GE(resumed, stops / 2);
}

TEST_F(ClusterBuild, AnErrorWhileTheyBuildTogetherEndsAll) {
    const Material m = Material::parse("KQvKR");
    LocalNetwork network(2);
    const BuildOptions o = too_little_for_one(options(), m, 2);
    std::thread other([&] {
        auto store = store_of(directory / "elsewhere");  // without the smaller tables
        help_build({m}, store, o, network.end(1));
    });
    auto store = store_of(directory / "a");
    tablebase::build({Material::parse("KQvK"), Material::parse("KRvK")}, store, options());
    try {
        build({m}, store, o, network.end(0));
        ADD_FAILURE() << "built on";
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::File) << e.what();
        EXPECT_NE(std::string(e.what()).find("rank 1"), std::string::npos) << e.what();
    }
    finish(network.end(0), 3);
    other.join();
    EXPECT_FALSE(files("a").contains("KQvKR.h5"));
}

// Pawns, with king pairs: each placement is shared.
using LongClusterBuild = ClusterBuild;
TEST_F(LongClusterBuild, TogetherTheyMakeTheSameFilesOfFiveMen) {
    for (const char* name : {"KRBvKR", "KRPvKR"}) {
        const std::vector<Material> m{Material::parse(name)};
        build_with(1, "1", m, options());
        for (const int ranks : {2, 4}) {
            EXPECT_TRUE(is_shared(m[0], options(), ranks));
            build_with(ranks, std::to_string(ranks), m, options());
            EXPECT_EQ(files(std::to_string(ranks)), files("1")) << name << " " << ranks;
        }
        TearDown();
    }
}

TEST_F(ClusterBuild, AStopLeavesWhatIsFinishedAndOthersGoOn) {
    const std::vector<Material> materials{Material::parse("KQvKR"), Material::parse("KRPvK")};
    std::atomic<bool> stop = false;
    BuildOptions o = options();
    o.stop = &stop;
    o.on_event = [&](const BuildOptions::Event& e) {
        if (e.kind == BuildOptions::Event::Finished && e.material == Material::parse("KPvK"))
            stop = true;
    };
    try {
        build_with(3, "a", materials, o);
        ADD_FAILURE() << "built on";
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::Interrupted) << e.what();
    }
    for (const auto& [name, content] : files("a")) EXPECT_TRUE(name.ends_with(".h5")) << name;
    build_with(2, "a", materials, options());
    build_with(1, "b", materials, options());
    EXPECT_EQ(files("a"), files("b"));
}

TEST_F(ClusterBuild, TooLittleMemoryIsSaidBeforeTheStart) {
    BuildOptions o = options();
    o.memory_bytes = 1 << 20;
    try {
        build_with(2, "c", {Material::parse("KQvKR")}, o);
        ADD_FAILURE() << "built";
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::Usage);
    }
}

}  // namespace
}  // namespace mansuba::cluster

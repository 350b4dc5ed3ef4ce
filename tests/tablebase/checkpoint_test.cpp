// The state of a table in work, saved and found again, whole or damaged.
#include "tablebase/checkpoint.hpp"

#include <atomic>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "tablebase/builder.hpp"
#include "tablebase/hdf5/table_store.hpp"
#include "tests/files.hpp"

namespace mansuba::tablebase {
namespace {

namespace fs = std::filesystem;

class CheckpointTest : public ::testing::Test {
protected:
    void SetUp() override {
        directory =
            fs::temp_directory_path() / ("mansuba_checkpoint_" + std::to_string(::getpid()));
        fs::remove_all(directory);
        fs::create_directories(directory);
    }
    void TearDown() override { fs::remove_all(directory); }

    std::map<std::string, std::string> files() const { return testing::contents_of(directory); }

    /// What a table of pawns and like outer men has: codes that do not shrink, and a set.
    struct State {
        explicit State(const Index& index)
            : blocks(static_cast<std::uint32_t>(index.blocks_per_placement())),
              codes(std::size_t{2} * blocks * 16),
              words(std::size_t{blocks} * 64),
              rows(blocks) {}
        void fill(const Index& index, unsigned seed) {
            std::mt19937 random(seed);
            for (std::size_t i = 0; i < codes.size(); ++i)
                if (index.is_kept(i / 16 % blocks))
                    codes[i] = static_cast<std::byte>(random() % (i / 16 < blocks ? 256 : 2));
            for (std::uint32_t b = 0; b < blocks; ++b) {
                rows[b] = index.is_kept(b) ? static_cast<std::uint8_t>(random()) : 0;
                for (std::size_t w = 0; w < 64; ++w) words[64 * b + w] = random() | 1;
            }
        }
        std::vector<BlockArray> arrays() {
            return {{0, codes.data(), 16, 0, 2},
                    {6, reinterpret_cast<std::byte*>(words.data()) - blocks * 512ul, 512, 1, 2,
                     rows.data() - blocks}};
        }
        /// What is there; rows that are not there are all the same.
        std::vector<std::uint64_t> set() const {
            std::vector<std::uint64_t> all(words.size());
            for (std::size_t i = 0; i < all.size(); ++i)
                all[i] = rows[i / 64] >> (i % 64 / 8) & 1 ? words[i] : 0;
            return all;
        }
        std::array<BlockRun, 1> all() const { return {BlockRun{0, blocks}}; }
        std::uint32_t blocks;
        std::vector<std::byte> codes;
        std::vector<std::uint64_t> words;
        std::vector<std::uint8_t> rows;
    };

    fs::path directory;
};

TEST_F(CheckpointTest, WhatWasSavedIsFound) {
    const Index index(Material::parse("KPPvKP"));  // 1 block, many placements
    for (const char* name : {"KNNPvK", "KQRvK"}) {
        const Index of(Material::parse(name));
        State saved(of), loaded(of);
        saved.fill(of, 1);
        const Standing standing{true, 1, 2, 17, true, false};
        Checkpoint(directory, of, "so", 1e6, 2, nullptr)
            .save(standing, saved.arrays(), saved.all());
        const Checkpoint found(directory, of, "so", 1e6, 2, nullptr);
        ASSERT_TRUE(found.found());
        EXPECT_EQ(*found.found(), standing);
        // In two shares.
        const std::uint32_t middle = saved.blocks / 3;
        found.load(loaded.arrays(), std::array{BlockRun{0, middle}});
        found.load(loaded.arrays(), std::array{BlockRun{middle, saved.blocks}});
        EXPECT_EQ(loaded.codes, saved.codes);
        EXPECT_EQ(loaded.set(), saved.set());
    }
    EXPECT_FALSE(Checkpoint(directory, index, "so", 1e6, 1, nullptr).found());
}

TEST_F(CheckpointTest, ANewOneReplacesTheOldAndRemoveLeavesNothing) {
    const Index index(Material::parse("KQRvK"));
    State state(index);
    testing::write_content(directory / "KQRvK.checkpoint.1.3",
                           "left over by a process that was killed");
    Checkpoint checkpoint(directory, index, "so", 0, 1, nullptr);
    EXPECT_TRUE(checkpoint.is_due());
    for (int ply = 1; ply < 4; ++ply) {
        state.fill(index, static_cast<unsigned>(ply));
        checkpoint.save({false, 0, 0, ply}, state.arrays(), state.all());
        EXPECT_EQ(files().size(), 2u);
    }
    // The save that fails leaves the last one.
    const auto before = files();
    fs::create_directory(directory / "KQRvK.checkpoint.4.0");
    EXPECT_THROW(checkpoint.save({false, 0, 0, 9}, state.arrays(), state.all()), Error);
    fs::remove(directory / "KQRvK.checkpoint.4.0");
    EXPECT_EQ(files(), before);
    EXPECT_EQ(Checkpoint(directory, index, "so", 0, 1, nullptr).found()->ply, 3);
    testing::write_content(directory / "KQRvK.h5", "a table");
    testing::write_content(directory / "KQRvKN.checkpoint", "another's");
    Checkpoint::remove(directory, index.material());
    EXPECT_EQ(files().size(), 2u);
}

// Begun anew, a build drops checkpoints, but not if it is refused before it begins.
TEST_F(CheckpointTest, ARefusedBuildDropsNone) {
    const Material m = Material::parse("KQRvK");
    const Index index(m);
    State state(index);
    Checkpoint(directory, index, "so", 1e6, 1, nullptr)
        .save({.ply = 1}, state.arrays(), state.all());
    hdf5::TableDirectory store(directory);
    BuildOptions o;
    o.checkpoints = directory;
    o.memory_bytes = 1;
    EXPECT_THROW(finished_tables({m}, store, o), Error);
    EXPECT_EQ(files().size(), 2u);
    o.memory_bytes = 0;
    finished_tables({m}, store, o);
    EXPECT_EQ(files().size(), 0u);
}

TEST_F(CheckpointTest, AForeignOneIsRefused) {
    const Index index(Material::parse("KQRvK")), other(Material::parse("KQBvK"));
    State state(index);
    state.fill(index, 1);
    Checkpoint(directory, index, "so", 1e6, 1, nullptr)
        .save({false, 0, 0, 1}, state.arrays(), state.all());
    const auto refused = [&](const Index& of, const char* made_by, const char* why) {
        try {
            const Checkpoint c(directory, of, made_by, 1e6, 1, nullptr);
            ADD_FAILURE() << "taken";
        } catch (const Error& e) {
            EXPECT_EQ(e.code(), ErrorCode::File);
            EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << e.what();
            EXPECT_NE(std::string(e.what()).find(directory.string()), std::string::npos);
        }
    };
    refused(index, "otherwise", "other metrics or rules");
    fs::copy_file(directory / "KQRvK.checkpoint", directory / "KQBvK.checkpoint");
    refused(other, "so", "other metrics or rules");
    const std::string manifest = testing::content_of(directory / "KQRvK.checkpoint");
    std::string newer = manifest;
    newer.replace(newer.find("\"version\":1"), 11, "\"version\":2");
    testing::write_content(directory / "KQRvK.checkpoint", newer);
    refused(index, "so", "another version");
    testing::write_content(directory / "KQRvK.checkpoint", "{}");
    refused(index, "so", "damaged");
}

// Each bit is under a digest, each length is known.
TEST_F(CheckpointTest, DamageIsNeverTakenForAState) {
    const Index index(Material::parse("KNNPvK"));
    State state(index);
    state.fill(index, 1);
    Checkpoint(directory, index, "so", 1e6, 1, nullptr)
        .save({false, 1, 2, 5}, state.arrays(), state.all());
    const auto is_refused = [&] {
        State loaded(index);
        try {
            const Checkpoint c(directory, index, "so", 1e6, 1, nullptr);
            c.load(loaded.arrays(), state.all());
            return false;
        } catch (const Error& e) {
            return e.code() == ErrorCode::File &&
                   std::string(e.what()).find(directory.string()) != std::string::npos;
        }
    };
    EXPECT_FALSE(is_refused());
    std::mt19937 random(3);
    for (const auto& [name, content] : files()) {
        for (int i = 0; i < 200; ++i) {
            std::string damaged = content;
            const std::size_t at = random() % (content.size() - 1);  // not the end of the line
            damaged[at] = static_cast<char>(damaged[at] ^ 1 << random() % 8);
            testing::write_content(directory / name, damaged);
            EXPECT_TRUE(is_refused()) << name << " " << at;
        }
        for (int i = 0; i < 50; ++i) {
            testing::write_content(directory / name,
                                   content.substr(0, random() % (content.size() - 1)));
            EXPECT_TRUE(is_refused()) << name;
        }
        testing::write_content(directory / name, content + content);
        EXPECT_TRUE(is_refused()) << name;
        fs::remove(directory / name);
        EXPECT_TRUE(name.ends_with(".checkpoint") || is_refused()) << name;
        testing::write_content(directory / name, content);
        EXPECT_FALSE(is_refused());
    }
}

// A part of another generation under this one's name.
TEST_F(CheckpointTest, PartsOfTwoGenerationsDoNotMix) {
    const Index index(Material::parse("KQRvK"));
    State state(index);
    state.fill(index, 1);
    Checkpoint checkpoint(directory, index, "so", 1e6, 1, nullptr);
    checkpoint.save({false, 0, 0, 1}, state.arrays(), state.all());
    const std::string old = testing::content_of(directory / "KQRvK.checkpoint.1.0");
    checkpoint.save({false, 0, 0, 2}, state.arrays(), state.all());
    testing::write_content(directory / "KQRvK.checkpoint.2.0", old);
    const Checkpoint c(directory, index, "so", 1e6, 1, nullptr);
    EXPECT_THROW(c.load(state.arrays(), state.all()), Error);
}

// Pawns: placements are finished one after the other, or many at once where kings have no pairs of
// their own. Two bytes a code where the rules have long limits.
TEST_F(CheckpointTest, ABuildGoesOnToTheSameFile) {
    struct Case {
        const char* name;
        const char* rules;
        int stops;
    };
    constexpr const char* kLong = R"({"name": "long", "moves": 150})";
    for (const Case& c :
         {Case{"KRPvK", nullptr, 10}, Case{"KPPvK", nullptr, 10}, Case{"KQvKR", kLong, 1}}) {
        const char* name = c.name;
        const int stops = c.stops;
        const Material m = Material::parse(name);
        BuildOptions o;
        o.resume = true;
        if (c.rules) o.rules = RuleSet::parse(c.rules, "long");
        hdf5::TableDirectory::Options storing;
        storing.generator = "test";
        storing.rules = o.rules;
        const fs::path whole = directory / "whole", parts = directory / "parts";
        hdf5::TableDirectory store_whole(whole, storing), store_parts(parts, storing);
        build({m}, store_whole, o);
        o.checkpoints = parts;
        int resumed = 0;
        for (int attempt = 0; attempt <= stops; ++attempt) {
            std::atomic<bool> stop = false;
            o.stop = &stop;
            o.checkpoint_seconds = attempt % 2 ? 0 : 1e6;
            o.on_event = [&](const BuildOptions::Event& e) {
                if (e.material != m) return;
                resumed += e.kind == BuildOptions::Event::Resumed;
                const std::uint64_t after = static_cast<std::uint64_t>(attempt) * e.progress.of /
                                            static_cast<std::uint64_t>(stops);
                if (attempt < stops && e.progress.done >= after) stop = true;
            };
            try {
                build({m}, store_parts, o);
                EXPECT_EQ(attempt, stops) << name;
            } catch (const Error& e) {
                ASSERT_EQ(e.code(), ErrorCode::Interrupted) << e.what();
                EXPECT_LT(attempt, stops) << name;
                EXPECT_TRUE(fs::exists(parts / (m.name() + ".checkpoint"))) << name;
            }
        }
        EXPECT_EQ(resumed, stops) << name;
        EXPECT_EQ(testing::content_of(whole / (m.name() + ".h5")),
                  testing::content_of(parts / (m.name() + ".h5")))
            << name;
        EXPECT_FALSE(fs::exists(parts / (m.name() + ".checkpoint")));
        fs::remove_all(whole);
        fs::remove_all(parts);
    }
}

}  // namespace
}  // namespace mansuba::tablebase

// Counts that are stopped and resumed, and checkpoints that must not be believed.
#include "perft/checkpoint.hpp"

#include <cstddef>
#include <filesystem>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/fen.hpp"
#include "core/file.hpp"
#include "perft/perft.hpp"

namespace mansuba::perft {
namespace {

/// A path of its own for each test, gone afterwards.
class CheckpointFile : public ::testing::Test {
protected:
    CheckpointFile()
        : path(std::filesystem::temp_directory_path() /
               (std::string("mansuba_") +
                ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".ckpt")) {
        std::filesystem::remove(path);
    }
    ~CheckpointFile() override { std::filesystem::remove(path); }

    /// Counts until `units` subtrees are finished, then stops as a signal would.
    void count_partly(const Position& root, int depth, Options options, std::uint64_t units) {
        std::atomic<bool> stop = false;
        options.checkpoint = path;
        options.stop = &stop;
        options.on_progress = [&](const Progress& p) {
            if (p.units_done >= units) stop = true;
        };
        try {
            count(root, depth, options);
        } catch (const Error& e) {
            ASSERT_EQ(e.code(), ErrorCode::Interrupted) << e.what();
        }
    }
    ErrorCode code_of_resuming(const Position& root, int depth, Options options = {}) {
        options.checkpoint = path;
        try {
            count(root, depth, options);
        } catch (const Error& e) {
            EXPECT_NE(std::string(e.what()).find(path.string()), std::string::npos) << e.what();
            return e.code();
        }
        ADD_FAILURE() << "resumed";
        return ErrorCode::Internal;
    }

    const std::filesystem::path path;
};

TEST_F(CheckpointFile, ResumesToTheSameTotalWithOtherThreadsAndHashSize) {
    Options one;
    one.threads = 1;
    one.hash_bytes = 1 << 16;
    count_partly(Position(), 7, one, 1);
    const std::size_t first = load_checkpoint(path).finished.size();
    EXPECT_GT(first, 0u);
    EXPECT_LT(first, load_checkpoint(path).units);

    Options two;
    two.threads = 7;
    two.hash_bytes = 1 << 20;
    two.checkpoint = path;
    const Result r = count(Position(), 7, two);
    EXPECT_EQ(r.nodes, 3195901860u);
    EXPECT_LT(r.nodes_this_run, r.nodes);
    EXPECT_EQ(load_checkpoint(path).finished.size(), load_checkpoint(path).units);

    // Finished: nothing is left to count.
    EXPECT_EQ(count(Position(), 7, two).nodes_this_run, 0u);
}

TEST_F(CheckpointFile, KeepsDetailAndDivide) {
    Options detail;
    detail.detail = true;
    const Result whole = count(Position(), 5, detail);
    count_partly(Position(), 5, detail, 1);
    detail.checkpoint = path;
    const Result r = count(Position(), 5, detail);
    EXPECT_EQ(r.nodes, 4865609u);
    EXPECT_EQ(r.detail, whole.detail);
    EXPECT_EQ(r.detail->checks, 27351u);  // tests/data/perft_breakdown.tsv
    for (std::size_t i = 0; i < r.divide.size(); ++i)
        EXPECT_EQ(r.divide[i].nodes, whole.divide[i].nodes);
}

TEST_F(CheckpointFile, OfAnotherCountIsRefused) {
    Options options;
    options.checkpoint = path;
    count(Position(), 4, options);
    EXPECT_EQ(code_of_resuming(Position(), 5), ErrorCode::File);
    EXPECT_EQ(
        code_of_resuming(parse_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1"), 4),
        ErrorCode::File);
    EXPECT_EQ(
        code_of_resuming(parse_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQk - 0 1"), 4),
        ErrorCode::File);
    Options detail, each, hashed;
    detail.detail = true;
    each.bulk = false;
    hashed.hash_bytes = 1 << 16;
    for (const Options& other : {detail, each, hashed})
        EXPECT_EQ(code_of_resuming(Position(), 4, other), ErrorCode::File);
}

TEST_F(CheckpointFile, EveryFlippedBitAndEveryTruncationIsFound) {
    Options options;
    options.checkpoint = path;
    count(Position(), 3, options);
    const std::vector<std::byte> good = read_file(path);
    for (std::size_t i = 0; i < good.size(); i += 1 + i / 64) {
        std::vector<std::byte> bad = good;
        bad[i] ^= std::byte{0x10};
        write_file_atomically(path, bad);
        EXPECT_THROW(load_checkpoint(path), Error) << "byte " << i;
        bad.assign(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(i));
        write_file_atomically(path, bad);
        EXPECT_THROW(load_checkpoint(path), Error) << "cut to " << i;
    }
    write_file_atomically(path, good);
    EXPECT_EQ(load_checkpoint(path).finished.size(), load_checkpoint(path).units);
}

TEST_F(CheckpointFile, ImpossibleUnitsAreRefused) {
    Options options;
    options.checkpoint = path;
    count(Position(), 4, options);
    const Checkpoint good = load_checkpoint(path);
    Checkpoint bad = good;
    bad.finished.back().unit = static_cast<std::uint32_t>(bad.units);
    save_checkpoint(path, bad);
    EXPECT_EQ(code_of_resuming(Position(), 4), ErrorCode::File);
    bad = good;
    bad.finished.back() = bad.finished.front();
    save_checkpoint(path, bad);
    EXPECT_EQ(code_of_resuming(Position(), 4), ErrorCode::File);
    bad = good;
    bad.identity.plies = 4;
    save_checkpoint(path, bad);
    EXPECT_EQ(code_of_resuming(Position(), 4), ErrorCode::File);
}

TEST_F(CheckpointFile, ThatCannotBeWrittenIsKnownBeforeTheWork) {
    Options options;
    // A device that never ends, a directory, a directory that is not there.
    for (const char* bad : {"/dev/zero", "/dev/full", "/tmp", "/nonexistent-directory/x.ckpt"}) {
        options.checkpoint = bad;
        EXPECT_THROW(count(Position(), 4, options), Error) << bad;
    }
}

TEST_F(CheckpointFile, FailedWriteLeavesTheOldFile) {
    Options options;
    options.checkpoint = path;
    count(Position(), 3, options);
    const std::vector<std::byte> good = read_file(path);
    const std::filesystem::path in_the_way = path.string() + ".tmp" + std::to_string(::getpid());
    std::filesystem::create_directory(in_the_way);
    EXPECT_THROW(save_checkpoint(path, load_checkpoint(path)), Error);
    std::filesystem::remove(in_the_way);
    EXPECT_EQ(read_file(path), good);
}

}  // namespace
}  // namespace mansuba::perft

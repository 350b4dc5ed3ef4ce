// Counts by ranks that are threads of this process.
#include "cluster/count.hpp"

#include <atomic>
#include <filesystem>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "cluster/local_transport.hpp"
#include "core/error.hpp"
#include "core/fen.hpp"

namespace mansuba::cluster {
namespace {

namespace fs = std::filesystem;
constexpr const char* kKiwipete =
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

perft::Options options(std::uint64_t hash_bytes = 0) {
    perft::Options o;
    o.threads = 1;
    o.hash_bytes = hash_bytes;
    return o;
}

/// Runs `first` as rank 0 and `others` as all other ranks, each in a thread of its own.
template <class First, class Others>
auto as_job(LocalNetwork& network, int ranks, const First& first, const Others& others) {
    std::vector<std::thread> threads;
    for (int rank = 1; rank < ranks; ++rank)
        threads.emplace_back([&, rank] { others(network.end(rank)); });
    struct Join {
        std::vector<std::thread>& threads;
        LocalNetwork& network;
        ~Join() {
            finish(network.end(0), 0);
            for (std::thread& t : threads) t.join();
        }
    } join{threads, network};
    return first(network.end(0));
}

perft::Result count_with(int ranks, const Position& root, int depth, const perft::Options& o) {
    LocalNetwork network(ranks);
    return as_job(
        network, ranks, [&](Transport& t) { return count(root, depth, o, t); },
        [&](Transport& t) {
            perft::Options mine = o;
            mine.checkpoint.clear();
            help_count(root, depth, mine, t);
        });
}

TEST(ClusterCount, TheTotalDoesNotDependOnTheRanks) {
    const Position root = parse_fen(kKiwipete);
    const perft::Result alone = perft::count(root, 5, options());
    EXPECT_EQ(alone.nodes, 193690690u);  // chessprogramming.org/Perft_Results
    for (const int ranks : {1, 2, 3, 4, 8}) {
        for (const std::uint64_t hash : {std::uint64_t{0}, std::uint64_t{8} << 20}) {
            const perft::Result r = count_with(ranks, root, 5, options(hash));
            EXPECT_EQ(r.nodes, alone.nodes) << ranks;
            ASSERT_EQ(r.divide.size(), alone.divide.size());
            for (std::size_t i = 0; i < r.divide.size(); ++i) {
                EXPECT_EQ(r.divide[i].move, alone.divide[i].move);
                EXPECT_EQ(r.divide[i].nodes, alone.divide[i].nodes) << ranks;
            }
        }
    }
}

TEST(ClusterCount, DetailToo) {
    perft::Options o = options();
    o.detail = true;
    // One ply more than a rank counts alone; position 4 of chessprogramming.org/Perft_Results.
    const Position root =
        parse_fen("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1");
    const perft::Result alone = perft::count(root, 5, o), shared = count_with(3, root, 5, o);
    ASSERT_TRUE(shared.detail);
    EXPECT_EQ(*shared.detail, *alone.detail);
    EXPECT_EQ(shared.detail->mates, 50562u);
}

TEST(ClusterCount, ShallowCountsNeedNobody) {
    for (int depth = 0; depth <= 4; ++depth) {
        const Position root;
        EXPECT_EQ(count_with(3, root, depth, options()).nodes,
                  perft::count(root, depth, options()).nodes);
    }
}

TEST(ClusterCount, DistinctPositionsByTheirHashes) {
    const Position root;
    constexpr std::uint64_t kRoom = 1 << 20;
    for (const int ranks : {1, 2, 5}) {
        LocalNetwork network(ranks);
        const std::uint64_t n = as_job(
            network, ranks,
            [&](Transport& t) { return count_unique(root, 4, options(), kRoom, t); },
            [&](Transport& t) { help_count_unique(root, 4, options(), kRoom, t); });
        EXPECT_EQ(n, 72078u) << ranks;  // OEIS A083276
    }
}

TEST(ClusterCount, AStopSavesAndOtherRanksResume) {
    const Position root = parse_fen(kKiwipete);
    const fs::path file =
        fs::temp_directory_path() / ("mansuba_cluster_" + std::to_string(::getpid()));
    fs::remove(file);
    int stops = 0, ranks = 2;
    perft::Options o = options();
    o.checkpoint = file;
    while (true) {
        std::atomic<bool> stop = false;
        std::atomic<int> ticks = 0;
        o.stop = &stop;
        // A little further each time.
        o.on_progress = [&](const perft::Progress& p) {
            if (++ticks > 1 && p.units_this_run > 0) stop = true;
        };
        try {
            const perft::Result r = count_with(ranks, root, 6, o);
            EXPECT_EQ(r.nodes, 8031647685u);
            break;
        } catch (const Error& e) {
            ASSERT_EQ(e.code(), ErrorCode::Interrupted) << e.what();
            ASSERT_LT(++stops, 100);
            ranks = 1 + stops % 4;
        }
    }
    EXPECT_GE(stops, 1);
    fs::remove(file);
}

TEST(ClusterCount, AnyRankMayAskToStop) {
    const Position root = parse_fen(kKiwipete);
    LocalNetwork network(3);
    std::atomic<bool> stop = false;
    try {
        as_job(
            network, 3,
            [&](Transport& t) {
                stop = true;
                return count(root, 8, options(), t);
            },
            [&](Transport& t) {
                perft::Options mine = options();
                mine.stop = &stop;
                help_count(root, 8, mine, t);
            });
        ADD_FAILURE() << "counted on";
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::Interrupted) << e.what();
    }
}

TEST(ClusterCount, ARankThatFailsIsNamed) {
    const Position root = parse_fen(kKiwipete);
    LocalNetwork network(3);
    try {
        as_job(
            network, 3, [&](Transport& t) { return count(root, 8, options(), t); },
            [&](Transport& t) {
                perft::Options mine = options();
                if (t.rank() == 2) mine.simd = "abacus";
                help_count(root, 8, mine, t);
            });
        ADD_FAILURE() << "counted on";
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::Usage);
        EXPECT_NE(std::string(e.what()).find("abacus"), std::string::npos) << e.what();
        EXPECT_NE(std::string(e.what()).find("rank 2"), std::string::npos) << e.what();
    }
}

TEST(ClusterCount, FewMessages) {
    const Position root = parse_fen(kKiwipete);
    LocalNetwork network(4);
    as_job(
        network, 4, [&](Transport& t) { return count(root, 5, options(), t); },
        [&](Transport& t) { help_count(root, 5, options(), t); });
    EXPECT_GT(network.messages(), 9u);
    EXPECT_LT(network.messages(), 5000u);
}

}  // namespace
}  // namespace mansuba::cluster

#include "perft/hash_table.hpp"

#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/movegen.hpp"
#include "perft/kernel.hpp"
#include "tests/core/random_positions.hpp"

namespace mansuba::perft {
namespace {

PackedBoard board(std::uint64_t n) { return {n, ~n, n * 0x9e3779b97f4a7c15}; }

TEST(HashTable, FindsWhatWasStored) {
    HashTable table(1 << 16);
    EXPECT_EQ(table.bytes(), 1u << 16);
    std::uint64_t count = 0;
    EXPECT_FALSE(table.find(1, board(1), 2, count));
    table.store(1, board(1), 2, 400);
    ASSERT_TRUE(table.find(1, board(1), 2, count));
    EXPECT_EQ(count, 400u);
    EXPECT_FALSE(table.find(1, board(1), 3, count));
    table.store(1, board(1), 2, 401);
    ASSERT_TRUE(table.find(1, board(1), 2, count));
    EXPECT_EQ(count, 401u);
}

// Same key, same bucket, another board: never a hit, whichever word differs.
TEST(HashTable, AHitIsTheWholeBoard) {
    HashTable table(64);
    const PackedBoard a = board(7);
    table.store(5, a, 4, 10);
    std::uint64_t count;
    for (std::uint64_t PackedBoard::*word :
         {&PackedBoard::occupied, &PackedBoard::planes01, &PackedBoard::plane2_black})
        for (int bit = 0; bit < 64; ++bit) {
            PackedBoard b = a;
            b.*word ^= std::uint64_t{1} << bit;
            EXPECT_FALSE(table.find(5, b, 4, count));
        }
    EXPECT_TRUE(table.find(5, a, 4, count));
}

TEST(HashTable, KeepsTheDeeperAndTheLatest) {
    HashTable table(64);  // one bucket
    std::uint64_t count;
    table.store(0, board(1), 6, 600);
    for (std::uint64_t n = 2; n < 50; ++n) table.store(0, board(n), 2, n);
    ASSERT_TRUE(table.find(0, board(1), 6, count));
    EXPECT_EQ(count, 600u);
    ASSERT_TRUE(table.find(0, board(49), 2, count));
    EXPECT_EQ(count, 49u);
    EXPECT_FALSE(table.find(0, board(48), 2, count));
}

TEST(HashTable, LargeCountsAreLeftOut) {
    HashTable table(64);
    std::uint64_t count;
    table.store(0, board(1), 9, HashTable::kMaxCount);
    EXPECT_FALSE(table.find(0, board(1), 9, count));
    table.store(0, board(1), 9, HashTable::kMaxCount - 1);
    ASSERT_TRUE(table.find(0, board(1), 9, count));
    EXPECT_EQ(count, HashTable::kMaxCount - 1);
}

TEST(HashTable, SizesThatAreNoPowersOfTwo) {
    for (const std::uint64_t bytes : {64ull, 127ull, 128ull, 1'000'000ull, 3'333'333ull}) {
        HashTable table(bytes);
        EXPECT_LE(table.bytes(), bytes);
        EXPECT_GT(table.bytes() + 64, bytes);
        std::uint64_t count;
        for (const std::uint64_t key :
             {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
            table.store(key, board(key + 1), 3, 30);
            EXPECT_TRUE(table.find(key, board(key + 1), 3, count));
        }
    }
}

TEST(HashTable, RefusesWhatItCannotHave) {
    EXPECT_THROW(HashTable(0), Error);
    EXPECT_THROW(HashTable(63), Error);
    EXPECT_THROW(HashTable(std::uint64_t{1} << 50), Error);
}

// Readers and writers of one bucket: a count that is found belongs to its board. (Under
// ThreadSanitizer this also shows that there is no data race.)
TEST(HashTable, ManyThreadsOneBucket) {
    HashTable table(64);
    std::vector<std::thread> threads;
    std::atomic<std::uint64_t> hits = 0, wrong = 0;
    for (unsigned t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            std::mt19937_64 random(t);
            for (int i = 0; i < 200'000; ++i) {
                const std::uint64_t n = random() % 5 + 1;
                std::uint64_t count;
                if (table.find(0, board(n), 2, count)) {
                    ++hits;
                    wrong += count != n * 1000;
                } else {
                    table.store(0, board(n), 2, n * 1000);
                }
            }
        });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(wrong, 0u);
    EXPECT_GT(hits, 1000u);
}

// Every kernel packs alike, and what is packed comes back: en passant rights are the hard part.
TEST(PackedBoard, RoundTrips) {
    int boards = 0, with_en_passant = 0;
    for (const test::Theme theme : test::kThemes)
        for (std::uint64_t seed = 0; seed < 3000; ++seed)
            for (const test::Sample& sample : test::random_positions(theme, seed)) {
                const Board& b = sample.position.board();
                const PackedBoard packed = kernels().front().pack(b);
                for (const Kernel& k : kernels()) {
                    ASSERT_EQ(k.pack(b), packed) << k.name;
                    ASSERT_EQ(k.unpack(packed), b) << k.name;
                }
                ++boards;
                with_en_passant += b.en_passant() != 0;
            }
    EXPECT_GT(boards, 25'000);
    EXPECT_GT(with_en_passant, 1000);
}

}  // namespace
}  // namespace mansuba::perft

// The C interface: values, every status, threads.
#include "mansuba/probe.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

extern "C" mansuba_status probe_from_c(mansuba_tables* tables, const char* fen, int* dtm);

namespace {

namespace fs = std::filesystem;

void build(const std::string& what, const fs::path& directory) {
    const std::string command = "'" MANSUBA_PROGRAM "' build " + what +
                                " --level 1 --quiet --out '" + directory.string() + "' >/dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
}

/// KPvKP and all that it turns into, KQvKR among it.
class ProbeC : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        root_ = fs::temp_directory_path() / ("mansuba_probe_c_" + std::to_string(::getpid()));
        fs::create_directories(root_ / "empty");
        build("KPvKP", root_ / "tables");
        build("KRvK --metrics wdl", root_ / "wdl");
        build("KRvK --metrics dtm", root_ / "dtm");
    }
    static void TearDownTestSuite() { fs::remove_all(root_); }

    /// Of root_; closed at the end of the test.
    mansuba_tables* open(const std::string& directory, std::size_t cache_bytes = 0) {
        mansuba_tables* tables = nullptr;
        EXPECT_EQ(mansuba_open((root_ / directory).c_str(), cache_bytes, &tables), MANSUBA_OK)
            << mansuba_error_message();
        opened_.push_back(tables);
        return tables;
    }
    ~ProbeC() override {
        for (mansuba_tables* tables : opened_) mansuba_close(tables);
    }

    static inline fs::path root_;
    std::vector<mansuba_tables*> opened_;
};

void expect_value(mansuba_tables* tables, const char* fen, int wdl, int dtz, int dtm) {
    mansuba_value v{};
    ASSERT_EQ(mansuba_probe_fen(tables, fen, &v), MANSUBA_OK) << fen << mansuba_error_message();
    EXPECT_EQ(v.wdl, wdl) << fen;
    EXPECT_EQ(v.dtz, dtz) << fen;
    EXPECT_EQ(v.dtm, dtm) << fen;
}

void expect_message(std::string_view part) {
    const std::string_view message = mansuba_error_message();
    EXPECT_NE(message.find(part), std::string_view::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string_view::npos) << message;
}

void expect_refused(mansuba_tables* tables, const char* fen, mansuba_status status,
                    std::string_view part) {
    mansuba_value v{7, 7, 7};
    EXPECT_EQ(mansuba_probe_fen(tables, fen, &v), status) << fen;
    expect_message(part);
    EXPECT_EQ(v.wdl, 7) << "changed by a probe that failed";
}

constexpr const char* kQueenAgainstRook = "8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1";
constexpr const char* kRook = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1";

// Distances: data/endgame-dm-4.epd of python-chess, in tests/data/tb_positions.tsv; the one to
// zeroing of the first from syzygy1/tb.
TEST_F(ProbeC, Values) {
    mansuba_tables* const t = open("tables");
    expect_value(t, kQueenAgainstRook, -2, -62, -70);
    expect_value(t, kRook, 2, 31, 31);
    expect_value(t, "8/8/8/1k6/8/8/K5P1/8 w - - 0 1", 2, 19, 55);
    expect_value(t, "7k/5KQ1/8/8/8/8/8/8 b - - 0 1", -2, -1, 0);               // mate
    expect_value(t, "7k/5K2/6Q1/8/8/8/8/8 b - -", 0, 0, MANSUBA_NO_MATE);      // stalemate
    expect_value(t, "8/8/4k3/8/8/3K4/8/8 w - - 0 1", 0, 0, MANSUBA_NO_MATE);   // kings
    expect_value(t, "7K/k7/8/Pp6/8/8/8/8 w - - 0 1", -2, -2, -30);             // no right
    expect_value(t, "7K/k7/8/Pp6/8/8/8/8 w - b6 0 1", 0, 0, MANSUBA_NO_MATE);  // en passant
    int dtm = 0;
    EXPECT_EQ(probe_from_c(t, kQueenAgainstRook, &dtm), MANSUBA_OK);
    EXPECT_EQ(dtm, -70);
}

TEST_F(ProbeC, WhatTablesDoNotHaveIsUnknown) {
    mansuba_tables* const t = open("wdl");
    expect_value(t, kRook, 2, MANSUBA_UNKNOWN, MANSUBA_UNKNOWN);
    expect_value(t, "8/8/8/8/8/1k6/1R6/K7 b - - 0 1", -2, MANSUBA_UNKNOWN, MANSUBA_UNKNOWN);
    expect_value(t, "8/8/8/8/8/2k5/1R6/7K b - - 0 1", 0, MANSUBA_UNKNOWN, MANSUBA_NO_MATE);
    expect_value(open("dtm"), kRook, 2, MANSUBA_UNKNOWN, 31);  // wdl is always there
}

TEST_F(ProbeC, PositionsRoundTrip) {
    mansuba_position p{};
    ASSERT_EQ(mansuba_read_fen("7K/k7/8/Pp6/8/8/8/8 w - b6 0 1", &p), MANSUBA_OK);
    EXPECT_EQ(p.white, 1ull << 63 | 1ull << 32);
    EXPECT_EQ(p.black, 1ull << 48 | 1ull << 33);
    EXPECT_EQ(p.pawns, 3ull << 32);
    EXPECT_EQ(p.kings, 1ull << 63 | 1ull << 48);
    EXPECT_EQ(p.en_passant, 41);
    EXPECT_EQ(p.black_to_move, 0);
    mansuba_value v{};
    ASSERT_EQ(mansuba_probe(open("tables"), &p, &v), MANSUBA_OK) << mansuba_error_message();
    EXPECT_EQ(v.wdl, 0);
}

TEST_F(ProbeC, MovesHaveTheValuesOfWhatTheyLeadTo) {
    mansuba_tables* const t = open("tables");
    mansuba_position p{};
    std::array<mansuba_move, MANSUBA_MAX_MOVES> moves;
    std::size_t count = 0;
    const auto list = [&](const char* fen) {
        ASSERT_EQ(mansuba_read_fen(fen, &p), MANSUBA_OK);
        ASSERT_EQ(mansuba_probe_moves(t, &p, moves.data(), moves.size(), &count), MANSUBA_OK)
            << mansuba_error_message();
    };
    list(kQueenAgainstRook);
    EXPECT_EQ(count, 18u);
    int longest = 0;
    for (std::size_t i = 0; i < count; ++i) longest = std::max(longest, moves[i].after.dtm);
    EXPECT_EQ(longest, 69);

    list("7k/P7/6K1/8/8/8/8/8 w - - 0 1");
    std::string promotions;
    for (std::size_t i = 0; i < count; ++i)
        if (moves[i].promotion) {
            promotions += moves[i].promotion;
            EXPECT_EQ(moves[i].zeroing, 1);
            EXPECT_EQ(moves[i].checkmate, moves[i].promotion == 'q' || moves[i].promotion == 'r');
            if (moves[i].checkmate) {
                EXPECT_EQ(moves[i].after.dtm, 0);
            }
        }
    std::sort(promotions.begin(), promotions.end());
    EXPECT_EQ(promotions, "bnqr");

    list("7k/5K2/8/6Q1/8/8/8/8 w - - 0 1");
    std::size_t mates = 0, stalemates = 0;
    for (std::size_t i = 0; i < count; ++i)
        mates += moves[i].checkmate, stalemates += moves[i].stalemate;
    EXPECT_GT(mates, 0u);
    EXPECT_GT(stalemates, 0u);

    EXPECT_EQ(mansuba_probe_moves(t, &p, moves.data(), 2, &count), MANSUBA_INVALID);
    expect_message("room for 2");
}

TEST_F(ProbeC, WhatIsWrongIsTold) {
    mansuba_tables* const t = open("tables");
    expect_refused(t, "8/8/8/8/8/2k5/1X6/K7 w - - 0 1", MANSUBA_INVALID, "X");
    expect_refused(t, "", MANSUBA_INVALID, "");
    expect_refused(t, "8/8/8/8/8/8/1k6/K7 w - - 0 1", MANSUBA_INVALID, "side by side");
    expect_refused(t, "4k3/8/8/8/8/8/8/4K2R w K - 0 1", MANSUBA_CASTLING, "castling");
    expect_refused(t, "4k3/8/8/8/8/8/8/4KR2 w F - 0 1", MANSUBA_CASTLING, "castling");
    expect_refused(t, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1", MANSUBA_INVALID,
                   "32 men");
    expect_refused(t, "8/8/8/8/8/4k3/1R6/K6R w - - 0 1", MANSUBA_NO_TABLE, "needs KRRvK");
    expect_refused(open("empty"), kRook, MANSUBA_NO_TABLE, "needs KRvK");

    mansuba_tables* none = t;
    EXPECT_EQ(mansuba_open((root_ / "nowhere").c_str(), 0, &none), MANSUBA_FILE);
    expect_message("nowhere");
    EXPECT_EQ(mansuba_open((root_ / "tables/KRvK.h5").c_str(), 0, &none), MANSUBA_FILE);
    EXPECT_EQ(none, t);
    EXPECT_EQ(mansuba_open(nullptr, 0, &none), MANSUBA_INVALID);
    expect_message("null pointer");
    mansuba_value v{};
    EXPECT_EQ(mansuba_probe(nullptr, nullptr, &v), MANSUBA_INVALID);
    EXPECT_EQ(mansuba_probe_fen(t, nullptr, &v), MANSUBA_INVALID);
    mansuba_close(nullptr);

    mansuba_position p{};
    EXPECT_EQ(mansuba_probe(t, &p, &v), MANSUBA_INVALID);
    ASSERT_EQ(mansuba_read_fen(kRook, &p), MANSUBA_OK);
    const auto refused = [&](auto change) {
        mansuba_position changed = p;
        change(changed);
        EXPECT_EQ(mansuba_probe(t, &changed, &v), MANSUBA_INVALID) << mansuba_error_message();
    };
    refused([](mansuba_position& x) { x.queens |= x.rooks; });  // two kinds on a square
    refused([](mansuba_position& x) { x.black |= x.rooks; });   // two colours
    refused([](mansuba_position& x) { x.white |= 1ull << 63; });
    refused([](mansuba_position& x) { x.knights |= 1ull << 63; });
    refused([](mansuba_position& x) { x.black_to_move = 2; });
    refused([](mansuba_position& x) { x.en_passant = 200; });
    refused([](mansuba_position& x) { x.castling_rooks = x.rooks; });  // not where it could
    EXPECT_EQ(mansuba_probe(t, &p, &v), MANSUBA_OK);
}

TEST_F(ProbeC, DamageIsNeverAValue) {
    const fs::path damaged = root_ / "damaged";
    fs::create_directories(damaged);
    const auto size = fs::file_size(root_ / "tables/KRvK.h5");
    fs::copy_file(root_ / "tables/KRvK.h5", damaged / "KRvK.h5");
    fs::resize_file(damaged / "KRvK.h5", size - 1);
    expect_refused(open("damaged"), kRook, MANSUBA_FILE, "KRvK.h5");

    fs::copy_file(root_ / "tables/KQvK.h5", damaged / "KRvK.h5",
                  fs::copy_options::overwrite_existing);
    expect_refused(open("damaged"), kRook, MANSUBA_FILE, "a table of KQvK");

    // One bit, wherever it is: a value is the right one or none.
    for (std::uintmax_t at = 100; at < size; at += size / 50) {
        fs::copy_file(root_ / "tables/KRvK.h5", damaged / "KRvK.h5",
                      fs::copy_options::overwrite_existing);
        std::fstream file(damaged / "KRvK.h5", std::ios::in | std::ios::out | std::ios::binary);
        file.seekg(static_cast<std::streamoff>(at));
        const int byte = file.get();
        file.seekp(static_cast<std::streamoff>(at));
        file.put(static_cast<char>(byte ^ 4));
        file.close();
        mansuba_value v{};
        const mansuba_status status = mansuba_probe_fen(open("damaged"), kRook, &v);
        EXPECT_TRUE(status == MANSUBA_FILE ||
                    (status == MANSUBA_OK && v.wdl == 2 && v.dtz == 31 && v.dtm == 31))
            << at << mansuba_error_message();
    }
}

/// Queen against rook on random squares, some of them no legal positions.
std::vector<mansuba_position> random_positions(std::size_t count) {
    std::mt19937 random(1);
    std::vector<mansuba_position> all(count);
    for (mansuba_position& p : all) {
        const auto man = [&](std::uint64_t& color, std::uint64_t& kind) {
            const std::uint64_t s = 1ull << random() % 64;
            color |= s;
            kind |= s;
        };
        man(p.white, p.kings);
        man(p.white, p.queens);
        man(p.black, p.kings);
        man(p.black, p.rooks);
        p.black_to_move = random() % 2;
    }
    return all;
}

struct Answer {
    mansuba_status status;
    mansuba_value value;
    std::string message;
    bool operator==(const Answer& other) const {
        return status == other.status && message == other.message && value.wdl == other.value.wdl &&
               value.dtz == other.value.dtz && value.dtm == other.value.dtm;
    }
};

Answer answer(mansuba_tables* tables, const mansuba_position& p) {
    Answer a{};
    a.status = mansuba_probe(tables, &p, &a.value);
    if (a.status != MANSUBA_OK) a.message = mansuba_error_message();
    return a;
}

TEST_F(ProbeC, ThreadsShareAHandle) {
    const auto positions = random_positions(4000);
    std::vector<Answer> expected;
    mansuba_tables* const alone = open("tables");
    for (const mansuba_position& p : positions) expected.push_back(answer(alone, p));
    const auto legal = std::count_if(expected.begin(), expected.end(),
                                     [](const Answer& a) { return a.status == MANSUBA_OK; });
    EXPECT_GT(legal, 1500);
    EXPECT_LT(legal, 3900);

    // A cache that does not hold all of it: chunks are read and given up meanwhile.
    mansuba_tables* const shared = open("tables", std::size_t{1} << 20);
    constexpr std::size_t kThreads = 4;
    std::array<std::size_t, kThreads> wrong{};
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < kThreads; ++t)
        threads.emplace_back([&, t] {
            for (std::size_t i = 0; i < positions.size(); ++i) {
                const std::size_t k = (i * (2 * t + 1) + 997 * t) % positions.size();
                wrong[t] += !(answer(shared, positions[k]) == expected[k]);
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, (std::array<std::size_t, kThreads>{}));
}

TEST(ProbeCVersion, IsThatOfTheLibrary) { EXPECT_STREQ(mansuba_version(), "0.1.0"); }

}  // namespace

// Syzygy files of ours, read by our reader and by programs of others.
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <unistd.h>

#include <gtest/gtest.h>

#include "core/fen.hpp"
#include "core/file.hpp"
#include "core/movegen.hpp"
#include "core/notation.hpp"
#include "tablebase/syzygy/compare.hpp"
#include "tablebase/syzygy/exporter.hpp"
#include "tests/tablebase/tables.hpp"

namespace mansuba::tablebase {
namespace {

namespace fs = std::filesystem;
using syzygy::Exported;
using syzygy::ExportOptions;
using test::tables;

/// Positions of an endgame for either side, legal ones at random.
std::vector<Position> random_positions(const Material& m, std::size_t count, unsigned seed) {
    std::mt19937_64 random(seed);
    const Index index(m);
    std::vector<Position> positions;
    while (positions.size() < count) {
        const Color c = random() % 2 ? Color::White : Color::Black;
        const auto p = position_at(index, c, random() % index.cells());
        if (p && count_legal_moves(*p)) positions.push_back(*p);
    }
    return positions;
}

class Export : public ::testing::Test {
protected:
    void SetUp() override {
        directory = fs::temp_directory_path() / ("mansuba_syzygy_" + std::to_string(::getpid()));
        fs::remove_all(directory);
        fs::create_directories(directory);
    }
    void TearDown() override { fs::remove_all(directory); }

    static Exported exported(const Material& m, const ExportOptions& options = {}) {
        const Table& table = tables()(m);
        return syzygy::export_table(
            table, [](const Material& s) { return s == Material() ? nullptr : tables().find(s); },
            options);
    }
    /// Writes both files; their bytes.
    std::uint64_t write(const Material& m, const ExportOptions& options = {}) const {
        const Exported e = exported(m, options);
        write_file_atomically(directory / (m.name() + ".rtbw"), e.wdl);
        write_file_atomically(directory / (m.name() + ".rtbz"), e.dtz);
        return e.wdl.size() + e.dtz.size();
    }
    void expect_equal(const Material& m) const {
        const syzygy::Directory files(directory);
        const VerifyReport report = syzygy::compare(tables()(m), files);
        EXPECT_GT(report.positions, 10000u) << m.name();
        EXPECT_TRUE(report.ok()) << m.name() << ": " << report.faults << " differ, first "
                                 << report.first_faults.front().fen;
    }

    fs::path directory;
};
using ClientExport = Export;
using LongExport = Export;

TEST_F(Export, EveryPositionIsReadBack) {
    for (const char* name : {"KNvK", "KBvK", "KRvK", "KQvK", "KPvK", "KBvKN"}) {
        const Material m = Material::parse(name);
        tables()(m);
        write(m);
        expect_equal(m);
    }
    ExportOptions rounded;
    rounded.rounded = true;
    for (const char* name : {"KRvK", "KPvK"}) {
        write(Material::parse(name), rounded);
        expect_equal(Material::parse(name));
    }
}

TEST_F(Export, DistancesAreExactUnlessRounded) {
    const Material m = Material::parse("KQvKR");
    write(m);
    for (const char* smaller : {"KRvK", "KQvK"}) write(Material::parse(smaller));
    const syzygy::Directory files(directory);
    int odd = 0;
    for (const Position& p : random_positions(m, 300, 3)) {
        const Value v = probe(p, tables().lookup());
        const auto dtz = files.dtz(p);
        ASSERT_TRUE(dtz);
        EXPECT_EQ(dtz->plies, v.dtz) << to_fen(p);
        odd += std::abs(v.dtz) % 2;
    }
    EXPECT_GT(odd, 50);
    // The longest one, as syzygy1/tb has it.
    EXPECT_EQ(files.dtz(parse_fen("8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1"))->plies, -62);
}

TEST_F(Export, TheBytesDoNotDependOnTheThreads) {
    for (const char* name : {"KRvK", "KPvK"}) {
        const Material m = Material::parse(name);
        ExportOptions one, three;
        one.threads = 1;
        three.threads = 3;
        const Exported a = exported(m, one), b = exported(m, three);
        EXPECT_EQ(a.wdl, b.wdl) << name;
        EXPECT_EQ(a.dtz, b.dtz) << name;
    }
}

TEST_F(Export, ASingleValueNeedsNoBlocks) {
    for (const char* name : {"KNvK", "KBvK"}) {
        const Exported e = exported(Material::parse(name));
        EXPECT_EQ(e.wdl.size(), 80u) << name;
        EXPECT_EQ(e.dtz.size(), 80u) << name;
    }
}

/// The official files are others' work and no part of this repository.
const fs::path kOfficial = fs::path(MANSUBA_SHARED_DATA) / "syzygy";

/// Our bytes and the official ones.
std::pair<std::uint64_t, std::uint64_t> sizes(const Material& m, std::uint64_t ours) {
    return {ours, fs::file_size(kOfficial / (m.name() + ".rtbw")) +
                      fs::file_size(kOfficial / (m.name() + ".rtbz"))};
}

TEST_F(Export, AsSmallAsTheOfficialFiles) {
    if (!fs::exists(kOfficial)) GTEST_SKIP() << "no Syzygy files at " << kOfficial;
    ExportOptions rounded;
    rounded.rounded = true;
    std::uint64_t ours = 0, theirs = 0;
    for (const char* name : {"KRvK", "KQvK", "KPvK", "KBvKN"}) {
        const Material m = Material::parse(name);
        tables()(m);
        const auto [a, b] = sizes(m, write(m, rounded));
        ours += a;
        theirs += b;
    }
    EXPECT_LE(static_cast<double>(ours), 1.02 * static_cast<double>(theirs));
}

TEST_F(LongExport, AllTablesOfFourMen) {
    std::uint64_t ours = 0, theirs = 0;
    for (const bool rounded : {false, true})
        for (const Material& m : materials_up_to(4)) {
            ExportOptions options;
            options.rounded = rounded;
            tables()(m);
            const std::uint64_t bytes = write(m, options);
            expect_equal(m);
            if (!rounded || !fs::exists(kOfficial)) continue;
            ours += sizes(m, bytes).first;
            theirs += sizes(m, bytes).second;
        }
    if (theirs) {
        EXPECT_LE(static_cast<double>(ours), 1.02 * static_cast<double>(theirs));
    }
}

TEST_F(LongExport, FiveMenWithLongAndCursedDistances) {
    for (const char* name : {"KBBvKN", "KRBvKR", "KNNvKP"}) {
        const Material m = Material::parse(name);
        for (const Material& s : closure({m}))
            if (s != m) {
                tables()(s);
                write(s);
            }
        tables()(m);
        write(m);
        expect_equal(m);
    }
}

// ---------------------------------------------------------------- programs of others

std::string output_of(const std::string& command) {
    std::string all;
    std::FILE* const pipe = ::popen(command.c_str(), "r");
    if (!pipe) return all;
    std::array<char, 4096> buffer;
    while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe))
        all.append(buffer.data(), n);
    ::pclose(pipe);
    return all;
}

std::string program(const char* name) {
    for (const char* path : {"/usr/games/", "/usr/bin/", "/usr/local/bin/"})
        if (fs::exists(std::string(path) + name)) return std::string(path) + name;
    return {};
}

TEST_F(ClientExport, FathomReadsWhatWeKnow) {
    const std::string fathom = program("fathom");
    if (fathom.empty()) GTEST_SKIP() << "needs fathom";
    for (const char* name : {"KNvK", "KBvK", "KRvK", "KQvK", "KPvK", "KQvKR"}) {
        tables()(name);
        write(Material::parse(name));
    }
    static const std::map<int, std::string> names{
        {-2, "Loss"}, {-1, "BlessedLoss"}, {0, "Draw"}, {1, "CursedWin"}, {2, "Win"}};
    int asked = 0;
    for (const char* name : {"KRvK", "KPvK", "KQvKR"})
        for (const Position& p : random_positions(Material::parse(name), 20, 5)) {
            const std::string said = output_of(fathom + " --path=" + directory.string() + " '" +
                                               to_fen(p) + "' 2>/dev/null");
            const Value v = probe(p, tables().lookup());
            EXPECT_NE(said.find("[WDL \"" + names.at(static_cast<int>(v.wdl)) + "\"]"),
                      std::string::npos)
                << to_fen(p) << '\n'
                << said;
            const auto at = said.find("[DTZ \"");
            ASSERT_NE(at, std::string::npos) << said;
            const int dtz = std::atoi(said.c_str() + at + 6);
            EXPECT_EQ(dtz, std::abs(v.dtz)) << to_fen(p) << '\n' << said;
            ++asked;
        }
    EXPECT_EQ(asked, 60);
}

TEST_F(ClientExport, StockfishKeepsWhatIsWon) {
    const std::string stockfish = program("stockfish");
    if (stockfish.empty()) GTEST_SKIP() << "needs stockfish";
    for (const char* name : {"KNvK", "KBvK", "KRvK", "KQvK", "KPvK", "KQvKR"}) {
        tables()(name);
        write(Material::parse(name));
    }
    std::string script = "setoption name SyzygyPath value " + directory.string() + "\n";
    std::vector<Position> asked;
    for (const char* name : {"KPvK", "KQvKR"})
        for (const Position& p : random_positions(Material::parse(name), 40, 9)) {
            if (probe(p, tables().lookup()).wdl != Wdl::Win) continue;
            asked.push_back(p);
            script += "position fen " + to_fen(p) + "\ngo nodes 2000\n";
        }
    ASSERT_GT(asked.size(), 20u);
    const fs::path file = directory / "script";
    std::ofstream(file) << script;
    // A search ends before the next begins; the sleep keeps the last from being cut.
    const std::string said =
        output_of("(cat " + file.string() + "; sleep 2) | " + stockfish + " 2>/dev/null");
    EXPECT_NE(said.find("Found 6 tablebases"), std::string::npos) << said.substr(0, 300);
    std::size_t at = 0, kept = 0, hits = 0;
    for (const Position& p : asked) {
        at = said.find("bestmove ", at);
        ASSERT_NE(at, std::string::npos) << to_fen(p);
        at += 9;
        Position after = p;
        after.play(parse_move(p, said.substr(at, said.find_first_of(" \n", at) - at)));
        const Value v = probe(after, tables().lookup());
        EXPECT_EQ(v.wdl, Wdl::Loss) << to_fen(p);
        kept += v.wdl == Wdl::Loss;
    }
    for (std::size_t i = 0; (i = said.find(" tbhits ", i)) != std::string::npos; ++i)
        hits += said[i + 8] != '0';
    EXPECT_EQ(kept, asked.size());
    EXPECT_GT(hits, asked.size() / 2);
}

}  // namespace
}  // namespace mansuba::tablebase

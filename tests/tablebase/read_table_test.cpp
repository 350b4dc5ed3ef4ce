// scripts/read_table.py, which knows the format and none of our code, against the program.
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include "core/error.hpp"
#include "core/fen.hpp"
#include "core/setup.hpp"
#include "tablebase/builder.hpp"
#include "tablebase/hdf5/table_store.hpp"
#include "tablebase/probe.hpp"

namespace mansuba::tablebase {
namespace {

namespace fs = std::filesystem;

const std::string kPython = "/usr/bin/python3 ";
const std::string kReader = MANSUBA_TEST_DATA "/../../scripts/read_table.py";
const std::string kCells = MANSUBA_TEST_DATA "/../tablebase/read_table_cells.py";

struct Finished {
    std::string output;  // both streams
    int status = -1;
};

Finished run(const std::string& command) {
    Finished result;
    if (FILE* pipe = ::popen((command + " 2>&1").c_str(), "r")) {
        std::array<char, 4096> buffer;
        while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe))
            result.output.append(buffer.data(), n);
        const int status = ::pclose(pipe);
        result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    return result;
}

bool have_h5py() { return run(kPython + "-c 'import h5py'").status == 0; }

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

class ClientReadTable : public testing::Test {
protected:
    ClientReadTable()
        : directory_(fs::temp_directory_path() /
                     ("mansuba_read_table_" + std::to_string(::getpid()))) {
        fs::create_directories(directory_);
    }
    ~ClientReadTable() override { fs::remove_all(directory_); }

    const fs::path directory_;
    std::mt19937_64 random_{20240229};

    /// The position of a random cell, turned, mirrored and with colours exchanged at random as its
    /// endgame allows: in whichever guise, it has the value of the cell.
    struct Case {
        std::string fen;
        std::uint64_t cell;
        Color side_to_move;  // in the table
    };
    Case random_case(const Index& index) {
        const auto count = index.men().size();
        while (true) {
            const std::uint64_t cell = random_() % index.cells();
            const Color side_to_move = random_() % 2 ? Color::White : Color::Black;
            const Squares squares = index.position_at(cell);
            const Symmetry symmetry(
                static_cast<unsigned>(random_() % (index.material().pawns() ? 2 : 8)));
            const bool exchange = random_() % 2;
            ::mansuba::Setup setup;
            bool apart = true;
            for (std::size_t i = 0; i < count; ++i) {
                const Piece man = index.men()[i];
                auto& square = setup.squares[static_cast<std::size_t>(symmetry(squares[i]) ^
                                                                      (exchange ? 56 : 0))];
                apart &= !square;
                square = Piece{exchange ? ~man.color : man.color, man.type};
            }
            setup.side_to_move = exchange ? ~side_to_move : side_to_move;
            if (!apart) continue;
            try {
                return {to_fen(setup.position()), cell, side_to_move};
            } catch (const Error&) {  // no legal position
            }
        }
    }
};

TEST_F(ClientReadTable, ReadsWhatTheProgramReads) {
    if (!have_h5py()) GTEST_SKIP() << "needs Debian's python3-h5py";
    std::vector<Material> materials;
    // One man, kings as ordinary men; two; a pawn; like men; both sides have the same.
    for (const char* name : {"KQvK", "KRvK", "KPvK", "KQvKR", "KQQvK", "KRvKR"})
        materials.push_back(Material::parse(name));
    hdf5::TableDirectory store(directory_);
    BuildOptions options;
    options.metrics = Metrics::parse("dtz,dtm,dtz75,winnable,dth,dtm50");
    build(materials, store, options);
    for (const Material& material : materials) {
        const Table table = store.load(material, options.metrics);
        std::vector<Case> cases;
        std::string command = kPython + kReader + " " + directory_.string();
        for (int i = 0; i < 200; ++i) {
            cases.push_back(random_case(table.index));
            // Half of the clocks are late: with others most distances are the same.
            std::string& fen = cases.back().fen;
            const auto clock = random_() % 2 ? random_() % 100 : 70 + random_() % 32;
            fen.replace(fen.rfind(" 0 1"), 4, " " + std::to_string(clock) + " 1");
            command += " '" + cases.back().fen + "'";
        }
        const Finished finished = run(command);
        ASSERT_EQ(finished.status, 0) << finished.output;
        const std::vector<std::string> lines = lines_of(finished.output);
        ASSERT_EQ(lines.size(), cases.size()) << finished.output;
        for (std::size_t i = 0; i < cases.size(); ++i) {
            const Value v = table.value(cases[i].side_to_move, cases[i].cell);
            const auto json = nlohmann::json::parse(lines[i]);
            EXPECT_EQ(json["fen"], cases[i].fen);
            EXPECT_EQ(json["material"], material.name());
            EXPECT_EQ(json["wdl"], static_cast<int>(v.wdl)) << lines[i];
            EXPECT_EQ(json["dtz"], v.dtz) << lines[i];
            if (v.wdl == Wdl::Draw)
                EXPECT_TRUE(json["dtm"].is_null()) << lines[i];
            else
                EXPECT_EQ(json["dtm"], v.dtm) << lines[i];
            EXPECT_EQ(json["wdl75"], static_cast<int>(v.wdl75)) << lines[i];
            EXPECT_EQ(json["dtz75"], v.dtz75) << lines[i];
            const Position position = parse_fen(cases[i].fen);
            const auto plies50 =
                dtm50(table, cases[i].side_to_move, cases[i].cell, position.halfmove_clock());
            EXPECT_EQ(json["dtm50"], plies50 ? nlohmann::json(*plies50) : nullptr) << lines[i];
            const bool white = position.side_to_move() == Color::White;
            for (const auto& [side, plies] :
                 {std::pair("white", white ? v.dth_mates : v.dth_mated),
                  std::pair("black", white ? v.dth_mated : v.dth_mates)}) {
                EXPECT_EQ(json["winnable"][side], plies >= 0) << lines[i];
                EXPECT_EQ(json["dth"][side], plies >= 0 ? nlohmann::json(plies) : nullptr)
                    << lines[i];
            }
        }
    }
}

/// Also for endgames whose tables are too large for a test.
TEST_F(ClientReadTable, NumbersCellsAlike) {
    if (run(kPython + "-c 'pass'").status != 0) GTEST_SKIP() << "needs /usr/bin/python3";
    std::vector<std::string> fens, expected;
    for (const char* name :
         {"KQvK", "KPvK", "KQvKR", "KRRvK", "KNNvKN", "KBBBvKB", "KQRBNvKQ", "KQQvKQQ", "KPvKP",
          "KPPvK", "KRPvK", "KRvKP", "KRPvKR", "KNPPvKN", "KRRPvKR", "KBBvKPP", "KPPvKP"}) {
        const Index index(Material::parse(name));
        const std::vector<std::uint64_t> shape = index.shape();
        for (int i = 0; i < 100; ++i) {
            const Case c = random_case(index);
            std::uint64_t cell = index.index_of(index.position_at(c.cell));
            Color side_to_move = c.side_to_move;
            // With the same men on both sides a FEN is looked up as it stands, be it the exchanged one.
            if (index.material().symmetric()) {
                const Position p = parse_fen(c.fen);
                cell = index.index_of(index.squares_of(p.board(), false));
                side_to_move = p.side_to_move();
            }
            std::string coordinates;
            for (auto size = shape.rbegin(); size != shape.rend(); cell /= *size++)
                coordinates = " " + std::to_string(cell % *size) + coordinates;
            fens.push_back(c.fen);
            expected.push_back(name + std::string(side_to_move == Color::White ? " 1" : " 0") +
                               coordinates);
        }
    }
    const fs::path file = directory_ / "fens";
    std::ofstream out(file);
    for (const std::string& fen : fens) out << fen << '\n';
    out.close();
    const Finished finished = run(kPython + kCells + " < " + file.string());
    ASSERT_EQ(finished.status, 0) << finished.output;
    const std::vector<std::string> lines = lines_of(finished.output);
    ASSERT_EQ(lines.size(), fens.size());
    for (std::size_t i = 0; i < fens.size(); ++i) EXPECT_EQ(lines[i], expected[i]) << fens[i];
}

TEST_F(ClientReadTable, RefusesInOneLine) {
    if (!have_h5py()) GTEST_SKIP() << "needs Debian's python3-h5py";
    std::ofstream(directory_ / "KRvK.h5") << "rubbish";
    const struct {
        const char *arguments, *says;
        int status;
    } refused[] = {
        {"", "usage: read_table.py DIR FEN...", 2},
        {" '8/8/8/8/8/8/8/K6k'", "six fields", 2},
        {" '8/8/8/8/8/8/K6k w - - 0 1'", "eight ranks", 2},
        {" '8/8/8/8/8/8/9/K6k w - - 0 1'", "no man", 2},
        {" '8/8/8/8/8/8/8/K5k w - - 0 1'", "eight squares", 2},
        {" '8/8/8/8/8/8/8/K6k x - - 0 1'", "side to move", 2},
        {" '4k3/8/8/8/8/8/8/4K2R w K - 0 1'", "castling", 2},
        {" '4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1'", "en passant", 2},
        {" '8/8/8/8/8/8/8/K6P w - - 0 1'", "one king each", 2},
        {" '8/8/8/8/8/8/8/K1k4P w - - 0 1'", "pawn on", 2},
        {" '8/8/8/8/8/8/8/Kk6 w - - 0 1'", "in check", 2},
        {" '8/8/8/8/8/k7/1P6/7K w - - 0 1'", "in check", 2},
        {" '8/8/8/8/5n2/8/8/k5K1 w - - 0 1'", "KNvK.h5: no such table", 3},
        {" '8/8/8/8/5r2/8/8/k5K1 w - - 0 1'", "KRvK.h5: no endgame table", 3},
        {" 'k6r/7r/7r/7r/7r/7r/7r/K7 w - - 0 1'", "at most 7", 2},
    };
    for (const auto& [arguments, says, status] : refused) {
        const Finished finished = run(kPython + kReader + " " + directory_.string() + arguments);
        EXPECT_EQ(finished.status, status) << arguments << ": " << finished.output;
        EXPECT_NE(finished.output.find(says), std::string::npos) << finished.output;
        EXPECT_EQ(lines_of(finished.output).size(), 1u) << finished.output;
    }
    const Finished kings =
        run(kPython + kReader + " " + directory_.string() + " '8/8/8/8/8/8/8/K1k5 w - - 0 1'");
    EXPECT_EQ(kings.status, 0) << kings.output;
}

}  // namespace
}  // namespace mansuba::tablebase

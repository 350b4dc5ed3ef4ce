// Tables against what others have published of them: tests/data/{wdl_stats,dtm_stats_34,longest_mates,
// tb_positions}.tsv, which name their sources.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "core/fen.hpp"
#include "core/movegen.hpp"
#include "core/notation.hpp"
#include "tablebase/builder.hpp"
#include "tablebase/hdf5/table_file.hpp"
#include "tablebase/hdf5/table_store.hpp"
#include "tests/tablebase/tables.hpp"

namespace mansuba::tablebase::test {
namespace {

namespace fs = std::filesystem;

/// Statistics of the tables of up to four men, each counted once.
const Statistics& statistics_of(const Material& m) {
    static std::map<Material, Statistics> all;
    const auto it = all.find(m);
    return it != all.end() ? it->second : all.emplace(m, statistics(tables()(m))).first->second;
}

// ---------------------------------------------------------------- dtm_stats_34.tsv

std::string longest_as_written(const Longest& l) {
    // Mates on the board are not told as longest losses.
    return l.plies > 0 ? std::to_string(l.plies) + " (" + std::to_string(l.count) + ")" : "-";
}

TEST(Oracle, EveryRowOfTheBruteForceSolver) {
    std::set<Material> seen;
    for (const auto& row : rows_of("dtm_stats_34.tsv")) {
        ASSERT_GE(row.size(), 8u);
        const Material m = Material::parse(row[0]);
        seen.insert(m);
        const Statistics& s = statistics_of(m);
        for (std::size_t side = 0; side < 2; ++side) {
            const SideStatistics& of = s.side[side];
            EXPECT_EQ(std::to_string(of.positions()), row[1 + side]) << row[0];
            EXPECT_EQ(std::to_string(of.win + of.cursed_win) + "/" + std::to_string(of.draw) + "/" +
                          std::to_string(of.loss + of.blessed_loss),
                      row[3 + side])
                << row[0];
        }
        EXPECT_EQ(std::to_string(s.side[0].mates) + "," + std::to_string(s.side[1].mates), row[5])
            << row[0];
        EXPECT_EQ(longest_as_written(s.side[0].dtm_win) + ", " +
                      longest_as_written(s.side[1].dtm_loss) + ", " +
                      longest_as_written(s.side[1].dtm_win) + ", " +
                      longest_as_written(s.side[0].dtm_loss),
                  row[6])
            << row[0];
        EXPECT_EQ(std::to_string(s.zugzwang_white_draws) + ", " +
                      std::to_string(s.zugzwang_black_draws) + ", " +
                      std::to_string(s.zugzwang_full),
                  row[7])
            << row[0];
    }
    EXPECT_EQ(seen.size(), 35u);
}

// ---------------------------------------------------------------- wdl_stats.tsv

/// Whether a cell is the one that its position is counted in if like men are told apart: the lowest
/// among the images of the squares as they stand. Pawns are never told apart here.
bool counts_with_named_men(const Index& index, std::uint64_t cell) {
    const Squares squares = index.position_at(cell);
    for (unsigned t = 1; t < (index.material().pawns() ? 2u : 8u); ++t) {
        Squares image = squares;
        for (std::size_t i = 0; i < index.men().size(); ++i)
            image[i] = static_cast<std::int8_t>(Symmetry(t)(squares[i]));
        if (index.cell(image) < cell) return false;
    }
    return true;
}

/// Counts by wdl_code of one side to move, like men told apart as rtbgen does.
std::array<std::uint64_t, 5> counts_with_named_men(const Table& t, std::size_t side) {
    std::array<std::uint64_t, 5> counts{};
    std::uint64_t pawn_orders = 1;
    for (const Color c : {Color::White, Color::Black})
        for (int k = 2; k <= t.index.material().count(c, PieceType::Pawn); ++k)
            pawn_orders *=
                static_cast<std::uint64_t>(k);  // no symmetry turns pawns into each other
    std::uint64_t *const data = counts.data(), blocks = t.index.blocks();
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : data[:5])
    for (std::uint64_t b = 0; b < blocks; ++b)
        for (std::uint64_t cell = b << 12; cell < (b + 1) << 12; ++cell) {
            const unsigned code = t.wdl[side][cell];
            if (code == wdl_code::kIllegal || !counts_with_named_men(t.index, cell)) continue;
            data[code == wdl_code::kStalemate ? wdl_code::kDraw : code] += pawn_orders;
        }
    return counts;
}

/// The longest distance to zeroing with which a side wins, whoever moves.
int longest_dtz(const Statistics& s, Color winner, bool cursed) {
    const auto w = static_cast<std::size_t>(winner);
    return cursed ? std::max(s.side[w].dtz_cursed_win.plies, s.side[1 - w].dtz_blessed_loss.plies)
                  : std::max(s.side[w].dtz_win.plies, s.side[1 - w].dtz_loss.plies);
}

void check_row_of_rtbgen(const std::vector<std::string>& row, const Table& t, const Statistics& s,
                         const Lookup& lookup) {
    ASSERT_EQ(row.size(), 15u);
    for (std::size_t side = 0; side < 2; ++side) {
        const auto counts = counts_with_named_men(t, side);
        for (unsigned code = 0; code < 5; ++code)  // the columns begin with wins
            EXPECT_EQ(std::to_string(counts[wdl_code::kWin - code]), row[1 + 5 * side + code])
                << row[0] << " side " << side << " class " << code;
    }
    for (std::size_t i = 0; i < 4; ++i) {
        const Color winner = i < 2 ? Color::White : Color::Black;
        const bool cursed = i % 2 == 1;
        const std::string& text = row[11 + i];
        const int longest = longest_dtz(s, winner, cursed);
        if (text == "-") {
            EXPECT_LE(longest, 0) << row[0] << " column " << 11 + i;
            continue;
        }
        const int plies = std::stoi(text);
        EXPECT_EQ(longest, plies) << row[0] << " column " << 11 + i;
        const Value v = probe(parse_fen(text.substr(text.find(": ") + 2)), lookup);
        EXPECT_EQ(std::abs(v.dtz), plies) << row[0] << " " << text;
    }
}

TEST(Oracle, EveryRowOfRtbgenWithThreeAndFourMen) {
    std::size_t rows = 0;
    for (const auto& row : rows_of("wdl_stats.tsv")) {
        const Material m = Material::parse(row[0]);
        if (m.men() > 4) continue;
        ++rows;
        check_row_of_rtbgen(row, tables()(m), statistics_of(m), tables().lookup());
    }
    EXPECT_EQ(rows, 35u);
}

// ---------------------------------------------------------------- longest_mates.tsv

/// An id is two sides, the one to move first: KRKN.
struct Id {
    Material material;
    Color mover;
};
Id parse_id(const std::string& id) {
    const std::size_t second = id.find('K', 1);
    const std::string mover = id.substr(0, second), other = id.substr(second);
    const Material m = Material::parse(mover + "v" + other);
    return {m, m.name() == mover + "v" + other ? Color::White : Color::Black};
}

void check_longest_mate(const std::vector<std::string>& row, const Statistics& s,
                        const Lookup& lookup) {
    ASSERT_EQ(row.size(), 5u);
    const Longest& longest = s.side[static_cast<std::size_t>(parse_id(row[0]).mover)].dtm_win;
    if (row[3] == "none") {
        EXPECT_EQ(longest.plies, -1) << row[0];
        return;
    }
    EXPECT_EQ(std::to_string(longest.plies), row[3]) << row[0];
    EXPECT_EQ(std::to_string(probe(parse_fen(row[4]), lookup).dtm), row[3]) << row[4];
}

TEST(Oracle, LongestMatesWithThreeAndFourMen) {
    std::size_t rows = 0;
    for (const auto& row : rows_of("longest_mates.tsv")) {
        const Id id = parse_id(row[0]);
        if (id.material.men() < 3 || id.material.men() > 4) continue;
        ++rows;
        tables()(id.material);
        check_longest_mate(row, statistics_of(id.material), tables().lookup());
    }
    // 10 with three men; 55 with four, 5 of them symmetric.
    EXPECT_EQ(rows, 65u);
}

// ---------------------------------------------------------------- tb_positions.tsv

/// By the note in the file: positions to look up, maxima of materials, and those beyond tables.
struct PositionRow {
    std::string kind, what, wdl, dtz, dtm, by_50, by_75, note, verified;
};
std::vector<PositionRow> position_rows() {
    std::vector<PositionRow> rows;
    for (const auto& f : rows_of("tb_positions.tsv"))
        rows.push_back(
            {f.at(0), f.at(1), f.at(2), f.at(3), f.at(4), f.at(5), f.at(6), f.at(7), f.at(8)});
    return rows;
}

/// The result when nothing but a claim at `limit` plies, or mate before, ends the game. A mate on
/// the board stands.
std::string outcome(const Value& v, int clock, int limit) {
    if (v.wdl == Wdl::Draw) return "draw";
    if (std::abs(v.dtz) + clock > limit) return "draw";
    return v.wdl > Wdl::Draw ? "win" : "loss";
}

/// Counts what was compared, so that no row falls through unseen.
int check_position(const PositionRow& row, const Lookup& lookup) {
    const Position p = parse_fen(row.what);
    const Value v = probe(p, lookup);
    int compared = 0;
    const auto tell = [&] {
        return row.what + ": wdl " + std::to_string(static_cast<int>(v.wdl)) + ", dtz " +
               std::to_string(v.dtz) + ", dtm " + std::to_string(v.dtm);
    };
    const bool clocked = row.kind == "clock";  // with a count, wdl is not the tables'
    if (!row.wdl.empty() && !clocked) {
        EXPECT_EQ(std::to_string(static_cast<int>(v.wdl)), row.wdl) << tell();
        ++compared;
    }
    if (!row.dtz.empty()) {
        const int dtz = std::stoi(row.dtz);
        // Rows that Syzygy tables answered may be rounded, to the ply that the winner's or the
        // loser's moves make of it: one off (syzygy1/tb, "DTZ values"). Draws, and 1, are exact.
        const bool exact = clocked || dtz == 0;
        if (exact)
            EXPECT_EQ(v.dtz, dtz) << tell();
        else
            EXPECT_LE(std::abs(v.dtz - dtz), 1) << tell();
        EXPECT_EQ(v.dtz > 0, dtz > 0) << tell();
        ++compared;
    }
    if (!row.dtm.empty()) {
        EXPECT_EQ(std::to_string(v.dtm), row.dtm) << tell();
        ++compared;
    }
    // The file tells the result of the side to move for wins, and draws.
    if (!row.by_50.empty()) {
        EXPECT_EQ(outcome(v, p.halfmove_clock(), 100), row.by_50) << tell();
        ++compared;
    }
    if (!row.by_75.empty()) {
        EXPECT_EQ(outcome(v, p.halfmove_clock(), 150), row.by_75) << tell();
        ++compared;
    }
    return compared;
}

/// The longest mate in moves that a note tells, -1 if it is about something else.
int moves_in(const std::string& note) {
    const std::string words = "max DTM ";
    const auto at = note.find(words);
    return at == note.npos ? -1 : std::stoi(note.substr(at + words.size()));
}

bool is_material(const PositionRow& row) { return row.kind == "maximum"; }

TEST(Oracle, PositionsWithThreeAndFourMen) {
    for (const Material& m : materials_up_to(4)) tables()(m);
    int rows = 0, compared = 0;
    for (const PositionRow& row : position_rows()) {
        if (is_material(row) || row.kind == "castling") continue;
        if (popcount(parse_fen(row.what).occupied()) > 4) continue;
        ++rows;
        const int here = check_position(row, tables().lookup());
        EXPECT_GT(here, 0) << row.what;
        compared += here;
    }
    EXPECT_EQ(rows, 85);
    EXPECT_EQ(compared, 155);
}

TEST(Oracle, PositionsWithCastlingRightsAreRefused) {
    int rows = 0;
    for (const PositionRow& row : position_rows())
        if (row.kind == "castling") {
            ++rows;
            EXPECT_THROW(probe(parse_fen(row.what), tables().lookup()), Error);
        }
    EXPECT_EQ(rows, 1);
}

TEST(Oracle, MaximaWithThreeAndFourMen) {
    int rows = 0;
    for (const PositionRow& row : position_rows()) {
        if (!is_material(row) || moves_in(row.note) < 0) continue;
        const Material m = Material::parse(row.what);
        if (m.men() > 4) continue;
        ++rows;
        EXPECT_EQ(statistics_of(m).side[0].dtm_win.plies, 2 * moves_in(row.note) - 1) << row.what;
    }
    EXPECT_EQ(rows, 6);
}

// The rounding that tables of others have is not ours: distances fall ply by ply.
TEST(Oracle, DistancesToZeroingAreExact) {
    tables()("KBNvK");
    Position p = parse_fen("1N6/8/2B5/8/8/3K4/8/4k3 w - - 1 3");  // tb_positions.tsv, "rounding"
    Value v = probe(p, tables().lookup());
    int left = v.dtz;
    while (left > 0) {
        bool found = false;
        for (const Move m : legal_moves(p)) {
            Position after = p;
            after.play(m);
            const Value next = probe(after, tables().lookup());
            const int plies = left > 1 ? std::abs(next.dtz) : 0;
            const bool mated = after.in_check() && legal_moves(after).empty();
            if (popcount(after.occupied()) < 4) continue;
            if (left > 1 ? (plies != left - 1 || mated)
                         : p.side_to_move() == Color::White && !mated)
                continue;
            p = after;
            found = true;
            break;
        }
        ASSERT_TRUE(found) << to_fen(p) << " " << left;
        --left;
    }
    EXPECT_TRUE(p.in_check() && legal_moves(p).empty()) << to_fen(p);
}

// ---------------------------------------------------------------- five men, from files

/// The tables of five men that tests may use: those in $MANSUBA_TABLES, and where something is missing
/// there, or nothing is said, it is built, with all it needs, once, into a directory that goes with
/// the process.
class FiveMen {
public:
    FiveMen() {
        if (const char* given = std::getenv("MANSUBA_TABLES")) {
            directory_ = given;
        } else {
            std::string name = (fs::temp_directory_path() / "mansuba_five_men_XXXXXX").string();
            if (!mkdtemp(name.data())) throw std::runtime_error("no temporary directory");
            directory_ = name;
            ours_ = true;
        }
    }
    ~FiveMen() {
        std::error_code ignored;
        if (ours_) fs::remove_all(directory_, ignored);
    }
    void need(std::initializer_list<const char*> names) {
        std::vector<Material> materials;
        for (const char* n : names) materials.push_back(Material::parse(n));
        BuildOptions options;
        options.resume = true;
        hdf5::TableDirectory store(directory_);
        build(materials, store, options);
    }
    bool has(const Material& m) const { return fs::exists(hdf5::table_path(directory_, m)); }
    Table load(const Material& m) const {
        return hdf5::TableDirectory(directory_).load(m, {Metric::Wdl, Metric::Dtz, Metric::Dtm});
    }
    const fs::path& directory() const { return directory_; }

private:
    fs::path directory_;
    bool ours_ = false;
};

FiveMen& five_men() {
    static FiveMen all;
    return all;
}

TEST(LongOracle, RtbgenWithFiveMen) {
    five_men().need({"KQQvKQ", "KRBvKR", "KRNvKR", "KRPvKR", "KNNvKR", "KNNvKN"});
    hdf5::TableFiles files(five_men().directory());
    std::size_t rows = 0;
    for (const auto& row : rows_of("wdl_stats.tsv")) {
        const Material m = Material::parse(row[0]);
        if (m.men() < 5) continue;
        ++rows;
        const Table t = five_men().load(m);
        check_row_of_rtbgen(row, t, statistics(t), files.lookup());
    }
    EXPECT_EQ(rows, 6u);
}

// Of what is there: all 110 endgames if $MANSUBA_TABLES has them.
TEST(LongOracle, LongestMatesAndMaximaWithFiveMen) {
    five_men().need({"KQQvKQ", "KRBvKR", "KRNvKR", "KRPvKR", "KNNvKR", "KNNvKN", "KPPvKP"});
    hdf5::TableFiles files(five_men().directory());
    std::map<Material, std::vector<std::vector<std::string>>> by_material;
    for (const auto& row : rows_of("longest_mates.tsv")) {
        const Material m = parse_id(row[0]).material;
        if (m.men() == 5 && five_men().has(m)) by_material[m].push_back(row);
    }
    EXPECT_GE(by_material.size(), 7u);
    for (const auto& [m, rows] : by_material) {
        const Statistics s = statistics(five_men().load(m));
        for (const auto& row : rows) check_longest_mate(row, s, files.lookup());
        for (const PositionRow& row : position_rows())
            if (is_material(row) && moves_in(row.note) > 0 && Material::parse(row.what) == m) {
                EXPECT_EQ((s.side[0].dtm_win.plies + 1) / 2, moves_in(row.note)) << row.what;
            }
    }
}

TEST(LongOracle, PositionsWithFiveMen) {
    five_men().need({"KRBvKR", "KPPvKP"});
    hdf5::TableFiles files(five_men().directory());
    int rows = 0;
    for (const PositionRow& row : position_rows()) {
        if (is_material(row) || row.kind == "castling") continue;
        const Position p = parse_fen(row.what);
        if (popcount(p.occupied()) != 5 || !five_men().has(Material::of(p.board()).normalized()))
            continue;
        ++rows;
        check_position(row, files.lookup());
    }
    EXPECT_GE(rows, 1);
}

TEST(LongGenerator, EqualsTheReferenceInKPPvKP) {
    five_men().need({"KPPvKP"});
    hdf5::TableFiles files(five_men().directory());
    const Material m = Material::parse("KPPvKP");
    const Table reference = reference::generate(m, files.lookup());
    // Files do not tell stalemates, and Table::load() takes them for draws.
    Table plain = five_men().load(m);
    for (std::size_t side = 0; side < 2; ++side)
        for (std::uint64_t c = 0; c < plain.index.cells(); ++c)
            if (reference.wdl[side][c] == wdl_code::kStalemate) {
                ASSERT_EQ(plain.wdl[side][c], wdl_code::kDraw);
                plain.wdl[side].as<std::uint8_t>()[c] = wdl_code::kStalemate;
                const unsigned stalemate = plain.dtm[side].wide() ? 0xffff - 2 : 0xff - 2;
                if (plain.dtm[side].wide())
                    plain.dtm[side].as<std::uint16_t>()[c] = static_cast<std::uint16_t>(stalemate);
                else
                    plain.dtm[side].as<std::uint8_t>()[c] = static_cast<std::uint8_t>(stalemate);
            }
    EXPECT_EQ(difference(plain, reference), "");
}

}  // namespace
}  // namespace mansuba::tablebase::test

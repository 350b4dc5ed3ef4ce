// Results and distances of random positions from Syzygy files that we made, by our reader and, where it is
// installed, by Fathom's.
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

#include "benchmarks/checked.hpp"
#include "benchmarks/tablebase/benchmarks.hpp"
#include "core/file.hpp"
#include "tablebase/probe.hpp"
#include "tablebase/syzygy/directory.hpp"
#include "tablebase/syzygy/exporter.hpp"
#ifdef MANSUBA_WITH_FATHOM
#include <tbprobe.h>
#endif

namespace mansuba::bench {
namespace {

namespace fs = std::filesystem;
namespace syzygy = tablebase::syzygy;
using tablebase::Material;

/// Syzygy files of the known tables and of all that they can turn into, while the program runs.
class Files {
public:
    Files() : path_(fs::temp_directory_path() / ("mansuba_syzygy_" + std::to_string(::getpid()))) {
        fs::create_directories(path_);
        std::vector<Material> wanted;
        for (const KnownTable& known : kTables) wanted.push_back(Material::parse(known.name));
        for (const Material& m : tablebase::closure(wanted)) {
            const syzygy::Exported made = syzygy::export_table(
                table(m), [](const Material& s) { return s == Material() ? nullptr : &table(s); });
            write_file_atomically(path_ / (m.name() + ".rtbw"), made.wdl);
            write_file_atomically(path_ / (m.name() + ".rtbz"), made.dtz);
        }
    }
    ~Files() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

const fs::path& files() {
    static const Files made;
    return made.path();
}

constexpr std::size_t kPositions = std::size_t{1} << 15;

/// Legal positions in random order, and the sum of their results, 0 to 4.
struct Sample {
    std::vector<Position> positions;
    std::uint64_t sum = 0;
};
Sample sample(const KnownTable& known) {
    const tablebase::Table& t = table(Material::parse(known.name));
    std::mt19937_64 random(1);
    Sample s;
    while (s.positions.size() < kPositions) {
        const auto side = static_cast<Color>(random() % 2);
        const auto position = tablebase::position_at(t.index, side, random() % t.index.cells());
        if (!position) continue;
        s.positions.push_back(*position);
        s.sum += static_cast<std::uint64_t>(
            static_cast<int>(tablebase::probe(*position, [&t](const auto&) { return &t; }).wdl) +
            2);
    }
    return s;
}

template <class ResultOf>
void run_results(benchmark::State& state, const KnownTable& known, const ResultOf& result_of) {
    const Sample s = sample(known);
    const auto all = [&] {
        std::uint64_t sum = 0;
        for (const Position& p : s.positions) sum += result_of(p);
        return sum;
    };
    if (!is_expected(state, all(), s.sum)) return;
    for (auto _ : state)
        if (!is_expected(state, all(), s.sum)) return;
    set_rate(state, "probes_per_second", s.positions.size());
}

void run_ours(benchmark::State& state, const KnownTable& known) {
    const syzygy::Directory directory(files());
    run_results(state, known, [&](const Position& p) {
        return static_cast<std::uint64_t>(static_cast<int>(directory.wdl(p).value()) + 2);
    });
}

#ifdef MANSUBA_WITH_FATHOM
void run_fathom(benchmark::State& state, const KnownTable& known) {
    // Never freed: Debian's version 1.0 corrupts memory by tb_free().
    static const bool is_there = tb_init(files().c_str());
    if (!is_there) return fail(state, "Fathom cannot read the files");
    run_results(state, known, [&](const Position& p) -> std::uint64_t {
        return tb_probe_wdl(p.of(Color::White), p.of(Color::Black), p.of(PieceType::King),
                            p.of(PieceType::Queen), p.of(PieceType::Rook), p.of(PieceType::Bishop),
                            p.of(PieceType::Knight), p.of(PieceType::Pawn), 0, 0, 0,
                            p.side_to_move() == Color::White);
    });
}
#endif

}  // namespace

void register_syzygy() {
    for (const KnownTable& known : kTables) {
        add("syzygy_wdl/" + std::string(known.name), benchmark::kMillisecond, run_ours, known);
#ifdef MANSUBA_WITH_FATHOM
        add("fathom_wdl/" + std::string(known.name), benchmark::kMillisecond, run_fathom, known);
#endif
    }
}

}  // namespace mansuba::bench

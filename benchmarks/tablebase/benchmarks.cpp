#include "benchmarks/tablebase/benchmarks.hpp"

#include <cstdlib>
#include <map>
#include <memory>
#include <string_view>
#include <unistd.h>

#include "benchmarks/checked.hpp"
#include "benchmarks/room.hpp"
#include "tablebase/generator.hpp"
#include "tablebase/hdf5/table_store.hpp"
#include "tablebase/statistics.hpp"

namespace mansuba::bench {
namespace {

namespace fs = std::filesystem;
using tablebase::Material;

std::string_view wished_target() {
    const char* const wish = std::getenv("MANSUBA_SIMD");
    return wish && *wish ? wish : "auto";
}

class Directory {
public:
    Directory()
        : path_(fs::temp_directory_path() / ("mansuba_bench_" + std::to_string(::getpid()))) {
        tablebase::hdf5::TableDirectory store(path_);
        for (const KnownTable& known : kTables) {
            const tablebase::Table& t = table(Material::parse(known.name));
            store.save(t, {tablebase::Metric::Wdl, tablebase::Metric::Dtz, tablebase::Metric::Dtm},
                       tablebase::statistics(t));
        }
    }
    ~Directory() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

}  // namespace

bool is_expected(benchmark::State& state, const tablebase::Table& table, const KnownTable& known) {
    const tablebase::Statistics s = tablebase::statistics(table);
    for (const bool white : {true, false}) {
        const tablebase::SideStatistics& side = s.side[white ? 0 : 1];
        const auto& counts = white ? known.white : known.black;
        if (!is_expected(state, side.win + side.cursed_win, counts[0]) ||
            !is_expected(state, side.draw, counts[1]) ||
            !is_expected(state, side.loss + side.blessed_loss, counts[2]))
            return false;
    }
    return is_expected(state, static_cast<std::uint64_t>(s.side[0].dtm_win.plies),
                       static_cast<std::uint64_t>(known.longest_win)) &&
           is_expected(state, static_cast<std::uint64_t>(s.side[1].dtm_loss.plies),
                       static_cast<std::uint64_t>(known.longest_loss));
}

const fs::path& directory() {
    static const Directory made;
    return made.path();
}

const tablebase::SolverTarget& chosen_target() { return tablebase::solver_target(wished_target()); }

std::span<const tablebase::SolverTarget> targets_to_compare() {
    if (wished_target() == "auto") return tablebase::solver_targets();
    return {&chosen_target(), 1};
}

std::string simd_target() { return std::string(chosen_target().name); }

void register_benchmarks() {
    register_generator();
    register_store();
    register_probe();
    register_syzygy();
}

}  // namespace mansuba::bench

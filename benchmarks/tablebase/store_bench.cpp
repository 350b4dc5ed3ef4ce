// Tables to files and back, compression included.
#include <unistd.h>

#include "benchmarks/checked.hpp"
#include "benchmarks/tablebase/benchmarks.hpp"
#include "tablebase/hdf5/table_store.hpp"
#include "tablebase/statistics.hpp"

namespace mansuba::bench {
namespace {

namespace fs = std::filesystem;
using tablebase::Metric;
using tablebase::hdf5::TableDirectory;

constexpr tablebase::Metrics kAll{Metric::Wdl, Metric::Dtz, Metric::Dtm};

void run_save(benchmark::State& state, const KnownTable& known,
              const TableDirectory::Options& options) {
    const auto material = tablebase::Material::parse(known.name);
    const tablebase::Table& t = table(material);
    const tablebase::Statistics statistics = tablebase::statistics(t);
    const fs::path path = directory() / "saved";
    TableDirectory store(path, options);
    std::uint64_t bytes = 0;
    for (auto _ : state) bytes = store.save(t, kAll, statistics);
    const bool right = is_expected(state, store.load(material, kAll), known);
    fs::remove_all(path);
    if (!right) return;
    set_rate(state, "positions_per_second", known.positions());
    state.counters["file_bytes"] = static_cast<double>(bytes);
}

void run_load(benchmark::State& state, const KnownTable& known,
              const TableDirectory::Options& options) {
    const auto material = tablebase::Material::parse(known.name);
    TableDirectory store(directory(), options);
    for (auto _ : state) benchmark::DoNotOptimize(store.load(material, kAll));
    if (!is_expected(state, store.load(material, kAll), known)) return;
    set_rate(state, "positions_per_second", known.positions());
}

}  // namespace

void register_store() {
    for_threads([&](const std::string& name, int threads) {
        for (const KnownTable& known : kTables) {
            TableDirectory::Options options;
            options.threads = threads;
            options.simd = chosen_target().name;
            for (const int level : {1, 6}) {
                options.level = level;
                add("save/level_" + std::to_string(level) + '/' + name + '/' + known.name,
                    benchmark::kMillisecond, run_save, known, options);
            }
            add("load/" + name + '/' + known.name, benchmark::kMillisecond, run_load, known,
                options);
        }
    });
}

}  // namespace mansuba::bench

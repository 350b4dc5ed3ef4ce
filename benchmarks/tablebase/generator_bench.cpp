// Making tables in memory: results and both distances of all positions.
#include <optional>

#include "benchmarks/checked.hpp"
#include "benchmarks/tablebase/benchmarks.hpp"
#include "tablebase/generator.hpp"

namespace mansuba::bench {
namespace {

using tablebase::Material;

void run_generate(benchmark::State& state, const KnownTable& known,
                  const tablebase::GenerateOptions& options) {
    const Material material = Material::parse(known.name);
    table(material);  // what it needs is there
    std::optional<tablebase::Table> made;
    for (auto _ : state)
        made.emplace(tablebase::generate(
            material, [](const Material& m) { return m == Material() ? nullptr : &table(m); },
            options));
    if (!is_expected(state, *made, known)) return;
    set_rate(state, "positions_per_second", known.positions());
}

}  // namespace

void register_generator() {
    for (const tablebase::SolverTarget& target : targets_to_compare())
        for_threads([&](const std::string& name, int threads) {
            tablebase::GenerateOptions options;
            options.simd = target.name;
            options.threads = threads;
            for (const KnownTable& known : kTables)
                add("generate/" + std::string(target.name) + '/' + name + '/' + known.name,
                    benchmark::kMillisecond, run_generate, known, options);
        });
}

}  // namespace mansuba::bench

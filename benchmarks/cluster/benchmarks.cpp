// What ranks that build a table together tell each other: ranks that are threads of this process.
#include <algorithm>
#include <array>
#include <string>

#include <benchmark/benchmark.h>

#include "benchmarks/checked.hpp"
#include "benchmarks/room.hpp"
#include "benchmarks/tablebase/tables.hpp"
#include "cluster/local_transport.hpp"
#include "cluster/plan.hpp"
#include "cluster/team.hpp"
#include "tablebase/border.hpp"
#include "tablebase/generator.hpp"
#include "tablebase/solver.hpp"
#include "tablebase/statistics.hpp"

namespace mansuba::bench {
namespace {

using namespace tablebase;

struct Traffic {
    std::uint64_t plies = 0, bytes = 0, messages = 0, most_bytes = 0;
};

/// The statistics that all ranks have together, and what travelled for the table itself.
Statistics build_together(const Material& material, bool dtm, int ranks, Traffic& traffic) {
    cluster::LocalNetwork network(ranks);
    Statistics together;
    std::uint64_t bytes_before = 0;
    network.run([&](cluster::Transport& end) {
        cluster::RankTeam team(end, nullptr);
        GenerateOptions options;
        options.threads = 1;
        options.dtm = dtm;
        options.team = &team;
        if (end.rank() == 0)
            options.on_progress = [&](const BuildProgress& p) {
                if (!p.ply) return;
                ++traffic.plies;
                const std::uint64_t bytes = network.bytes();
                traffic.most_bytes = std::max(traffic.most_bytes, bytes - bytes_before);
                bytes_before = bytes;
            };
        const Table share = generate(
            material, [](const Material& m) { return m == Material() ? nullptr : &table(m); },
            options);
        // All are done before the first looks, and wait until it has.
        joined(&team, 0, [](int, int) { return 0; });
        if (end.rank() == 0) {
            traffic.bytes = network.bytes();
            traffic.messages = network.messages();
        }
        joined(&team, 0, [](int, int) { return 0; });
        const Statistics s = statistics(share, 1, &team);
        if (end.rank() == 0) together = s;
    });
    return together;
}

/// The largest part of the bits of one rank alone that a rank has: nine sets have its share, two of them also
/// what it reads beyond by White's king, two by Black's.
double part_of_sets(const Material& material, int ranks) {
    const Index index(material);
    const double pairs = static_cast<double>(index.king_pairs().size());
    return (9.0 * largest_share(index, ranks) + 2.0 * largest_beyond(Layout(index), ranks)) /
           (9 * pairs);
}

void run_together(benchmark::State& state, const char* name) {
    const int ranks = static_cast<int>(state.range(0));
    const Material material = Material::parse(name);
    const Statistics expected = statistics(table(material));
    Traffic traffic;
    for (auto _ : state) {
        traffic = {};
        const Statistics made = build_together(material, true, ranks, traffic);
        for (std::size_t side = 0; side < 2; ++side)
            if (!is_expected(state, made.side[side].win, expected.side[side].win) ||
                !is_expected(state, made.side[side].draw, expected.side[side].draw) ||
                !is_expected(state, made.side[side].loss, expected.side[side].loss))
                return;
    }
    state.counters["ranks"] = ranks;
    state.counters["plies"] = static_cast<double>(traffic.plies);
    state.counters["bytes"] = static_cast<double>(traffic.bytes);
    state.counters["messages"] = static_cast<double>(traffic.messages);
    state.counters["bytes_per_ply"] =
        static_cast<double>(traffic.bytes) / static_cast<double>(traffic.plies);
    state.counters["most_bytes_a_ply"] = static_cast<double>(traffic.most_bytes);
    state.counters["messages_per_ply"] =
        static_cast<double>(traffic.messages) / static_cast<double>(traffic.plies);
    state.counters["part_of_sets"] = part_of_sets(material, ranks);
}

/// What cluster/plan.cpp knows of an endgame: bytes for each cell that a king's step gives another rank. With
/// two ranks nearly all is given by White's king, with four a third by Black's: two counts, two unknowns.
void count_rates(benchmark::State& state, const char* name, bool dtm) {
    const Material material = Material::parse(name);
    BuildOptions planned;
    if (!dtm) planned.metrics = {Metric::Wdl, Metric::Dtz};
    for (auto _ : state) {
        std::array<double, 2> bytes{}, white{}, black{};
        for (const std::size_t i : {0, 1}) {
            const int ranks = i == 0 ? 2 : 4;
            Traffic traffic;
            build_together(material, dtm, ranks, traffic);
            bytes[i] = static_cast<double>(traffic.bytes);
            const auto cells = cluster::exchange(material, planned, ranks).cells;
            white[i] = cells[0];
            black[i] = cells[1];
        }
        const double determinant = white[0] * black[1] - white[1] * black[0];
        state.counters["bytes_a_cell_of_white"] =
            (bytes[0] * black[1] - bytes[1] * black[0]) / determinant;
        state.counters["bytes_a_cell_of_black"] =
            (white[0] * bytes[1] - white[1] * bytes[0]) / determinant;
    }
}

}  // namespace

std::string simd_target() { return std::string(solver_target("auto").name); }

void register_benchmarks() {
    for (const char* name : {"KRBvKR", "KQRvKQ"})
        benchmark::RegisterBenchmark((std::string("together/") + name).c_str(), run_together, name)
            ->ArgName("ranks")
            ->RangeMultiplier(2)
            ->Range(1, 64)
            ->Unit(benchmark::kMillisecond)
            ->UseRealTime();
    for (const char* name : {"KRBvKR", "KBNvKN", "KRPvKR", "KQQvKQ", "KQRvKR", "KRRvKR", "KBBvKN",
                             "KQBvKR", "KRNvKB", "KQRvKQ"})
        for (const bool dtm : {true, false})
            benchmark::RegisterBenchmark(
                (std::string(dtm ? "rate/" : "rate_of_zeroing/") + name).c_str(), count_rates, name,
                dtm)
                ->Unit(benchmark::kMillisecond)
                ->UseRealTime()
                ->Iterations(1);
}

}  // namespace mansuba::bench

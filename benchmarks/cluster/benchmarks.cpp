// What ranks that build a table together tell each other: ranks that are threads of this process.
#include <algorithm>
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

/// The largest part of the bits of one rank alone that a rank has: nine sets have its share, three of them
/// also what it reads beyond.
double part_of_sets(const Material& material, int ranks) {
    const Index index(material);
    const double pairs = static_cast<double>(index.king_pairs().size());
    return (9.0 * largest_share(index, ranks) + 3.0 * largest_beyond(Layout(index), ranks)) /
           (9 * pairs);
}

void run_together(benchmark::State& state, const char* name, bool dtm) {
    const int ranks = static_cast<int>(state.range(0));
    const Material material = Material::parse(name);
    const Statistics expected = statistics(table(material));
    Traffic traffic;
    for (auto _ : state) {
        traffic = {};
        const Statistics made = build_together(material, dtm, ranks, traffic);
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
    BuildOptions planned;
    if (!dtm) planned.metrics = {Metric::Wdl, Metric::Dtz};
    if (const cluster::Exchange x = cluster::exchange(material, planned, ranks); x.members > 1)
        state.counters["bytes_per_cell"] = static_cast<double>(traffic.bytes) / x.cells;
}

}  // namespace

std::string simd_target() { return std::string(solver_target("auto").name); }

void register_benchmarks() {
    const auto add = [](const std::string& group, const char* name, bool dtm) {
        return benchmark::RegisterBenchmark((group + "/" + name).c_str(), run_together, name, dtm)
            ->ArgName("ranks")
            ->Unit(benchmark::kMillisecond)
            ->UseRealTime();
    };
    for (const char* name : {"KRBvKR", "KQRvKQ"})
        add("together", name, true)->RangeMultiplier(2)->Range(1, 64);
    // What cluster/plan.cpp knows.
    for (const char* name : {"KRBvKR", "KBNvKN", "KRPvKR", "KQQvKQ", "KQRvKR", "KRRvKR", "KBBvKN",
                             "KQBvKR", "KRNvKB", "KQRvKQ"}) {
        add("rate", name, true)->Arg(4);
        add("rate_of_zeroing", name, false)->Arg(4);
    }
}

}  // namespace mansuba::bench

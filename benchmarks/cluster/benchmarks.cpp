// What ranks that build a table together tell each other: ranks that are threads of this process.
#include <array>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>

#include "benchmarks/checked.hpp"
#include "benchmarks/room.hpp"
#include "cluster/local_transport.hpp"
#include "cluster/team.hpp"
#include "tablebase/border.hpp"
#include "tablebase/generator.hpp"
#include "tablebase/solver.hpp"
#include "tablebase/statistics.hpp"

namespace mansuba::bench {
namespace {

using namespace tablebase;

/// Built when it is first asked for, with all it needs, and kept.
const Table& table(const Material& material) {
    static std::map<Material, std::unique_ptr<Table>> tables;
    const auto known = tables.find(material);
    if (known != tables.end()) return *known->second;
    for (const Material& m : material.successors())
        if (m != Material()) table(m);
    auto made = std::make_unique<Table>(generate(material, [](const Material& m) {
        return m == Material() ? nullptr : tables.at(m).get();
    }));
    return *tables.emplace(material, std::move(made)).first->second;
}

struct Traffic {
    std::uint64_t plies = 0, bytes = 0, messages = 0, most_bytes = 0;
};

/// The statistics that all ranks have together, and what travelled for the table itself.
Statistics build_together(const Material& material, int ranks, Traffic& traffic) {
    cluster::LocalNetwork network(ranks);
    Statistics together;
    std::vector<std::exception_ptr> errors(static_cast<std::size_t>(ranks));
    std::uint64_t bytes_before = 0;
    const auto run = [&](int rank) {
        try {
            cluster::RankTeam team(network.end(rank), nullptr);
            GenerateOptions options;
            options.threads = 1;
            options.team = &team;
            if (rank == 0)
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
            joined(&team, 0, [](int, int) { return 0; });
            if (rank == 0) {
                traffic.bytes = network.bytes();
                traffic.messages = network.messages();
            }
            joined(&team, 0, [](int, int) { return 0; });
            const Statistics s = statistics(share, 1, &team);
            if (rank == 0) together = s;
        } catch (...) {
            errors[static_cast<std::size_t>(rank)] = std::current_exception();
        }
    };
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank) threads.emplace_back(run, rank);
    for (std::thread& t : threads) t.join();
    for (const std::exception_ptr& e : errors)
        if (e) std::rethrow_exception(e);
    return together;
}

/// The largest part of all king pairs that one rank has bits of: its share, and what it reads beyond.
double largest_share(const Material& material, int ranks) {
    const Index index(material);
    const Layout layout(index);
    const double pairs = static_cast<double>(index.king_pairs().size());
    double largest = 0;
    for (int rank = 0; rank < ranks; ++rank) {
        cluster::LocalNetwork network(ranks);
        cluster::RankTeam team(network.end(rank), nullptr);
        const Border border(layout, &team);
        const double own = (border.last_block() - border.first_block()) / layout.blocks_per_pair;
        std::size_t beyond = 0;
        for (const Color c : {Color::White, Color::Black})
            beyond = std::max(beyond, border.beyond(c).size());
        // Nine sets have the share, three of them also what is beyond.
        largest = std::max(largest, (9 * own + 3 * static_cast<double>(beyond)) / (9 * pairs));
    }
    return largest;
}

void run_together(benchmark::State& state, const char* name) {
    const int ranks = static_cast<int>(state.range(0));
    const Material material = Material::parse(name);
    const Statistics expected = statistics(table(material));
    Traffic traffic;
    for (auto _ : state) {
        traffic = {};
        const Statistics made = build_together(material, ranks, traffic);
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
    state.counters["part_of_sets"] = largest_share(material, ranks);
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
}

}  // namespace mansuba::bench

// Whole counts as the command `mansuba perft` does them. Depths are chosen so that an iteration
// takes about 20 to 300 ms with the fastest kernel on one thread; with detail up to 400 ms, where the
// next shallower table is too small.
#include <array>
#include <omp.h>
#include <string>

#include "benchmarks/checked.hpp"
#include "benchmarks/perft/benchmarks.hpp"
#include "benchmarks/positions.hpp"
#include "core/fen.hpp"
#include "perft/perft.hpp"

namespace mansuba::bench {
namespace {

using Depths = std::array<int, kPositions.size()>;

void run_count(benchmark::State& state, const KnownPosition& known, int depth,
               const perft::Options& options) {
    const Position root = parse_fen(known.fen);
    const std::uint64_t expected = known.leaves[static_cast<std::size_t>(depth)];
    for (auto _ : state)
        if (!is_expected(state, perft::count(root, depth, options).nodes, expected)) return;
    set_rate(state, "leaves_per_second", expected);
}

template <class Function, class... Arguments>
void add(const std::string& name, Function function, Arguments... arguments) {
    benchmark::RegisterBenchmark(name.c_str(), function, arguments...)
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
}

void add_positions(const std::string& group, const Depths& depths, const perft::Options& options) {
    for (std::size_t i = 0; i < kPositions.size(); ++i)
        add(group + '/' + kPositions[i].name + "/depth_" + std::to_string(depths[i]), run_count,
            kPositions[i], depths[i], options);
}

/// Calls add(name, threads): for one, and for all where there are more.
template <class Add>
void for_threads(Add&& add_one) {
    add_one("1_thread", 1);
    if (omp_get_max_threads() > 1) add_one("all_threads", omp_get_max_threads());
}

struct KnownDetail {
    const KnownPosition& position;
    int depth;
    perft::Detail detail;
};

/// Counted anew with another move generator; nodes as published: tests/data/perft_breakdown.tsv.
const KnownDetail kDetails[] = {
    {kPositions[0],
     5,
     {.captures = 82719, .en_passant = 258, .checks = 27351, .discovered = 6, .mates = 347}},
    {kPositions[1],
     4,
     {.captures = 757163,
      .en_passant = 1929,
      .castles = 128013,
      .promotions = 15172,
      .checks = 25523,
      .discovered = 42,
      .double_checks = 6,
      .mates = 43}},
    {kPositions[3],
     4,
     {.captures = 131393,
      .castles = 7795,
      .promotions = 60032,
      .checks = 15492,
      .discovered = 19,
      .mates = 5}},
};

void run_detail(benchmark::State& state, const KnownDetail& known, const perft::Options& options) {
    const Position root = parse_fen(known.position.fen);
    const std::uint64_t expected = known.position.leaves[static_cast<std::size_t>(known.depth)];
    for (auto _ : state) {
        const perft::Result r = perft::count(root, known.depth, options);
        if (!is_expected(state, r.nodes, expected)) return;
        for (const auto field : perft::kDetailFields)
            if (!is_expected(state, (*r.detail).*field, known.detail.*field)) return;
    }
    set_rate(state, "leaves_per_second", expected);
}

/// https://oeis.org/A083276, with en passant rights counted only where a capture is legal.
constexpr int kUniqueDepth = 5;
constexpr std::uint64_t kUniquePositions = 822518;

void run_unique(benchmark::State& state, const perft::Options& options) {
    for (auto _ : state) {
        const std::uint64_t distinct =
            perft::count_unique(Position(), kUniqueDepth, options, std::uint64_t{1} << 30);
        if (!is_expected(state, distinct, kUniquePositions)) return;
    }
    // Leaves that were looked at, so that the figure stands beside the others.
    set_rate(state, "leaves_per_second", kPositions[0].leaves[kUniqueDepth]);
}

}  // namespace

void register_perft() {
    for (const perft::Kernel& k : kernels_to_compare())
        for_threads([&](const std::string& name, int threads) {
            perft::Options options;
            options.simd = k.name;
            options.threads = threads;
            add_positions("perft/" + std::string(k.name) + '/' + name, {6, 5, 6, 5, 5, 5}, options);
        });

    perft::Options chosen;
    chosen.simd = chosen_kernel().name;
    for_threads([&](const std::string& name, int threads) {
        perft::Options options = chosen;
        options.threads = threads;
        options.hash_bytes = std::uint64_t{256} << 20;
        add_positions("perft_hash_256MiB/" + name, {6, 5, 7, 5, 5, 5}, options);
    });

    perft::Options each = chosen;
    each.threads = 1;
    each.bulk = false;
    add_positions("perft_no_bulk/1_thread", {5, 4, 6, 5, 4, 4}, each);

    perft::Options detail = chosen;
    detail.threads = 1;
    detail.detail = true;
    for (const KnownDetail& known : kDetails)
        add("perft_detail/1_thread/" + std::string(known.position.name) + "/depth_" +
                std::to_string(known.depth),
            run_detail, known, detail);

    for_threads([&](const std::string& name, int threads) {
        perft::Options options = chosen;
        options.threads = threads;
        add("perft_unique/" + name + "/start/depth_" + std::to_string(kUniqueDepth), run_unique,
            options);
    });
}

}  // namespace mansuba::bench

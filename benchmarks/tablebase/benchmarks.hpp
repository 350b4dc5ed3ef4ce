// The groups of benchmarks of this room, and the tables that they share.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <omp.h>
#include <span>
#include <string>
#include <utility>

#include <benchmark/benchmark.h>

#include "benchmarks/tablebase/tables.hpp"
#include "tablebase/solver.hpp"
#include "tablebase/table.hpp"

namespace mansuba::bench {

/// Numbers of positions, and the longest distances to mate (0: no such win).
struct KnownTable {
    const char* name;
    std::array<std::uint64_t, 3> white, black;  // won, drawn and lost for White, Black to move
    int longest_win, longest_loss;              // of White to move and of Black to move
    std::uint64_t positions() const {
        return white[0] + white[1] + white[2] + black[0] + black[1] + black[2];
    }
};

/// Three men; four; four with pawns of both sides. Counts by a brute force that shares nothing with
/// any generator, equal to those that syzygy1/tb prints: tests/data/dtm_stats_34.tsv.
inline constexpr std::array<KnownTable, 3> kTables{{
    {"KRvK", {21959, 0, 0}, {0, 2796, 25260}, 31, 32},
    {"KQvKR", {1108111, 8963, 2142}, {386313, 78518, 883075}, 69, 70},
    {"KPvKP", {1606514, 1242545, 868985}, {1606514, 1242545, 868985}, 65, 66},
}};

/// Whether a table is the known one; fails the benchmark otherwise.
bool is_expected(benchmark::State& state, const tablebase::Table& table, const KnownTable& known);

/// A directory with the files of kTables and no others, made when it is first asked for, and gone at
/// the end of the program.
const std::filesystem::path& directory();

/// What MANSUBA_SIMD asks for, else the fastest. Throws Error(Usage) for an unknown name.
const tablebase::SolverTarget& chosen_target();
/// That one alone if MANSUBA_SIMD names it, else all that this processor can run.
std::span<const tablebase::SolverTarget> targets_to_compare();

/// Calls add(name, threads): for one, and for all where there are more.
template <class Add>
void for_threads(Add&& add_one) {
    add_one(std::string("1_thread"), 1);
    if (omp_get_max_threads() > 1) add_one(std::string("all_threads"), omp_get_max_threads());
}

/// Rated by the clock on the wall: files and threads take part.
template <class Function, class... Arguments>
void add(const std::string& name, benchmark::TimeUnit unit, Function function,
         Arguments... arguments) {
    benchmark::RegisterBenchmark(name.c_str(), function, arguments...)->Unit(unit)->UseRealTime();
}

void register_generator();
void register_store();
void register_probe();
void register_syzygy();

}  // namespace mansuba::bench

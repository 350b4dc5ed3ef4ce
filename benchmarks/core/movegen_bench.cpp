#include "benchmarks/checked.hpp"
#include "benchmarks/core/benchmarks.hpp"
#include "core/movegen.hpp"

namespace mansuba::bench {
namespace {

void run_legal_moves(benchmark::State& state, const KnownPosition& known) {
    const std::vector<Position> positions = positions_at(known, 2);
    for (auto _ : state) {
        std::uint64_t moves = 0;
        for (const Position& p : positions) moves += legal_moves(p).size();
        if (!is_expected(state, moves, known.leaves[3])) return;
    }
    set_rate(state, "moves_per_second", known.leaves[3]);
}

void run_count_legal_moves(benchmark::State& state, const KnownPosition& known) {
    const std::vector<Position> positions = positions_at(known, 2);
    for (auto _ : state) {
        std::uint64_t moves = 0;
        for (const Position& p : positions)
            moves += static_cast<std::uint64_t>(count_legal_moves(p));
        if (!is_expected(state, moves, known.leaves[3])) return;
    }
    set_rate(state, "moves_per_second", known.leaves[3]);
}

/// Moves are found beforehand; what is timed is a copy of the position and the move played on it.
void run_play(benchmark::State& state, const KnownPosition& known) {
    struct Step {
        Position before;
        Move move;
    };
    std::vector<Step> steps;
    for (const Position& p : positions_at(known, 1))
        for (const Move m : legal_moves(p)) steps.push_back({p, m});
    std::vector<Position> after(steps.size());
    for (auto _ : state) {
        for (std::size_t i = 0; i < steps.size(); ++i)
            (after[i] = steps[i].before).play(steps[i].move);
        benchmark::ClobberMemory();
    }
    std::uint64_t moves = 0;
    for (const Position& p : after) moves += legal_moves(p).size();
    if (!is_expected(state, steps.size(), known.leaves[2])) return;
    if (!is_expected(state, moves, known.leaves[3])) return;
    set_rate(state, "moves_per_second", steps.size());
}

}  // namespace

void register_movegen() {
    register_for_each_position("legal_moves", run_legal_moves);
    register_for_each_position("count_legal_moves", run_count_legal_moves);
    register_for_each_position("play", run_play);
}

}  // namespace mansuba::bench

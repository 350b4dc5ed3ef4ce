#include "benchmarks/checked.hpp"
#include "benchmarks/core/benchmarks.hpp"
#include "core/fen.hpp"

namespace mansuba::bench {
namespace {

struct Written {
    Position position;
    std::string fen;
};

std::vector<Written> written_positions(const KnownPosition& known) {
    std::vector<Written> all;
    for (const Position& p : positions_at(known, 2)) all.push_back({p, to_fen(p)});
    return all;
}

// The comparisons below are timed too: a few words beside a whole FEN.

void run_parse_fen(benchmark::State& state, const KnownPosition& known) {
    const std::vector<Written> all = written_positions(known);
    for (auto _ : state) {
        std::uint64_t right = 0;
        for (const Written& w : all) right += parse_fen(w.fen) == w.position;
        if (!is_expected(state, right, known.leaves[2])) return;
    }
    set_rate(state, "fens_per_second", known.leaves[2]);
}

void run_to_fen(benchmark::State& state, const KnownPosition& known) {
    const std::vector<Written> all = written_positions(known);
    for (auto _ : state) {
        std::uint64_t right = 0;
        for (const Written& w : all) right += to_fen(w.position) == w.fen;
        if (!is_expected(state, right, known.leaves[2])) return;
    }
    set_rate(state, "fens_per_second", known.leaves[2]);
}

}  // namespace

void register_fen() {
    register_for_each_position("parse_fen", run_parse_fen);
    register_for_each_position("to_fen", run_to_fen);
}

}  // namespace mansuba::bench

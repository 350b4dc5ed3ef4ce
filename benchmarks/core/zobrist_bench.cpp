#include "benchmarks/checked.hpp"
#include "benchmarks/core/benchmarks.hpp"
#include "core/movegen.hpp"
#include "core/zobrist.hpp"

namespace mansuba::bench {
namespace {

struct Step {
    Position before, after;
    Key key_before;
};

/// The moves at the second ply.
std::vector<Step> steps_of(const KnownPosition& known) {
    std::vector<Step> steps;
    for (const Position& p : positions_at(known, 1))
        for (const Move m : legal_moves(p)) {
            Position after = p;
            after.play(m);
            steps.push_back({p, after, zobrist_key(p.board(), p.side_to_move())});
        }
    return steps;
}

/// Keys are compared by their sum, from scratch against after a move.
Key sum_from_scratch(const std::vector<Step>& steps) {
    Key sum = 0;
    for (const Step& s : steps) sum += zobrist_key(s.after.board(), s.after.side_to_move());
    return sum;
}

Key sum_after_moves(const std::vector<Step>& steps) {
    Key sum = 0;
    for (const Step& s : steps)
        sum += zobrist_after(s.key_before, s.before.board(), s.after.board());
    return sum;
}

void run_from_scratch(benchmark::State& state, const KnownPosition& known) {
    const std::vector<Step> steps = steps_of(known);
    if (!is_expected(state, steps.size(), known.leaves[2])) return;
    const Key expected = sum_after_moves(steps);
    for (auto _ : state)
        if (!is_expected(state, sum_from_scratch(steps), expected)) return;
    set_rate(state, "keys_per_second", steps.size());
}

void run_after_move(benchmark::State& state, const KnownPosition& known) {
    const std::vector<Step> steps = steps_of(known);
    if (!is_expected(state, steps.size(), known.leaves[2])) return;
    const Key expected = sum_from_scratch(steps);
    for (auto _ : state) {
        benchmark::
            ClobberMemory();  // or the inlined sum would be worked out once for all iterations
        if (!is_expected(state, sum_after_moves(steps), expected)) return;
    }
    set_rate(state, "keys_per_second", steps.size());
}

}  // namespace

void register_zobrist() {
    register_for_each_position("zobrist_from_scratch", run_from_scratch);
    register_for_each_position("zobrist_after_move", run_after_move);
}

}  // namespace mansuba::bench

#include "benchmarks/checked.hpp"
#include "benchmarks/core/benchmarks.hpp"
#include "core/movegen.hpp"
#include "core/notation.hpp"

namespace mansuba::bench {
namespace {

/// SAN of every legal move, disambiguated and with + or #. Every text must read back as its move.
void run_san(benchmark::State& state, const KnownPosition& known) {
    struct Written {
        Position position;
        Move move;
        std::string san;
    };
    std::vector<Written> all;
    std::uint64_t read_back = 0;
    for (const Position& p : positions_at(known, 1))
        for (const Move m : legal_moves(p)) {
            all.push_back({p, m, format_move(p, m, Notation::San)});
            read_back += parse_move(p, all.back().san) == m;
        }
    if (!is_expected(state, read_back, known.leaves[2])) return;
    for (auto _ : state) {
        std::uint64_t right = 0;
        for (const Written& w : all)
            right += format_move(w.position, w.move, Notation::San) == w.san;
        if (!is_expected(state, right, known.leaves[2])) return;
    }
    set_rate(state, "moves_per_second", known.leaves[2]);
}

}  // namespace

void register_notation() { register_for_each_position("format_san", run_san); }

}  // namespace mansuba::bench

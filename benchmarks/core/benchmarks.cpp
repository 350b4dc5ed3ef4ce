#include "benchmarks/core/benchmarks.hpp"

#include "benchmarks/room.hpp"
#include "core/fen.hpp"
#include "core/movegen.hpp"

namespace mansuba::bench {

// Only the kernels of perft are compiled for more than the baseline.
std::string simd_target() { return "portable"; }

void register_benchmarks() {
    register_movegen();
    register_fen();
    register_zobrist();
    register_notation();
}

std::vector<Position> positions_at(const KnownPosition& known, int plies) {
    std::vector<Position> positions{parse_fen(known.fen)};
    for (int ply = 0; ply < plies; ++ply) {
        std::vector<Position> next;
        for (const Position& p : positions)
            for (const Move m : legal_moves(p)) next.emplace_back(p).play(m);
        positions = std::move(next);
    }
    return positions;
}

}  // namespace mansuba::bench

// The groups of benchmarks of this room, and the positions they all run on.
#pragma once

#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "benchmarks/positions.hpp"
#include "core/position.hpp"

namespace mansuba::bench {

/// Registers `GROUP/POSITION` for each of the six.
template <class Function>
void register_for_each_position(const std::string& group, Function function) {
    for (const KnownPosition& known : kPositions)
        benchmark::RegisterBenchmark((group + '/' + known.name).c_str(), function, known)
            ->Unit(benchmark::kMicrosecond);
}

/// The positions so many plies below a known one, one for each path. A single position over and
/// over would tell the branch predictor all; these also have known counts, those of deeper plies.
std::vector<Position> positions_at(const KnownPosition& known, int plies);

void register_movegen();
void register_fen();
void register_zobrist();
void register_notation();

}  // namespace mansuba::bench

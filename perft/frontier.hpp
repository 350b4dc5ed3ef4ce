// The positions some plies below the root: the units of work that threads, ranks and checkpoints
// share.
#pragma once

#include <cstdint>
#include <vector>

#include "core/movegen.hpp"
#include "perft/kernel.hpp"

namespace mansuba::perft {

/// How often a unit is reached through a root move.
struct Share {
    std::uint32_t unit;
    std::uint16_t root_move;  // index into Frontier::root_moves
    std::uint64_t paths;
};

struct Frontier {
    int plies = 0;
    bool merged = false;
    Color side_to_move = Color::White;  // in the units
    std::vector<Move> root_moves;       // sorted
    std::vector<Board> units;           // in the order in which a walk of the tree meets them
    std::vector<Share> shares;          // sorted by unit
};

/// All positions at `plies` >= 1; `merged` takes equal positions as one unit with the sum of their
/// paths, else every path has a unit of its own. The same for every kernel and machine.
Frontier make_frontier(const Position& root, int plies, bool merged, const Kernel& kernel);

/// The number of plies that gives units enough for `threads` and small enough to save and to show
/// progress by, for a count to `depth` >= 2; and that frontier.
Frontier choose_frontier(const Position& root, int depth, bool merged, int threads,
                         const Kernel& kernel);

}  // namespace mansuba::perft

// Finds the move where somebody's generator goes wrong.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/position.hpp"
#include "perft/engine.hpp"
#include "perft/perft.hpp"

namespace mansuba::perft {

/// The shallowest position found where an engine's move list is not the legal one.
struct Difference {
    Position position;
    std::vector<std::string> line;     // from the root to the position (UCI)
    std::vector<std::string> missing;  // legal moves that the engine does not have (UCI, sorted)
    std::vector<std::string> extra;    // moves that it has and should not, or has once too often
    /// Where the move lists agree all the way yet a count does not: the engine adds up wrongly, or
    /// counts otherwise when it starts one ply above.
    struct Miscount {
        std::string move;  // empty: the total is not the sum of the moves
        Uint128 ours = 0, engine = 0;
    };
    std::optional<Miscount> miscount;
    /// To see it again: `position fen ` + engine_position, then `go perft ` + depth.
    std::string engine_position;
    int depth = 0;
};

/// Compares the engine's divide with ours at depth 1, 2, … up to `depth`, so that the line is
/// short; at the first depth that differs descends into the first move (in UCI order) whose count
/// differs until the move lists themselves do. No value if all agree.
/// `root_fen` is the text that `root` was read from: the engine gets it as it was written, with an
/// en passant square that we drop because nothing can be captured there. Castling moves compare as
/// UCI writes them, king takes rook where `chess960` is set or the root needs it.
/// `options` are for our own counts. Throws Error(Engine); Error(Internal) if our two move
/// generators do not agree on the position found.
std::optional<Difference> find_difference(UciEngine& engine, const Position& root,
                                          const std::string& root_fen, int depth, bool chess960,
                                          const Options& options = {});

}  // namespace mansuba::perft

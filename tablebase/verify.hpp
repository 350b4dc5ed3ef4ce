// Whether the values of an endgame are right: forward, one position at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tablebase/probe.hpp"

namespace mansuba::tablebase {

struct VerifyOptions {
    std::uint64_t sample = 0;     // so many positions drawn at random; 0: every position
    std::uint64_t seed = 1;       // the same seed draws the same positions, whatever the threads
    int threads = 0;              // 0: as many as OpenMP gives
    std::size_t max_faults = 10;  // that are told one by one
    const std::atomic<bool>* stop = nullptr;  // looked at all the time
    /// Cells or draws done, and how many there are; now and then, from the calling thread.
    std::function<void(std::uint64_t done, std::uint64_t of)> on_progress;
};

/// A position whose value is not what its moves make it.
struct Fault {
    std::string fen;
    std::string expected, found;  // as in "wdl 2, dtz 5, dtm 17"
};

struct VerifyReport {
    std::uint64_t positions = 0;              // looked at
    std::uint64_t mates = 0, stalemates = 0;  // among them
    std::uint64_t faults = 0;
    std::vector<Fault> first_faults;  // in the order of cells, White to move first
    bool ok() const { return faults == 0; }
};

/// Looks at the positions of an endgame, each once (like men exchanged and boards turned are the
/// same position), and compares each metric that `table` has with what the values of the positions
/// after its legal moves make it (BestOf). Moves, checks, mates and stalemates are the core's;
/// nothing comes from the generator but the numbering of positions.
///
/// Without faults, a pass over every position is a proof, given that the tables of all that the
/// endgame can turn into are right: a win claimed in n plies has a move to a loss claimed in n - 1
/// (or a zeroing move to a loss in a table that is right), all moves of a loss claimed in n lead to
/// wins claimed in n - 1 or less, and so on down to mates, which are seen on the board; so claims
/// cannot hold each other up in a circle. Conversely a true win in n is claimed: by induction on
/// n, what it leads to is, and a draw claimed in its place would not agree with that. That needs
/// distances: of a table with WDL alone, only the signs are compared, and that a win can be kept
/// uncursed; such a pass refutes but does not prove.
///
/// Throws Error(Input) if `table` has no WDL, or a table it needs is missing or lacks a metric that
/// `table` has; Error(Interrupted) if stopped; and what reading values throws.
VerifyReport verify(const Values& table, const Lookup& smaller, const VerifyOptions& options = {});

}  // namespace mansuba::tablebase

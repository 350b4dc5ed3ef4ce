// Builds the table of an endgame from the tables of those it can turn into.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "tablebase/checkpoint.hpp"
#include "tablebase/table.hpp"
#include "tablebase/team.hpp"

namespace mansuba::tablebase {

/// What is known about a table that is being built. It is made in passes: results, those under the
/// 75-move rule, mates in time, helpmates.
struct BuildProgress {
    const char* pass = "";
    std::uint64_t done = 0, of = 1;  // steps: placements of pawns, in the third pass times clocks
    /// What of the next placement is looked for, in which ply; where it is large.
    const char* part = "";
    int ply = 0;
};

struct GenerateOptions {
    int threads = 0;            // 0: as many as OpenMP gives
    std::string simd = "auto";  // as solver_target() knows them
    bool dtm = true;            // also the distance to mate
    Limits limits;
    bool automatic =
        false;  // also class and distance for limits.automatic, from no less than a claim's
    bool dtm50 =
        false;  // also the distance to mate under limits.claim, which must be the same for all
    bool helpmates = false;  // also the shortest mates that the other side helps to
    const std::atomic<bool>* stop =
        nullptr;  // looked at between plies, without a team: see Team::stopped()
    /// Builds the share of one member: the cells of the other king pairs are not there. Only for endgames that
    /// can_share(), and class, distance to zeroing and to mate.
    Team* team = nullptr;
    /// Without `dtm`: sets that no ply reads go meanwhile, and are made again from the classes; seven of nine
    /// are there at once, and it takes longer.
    bool lean = false;
    /// Goes on from what it found, and saves to it in the first pass: when it is due, and before a stop.
    Checkpoint* checkpoint = nullptr;
    std::function<void(const BuildProgress&)> on_progress;  // called from the building thread
};

/// The table of an endgame by name, which must be there; null for kings alone.
using Smaller = std::function<const Table*(const Material&)>;

/// All values of all positions. `smaller` is asked for each of material.successors(), and those
/// tables must have the metrics asked for. Throws Error(Interrupted) if stopped, Error(Usage) if
/// memory cannot be had.
///
/// Method: retrograde analysis by set operations, each ply at once for 64 positions a word, after
/// the ideas in ARCHITECTURE.md; distances are exact plies.
Table generate(const Material& material, const Smaller& smaller,
               const GenerateOptions& options = {});

}  // namespace mansuba::tablebase

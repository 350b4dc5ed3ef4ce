// The slow, obvious twin of generate(): one position at a time, with the core's move generator.
#pragma once

#include "tablebase/probe.hpp"
#include "tablebase/table.hpp"

namespace mansuba::tablebase::reference {

struct Options {
    int threads = 0;  // 0: as many as OpenMP gives
    Limits limits;    // as in GenerateOptions; the automatic one plays no part
};

/// The table of an endgame, every cell and metric; distances are two bytes wide. `smaller` is asked
/// for all that the endgame can turn into (material.successors()), with all metrics and built for
/// the same limit. Throws Error(Input) if one is missing.
///
/// Method: value iteration. All moves of all positions are listed once; then, for n = 1, 2, ..., every
/// undecided position is won in n if a move leads to one that is lost in n - 1 or less, and lost in
/// n if all its moves lead to positions that are won in n - 1 or less; what is never decided is
/// drawn. With each n only positions are looked at that have a move to one decided with n - 1. Pawn moves do not come back, so this is done for one placement of the pawns after the
/// other, in the order of PawnPlacements. It shares with the bit-set generator the numbering of
/// positions and nothing else.
///
/// Takes 8 bytes a move that is no capture and no pawn move, for one placement and both sides.
/// Meant for up to four men: seconds with three, up to a minute or so with four.
Table generate(const Material& material, const Lookup& smaller, const Options& options = {});

}  // namespace mansuba::tablebase::reference

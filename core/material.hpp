// Draws that the men on the board decide alone.
#pragma once

#include "core/position.hpp"

namespace mansuba {

/// Whether no series of legal moves can mate either king, judged by the men alone (FIDE 5.2.2 in
/// part): bare kings, one knight, or bishops that all stand on squares of one colour. False says
/// nothing: blocked positions are dead too.
bool insufficient_material(const Position& position);

/// Whether no series of legal moves can mate the other side's king, judged by the men alone: a bare
/// king; a knight against queens alone; bishops where all bishops of the board stand on squares of
/// one colour and there is no knight and no pawn. False says nothing.
bool insufficient_to_mate(const Board& board, Color winner);

}  // namespace mansuba

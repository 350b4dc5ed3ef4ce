// The slow, obvious twin of the move generator: a mailbox board, moves by walking square by square,
// legality by making the move and looking whether the king can be taken. It shares no table and no
// bitboard trick with the fast one, so that tests can hold the two equal.
#pragma once

#include <cstdint>
#include <vector>

#include "core/movegen.hpp"
#include "core/position.hpp"

namespace mansuba::reference {

/// The legal moves of a position, sorted.
std::vector<Move> legal_moves(const Position& position);

/// The position after a legal move, by the reference's own bookkeeping.
Position play(const Position& position, Move move);

bool in_check(const Position& position);

/// Leaves at `depth` plies, one move at a time.
std::uint64_t perft(const Position& position, int depth);

}  // namespace mansuba::reference

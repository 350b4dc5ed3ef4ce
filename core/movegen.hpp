// The legal moves of a position.
#pragma once

#include <array>

#include "core/position.hpp"

namespace mansuba {

/// Up to kMaxMoves moves, without allocation.
class MoveList {
public:
    const Move* begin() const { return moves_.data(); }
    const Move* end() const { return moves_.data() + size_; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    Move operator[](std::size_t i) const { return moves_[i]; }
    void push_back(Move m) { moves_[size_++] = m; }

private:
    std::array<Move, kMaxMoves> moves_;
    std::size_t size_ = 0;
};

/// All legal moves, in no promised order; a castling move is its king on its rook's square. Empty
/// at mate and stalemate. The clocks play no part.
MoveList legal_moves(const Position& position);

/// The number of legal moves, without listing them.
int count_legal_moves(const Position& position);

}  // namespace mansuba

#include "core/movegen.hpp"

#include "core/attacks.hpp"

namespace mansuba {
namespace {

using Sliders = HyperbolaSliders;
#define MANSUBA_SLIDERS Sliders
#include "core/moves_impl.hpp"
#undef MANSUBA_SLIDERS

}  // namespace

MoveList legal_moves(const Position& position) {
    RawMove raw[kMaxMoves];
    const RawMove* end = position.side_to_move() == Color::White
                             ? list_moves<Color::White>(position.board(), raw)
                             : list_moves<Color::Black>(position.board(), raw);
    MoveList moves;
    for (const RawMove* m = raw; m != end; ++m)
        moves.push_back(Move(m->from(), m->to(), m->kind()));
    return moves;
}

int count_legal_moves(const Position& position) {
    return static_cast<int>(position.side_to_move() == Color::White
                                ? count_moves<Color::White>(position.board())
                                : count_moves<Color::Black>(position.board()));
}

}  // namespace mansuba

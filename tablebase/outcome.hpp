// How a game ends with best play from a position whose half-move clock has run already.
#pragma once

#include <optional>
#include <string_view>

#include "tablebase/probe.hpp"

namespace mansuba::tablebase {

/// For the side to move.
enum class Result : std::int8_t { Loss = -1, Draw = 0, Win = 1 };
/// "loss", "draw", "win".
std::string_view name_of(Result result);

/// With a draw once `limit` plies have gone since the last capture or pawn move. A capture, pawn
/// move or mate as the last of them is in time; so the limit itself, in the position given, is a
/// draw but for a mate on the board. `value`: from tables built with that limit, whose DTZ is the exact
/// number of plies to the next capture, pawn move or mate that keeps the result.
Result result(const Value& value, bool checkmate, int halfmove_clock, int limit);

/// The same for the limit of kAutomaticPlies, from tables built with kRulePlies. Nothing where these
/// do not tell: a win that is one under the longer limit only, or that could be hurried by a way through
/// such a one. `no_cursed`: there is none in the endgame and in all it can turn into, so that
/// both limits give the same tables.
std::optional<Result> automatic_result(const Value& value, bool checkmate, int halfmove_clock,
                                       bool no_cursed);

}  // namespace mansuba::tablebase

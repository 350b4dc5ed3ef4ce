// How values stand in memory while tables are built: one code a cell.
#pragma once

#include <cstdint>
#include <limits>

namespace mansuba::tablebase {

/// The game-theoretic value for the side to move when either side may claim a draw at 50 moves, from
/// a half-move clock of 0 on: Syzygy's five values.
enum class Wdl : std::int8_t { Loss = -2, BlessedLoss = -1, Draw = 0, CursedWin = 1, Win = 2 };

/// What is stored of a position: result and distance to zeroing under the limit of moves for a claim,
/// distance to mate without one, result and distance to zeroing where nobody claims and the 75-move rule
/// (FIDE 9.6.2) ends the game; which sides can mate by some series of legal moves, and the lengths of
/// the shortest of them; distance to mate where the limit for a claim is in force, for each clock.
enum class Metric : std::uint8_t {
    Wdl,
    Dtz,
    Dtm,
    Wdl75,
    Dtz75,
    Winnable,
    DthWhite,
    DthBlack,
    Dtm50
};

/// A code for cells without a legal position, and one for stalemate, which an en passant capture
/// can turn into something else.
namespace wdl_code {
inline constexpr std::uint8_t kLoss = 0, kBlessedLoss = 1, kDraw = 2, kCursedWin = 3, kWin = 4,
                              kStalemate = 5, kIllegal = 6;
}

/// Distance to mate in plies: even for losses (0: mated), odd for wins; Code is std::uint8_t or
/// std::uint16_t.
template <class Code>
struct DtmCode {
    static constexpr Code kIllegal = std::numeric_limits<Code>::max();
    static constexpr Code kDraw = kIllegal - 1, kStalemate = kIllegal - 2;
    static constexpr int kMaxPlies = kIllegal - 5;
};

/// Distance to a mate of one side that the other helps to, in plies: even with the side to move mated.
/// No endgame's comes near the greatest.
namespace help_code {
inline constexpr std::uint8_t kIllegal = DtmCode<std::uint8_t>::kIllegal,
                              kNever = DtmCode<std::uint8_t>::kDraw;
inline constexpr int kMaxPlies = DtmCode<std::uint8_t>::kMaxPlies;
}  // namespace help_code

}  // namespace mansuba::tablebase

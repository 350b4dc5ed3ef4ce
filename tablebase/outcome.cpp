#include "tablebase/outcome.hpp"

#include <cstdlib>

namespace mansuba::tablebase {
namespace {

Result by_sign(Wdl wdl) { return wdl > Wdl::Draw ? Result::Win : Result::Loss; }

}  // namespace

std::string_view name_of(Result result) {
    constexpr std::string_view names[] = {"loss", "draw", "win"};
    return names[static_cast<int>(result) + 1];
}

Result result(const Value& value, bool checkmate, int halfmove_clock, int limit) {
    if (checkmate) return Result::Loss;
    const bool decided = value.wdl == Wdl::Win || value.wdl == Wdl::Loss;
    if (!decided || halfmove_clock + std::abs(value.dtz) > limit) return Result::Draw;
    return by_sign(value.wdl);
}

std::optional<Result> automatic_result(const Value& value, bool checkmate, int halfmove_clock,
                                       bool no_cursed) {
    if (no_cursed || checkmate) return result(value, checkmate, halfmove_clock, kAutomaticPlies);
    if (value.wdl == Wdl::Draw || halfmove_clock >= kAutomaticPlies) return Result::Draw;
    // What is in time after phases of 100 plies is after phases of 150.
    if ((value.wdl == Wdl::Win || value.wdl == Wdl::Loss) &&
        halfmove_clock + std::abs(value.dtz) <= kAutomaticPlies)
        return by_sign(value.wdl);
    return std::nullopt;
}

}  // namespace mansuba::tablebase

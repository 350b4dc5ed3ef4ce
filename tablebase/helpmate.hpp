// Whether a king can still be mated by some series of legal moves, without tables: what dead
// positions (FIDE 5.2.2) and flag fall (5.1.2, 6.9) ask for.
#pragma once

#include <cstdint>
#include <optional>

#include "core/position.hpp"

namespace mansuba::tablebase {

/// Whether `winner` can mate by some series of legal moves of both sides; nothing where `positions`
/// of them did not decide it. Castling and en passant rights are honoured; the counts of 50 and 75
/// moves and repetitions are not: the articles ask for legal moves alone (3.10.1).
///
/// Method: mate on the board, then rules of material, then a search of all positions that can arise,
/// those first that look near to mate. A mate that it meets proves "yes", the end of what can
/// arise proves "no". About 100 bytes and a microsecond a position.
std::optional<bool> can_mate(const Position& position, Color winner, std::uint64_t positions);

/// Both questions. A position is dead if neither side can mate.
struct Winnable {
    std::optional<bool> white, black;

    std::optional<bool> by(Color c) const { return c == Color::White ? white : black; }
    /// Nothing if undecided.
    std::optional<bool> dead() const {
        if (white.value_or(false) || black.value_or(false)) return false;
        if (!white || !black) return std::nullopt;
        return true;
    }
};

/// Decides every position of the collections that the tests have; a second or two at most.
inline constexpr std::uint64_t kHelpmatePositions = 3'000'000;

Winnable winnable(const Position& position, std::uint64_t positions = kHelpmatePositions);

}  // namespace mansuba::tablebase

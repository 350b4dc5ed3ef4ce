// Random legal positions that look for trouble: each theme crowds together what move generators get
// wrong. Everything follows from theme and seed, on every platform.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/position.hpp"

namespace mansuba::test {

/// SplitMix64, by Sebastiano Vigna, https://prng.di.unimi.it/splitmix64.c (public domain).
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }
    /// 0 to n - 1.
    int below(int n) { return static_cast<int>((next() >> 32) % static_cast<std::uint64_t>(n)); }
    int between(int low, int high) { return low + below(high - low + 1); }
    bool chance(int percent) { return below(100) < percent; }

private:
    std::uint64_t state_;
};

enum class Theme {
    Playouts,    // random games from the start and from Chess960 starts, rights included
    Placements,  // 2 to 32 men anywhere
    Promoted,    // armies of queens, rooks, bishops or knights
    Pins,        // own man and enemy slider behind it, in up to eight directions at once
    Checks,      // one to five men give check, reachable in play or not
    EnPassant,   // a double push just played or just to come, kings and sliders around it
    Castling,    // Chess960 and standard rights, sliders on and near the home rank
    Promotions,  // pawns on the seventh, targets on the eighth, pins and checks
    BoxedKings,  // mates, stalemates and nearly so
};
inline constexpr std::array kThemes{Theme::Playouts, Theme::Placements, Theme::Promoted,
                                    Theme::Pins,     Theme::Checks,     Theme::EnPassant,
                                    Theme::Castling, Theme::Promotions, Theme::BoxedKings};
std::string_view name_of(Theme theme);

struct Sample {
    Position position;
    /// The en passant square that the Setup named, whether or not the right stands.
    Square passed_over = kNoSquare;
};

/// The positions of one seed: a whole game of Playouts, one or two positions of the other themes,
/// none where the draw came to nothing.
std::vector<Sample> random_positions(Theme theme, std::uint64_t seed);

/// A third, small opinion on attacks: the men on their squares, and whether the one on `from`
/// attacks `to`.
using Men = std::array<std::optional<Piece>, 64>;
Men men_of(const Position& position);
bool reaches(const Men& men, Square from, Square to);
/// The men of `by` that attack s.
Bitboard attackers_by_walking(const Men& men, Square s, Color by);
Square king_square(const Men& men, Color c);

}  // namespace mansuba::test

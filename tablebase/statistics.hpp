// What can be said of a table as a whole.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "tablebase/table.hpp"
#include "tablebase/team.hpp"

namespace mansuba::tablebase {

/// The positions at the greatest distance.
struct Longest {
    int plies = -1;           // -1: there are none
    std::uint64_t count = 0;  // how many have it
    std::string fen;          // the first of them
};

struct SideStatistics {
    std::uint64_t win = 0, cursed_win = 0, draw = 0, blessed_loss = 0, loss = 0;
    std::uint64_t mates = 0, stalemates = 0;  // among losses and draws
    std::uint64_t positions() const { return win + cursed_win + draw + blessed_loss + loss; }

    Longest dtz_win, dtz_cursed_win, dtz_loss, dtz_blessed_loss;  // the side to move wins, or loses
    Longest dtm_win, dtm_loss;                                    // empty without that metric
    /// How many positions there are at a distance in plies, wins and losses.
    std::map<int, std::uint64_t> dtz_histogram_win, dtz_histogram_loss;
    std::map<int, std::uint64_t> dtm_histogram_win, dtm_histogram_loss;

    /// By who can mate by some series of legal moves: 0 neither (dead), 1 White, 2 Black, 3 both.
    std::array<std::uint64_t, 4> winnable{};
    std::uint64_t drawn_not_dead = 0;        // draws with best play, but somebody can be mated
    std::uint64_t lost_without_hope = 0;     // losses of a side that cannot mate even with help
    std::array<Longest, 2> dth;              // the longest shortest helpmates, by who mates
    std::uint64_t dead_beyond_material = 0;  // dead, though not by the men alone
    std::string dead_beyond_material_fen;    // the first of them
};

/// Positions are counted once: like men may not be exchanged, nor the board turned or mirrored, to
/// make two of one. Positions with castling or en passant rights are not counted.
struct Statistics {
    std::array<SideStatistics, 2> side;  // by side to move
    /// Mutual zugzwangs: White to move draws and Black to move loses; White to move loses and Black to
    /// move draws; whoever moves loses. Wins that the 50-move rule takes count as wins.
    bool has_winnable = false, has_dth = false;  // whether there is what these take
    std::uint64_t zugzwang_white_draws = 0, zugzwang_black_draws = 0, zugzwang_full = 0;
};

/// Goes through all cells with `threads` threads (0: as many as OpenMP gives). With a team each member goes
/// through its share, and the first has the whole; what the others return means nothing.
Statistics statistics(const Table& table, int threads = 0, Team* team = nullptr);

/// The FEN of a cell: clocks 0 1, no rights.
std::string fen_of(const Index& index, std::uint64_t cell, Color side_to_move);

}  // namespace mansuba::tablebase

// The value of any position, from the tables of its endgame and of those it can turn into.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "core/position.hpp"
#include "tablebase/table.hpp"

namespace mansuba::tablebase {

/// The values of an endgame in normal form, or null where there are none. Never asked for KvK.
using Lookup = std::function<const Values*(const Material&)>;

/// The position of legal moves that a cell stands for, clocks 0 1, no rights; none if two men share
/// a square, the kings touch or the side not to move is in check.
std::optional<Position> position_at(const Index& index, Color side_to_move, std::uint64_t cell);

/// What a position is worth, from a half-move clock of 0 on. Only metrics that all tables asked for
/// have mean anything. A stalemate is told from other draws where the table tells.
///
/// Tables know no en passant rights: a position that has one is the better of its value without
/// and of the captures it allows (which are looked up in their own tables), and if it has no other
/// legal move, what those captures are worth.
///
/// Throws Error(Input) for castling rights, more men than Material::kMaxMen, and where a table is
/// missing: "needs KQvKR: mansuba build KQvKR". Thread-safe if `lookup` and what it returns are.
/// Costs an index computation and one lookup; with an en passant right, a few more.
Value probe(const Position& position, const Lookup& lookup);

/// Plies to mate with the position's half-move clock, where either side claims a draw as soon as the
/// limit of its table lets it; signed by who wins, 0 if mated; nothing for a draw. Needs Metric::Dtm50 in
/// all tables asked for, and throws as probe().
std::optional<int> dtm50(const Position& position, const Lookup& lookup);
/// The same of a cell that stands for a position.
std::optional<int> dtm50(const Values& values, Color side_to_move, std::uint64_t cell, int clock);

/// Whether a legal move sets the count of the 50-move rule to zero: captures and pawn moves.
bool is_zeroing(const Position& position, Move move);

/// What the moves of a position make of it: feed it each move with the value of the position that
/// the move leads to, then ask for the value.
///
/// DTM: a win in one ply more than the shortest loss of the other side; a loss in one more than its
/// longest win; the 50-move rule plays no part. DTZ likewise, but a zeroing move counts by the class
/// it leads to: 1 ply, or one more than the limit if what it leads to is won or lost but for the rule. A
/// distance beyond the limit makes a win cursed and a loss blessed; and the same for the automatic limit. DTH:
/// one ply more than the shortest of them.
class BestOf {
public:
    /// Of positions in a placement of the pawns.
    explicit BestOf(const Limits& limits = {}, std::uint32_t placement = 0)
        : rule_plies_(limits.claim_at(placement)), automatic_plies_(limits.automatic) {}

    /// `after`: as probe() has it, for the other side. `mated`: the move is mate.
    void add(const Value& after, bool zeroing, bool mated);
    /// A value the position has besides, say without its en passant right; not mated, not stalemate.
    void add(const Value& own);

    bool empty() const { return mate_.moves == 0; }
    /// With in_check saying whether a position without moves is mate.
    Value value(bool in_check) const;

private:
    /// The best of distances: to win is better than not to lose, sooner better than later.
    struct Distance {
        int moves = 0, win = 0, loss = 0;  // plies; 0: none
        bool holds = false;                // some move neither wins nor loses
        void add(int signed_plies);
        int best() const;  // signed, 0 for a draw
    };
    void add_zeroing(Distance& to, int limit, Wdl wdl, int dtz, bool zeroing, bool mated) const;
    static void add_own(Distance& to, int limit, Wdl wdl, int dtz);
    static Wdl class_of(int dtz, int limit);

    Distance zeroing_, zeroing75_, mate_;
    int rule_plies_, automatic_plies_;
    int mates_ = -1, mated_ = -1;  // plies of helpmates
};

}  // namespace mansuba::tablebase

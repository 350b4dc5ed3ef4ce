// What the members of a team tell each other of sets: the king pairs where a step of a king leads from
// one share to another.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tablebase/solver.hpp"
#include "tablebase/team.hpp"

namespace mansuba::tablebase {

/// By king's colour and member: the king pairs of others that a step of that king leads to from its
/// own, in ascending order.
using PairsRead = std::array<std::vector<std::vector<std::uint32_t>>, 2>;
PairsRead pairs_read(const Layout& layout, int members);

/// The most pairs of others that one member reads by White's king and by Black's, together.
std::uint32_t largest_beyond(const Layout& layout, int members);

/// A member without a team has all pairs and no border.
class Border {
public:
    Border(const Layout& layout, Team* team);

    const std::vector<BlockRun>& own() const { return own_; }
    /// King pairs of others that a king's step leads to from here.
    const std::vector<std::uint32_t>& beyond(Color king) const { return beyond_[side_of(king)]; }

    struct Part {
        Set set;
        Color king;  // whose steps read it
        /// What is taken out of a set of the same king's where it arrives; no rows: nothing is.
        Set taken_from{nullptr, nullptr};
    };
    /// Gives all members, of sets that have changed on each, what they read of this one's share, and puts
    /// into the sets what this one reads of theirs. Words that are empty do not travel.
    void trade(std::span<const Part> parts) const;

private:
    static std::size_t side_of(Color c) { return static_cast<std::size_t>(c); }

    const Layout& layout_;
    Team* team_;
    std::vector<BlockRun> own_;
    std::array<std::vector<std::uint32_t>, 2> beyond_;  // by king's colour
    struct With {
        int member;
        std::array<std::vector<std::uint32_t>, 2> gives, takes;  // pairs, by king's colour
    };
    std::vector<With> with_;
};

}  // namespace mansuba::tablebase

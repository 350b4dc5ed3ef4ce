// What ranks that build a table together will tell each other.
#pragma once

#include <array>
#include <cstdint>

#include "tablebase/builder.hpp"

namespace mansuba::cluster {

/// Of a whole table; all ranks together. Compressed chunks that go to the rank that writes are not in it.
struct Exchange {
    /// Ranks that have a share of the table; 1: one builds it alone, and tells nobody.
    int members = 1;
    /// Of king pairs that one rank gives another, by the king that steps there.
    std::array<double, 2> cells{};
    std::uint64_t bytes = 0;          // likely
    std::uint64_t low = 0, high = 0;  // between these
    bool measured = false;            // bytes of this endgame were counted once, with other ranks
    std::uint64_t messages_per_ply = 0;
};

/// A share is known exactly, and so is which king pairs each rank gives to which; how many bytes a cell of
/// them takes depends on how much of it is won or lost, which nobody knows before. Measured are 0.11 to 0.87
/// bytes for both distances where White's king steps and 0.17 to 0.62 where Black's does, 0.03 to 0.35 and
/// 0.06 to 0.29 for the one to zeroing (cluster/SCALING.md).
Exchange exchange(const tablebase::Material& material, const tablebase::BuildOptions& options,
                  int ranks);

}  // namespace mansuba::cluster

// A count of leaves by all ranks of a job.
#pragma once

#include <optional>

#include "cluster/transport.hpp"
#include "perft/perft.hpp"

namespace mansuba::cluster {

/// Rank 0: as perft::count(), with the help of all other ranks, each of which is in help_count() with
/// the same position, depth and options. It hands out units a few at a time, and counts, too.
/// A rank that fails ends the count with its error. The total does not depend on the ranks; a
/// checkpoint is rank 0's, and resumed with any number of them.
perft::Result count(const Position& root, int depth, perft::Options options, Transport& transport);

/// Other ranks, once for each count(). Returns the exit code if rank 0 finished the job instead.
/// options.stop asks rank 0 to stop the whole count.
std::optional<int> help_count(const Position& root, int depth, perft::Options options,
                              Transport& transport);

/// The number of distinct positions, as perft::count_unique(): a share of their hashes on each rank.
std::uint64_t count_unique(const Position& root, int depth, const perft::Options& options,
                           std::uint64_t memory_bytes, Transport& transport);
std::optional<int> help_count_unique(const Position& root, int depth, const perft::Options& options,
                                     std::uint64_t memory_bytes, Transport& transport);

}  // namespace mansuba::cluster

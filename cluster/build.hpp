// Endgame tables by all ranks of a job that see the same directory.
#pragma once

#include <optional>
#include <vector>

#include "cluster/transport.hpp"
#include "tablebase/builder.hpp"

namespace mansuba::cluster {

/// Rank 0: as tablebase::build(), a table to a rank as soon as all that it can turn into is stored;
/// rank 0 builds, too. Large tables are built by all ranks together (is_shared()), each with a share of the king
/// pairs, when no other is in work. options.memory_bytes is each rank's. The files are the same whatever the ranks.
/// Events come from two threads, one at a time. A rank that fails ends the build with its error; finished
/// tables stay.
tablebase::BuildResult build(const std::vector<tablebase::Material>& materials,
                             tablebase::TableStore& store, const tablebase::BuildOptions& options,
                             Transport& transport);

/// Whether so many ranks build an endgame together: it must be possible, and worth it or needed for its
/// memory.
bool is_shared(const tablebase::Material& material, const tablebase::BuildOptions& options,
               int ranks);

/// Other ranks, with the same materials and options and the same store. Returns the exit code if rank 0
/// finished the job instead.
std::optional<int> help_build(const std::vector<tablebase::Material>& materials,
                              tablebase::TableStore& store, const tablebase::BuildOptions& options,
                              Transport& transport);

}  // namespace mansuba::cluster

// Whether our values are those of Syzygy files.
#pragma once

#include "tablebase/syzygy/directory.hpp"
#include "tablebase/verify.hpp"

namespace mansuba::tablebase::syzygy {

/// Compares the result, and the distance to zeroing if `table` has it, of every position of an endgame
/// (each once), or of a sample, with what the files say. Where a file holds a distance in moves, ours
/// may be one ply longer. VerifyOptions as for verify().
///
/// Throws Error(Input) if a file is missing, naming it, or `table` has no WDL; Error(File) if one is
/// damaged; Error(Interrupted) if stopped.
VerifyReport compare(const Values& table, const Directory& files,
                     const VerifyOptions& options = {});

}  // namespace mansuba::tablebase::syzygy

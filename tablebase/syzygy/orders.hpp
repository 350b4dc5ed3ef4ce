// The orders of men that a section of a Syzygy file may have.
#pragma once

#include <vector>

#include "tablebase/syzygy/numbering.hpp"

namespace mansuba::tablebase::syzygy {

/// All of them, for pawns on `file` (0 without pawns). The first is as good as any. Which side's pawns
/// lead is not free: readers expect those of the side with fewer, White's of equals.
std::vector<MenOrder> possible_orders(const Material& material, int file);

}  // namespace mansuba::tablebase::syzygy

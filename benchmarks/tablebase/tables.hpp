// Tables in memory, for the rooms that need some.
#pragma once

#include "tablebase/table.hpp"

namespace mansuba::bench {

/// Built when it is first asked for, with all it needs, and kept. Not thread-safe.
const tablebase::Table& table(const tablebase::Material& material);

}  // namespace mansuba::bench

// Statistics as text, as the program prints and files keep them.
#pragma once

#include <string>

#include "tablebase/statistics.hpp"

namespace mansuba::tablebase {

/// One JSON object on one line; what it depends on is the endgame alone. See FORMAT.md.
std::string to_json(const Material& material, const Statistics& statistics);

}  // namespace mansuba::tablebase

// The siblings' kernel on lanes that any processor has.
#pragma once

#include "perft/kernel.hpp"

namespace mansuba::perft {

/// Eight at a time, as AVX-512 counts them. Slow.
Kernel eight_plain_lanes();

}  // namespace mansuba::perft

#include "tests/perft/plain_lanes.hpp"

#include "core/attacks.hpp"

// Vectors of 64 bytes cross no function that is not inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace mansuba::perft {
namespace {

namespace eight {
#define MANSUBA_SLIDERS HyperbolaSliders
#define MANSUBA_LANES 8
// clang-format off: each of them needs the one before
#include "core/moves_impl.hpp"
#include "tests/perft/lanes_any_impl.hpp"
#include "perft/siblings_impl.hpp"
#include "perft/tree_impl.hpp"
// clang-format on
#undef MANSUBA_LANES
#undef MANSUBA_SLIDERS
}  // namespace eight

}  // namespace

Kernel eight_plain_lanes() {
    return eight::make_kernel("eight", "eight plain lanes, for tests", eight::kLanes);
}

}  // namespace mansuba::perft

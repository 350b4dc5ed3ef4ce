// Two siblings at a time by NEON.
#include "core/attacks.hpp"
#include "core/cpu.hpp"
#include "perft/kernel_targets.hpp"

#if MANSUBA_ARM64
#include <arm_neon.h>

namespace mansuba::perft {
namespace {

namespace neon {
#define MANSUBA_SLIDERS HyperbolaSliders
#include "core/moves_impl.hpp"
#include "perft/lanes_neon_impl.hpp"
#include "perft/siblings_impl.hpp"
#include "perft/tree_impl.hpp"
#undef MANSUBA_SLIDERS
}  // namespace neon

}  // namespace

Kernel neon_kernel() {
    return neon::make_kernel("neon", "NEON, two siblings at a time", neon::kLanes);
}

}  // namespace mansuba::perft
#endif

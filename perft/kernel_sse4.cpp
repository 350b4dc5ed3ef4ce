// Two siblings at a time by SSE4.
#include "core/attacks.hpp"
#include "core/cpu.hpp"
#include "perft/kernel_targets.hpp"

#if MANSUBA_X86
#include <immintrin.h>

namespace mansuba::perft {
namespace {

MANSUBA_BEGIN_X86_64_V2
namespace sse4 {
#define MANSUBA_SLIDERS HyperbolaSliders
#include "core/moves_impl.hpp"
#include "perft/lanes_sse4_impl.hpp"
#include "perft/siblings_impl.hpp"
#include "perft/tree_impl.hpp"
#undef MANSUBA_SLIDERS
}  // namespace sse4
MANSUBA_END_TARGET

}  // namespace

Kernel sse4_kernel() {
    return sse4::make_kernel("sse4", "SSE4, two siblings at a time", sse4::kLanes);
}

}  // namespace mansuba::perft
#endif

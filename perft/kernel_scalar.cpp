// The kernels that count one position at a time.
#include "core/attacks.hpp"
#include "core/cpu.hpp"
#include "perft/kernel_targets.hpp"

#if MANSUBA_X86
#include <immintrin.h>
#endif

namespace mansuba::perft {
namespace {

namespace portable {
#define MANSUBA_SLIDERS HyperbolaSliders
#include "core/moves_impl.hpp"
#include "perft/one_by_one_impl.hpp"
#include "perft/tree_impl.hpp"
#undef MANSUBA_SLIDERS
}  // namespace portable

#if MANSUBA_X86
MANSUBA_BEGIN_X86_64_V3
namespace v3 {
#define MANSUBA_SLIDERS HyperbolaSliders
#include "core/moves_impl.hpp"
#include "perft/one_by_one_impl.hpp"
#include "perft/tree_impl.hpp"
#undef MANSUBA_SLIDERS
}  // namespace v3

namespace pext {
#include "core/pext_sliders_impl.hpp"
#define MANSUBA_SLIDERS PextSliders
#define MANSUBA_HAS_PEXT
#include "core/moves_impl.hpp"
#include "perft/one_by_one_impl.hpp"
#include "perft/tree_impl.hpp"
#undef MANSUBA_HAS_PEXT
#undef MANSUBA_SLIDERS
}  // namespace pext
MANSUBA_END_TARGET
#endif

}  // namespace

Kernel portable_kernel() {
    return portable::make_kernel("portable", "baseline instructions, o^(o-2r) sliders", 1);
}
#if MANSUBA_X86
Kernel v3_kernel() {
    return v3::make_kernel("v3", "x86-64-v3, o^(o-2r) sliders: for slow PEXT", 1);
}
Kernel pext_kernel() { return pext::make_kernel("pext", "x86-64-v3, PEXT sliders", 1); }
#endif

}  // namespace mansuba::perft

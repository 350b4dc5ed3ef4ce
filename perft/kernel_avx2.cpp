// Four siblings at a time by AVX2.
#include "core/attacks.hpp"
#include "core/cpu.hpp"
#include "perft/kernel_targets.hpp"

#if MANSUBA_X86
#include <immintrin.h>

namespace mansuba::perft {
namespace {

MANSUBA_BEGIN_X86_64_V3
namespace pext {
#include "core/pext_sliders_impl.hpp"
#define MANSUBA_SLIDERS PextSliders
#define MANSUBA_HAS_PEXT
#include "core/moves_impl.hpp"
#include "perft/lanes_avx2_impl.hpp"
#include "perft/siblings_impl.hpp"
#include "perft/tree_impl.hpp"
#undef MANSUBA_HAS_PEXT
#undef MANSUBA_SLIDERS
}  // namespace pext
namespace hyperbola {
#define MANSUBA_SLIDERS HyperbolaSliders
#include "core/moves_impl.hpp"
#include "perft/lanes_avx2_impl.hpp"
#include "perft/siblings_impl.hpp"
#include "perft/tree_impl.hpp"
#undef MANSUBA_SLIDERS
}  // namespace hyperbola
MANSUBA_END_TARGET

}  // namespace

Kernel avx2_kernel() {
    constexpr std::string_view name = "avx2", description = "AVX2, four siblings at a time";
    return cpu().fast_pext ? pext::make_kernel(name, description, pext::kLanes)
                           : hyperbola::make_kernel(name, description, hyperbola::kLanes);
}

}  // namespace mansuba::perft
#endif

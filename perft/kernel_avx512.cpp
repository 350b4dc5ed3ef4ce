// Eight siblings at a time by AVX-512 as of Skylake-X.
#include "core/attacks.hpp"
#include "core/cpu.hpp"
#include "perft/kernel_targets.hpp"

#if MANSUBA_X86
#include <immintrin.h>

namespace mansuba::perft {
namespace {

MANSUBA_BEGIN_X86_64_V4
namespace avx512 {
#include "core/pext_sliders_impl.hpp"
#define MANSUBA_SLIDERS PextSliders
#define MANSUBA_HAS_PEXT
#include "core/moves_impl.hpp"
#include "perft/lanes_avx512_impl.hpp"
#include "perft/siblings_impl.hpp"
#include "perft/tree_impl.hpp"
#undef MANSUBA_HAS_PEXT
#undef MANSUBA_SLIDERS
}  // namespace avx512
MANSUBA_END_TARGET

}  // namespace

Kernel avx512_kernel() {
    return avx512::make_kernel("avx512", "AVX-512, eight siblings at a time", avx512::kLanes);
}

}  // namespace mansuba::perft
#endif

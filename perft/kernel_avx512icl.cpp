// Eight siblings at a time by AVX-512 as of Ice Lake and Zen 4.
#include "core/attacks.hpp"
#include "core/cpu.hpp"
#include "perft/kernel_targets.hpp"

#if MANSUBA_X86
#include <immintrin.h>

namespace mansuba::perft {
namespace {

MANSUBA_BEGIN_ICE_LAKE
namespace avx512icl {
#include "core/pext_sliders_impl.hpp"
#define MANSUBA_SLIDERS PextSliders
#define MANSUBA_HAS_PEXT
#define MANSUBA_HAS_ICE_LAKE
#include "core/moves_impl.hpp"
#include "perft/lanes_avx512_impl.hpp"
#include "perft/siblings_impl.hpp"
#include "perft/tree_impl.hpp"
#undef MANSUBA_HAS_ICE_LAKE
#undef MANSUBA_HAS_PEXT
#undef MANSUBA_SLIDERS
}  // namespace avx512icl
MANSUBA_END_TARGET

}  // namespace

Kernel avx512icl_kernel() {
    return avx512icl::make_kernel("avx512icl", "AVX-512 with BITALG, eight siblings at a time",
                                  avx512icl::kLanes);
}

}  // namespace mansuba::perft
#endif

#include "perft/kernel.hpp"

#include <string>
#include <vector>

#include "core/attacks.hpp"
#include "core/cpu.hpp"
#include "core/error.hpp"
#include "core/quote.hpp"
#include "core/zobrist.hpp"

#if MANSUBA_X86
#include <immintrin.h>
#endif

namespace mansuba::perft {
namespace {

namespace portable {
#define MANSUBA_SLIDERS HyperbolaSliders
#include "core/moves_impl.hpp"
#include "perft/kernel_impl.hpp"
#undef MANSUBA_SLIDERS
}  // namespace portable

#if MANSUBA_X86
MANSUBA_BEGIN_X86_64_V3
namespace v3 {
#define MANSUBA_SLIDERS HyperbolaSliders
#include "core/moves_impl.hpp"
#include "perft/kernel_impl.hpp"
#undef MANSUBA_SLIDERS
}  // namespace v3

namespace pext {
#include "core/pext_sliders_impl.hpp"
#define MANSUBA_SLIDERS PextSliders
#define MANSUBA_HAS_PEXT
#include "core/moves_impl.hpp"
#include "perft/kernel_impl.hpp"
#undef MANSUBA_HAS_PEXT
#undef MANSUBA_SLIDERS
}  // namespace pext
MANSUBA_END_TARGET
#endif

std::vector<Kernel> usable_kernels() {
    std::vector<Kernel> usable{
        portable::make_kernel("portable", "baseline instructions, o^(o-2r) sliders")};
#if MANSUBA_X86
    if (cpu().x86_64_v3)
        usable.push_back(v3::make_kernel("v3", "x86-64-v3, o^(o-2r) sliders: for slow PEXT"));
    if (cpu().fast_pext) usable.push_back(pext::make_kernel("pext", "x86-64-v3, PEXT sliders"));
#endif
    return usable;
}

}  // namespace

std::span<const Kernel> kernels() {
    static const std::vector<Kernel> usable = usable_kernels();
    return usable;
}

const Kernel& kernel(std::string_view name) {
    if (name == "auto" || name == "scalar") return kernels().back();
    std::string names = "auto scalar";
    for (const Kernel& k : kernels()) {
        if (k.name == name) return k;
        names += ' ';
        names += k.name;
    }
    throw Error(ErrorCode::Usage, "unknown SIMD target " + mansuba::quoted(name),
                "this processor has: " + names);
}

}  // namespace mansuba::perft

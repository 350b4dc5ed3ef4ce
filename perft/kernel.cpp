#include "perft/kernel.hpp"

#include <string>
#include <vector>

#include "core/cpu.hpp"
#include "core/error.hpp"
#include "core/quote.hpp"
#include "perft/kernel_targets.hpp"

namespace mansuba::perft {
namespace {

std::vector<Kernel> usable_kernels() {
    std::vector<Kernel> usable{portable_kernel()};
#if MANSUBA_X86
    if (cpu().x86_64_v3) usable.push_back(v3_kernel());
    if (cpu().x86_64_v2) usable.push_back(sse4_kernel());
    if (cpu().fast_pext) usable.push_back(pext_kernel());
    if (cpu().x86_64_v3) usable.push_back(avx2_kernel());
    if (cpu().x86_64_v4) usable.push_back(avx512_kernel());
    if (cpu().ice_lake) usable.push_back(avx512icl_kernel());
#elif MANSUBA_ARM64
    usable.push_back(neon_kernel());
#endif
    return usable;
}

}  // namespace

std::span<const Kernel> kernels() {
    static const std::vector<Kernel> usable = usable_kernels();
    return usable;
}

const Kernel& kernel(std::string_view name) {
    if (name == "auto") return kernels().back();
    if (name == "scalar")
        for (auto k = kernels().rbegin();; ++k)
            if (k->lanes == 1) return *k;
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

#include "tablebase/solver.hpp"

#include <string>

#include "core/attacks.hpp"
#include "core/cpu.hpp"
#include "core/error.hpp"
#include "core/quote.hpp"

#if MANSUBA_X86
#include <immintrin.h>
#endif

namespace mansuba::tablebase {
namespace {

namespace portable {
#define MANSUBA_LANES 2
#include "tablebase/block_impl.hpp"
#include "tablebase/solver_impl.hpp"
#undef MANSUBA_LANES
}  // namespace portable

#if MANSUBA_X86
MANSUBA_BEGIN_X86_64_V3
namespace avx2 {
#define MANSUBA_LANES 4
#include "tablebase/block_impl.hpp"
#include "tablebase/solver_impl.hpp"
#undef MANSUBA_LANES
}  // namespace avx2
MANSUBA_END_TARGET

MANSUBA_BEGIN_X86_64_V4
namespace avx512 {
#define MANSUBA_LANES 8
#include "tablebase/block_impl.hpp"
#include "tablebase/solver_impl.hpp"
#undef MANSUBA_LANES
}  // namespace avx512
MANSUBA_END_TARGET
#endif

std::vector<SolverTarget> usable_targets() {
    std::vector<SolverTarget> usable{portable::make_target("portable", "two words a vector")};
#if MANSUBA_X86
    if (cpu().x86_64_v3) usable.push_back(avx2::make_target("avx2", "four words a vector"));
    if (cpu().x86_64_v4) usable.push_back(avx512::make_target("avx512", "eight words a vector"));
#endif
    return usable;
}

}  // namespace

std::span<const SolverTarget> solver_targets() {
    static const std::vector<SolverTarget> usable = usable_targets();
    return usable;
}

const SolverTarget& solver_target(std::string_view name) {
    if (name == "auto") return solver_targets().back();
    if (name == "scalar") return solver_targets().front();
    // MANSUBA_SIMD may ask for a kernel of perft that has no counterpart here: what comes nearest.
    if (name == "avx512icl" && cpu().ice_lake) name = "avx512";
    if ((name == "pext" || name == "v3") && cpu().x86_64_v3) name = "avx2";
    if (name == "sse4" || name == "neon") name = "portable";
    std::string names = "auto scalar";
    for (const SolverTarget& t : solver_targets()) {
        if (t.name == name) return t;
        names += ' ';
        names += t.name;
    }
    throw Error(ErrorCode::Usage, "unknown SIMD target " + mansuba::quoted(name),
                "this processor has: " + names);
}

}  // namespace mansuba::tablebase

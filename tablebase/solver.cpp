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
#endif

std::vector<SolverTarget> usable_targets() {
    std::vector<SolverTarget> usable{portable::make_target("portable", "two words a vector")};
#if MANSUBA_X86
    if (cpu().x86_64_v3) usable.push_back(avx2::make_target("avx2", "four words a vector"));
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
    for (const std::string_view wider : {"avx512icl", "avx512", "pext", "v3"})
        if (name == wider && solver_targets().size() > 1) return solver_targets().back();
    for (const std::string_view narrower : {"sse4", "neon"})
        if (name == narrower) return solver_targets().front();
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

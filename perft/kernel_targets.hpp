// The kernels by target, each compiled in a file of its own; whether the processor can run one is
// asked in perft/kernel.cpp.
#pragma once

#include "core/cpu.hpp"
#include "perft/kernel.hpp"

namespace mansuba::perft {

Kernel portable_kernel();
#if MANSUBA_X86
Kernel v3_kernel();
Kernel pext_kernel();
Kernel sse4_kernel();
Kernel avx2_kernel();
Kernel avx512_kernel();
Kernel avx512icl_kernel();
#endif
#if MANSUBA_ARM64
Kernel neon_kernel();
#endif

}  // namespace mansuba::perft

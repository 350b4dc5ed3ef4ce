// The groups of benchmarks of this room, and the kernel they run on.
#pragma once

#include <span>

#include "perft/kernel.hpp"

namespace mansuba::bench {

/// What MANSUBA_SIMD asks for, else the fastest. Throws Error(Usage) for an unknown name.
const perft::Kernel& chosen_kernel();

/// That one alone if MANSUBA_SIMD names it, else all that this processor can run.
std::span<const perft::Kernel> kernels_to_compare();

void register_perft();
void register_hash_table();

}  // namespace mansuba::bench

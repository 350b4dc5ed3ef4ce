// What a room of benchmarks tells the main() that all rooms share.
#pragma once

#include <string>

namespace mansuba::bench {

/// The SIMD target that the room's code runs on, for the context. Throws Error(Usage) if
/// MANSUBA_SIMD asks for one that is not there.
std::string simd_target();

/// Registers the room's benchmarks. Throws Error(Usage) as simd_target does.
void register_benchmarks();

}  // namespace mansuba::bench

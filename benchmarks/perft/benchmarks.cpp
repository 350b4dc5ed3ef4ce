#include "benchmarks/perft/benchmarks.hpp"

#include <cstdlib>
#include <string>
#include <string_view>

#include "benchmarks/room.hpp"

namespace mansuba::bench {
namespace {

std::string_view wished_target() {
    const char* const wish = std::getenv("MANSUBA_SIMD");
    return wish && *wish ? wish : "auto";
}

}  // namespace

const perft::Kernel& chosen_kernel() { return perft::kernel(wished_target()); }

std::span<const perft::Kernel> kernels_to_compare() {
    if (wished_target() == "auto") return perft::kernels();
    return {&chosen_kernel(), 1};
}

std::string simd_target() { return std::string(chosen_kernel().name); }

void register_benchmarks() {
    register_perft();
    register_hash_table();
}

}  // namespace mansuba::bench

// The main() of every room: records what the figures depend on, and ends with an error if a
// benchmark did not get the count it knows.
#include <exception>
#include <iostream>
#include <omp.h>
#include <string>

#include <benchmark/benchmark.h>

#include "benchmarks/checked.hpp"
#include "benchmarks/room.hpp"
#include "core/cpu.hpp"
#include "mansuba/version.hpp"

namespace {

constexpr int kCheckFailed = 1, kUsage = 2;

int run(int argc, char** argv) {
    benchmark::AddCustomContext("simd", mansuba::bench::simd_target());
    benchmark::AddCustomContext("threads", std::to_string(omp_get_max_threads()));
    benchmark::AddCustomContext("compiler", std::string(mansuba::kCompiler));
    benchmark::AddCustomContext("cpu", mansuba::cpu().name);
    benchmark::AddCustomContext("commit", std::string(mansuba::kCommit));
    benchmark::AddCustomContext("build_type", std::string(mansuba::kBuildType));
    mansuba::bench::register_benchmarks();
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return kUsage;
    const bool any_ran = benchmark::RunSpecifiedBenchmarks() > 0;
    benchmark::Shutdown();
    if (!any_ran) return kUsage;
    return mansuba::bench::any_failed() ? kCheckFailed : 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& e) {
        std::cerr << "error: " << e.what() << '\n';
        return kUsage;
    }
}

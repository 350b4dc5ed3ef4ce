#include "benchmarks/checked.hpp"

#include <atomic>

namespace mansuba::bench {
namespace {

// Google Benchmark's own report keeps the errors but does not hand them back.
std::atomic<bool> failed = false;

}  // namespace

void fail(benchmark::State& state, const std::string& what) {
    failed = true;
    state.SkipWithError(what.c_str());
}

bool any_failed() { return failed; }

bool is_expected(benchmark::State& state, Uint128 count, Uint128 expected) {
    if (count == expected) return true;
    fail(state, "counted " + to_string(count) + ", expected " + to_string(expected));
    return false;
}

void set_rate(benchmark::State& state, const char* name, std::uint64_t things) {
    state.counters[name] = benchmark::Counter(static_cast<double>(things),
                                              benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace mansuba::bench

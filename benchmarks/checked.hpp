// Benchmarks that know the answer: a wrong one is an error, not a fast result.
#pragma once

#include <cstdint>
#include <string>

#include <benchmark/benchmark.h>

#include "core/uint128.hpp"

namespace mansuba::bench {

/// Reports the benchmark as failed; the program's exit code will be 1. The caller returns.
void fail(benchmark::State& state, const std::string& what);

/// Whether `fail` was called by any benchmark so far.
bool any_failed();

/// Whether the count is the expected one; fails the benchmark otherwise.
bool is_expected(benchmark::State& state, Uint128 count, Uint128 expected);

/// Reports a rate, of so many things an iteration.
void set_rate(benchmark::State& state, const char* name, std::uint64_t things);

}  // namespace mansuba::bench

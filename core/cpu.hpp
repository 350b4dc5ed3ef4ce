// What this processor is and can do, asked once at run time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// Regions of code for more than the baseline instruction set. Everything between BEGIN and END,
// templates included, may use them; nothing there may be called on a processor without. Headers are
// included before a region starts, or their inline functions would be compiled for it too.
#if defined(__x86_64__)
#define MANSUBA_X86 1
// clang-format off
#if defined(__clang__)
#define MANSUBA_BEGIN_X86_64_V2 \
    _Pragma("clang attribute push(__attribute__((target(\"sse3,ssse3,sse4.1,sse4.2,popcnt\"))), apply_to = function)")
#define MANSUBA_BEGIN_X86_64_V3 \
    _Pragma("clang attribute push(__attribute__((target(\"avx2,bmi,bmi2,lzcnt,movbe,popcnt\"))), apply_to = function)")
#define MANSUBA_BEGIN_X86_64_V4 \
    _Pragma("clang attribute push(__attribute__((target(\"avx2,bmi,bmi2,lzcnt,movbe,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl\"))), apply_to = function)")
#define MANSUBA_BEGIN_ICE_LAKE \
    _Pragma("clang attribute push(__attribute__((target(\"avx2,bmi,bmi2,lzcnt,movbe,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512bitalg\"))), apply_to = function)")
#define MANSUBA_END_TARGET _Pragma("clang attribute pop")
#else
#define MANSUBA_BEGIN_X86_64_V2 \
    _Pragma("GCC push_options") _Pragma("GCC target(\"sse3,ssse3,sse4.1,sse4.2,popcnt\")")
#define MANSUBA_BEGIN_X86_64_V3 \
    _Pragma("GCC push_options") _Pragma("GCC target(\"avx2,bmi,bmi2,lzcnt,movbe,popcnt\")")
#define MANSUBA_BEGIN_X86_64_V4 \
    _Pragma("GCC push_options") _Pragma("GCC target(\"avx2,bmi,bmi2,lzcnt,movbe,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl\")")
#define MANSUBA_BEGIN_ICE_LAKE \
    _Pragma("GCC push_options") _Pragma("GCC target(\"avx2,bmi,bmi2,lzcnt,movbe,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512bitalg\")")
#define MANSUBA_END_TARGET _Pragma("GCC pop_options")
#endif
// clang-format on
#else
#define MANSUBA_X86 0
#endif
#if defined(__aarch64__)
#define MANSUBA_ARM64 1  // NEON is part of the baseline: no region
#else
#define MANSUBA_ARM64 0
#endif

namespace mansuba {

struct Cpu {
    std::string name;        // as the processor calls itself; may be empty
    bool x86_64_v2 = false;  // SSE4.2, SSSE3, POPCNT
    bool x86_64_v3 = false;  // AVX2, BMI1, BMI2, LZCNT, MOVBE, POPCNT, and the system saves them
    bool x86_64_v4 = false;  // AVX-512 F, BW, CD, DQ, VL, and the system saves them
    bool ice_lake = false;   // and AVX-512 BITALG
    bool fast_pext = false;  // PEXT in hardware: not before Zen 3 on AMD
};

/// The processor the program runs on. Thread safe.
const Cpu& cpu();

struct Memory {
    std::uint64_t total_bytes = 0;      // 0 where the system does not say
    std::uint64_t available_bytes = 0;  // without pushing anything else out
    std::string huge_pages;             // what the system grants: always, madvise, never; or empty
};
Memory memory();

}  // namespace mansuba

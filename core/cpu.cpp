#include "core/cpu.hpp"

#include <array>
#include <cstring>
#include <fstream>
#include <limits>

#if MANSUBA_X86
#include <cpuid.h>
#endif

namespace mansuba {
namespace {

#if MANSUBA_X86
struct Registers {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Registers cpuid(unsigned leaf) {
    Registers r;
    __get_cpuid(leaf, &r.eax, &r.ebx, &r.ecx, &r.edx);
    return r;
}

std::string brand() {
    if (__get_cpuid_max(0x80000000, nullptr) < 0x80000004) return {};
    std::array<char, 49> text{};
    for (unsigned i = 0; i < 3; ++i) {
        const Registers r = cpuid(0x80000002 + i);
        std::memcpy(text.data() + 16 * i, &r, sizeof r);
    }
    std::string name(text.data());
    const auto first = name.find_first_not_of(' ');
    if (first == std::string::npos) return {};
    return name.substr(first, name.find_last_not_of(' ') - first + 1);
}

/// AMD before Zen 3 (family 19h), and Hygon's Zen 1, run PEXT as microcode: 250 cycles and more.
bool pext_is_microcode() {
    const Registers vendor = cpuid(0);
    std::array<char, 13> text{};
    std::memcpy(text.data(), &vendor.ebx, 4);
    std::memcpy(text.data() + 4, &vendor.edx, 4);
    std::memcpy(text.data() + 8, &vendor.ecx, 4);
    const std::string_view name(text.data());
    if (name != "AuthenticAMD" && name != "HygonGenuine") return false;
    const unsigned signature = cpuid(1).eax;
    const unsigned base = signature >> 8 & 15;
    return base + (base == 15 ? signature >> 20 & 255 : 0) < 0x19;
}

Cpu detect() {
    Cpu c;
    c.name = brand();
    __builtin_cpu_init();
    c.x86_64_v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("ssse3") &&
                  __builtin_cpu_supports("popcnt");
    c.x86_64_v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                  __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
                  (cpuid(0x80000001).ecx >> 5 & 1) &&  // LZCNT
                  (cpuid(1).ecx >> 22 & 1);            // MOVBE
    c.x86_64_v4 = c.x86_64_v3 && __builtin_cpu_supports("avx512f") &&
                  __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    c.ice_lake = c.x86_64_v4 && __builtin_cpu_supports("avx512bitalg");
    c.fast_pext = c.x86_64_v3 && !pext_is_microcode();
    return c;
}
#else
Cpu detect() { return {}; }
#endif

}  // namespace

const Cpu& cpu() {
    static const Cpu detected = detect();
    return detected;
}

Memory memory() {
    Memory m;
    std::ifstream meminfo("/proc/meminfo");
    std::string name;
    std::uint64_t kib = 0;
    while (meminfo >> name >> kib) {
        if (name == "MemTotal:") m.total_bytes = kib << 10;
        if (name == "MemAvailable:") m.available_bytes = kib << 10;
        meminfo.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    // The choice in force stands in brackets: always [madvise] never.
    std::ifstream choices("/sys/kernel/mm/transparent_hugepage/enabled");
    for (std::string choice; choices >> choice;)
        if (choice.size() > 2 && choice.front() == '[')
            m.huge_pages = choice.substr(1, choice.size() - 2);
    return m;
}

}  // namespace mansuba

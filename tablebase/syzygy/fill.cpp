#include "tablebase/syzygy/fill.hpp"

#include <algorithm>
#include <bit>

namespace mansuba::tablebase::syzygy {
namespace {

/// Draws, losses and wins before what the 50-move rule makes of them.
std::uint16_t usual_of(unsigned may) {
    for (const unsigned v : {2u, 0u, 4u, 3u, 1u})
        if (may >> v & 1) return static_cast<std::uint16_t>(v);
    return static_cast<std::uint16_t>(__builtin_ctz(may));
}

constexpr std::size_t kLongRun = 32;

}  // namespace

void fill_sets(std::span<const std::uint8_t> may, std::uint64_t first, int fill,
               std::uint16_t* out) {
    // Taking each number as far as it goes makes the fewest runs.
    std::size_t begin = 0;
    while (begin < may.size()) {
        unsigned common = may[begin];
        std::size_t end = begin + 1;
        while (end < may.size() && (common & may[end])) common &= may[end++];
        std::fill(out + begin, out + end, usual_of(common));
        begin = end;
    }
    if (fill == Fill::Before) return;
    const auto trailing_zeros = [&](std::size_t i) { return std::countr_zero(first + i); };
    for (std::size_t end = 1; end < may.size(); ++end) {
        const unsigned before = out[end - 1], after = out[end];
        if (before == after) continue;
        std::size_t least = end;  // where `after` may begin
        while (least > 0 && out[least - 1] == before && (may[least - 1] >> after & 1)) --least;
        std::size_t at = end;
        if (fill == Fill::Aligned) {
            for (std::size_t i = least; i < end; ++i)
                if (trailing_zeros(i) > trailing_zeros(at)) at = i;
        } else if (fill == Fill::After || fill == Fill::Prefer + static_cast<int>(after)) {
            at = least;
        }
        std::fill(out + at, out + end, static_cast<std::uint16_t>(after));
    }
}

void fill_any(std::span<std::uint16_t> numbers, std::uint16_t usual) {
    for (std::size_t i = 0; i < numbers.size();) {
        if (numbers[i] != kAnyNumber) {
            ++i;
            continue;
        }
        std::size_t end = i;
        while (end < numbers.size() && numbers[end] == kAnyNumber) ++end;
        std::uint16_t fill = usual;
        if (end - i < kLongRun) {
            const std::uint16_t before = i > 0 ? numbers[i - 1] : kAnyNumber,
                                after = end < numbers.size() ? numbers[end] : kAnyNumber;
            fill = std::min(before, after);
            if (fill == kAnyNumber) fill = usual;
        }
        std::fill(numbers.begin() + static_cast<std::ptrdiff_t>(i),
                  numbers.begin() + static_cast<std::ptrdiff_t>(end), fill);
        i = end;
    }
}

}  // namespace mansuba::tablebase::syzygy

// Bytes of a file as numbers, and what is thrown where they make no sense.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/bitboard.hpp"

namespace mansuba::tablebase::syzygy {

using Bytes = std::span<const std::uint8_t>;

/// Thrown by what reads parts of a file. Table knows the file's name and makes an Error of it.
struct Damage {
    const char* what;
};

// Whatever the byte order of the machine; compilers make one load of each.
MANSUBA_INLINE std::uint16_t little16(const std::uint8_t* p) {
    return static_cast<std::uint16_t>(p[0] | p[1] << 8);
}
MANSUBA_INLINE std::uint32_t little32(const std::uint8_t* p) {
    return little16(p) | std::uint32_t{little16(p + 2)} << 16;
}
MANSUBA_INLINE std::uint64_t little64(const std::uint8_t* p) {
    return little32(p) | std::uint64_t{little32(p + 4)} << 32;
}
MANSUBA_INLINE std::uint32_t big32(const std::uint8_t* p) { return __builtin_bswap32(little32(p)); }
MANSUBA_INLINE std::uint64_t big64(const std::uint8_t* p) { return __builtin_bswap64(little64(p)); }

/// Walks through a file from its beginning. Throws Damage instead of passing the end.
class Cursor {
public:
    explicit Cursor(Bytes bytes) : bytes_(bytes) {}

    std::size_t left() const { return bytes_.size() - at_; }
    Bytes take(std::uint64_t size) {
        if (size > bytes_.size() - at_) throw Damage{"it ends too early"};
        const Bytes taken = bytes_.subspan(at_, static_cast<std::size_t>(size));
        at_ += static_cast<std::size_t>(size);
        return taken;
    }
    std::uint8_t u8() { return take(1)[0]; }
    std::uint16_t u16() { return little16(take(2).data()); }
    std::uint32_t u32() { return little32(take(4).data()); }
    /// To the next multiple, a power of two, counted from the beginning of the file.
    void align(std::size_t multiple) { take(-at_ & (multiple - 1)); }

private:
    Bytes bytes_;
    std::size_t at_ = 0;
};

}  // namespace mansuba::tablebase::syzygy

#include "tablebase/hdf5/codec.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <libdeflate.h>
#include <new>
#include <zlib.h>

namespace mansuba::tablebase::hdf5 {
namespace {

static_assert(std::endian::native == std::endian::little,
              "cells and checksums are little-endian in the file");

constexpr std::size_t kChecksumBytes = 4;

struct Free {
    void operator()(libdeflate_compressor* c) const { libdeflate_free_compressor(c); }
    void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
};

/// All low bytes, then all high bytes: where values are small, the second half is nearly constant.
void shuffle(std::span<const std::byte> from, std::byte* to) {
    const std::size_t n = from.size() / 2;
    for (std::size_t i = 0; i < n; ++i) {
        to[i] = from[2 * i];
        to[n + i] = from[2 * i + 1];
    }
}

void unshuffle(std::span<const std::byte> from, std::byte* to) {
    const std::size_t n = from.size() / 2;
    for (std::size_t i = 0; i < n; ++i) {
        to[2 * i] = from[i];
        to[2 * i + 1] = from[n + i];
    }
}

}  // namespace

std::uint32_t fletcher32(std::span<const std::byte> bytes) {
    // Reduced to 0 only if all is zero, else to 1...65535: however often one folds on the way.
    const auto fold = [](std::uint64_t x) {
        while (x >> 16) x = (x & 0xffff) + (x >> 16);
        return x;
    };
    constexpr std::size_t kBlockBytes = std::size_t{1} << 20;  // sums stay far below 2^64
    const auto at = [&](std::size_t i) { return static_cast<std::uint64_t>(bytes[i]); };
    const std::size_t even = bytes.size() & ~std::size_t{1};
    std::uint64_t sum1 = 0, sum2 = 0;
    for (std::size_t i = 0; i < even;) {
        for (const std::size_t end = std::min(even, i + kBlockBytes); i < end; i += 2)
            sum2 += sum1 += at(i) << 8 | at(i + 1);
        sum1 = fold(sum1);
        sum2 = fold(sum2);
    }
    if (even < bytes.size()) sum2 += sum1 += at(even) << 8;
    return static_cast<std::uint32_t>(fold(sum2) << 16 | fold(sum1));
}

std::uint32_t crc32_of(std::span<const std::byte> bytes, std::uint32_t before) {
    return libdeflate_crc32(before, bytes.data(), bytes.size());
}

std::uint32_t crc32_joined(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes) {
    return static_cast<std::uint32_t>(
        ::crc32_combine(first, second, static_cast<z_off_t>(second_bytes)));
}

struct Encoder::Compressor {
    std::unique_ptr<libdeflate_compressor, Free> deflate;
};

Encoder::Encoder(int level) : compressor_(std::make_unique<Compressor>()) {
    assert(level >= kMinLevel && level <= kMaxLevel);
    compressor_->deflate.reset(libdeflate_alloc_compressor(level));
    if (!compressor_->deflate) throw std::bad_alloc();
}
Encoder::~Encoder() = default;
Encoder::Encoder(Encoder&&) noexcept = default;
Encoder& Encoder::operator=(Encoder&&) noexcept = default;

std::span<const std::byte> Encoder::encode(std::span<const std::byte> cells,
                                           std::size_t padded_bytes, std::size_t element_bytes) {
    assert(cells.size() <= padded_bytes && padded_bytes % element_bytes == 0);
    std::vector<std::byte> padded;
    if (cells.size() < padded_bytes) {  // rare: chunks at an edge
        padded.assign(cells.begin(), cells.end());
        padded.resize(padded_bytes);
        cells = padded;
    }
    if (element_bytes == 2) {
        plain_.resize(padded_bytes);
        shuffle(cells, plain_.data());
        cells = plain_;
    }
    stored_.resize(max_stored_bytes(padded_bytes));
    const std::size_t n =
        libdeflate_zlib_compress(compressor_->deflate.get(), cells.data(), cells.size(),
                                 stored_.data(), stored_.size() - kChecksumBytes);
    assert(n > 0);  // libdeflate's promise for a buffer of its own bound
    const std::uint32_t checksum = fletcher32({stored_.data(), n});
    std::memcpy(stored_.data() + n, &checksum, kChecksumBytes);
    return {stored_.data(), n + kChecksumBytes};
}

std::size_t max_stored_bytes(std::size_t padded_bytes) {
    return libdeflate_zlib_compress_bound(nullptr, padded_bytes) + kChecksumBytes;
}

const char* decode(std::span<const std::byte> stored, std::size_t element_bytes,
                   std::span<std::byte> padded) {
    if (stored.size() < kChecksumBytes) return "damaged: too short";
    std::uint32_t checksum;
    std::memcpy(&checksum, stored.data() + stored.size() - kChecksumBytes, kChecksumBytes);
    stored = stored.first(stored.size() - kChecksumBytes);
    if (fletcher32(stored) != checksum) return "damaged: the checksum is wrong";

    thread_local const std::unique_ptr<libdeflate_decompressor, Free> inflate(
        libdeflate_alloc_decompressor());
    if (!inflate) throw std::bad_alloc();
    std::vector<std::byte> shuffled(element_bytes == 2 ? padded.size() : 0);
    const std::span<std::byte> plain = element_bytes == 2 ? shuffled : padded;
    // Without a place for the actual size, any other size than the buffer's is refused.
    if (libdeflate_zlib_decompress(inflate.get(), stored.data(), stored.size(), plain.data(),
                                   plain.size(), nullptr) != LIBDEFLATE_SUCCESS)
        return "damaged: it does not decompress";
    if (element_bytes == 2) unshuffle(plain, padded.data());
    return nullptr;
}

}  // namespace mansuba::tablebase::hdf5

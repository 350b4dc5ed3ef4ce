// Chunks as HDF5's stock filters store them (shuffle, deflate, fletcher32), made and read without
// HDF5, so that all threads can.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace mansuba::tablebase::hdf5 {

inline constexpr int kMinLevel = 1, kMaxLevel = 12;

/// HDF5's Fletcher checksum (its filter 3, H5_checksum_fletcher32): words of two bytes, the higher
/// byte first, an odd last byte being a high one; sums modulo 65535.
std::uint32_t fletcher32(std::span<const std::byte> bytes);

/// CRC-32 as zlib, gzip and PNG have it, going on from what came before (0: nothing).
std::uint32_t crc32_of(std::span<const std::byte> bytes, std::uint32_t before = 0);
/// Of two pieces, one after the other, from those of each.
std::uint32_t crc32_joined(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes);

/// Makes stored chunks. One thread at a time; costs about a megabyte.
class Encoder {
public:
    /// Levels of libdeflate, kMinLevel (fast) to kMaxLevel (small).
    explicit Encoder(int level);
    ~Encoder();
    Encoder(Encoder&&) noexcept;
    Encoder& operator=(Encoder&&) noexcept;

    /// The stored form of `cells`, zeros appended up to `padded_bytes`; elements of 1 or 2 bytes.
    /// Valid until the next call.
    std::span<const std::byte> encode(std::span<const std::byte> cells, std::size_t padded_bytes,
                                      std::size_t element_bytes);

private:
    struct Compressor;
    std::unique_ptr<Compressor> compressor_;
    std::vector<std::byte> plain_, stored_;
};

/// More bytes than this no chunk has in stored form.
std::size_t max_stored_bytes(std::size_t padded_bytes);

/// What was wrong with a stored chunk, or null. `padded` takes the cells with their padding and
/// must have its exact size; it is written to only after the checksum agreed. Thread-safe.
const char* decode(std::span<const std::byte> stored, std::size_t element_bytes,
                   std::span<std::byte> padded);

}  // namespace mansuba::tablebase::hdf5

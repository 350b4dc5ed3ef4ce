// The first 512 bytes of a table file, before HDF5's own: what proves the rest undamaged. The
// layout is in tablebase/FORMAT.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace mansuba::tablebase::hdf5 {

inline constexpr std::uint32_t kFormatVersion = 2;
inline constexpr std::size_t kSealBytes = 512;  // the least that HDF5 takes for a user block

/// A run of bytes of the file.
struct Extent {
    std::uint64_t offset;
    std::uint64_t bytes;
    friend bool operator==(const Extent&, const Extent&) = default;
};

struct Seal {
    static constexpr std::size_t kMaxExtents = 27;

    std::uint64_t file_bytes = 0;
    std::array<std::uint64_t, 2> content_digest{};  // XXH3-128 of all after the seal: low, high
    std::uint64_t structure_digest =
        0;                          // the low half of XXH3-128 of the extents, one after another
    std::vector<Extent> structure;  // all that is not compressed cells
};

/// The extents that are left when the chunks are taken out of [kSealBytes, file_bytes), at most
/// Seal::kMaxExtents: the smallest gaps between them are included where there would be more.
/// `chunks` may be given relative to the file or to the end of the seal (libraries differ): the
/// result covers what is left in either reading.
std::vector<Extent> structure_around(std::vector<Extent> chunks, std::uint64_t file_bytes);

/// Writes the seal of a closed file and syncs file to disk. Throws Error(File).
/// The file is read once from end to end.
void write_seal(const std::filesystem::path& path, std::vector<Extent> chunks);

/// Reads the seal and checks it, the file's length and its structure: cheap, and enough to let
/// HDF5 read the file. Throws Error(File): no such file, foreign, damaged, cut off, newer version.
Seal check_structure(const std::filesystem::path& path);

/// The same, and all other bytes.
void check_all_bytes(const std::filesystem::path& path);

}  // namespace mansuba::tablebase::hdf5

// Reading a table file: attributes, chunks, single cells through a cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tablebase/hdf5/attributes.hpp"
#include "tablebase/hdf5/chunk_cache.hpp"
#include "tablebase/hdf5/layout.hpp"

namespace mansuba::tablebase::hdf5 {

struct DatasetInfo {
    std::string group, name;
    CellType type;
    Layout layout;
    Attributes attributes;
};

/// An open table file. Opening checks the file's length and all that is not cells, and reads no
/// cell; each chunk is checked when it is read. So damage is met as Error(File) naming the file,
/// never as a value. The file must not be changed in place meanwhile; that another is renamed over
/// it does no harm. Uses one file descriptor. All functions but the constructor are const and may
/// be called by several threads; a program that uses HDF5 itself must not do so at the same time,
/// unless its HDF5 is a thread-safe one.
class Reader {
public:
    /// Throws Error(File): no such file, not readable, foreign, damaged, written by a newer
    /// version. Without a cache, cell() has none either.
    explicit Reader(const std::filesystem::path& path, std::shared_ptr<ChunkCache> cache = nullptr);
    ~Reader();
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    const std::filesystem::path& path() const;
    /// Of the whole file.
    const Attributes& attributes() const;
    /// All datasets, ordered by group, then name; the place in this list is a dataset's number.
    const std::vector<DatasetInfo>& datasets() const;
    /// The number of a dataset, if it is there.
    std::optional<std::size_t> find(std::string_view group, std::string_view name) const;

    /// An attribute of the whole file that must be there: T is one of AttributeValue's types. Throws
    /// Error(File) if it is not, or of another type.
    template <class T>
    const T& attribute(std::string_view name) const {
        const auto found = attributes().find(name);
        const T* value = found == attributes().end() ? nullptr : std::get_if<T>(&found->second);
        if (!value) lacks_attribute(name);
        return *value;
    }

    /// The cells of a chunk, without padding.
    std::vector<std::byte> read_chunk(std::size_t dataset, std::uint64_t chunk) const;
    /// Those of chunks from `first_chunk` on, as many as fill `cells` exactly (or Error(Internal)).
    /// Decompresses with all threads of OpenMP.
    void read_chunks(std::size_t dataset, std::uint64_t first_chunk,
                     std::span<std::byte> cells) const;
    /// All cells.
    std::vector<std::byte> read_all(std::size_t dataset) const;

    /// One cell, 0 to layout.cells() - 1. Tens of nanoseconds if its chunk is in the cache; else
    /// reads the chunk, and keeps it there.
    std::int32_t cell(std::size_t dataset, std::uint64_t index) const;

private:
    [[noreturn]] void lacks_attribute(std::string_view name) const;

    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Checks every byte of a file, and the checksums of the cells as a reader gets them. Throws
/// Error(File) that says what is wrong.
void verify_file(const std::filesystem::path& path);

}  // namespace mansuba::tablebase::hdf5

// Writing a table file: datasets of cells, chunk by chunk, and attributes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tablebase/hdf5/attributes.hpp"
#include "tablebase/hdf5/layout.hpp"

namespace mansuba::tablebase::hdf5 {

struct WriterOptions {
    int level = 6;    // of libdeflate: 1 (fast) to 12 (small)
    int threads = 0;  // that compress; 0: as many as OpenMP gives
};

/// A chunk as it stands in a file.
struct StoredChunk {
    std::vector<std::byte> bytes;
    std::uint32_t crc32;  // of the cells
};

/// Makes chunks for a Writer, which need not be in this process. Thread-safe.
class Compressor {
public:
    explicit Compressor(const WriterOptions& options);
    ~Compressor();

    /// The cells of chunks from `first_chunk` on, without padding: exactly layout.chunk_cells(first_chunk, n) *
    /// bytes_of(type) bytes for some n. Compresses with all threads.
    std::vector<StoredChunk> compress(const Layout& layout, CellType type,
                                      std::uint64_t first_chunk, std::span<const std::byte> cells);

private:
    struct Idle;
    WriterOptions options_;
    std::unique_ptr<Idle> idle_;
};

/// Writes a file that is there under its name as a whole or not at all: until commit() it has a
/// name of its own beside it (".KRPvKR.h5.tmp<pid>" for "KRPvKR.h5"), which goes if the Writer
/// does. Such files that a killed process left are removed by the next Writer of the same name.
///
/// A function throws Error(File) naming the file if writing fails (no space, no permission), and
/// Error(Internal) if it is used against its description. After either only the destructor is of
/// use. One thread at a time, but write_chunks().
class Writer {
public:
    explicit Writer(const std::filesystem::path& path, const WriterOptions& options = {});
    ~Writer();
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    /// Of the whole file; replaces one of that name. "format", "format_version" and
    /// "content_crc32" are set by commit().
    void set_attribute(const std::string& name, const AttributeValue& value);

    /// A new dataset /group/name without cells; its number, counted from 0, for what follows.
    std::size_t add_dataset(const std::string& group, const std::string& name, CellType type,
                            const Layout& layout);
    /// Another name for a dataset that is there: a hard link.
    void link(const std::string& group, const std::string& there, const std::string& name);
    /// Of a dataset. "crc32" is set by commit().
    void set_attribute(std::size_t dataset, const std::string& name, const AttributeValue& value);

    /// The cells of one chunk or several, as Compressor::compress() takes them. Chunks may come in
    /// any order, each once. Several threads may call it at a time. The file's bytes depend on the order of
    /// calls, not on the number of threads.
    void write_chunks(std::size_t dataset, std::uint64_t first_chunk,
                      std::span<const std::byte> cells);
    /// The same of chunks that a Compressor with the same options made.
    void write_stored(std::size_t dataset, std::uint64_t first_chunk,
                      std::span<const StoredChunk> chunks);

    /// When every chunk of every dataset was written: adds the checksums, syncs the file and
    /// renames it to its final name. Reads the file once.
    void commit();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace mansuba::tablebase::hdf5

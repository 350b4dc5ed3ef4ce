// Writing a table file: datasets of cells, chunk by chunk, and attributes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "tablebase/hdf5/attributes.hpp"
#include "tablebase/hdf5/layout.hpp"

namespace mansuba::tablebase::hdf5 {

struct WriterOptions {
    int level = 6;    // of libdeflate: 1 (fast) to 12 (small)
    int threads = 0;  // that compress; 0: as many as OpenMP gives
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

    /// The cells of one chunk or several, from chunk `first_chunk` on, without padding: exactly
    /// layout.chunk_cells(first_chunk, n) * bytes_of(type) bytes for some n. Chunks may come in
    /// any order, each once. Compresses with all threads; several threads may call it at a time.
    /// The file's bytes depend on the order of calls, not on the number of threads.
    void write_chunks(std::size_t dataset, std::uint64_t first_chunk,
                      std::span<const std::byte> cells);

    /// When every chunk of every dataset was written: adds the checksums, syncs the file and
    /// renames it to its final name. Reads the file once.
    void commit();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace mansuba::tablebase::hdf5

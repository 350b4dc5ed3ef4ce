// A file in memory, as far as it is looked at.
#pragma once

#include <filesystem>

#include "tablebase/syzygy/bytes.hpp"

namespace mansuba::tablebase::syzygy {

/// A regular file, mapped read-only. The system loads the pages that are touched; a file that shrinks
/// while it is mapped ends the process with SIGBUS, as everywhere.
class MappedFile {
public:
    /// Throws Error(File) naming the file.
    explicit MappedFile(const std::filesystem::path& path);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    Bytes bytes() const { return bytes_; }
    /// Tells the system whether pages will be wanted one here, one there, or one after the other.
    enum class Access { Random, Sequential };
    void expect(Access access) const;

private:
    Bytes bytes_;
};

}  // namespace mansuba::tablebase::syzygy

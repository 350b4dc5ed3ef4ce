// The Syzygy files of a directory, and the values of positions that they give together.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/position.hpp"
#include "tablebase/codes.hpp"
#include "tablebase/material.hpp"
#include "tablebase/syzygy/table.hpp"

namespace mansuba::tablebase::syzygy {

/// Files are looked for once, by their names, and opened when they are first needed. All members may be
/// called by several threads at once.
class Directory {
public:
    /// Throws Error(File) if the directory cannot be read. Files of other names are left alone.
    explicit Directory(const std::filesystem::path& path, Check check = Check::Content);
    ~Directory();
    Directory(Directory&&) noexcept;
    Directory& operator=(Directory&&) noexcept;

    /// The file of a material (in normal form), opened; nullptr if the directory has none. Throws
    /// Error(File) as Table does. It lives as long as the directory.
    const Table* table(const Material& material, Kind kind) const;

    /// The names of the files that probing positions of this material may need, its own included, and
    /// that the directory lacks: "KQvKR.rtbw". Empty: all are there.
    std::vector<std::string> missing(const Material& material) const;

    /// The value of a position, en passant rights honoured, as if its half-move clock were 0: captures
    /// are looked at, for files hold less where one gives the value. Nothing if a file that is needed
    /// is not there. Throws Error(Input) if a side may castle, Error(File) if a file is damaged.
    std::optional<Wdl> wdl(const Position& position) const;

    /// The distance to zeroing in the same way; needs WDL files as well. Where a file is about the other
    /// side to move, one move is looked ahead.
    std::optional<Dtz> dtz(const Position& position) const;

private:
    class Files;
    std::unique_ptr<const Files> files_;
};

}  // namespace mansuba::tablebase::syzygy

// Whole files, in and out, so that a reader never meets half of one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace mansuba {

/// Reads a regular file. Throws Error(File) naming it if it is none or cannot be read.
std::vector<std::byte> read_file(const std::filesystem::path& path);

/// Writes a file beside its final name, syncs it, and renames it over the final name: whatever
/// stops the program or the machine, the old content or the new is there, never a part. Throws
/// Error(File) naming it, and leaves the old content, if that fails (disk full, no permission).
void write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> content);

}  // namespace mansuba

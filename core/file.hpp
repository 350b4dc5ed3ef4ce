// Files, in and out, so that a reader never meets half of one.
#pragma once

#include <cstddef>
#include <cstdint>
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

/// A file that is written from front to back. It goes again unless it was finished. Errors are
/// Error(File), naming it.
class NewFile {
public:
    /// What is there is overwritten. `called` is its name in errors, if another.
    explicit NewFile(std::filesystem::path path, std::filesystem::path called = {});
    ~NewFile();
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    void write(std::span<const std::byte> bytes);
    /// All is on disk; it stays.
    void finish();

private:
    [[noreturn]] void fail() const;

    std::filesystem::path path_, called_;
    int file_ = -1;
    bool finished_ = false;
};

/// A regular file that is read here and there. Thread-safe. Errors are Error(File), naming it.
class OldFile {
public:
    explicit OldFile(std::filesystem::path path);
    ~OldFile();
    OldFile(const OldFile&) = delete;
    OldFile& operator=(const OldFile&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::uint64_t size() const { return size_; }
    /// Fills `bytes`; an error if the file ends before.
    void read_at(std::uint64_t offset, std::span<std::byte> bytes) const;

private:
    std::filesystem::path path_;
    int file_ = -1;
    std::uint64_t size_ = 0;
};

}  // namespace mansuba

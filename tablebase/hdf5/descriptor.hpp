// A POSIX file descriptor that closes itself.
#pragma once

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

#include "core/error.hpp"

namespace mansuba::tablebase::hdf5 {

class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&&) = delete;
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }

private:
    int fd_;
};

/// Error(File) from errno.
[[noreturn]] inline void fail_by_errno(std::string_view what, const std::filesystem::path& path) {
    throw Error(ErrorCode::File, std::string(what) + ": " + std::strerror(errno), path.string());
}

}  // namespace mansuba::tablebase::hdf5

#include "core/file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include <sys/stat.h>

#include "core/error.hpp"

namespace mansuba {
namespace {

class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    Descriptor& operator=(Descriptor&&) = delete;
    int get() const { return fd_; }
    int release() { return std::exchange(fd_, -1); }

private:
    int fd_;
};

[[noreturn]] void fail(const char* what, const std::filesystem::path& path) {
    throw Error(ErrorCode::File, std::string(what) + ": " + std::strerror(errno), path.string());
}

struct Opened {
    Descriptor file;
    std::uint64_t size;
};
Opened open_regular(const std::filesystem::path& path) {
    Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.get() < 0) fail("cannot open", path);
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) fail("cannot read", path);
    // A device may have no end, and what is saved here later would take its place.
    if (!S_ISREG(status.st_mode)) throw Error(ErrorCode::File, "not a regular file", path.string());
    return {std::move(file), static_cast<std::uint64_t>(status.st_size)};
}

}  // namespace

std::vector<std::byte> read_file(const std::filesystem::path& path) {
    const auto [file, size] = open_regular(path);
    std::vector<std::byte> content;
    std::size_t used = 0;
    for (;;) {  // the size is a hint: files grow
        const std::size_t ahead = static_cast<std::size_t>(size) + 1;
        content.resize(used + (used == 0 ? ahead : std::size_t{1} << 16));
        const ssize_t n = ::read(file.get(), content.data() + used, content.size() - used);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail("cannot read", path);
        if (n == 0) break;
        used += static_cast<std::size_t>(n);
    }
    content.resize(used);
    return content;
}

void write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> content) {
    std::filesystem::path temporary = path;
    temporary += ".tmp" + std::to_string(::getpid());
    {
        NewFile file(temporary, path);
        file.write(content);
        file.finish();
    }
    if (::rename(temporary.c_str(), path.c_str()) != 0) {
        const int reason = errno;
        ::unlink(temporary.c_str());
        errno = reason;
        fail("cannot write", path);
    }
    // The rename itself lasts once the directory is on disk; some file systems cannot sync one.
    const std::filesystem::path directory = path.has_parent_path() ? path.parent_path() : ".";
    const Descriptor parent(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (parent.get() >= 0) ::fsync(parent.get());
}

NewFile::NewFile(std::filesystem::path path, std::filesystem::path called)
    : path_(std::move(path)), called_(called.empty() ? path_ : std::move(called)) {
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file_ < 0) fail();
}

NewFile::~NewFile() {
    if (file_ >= 0) ::close(file_);
    if (!finished_) ::unlink(path_.c_str());
}

void NewFile::write(std::span<const std::byte> bytes) {
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t n = ::write(file_, bytes.data() + done, bytes.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail();
        done += static_cast<std::size_t>(n);
    }
}

void NewFile::finish() {
    if (::fsync(file_) != 0) fail();
    const int file = std::exchange(file_, -1);
    if (::close(file) != 0) fail();
    finished_ = true;
}

void NewFile::fail() const { mansuba::fail("cannot write", called_); }

OldFile::OldFile(std::filesystem::path path) : path_(std::move(path)) {
    Opened opened = open_regular(path_);
    size_ = opened.size;
    file_ = opened.file.release();
}

OldFile::~OldFile() { ::close(file_); }

void OldFile::read_at(std::uint64_t offset, std::span<std::byte> bytes) const {
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t n = ::pread(file_, bytes.data() + done, bytes.size() - done,
                                  static_cast<off_t>(offset + done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail("cannot read", path_);
        if (n == 0) throw Error(ErrorCode::File, "cut short", path_.string());
        done += static_cast<std::size_t>(n);
    }
}

}  // namespace mansuba

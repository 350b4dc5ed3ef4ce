#include "tablebase/syzygy/mapped_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/stat.h>

#include "core/error.hpp"

namespace mansuba::tablebase::syzygy {
namespace {

[[noreturn]] void fail(const char* what, const std::filesystem::path& path) {
    throw Error(ErrorCode::File, std::string(what) + ": " + std::strerror(errno), path.string());
}

struct Descriptor {
    int fd;
    ~Descriptor() {
        if (fd >= 0) ::close(fd);
    }
};

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
    const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file.fd < 0) fail("cannot open", path);
    struct stat status {};
    if (::fstat(file.fd, &status) != 0) fail("cannot read", path);
    if (!S_ISREG(status.st_mode)) throw Error(ErrorCode::File, "not a regular file", path.string());
    if (status.st_size == 0) return;  // nothing is not mapped
    const auto size = static_cast<std::size_t>(status.st_size);
    void* const start = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.fd, 0);
    if (start == MAP_FAILED) fail("cannot map", path);
    bytes_ = {static_cast<const std::uint8_t*>(start), size};
}

MappedFile::~MappedFile() {
    if (!bytes_.empty()) ::munmap(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size());
}

void MappedFile::expect(Access access) const {
    if (!bytes_.empty())
        ::madvise(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size(),
                  access == Access::Random ? MADV_RANDOM : MADV_SEQUENTIAL);
}

}  // namespace mansuba::tablebase::syzygy

#include "tablebase/hdf5/seal.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <span>
#include <xxhash.h>

#include <sys/stat.h>

#include "tablebase/hdf5/descriptor.hpp"

namespace mansuba::tablebase::hdf5 {
namespace {

static_assert(std::endian::native == std::endian::little, "the seal is little-endian");

struct StoredSeal {
    char magic[16];
    std::uint32_t version;
    std::uint32_t seal_bytes;
    std::uint64_t file_bytes;
    std::uint64_t content_digest[2];
    std::uint64_t structure_digest;
    std::uint32_t extent_count;
    std::uint32_t zero;
    Extent extents[Seal::kMaxExtents];
    std::uint64_t also_zero;
    std::uint64_t own_digest;  // XXH3-64 of all before it; here in every version
};
static_assert(sizeof(StoredSeal) == kSealBytes && offsetof(StoredSeal, own_digest) == 504);

constexpr char kMagic[16] = "mansuba table\n";

std::uint64_t own_digest(const StoredSeal& seal) {
    return XXH3_64bits(&seal, offsetof(StoredSeal, own_digest));
}

[[noreturn]] void refuse(const char* what, const std::filesystem::path& path) {
    throw Error(ErrorCode::File, what, path.string());
}

/// Reads bytes [offset, offset + bytes.size()), fewer only at the end of the file.
std::size_t read_at(int fd, std::uint64_t offset, std::span<std::byte> bytes,
                    const std::filesystem::path& path) {
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t n = ::pread(fd, bytes.data() + done, bytes.size() - done,
                                  static_cast<off_t>(offset + done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail_by_errno("cannot read", path);
        if (n == 0) break;
        done += static_cast<std::size_t>(n);
    }
    return done;
}

/// XXH3 of parts of a file.
class Digest {
public:
    Digest() : state_(XXH3_createState()) {
        if (!state_) throw std::bad_alloc();
        XXH3_128bits_reset(state_.get());
    }
    void add(int fd, const Extent& extent, const std::filesystem::path& path) {
        std::vector<std::byte> buffer(std::min<std::uint64_t>(extent.bytes, std::size_t{1} << 20));
        for (std::uint64_t done = 0; done < extent.bytes;) {
            const std::size_t want = std::min<std::uint64_t>(buffer.size(), extent.bytes - done);
            if (read_at(fd, extent.offset + done, std::span(buffer).first(want), path) != want)
                refuse("damaged: the file is cut off", path);
            XXH3_128bits_update(state_.get(), buffer.data(), want);
            done += want;
        }
    }
    std::array<std::uint64_t, 2> value() const {
        const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
        return {hash.low64, hash.high64};
    }

private:
    struct Free {
        void operator()(XXH3_state_t* s) const { XXH3_freeState(s); }
    };
    std::unique_ptr<XXH3_state_t, Free> state_;
};

std::uint64_t structure_digest(int fd, const std::vector<Extent>& extents,
                               const std::filesystem::path& path) {
    Digest digest;
    for (const Extent& extent : extents) digest.add(fd, extent, path);
    return digest.value()[0];
}

std::array<std::uint64_t, 2> content_digest(int fd, std::uint64_t file_bytes,
                                            const std::filesystem::path& path) {
    Digest digest;
    digest.add(fd, {kSealBytes, file_bytes - kSealBytes}, path);
    return digest.value();
}

std::uint64_t size_of(int fd, const std::filesystem::path& path) {
    struct stat status {};
    if (::fstat(fd, &status) != 0) fail_by_errno("cannot read", path);
    if (!S_ISREG(status.st_mode)) refuse("not a regular file", path);
    return static_cast<std::uint64_t>(status.st_size);
}

Descriptor open_to_read(const std::filesystem::path& path) {
    // O_NONBLOCK: a pipe of that name must not hold us up.
    Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file) fail_by_errno("cannot open", path);
    return file;
}

Seal check_structure(int fd, const std::filesystem::path& path) {
    const std::uint64_t file_bytes = size_of(fd, path);
    StoredSeal stored;
    const std::size_t n = read_at(fd, 0, std::as_writable_bytes(std::span(&stored, 1)), path);
    if (n < sizeof kMagic || std::memcmp(stored.magic, kMagic, sizeof kMagic) != 0)
        refuse("not an endgame table of mansuba", path);
    if (n < sizeof stored) refuse("damaged: the file is cut off", path);
    if (own_digest(stored) != stored.own_digest) refuse("damaged: the seal is wrong", path);
    // Trusted from here on; but a newer version may mean other things by it.
    if (stored.version > kFormatVersion) {
        const std::string what = "written by a newer version (format " +
                                 std::to_string(stored.version) + ", known up to " +
                                 std::to_string(kFormatVersion) + ")";
        refuse(what.c_str(), path);
    }
    if (stored.version < kFormatVersion) refuse("written by an older version; build it anew", path);
    if (stored.seal_bytes != kSealBytes || stored.extent_count > Seal::kMaxExtents)
        refuse("damaged: the seal makes no sense", path);
    if (file_bytes < stored.file_bytes) refuse("damaged: the file is cut off", path);
    if (file_bytes > stored.file_bytes) refuse("damaged: the file has grown", path);

    Seal seal;
    seal.file_bytes = stored.file_bytes;
    seal.content_digest = {stored.content_digest[0], stored.content_digest[1]};
    seal.structure_digest = stored.structure_digest;
    seal.structure.assign(stored.extents, stored.extents + stored.extent_count);
    if (structure_digest(fd, seal.structure, path) != seal.structure_digest)
        refuse("damaged: the structure's checksum is wrong", path);
    return seal;
}

}  // namespace

std::vector<Extent> structure_around(std::vector<Extent> chunks, std::uint64_t file_bytes) {
    std::sort(chunks.begin(), chunks.end(),
              [](const Extent& a, const Extent& b) { return a.offset < b.offset; });
    std::vector<Extent> result;
    std::uint64_t from = kSealBytes;
    for (std::size_t i = 0; i < chunks.size();) {
        const std::uint64_t begin = chunks[i].offset;
        std::uint64_t end = begin;
        for (; i < chunks.size() && chunks[i].offset <= end; ++i)
            end = std::max(end, chunks[i].offset + chunks[i].bytes);
        // A run of chunks begins kSealBytes later if its offsets count from the end of the seal.
        const std::uint64_t certain = std::max(from, begin + kSealBytes);
        if (certain >= end) continue;
        result.push_back({from, certain - from});
        from = end;
    }
    if (from < file_bytes) result.push_back({from, file_bytes - from});

    while (result.size() > Seal::kMaxExtents) {
        const auto gap_after = [](const Extent& e) { return (&e)[1].offset - e.offset - e.bytes; };
        const auto smallest = std::min_element(
            result.begin(), result.end() - 1,
            [&](const auto& a, const auto& b) { return gap_after(a) < gap_after(b); });
        smallest->bytes = smallest[1].offset + smallest[1].bytes - smallest->offset;
        result.erase(smallest + 1);
    }
    return result;
}

void write_seal(const std::filesystem::path& path, std::vector<Extent> chunks) {
    const Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (!file) fail_by_errno("cannot write", path);
    StoredSeal stored{};
    std::memcpy(stored.magic, kMagic, sizeof kMagic);
    stored.version = kFormatVersion;
    stored.seal_bytes = kSealBytes;
    stored.file_bytes = size_of(file.get(), path);
    const std::vector<Extent> structure = structure_around(std::move(chunks), stored.file_bytes);
    const auto digest = content_digest(file.get(), stored.file_bytes, path);
    std::copy(digest.begin(), digest.end(), stored.content_digest);
    stored.structure_digest = structure_digest(file.get(), structure, path);
    stored.extent_count = static_cast<std::uint32_t>(structure.size());
    std::copy(structure.begin(), structure.end(), stored.extents);
    stored.own_digest = own_digest(stored);

    ssize_t n;
    do n = ::pwrite(file.get(), &stored, sizeof stored, 0);
    while (n < 0 && errno == EINTR);
    if (n >= 0 && n != sizeof stored) errno = ENOSPC;
    if (n != sizeof stored || ::fsync(file.get()) != 0) fail_by_errno("cannot write", path);
}

Seal check_structure(const std::filesystem::path& path) {
    return check_structure(open_to_read(path).get(), path);
}

void check_all_bytes(const std::filesystem::path& path) {
    const Descriptor file = open_to_read(path);
    const Seal seal = check_structure(file.get(), path);
    if (content_digest(file.get(), seal.file_bytes, path) != seal.content_digest)
        refuse("damaged: the file's checksum is wrong", path);
}

}  // namespace mansuba::tablebase::hdf5

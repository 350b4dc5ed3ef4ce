#include "perft/checkpoint.hpp"

#define XXH_INLINE_ALL
#include <array>
#include <cstring>
#include <string>
#include <xxhash.h>

#include "core/error.hpp"
#include "core/file.hpp"

namespace mansuba::perft {
namespace {

constexpr std::array<char, 8> kMagic{'M', 'N', 'S', 'B', 'P', 'F', 'T', '\0'};
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kBlackToMove = 1, kMerged = 2, kDetail = 4, kEach = 8;
constexpr std::size_t kHeaderBytes = 8 + 4 + 4 + 32 + 4 + 4 + 8 + 8, kChecksumBytes = 8;

std::size_t record_bytes(bool detail) { return 4 + 16 + (detail ? 9 * 16 : 0); }

class Writer {
public:
    template <class Number>
    void put(Number n) {
        for (std::size_t i = 0; i < sizeof n; ++i, n = static_cast<Number>(n >> 4 >> 4))
            bytes_.push_back(static_cast<std::byte>(n & 0xff));
    }
    std::vector<std::byte>& bytes() { return bytes_; }

private:
    std::vector<std::byte> bytes_;
};

class Reader {
public:
    explicit Reader(const std::byte* at) : at_(at) {}
    template <class Number>
    Number get() {
        Number n = 0;
        for (std::size_t i = 0; i < sizeof n; ++i)
            n = static_cast<Number>(n | static_cast<Number>(static_cast<Number>(*at_++) << 8 * i));
        return n;
    }

private:
    const std::byte* at_;
};

}  // namespace

void save_checkpoint(const std::filesystem::path& path, const Checkpoint& c) {
    const CheckpointIdentity& id = c.identity;
    Writer w;
    w.bytes().reserve(kHeaderBytes + c.finished.size() * record_bytes(id.detail) + kChecksumBytes);
    for (const char byte : kMagic) w.put(static_cast<std::uint8_t>(byte));
    w.put(kVersion);
    w.put((id.side_to_move == Color::Black ? kBlackToMove : 0) | (id.merged ? kMerged : 0) |
          (id.detail ? kDetail : 0) | (id.bulk ? 0 : kEach));
    for (const Bitboard word : {id.root.plane0, id.root.plane1, id.root.plane2, id.root.black})
        w.put(word);
    w.put(static_cast<std::uint32_t>(id.depth));
    w.put(static_cast<std::uint32_t>(id.plies));
    w.put(c.units);
    w.put(static_cast<std::uint64_t>(c.finished.size()));
    for (const UnitResult& u : c.finished) {
        w.put(u.unit);
        w.put(u.nodes);
        if (id.detail)
            for (const auto field : kDetailFields) w.put(u.detail.*field);
    }
    w.put(static_cast<std::uint64_t>(XXH3_64bits(w.bytes().data(), w.bytes().size())));
    write_file_atomically(path, w.bytes());
}

Checkpoint load_checkpoint(const std::filesystem::path& path) {
    const std::vector<std::byte> bytes = read_file(path);
    const auto fail = [&](const char* what) { throw Error(ErrorCode::File, what, path.string()); };
    if (bytes.size() < kMagic.size() ||
        std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0)
        fail("not a perft checkpoint");
    if (bytes.size() < kHeaderBytes + kChecksumBytes) fail("damaged checkpoint: cut short");
    Reader r(bytes.data() + kMagic.size());
    if (r.get<std::uint32_t>() != kVersion) fail("checkpoint of another version");
    const std::size_t content = bytes.size() - kChecksumBytes;
    if (Reader(bytes.data() + content).get<std::uint64_t>() != XXH3_64bits(bytes.data(), content))
        fail("damaged checkpoint: wrong checksum");

    Checkpoint c;
    const auto flags = r.get<std::uint32_t>();
    c.identity.side_to_move = flags & kBlackToMove ? Color::Black : Color::White;
    c.identity.merged = flags & kMerged;
    c.identity.detail = flags & kDetail;
    c.identity.bulk = !(flags & kEach);
    for (Bitboard Board::*word : {&Board::plane0, &Board::plane1, &Board::plane2, &Board::black})
        c.identity.root.*word = r.get<std::uint64_t>();
    c.identity.depth = static_cast<int>(r.get<std::uint32_t>());
    c.identity.plies = static_cast<int>(r.get<std::uint32_t>());
    c.units = r.get<std::uint64_t>();
    const auto finished = r.get<std::uint64_t>();
    const std::size_t record = record_bytes(c.identity.detail);
    if ((content - kHeaderBytes) % record != 0 || finished != (content - kHeaderBytes) / record)
        fail("damaged checkpoint: wrong length");
    c.finished.resize(finished);
    for (UnitResult& u : c.finished) {
        u.unit = r.get<std::uint32_t>();
        u.nodes = r.get<Uint128>();
        if (c.identity.detail)
            for (const auto field : kDetailFields) u.detail.*field = r.get<Uint128>();
    }
    return c;
}

}  // namespace mansuba::perft

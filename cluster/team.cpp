#include "cluster/team.hpp"

#include <algorithm>
#include <chrono>
#include <libdeflate.h>
#include <new>
#include <thread>

#include "cluster/remote_error.hpp"

namespace mansuba::cluster {
namespace {

/// Before the first piece of a message. Packed or as it stands: whichever is shorter.
struct Head {
    std::uint64_t raw_bytes, packed_bytes;
};
/// What is shorter is not worth packing.
constexpr std::size_t kPackedFrom = 256;

}  // namespace

struct RankTeam::Packer {
    libdeflate_compressor* compressor = libdeflate_alloc_compressor(1);
    libdeflate_decompressor* decompressor = libdeflate_alloc_decompressor();
    Packer() {
        if (!compressor || !decompressor) throw std::bad_alloc();
    }
    ~Packer() {
        libdeflate_free_compressor(compressor);
        libdeflate_free_decompressor(decompressor);
    }
    Packer(const Packer&) = delete;
    Packer& operator=(const Packer&) = delete;
};

RankTeam::RankTeam(Transport& transport, const std::atomic<bool>* stop)
    : transport_(transport),
      stop_(stop),
      pieces_(static_cast<std::size_t>(transport.size())),
      packer_(std::make_unique<Packer>()) {}

RankTeam::~RankTeam() = default;

void RankTeam::send(int to, std::span<const std::byte> bytes, Pack pack) {
    std::vector<std::byte> message(sizeof(Head) + bytes.size());
    Head head{bytes.size(), bytes.size()};
    if (pack == Pack::Yes && bytes.size() >= kPackedFrom)
        if (const std::size_t packed =
                libdeflate_deflate_compress(packer_->compressor, bytes.data(), bytes.size(),
                                            message.data() + sizeof head, bytes.size() - 1))
            head.packed_bytes = packed;
    if (head.packed_bytes == bytes.size())
        std::copy(bytes.begin(), bytes.end(), message.begin() + sizeof head);
    std::memcpy(message.data(), &head, sizeof head);
    message.resize(sizeof head + head.packed_bytes);
    for (std::size_t at = 0; at < message.size(); at += kMaxPieceBytes)
        transport_.send(
            to, kTeamPiece,
            std::span(message).subspan(at, std::min(kMaxPieceBytes, message.size() - at)));
}

void RankTeam::take_in(Message message) {
    if (message.kind == kTeamPiece) {
        pieces_.at(static_cast<std::size_t>(message.from)).push_back(std::move(message.bytes));
        return;
    }
    if (message.kind == kTeamFailed) {
        other_failed_ = true;
        throw unpack_error(message);
    }
    const bool over = message.kind == kFinish;
    others_.push_back(std::move(message));
    if (over) throw Error(ErrorCode::Interrupted, "the job is over");
}

std::vector<std::byte> RankTeam::receive(int from) {
    auto& pieces = pieces_.at(static_cast<std::size_t>(from));
    std::vector<std::byte> message;
    const auto add_piece = [&] {
        for (int idle = 0; pieces.empty(); ++idle) {
            if (auto next = transport_.receive()) {
                take_in(std::move(*next));
                idle = 0;
            } else if (idle < 2000) {
                std::this_thread::yield();
            } else {
                std::this_thread::sleep_for(std::chrono::microseconds(100));
            }
        }
        message.insert(message.end(), pieces.front().begin(), pieces.front().end());
        pieces.pop_front();
    };
    const auto fail = [] {
        throw Error(ErrorCode::Internal, "a message between ranks makes no sense");
    };
    add_piece();
    Head head;
    if (message.size() < sizeof head) fail();
    std::memcpy(&head, message.data(), sizeof head);
    while (message.size() < sizeof head + head.packed_bytes) add_piece();
    if (message.size() != sizeof head + head.packed_bytes) fail();
    if (head.packed_bytes == head.raw_bytes) {
        message.erase(message.begin(), message.begin() + sizeof head);
        return message;
    }
    std::vector<std::byte> bytes(head.raw_bytes);
    if (libdeflate_deflate_decompress(packer_->decompressor, message.data() + sizeof head,
                                      head.packed_bytes, bytes.data(), bytes.size(),
                                      nullptr) != LIBDEFLATE_SUCCESS)
        fail();
    return bytes;
}

void RankTeam::fail(const Error& error) {
    if (other_failed_) return;
    for (int rank = 0; rank < size(); ++rank)
        if (rank != member()) transport_.send(rank, kTeamFailed, pack(error));
}

}  // namespace mansuba::cluster

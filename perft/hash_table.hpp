// A hash table for perft that many threads share without locks, and whose hits are exact.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "core/bitboard.hpp"
#include "perft/packed_board.hpp"

namespace mansuba::perft {

/// Leaf counts by position and remaining depth. An entry holds the whole board (24 bytes) and not a
/// hash of it, so a hit is never another position; the side to move follows from the remaining
/// depth and is asked for by none: one table serves one count.
///
/// Entries are read while others write them. Each carries a version in its last word that a writer
/// changes before and after (a seqlock): a reader that sees it change, or a writer at work, misses.
/// Method: seqlocks with atomic data, Hans-J. Boehm, MSPC 2012.
class HashTable {
public:
    /// Counts of kMaxCount and more are not stored. 2^52 leaves take a core weeks.
    static constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 52;
    static constexpr int kMaxDepth = 31;

    /// Takes at most `bytes`, in pages of 2 MiB where the system gives them; empty at first. Throws
    /// Error(Usage) if less than one bucket is asked for or the memory cannot be had.
    explicit HashTable(std::uint64_t bytes);
    ~HashTable();
    HashTable(const HashTable&) = delete;
    HashTable& operator=(const HashTable&) = delete;

    std::uint64_t bytes() const { return buckets_ * sizeof(Bucket); }

    MANSUBA_INLINE void prefetch(std::uint64_t key) const { __builtin_prefetch(&bucket(key)); }

    /// The count of this board at this remaining depth, if it is there.
    MANSUBA_INLINE bool find(std::uint64_t key, const PackedBoard& board, int depth,
                             std::uint64_t& count) const {
        for (const Slot& slot : bucket(key).slots) {
            const std::uint64_t meta = slot.meta.load(std::memory_order_acquire);
            if ((meta & kDepthMask) != static_cast<std::uint64_t>(depth) << kDepthShift) continue;
            const PackedBoard held{slot.board[0].load(std::memory_order_acquire),
                                   slot.board[1].load(std::memory_order_acquire),
                                   slot.board[2].load(std::memory_order_acquire)};
            if (held == board && !(meta & kBusy) &&
                slot.meta.load(std::memory_order_relaxed) == meta) {
                count = meta & (kMaxCount - 1);
                return true;
            }
        }
        return false;
    }

    /// Stores a count; may leave an older one of greater depth in place, or do nothing while another
    /// thread writes to the same slot.
    MANSUBA_INLINE void store(std::uint64_t key, const PackedBoard& board, int depth,
                              std::uint64_t count) {
        if (count >= kMaxCount) return;
        Bucket& b = bucket(key);
        // The first slot keeps the deeper subtree, the second the latest.
        const std::uint64_t first = b.slots[0].meta.load(std::memory_order_relaxed);
        const bool deeper =
            static_cast<std::uint64_t>(depth) << kDepthShift >= (first & kDepthMask);
        Slot& slot = b.slots[deeper ? 0 : 1];
        std::uint64_t meta = deeper ? first : slot.meta.load(std::memory_order_relaxed);
        if ((meta & kBusy) ||
            !slot.meta.compare_exchange_strong(meta, meta | kBusy, std::memory_order_acquire,
                                               std::memory_order_relaxed))
            return;
        slot.board[0].store(board.occupied, std::memory_order_release);
        slot.board[1].store(board.planes01, std::memory_order_release);
        slot.board[2].store(board.plane2_black, std::memory_order_release);
        const std::uint64_t version = (meta + kVersionStep) & kVersionMask;
        slot.meta.store(count | static_cast<std::uint64_t>(depth) << kDepthShift | version,
                        std::memory_order_release);
    }

private:
    // meta: 52 bits count, 5 bits depth (0: empty), 6 bits version, 1 bit busy.
    static constexpr int kDepthShift = 52;
    static constexpr std::uint64_t kDepthMask = std::uint64_t{31} << kDepthShift;
    static constexpr std::uint64_t kVersionStep = std::uint64_t{1} << 57;
    static constexpr std::uint64_t kVersionMask = std::uint64_t{63} << 57;
    static constexpr std::uint64_t kBusy = std::uint64_t{1} << 63;

    struct Slot {
        std::atomic<std::uint64_t> board[3];
        std::atomic<std::uint64_t> meta;
    };
    struct alignas(64) Bucket {
        Slot slots[2];
    };

    MANSUBA_INLINE Bucket& bucket(std::uint64_t key) const {
        __extension__ typedef unsigned __int128 Wide;
        return table_[static_cast<std::uint64_t>(static_cast<Wide>(key) * buckets_ >> 64)];
    }

    std::uint64_t buckets_ = 0;
    Bucket* table_ = nullptr;
};

}  // namespace mansuba::perft

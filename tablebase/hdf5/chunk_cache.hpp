// Decompressed chunks that were used lately, bounded in bytes, shared by all open files.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "tablebase/hdf5/read_gate.hpp"

namespace mansuba::tablebase::hdf5 {

/// Thread-safe; to find a chunk takes no lock. The clock algorithm chooses what goes: chunks that
/// were not used since the hand last passed.
class ChunkCache {
public:
    /// One chunk is kept, whatever the capacity.
    explicit ChunkCache(std::size_t capacity_bytes) : capacity_bytes_(capacity_bytes) {}

    std::size_t capacity_bytes() const { return capacity_bytes_; }
    /// What the held chunks occupy.
    std::size_t used_bytes() const { return used_bytes_.load(std::memory_order_relaxed); }
    /// How often a chunk was asked for that was not there.
    std::uint64_t misses() const { return misses_.load(std::memory_order_relaxed); }

    class Dataset;

private:
    struct Held {
        Dataset* dataset;
        std::uint64_t chunk;
        std::vector<std::byte> cells;
    };

    void insert(Dataset& dataset, std::uint64_t chunk, std::vector<std::byte> cells);
    void forget(const Dataset& dataset);
    std::vector<Held> evict(std::size_t down_to_bytes);

    const std::size_t capacity_bytes_;
    std::atomic<std::size_t> used_bytes_ = 0;
    std::atomic<std::uint64_t> misses_ = 0;
    ReadGate gate_;
    std::mutex mutex_;  // of what follows, and of taking chunks in and out
    std::vector<Held> held_;
    std::size_t hand_ = 0;
};

/// The chunks of one dataset in a cache: 16 bytes for each, held or not. Destroyed when nobody uses
/// it any more; what is held of it goes then.
class ChunkCache::Dataset {
public:
    Dataset(std::shared_ptr<ChunkCache> cache, std::uint64_t chunks)
        : cache_(std::move(cache)), slots_(chunks) {}
    ~Dataset() { cache_->forget(*this); }
    Dataset(const Dataset&) = delete;
    Dataset& operator=(const Dataset&) = delete;

    /// Copies `bytes` at `offset` of a chunk, if it is held.
    bool copy(std::uint64_t chunk, std::size_t offset, void* to, std::size_t bytes) {
        Slot& slot = slots_[chunk];
        const ReadGate::Pass pass(cache_->gate_);
        const std::byte* cells = slot.cells.load();
        if (!cells) {
            cache_->misses_.fetch_add(1, std::memory_order_relaxed);
            return false;
        }
        // Only if need be: a line that is written to travels between processors.
        if (!slot.used.load(std::memory_order_relaxed))
            slot.used.store(true, std::memory_order_relaxed);
        std::memcpy(to, cells + offset, bytes);
        return true;
    }
    /// Keeps a chunk, unless another thread was first.
    void insert(std::uint64_t chunk, std::vector<std::byte> cells) {
        cache_->insert(*this, chunk, std::move(cells));
    }

private:
    friend class ChunkCache;
    struct Slot {
        std::atomic<const std::byte*> cells = nullptr;
        std::atomic<bool> used = false;  // since the hand of the clock last passed
    };

    const std::shared_ptr<ChunkCache> cache_;
    std::vector<Slot> slots_;
};

}  // namespace mansuba::tablebase::hdf5

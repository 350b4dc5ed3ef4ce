// Decompressed chunks that were used lately, bounded in bytes, shared by all open files.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace mansuba::tablebase::hdf5 {

/// Thread-safe: many small locks, each for the chunks of one shard, held for the copy of a cell.
/// The least recently used chunks of a shard go first; shards are asked in turn.
class ChunkCache {
public:
    /// At least one chunk is kept, whatever the capacity.
    explicit ChunkCache(std::size_t capacity_bytes) : capacity_bytes_(capacity_bytes) {}

    std::size_t capacity_bytes() const { return capacity_bytes_; }
    /// What the held chunks occupy; more than the capacity only while one is being added.
    std::size_t used_bytes() const { return used_bytes_.load(std::memory_order_relaxed); }

    struct Statistics {
        std::uint64_t hits = 0, misses = 0;
    };
    Statistics statistics() const;

    struct Key {
        std::uint64_t dataset;  // from new_dataset()
        std::uint64_t chunk;
        friend bool operator==(const Key&, const Key&) = default;
    };
    /// A number that no other dataset has.
    std::uint64_t new_dataset() { return next_dataset_.fetch_add(1, std::memory_order_relaxed); }

    /// Copies `bytes` (1 or 2) at `offset` of a chunk, if it is held.
    bool copy(const Key& key, std::size_t offset, void* to, std::size_t bytes);
    /// Keeps a chunk, unless another thread was first.
    void insert(const Key& key, std::vector<std::byte> chunk);
    /// Drops all chunks of a dataset.
    void forget(std::uint64_t dataset);

private:
    struct Entry {
        Key key;
        std::vector<std::byte> chunk;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const {
            // The upper half of the product is mixed best, but unordered_map takes the lower.
            const std::uint64_t x = (key.dataset << 40 ^ key.chunk) * 0x9e3779b97f4a7c15u;
            return x ^ x >> 32;
        }
    };
    struct alignas(64) Shard {
        mutable std::mutex mutex;
        std::list<Entry> entries;  // most recently used first
        std::unordered_map<Key, std::list<Entry>::iterator, Hash> index;
        Statistics statistics;
    };

    Shard& shard_of(const Key& key) { return shards_[Hash{}(key) >> 58]; }

    static constexpr std::size_t kShards = 64;  // 2^6: shard_of
    std::array<Shard, kShards> shards_;
    const std::size_t capacity_bytes_;
    std::atomic<std::size_t> used_bytes_ = 0;
    std::atomic<std::uint64_t> next_dataset_ = 0;
    std::atomic<std::size_t> next_to_evict_ = 0;
};

}  // namespace mansuba::tablebase::hdf5

#include "tablebase/hdf5/chunk_cache.hpp"

#include <cassert>
#include <cstring>
#include <iterator>

namespace mansuba::tablebase::hdf5 {

ChunkCache::Statistics ChunkCache::statistics() const {
    Statistics sum;
    for (const Shard& shard : shards_) {
        const std::lock_guard lock(shard.mutex);
        sum.hits += shard.statistics.hits;
        sum.misses += shard.statistics.misses;
    }
    return sum;
}

bool ChunkCache::copy(const Key& key, std::size_t offset, void* to, std::size_t bytes) {
    Shard& shard = shard_of(key);
    const std::lock_guard lock(shard.mutex);
    const auto found = shard.index.find(key);
    if (found == shard.index.end()) {
        ++shard.statistics.misses;
        return false;
    }
    ++shard.statistics.hits;
    if (found->second != shard.entries.begin())
        shard.entries.splice(shard.entries.begin(), shard.entries, found->second);
    const std::vector<std::byte>& chunk = found->second->chunk;
    assert(offset + bytes <= chunk.size());
    std::memcpy(to, chunk.data() + offset, bytes);
    return true;
}

void ChunkCache::insert(const Key& key, std::vector<std::byte> chunk) {
    const std::size_t bytes = chunk.size();
    used_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    for (std::size_t empty = 0; used_bytes() > capacity_bytes_ && empty < kShards;) {
        Shard& victim = shards_[next_to_evict_.fetch_add(1, std::memory_order_relaxed) % kShards];
        std::list<Entry> evicted;  // memory is given back outside the lock
        const std::lock_guard lock(victim.mutex);
        if (victim.entries.empty()) {
            ++empty;
            continue;
        }
        empty = 0;
        evicted.splice(evicted.begin(), victim.entries, std::prev(victim.entries.end()));
        victim.index.erase(evicted.front().key);
        used_bytes_.fetch_sub(evicted.front().chunk.size(), std::memory_order_relaxed);
    }

    std::list<Entry> fresh;
    fresh.push_back({key, std::move(chunk)});
    Shard& shard = shard_of(key);
    const std::lock_guard lock(shard.mutex);
    if (shard.index.emplace(key, fresh.begin()).second)
        shard.entries.splice(shard.entries.begin(), fresh);
    else
        used_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
}

void ChunkCache::forget(std::uint64_t dataset) {
    for (Shard& shard : shards_) {
        std::list<Entry> dropped;
        const std::lock_guard lock(shard.mutex);
        for (auto entry = shard.entries.begin(); entry != shard.entries.end();) {
            const auto next = std::next(entry);
            if (entry->key.dataset == dataset) {
                shard.index.erase(entry->key);
                used_bytes_.fetch_sub(entry->chunk.size(), std::memory_order_relaxed);
                dropped.splice(dropped.begin(), shard.entries, entry);
            }
            entry = next;
        }
    }
}

}  // namespace mansuba::tablebase::hdf5

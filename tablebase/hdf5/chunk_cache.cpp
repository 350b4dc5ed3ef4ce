#include "tablebase/hdf5/chunk_cache.hpp"

#include <algorithm>
#include <utility>

namespace mansuba::tablebase::hdf5 {

void ChunkCache::insert(Dataset& dataset, std::uint64_t chunk, std::vector<std::byte> cells) {
    std::vector<Held> evicted;  // memory is given back outside the lock
    const std::lock_guard lock(mutex_);
    Dataset::Slot& slot = dataset.slots_[chunk];
    if (slot.cells.load()) return;
    if (used_bytes() + cells.size() > capacity_bytes_) {
        // Some more at a time, so that readers need not be waited for each time.
        const std::size_t room = cells.size() + capacity_bytes_ / 16;
        evicted = evict(capacity_bytes_ - std::min(capacity_bytes_, room));
        gate_.wait_for_readers();
    }
    used_bytes_.fetch_add(cells.size(), std::memory_order_relaxed);
    const std::byte* const start = cells.data();
    held_.push_back({&dataset, chunk, std::move(cells)});
    slot.used.store(true, std::memory_order_relaxed);
    slot.cells.store(start);
}

/// Takes chunks out until no more is used than that; readers may still be at them.
std::vector<ChunkCache::Held> ChunkCache::evict(std::size_t down_to_bytes) {
    std::vector<Held> evicted;
    while (used_bytes() > down_to_bytes && !held_.empty()) {
        if (hand_ >= held_.size()) hand_ = 0;
        Held& candidate = held_[hand_];
        Dataset::Slot& slot = candidate.dataset->slots_[candidate.chunk];
        if (slot.used.exchange(false, std::memory_order_relaxed)) {
            ++hand_;
            continue;
        }
        slot.cells.store(nullptr);
        used_bytes_.fetch_sub(candidate.cells.size(), std::memory_order_relaxed);
        std::swap(candidate, held_.back());
        evicted.push_back(std::move(held_.back()));
        held_.pop_back();
    }
    return evicted;
}

void ChunkCache::forget(const Dataset& dataset) {
    const std::lock_guard lock(mutex_);
    std::erase_if(held_, [&](const Held& held) {
        if (held.dataset != &dataset) return false;
        used_bytes_.fetch_sub(held.cells.size(), std::memory_order_relaxed);
        return true;
    });
}

}  // namespace mansuba::tablebase::hdf5

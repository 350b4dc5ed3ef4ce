// The units of a count that are still to do, and who else counts them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "perft/checkpoint.hpp"
#include "perft/perft.hpp"

namespace mansuba::perft {

/// Units in their order. Thread-safe.
class UnitQueue {
public:
    explicit UnitQueue(std::vector<std::uint32_t> units) : units_(std::move(units)) {}

    std::optional<std::uint32_t> next() {
        const std::scoped_lock lock(mutex_);
        if (next_ == units_.size()) return std::nullopt;
        return units_[next_++];
    }
    std::vector<std::uint32_t> take(std::size_t most) {
        const std::scoped_lock lock(mutex_);
        const auto first = units_.begin() + static_cast<std::ptrdiff_t>(next_);
        const std::size_t count = std::min(most, units_.size() - next_);
        next_ += count;
        return {first, first + static_cast<std::ptrdiff_t>(count)};
    }
    std::size_t left() const {
        const std::scoped_lock lock(mutex_);
        return units_.size() - next_;
    }

private:
    mutable std::mutex mutex_;
    std::vector<std::uint32_t> units_;
    std::size_t next_ = 0;
};

/// Others that count units of the same count, with count_units(). See Options::sharing.
class Sharing {
public:
    virtual ~Sharing() = default;

    /// What there is to share. `accept` takes a result from one thread at a time; both live until
    /// end() has returned.
    struct Work {
        int plies;
        bool merged;
        UnitQueue& queue;
        std::function<void(const UnitResult&)> accept;
    };
    virtual void begin(const Work& work) = 0;
    /// Called when the queue is empty or the count is stopped. Returns once all results are there
    /// that will come. Does not throw.
    virtual void end() = 0;
};

/// Counts units of the frontier at `plies` with all threads: those that `next` gives, until it has
/// none or options.stop is set. Both functions are called from several threads at once. Throws Error.
void count_units(const Position& root, int depth, const Options& options, int plies, bool merged,
                 const std::function<std::optional<std::uint32_t>()>& next,
                 const std::function<void(const UnitResult&)>& done);

}  // namespace mansuba::perft

// Exceptions and OpenMP: none may leave a parallel region.
#pragma once

#include <atomic>
#include <exception>

namespace mansuba::tablebase {

/// Keeps the first exception of a parallel region for the thread that started it.
class FirstError {
public:
    /// Calls f, unless something was thrown before. Thread-safe.
    template <class F>
    void run(F&& f) noexcept {
        if (thrown_.load(std::memory_order_relaxed)) return;
        try {
            f();
        } catch (...) {
            if (!thrown_.exchange(true)) first_ = std::current_exception();
        }
    }
    /// After the region.
    void rethrow() const {
        if (first_) std::rethrow_exception(first_);
    }

private:
    std::atomic<bool> thrown_ = false;
    std::exception_ptr first_;
};

}  // namespace mansuba::tablebase

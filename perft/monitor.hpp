// A thread that looks after long work: shows progress, saves now and then.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace mansuba::perft {

/// Calls `tick(elapsed seconds)` about five times a second from a thread of its own, from
/// construction to destruction, and once more at the end. `tick` must not throw.
class Monitor {
public:
    explicit Monitor(std::function<void(double)> tick)
        : tick_(std::move(tick)), thread_([this] { loop(); }) {}
    ~Monitor() {
        {
            const std::lock_guard lock(mutex_);
            done_ = true;
        }
        wake_.notify_one();
        thread_.join();
    }
    Monitor(const Monitor&) = delete;
    Monitor& operator=(const Monitor&) = delete;

private:
    void loop() {
        const auto start = std::chrono::steady_clock::now();
        std::unique_lock lock(mutex_);
        bool done = false;
        while (!done) {
            done = wake_.wait_for(lock, std::chrono::milliseconds(200), [this] { return done_; });
            tick_(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        }
    }

    std::function<void(double)> tick_;
    std::mutex mutex_;
    std::condition_variable wake_;
    bool done_ = false;
    std::thread thread_;  // last: it uses the others
};

}  // namespace mansuba::perft

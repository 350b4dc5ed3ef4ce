// Readers that take no lock, and a way to know that they are done with what they might have seen.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>

namespace mansuba::tablebase::hdf5 {

/// What is found through an atomic pointer within a Pass stays there until the Pass ends, if whoever
/// takes the pointer away calls wait_for_readers() before freeing. This is "sleepable RCU": P. E.
/// McKenney, "Sleepable Read-Copy Update", LWN 2006, https://lwn.net/Articles/202847/. A Pass costs
/// two atomic additions on a cache line that few threads share.
class ReadGate {
    struct alignas(64) Counter {
        std::array<std::atomic<std::uint32_t>, 2> inside{};  // by phase
    };

public:
    class Pass {
    public:
        explicit Pass(ReadGate& gate)
            : inside_(gate.counters_[counter_of_thread()].inside[gate.phase_.load() & 1]) {
            inside_.fetch_add(1);
        }
        ~Pass() { inside_.fetch_sub(1, std::memory_order_release); }
        Pass(const Pass&) = delete;
        Pass& operator=(const Pass&) = delete;

    private:
        std::atomic<std::uint32_t>& inside_;
    };

    /// Returns when every Pass that began before has ended. One thread at a time.
    void wait_for_readers() {
        // Newcomers use the other phase, so this ends however many they are. Twice, for those who
        // read the phase before it changed and have not counted themselves yet.
        for (int turn = 0; turn < 2; ++turn) {
            const std::uint32_t old = phase_.fetch_xor(1) & 1;
            for (Counter& counter : counters_)
                while (counter.inside[old].load() != 0) std::this_thread::yield();
        }
    }

private:
    static constexpr std::uint32_t kCounters = 64;

    static std::uint32_t counter_of_thread() {
        static std::atomic<std::uint32_t> next = 0;
        thread_local const std::uint32_t mine = next.fetch_add(1, std::memory_order_relaxed);
        return mine % kCounters;
    }

    std::array<Counter, kCounters> counters_;
    std::atomic<std::uint32_t> phase_ = 0;
};

}  // namespace mansuba::tablebase::hdf5

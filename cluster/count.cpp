#include "cluster/count.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <omp.h>
#include <string>
#include <thread>

#include "cluster/remote_error.hpp"
#include "perft/units.hpp"

namespace mansuba::cluster {
namespace {

using namespace std::chrono_literals;
using perft::UnitResult;

enum Kind : int {
    kBegin = 1,  // 0 to all: plies, merged
    kRequest,    // to 0: how many units are wanted
    kUnits,      // 0's answer: their numbers; none: there are no more
    kResults,    // to 0
    kStop,       // to 0: please; 0 to all: do
    kStopped,    // to 0: all results are sent
    kFailed,     // to 0: an Error
    kDone,       // 0 to all: the count is over
    kShare,      // count_unique: a number of positions, to 0
};

struct Begin {
    std::int32_t plies;
    std::int32_t merged;
};

/// How long a thread that serves messages sleeps between two looks: much less than a unit takes,
/// much more than a look does.
constexpr auto kNap = 1ms;

/// Rank 0's part: a thread that answers the others while the team counts.
class Master final : public perft::Sharing {
public:
    Master(Transport& transport, const std::atomic<bool>* stop)
        : transport_(transport), stop_(stop) {}

    /// Set once the count is to end early, by a signal or by an error elsewhere.
    const std::atomic<bool>& halted() const { return halted_; }
    const std::optional<Error>& error() const { return error_; }

    void begin(const Work& work) override {
        work_.emplace(work);
        to_all(kBegin, bytes_of(Begin{work.plies, work.merged}));
        thread_ = std::thread([this] { serve(); });
    }
    void end() override {
        ended_ = true;
        thread_.join();
    }
    /// Lets those go that wait for a count to begin that needed nobody.
    void release() {
        if (!work_) to_all(kDone, {});
    }

private:
    void to_all(int kind, std::span<const std::byte> bytes) {
        for (int rank = 1; rank < transport_.size(); ++rank) transport_.send(rank, kind, bytes);
    }

    void halt() {
        if (halted_.exchange(true)) return;
        to_all(kStop, {});
        halted_at_ = std::chrono::steady_clock::now();
    }

    /// Few enough that none waits long for another at the end, many enough to be asked seldom.
    std::vector<std::uint32_t> share(std::int32_t wanted) const {
        const std::size_t left = work_->queue.left();
        const auto ranks = static_cast<std::size_t>(transport_.size());
        return work_->queue.take(
            std::max(static_cast<std::size_t>(std::max(wanted, 1)), left / (16 * ranks)));
    }

    void serve() {
        int stopped = 0;
        while (true) {
            if (stop_ && stop_->load(std::memory_order_relaxed)) halt();
            bool any = false;
            while (auto message = transport_.receive()) {
                any = true;
                switch (message->kind) {
                    case kRequest: {
                        const auto units = halted_ ? std::vector<std::uint32_t>{}
                                                   : share(values_of<std::int32_t>(*message).at(0));
                        given_ += units.size();
                        transport_.send(message->from, kUnits, bytes_of(units));
                        break;
                    }
                    case kResults:
                        for (const UnitResult& r : values_of<UnitResult>(*message)) {
                            work_->accept(r);
                            --given_;
                        }
                        break;
                    case kStop: halt(); break;
                    case kFailed:
                        if (!error_) error_ = unpack_error(*message);
                        halt();
                        [[fallthrough]];
                    case kStopped: ++stopped; break;
                    default: break;
                }
            }
            const bool all_in = halted_ ? stopped == transport_.size() - 1 ||
                                              std::chrono::steady_clock::now() - halted_at_ > 10s
                                        : given_ == 0 && work_->queue.left() == 0;
            if (ended_ && all_in) break;
            if (!any) std::this_thread::sleep_for(kNap);
        }
        to_all(kDone, {});
    }

    Transport& transport_;
    const std::atomic<bool>* stop_;
    std::optional<Work> work_;
    std::atomic<bool> halted_ = false, ended_ = false;
    std::chrono::steady_clock::time_point halted_at_;
    std::uint64_t given_ = 0;  // units whose results are out
    std::optional<Error> error_;
    std::thread thread_;
};

/// Another rank's part: a thread that asks for units before they run out.
class Worker {
public:
    Worker(Transport& transport, const std::atomic<bool>* stop, int threads)
        : transport_(transport), stop_(stop), threads_(threads) {}

    std::optional<int> run(const Position& root, int depth, perft::Options options) {
        const std::optional<Begin> begin = await_begin();
        if (!begin) return exit_code_;
        options.stop = &halted_;
        options.sharing = nullptr;
        std::thread service([this] { serve(); });
        try {
            perft::count_units(
                root, depth, options, begin->plies, begin->merged != 0, [this] { return next(); },
                [this](const UnitResult& r) {
                    const std::scoped_lock lock(mutex_);
                    results_.push_back(r);
                });
        } catch (const Error& e) {
            fail(e);
        } catch (const std::exception& e) {
            fail(Error(ErrorCode::Internal, e.what()));
        }
        {
            const std::scoped_lock lock(mutex_);
            counted_ = true;
        }
        service.join();
        return exit_code_;
    }

private:
    std::optional<Begin> await_begin() {
        while (true) {
            while (const auto message = transport_.receive()) {
                if (message->kind == kBegin) return values_of<Begin>(*message).at(0);
                if (message->kind == kDone) return std::nullopt;
                if (message->kind == kFinish) {
                    exit_code_ = values_of<int>(*message).at(0);
                    return std::nullopt;
                }
            }
            std::this_thread::sleep_for(kNap);
        }
    }

    std::optional<std::uint32_t> next() {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return !units_.empty() || no_more_ || halted_; });
        if (halted_ || units_.empty()) return std::nullopt;
        const std::uint32_t unit = units_.front();
        units_.pop_front();
        return unit;
    }

    void fail(const Error& error) {
        const std::scoped_lock lock(mutex_);
        error_ = error;
    }

    void serve() {
        bool requested = false, asked_to_stop = false, told_end = false;
        for (bool over = false; !over;) {
            if (!asked_to_stop && stop_ && stop_->load(std::memory_order_relaxed)) {
                asked_to_stop = true;
                transport_.send(0, kStop, {});
            }
            bool any = false;
            while (const auto message = transport_.receive()) {
                any = true;
                const std::scoped_lock lock(mutex_);
                switch (message->kind) {
                    case kUnits: {
                        const auto units = values_of<std::uint32_t>(*message);
                        units_.insert(units_.end(), units.begin(), units.end());
                        requested = false;
                        no_more_ = units.empty();
                        break;
                    }
                    case kFinish: exit_code_ = values_of<int>(*message).at(0); [[fallthrough]];
                    case kDone: over = true; [[fallthrough]];
                    case kStop: halted_ = true; break;
                    default: break;
                }
                wake_.notify_all();
            }
            std::vector<UnitResult> results;
            std::optional<Error> error;
            bool hungry, ended;
            {
                const std::scoped_lock lock(mutex_);
                results.swap(results_);
                ended = counted_;
                if (ended) error = error_;
                hungry = units_.size() < static_cast<std::size_t>(threads_) && !no_more_ &&
                         !halted_ && !ended;
            }
            if (!results.empty()) transport_.send(0, kResults, bytes_of(results));
            if (hungry && !requested) {
                requested = true;
                transport_.send(0, kRequest, bytes_of(static_cast<std::int32_t>(threads_)));
            }
            if (ended && !told_end && (error || halted_)) {
                told_end = true;
                if (error)
                    transport_.send(0, kFailed, pack(*error));
                else
                    transport_.send(0, kStopped, {});
            }
            if (!any && !over) std::this_thread::sleep_for(kNap);
        }
    }

    Transport& transport_;
    const std::atomic<bool>* stop_;
    const int threads_;
    std::atomic<bool> halted_ = false;
    std::optional<int> exit_code_;

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::uint32_t> units_;
    std::vector<UnitResult> results_;
    std::optional<Error> error_;
    bool no_more_ = false, counted_ = false;
};

int threads_of(const perft::Options& options) {
    return options.threads > 0 ? options.threads : omp_get_max_threads();
}

}  // namespace

static_assert(std::is_trivially_copyable_v<UnitResult>);

perft::Result count(const Position& root, int depth, perft::Options options, Transport& transport) {
    if (transport.size() == 1) return perft::count(root, depth, options);
    Master master(transport, options.stop);
    options.stop = &master.halted();
    options.sharing = &master;
    try {
        perft::Result result = perft::count(root, depth, options);
        master.release();
        return result;
    } catch (const Error& e) {
        if (e.code() == ErrorCode::Interrupted && master.error()) throw *master.error();
        throw;
    }
}

std::optional<int> help_count(const Position& root, int depth, perft::Options options,
                              Transport& transport) {
    const int threads = threads_of(options);
    return Worker(transport, options.stop, threads).run(root, depth, std::move(options));
}

std::uint64_t count_unique(const Position& root, int depth, const perft::Options& options,
                           std::uint64_t memory_bytes, Transport& transport) {
    const int ranks = transport.size();
    std::uint64_t sum =
        perft::count_unique(root, depth, options, memory_bytes, 0, static_cast<unsigned>(ranks));
    for (int missing = ranks - 1; missing > 0;) {
        const auto message = transport.receive();
        if (!message) {
            std::this_thread::sleep_for(kNap);
            continue;
        }
        if (message->kind == kFailed) throw unpack_error(*message);
        if (message->kind != kShare) continue;
        sum += values_of<std::uint64_t>(*message).at(0);
        --missing;
    }
    return sum;
}

std::optional<int> help_count_unique(const Position& root, int depth, const perft::Options& options,
                                     std::uint64_t memory_bytes, Transport& transport) {
    try {
        const std::uint64_t share = perft::count_unique(root, depth, options, memory_bytes,
                                                        static_cast<unsigned>(transport.rank()),
                                                        static_cast<unsigned>(transport.size()));
        transport.send(0, kShare, bytes_of(share));
    } catch (const Error& e) {
        transport.send(0, kFailed, pack(e));
    }
    return std::nullopt;
}

}  // namespace mansuba::cluster

#include "cluster/build.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "cluster/remote_error.hpp"
#include "cluster/team.hpp"

namespace mansuba::cluster {
namespace {

using namespace std::chrono_literals;
using namespace tablebase;
using Event = BuildOptions::Event;

enum Kind : int {
    kReady = 101,  // to 0: has nothing to do
    kTask,         // 0's answer, once there is something: the number of a table
    kBuilt,        // to 0
    kBuildFailed,  // to 0: an Error
    kHalt,         // 0 to all
    kOver,         // 0 to all: nothing more to do
    kTogether,     // 0 to all, none of which is at work: the number of a table
};

struct Built {
    std::uint64_t task, positions, bytes;
    double generate_seconds, store_seconds;
};

constexpr auto kNap = 2ms;

/// Which tables can be built: those whose successors are stored. Thread-safe.
class Tasks {
public:
    Tasks(const std::vector<Material>& all, const std::vector<bool>& there,
          const std::vector<bool>& shared)
        : shared_(shared), needs_(all.size()), state_(all.size(), State::Waiting) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            for (const Material& s : all[i].successors()) {
                const auto found = std::find(all.begin(), all.end(), s);
                if (found != all.end())
                    needs_[i].push_back(static_cast<std::size_t>(found - all.begin()));
            }
            if (there[i]) state_[i] = State::Done;
        }
    }

    std::optional<std::size_t> take() {
        const std::scoped_lock lock(mutex_);
        return take_locked(false);
    }
    /// One for all ranks, if none of them is at work.
    std::optional<std::size_t> take_shared() {
        const std::scoped_lock lock(mutex_);
        if (std::count(state_.begin(), state_.end(), State::Taken)) return std::nullopt;
        return take_locked(true);
    }
    /// Waits for one; nothing if there are none left to take, or after halt().
    std::optional<std::size_t> wait_for_one() {
        std::unique_lock lock(mutex_);
        while (!halted_) {
            if (const auto task = take_locked(false)) return task;
            if (std::none_of(state_.begin(), state_.end(),
                             [](State s) { return s == State::Waiting; }))
                break;
            changed_.wait(lock);
        }
        return std::nullopt;
    }
    void done(std::size_t task) {
        const std::scoped_lock lock(mutex_);
        state_.at(task) = State::Done;
        changed_.notify_all();
    }
    void halt() {
        const std::scoped_lock lock(mutex_);
        halted_ = true;
        changed_.notify_all();
    }
    bool all_done() const {
        const std::scoped_lock lock(mutex_);
        return std::all_of(state_.begin(), state_.end(), [](State s) { return s == State::Done; });
    }

private:
    enum class State : char { Waiting, Taken, Done };

    std::optional<std::size_t> take_locked(bool shared) {
        if (halted_) return std::nullopt;
        for (std::size_t i = 0; i < state_.size(); ++i)
            if (shared_[i] && state_[i] == State::Taken) return std::nullopt;
        for (std::size_t i = 0; i < state_.size(); ++i)
            if (state_[i] == State::Waiting && shared_[i] == shared &&
                std::all_of(needs_[i].begin(), needs_[i].end(),
                            [&](std::size_t n) { return state_[n] == State::Done; })) {
                state_[i] = State::Taken;
                return i;
            }
        return std::nullopt;
    }

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<bool> shared_;
    std::vector<std::vector<std::size_t>> needs_;
    std::vector<State> state_;
    bool halted_ = false;
};

/// Fewer cells are built sooner than ranks agree on each ply.
constexpr std::uint64_t kSharedFrom = std::uint64_t{1} << 26;

/// Messages from the transport, after those that came to a team and were not for it.
class Inbox {
public:
    explicit Inbox(Transport& transport) : transport_(transport) {}

    std::optional<Message> receive() {
        if (put_off_.empty()) return transport_.receive();
        std::optional<Message> first = std::move(put_off_.front());
        put_off_.pop_front();
        return first;
    }
    void put_off(std::deque<Message> messages) {
        for (Message& m : messages) put_off_.push_back(std::move(m));
    }

private:
    Transport& transport_;
    std::deque<Message> put_off_;
};

/// One rank's part in a table that all build.
BuiltTable build_together(TableBuilder& builder, const Material& material, std::size_t task,
                          std::size_t of, Transport& transport, const std::atomic<bool>* stop,
                          Inbox& inbox) {
    RankTeam team(transport, stop);
    std::optional<Error> error;
    try {
        const BuiltTable built = builder.build(material, task + 1, of, &team);
        inbox.put_off(team.take_others());
        return built;
    } catch (const Error& e) {
        error = e;
    } catch (const std::bad_alloc&) {
        error = Error(ErrorCode::Usage, "out of memory");
    }
    // To stop all have agreed.
    if (error->code() != ErrorCode::Interrupted) team.fail(*error);
    inbox.put_off(team.take_others());
    throw *error;
}

BuildOptions with_members(BuildOptions options, int ranks) {
    options.members = [options, ranks](const Material& m) {
        return is_shared(m, options, ranks) ? ranks : 1;
    };
    return options;
}

}  // namespace

bool is_shared(const Material& material, const BuildOptions& options, int ranks) {
    const Index index(material);
    if (ranks == 1 || !can_share(index) ||
        !Metrics{Metric::Wdl, Metric::Dtz, Metric::Dtm}.contains(options.metrics))
        return false;
    return index.kept_blocks() << 12 >= kSharedFrom ||
           (options.memory_bytes &&
            estimate(material, options.metrics).memory_bytes > options.memory_bytes);
}

BuildResult build(const std::vector<Material>& materials, TableStore& store,
                  const BuildOptions& given, Transport& transport) {
    if (transport.size() == 1) return tablebase::build(materials, store, given);
    const std::vector<Material> all = closure(materials);
    const int ranks = transport.size();
    const BuildOptions by_ranks = with_members(given, ranks);
    const std::vector<bool> there = finished_tables(all, store, by_ranks);
    std::vector<bool> shared;
    for (const Material& m : all) shared.push_back(by_ranks.members(m) > 1);
    Tasks tasks(all, there, shared);
    BuildResult result;
    for (std::size_t i = 0; i < all.size(); ++i) result.tables.push_back({all[i], there[i]});

    std::mutex telling;
    std::atomic<bool> halted = false;
    BuildOptions options = given;
    options.stop = &halted;
    options.on_event = [&](const Event& e) {
        const std::scoped_lock lock(telling);
        if (given.on_event) given.on_event(e);
    };

    TableBuilder builder(store, options);
    std::optional<Error> error;  // written by the service alone, read after it
    std::atomic<bool> own_work_over = false, failed_here = false;
    const auto serve = [&] {
        std::deque<int> idle;
        int working = 0;
        Inbox inbox(transport);
        const auto halt = [&] {
            if (halted.exchange(true)) return;
            tasks.halt();
            for (int rank = 1; rank < transport.size(); ++rank) transport.send(rank, kHalt, {});
        };
        while (!own_work_over || working > 0 || !(halted || tasks.all_done())) {
            if (failed_here || (given.stop && given.stop->load(std::memory_order_relaxed))) halt();
            // The own worker waits meanwhile: it gets no task while one for all is taken.
            if (const auto task = halted ? std::nullopt : tasks.take_shared()) {
                for (int rank = 1; rank < ranks; ++rank)
                    transport.send(rank, kTogether, bytes_of(std::uint64_t{*task}));
                try {
                    result.tables[*task] = build_together(builder, all[*task], *task, all.size(),
                                                          transport, given.stop, inbox);
                    tasks.done(*task);
                } catch (const Error& e) {
                    error = e;
                    halt();
                }
            }
            while (const auto message = inbox.receive()) {
                if (message->kind == kReady) idle.push_back(message->from);
                if (message->kind == kBuilt) {
                    const Built built = values_of<Built>(*message).at(0);
                    BuiltTable& table = result.tables.at(built.task);
                    table.positions = built.positions;
                    table.bytes = built.bytes;
                    table.generate_seconds = built.generate_seconds;
                    table.store_seconds = built.store_seconds;
                    Event event{Event::Finished, table.material, built.task + 1, all.size()};
                    event.generate_seconds = built.generate_seconds;
                    event.store_seconds = built.store_seconds;
                    event.bytes = built.bytes;
                    options.on_event(event);
                    tasks.done(built.task);
                    --working;
                }
                if (message->kind == kBuildFailed) {
                    --working;
                    const Error theirs = unpack_error(*message);
                    if (!error || error->code() == ErrorCode::Interrupted) error = theirs;
                    halt();
                }
            }
            while (!idle.empty()) {
                const auto task = tasks.take();
                if (!task) break;
                transport.send(idle.front(), kTask, bytes_of(std::uint64_t{*task}));
                idle.pop_front();
                ++working;
            }
            std::this_thread::sleep_for(kNap);
        }
        for (int rank = 1; rank < transport.size(); ++rank) transport.send(rank, kOver, {});
    };
    std::thread service(serve);
    std::optional<Error> own_error;
    try {
        while (const auto task = tasks.wait_for_one()) {
            result.tables[*task] = builder.build(all[*task], *task + 1, all.size());
            tasks.done(*task);
        }
    } catch (const Error& e) {
        own_error = e;
        failed_here = true;
    }
    own_work_over = true;
    service.join();
    // Whoever failed stopped the others.
    for (const auto* e : {&own_error, &error})
        if (*e && (*e)->code() != ErrorCode::Interrupted) throw **e;
    if (halted) throw Error(ErrorCode::Interrupted, "stopped");
    for (const BuiltTable& t : result.tables) {
        result.generate_seconds += t.generate_seconds;
        result.store_seconds += t.store_seconds;
    }
    return result;
}

std::optional<int> help_build(const std::vector<Material>& materials, TableStore& store,
                              const BuildOptions& given, Transport& transport) {
    const std::vector<Material> all = closure(materials);
    std::atomic<bool> halted = false;
    std::mutex mutex;
    std::condition_variable wake;
    std::optional<std::uint64_t> task;
    std::deque<std::pair<int, std::vector<std::byte>>> to_send;
    bool over = false;
    std::optional<int> exit_code;

    BuildOptions options = given;
    options.stop = &halted;
    options.on_event = nullptr;
    TableBuilder builder(store, options);
    std::thread service([&] {
        transport.send(0, kReady, {});
        Inbox inbox(transport);
        while (true) {
            if (given.stop && given.stop->load(std::memory_order_relaxed)) halted = true;
            std::unique_lock lock(mutex);
            while (const auto message = inbox.receive()) {
                if (message->kind == kTogether) {
                    // The worker waits for a task. An error is rank 0's to tell.
                    const std::uint64_t mine = values_of<std::uint64_t>(*message).at(0);
                    try {
                        build_together(builder, all.at(mine), mine, all.size(), transport,
                                       given.stop, inbox);
                    } catch (const Error&) {
                        halted = true;
                    }
                }
                if (message->kind == kTask) task = values_of<std::uint64_t>(*message).at(0);
                if (message->kind == kHalt) halted = true;
                if (message->kind == kOver) over = true;
                if (message->kind == kFinish) {
                    exit_code = values_of<int>(*message).at(0);
                    halted = over = true;
                }
                wake.notify_all();
            }
            while (!to_send.empty()) {
                transport.send(0, to_send.front().first, to_send.front().second);
                to_send.pop_front();
            }
            if (over && !task) break;
            lock.unlock();
            std::this_thread::sleep_for(kNap);
        }
        wake.notify_all();
    });

    const auto post = [&](int kind, std::span<const std::byte> bytes) {
        to_send.emplace_back(kind, std::vector<std::byte>(bytes.begin(), bytes.end()));
    };
    while (true) {
        std::uint64_t mine;
        {
            std::unique_lock lock(mutex);
            wake.wait(lock, [&] { return task || over; });
            if (!task) break;
            mine = *task;
        }
        std::optional<Error> error;
        Built built{mine, 0, 0, 0, 0};
        try {
            const BuiltTable t = builder.build(all.at(mine), mine + 1, all.size());
            built = {mine, t.positions, t.bytes, t.generate_seconds, t.store_seconds};
        } catch (const Error& e) {
            error = e;
        } catch (const std::bad_alloc&) {
            error = Error(ErrorCode::Usage, "out of memory");
        }
        const std::scoped_lock lock(mutex);
        task.reset();
        if (error) {
            post(kBuildFailed, pack(*error));
        } else {
            post(kBuilt, bytes_of(built));
            post(kReady, {});
        }
    }
    service.join();
    return exit_code;
}

}  // namespace mansuba::cluster

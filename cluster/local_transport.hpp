// Ranks that are threads of one process: the twin of a real job for tests.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "cluster/transport.hpp"

namespace mansuba::cluster {

/// Makes the ends of `ranks` ranks, one for each thread. Counts what travels.
class LocalNetwork {
public:
    explicit LocalNetwork(int ranks);
    ~LocalNetwork();

    /// Calls work(end) in a thread for each rank, waits for all, and throws the first of their errors.
    void run(const std::function<void(Transport&)>& work);

    Transport& end(int rank) { return *ends_[static_cast<std::size_t>(rank)]; }
    std::uint64_t messages() const;
    std::uint64_t bytes() const;

private:
    struct Mailbox {
        mutable std::mutex mutex;
        std::deque<Message> messages;
        std::uint64_t received = 0, bytes = 0;
    };
    class End;

    std::vector<Mailbox> boxes_;
    std::vector<std::unique_ptr<Transport>> ends_;
};

}  // namespace mansuba::cluster

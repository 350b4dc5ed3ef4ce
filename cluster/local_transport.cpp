#include "cluster/local_transport.hpp"

#include <thread>

#include "tablebase/first_error.hpp"

namespace mansuba::cluster {

class LocalNetwork::End final : public Transport {
public:
    End(std::vector<Mailbox>& boxes, int rank) : boxes_(boxes), rank_(rank) {}

    int rank() const override { return rank_; }
    int size() const override { return static_cast<int>(boxes_.size()); }
    void send(int to, int kind, std::span<const std::byte> bytes) override {
        Mailbox& box = boxes_.at(static_cast<std::size_t>(to));
        const std::scoped_lock lock(box.mutex);
        box.messages.push_back({rank_, kind, {bytes.begin(), bytes.end()}});
        ++box.received;
        box.bytes += bytes.size();
    }
    std::optional<Message> receive() override {
        Mailbox& box = boxes_[static_cast<std::size_t>(rank_)];
        const std::scoped_lock lock(box.mutex);
        if (box.messages.empty()) return std::nullopt;
        Message message = std::move(box.messages.front());
        box.messages.pop_front();
        return message;
    }

private:
    std::vector<Mailbox>& boxes_;
    int rank_;
};

LocalNetwork::LocalNetwork(int ranks) : boxes_(static_cast<std::size_t>(ranks)) {
    for (int rank = 0; rank < ranks; ++rank) ends_.push_back(std::make_unique<End>(boxes_, rank));
}

LocalNetwork::~LocalNetwork() = default;

void LocalNetwork::run(const std::function<void(Transport&)>& work) {
    tablebase::FirstError error;
    std::vector<std::thread> threads;
    for (const auto& end : ends_) threads.emplace_back([&] { error.run([&] { work(*end); }); });
    for (std::thread& t : threads) t.join();
    error.rethrow();
}

std::uint64_t LocalNetwork::messages() const {
    std::uint64_t sum = 0;
    for (const Mailbox& box : boxes_) {
        const std::scoped_lock lock(box.mutex);
        sum += box.received;
    }
    return sum;
}

std::uint64_t LocalNetwork::bytes() const {
    std::uint64_t sum = 0;
    for (const Mailbox& box : boxes_) {
        const std::scoped_lock lock(box.mutex);
        sum += box.bytes;
    }
    return sum;
}

}  // namespace mansuba::cluster

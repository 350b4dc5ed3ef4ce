// Messages between the ranks of a job.
#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace mansuba::cluster {

struct Message {
    int from = 0;
    int kind = 0;
    std::vector<std::byte> bytes;
};

/// One rank's end. From one thread at a time. All ranks are the same program on the same kind of
/// machine: numbers travel as they stand in memory.
class Transport {
public:
    virtual ~Transport() = default;

    virtual int rank() const = 0;
    virtual int size() const = 0;
    /// Does not wait for the receiver. Messages from one rank to another keep their order.
    virtual void send(int to, int kind, std::span<const std::byte> bytes) = 0;
    /// The next message from whomever, if there is one; does not wait.
    virtual std::optional<Message> receive() = 0;
};

template <class T>
requires std::is_trivially_copyable_v<T> std::span<const std::byte> bytes_of(const T& value) {
    return std::as_bytes(std::span(&value, 1));
}
template <class T>
requires std::is_trivially_copyable_v<T> std::span<const std::byte> bytes_of(
    const std::vector<T>& values) {
    return std::as_bytes(std::span(values));
}
/// The values of a message; what does not fill one is left out.
template <class T>
requires std::is_trivially_copyable_v<T> std::vector<T> values_of(const Message& message) {
    std::vector<T> values(message.bytes.size() / sizeof(T));
    if (!values.empty())
        std::memcpy(static_cast<void*>(values.data()), message.bytes.data(),
                    values.size() * sizeof(T));
    return values;
}

/// The kind of the last message of a job: rank 0 tells the exit code. Kinds of all else are below.
inline constexpr int kFinish = 1000;

/// Rank 0: tells all others that the job is over.
void finish(Transport& transport, int exit_code);
/// Another rank with nothing more to do: waits for that, and returns the exit code.
int await_finish(Transport& transport);

}  // namespace mansuba::cluster

// A program run by the shell, line by line over pipes.
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <string>
#include <utility>

#include <sys/types.h>

namespace mansuba::perft {

/// Closes what it holds.
class FileDescriptor {
public:
    explicit FileDescriptor(int fd = -1) : fd_(fd) {}
    FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~FileDescriptor() { reset(); }
    void reset();
    int get() const { return fd_; }

private:
    int fd_;
};

/// The child leads a process group of its own, with default signals; its stderr is discarded. The
/// destructor ends the whole group and reaps the child: it sends `farewell`, then SIGTERM, then
/// SIGKILL, within about a second. Signal handlers are left alone, also where the child no longer
/// reads. Waits end with Error(Interrupted) soon after `stop` (may be null) is set; Error(Engine)
/// if the system refuses something. Not thread safe.
class ChildProcess {
public:
    using Clock = std::chrono::steady_clock;

    ChildProcess(const std::string& command, std::string farewell, const std::atomic<bool>* stop);
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    pid_t pid() const { return pid_; }

    /// Sends a line. False if the pipe stays full. A dead reader is not an error here: the next
    /// read tells.
    bool write(const std::string& line, Clock::time_point deadline);

    enum class Read { Line, End, Timeout };

    /// The next line without its end; of one of over 64 KiB a piece.
    Read read(std::string& line, Clock::time_point deadline);

    /// How the child that closed its output ended: "ended with exit code 1", "was killed by …".
    std::string ending() const;

private:
    bool wait_for(int fd, short events, Clock::time_point deadline) const;
    bool ends_within(std::chrono::milliseconds grace, siginfo_t* info = nullptr) const;

    std::string farewell_;
    const std::atomic<bool>* stop_;
    pid_t pid_ = -1;
    FileDescriptor output_, input_;
    std::string buffer_;
    std::size_t searched_ = 0;
};

}  // namespace mansuba::perft

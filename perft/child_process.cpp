#include "perft/child_process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <string_view>
#include <unistd.h>

#include <sys/wait.h>

#include "core/error.hpp"

extern char** environ;

namespace mansuba::perft {
namespace {

using std::chrono::milliseconds;

// How long the child may take to end after its farewell, and again after SIGTERM.
constexpr milliseconds kQuitGrace{400}, kTermGrace{300};
constexpr std::size_t kLongestLine = 1 << 16;

std::string signal_name(int number) {
    switch (number) {
        case SIGABRT: return "SIGABRT";
        case SIGBUS: return "SIGBUS";
        case SIGFPE: return "SIGFPE";
        case SIGHUP: return "SIGHUP";
        case SIGILL: return "SIGILL";
        case SIGINT: return "SIGINT";
        case SIGKILL: return "SIGKILL";
        case SIGPIPE: return "SIGPIPE";
        case SIGSEGV: return "SIGSEGV";
        case SIGTERM: return "SIGTERM";
        default: return "signal " + std::to_string(number);
    }
}

[[noreturn]] void fail_system(const char* what) {
    throw Error(ErrorCode::Engine, std::string(what) + ": " + std::strerror(errno));
}

/// Both ends close on exec and lie above the standard streams, which may be closed here and are
/// what the child's copies are made to.
std::array<FileDescriptor, 2> make_pipe() {
    std::array<int, 2> raw{};
    if (::pipe2(raw.data(), O_CLOEXEC) != 0) fail_system("cannot make a pipe");
    std::array<FileDescriptor, 2> ends{FileDescriptor(raw[0]), FileDescriptor(raw[1])};
    for (FileDescriptor& end : ends) {
        if (end.get() > STDERR_FILENO) continue;
        FileDescriptor higher(::fcntl(end.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
        if (higher.get() < 0) fail_system("cannot make a pipe");
        end = std::move(higher);
    }
    return ends;
}

/// Starts `sh -c command` as the leader of a new process group.
pid_t spawn_shell(const std::string& command, int input, int output) {
    struct Setup {
        posix_spawn_file_actions_t actions;
        posix_spawnattr_t attributes;
        Setup() {
            posix_spawn_file_actions_init(&actions);
            posix_spawnattr_init(&attributes);
        }
        ~Setup() {
            posix_spawn_file_actions_destroy(&actions);
            posix_spawnattr_destroy(&attributes);
        }
    } setup;
    posix_spawn_file_actions_adddup2(&setup.actions, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&setup.actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&setup.actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);

    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&setup.attributes, &signals);
    for (const int s : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&signals, s);
    posix_spawnattr_setsigdefault(&setup.attributes, &signals);
    posix_spawnattr_setpgroup(&setup.attributes, 0);
    posix_spawnattr_setflags(
        &setup.attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);

    std::string shell = "sh", flag = "-c", text = command;
    std::array<char*, 4> arguments = {shell.data(), flag.data(), text.data(), nullptr};
    pid_t pid = 0;
    errno = ::posix_spawn(&pid, "/bin/sh", &setup.actions, &setup.attributes, arguments.data(),
                          environ);
    if (errno != 0) fail_system("cannot start a shell");
    return pid;
}

/// Keeps a write to a pipe whose reader has died from killing us, in this thread and scope only.
class SigpipeBlocked {
public:
    SigpipeBlocked() {
        sigset_t pending;
        sigemptyset(&pending);
        sigpending(&pending);
        was_pending_ = sigismember(&pending, SIGPIPE) == 1;
        sigemptyset(&sigpipe_);
        sigaddset(&sigpipe_, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &sigpipe_, &before_);
    }
    ~SigpipeBlocked() {
        const timespec now{};
        if (!was_pending_)
            while (sigtimedwait(&sigpipe_, nullptr, &now) < 0 && errno == EINTR) {
            }
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    SigpipeBlocked(const SigpipeBlocked&) = delete;
    SigpipeBlocked& operator=(const SigpipeBlocked&) = delete;

private:
    sigset_t sigpipe_, before_;
    bool was_pending_ = false;
};

}  // namespace

void FileDescriptor::reset() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
}

ChildProcess::ChildProcess(const std::string& command, std::string farewell,
                           const std::atomic<bool>* stop)
    : farewell_(std::move(farewell)), stop_(stop) {
    auto [engine_input, our_output] = make_pipe();
    auto [our_input, engine_output] = make_pipe();
    if (::fcntl(our_output.get(), F_SETFL, O_NONBLOCK) != 0) fail_system("cannot make a pipe");
    pid_ = spawn_shell(command, engine_input.get(), engine_output.get());
    output_ = std::move(our_output);
    input_ = std::move(our_input);
}

ChildProcess::~ChildProcess() {
    stop_ = nullptr;
    try {
        write(farewell_, Clock::now());
    } catch (...) {  // NOLINT(bugprone-empty-catch): the signals below do without it
    }
    output_.reset();
    input_.reset();
    if (!ends_within(kQuitGrace)) {
        ::kill(-pid_, SIGTERM);
        ends_within(kTermGrace);
    }
    // Not reaped so far, the leader still holds the number of its group.
    ::kill(-pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

bool ChildProcess::write(const std::string& line, Clock::time_point deadline) {
    const std::string text = line + '\n';
    const SigpipeBlocked blocked;
    std::string_view rest = text;
    while (!rest.empty()) {
        const ssize_t n = ::write(output_.get(), rest.data(), rest.size());
        if (n >= 0) {
            rest.remove_prefix(static_cast<std::size_t>(n));
        } else if (errno == EPIPE) {
            return true;
        } else if (errno == EAGAIN) {
            if (!wait_for(output_.get(), POLLOUT, deadline)) return false;
        } else if (errno != EINTR) {
            fail_system("cannot write to the engine");
        }
    }
    return true;
}

ChildProcess::Read ChildProcess::read(std::string& line, Clock::time_point deadline) {
    for (;;) {
        const std::size_t end = buffer_.find('\n', searched_);
        if (end != std::string::npos || buffer_.size() >= kLongestLine) {
            line = buffer_.substr(0, end);
            buffer_.erase(0, end == std::string::npos ? end : end + 1);
            searched_ = 0;
            if (line.ends_with('\r')) line.pop_back();
            return Read::Line;
        }
        searched_ = buffer_.size();
        if (!wait_for(input_.get(), POLLIN, deadline)) return Read::Timeout;
        std::array<char, 4096> chunk;
        const ssize_t n = ::read(input_.get(), chunk.data(), chunk.size());
        if (n > 0) {
            buffer_.append(chunk.data(), static_cast<std::size_t>(n));
        } else if (n == 0) {
            if (buffer_.empty()) return Read::End;
            buffer_ += '\n';
        } else if (errno != EINTR) {
            fail_system("cannot read from the engine");
        }
    }
}

std::string ChildProcess::ending() const {
    siginfo_t info{};
    if (!ends_within(kQuitGrace, &info)) return "closed its output";
    if (info.si_pid != pid_) return "ended";  // reaped elsewhere: SIGCHLD is ignored
    if (info.si_code != CLD_EXITED) return "was killed by " + signal_name(info.si_status);
    const int code = info.si_status;
    std::string text = "ended with exit code " + std::to_string(code);
    if (code == 127) text += " (the shell's for: no such command)";
    if (code == 126) text += " (the shell's for: not an executable)";
    if (code > 128 && code < 128 + 65)
        text += " (the shell's for: " + signal_name(code - 128) + ")";
    return text;
}

/// False once the deadline has passed. Waits in short pieces to see `stop`.
bool ChildProcess::wait_for(int fd, short events, Clock::time_point deadline) const {
    for (;;) {
        if (stop_ != nullptr && stop_->load())
            throw Error(ErrorCode::Interrupted, "stopped while waiting for the engine");
        const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
        const auto piece = std::clamp(left, milliseconds{0}, milliseconds{100});
        pollfd descriptor{fd, events, 0};
        const int ready = ::poll(&descriptor, 1, static_cast<int>(piece.count()));
        if (ready > 0) return true;
        if (ready < 0 && errno != EINTR) fail_system("cannot wait for the engine");
        if (left <= milliseconds{0}) return false;
    }
}

/// Whether the leader ends in time; leaves it to be reaped.
bool ChildProcess::ends_within(milliseconds grace, siginfo_t* info) const {
    const auto deadline = Clock::now() + grace;
    for (;;) {
        siginfo_t local{};
        const int result =
            ::waitid(P_PID, static_cast<id_t>(pid_), &local, WEXITED | WNOHANG | WNOWAIT);
        if (info != nullptr) *info = local;
        if (result == 0 && local.si_pid == pid_) return true;
        if (result < 0 && errno != EINTR) return true;
        if (Clock::now() >= deadline) return false;
        const timespec pause{0, 2'000'000};
        ::nanosleep(&pause, nullptr);
    }
}

}  // namespace mansuba::perft

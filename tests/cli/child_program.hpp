// The built program as a child process: arguments without a shell, all output, and how it ended.
#pragma once

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

#include "tests/files.hpp"

namespace mansuba::cli::testing {

using Arguments = std::vector<std::string>;

struct ChildOptions {
    std::map<std::string, std::string> environment{};  // on top of ours, without MANSUBA_SIMD
    std::string stdout_path{};  // opened instead of being captured; empty: captured
    int stderr_fd = -1;         // taken instead of being captured; -1: captured
    bool no_stdout = false;     // closed
    long file_size_limit = -1;  // in bytes, as ulimit -f sets it; -1: none
};

/// How a child ended. Exactly one of exit_code and signal is set.
struct Finished {
    int exit_code = -1, signal = 0;
    std::string out, err;
    double seconds = 0;  // from the start, or from the last call of Child::send

    /// The lines of `err`, without their ends.
    std::vector<std::string> error_lines() const;
};

/// A running child; killed by the destructor if nobody has waited for it. Failures of the test's own
/// machinery throw std::runtime_error.
class Child {
public:
    Child(const std::string& program, const Arguments& arguments, const ChildOptions& options = {});
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    pid_t id() const { return id_; }
    bool running();
    void send(int signal);
    /// What it has written to stderr so far.
    std::string errors_so_far() const;
    /// Waits; after `limit` kills the child, so that a hang shows as signal SIGKILL.
    Finished wait(std::chrono::seconds limit = std::chrono::seconds(300));

private:
    using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
    File out_, err_;
    pid_t id_ = -1;
    int status_ = 0;
    bool ended_ = false;
    std::chrono::steady_clock::time_point since_;
};

/// A directory of its own for each object, removed with everything in it.
class TemporaryDirectory {
public:
    TemporaryDirectory();
    ~TemporaryDirectory();
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::string file(const std::string& name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

using mansuba::testing::content_of;
using mansuba::testing::contents_of;
using mansuba::testing::write_content;

void short_sleep();

/// Calls `done` again and again until it returns true or `limit` is over; whether it did.
template <class Condition>
bool wait_until(Condition done, std::chrono::milliseconds limit = std::chrono::seconds(60)) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!done()) {
        if (std::chrono::steady_clock::now() > end) return false;
        short_sleep();
    }
    return true;
}

}  // namespace mansuba::cli::testing

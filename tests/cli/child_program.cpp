#include "tests/cli/child_program.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <unistd.h>

#include <sys/resource.h>
#include <sys/wait.h>

namespace mansuba::cli::testing {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kCannotStart = 126;

[[noreturn]] void fail(const std::string& what) {
    throw std::runtime_error(what + ": " + std::strerror(errno));
}

std::string content_of(std::FILE* file) {
    std::string content;
    char buffer[4096];
    off_t offset = 0;
    for (ssize_t n; (n = ::pread(fileno(file), buffer, sizeof buffer, offset)) > 0; offset += n)
        content.append(buffer, static_cast<std::size_t>(n));
    return content;
}

/// Runs in the new process, up to the program.
[[noreturn]] void become(const std::string& program, const Arguments& arguments,
                         const ChildOptions& options, int out, int err) {
    ::unsetenv("MANSUBA_SIMD");
    for (const auto& [name, value] : options.environment) ::setenv(name.c_str(), value.c_str(), 1);
    if (!options.stdout_path.empty()) out = ::open(options.stdout_path.c_str(), O_WRONLY);
    if (options.stderr_fd >= 0) err = options.stderr_fd;
    const int nothing = ::open("/dev/null", O_RDONLY);
    if (out < 0 || ::dup2(nothing, STDIN_FILENO) < 0 || ::dup2(out, STDOUT_FILENO) < 0 ||
        ::dup2(err, STDERR_FILENO) < 0)
        ::_exit(kCannotStart);
    if (options.no_stdout) ::close(STDOUT_FILENO);
    if (options.file_size_limit >= 0) {
        const auto bytes = static_cast<rlim_t>(options.file_size_limit);
        const rlimit limit{bytes, bytes};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        const rlimit no_core{0, 0};
        ::setrlimit(RLIMIT_CORE, &no_core);
    }
    std::vector<char*> argv{const_cast<char*>(program.c_str())};
    for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    ::execv(program.c_str(), argv.data());
    ::_exit(kCannotStart);
}

}  // namespace

std::vector<std::string> Finished::error_lines() const {
    std::vector<std::string> lines;
    std::istringstream text(err);
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
}

Child::Child(const std::string& program, const Arguments& arguments, const ChildOptions& options)
    : out_(std::tmpfile(), std::fclose), err_(std::tmpfile(), std::fclose), since_(Clock::now()) {
    if (!out_ || !err_) fail("cannot make a temporary file");
    id_ = ::fork();
    if (id_ < 0) fail("cannot fork");
    if (id_ == 0) become(program, arguments, options, fileno(out_.get()), fileno(err_.get()));
}

Child::~Child() {
    if (ended_) return;
    ::kill(id_, SIGKILL);
    ::waitpid(id_, &status_, 0);
}

bool Child::running() {
    if (!ended_) ended_ = ::waitpid(id_, &status_, WNOHANG) == id_;
    return !ended_;
}

void Child::send(int signal) {
    since_ = Clock::now();
    if (!ended_) ::kill(id_, signal);
}

std::string Child::errors_so_far() const { return content_of(err_.get()); }

Finished Child::wait(std::chrono::seconds limit) {
    if (!wait_until([this] { return !running(); }, limit)) {
        ::kill(id_, SIGKILL);
        ::waitpid(id_, &status_, 0);
        ended_ = true;
    }
    Finished f;
    f.seconds = std::chrono::duration<double>(Clock::now() - since_).count();
    if (WIFEXITED(status_))
        f.exit_code = WEXITSTATUS(status_);
    else
        f.signal = WTERMSIG(status_);
    f.out = content_of(out_.get());
    f.err = content_of(err_.get());
    return f;
}

TemporaryDirectory::TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "mansuba_cli_XXXXXX").string();
    if (!::mkdtemp(name.data())) fail("cannot make " + name);
    path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

void short_sleep() { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }

}  // namespace mansuba::cli::testing

#include "cli/status_line.hpp"

#include <cstdio>
#include <unistd.h>

#include <fmt/format.h>

namespace mansuba::cli {

StatusLine::StatusLine(const CommonOptions& options) {
    if (options.quiet || options.progress == "never") return;
    mode_ = ::isatty(STDERR_FILENO) ? Mode::Live : Mode::Plain;
    if (options.progress == "always") interval_ = std::chrono::seconds(1);
    next_ = Clock::now() + interval_;
}

void StatusLine::show(const std::string& text) {
    if (mode_ == Mode::Live) {
        fmt::print(stderr, "\r{}\x1b[K", text);
        std::fflush(stderr);
        shown_ = true;
    } else if (mode_ == Mode::Plain && Clock::now() >= next_) {
        line(text);
    }
}

void StatusLine::line(const std::string& text) {
    if (mode_ == Mode::Off) return;
    clear();
    fmt::print(stderr, "{}\n", text);
    std::fflush(stderr);
    next_ = Clock::now() + interval_;
}

void StatusLine::clear() {
    if (shown_) fmt::print(stderr, "\r\x1b[K");
    shown_ = false;
    std::fflush(stderr);
}

}  // namespace mansuba::cli

#include "cli/status_line.hpp"

#include <cstdio>
#include <unistd.h>

#include <fmt/format.h>

namespace mansuba::cli {

StatusLine::StatusLine(const CommonOptions& options) {
    if (options.quiet || options.progress == "never") return;
    mode_ = ::isatty(STDERR_FILENO) ? Mode::Live : Mode::Plain;
}

void StatusLine::show(const std::string& text) {
    if (mode_ != Mode::Live) return;
    fmt::print(stderr, "\r{}\x1b[K", text);
    std::fflush(stderr);
    shown_ = true;
}

void StatusLine::line(const std::string& text) {
    if (mode_ == Mode::Off) return;
    clear();
    fmt::print(stderr, "{}\n", text);
    std::fflush(stderr);
}

void StatusLine::clear() {
    if (shown_) fmt::print(stderr, "\r\x1b[K");
    shown_ = false;
    std::fflush(stderr);
}

}  // namespace mansuba::cli

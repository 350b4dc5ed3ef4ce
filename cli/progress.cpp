#include "cli/progress.hpp"

#include <cstdio>
#include <unistd.h>

#include <fmt/format.h>

namespace mansuba::cli {
namespace {
constexpr double kPlainInterval_s = 30;
constexpr double kFirstPlain_s = 10;
}  // namespace

ProgressLine::ProgressLine(const CommonOptions& options, std::string what)
    : what_(std::move(what)) {
    if (options.quiet || options.progress == "never") return;
    if (::isatty(STDERR_FILENO)) {
        mode_ = Mode::Live;
        next_ = 0.3;  // what is done by then needs no progress
    } else {
        mode_ = Mode::Plain;
        next_ = options.progress == "always" ? 0 : kFirstPlain_s;
    }
}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::clear() {
    if (mode_ == Mode::Live && shown_) fmt::print(stderr, "\r\x1b[K");
    shown_ = false;
    std::fflush(stderr);
}

std::function<void(const perft::Progress&)> ProgressLine::callback() {
    if (mode_ == Mode::Off) return nullptr;
    return [this](const perft::Progress& p) { show(p); };
}

void ProgressLine::show(const perft::Progress& p) {
    if (p.elapsed_s < next_ || p.units == 0) return;
    next_ = p.elapsed_s + (mode_ == Mode::Plain ? kPlainInterval_s : 0);
    shown_ = true;
    std::string line =
        fmt::format("{}: {:.1f}%", what_,
                    100.0 * static_cast<double>(p.units_done) / static_cast<double>(p.units));
    if (p.nodes != 0 && p.elapsed_s > 0)
        line += fmt::format(", {} leaves, {}", with_commas(p.nodes),
                            rate_text(static_cast<double>(p.nodes_this_run) / p.elapsed_s));
    line += ", " + duration_text(p.elapsed_s);
    if (p.units_this_run > 0 && p.units_done < p.units) {
        const double left = p.elapsed_s * static_cast<double>(p.units - p.units_done) /
                            static_cast<double>(p.units_this_run);
        line += ", about " + duration_text(left) + " left";
    }
    if (mode_ == Mode::Live)
        fmt::print(stderr, "\r{}\x1b[K", line);
    else
        fmt::print(stderr, "{}\n", line);
    std::fflush(stderr);
}

}  // namespace mansuba::cli

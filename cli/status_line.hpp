// What long work is at: a live line on a terminal, finished steps as plain lines.
#pragma once

#include <chrono>
#include <string>

#include "cli/command.hpp"

namespace mansuba::cli {

/// Writes to stderr. Erases its live line when it goes, so that errors stand alone.
class StatusLine {
public:
    explicit StatusLine(const CommonOptions& options);
    ~StatusLine() { clear(); }
    StatusLine(const StatusLine&) = delete;
    StatusLine& operator=(const StatusLine&) = delete;

    /// What is being done: replaces the live line; where there is no terminal, a line now and then.
    void show(const std::string& text);
    /// What was done: stays.
    void line(const std::string& text);
    void clear();

private:
    enum class Mode { Off, Live, Plain };
    Mode mode_ = Mode::Off;
    bool shown_ = false;
    using Clock = std::chrono::steady_clock;
    Clock::duration interval_ = std::chrono::seconds(30);
    Clock::time_point next_;
};

}  // namespace mansuba::cli

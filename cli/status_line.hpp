// What long work is at: a live line on a terminal, finished steps as plain lines.
#pragma once

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

    /// What is being done: replaces the live line; nothing where there is no terminal.
    void show(const std::string& text);
    /// What was done: stays.
    void line(const std::string& text);
    void clear();

private:
    enum class Mode { Off, Live, Plain };
    Mode mode_ = Mode::Off;
    bool shown_ = false;
};

}  // namespace mansuba::cli

// How far a count is: one live line on a terminal, a plain line now and then elsewhere.
#pragma once

#include <functional>
#include <string>

#include "cli/command.hpp"
#include "perft/perft.hpp"

namespace mansuba::cli {

/// Writes to stderr. Erases its live line when it goes, so that errors stand alone.
class ProgressLine {
public:
    ProgressLine(const CommonOptions& options, std::string what);
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void show(const perft::Progress& p);
    /// Erases the live line, before anything else is printed. Not while a count runs, but from its
    /// callbacks.
    void clear();
    /// Null where nothing is to be shown.
    std::function<void(const perft::Progress&)> callback();

private:
    enum class Mode { Off, Live, Plain };
    Mode mode_ = Mode::Off;
    std::string what_;
    double next_ = 0;  // elapsed seconds at which the next line is due
    bool shown_ = false;
};

}  // namespace mansuba::cli

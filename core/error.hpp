// The one exception of mansuba: what was wrong, and where.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace mansuba {

enum class ErrorCode {
    Usage,        // a command, option or argument that makes no sense
    Input,        // a FEN, move or material that is wrong
    File,         // a file that cannot be read or written, is damaged, foreign or too new
    Engine,       // a chess engine that hung, died or printed rubbish
    Interrupted,  // stopped by request with a resumable state saved
    Internal,     // a fault of ours
};

/// Thrown on cold paths only. what() is one line: "<what> (<where>)".
class Error : public std::runtime_error {
public:
    Error(ErrorCode code, std::string_view what, std::string_view where = {})
        : std::runtime_error(where.empty() ? std::string(what)
                                           : std::string(what) + " (" + std::string(where) + ")"),
          code_(code) {}

    ErrorCode code() const noexcept { return code_; }

private:
    ErrorCode code_;
};

}  // namespace mansuba

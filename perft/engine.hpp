// A UCI engine as a child process, asked for its perft divide.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/position.hpp"
#include "core/uint128.hpp"

namespace mansuba::perft {

/// What an engine says to `go perft N`.
struct EngineDivide {
    std::map<std::string, Uint128> moves;  // UCI text and count
    std::vector<std::string> repeated;     // listed before; once for each time too many
    Uint128 total = 0;                     // what its last line says; the sum where it prints none
};

/// What stands behind `position fen`: the moves are UCI text as the engine prints it.
struct EnginePosition {
    std::string fen;
    std::vector<std::string> moves;
    bool chess960 = false;  // UCI_Chess960, set anew whenever it changes
};

/// "FEN moves e2e4 …", as sent: one line, six fields (a FEN of four gets clocks).
std::string position_text(const EnginePosition& position);

/// Whether an engine must have UCI_Chess960 set to understand the castling rights.
bool needs_chess960(const Position& position);

struct EngineOptions {
    std::chrono::milliseconds timeout{60'000};  // for each answer: uciok, readyok, a whole divide
    const std::atomic<bool>* stop = nullptr;    // set by a signal handler; may be null
};

/// Speaks UCI with a program over pipes. An engine that hangs, dies or prints something else than a
/// divide makes Error(Engine) with what was waited for, the engine's last line and the command;
/// `stop` makes Error(Interrupted). The engine lives in a process group of its own, which the
/// destructor ends: `quit`, then SIGTERM, then SIGKILL, within about a second. What it writes to
/// stderr is discarded. Signal handlers are left alone. Not thread safe.
class UciEngine {
public:
    /// `command` is run by the shell. Waits for uciok.
    explicit UciEngine(const std::string& command, const EngineOptions& options = {});
    ~UciEngine();
    UciEngine(const UciEngine&) = delete;
    UciEngine& operator=(const UciEngine&) = delete;

    /// The divide at depth >= 1. Lines understood: `e2e4: 20`, also with - or = or a blank, or
    /// numbered; totals as `Nodes searched: 20`, Nodes, Total or Perft N. The first call asks for
    /// perft 1 of the start position besides, to see whether the engine prints totals: that line,
    /// or else readyok, is how the end of a divide is known.
    EngineDivide divide(const EnginePosition& position, int depth);

    /// The process that the command was started as, and its group.
    int process_id() const;

private:
    class Session;
    std::unique_ptr<Session> session_;
};

}  // namespace mansuba::perft

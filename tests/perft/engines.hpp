// The engines that the tests talk to: tests/perft/fake_engine.py and Stockfish.
#pragma once

#include <cstdlib>
#include <string>

namespace mansuba::perft::testing {

inline bool is_command(const std::string& name) {
    return std::system(("command -v " + name + " >/dev/null 2>&1").c_str()) == 0;
}

inline bool has_python() { return is_command("python3"); }

/// The command of the fake engine with these switches.
inline std::string fake_engine(const std::string& switches = {}) {
    return "python3 '" MANSUBA_TEST_DATA "/../perft/fake_engine.py' " + switches;
}

/// The command of an installed Stockfish; empty if there is none.
inline std::string stockfish() {
    for (const char* command : {"stockfish", "/usr/games/stockfish"})
        if (is_command(command)) return command;
    return {};
}

}  // namespace mansuba::perft::testing

#define MANSUBA_NEEDS_PYTHON()                    \
    if (!::mansuba::perft::testing::has_python()) \
    GTEST_SKIP() << "no python3 to run the fake engine"
#define MANSUBA_NEEDS_STOCKFISH()                       \
    if (::mansuba::perft::testing::stockfish().empty()) \
    GTEST_SKIP() << "no stockfish on this machine"

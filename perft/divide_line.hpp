// What the lines mean that engines print for `go perft`.
#pragma once

#include <string>
#include <string_view>

#include "core/uint128.hpp"

namespace mansuba::perft {

struct DivideLine {
    enum class Kind {
        Other,     // talk
        Move,      // `e2e4: 20`, also with - or = or a blank, or numbered `1. e2e4 20`
        Total,     // `Nodes searched: 20`, also Nodes, Total, Leaf nodes, or Perft N
        BadCount,  // a move or a total, but behind it no plain number that fits 128 bits
    };
    Kind kind = Kind::Other;
    std::string move = {};  // UCI text, in lower case
    Uint128 count = 0;
};

/// The line in lower case, runs of blanks and tabs as one blank, none at the ends.
std::string simplified_line(std::string_view line);

/// `line` is simplified and part of the answer to perft `depth`: `perft 1: 20` is the total for
/// depth 1, and talk for others (engines that deepen step by step print it).
DivideLine read_divide_line(std::string_view line, int depth);

}  // namespace mansuba::perft

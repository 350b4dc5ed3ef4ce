// Moves as people and engines write them.
#pragma once

#include <string>
#include <string_view>

#include "core/position.hpp"

namespace mansuba {

enum class Notation {
    Uci,      // e2e4, e7e8q; castling e1g1, or e1h1 where Chess960 is asked for
    San,      // Nf3, exd6, O-O, e8=Q+, Qxf7# (FIDE Appendix C, PGN 8.2.3)
    Lan,      // Ng1-f3, e5xd6, e7-e8=Q+
    Russian,  // SAN with the Russian piece letters Кр Ф Л С К, in UTF-8
};

/// Names of the notations as the command line has them: uci, san, lan, ru. Throws Error(Usage).
Notation notation_from_name(std::string_view name);

/// The text of a legal move. `chess960` asks for king-takes-rook castling in UCI; where the king
/// or rook does not stand on its standard square, that form is used in any case.
std::string format_move(const Position& position, Move move, Notation notation,
                        bool chess960 = false);

/// Reads a legal move in UCI, SAN or LAN; both UCI castling forms, 0-0 as O-O, missing or extra +
/// and # are understood. Throws Error(Input) naming the text: not a move, illegal here, ambiguous.
Move parse_move(const Position& position, std::string_view text);

}  // namespace mansuba

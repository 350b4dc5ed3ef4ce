// Best play from a position to mate: best_line DIRECTORY FEN
//
// Prints the moves of one line that is as short for the winner and as long for the loser as any.
#include <cstddef>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <mansuba/probe.h>

namespace {

void check(mansuba_status status) {
    if (status != MANSUBA_OK) throw std::runtime_error(mansuba_error_message());
}

struct Close {
    void operator()(mansuba_tables* tables) const { mansuba_close(tables); }
};
using Tables = std::unique_ptr<mansuba_tables, Close>;

Tables open(const char* directory) {
    mansuba_tables* tables = nullptr;
    check(mansuba_open(directory, 0, &tables));
    return Tables(tables);
}

std::string name(const mansuba_move& move) {
    std::string s;
    for (const int square : {int(move.from), int(move.to)}) {
        s += static_cast<char>('a' + square % 8);
        s += static_cast<char>('1' + square / 8);
    }
    if (move.promotion) s += move.promotion;
    return s;
}

/// How good a move is for who makes it: a win the better the sooner, a loss the better the later.
int score(const mansuba_move& move) {
    constexpr int kMoreThanAnyMate = 10000;
    if (move.after.dtm == MANSUBA_NO_MATE) return 0;
    return move.after.wdl < 0 ? kMoreThanAnyMate + move.after.dtm
                              : -kMoreThanAnyMate + move.after.dtm;
}

/// Bitboards of the position after a move; tables know no castling.
void play(mansuba_position& p, const mansuba_move& move) {
    const std::uint64_t from = std::uint64_t{1} << move.from, to = std::uint64_t{1} << move.to;
    const bool pawn = p.pawns & from;
    std::uint64_t captured = to;
    if (pawn && p.en_passant && move.to == p.en_passant)
        captured = p.black_to_move ? to << 8 : to >> 8;
    std::uint64_t* const kinds[] = {&p.pawns, &p.knights, &p.bishops,
                                    &p.rooks, &p.queens,  &p.kings};
    for (std::uint64_t* kind : kinds) {
        *kind &= ~captured;
        if (*kind & from) *kind ^= from | to;
    }
    std::uint64_t& own = p.black_to_move ? p.black : p.white;
    std::uint64_t& other = p.black_to_move ? p.white : p.black;
    own ^= from | to;
    other &= ~captured;
    if (move.promotion) {
        p.pawns ^= to;
        switch (move.promotion) {
            case 'n': p.knights |= to; break;
            case 'b': p.bishops |= to; break;
            case 'r': p.rooks |= to; break;
            default: p.queens |= to; break;
        }
    }
    const bool two_steps = pawn && (move.from ^ move.to) == 16;
    p.en_passant = static_cast<std::uint8_t>(two_steps ? (move.from + move.to) / 2 : 0);
    p.black_to_move ^= 1;
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 3) throw std::runtime_error("usage: best_line DIRECTORY FEN");
    const Tables tables = open(argv[1]);
    mansuba_position position;
    check(mansuba_read_fen(argv[2], &position));
    for (std::vector<mansuba_move> moves(MANSUBA_MAX_MOVES);;) {
        mansuba_value value;
        check(mansuba_probe(tables.get(), &position, &value));
        if (value.dtm == MANSUBA_UNKNOWN)
            throw std::runtime_error("tables without distances to mate");
        if (value.dtm == MANSUBA_NO_MATE || value.dtm == 0) break;
        std::size_t count = 0;
        check(mansuba_probe_moves(tables.get(), &position, moves.data(), moves.size(), &count));
        const mansuba_move* best = &moves[0];
        for (std::size_t i = 1; i < count; ++i)
            if (score(moves[i]) > score(*best)) best = &moves[i];
        std::cout << name(*best) << '\n';
        play(position, *best);
    }
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}

#include "core/zobrist.hpp"

namespace mansuba {
namespace {

/// Numbers without a pattern from a counter. Method: Sebastiano Vigna, splitmix64,
/// https://prng.di.unimi.it/splitmix64.c
constexpr std::uint64_t splitmix64(std::uint64_t& state) {
    state += 0x9e3779b97f4a7c15;
    std::uint64_t z = state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

constexpr ZobristTable make_table() {
    ZobristTable t{};
    std::uint64_t state = 0x6d616e73756261;  // "mansuba"
    for (auto& codes : t.man)
        for (std::size_t code = 1; code < codes.size(); ++code)
            for (Key& key : codes[code]) key = splitmix64(state);
    for (Key& key : t.en_passant) key = splitmix64(state);
    t.black_to_move = splitmix64(state);
    return t;
}

}  // namespace

constinit const ZobristTable kZobrist = make_table();

Key zobrist_key(const Board& board, Color side_to_move) {
    Key key = side_to_move == Color::Black ? kZobrist.black_to_move : 0;
    for (Bitboard men = board.occupied(); men;) {
        const Square s = pop_lowest(men);
        key ^= kZobrist.man[board.black >> s & 1][board.code_at(s)][s];
    }
    if (const Bitboard target = board.en_passant()) key ^= kZobrist.en_passant[lowest(target)];
    return key;
}

}  // namespace mansuba

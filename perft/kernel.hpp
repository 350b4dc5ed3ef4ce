// The counting kernels: the same recursion compiled for several instruction sets, chosen once.
#pragma once

#include <atomic>
#include <span>
#include <string_view>

#include "core/position.hpp"
#include "core/uint128.hpp"
#include "perft/hash_table.hpp"
#include "perft/perft.hpp"

namespace mansuba::perft {

/// How well the vectors of a kernel with lanes are filled.
struct LaneUse {
    std::uint64_t filled = 0;   // lanes that counted a position
    std::uint64_t offered = 0;  // lanes of all vectors
};

/// What a count carries along. The table may be null (no hashing). Once `*stop` is set (may be
/// null) a count returns soon, with a number that means nothing. `lane_use` (may be null) is added to
/// by kernels with lanes; it belongs to one thread.
struct CountContext {
    HashTable* hash = nullptr;
    const std::atomic<bool>* stop = nullptr;
    LaneUse* lane_use = nullptr;
};

/// One target: functions compiled for an instruction set and slider method. All give the same
/// numbers; none allocates; all may run in several threads at once.
struct Kernel {
    std::string_view name;         // portable, v3, pext, avx2
    std::string_view description;  // for people
    int lanes;                     // siblings counted at once; 1: one position at a time

    /// Leaves at `depth` >= 1 plies; the last ply is counted in sets of moves.
    Uint128 (*count)(const Board&, Color side_to_move, int depth, const CountContext&);
    /// The same, making the move to every leaf; the hash is not used.
    Uint128 (*count_each)(const Board&, Color side_to_move, int depth, const CountContext&);
    /// The same, and what kinds of moves lead to the leaves; the hash is not used.
    Uint128 (*count_detail)(const Board&, Color side_to_move, int depth, const CountContext&,
                            Detail&);
    /// Writes the boards after each legal move from `out` on, in the order of list_moves, and
    /// returns their number; room for kMaxMoves.
    int (*children)(const Board&, Color side_to_move, Board* out);

    PackedBoard (*pack)(const Board&);
    Board (*unpack)(const PackedBoard&);
};

/// The kernels that this processor can run, slowest first.
std::span<const Kernel> kernels();

/// The kernel of a name that `--simd` knows: `auto` (the fastest), `scalar` (the fastest that counts
/// one position at a time) or a kernel's own. Throws Error(Usage), listing the names, if this
/// processor or this program does not have it.
const Kernel& kernel(std::string_view name);

}  // namespace mansuba::perft

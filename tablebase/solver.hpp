// Retrograde analysis of one pawn placement on bit sets: the steps, compiled for several targets.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tablebase/codes.hpp"
#include "tablebase/layout.hpp"
#include "tablebase/table.hpp"

namespace mansuba::tablebase {

/// A set of positions of a pawn placement with one side to move. Bit r of `rows[b]` tells whether
/// row r of block b, the words of eight squares on a rank, is there; what is not there is empty, whatever
/// its memory holds.
///
/// Beside legal positions a set may hold cells with two men of different colours on a square: they
/// stand for the position after the one not to move has captured the other.
struct Set {
    Block* block;
    std::uint8_t* rows;
};

/// What becomes of a placement by one side's captures, without those by pawns: codes of the
/// positions after them, where the capture stands as two men on a square.
template <class Code>
struct Collisions {
    /// 64 codes of every block.
    struct Slot {
        enum Kind : std::uint8_t {
            Row,      // the word man on the square of a fixed man; a code a square of the bit man
            Column,   // the bit man on the square of a fixed man; a code a square of the word man
            Diagonal  // word and bit man on the same square; a code for each
        } kind;
        std::int8_t partner;  // the fixed man
        std::int8_t gone;     // the man captured
    };
    std::vector<Slot> slots;
    Numbers codes;  // Code [block][slot][64]
    /// Blocks whose fixed men collide have a code a cell: 0, or one more than the number of theirs.
    std::vector<std::uint32_t> whole;                     // by block
    std::vector<Code> whole_codes;                        // [number][64][64]
    std::vector<std::vector<std::uint32_t>> blocks_with;  // by code
};

/// What pawn moves of one side lead to, cell by cell, as the number of plies after which they count.
template <class Code>
struct PawnKeys {
    static constexpr Code kNever = DtmCode<Code>::kIllegal;
    std::vector<Code> win;   // the best of them wins once this ply is reached
    std::vector<Code> loss;  // all of them lose once this ply is reached; 0 if there are none
    std::vector<Block> any;  // where there are any
    std::vector<std::vector<std::uint32_t>> blocks_winning, blocks_losing;  // by ply
};

/// One side's wins, the other's losses.
template <class Code>
struct Chain {
    const Layout* layout;
    Squares pawns;
    Color winner;
    Set legal;       // winner to move: read by the caller only
    Set open;        // winner to move: not won yet, captures by the loser included
    Set candidates;  // loser to move: not lost yet
    Set lost;       // loser to move: lost since the last ply, and the winner's captures that win so
    Set lost_next;  // loser to move: lost with this ply
    Set won;        // winner to move: won since the last ply, and the loser's captures
    const Code* win_key;            // by pawn moves of the winner; null without
    const Code* loss_key;           // by pawn moves of the loser; null without
    const std::uint8_t* pawn_won;   // blocks where win_key has this ply; null without
    const std::uint8_t* pawn_lost;  // blocks where loss_key has
    Code* winner_plies;             // cell by cell
    Code* loser_plies;
};

/// Functions compiled for an instruction set; all give the same sets. They work on the blocks from
/// `first` to before `last` and may run at once on ranges that do not overlap. None allocates. Blocks that
/// are not kept (Index::kept) stay empty in all sets.
template <class Code>
struct Solver {
    /// Adds the cells where a man of `c` stands on the other side's king.
    void (*king_captures)(const Layout&, const Squares& pawns, Color c, Set captures,
                          std::uint32_t first, std::uint32_t last);
    /// Sets what is legal with c to move: all men on squares of their own, the other king not
    /// attacked.
    void (*legal)(const Layout&, const Squares& pawns, Color c, Set captures, Set legal,
                  std::uint32_t first, std::uint32_t last);
    /// Sets where c has no move into `targets`, and no pawn move (may be null).
    void (*stuck)(const Layout&, const Squares& pawns, Color c, Set legal, Set targets,
                  const Block* pawn_moves, Set stuck, std::uint32_t first, std::uint32_t last);
    /// One ply: what loses with it, looking at all candidates or at those that a new win touches; and
    /// what wins with it. Whether anything was found.
    bool (*lose)(const Chain<Code>&, int ply, bool all, std::uint32_t first, std::uint32_t last);
    bool (*win)(const Chain<Code>&, int ply, std::uint32_t first, std::uint32_t last);
    /// Adds to a block, or takes out of it, the captures that have a code, or that have another.
    void (*collide)(const Layout&, const Squares& pawns, const Collisions<Code>&,
                    std::uint32_t block, Code code, bool equal, bool take_out, Set set);
    /// Sets what has a distance to mate, won or lost, by the codes of the cells in rows with something legal.
    void (*decided)(const Code* cells, bool won, Set legal, Set out, std::uint32_t first,
                    std::uint32_t last);
    /// Gives the cells of a set the first class, or the second where there are more plies than
    /// `rule_plies`.
    void (*classify)(const Set& set, const Code* plies, int rule_plies,
                     std::array<std::uint8_t, 2> by_rule, std::uint8_t* classes,
                     std::uint32_t first, std::uint32_t last);
    /// Writes `value` to the cells of a block that are in the set.
    void (*write)(Code* cells, const Block& set, std::uint8_t rows, Code value);
};

struct SolverTarget {
    std::string_view name, description;
    Solver<std::uint8_t> narrow;
    Solver<std::uint16_t> wide;

    template <class Code>
    const Solver<Code>& solver() const {
        if constexpr (sizeof(Code) == 1)
            return narrow;
        else
            return wide;
    }
};

/// Those that this processor can run, slowest first.
std::span<const SolverTarget> solver_targets();

/// By a name that `--simd` knows; see solver.cpp for which names of counting kernels it takes for
/// which. Throws Error(Usage).
const SolverTarget& solver_target(std::string_view name);

}  // namespace mansuba::tablebase

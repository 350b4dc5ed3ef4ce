// Perft: how many leaves the tree of legal moves has at a depth, and of what kinds they are.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/movegen.hpp"
#include "core/position.hpp"
#include "core/uint128.hpp"

namespace mansuba::perft {

class Sharing;  // perft/units.hpp

/// Kinds of leaves, counted for the move that leads to them. `checks` includes mates; `discovered`
/// is a single check by a man that did not move (double checks are left out, a castling rook has
/// moved); `captures` includes en passant.
struct Detail {
    Uint128 captures = 0, en_passant = 0, castles = 0, promotions = 0, checks = 0, discovered = 0,
            double_checks = 0, mates = 0, stalemates = 0;
    friend bool operator==(const Detail&, const Detail&) = default;
};

inline constexpr std::array<Uint128 Detail::*, 9> kDetailFields{
    &Detail::captures,      &Detail::en_passant, &Detail::castles,
    &Detail::promotions,    &Detail::checks,     &Detail::discovered,
    &Detail::double_checks, &Detail::mates,      &Detail::stalemates};

/// Seen by the caller while a count runs; from one thread at a time.
struct Progress {
    std::uint64_t units_done = 0, units = 0;  // subtrees of one depth, earlier runs included
    std::uint64_t units_this_run = 0;
    Uint128 nodes = 0;           // leaves of the finished ones
    Uint128 nodes_this_run = 0;  // without what a checkpoint brought
    double elapsed_s = 0;        // of this run
};

struct Options {
    int threads = 0;               // 0: all that OpenMP offers
    std::uint64_t hash_bytes = 0;  // 0: no hash table
    bool bulk = true;              // count the last ply without making its moves
    bool detail = false;
    std::filesystem::path
        checkpoint;  // empty: none; resumed from if it exists, complete at the end
    double checkpoint_interval_s = 30;
    std::string_view simd = "auto";                      // see kernel() in perft/kernel.hpp
    std::function<void(const Progress&)> on_progress;    // about five times a second; may be null
    std::function<void(const std::string&)> on_warning;  // a save that failed, say; may be null
    const std::atomic<bool>* stop = nullptr;             // set by a signal handler; may be null
    Sharing* sharing = nullptr;                          // others who count units, too; may be null
};

struct RootMove {
    Move move;
    Uint128 nodes = 0;
};

struct Result {
    Uint128 nodes = 0;
    std::vector<RootMove> divide;  // every legal root move
    std::optional<Detail> detail;
    double seconds = 0;          // of this run
    Uint128 nodes_this_run = 0;  // less than nodes after a resume
    int threads = 0;
    std::string simd;              // the target that counted
    std::uint64_t hash_bytes = 0;  // of the table that was used
    // The part of the vectors' lanes that counted a position; none if no vector was used.
    std::optional<double> lane_use;
};

inline constexpr int kMaxDepth = 31;

/// Counts the leaves at `depth` plies, 0 to kMaxDepth. The same total whatever the options. Without a hash table the whole tree is walked; with
/// one, equal positions are counted once, and a hit is exact: entries hold the whole position. Throws Error(Interrupted) once `stop` is set
/// (the checkpoint, if any, is saved), Error(File) for a checkpoint that is damaged or of another
/// count, Error(Input) for a count that outgrows 128 bits (218^16 does not).
Result count(const Position& root, int depth, const Options& options);

/// The number of distinct positions at `depth` plies (FIDE 9.2.3: en passant rights count only where
/// a capture is legal). Exact: whole boards are compared. Uses options.threads, on_progress (nodes
/// stays 0), stop, and about `memory_bytes` for its sets of 24 bytes a position; the last ply is
/// gone through in as many passes as that takes. Throws Error(Usage) if the ply before does not fit,
/// Error(Interrupted) once `stop` is set.
///
/// Of `parts` that together are all, `part` counts the positions whose hash falls to it: their sum is
/// the number, and each holds its share of the sets.
std::uint64_t count_unique(const Position& root, int depth, const Options& options,
                           std::uint64_t memory_bytes, unsigned part = 0, unsigned parts = 1);

}  // namespace mansuba::perft

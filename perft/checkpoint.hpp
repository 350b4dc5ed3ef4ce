// The file that a long count resumes from. Layout: perft/CHECKPOINT.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "perft/frontier.hpp"
#include "perft/perft.hpp"

namespace mansuba::perft {

/// Which count a checkpoint belongs to.
struct CheckpointIdentity {
    Board root;
    Color side_to_move = Color::White;
    int depth = 0;
    bool detail = false;
    bool bulk = true;     // else every leaf was made
    int plies = 0;        // of the frontier
    bool merged = false;  // counted with a hash table
    friend bool operator==(const CheckpointIdentity&, const CheckpointIdentity&) = default;
};

struct UnitResult {
    std::uint32_t unit = 0;
    Uint128 nodes = 0;
    Detail detail;  // zero where the count has none
};

struct Checkpoint {
    CheckpointIdentity identity;
    std::uint64_t units = 0;  // finished or not
    std::vector<UnitResult> finished;
};

/// Saves, replacing an older file in one step. Throws Error(File).
void save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);

/// Loads. Throws Error(File) naming the file if it is no checkpoint, damaged, or of a newer version.
Checkpoint load_checkpoint(const std::filesystem::path& path);

}  // namespace mansuba::perft

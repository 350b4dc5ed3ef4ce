// The state of a table in work, for a later run that goes on from it with as many members as it has.
// Files: tablebase/CHECKPOINT.md.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/file.hpp"
#include "tablebase/index.hpp"
#include "tablebase/team.hpp"

namespace mansuba::tablebase {

/// Where the making of a table stands.
struct Standing {
    bool wide = false;             // codes take two bytes
    std::uint32_t placements = 0;  // of pawns, finished
    /// Of the next placement: which of its chains is in work, between two plies; -1 at its start.
    int chain = -1;
    int ply = 0;  // the next
    bool some_won = false, some_lost = false;
    friend bool operator==(const Standing&, const Standing&) = default;
};

/// Something that has as many bytes for each block (Layout) of a run of placements.
struct BlockArray {
    std::uint32_t number;  // which; up to 255
    std::byte* data;       // of block 0 of placement 0, whether that belongs to the run or not
    std::uint32_t block_bytes;
    std::uint32_t first_placement, last_placement;
    /// Of a Set its rows, likewise: what they say is not there counts as zero.
    std::uint8_t* rows = nullptr;
};

/// One table's checkpoint. Of a team all members have one of the same directory and call the same in the
/// same order. Errors are Error(File) naming the file. From one thread.
class Checkpoint {
public:
    /// `made_by` says how it is made: a checkpoint of one made otherwise is refused. `team` may be null.
    Checkpoint(std::filesystem::path directory, const Index& index, std::string made_by,
               double interval_seconds, int threads, Team* team);
    ~Checkpoint();

    /// What an earlier run left; nothing if it left nothing. Throws also if it is damaged.
    const std::optional<Standing>& found() const { return found_; }
    /// Reads from what was found these blocks of each array.
    void load(std::span<const BlockArray> arrays, std::span<const BlockRun> runs) const;

    /// Whether the interval has passed since the last one.
    bool is_due() const { return std::chrono::steady_clock::now() >= next_; }
    /// Writes the blocks of this member, and replaces what was there once all have.
    void save(const Standing& standing, std::span<const BlockArray> arrays,
              std::span<const BlockRun> runs);

    /// Removes the checkpoint of an endgame if there is one.
    static void remove(const std::filesystem::path& directory, const Material& material);

private:
    struct Piece {
        std::uint32_t array, placement, first, blocks;
    };
    struct Stored {
        Piece piece;
        std::uint32_t packed_bytes;
        std::size_t part;
        std::uint64_t offset, digest;
    };
    std::string damaged() const;
    void read_manifest();
    void scan(std::size_t part, std::uint64_t bytes);
    template <class Do>
    void for_each_kept(const Piece& piece, const Do& work) const;

    std::filesystem::path manifest_;
    const Index& index_;
    std::string made_by_;
    std::chrono::steady_clock::duration interval_;
    int threads_;
    Team* team_;
    std::chrono::steady_clock::time_point next_;
    std::uint64_t generation_ = 0;  // of the last that is there
    std::optional<Standing> found_;
    std::vector<std::unique_ptr<OldFile>> parts_;
    std::vector<Stored> stored_;
};

}  // namespace mansuba::tablebase

// What a Syzygy file may say of each position without any reader being misled.
#pragma once

#include <cstdint>
#include <utility>

#include "tablebase/generator.hpp"
#include "tablebase/table.hpp"

namespace mansuba::tablebase::syzygy {

/// What is asked of the files about a cell, in a byte. Readers look at captures themselves (and, for
/// distances, at pawn moves), so much need not be stored. See tablebase/SYZYGY.md.
class Need {
public:
    static constexpr unsigned kAnyResult = 0x1f;

    constexpr Need() = default;
    /// `results`: bit v if the result v (wdl_code) may be stored; `dtz_of`: the result for whose
    /// winner or loser the distance must be stored, kDraw if it need not be.
    constexpr Need(unsigned results, unsigned dtz_of)
        : bits_(static_cast<std::uint8_t>(results | dtz_of << 5)) {}

    constexpr unsigned results() const { return bits_ & kAnyResult; }
    constexpr unsigned dtz_of() const { return bits_ >> 5; }
    constexpr bool dtz_free() const { return dtz_of() == wdl_code::kDraw; }

    /// Of numbers that no position has.
    static constexpr Need nothing() { return {kAnyResult, wdl_code::kDraw}; }

private:
    std::uint8_t bits_ = kAnyResult | wdl_code::kDraw << 5;
};
static_assert(sizeof(Need) == 1);

/// For all cells of one side to move.
class Needs {
public:
    explicit Needs(std::uint64_t cells) : bytes_(cells, false) {}
    Need* data() { return bytes_.as<Need>(); }
    const Need* data() const { return bytes_.as<const Need>(); }
    Need operator[](std::uint64_t cell) const { return data()[cell]; }

    /// Their memory, for what is made of them.
    Numbers take() && { return std::move(bytes_); }

private:
    Numbers bytes_;
};

/// `table` has its WDL, as have the tables that `smaller` gives for what a capture or promotion leads to.
/// With `threads` threads (0: as many as OpenMP gives). Costs a few nanoseconds a cell: the 64 squares
/// of a table's last man are looked at together. Throws Error(Interrupted) if `stop` is set.
Needs find_needs(const tablebase::Table& table, Color side_to_move, const Smaller& smaller,
                 int threads = 0, const std::atomic<bool>* stop = nullptr);

}  // namespace mansuba::tablebase::syzygy

// Cells as they stand in files; the meaning is written down in FORMAT.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tablebase/layout.hpp"
#include "tablebase/store.hpp"

namespace mansuba::tablebase {

/// How many bytes a cell of a metric takes in a file: 1, or 2 where a number needs it. Of a share: that a cell
/// of the share takes.
int stored_bytes(const Table& table, Metric metric, Color side_to_move);

/// `count` blocks from `first` on: wdl -2 to 2, dtz in plies, dtm in moves of the winner (plies
/// halved, upwards), winnable 1 for White plus 2 for Black, dth in plies or 255. Cells whose value
/// nobody asks for (no legal position, not among `canonical`, which is Layout::canonical() of each block,
/// a distance of a draw) repeat the one before, or the first that has a value: runs are what
/// compresses. `out` takes stored_bytes() a cell.
void encode(const Table& table, Metric metric, Color side_to_move, std::uint64_t first,
            std::span<const Block> canonical, int bytes, std::byte* out);

/// The same of Metric::Dtm50 with a clock of Table::dtm50_first or more: moves that the mate comes later
/// than by dtm, 0 in all cells whose value nobody asks for: here runs are of zeros.
void encode_later(const Table& table, int clock, Color side_to_move, std::uint64_t first,
                  std::span<const Block> canonical, std::byte* out);

/// The cells of a metric and side to move as encode() made them.
struct StoredCells {
    StoredCells() = default;
    StoredCells(std::uint64_t cells, int width)
        : count(cells), bytes_per_cell(width), pages(cells * static_cast<std::uint64_t>(width)) {}

    bool there() const { return count > 0; }
    std::span<std::byte> bytes() {
        return {pages.as<std::byte>(), count * static_cast<std::uint64_t>(bytes_per_cell)};
    }

    std::uint64_t count = 0;
    int bytes_per_cell = 1;
    Pages pages;
};
using ReadCells = std::function<StoredCells(Metric, Color side_to_move)>;

/// The inverse of encode() over all cells; of Metric::Dtm50 with a clock of 0: see TableStore::load().
/// `limits_agree`: see Table.
Table decode(const Material& material, Metrics metrics, bool limits_agree, const ReadCells& read,
             const std::string& simd = "auto");

/// The inverse of encode_later(): fills the rows of Table::dtm50_later of a table that decode() made. `read`
/// gets the number of a row and room for all its cells.
void decode_later(Table& table, Color side_to_move,
                  const std::function<void(std::size_t, std::span<std::byte>)>& read);

}  // namespace mansuba::tablebase

// How the cells of a dataset are cut into chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace mansuba::tablebase::hdf5 {

/// What a cell is; little-endian in memory and in the file.
enum class CellType { Int8, UInt8, Int16, UInt16 };

constexpr std::size_t bytes_of(CellType type) {
    return type == CellType::Int16 || type == CellType::UInt16 ? 2 : 1;
}
/// int8, uint8, int16, uint16.
std::string_view name_of(CellType type);

/// The shape of a dataset and of its chunks. Cells are counted in row-major order (the last
/// dimension runs fastest), and so are chunks: chunk 0 holds the first cells, chunk 1 the next.
/// A value; reading it is thread-safe.
class Layout {
public:
    /// No cells, no chunks; only to be assigned to.
    Layout() = default;

    /// Chunk dimensions must read 1, ..., 1, k, full, ..., full, so that a chunk is a run of
    /// cells; k need not divide its dimension. All dimensions are at least 1, at most 32 of them,
    /// and a chunk has at most kMaxChunkCells. Throws Error(Internal) that says what is wrong.
    Layout(std::vector<std::uint64_t> dims, std::vector<std::uint64_t> chunk_dims);

    static constexpr std::uint64_t kMaxChunkCells = std::uint64_t{1} << 28;

    const std::vector<std::uint64_t>& dims() const { return dims_; }
    const std::vector<std::uint64_t>& chunk_dims() const { return chunk_dims_; }

    std::uint64_t cells() const { return cells_; }
    std::uint64_t chunks() const { return chunks_; }

    /// Cells that each chunk occupies in the file, padding included.
    std::uint64_t stored_chunk_cells() const { return rows_ * row_cells_; }
    /// Cells of a chunk without padding: fewer than stored ones if it stands at the edge.
    std::uint64_t chunk_cells(std::uint64_t chunk) const;
    /// Cells of `count` chunks from `first` on.
    std::uint64_t chunk_cells(std::uint64_t first, std::uint64_t count) const;
    /// The inverse: how many chunks `cells` cells are, from the start of chunk `first` on. Throws
    /// Error(Internal) if they are not a whole number of chunks, or more than there are.
    std::uint64_t chunks_in(std::uint64_t first, std::uint64_t cells) const;
    /// The cell that a chunk begins with; for chunk == chunks(), the number of cells.
    std::uint64_t first_cell(std::uint64_t chunk) const;
    /// The coordinates of that cell.
    std::vector<std::uint64_t> first_coordinates(std::uint64_t chunk) const;

    struct Place {
        std::uint64_t chunk;
        std::uint64_t offset;  // in cells from the chunk's first
    };
    /// Where a cell is, 0 to cells() - 1. Costs two or three divisions.
    Place place_of(std::uint64_t cell) const {
        const std::uint64_t block = cell / block_cells_, rest = cell % block_cells_;
        const std::uint64_t in_block = rest / stored_chunk_cells();
        return {block * block_chunks_ + in_block, rest - in_block * stored_chunk_cells()};
    }

    friend bool operator==(const Layout&, const Layout&) = default;

private:
    std::vector<std::uint64_t> dims_, chunk_dims_;
    std::size_t axis_ = 0;  // the dimension that is cut into runs of k
    // A row is one step along the axis; a chunk holds up to rows_ = k of them; a block is all
    // that has the same coordinates before the axis.
    std::uint64_t cells_ = 0, chunks_ = 0, rows_ = 1, row_cells_ = 1;
    std::uint64_t block_cells_ = 1, block_chunks_ = 1;
};

}  // namespace mansuba::tablebase::hdf5

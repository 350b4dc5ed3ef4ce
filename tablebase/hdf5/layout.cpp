#include "tablebase/hdf5/layout.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

#include "core/error.hpp"

namespace mansuba::tablebase::hdf5 {

std::string_view name_of(CellType type) {
    switch (type) {
        case CellType::Int8: return "int8";
        case CellType::UInt8: return "uint8";
        case CellType::Int16: return "int16";
        case CellType::UInt16: return "uint16";
    }
    return "?";
}

Layout::Layout(std::vector<std::uint64_t> dims, std::vector<std::uint64_t> chunk_dims)
    : dims_(std::move(dims)), chunk_dims_(std::move(chunk_dims)) {
    const auto refuse = [](const char* what) { throw Error(ErrorCode::Internal, what); };
    constexpr std::size_t kMaxDimensions = 32;  // HDF5's own bound
    if (dims_.empty() || dims_.size() > kMaxDimensions || dims_.size() != chunk_dims_.size())
        refuse("a dataset has 1 to 32 dimensions, and its chunks as many");

    cells_ = 1;
    for (std::size_t i = 0; i < dims_.size(); ++i) {
        if (dims_[i] == 0 || chunk_dims_[i] == 0 || chunk_dims_[i] > dims_[i])
            refuse("a dimension is empty, or a chunk larger than its dataset");
        if (dims_[i] > std::numeric_limits<std::int64_t>::max() / cells_)
            refuse("too many cells for a dataset");
        cells_ *= dims_[i];
    }

    axis_ = dims_.size() - 1;
    while (axis_ > 0 && chunk_dims_[axis_] == dims_[axis_]) row_cells_ *= dims_[axis_--];
    for (std::size_t i = 0; i < axis_; ++i)
        if (chunk_dims_[i] != 1) refuse("a chunk is not a run of cells");
    rows_ = chunk_dims_[axis_];
    if (row_cells_ > kMaxChunkCells || rows_ > kMaxChunkCells / row_cells_)
        refuse("too many cells for a chunk");

    block_cells_ = dims_[axis_] * row_cells_;
    block_chunks_ = (dims_[axis_] - 1) / rows_ + 1;
    chunks_ = cells_ / block_cells_ * block_chunks_;
}

std::uint64_t Layout::chunk_cells(std::uint64_t chunk) const {
    assert(chunk < chunks_);
    return std::min(rows_, dims_[axis_] - chunk % block_chunks_ * rows_) * row_cells_;
}

std::uint64_t Layout::chunk_cells(std::uint64_t first, std::uint64_t count) const {
    return first_cell(first + count) - first_cell(first);
}

std::uint64_t Layout::chunks_in(std::uint64_t first, std::uint64_t cells) const {
    if (first <= chunks_ && cells <= cells_ - first_cell(first)) {
        const std::uint64_t end = first_cell(first) + cells;
        const std::uint64_t chunk = end == cells_ ? chunks_ : place_of(end).chunk;
        if (first_cell(chunk) == end) return chunk - first;
    }
    throw Error(ErrorCode::Internal, "not a whole number of chunks, or too many");
}

std::uint64_t Layout::first_cell(std::uint64_t chunk) const {
    assert(chunk <= chunks_);
    return chunk / block_chunks_ * block_cells_ + chunk % block_chunks_ * stored_chunk_cells();
}

std::vector<std::uint64_t> Layout::first_coordinates(std::uint64_t chunk) const {
    assert(chunk < chunks_);
    std::vector<std::uint64_t> result(dims_.size(), 0);
    result[axis_] = chunk % block_chunks_ * rows_;
    std::uint64_t block = chunk / block_chunks_;
    for (std::size_t i = axis_; i-- > 0; block /= dims_[i]) result[i] = block % dims_[i];
    return result;
}

}  // namespace mansuba::tablebase::hdf5

#include "tablebase/hdf5/reader.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "core/error.hpp"
#include "core/quote.hpp"
#include "tablebase/first_error.hpp"
#include "tablebase/hdf5/codec.hpp"
#include "tablebase/hdf5/format_names.hpp"
#include "tablebase/hdf5/library.hpp"
#include "tablebase/hdf5/seal.hpp"

namespace mansuba::tablebase::hdf5 {
namespace {

namespace fs = std::filesystem;

/// Names of all links of a group, sorted by bytes.
std::vector<std::string> names_in(const Session& session, hid_t group) {
    H5G_info_t info{};
    session.call("cannot read", [&] { return H5Gget_info(group, &info); });
    std::vector<std::string> result;
    for (hsize_t i = 0; i < info.nlinks; ++i) {
        const auto name_by_index = [&](char* name, std::size_t bytes) {
            return session.call("cannot read", [&] {
                return H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, bytes,
                                          H5P_DEFAULT);
            });
        };
        std::string name(static_cast<std::size_t>(name_by_index(nullptr, 0)) + 1, '\0');
        name_by_index(name.data(), name.size());
        name.pop_back();
        result.push_back(std::move(name));
    }
    std::sort(result.begin(), result.end());
    return result;
}

CellType cell_type(const Session& session, const Dataset& dataset) {
    const Type type(session.call("cannot read", [&] { return H5Dget_type(dataset.get()); }));
    const std::pair<hid_t, CellType> known[] = {{H5T_STD_I8LE, CellType::Int8},
                                                {H5T_STD_U8LE, CellType::UInt8},
                                                {H5T_STD_I16LE, CellType::Int16},
                                                {H5T_STD_U16LE, CellType::UInt16}};
    for (const auto& [stored_as, result] : known)
        if (H5Tequal(type.get(), stored_as) > 0) return result;
    session.refuse("a dataset has cells of no known type");
}

/// Checks the filters on the way.
Layout layout(const Session& session, const Dataset& dataset, CellType type) {
    const Space space(session.call("cannot read", [&] { return H5Dget_space(dataset.get()); }));
    const int rank =
        session.call("cannot read", [&] { return H5Sget_simple_extent_ndims(space.get()); });
    std::vector<hsize_t> dims(static_cast<std::size_t>(rank)), chunk(dims);
    session.call("cannot read",
                 [&] { return H5Sget_simple_extent_dims(space.get(), dims.data(), nullptr); });
    const Properties properties(
        session.call("cannot read", [&] { return H5Dget_create_plist(dataset.get()); }));
    if (H5Pget_layout(properties.get()) != H5D_CHUNKED)
        session.refuse("a dataset is not in chunks");
    session.call("cannot read", [&] { return H5Pget_chunk(properties.get(), rank, chunk.data()); });

    std::vector<H5Z_filter_t> filters;
    const int count =
        session.call("cannot read", [&] { return H5Pget_nfilters(properties.get()); });
    for (unsigned i = 0; i < static_cast<unsigned>(count); ++i) {
        unsigned flags = 0, configuration = 0;
        std::size_t values = 0;
        filters.push_back(session.call("cannot read", [&] {
            return H5Pget_filter2(properties.get(), i, &flags, &values, nullptr, 0, nullptr,
                                  &configuration);
        }));
    }
    std::vector<H5Z_filter_t> expected{H5Z_FILTER_DEFLATE, H5Z_FILTER_FLETCHER32};
    if (bytes_of(type) == 2) expected.insert(expected.begin(), H5Z_FILTER_SHUFFLE);
    if (filters != expected) session.refuse("a dataset has other filters than a table has");
    try {
        return Layout({dims.begin(), dims.end()}, {chunk.begin(), chunk.end()});
    } catch (const Error& e) {
        session.refuse(e.what());
    }
}

}  // namespace

struct Reader::Impl {
    const fs::path path;
    const std::shared_ptr<ChunkCache> cache;
    File file;
    Attributes attributes;
    std::vector<DatasetInfo> infos;
    std::vector<Dataset> datasets;                             // HDF5's handles, as infos
    std::vector<std::unique_ptr<ChunkCache::Dataset>> cached;  // as infos; empty without a cache

    Impl(const fs::path& p, std::shared_ptr<ChunkCache> c);
    ~Impl();
    void open(const Session& session);
    void read_chunk(std::size_t dataset, std::uint64_t chunk, std::span<std::byte> cells) const;
    std::vector<std::byte> read_stored(const Session& session, std::size_t dataset,
                                       std::uint64_t chunk) const;
    const DatasetInfo& info(std::size_t dataset, std::uint64_t chunk) const;
    std::string name_of_chunk(std::size_t dataset, std::uint64_t chunk) const;
};

Reader::Impl::Impl(const fs::path& p, std::shared_ptr<ChunkCache> c)
    : path(p), cache(std::move(c)) {
    check_structure(path);
    const Session session(path);
    try {
        open(session);
    } catch (...) {  // what is open must be closed within the session
        datasets.clear();
        file.close();
        throw;
    }
}

Reader::Impl::~Impl() {
    const Session session(path);
    datasets.clear();
    file.close();
}

void Reader::Impl::open(const Session& session) {
    const Properties access(session.call("HDF5 fails", [] { return H5Pcreate(H5P_FILE_ACCESS); }));
    // Files are never changed in place; and chunks are kept in our own cache.
    session.call("HDF5 fails", [&] { return H5Pset_file_locking(access.get(), false, true); });
    session.call("HDF5 fails", [&] { return H5Pset_cache(access.get(), 0, 1, 0, 0); });
    file = File(session.call("cannot open",
                             [&] { return H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()); }));
    attributes = read_attributes(session, file.get());
    if (const auto format = attributes.find(kFormat);
        format == attributes.end() || format->second != AttributeValue(kFormatName))
        session.refuse("not an endgame table of mansuba");

    for (const std::string& group_name : names_in(session, file.get())) {
        const Group group(session.call(
            "cannot read", [&] { return H5Gopen2(file.get(), group_name.c_str(), H5P_DEFAULT); }));
        for (const std::string& name : names_in(session, group.get())) {
            Dataset dataset(session.call(
                "cannot read", [&] { return H5Dopen2(group.get(), name.c_str(), H5P_DEFAULT); }));
            const CellType type = cell_type(session, dataset);
            infos.push_back({group_name, name, type, layout(session, dataset, type),
                             read_attributes(session, dataset.get())});
            datasets.push_back(std::move(dataset));
            if (cache)
                cached.push_back(
                    std::make_unique<ChunkCache::Dataset>(cache, infos.back().layout.chunks()));
        }
    }
}

const DatasetInfo& Reader::Impl::info(std::size_t dataset, std::uint64_t chunk) const {
    if (dataset >= infos.size() || chunk >= infos[dataset].layout.chunks())
        throw Error(ErrorCode::Internal, "no such dataset or chunk", path.string());
    return infos[dataset];
}

std::string Reader::Impl::name_of_chunk(std::size_t dataset, std::uint64_t chunk) const {
    return "chunk " + std::to_string(chunk) + " of /" + infos[dataset].group + "/" +
           infos[dataset].name;
}

std::vector<std::byte> Reader::Impl::read_stored(const Session& session, std::size_t dataset,
                                                 std::uint64_t chunk) const {
    const Layout& layout = infos[dataset].layout;
    const hid_t id = datasets[dataset].get();
    const std::vector<std::uint64_t> first = layout.first_coordinates(chunk);
    const std::vector<hsize_t> at(first.begin(), first.end());
    hsize_t bytes = 0;
    session.call("cannot read", [&] { return H5Dget_chunk_storage_size(id, at.data(), &bytes); });
    if (bytes > max_stored_bytes(layout.stored_chunk_cells() * bytes_of(infos[dataset].type)))
        session.refuse(name_of_chunk(dataset, chunk) + " is damaged: too long");
    std::vector<std::byte> result(bytes);
    std::uint32_t skipped_filters = 0;
    if (bytes > 0)
        session.call("cannot read", [&] {
            return H5Dread_chunk(id, H5P_DEFAULT, at.data(), &skipped_filters, result.data());
        });
    if (skipped_filters != 0)
        session.refuse(name_of_chunk(dataset, chunk) + " is damaged: not filtered as it should");
    return result;
}

/// `cells` takes the chunk without its padding.
void Reader::Impl::read_chunk(std::size_t dataset, std::uint64_t chunk,
                              std::span<std::byte> cells) const {
    const DatasetInfo& d = infos[dataset];
    const std::size_t cell_bytes = bytes_of(d.type);
    const std::size_t padded_bytes = d.layout.stored_chunk_cells() * cell_bytes;
    const std::vector<std::byte> stored = read_stored(Session(path), dataset, chunk);
    const char* fault;
    if (cells.size() == padded_bytes) {
        fault = decode(stored, cell_bytes, cells);
    } else {
        std::vector<std::byte> padded(padded_bytes);
        fault = decode(stored, cell_bytes, padded);
        std::memcpy(cells.data(), padded.data(), cells.size());
    }
    if (fault)
        throw Error(ErrorCode::File, name_of_chunk(dataset, chunk) + " is " + fault, path.string());
}

Reader::Reader(const fs::path& path, std::shared_ptr<ChunkCache> cache)
    : impl_(std::make_unique<Impl>(path, std::move(cache))) {}

Reader::~Reader() = default;

const fs::path& Reader::path() const { return impl_->path; }
const Attributes& Reader::attributes() const { return impl_->attributes; }
const std::vector<DatasetInfo>& Reader::datasets() const { return impl_->infos; }

std::optional<std::size_t> Reader::find(std::string_view group, std::string_view name) const {
    const auto& infos = impl_->infos;
    const auto found = std::find_if(infos.begin(), infos.end(), [&](const DatasetInfo& d) {
        return d.group == group && d.name == name;
    });
    if (found == infos.end()) return std::nullopt;
    return static_cast<std::size_t>(found - infos.begin());
}

void Reader::lacks_attribute(std::string_view name) const {
    throw Error(ErrorCode::File, "lacks a proper attribute " + quoted(name), impl_->path.string());
}

std::vector<std::byte> Reader::read_chunk(std::size_t dataset, std::uint64_t chunk) const {
    const DatasetInfo& info = impl_->info(dataset, chunk);
    std::vector<std::byte> cells(info.layout.chunk_cells(chunk) * bytes_of(info.type));
    impl_->read_chunk(dataset, chunk, cells);
    return cells;
}

void Reader::read_chunks(std::size_t dataset, std::uint64_t first_chunk,
                         std::span<std::byte> cells) const {
    const DatasetInfo& info = impl_->info(dataset, first_chunk);
    const Layout& layout = info.layout;
    const std::size_t cell_bytes = bytes_of(info.type);
    if (cells.size() % cell_bytes != 0)
        throw Error(ErrorCode::Internal, "half a cell", impl_->path.string());
    const auto count =
        static_cast<std::int64_t>(layout.chunks_in(first_chunk, cells.size() / cell_bytes));
    const std::uint64_t first_cell = layout.first_cell(first_chunk);
    FirstError error;
#pragma omp parallel for schedule(dynamic, 1) if (count > 1)
    for (std::int64_t i = 0; i < count; ++i)
        error.run([&] {
            const std::uint64_t chunk = first_chunk + static_cast<std::uint64_t>(i);
            impl_->read_chunk(dataset, chunk,
                              cells.subspan((layout.first_cell(chunk) - first_cell) * cell_bytes,
                                            layout.chunk_cells(chunk) * cell_bytes));
        });
    error.rethrow();
}

std::vector<std::byte> Reader::read_all(std::size_t dataset) const {
    const DatasetInfo& info = impl_->info(dataset, 0);
    std::vector<std::byte> cells(info.layout.cells() * bytes_of(info.type));
    read_chunks(dataset, 0, cells);
    return cells;
}

std::int32_t Reader::cell(std::size_t dataset, std::uint64_t index) const {
    assert(dataset < impl_->infos.size() && index < impl_->infos[dataset].layout.cells());
    const DatasetInfo& info = impl_->infos[dataset];
    const Layout::Place place = info.layout.place_of(index);
    const std::size_t bytes = bytes_of(info.type), offset = place.offset * bytes;
    std::byte value[2];
    ChunkCache::Dataset* const cached =
        impl_->cached.empty() ? nullptr : impl_->cached[dataset].get();
    if (!cached || !cached->copy(place.chunk, offset, value, bytes)) {
        std::vector<std::byte> chunk = read_chunk(dataset, place.chunk);
        std::memcpy(value, chunk.data() + offset, bytes);
        if (cached) cached->insert(place.chunk, std::move(chunk));
    }
    const auto as = [&]<class T>(T number) {
        std::memcpy(&number, value, sizeof number);
        return static_cast<std::int32_t>(number);
    };
    switch (info.type) {
        case CellType::Int8: return as(std::int8_t{});
        case CellType::UInt8: return as(std::uint8_t{});
        case CellType::Int16: return as(std::int16_t{});
        default: return as(std::uint16_t{});
    }
}

void verify_file(const fs::path& path) {
    check_all_bytes(path);
    const Reader reader(path);
    const auto refuse = [&](const std::string& what) {
        throw Error(ErrorCode::File, "damaged: " + what + " is wrong", path.string());
    };
    std::uint32_t content = 0;
    for (std::size_t d = 0; d < reader.datasets().size(); ++d) {
        const DatasetInfo& info = reader.datasets()[d];
        const std::size_t cell_bytes = bytes_of(info.type);
        constexpr std::size_t kBatchBytes = std::size_t{1} << 26;
        const std::uint64_t batch = std::max<std::uint64_t>(
            1, kBatchBytes / (info.layout.stored_chunk_cells() * cell_bytes));
        std::vector<std::byte> cells;
        std::uint32_t crc32 = 0;
        for (std::uint64_t chunk = 0; chunk < info.layout.chunks(); chunk += batch) {
            const std::uint64_t count = std::min(batch, info.layout.chunks() - chunk);
            cells.resize(info.layout.chunk_cells(chunk, count) * cell_bytes);
            reader.read_chunks(d, chunk, cells);
            crc32 = crc32_of(cells, crc32);
        }
        const auto found = info.attributes.find(kCrc32);
        if (found == info.attributes.end() || found->second != AttributeValue(std::int64_t{crc32}))
            refuse("the checksum of the cells of /" + info.group + "/" + info.name);
        content = crc32_joined(content, crc32, info.layout.cells() * cell_bytes);
    }
    if (reader.attribute<std::int64_t>(kContentCrc32) != std::int64_t{content})
        refuse("the checksum of all cells");
}

}  // namespace mansuba::tablebase::hdf5

#include "tablebase/hdf5/writer.hpp"

#include <algorithm>
#include <cassert>
#include <cctype>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <omp.h>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/file.h>

#include "core/error.hpp"
#include "tablebase/first_error.hpp"
#include "tablebase/hdf5/codec.hpp"
#include "tablebase/hdf5/descriptor.hpp"
#include "tablebase/hdf5/driver.hpp"
#include "tablebase/hdf5/format_names.hpp"
#include "tablebase/hdf5/library.hpp"
#include "tablebase/hdf5/seal.hpp"

namespace mansuba::tablebase::hdf5 {
namespace {

namespace fs = std::filesystem;

fs::path directory_of(const fs::path& path) {
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// What a temporary file of this name begins with; the writer's process id follows.
std::string temporary_stem(const fs::path& path) {
    std::string stem = ".";
    stem += path.filename().string();
    return stem + ".tmp";
}

/// HDF5 holds a lock on a file that it writes, on any machine that shares the disk; a dead
/// process's file has none. Where locks are not to be had, nothing is removed.
void remove_stale_temporaries(const fs::path& path) {
    const std::string stem = temporary_stem(path);
    std::error_code ignored;
    for (fs::directory_iterator entry(directory_of(path), ignored), end; entry != end;
         entry.increment(ignored)) {
        const std::string name = entry->path().filename().string();
        if (!name.starts_with(stem) || name.size() == stem.size() ||
            !std::all_of(name.begin() + static_cast<std::ptrdiff_t>(stem.size()), name.end(),
                         [](unsigned char c) { return std::isdigit(c); }))
            continue;
        const Descriptor file(::open(entry->path().c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
        if (file && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(entry->path().c_str());
    }
}

Type stored_type(const Session& session, CellType type) {
    return Type(session.call("HDF5 fails", [&] {
        switch (type) {
            case CellType::Int8: return H5Tcopy(H5T_STD_I8LE);
            case CellType::UInt8: return H5Tcopy(H5T_STD_U8LE);
            case CellType::Int16: return H5Tcopy(H5T_STD_I16LE);
            default: return H5Tcopy(H5T_STD_U16LE);
        }
    }));
}

std::vector<hsize_t> sizes(const std::vector<std::uint64_t>& values) {
    return {values.begin(), values.end()};
}

/// Nothing that depends on the time of day, and attributes in the object itself: a hundred would
/// fit, and what is larger than 64 KiB goes elsewhere by HDF5's own choice.
void set_object_properties(const Session& session, hid_t properties) {
    session.call("HDF5 fails", [&] { return H5Pset_obj_track_times(properties, false); });
    session.call("HDF5 fails", [&] { return H5Pset_attr_phase_change(properties, 100, 90); });
}

Properties new_properties(const Session& session, hid_t kind) {
    return Properties(session.call("HDF5 fails", [&] { return H5Pcreate(kind); }));
}

}  // namespace

struct Writer::Impl {
    struct Data {
        std::string group, name;
        CellType type;
        Layout layout;
        Dataset dataset;
        std::vector<std::uint32_t> crc32;   // of each chunk's cells
        std::vector<std::uint8_t> written;  // chunks, 0 or 1; under Session
    };

    const fs::path path, temporary;
    const WriterOptions options;
    Driver driver;
    File file;
    std::map<std::string, Group> groups;
    std::vector<Data> datasets;
    struct Link {
        std::size_t dataset;
        std::string name;
    };
    std::vector<Link> links;
    std::vector<Extent> chunks;  // that were written
    bool committed = false;

    Compressor compressor;

    Impl(const fs::path& final_path, const WriterOptions& o);
    ~Impl();
    Session session() const { return Session(path); }
    Data& data(std::size_t dataset);
    void write(Data& data, std::uint64_t first_chunk, std::span<const StoredChunk> stored);
    herr_t close();
};

Writer::Impl::Impl(const fs::path& final_path, const WriterOptions& o)
    : path(final_path),
      temporary(directory_of(path) / (temporary_stem(path) + std::to_string(::getpid()))),
      options(o),
      compressor(o) {
    if (options.level < kMinLevel || options.level > kMaxLevel || options.threads < 0)
        throw Error(ErrorCode::Internal, "no such compression level or number of threads");
    std::error_code ignored;
    if (fs::is_directory(path, ignored))
        throw Error(ErrorCode::File, "cannot write: a directory has its name", path.string());
    remove_stale_temporaries(path);

    const Session session(path);
    const Properties creation = new_properties(session, H5P_FILE_CREATE);
    set_object_properties(session, creation.get());
    session.call("HDF5 fails", [&] { return H5Pset_userblock(creation.get(), kSealBytes); });
    const Properties access = new_properties(session, H5P_FILE_ACCESS);
    // Since 1.10 all of HDF5's own structures can have checksums; later forms are not needed.
    session.call("HDF5 fails", [&] {
        return H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110);
    });
    session.call("HDF5 fails", [&] { return H5Pset_file_locking(access.get(), true, true); });
    Driver new_driver = register_driver(session);
    session.call("HDF5 fails",
                 [&] { return H5Pset_driver(access.get(), new_driver.get(), nullptr); });
    session.call("HDF5 fails",
                 [&] { return H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG); });
    File new_file;
    try {
        session.call("cannot write", [&] {
            new_file =
                File(H5Fcreate(temporary.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()));
            return new_file.get();
        });
    } catch (const Error&) {
        // There is one that could not be written to; else it may be another's.
        if (new_file.get() >= 0) ::unlink(temporary.c_str());
        throw;
    }
    file = std::move(new_file);
    driver = std::move(new_driver);
}

Writer::Impl::~Impl() {
    const Session last(path);
    const DiscardWrites given_up;
    close();
    driver.close();
    if (!committed) ::unlink(temporary.c_str());
}

herr_t Writer::Impl::close() {
    for (Data& data : datasets) data.dataset.close();
    groups.clear();
    return file.close();
}

Writer::Impl::Data& Writer::Impl::data(std::size_t dataset) {
    if (committed || dataset >= datasets.size())
        throw Error(ErrorCode::Internal, "no such dataset, or the file is finished", path.string());
    return datasets[dataset];
}

struct Compressor::Idle {
    std::mutex mutex;
    std::vector<Encoder> encoders;

    Encoder take(int level) {
        const std::lock_guard lock(mutex);
        if (encoders.empty()) return Encoder(level);
        Encoder encoder = std::move(encoders.back());
        encoders.pop_back();
        return encoder;
    }
    void give_back(Encoder encoder) {
        const std::lock_guard lock(mutex);
        encoders.push_back(std::move(encoder));
    }
};

Compressor::Compressor(const WriterOptions& options)
    : options_(options), idle_(std::make_unique<Idle>()) {}
Compressor::~Compressor() = default;

std::vector<StoredChunk> Compressor::compress(const Layout& layout, CellType type,
                                              std::uint64_t first_chunk,
                                              std::span<const std::byte> cells) {
    const std::size_t cell_bytes = bytes_of(type);
    if (cells.size() % cell_bytes != 0) throw Error(ErrorCode::Internal, "half a cell");
    const auto count =
        static_cast<std::int64_t>(layout.chunks_in(first_chunk, cells.size() / cell_bytes));
    const std::uint64_t first_cell = layout.first_cell(first_chunk);
    const std::size_t padded_bytes = layout.stored_chunk_cells() * cell_bytes;
    const int threads = options_.threads ? options_.threads : omp_get_max_threads();
    std::vector<StoredChunk> stored(static_cast<std::size_t>(count));
    FirstError error;
#pragma omp parallel num_threads(threads) if (count > 1)
    {
        std::optional<Encoder> encoder;
        error.run([&] { encoder.emplace(idle_->take(options_.level)); });
#pragma omp for schedule(dynamic, 1)
        for (std::int64_t i = 0; i < count; ++i)
            error.run([&] {
                const std::uint64_t chunk = first_chunk + static_cast<std::uint64_t>(i);
                const std::span<const std::byte> mine =
                    cells.subspan((layout.first_cell(chunk) - first_cell) * cell_bytes,
                                  layout.chunk_cells(chunk) * cell_bytes);
                const auto bytes = encoder->encode(mine, padded_bytes, cell_bytes);
                stored[static_cast<std::size_t>(i)] = {{bytes.begin(), bytes.end()},
                                                       crc32_of(mine)};
            });
        error.run([&] { idle_->give_back(std::move(*encoder)); });
    }
    error.rethrow();
    return stored;
}

void Writer::Impl::write(Data& data, std::uint64_t first_chunk,
                         std::span<const StoredChunk> stored) {
    const Session session(path);
    for (std::size_t i = 0; i < stored.size(); ++i) {
        const std::uint64_t chunk = first_chunk + i;
        const std::vector<hsize_t> at = sizes(data.layout.first_coordinates(chunk));
        if (data.written[chunk])
            throw Error(ErrorCode::Internal, "a chunk was written twice", path.string());
        const std::size_t before = chunks.size();
        {
            const RecordData recording(chunks);
            session.call("cannot write", [&] {
                return H5Dwrite_chunk(data.dataset.get(), H5P_DEFAULT, 0, at.data(),
                                      stored[i].bytes.size(), stored[i].bytes.data());
            });
        }
        if (chunks.size() != before + 1 || chunks.back().bytes != stored[i].bytes.size())
            throw Error(ErrorCode::Internal, "HDF5 writes chunks in another way than is known",
                        path.string());
        data.written[chunk] = 1;
        data.crc32[chunk] = stored[i].crc32;
    }
}

Writer::Writer(const fs::path& path, const WriterOptions& options)
    : impl_(std::make_unique<Impl>(path, options)) {}

Writer::~Writer() = default;

void Writer::set_attribute(const std::string& name, const AttributeValue& value) {
    if (impl_->committed)
        throw Error(ErrorCode::Internal, "the file is finished", impl_->path.string());
    const Session session = impl_->session();
    write_attribute(session, impl_->file.get(), name, value);
}

void Writer::set_attribute(std::size_t dataset, const std::string& name,
                           const AttributeValue& value) {
    const Impl::Data& data = impl_->data(dataset);
    const Session session = impl_->session();
    write_attribute(session, data.dataset.get(), name, value);
}

std::size_t Writer::add_dataset(const std::string& group, const std::string& name, CellType type,
                                const Layout& layout) {
    if (impl_->committed || layout.cells() == 0)
        throw Error(ErrorCode::Internal, "no cells, or the file is finished", impl_->path.string());
    const Session session = impl_->session();
    const hid_t file = impl_->file.get();
    if (!impl_->groups.contains(group)) {
        const Properties properties = new_properties(session, H5P_GROUP_CREATE);
        set_object_properties(session, properties.get());
        impl_->groups[group] = Group(session.call("cannot write", [&] {
            return H5Gcreate2(file, group.c_str(), H5P_DEFAULT, properties.get(), H5P_DEFAULT);
        }));
    }

    const Properties properties = new_properties(session, H5P_DATASET_CREATE);
    set_object_properties(session, properties.get());
    const std::vector<hsize_t> dims = sizes(layout.dims()), chunk = sizes(layout.chunk_dims());
    const auto set = [&](auto&& f) { session.call("HDF5 fails", f); };
    set([&] {
        return H5Pset_chunk(properties.get(), static_cast<int>(chunk.size()), chunk.data());
    });
    if (bytes_of(type) == 2) set([&] { return H5Pset_shuffle(properties.get()); });
    // Only said in the file: 9 is the most that it can say.
    set([&] {
        return H5Pset_deflate(properties.get(),
                              static_cast<unsigned>(std::min(impl_->options.level, 9)));
    });
    set([&] { return H5Pset_fletcher32(properties.get()); });
    set([&] { return H5Pset_fill_time(properties.get(), H5D_FILL_TIME_NEVER); });

    const Space space(session.call("HDF5 fails", [&] {
        return H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr);
    }));
    const Type stored_as = stored_type(session, type);
    Dataset dataset(session.call("cannot write", [&] {
        return H5Dcreate2(impl_->groups[group].get(), name.c_str(), stored_as.get(), space.get(),
                          H5P_DEFAULT, properties.get(), H5P_DEFAULT);
    }));
    impl_->datasets.push_back({group, name, type, layout, std::move(dataset),
                               std::vector<std::uint32_t>(layout.chunks()),
                               std::vector<std::uint8_t>(layout.chunks())});
    return impl_->datasets.size() - 1;
}

void Writer::link(const std::string& group, const std::string& there, const std::string& name) {
    const auto& datasets = impl_->datasets;
    const auto found = std::find_if(datasets.begin(), datasets.end(), [&](const Impl::Data& d) {
        return d.group == group && d.name == there;
    });
    if (impl_->committed || found == datasets.end())
        throw Error(ErrorCode::Internal, "no such dataset, or the file is finished",
                    impl_->path.string());
    const Session session = impl_->session();
    const hid_t id = impl_->groups[group].get();
    session.call("cannot write", [&] {
        return H5Lcreate_hard(id, there.c_str(), id, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    });
    impl_->links.push_back({static_cast<std::size_t>(found - datasets.begin()), name});
}

void Writer::write_chunks(std::size_t dataset, std::uint64_t first_chunk,
                          std::span<const std::byte> cells) {
    Impl::Data& data = impl_->data(dataset);
    const Layout& layout = data.layout;
    const std::size_t cell_bytes = bytes_of(data.type);
    if (cells.size() % cell_bytes != 0)
        throw Error(ErrorCode::Internal, "half a cell", impl_->path.string());
    const std::uint64_t last_chunk =
        first_chunk + layout.chunks_in(first_chunk, cells.size() / cell_bytes);
    const int threads = impl_->options.threads ? impl_->options.threads : omp_get_max_threads();
    // All threads compress a batch, then one writes it: in order, so that the same table is the same
    // file however many threads there were. Threads that wait for each other chunk by chunk instead
    // come to a halt on a busy machine.
    constexpr std::size_t kBatchBytes = std::size_t{4} << 20;
    const auto batch =
        std::max<std::uint64_t>(8 * static_cast<std::uint64_t>(threads),
                                kBatchBytes / (layout.stored_chunk_cells() * cell_bytes));
    for (std::uint64_t chunk = first_chunk; chunk < last_chunk; chunk += batch) {
        const std::uint64_t end = std::min(last_chunk, chunk + batch),
                            from = layout.first_cell(chunk) - layout.first_cell(first_chunk),
                            to = layout.first_cell(end) - layout.first_cell(first_chunk);
        impl_->write(
            data, chunk,
            impl_->compressor.compress(layout, data.type, chunk,
                                       cells.subspan(from * cell_bytes, (to - from) * cell_bytes)));
    }
}

void Writer::write_stored(std::size_t dataset, std::uint64_t first_chunk,
                          std::span<const StoredChunk> chunks) {
    Impl::Data& data = impl_->data(dataset);
    if (first_chunk > data.layout.chunks() || chunks.size() > data.layout.chunks() - first_chunk)
        throw Error(ErrorCode::Internal, "more chunks than there are", impl_->path.string());
    impl_->write(data, first_chunk, chunks);
}

void Writer::commit() {
    Impl& impl = *impl_;
    for (const Impl::Data& data : impl.datasets)
        if (std::find(data.written.begin(), data.written.end(), 0) != data.written.end())
            throw Error(ErrorCode::Internal,
                        "not all chunks of " + data.group + "/" + data.name + " were written",
                        impl.path.string());

    struct Piece {
        std::uint32_t crc32;
        std::uint64_t bytes;
    };
    std::map<std::pair<std::string, std::string>, Piece> pieces;  // in the order of readers
    for (std::size_t i = 0; i < impl.datasets.size(); ++i) {
        const Impl::Data& data = impl.datasets[i];
        Piece whole{0, 0};
        for (std::uint64_t chunk = 0; chunk < data.layout.chunks(); ++chunk) {
            const std::uint64_t bytes = data.layout.chunk_cells(chunk) * bytes_of(data.type);
            whole = {crc32_joined(whole.crc32, data.crc32[chunk], bytes), whole.bytes + bytes};
        }
        set_attribute(i, kCrc32, std::int64_t{whole.crc32});
        pieces[{data.group, data.name}] = whole;
    }
    for (const Impl::Link& link : impl.links) {
        const Impl::Data& data = impl.datasets[link.dataset];
        pieces[{data.group, link.name}] = pieces[{data.group, data.name}];
    }
    std::uint32_t content = 0;
    for (const auto& [name, piece] : pieces)
        content = crc32_joined(content, piece.crc32, piece.bytes);
    set_attribute(kFormat, kFormatName);
    set_attribute(kVersion, std::int64_t{kFormatVersion});
    set_attribute(kContentCrc32, std::int64_t{content});

    {
        const Session session = impl.session();
        session.call("cannot write", [&] { return H5Fflush(impl.file.get(), H5F_SCOPE_GLOBAL); });
        session.call("cannot write", [&] { return impl.close(); });
    }
    try {
        write_seal(impl.temporary, std::move(impl.chunks));
    } catch (const Error& e) {
        throw Error(ErrorCode::File, e.what(), impl.path.string());
    }
    if (::rename(impl.temporary.c_str(), impl.path.c_str()) != 0)
        fail_by_errno("cannot write", impl.path);
    impl.committed = true;
    // The rename itself lasts once the directory is on disk; some file systems cannot sync one.
    const Descriptor directory(
        ::open(directory_of(impl.path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (directory) ::fsync(directory.get());
}

}  // namespace mansuba::tablebase::hdf5

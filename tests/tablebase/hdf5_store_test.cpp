// Table files: round trips, outside readers, damage, interrupted writers, the cache.
#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <numeric>
#include <omp.h>
#include <random>
#include <thread>
#include <unistd.h>
#include <xxhash.h>

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "core/error.hpp"
#include "core/file.hpp"
#include "tablebase/hdf5/codec.hpp"
#include "tablebase/hdf5/reader.hpp"
#include "tablebase/hdf5/seal.hpp"
#include "tablebase/hdf5/writer.hpp"

namespace mansuba::tablebase::hdf5 {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;

/// Cells much as tables have them: runs, small values, some noise.
Bytes some_cells(std::uint64_t cells, CellType type, unsigned seed) {
    std::mt19937 random(seed);
    Bytes result(cells * bytes_of(type));
    unsigned value = 0;
    for (std::size_t i = 0; i < cells; ++i) {
        if (random() % 4 == 0) value = static_cast<unsigned>(random() % 300);
        std::memcpy(result.data() + i * bytes_of(type), &value, bytes_of(type));
    }
    return result;
}

struct Spec {
    std::string group, name;
    CellType type;
    Layout layout;
};

const std::vector<Spec>& specs() {
    static const std::vector<Spec> result{
        {"white", "one", CellType::UInt8, Layout({1}, {1})},
        {"white", "wdl", CellType::Int8, Layout({7, 13, 5}, {1, 4, 5})},       // partial chunks
        {"white", "dtm", CellType::Int16, Layout({10, 64, 64}, {3, 64, 64})},  // one at the end
        {"black", "wdl", CellType::Int8, Layout({3, 9, 11}, {3, 9, 11})},      // a single chunk
        {"black", "dtz", CellType::UInt16, Layout({999}, {10})},
        {"black", "many", CellType::UInt8, Layout({1100, 8}, {1, 8})},  // a paged chunk index
    };
    return result;
}

Bytes cells_of(std::size_t spec) {
    return some_cells(specs()[spec].layout.cells(), specs()[spec].type,
                      static_cast<unsigned>(spec));
}

void write_specs(const fs::path& path, const WriterOptions& options = {}) {
    Writer writer(path, options);
    writer.set_attribute("material", "KQvK");
    writer.set_attribute("index_version", std::int64_t{3});
    writer.set_attribute("metrics", std::vector<std::string>{"wdl", "dtz"});
    for (std::size_t i = 0; i < specs().size(); ++i) {
        const Spec& spec = specs()[i];
        const std::size_t d = writer.add_dataset(spec.group, spec.name, spec.type, spec.layout);
        ASSERT_EQ(d, i);
        writer.set_attribute(d, "counts", std::vector<std::int64_t>{1, -2, 3});
        writer.set_attribute(d, "mean", 1.5);
        writer.write_chunks(d, 0, cells_of(i));
    }
    writer.commit();
}

class Hdf5Store : public ::testing::Test {
protected:
    Hdf5Store() {
        std::string name = (fs::temp_directory_path() / "mansuba_store_XXXXXX").string();
        if (!::mkdtemp(name.data())) ADD_FAILURE() << "no temporary directory";
        directory = name;
        path = directory / "KQvK.h5";
    }
    ~Hdf5Store() override { fs::remove_all(directory); }

    std::vector<std::string> names() const {
        std::vector<std::string> result;
        for (const auto& entry : fs::directory_iterator(directory))
            result.push_back(entry.path().filename());
        std::sort(result.begin(), result.end());
        return result;
    }

    fs::path directory, path;
};

/// What f throws: an Error(File) that names the file.
template <class F>
std::string file_error(const fs::path& path, F&& f) {
    try {
        f();
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::File) << e.what();
        EXPECT_NE(std::string(e.what()).find(path.string()), std::string::npos) << e.what();
        EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos) << e.what();
        return e.what();
    }
    ADD_FAILURE() << "nothing thrown";
    return "";
}

void expect_internal_error(const std::function<void()>& f) {
    try {
        f();
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::Internal) << e.what();
        return;
    }
    ADD_FAILURE() << "nothing thrown";
}

std::string output_of(const std::string& command) {
    std::string result;
    if (FILE* pipe = ::popen((command + " 2>&1").c_str(), "r")) {
        std::array<char, 4096> buffer;
        while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe))
            result.append(buffer.data(), n);
        if (::pclose(pipe) != 0) result += "[failed]";
    }
    return result;
}

TEST(Hdf5Layout, ChunksAreRunsOfCells) {
    for (const Spec& spec : specs()) {
        const Layout& layout = spec.layout;
        std::uint64_t cell = 0;
        for (std::uint64_t chunk = 0; chunk < layout.chunks(); ++chunk) {
            EXPECT_EQ(layout.first_cell(chunk), cell);
            const std::vector<std::uint64_t> at = layout.first_coordinates(chunk);
            std::uint64_t linear = 0;
            for (std::size_t i = 0; i < at.size(); ++i) {
                EXPECT_EQ(at[i] % layout.chunk_dims()[i], 0u);
                linear = linear * layout.dims()[i] + at[i];
            }
            EXPECT_EQ(linear, cell);
            for (std::uint64_t i = 0; i < layout.chunk_cells(chunk); ++i, ++cell) {
                const Layout::Place place = layout.place_of(cell);
                EXPECT_TRUE(place.chunk == chunk && place.offset == i) << cell;
            }
            EXPECT_EQ(layout.chunks_in(chunk, layout.chunk_cells(chunk)), 1u);
        }
        EXPECT_EQ(cell, layout.cells());
        EXPECT_EQ(layout.chunks_in(0, layout.cells()), layout.chunks());
    }
}

TEST(Hdf5Layout, RefusesWhatIsNoRun) {
    using Dims = std::vector<std::uint64_t>;
    const std::pair<Dims, Dims> wrong[] = {{{}, {}},
                                           {{0}, {1}},
                                           {{4}, {0}},
                                           {{4}, {5}},
                                           {{4, 4}, {4}},
                                           {{4, 4}, {2, 2}},
                                           {{1u << 31, 1u << 31, 4}, {1, 1, 4}},
                                           {{1u << 29}, {1u << 29}}};
    for (const auto& pair : wrong) expect_internal_error([&] { Layout(pair.first, pair.second); });
    expect_internal_error([] { Layout({10}, {3}).chunks_in(0, 4); });
    expect_internal_error([] { Layout({10}, {3}).chunks_in(4, 3); });
}

TEST(Hdf5Codec, RoundTripsAndFindsEveryFlippedBit) {
    for (const std::size_t bytes : {1u, 2u, 3u, 64u, 4097u, 70000u}) {
        for (const std::size_t element : {1u, 2u}) {
            if (bytes % element) continue;
            Encoder encoder(6);
            const Bytes cells = some_cells(bytes, CellType::UInt8, 5);
            const std::size_t padded = bytes + (bytes > 64 ? 6 : 0);
            const auto encoded = encoder.encode(cells, padded, element);
            Bytes stored(encoded.begin(), encoded.end()), back(padded);
            ASSERT_EQ(decode(stored, element, back), nullptr);
            EXPECT_TRUE(std::equal(cells.begin(), cells.end(), back.begin()));
            const Bytes good = back;
            for (std::size_t bit = 0; bit<stored.size() * 8; bit += bytes> 99 ? 97 : 1) {
                stored[bit / 8] ^= std::byte(1 << bit % 8);
                EXPECT_NE(decode(stored, element, back), nullptr) << bit;
                EXPECT_EQ(back, good);
                stored[bit / 8] ^= std::byte(1 << bit % 8);
            }
            for (std::size_t n = 0; n < std::min<std::size_t>(stored.size(), 50); ++n)
                EXPECT_NE(decode(std::span(stored).first(n), element, back), nullptr);
            Bytes longer(padded + element);
            EXPECT_NE(decode(stored, element, longer), nullptr);
        }
    }
}

TEST_F(Hdf5Store, RoundTrips) {
    write_specs(path);
    EXPECT_EQ(names(), std::vector<std::string>{"KQvK.h5"});
    const Reader reader(path);
    EXPECT_EQ(reader.attribute<std::string>("material"), "KQvK");
    EXPECT_EQ(reader.attribute<std::int64_t>("index_version"), 3);
    EXPECT_EQ(reader.attribute<std::vector<std::string>>("metrics"),
              (std::vector<std::string>{"wdl", "dtz"}));
    file_error(path, [&] { reader.attribute<std::int64_t>("material"); });
    file_error(path, [&] { reader.attribute<std::string>("colour"); });
    ASSERT_EQ(reader.datasets().size(), specs().size());
    for (std::size_t i = 0; i < specs().size(); ++i) {
        const Spec& spec = specs()[i];
        const Bytes cells = cells_of(i);
        const std::size_t d = reader.find(spec.group, spec.name).value();
        const DatasetInfo& info = reader.datasets()[d];
        EXPECT_EQ(info.type, spec.type);
        EXPECT_EQ(info.layout, spec.layout);
        EXPECT_EQ(info.attributes.at("counts"),
                  AttributeValue(std::vector<std::int64_t>{1, -2, 3}));
        EXPECT_EQ(info.attributes.at("mean"), AttributeValue(1.5));
        EXPECT_EQ(reader.read_all(d), cells);
        const std::uint64_t last = info.layout.chunks() - 1;
        const Bytes chunk = reader.read_chunk(d, last);
        EXPECT_TRUE(std::equal(chunk.rbegin(), chunk.rend(), cells.rbegin()));
        expect_internal_error([&] { reader.read_chunk(d, last + 1); });
        for (std::uint64_t cell = 0; cell < info.layout.cells(); cell += 1 + cell / 7) {
            std::int16_t expected = 0;
            std::memcpy(&expected, cells.data() + cell * bytes_of(spec.type), bytes_of(spec.type));
            const std::int32_t value = reader.cell(d, cell);
            if (spec.type == CellType::Int8)
                EXPECT_EQ(value, static_cast<std::int8_t>(expected));
            else
                EXPECT_EQ(value, expected);
        }
    }
    EXPECT_FALSE(reader.find("white", "dtz"));
    verify_file(path);
}

TEST_F(Hdf5Store, ValuesOfWholeRangesComeBackWithTheirSigns) {
    Writer writer(path);
    Bytes bytes(256), words(2 * 65536);
    for (unsigned i = 0; i < 256; ++i) bytes[i] = std::byte(i);
    for (unsigned i = 0; i < 65536; ++i) {
        const auto word = static_cast<std::uint16_t>(i);
        std::memcpy(&words[2 * i], &word, 2);
    }
    writer.add_dataset("a", "int8", CellType::Int8, Layout({256}, {100}));
    writer.add_dataset("a", "uint8", CellType::UInt8, Layout({256}, {100}));
    writer.add_dataset("b", "int16", CellType::Int16, Layout({65536}, {1000}));
    writer.add_dataset("b", "uint16", CellType::UInt16, Layout({65536}, {1000}));
    for (std::size_t d = 0; d < 4; ++d) writer.write_chunks(d, 0, d < 2 ? bytes : words);
    writer.commit();
    const Reader reader(path, std::make_shared<ChunkCache>(1 << 20));
    for (int i = 0; i < 65536; i += 1 + i / 300) {
        const auto index = static_cast<std::uint64_t>(i);
        if (i < 256) {
            EXPECT_EQ(reader.cell(0, index), static_cast<std::int8_t>(i));
            EXPECT_EQ(reader.cell(1, index), i);
        }
        EXPECT_EQ(reader.cell(2, index), static_cast<std::int16_t>(i));
        EXPECT_EQ(reader.cell(3, index), i);
    }
}

TEST_F(Hdf5Store, ChunksInAnyOrderFromManyThreadsGiveTheSameCells) {
    const Spec& spec = specs()[4];
    const Bytes cells = cells_of(4);
    const Layout& layout = spec.layout;
    std::vector<std::uint64_t> order(layout.chunks());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(1));
    {
        Writer writer(path);
        writer.add_dataset("black", "dtz", spec.type, layout);
        std::vector<std::thread> threads;
        for (std::size_t t = 0; t < 3; ++t)
            threads.emplace_back([&, t] {
                for (std::size_t i = t; i < order.size(); i += 3)
                    writer.write_chunks(0, order[i],
                                        std::span(cells).subspan(layout.first_cell(order[i]) * 2,
                                                                 layout.chunk_cells(order[i]) * 2));
            });
        for (std::thread& thread : threads) thread.join();
        writer.commit();
    }
    verify_file(path);
    EXPECT_EQ(Reader(path).read_all(0), cells);
}

TEST_F(Hdf5Store, TheFileDoesNotDependOnThreads) {
    write_specs(path, {.threads = 1});
    write_specs(directory / "other.h5", {.threads = 3});
    EXPECT_EQ(read_file(path), read_file(directory / "other.h5"));
}

TEST_F(Hdf5Store, AWriterUsedWronglySaysSo) {
    Writer writer(path);
    const Layout layout({10}, {3});
    const std::size_t d = writer.add_dataset("white", "wdl", CellType::UInt16, layout);
    const Bytes cells(20);
    const auto some = [&](std::size_t from, std::size_t bytes) {
        return std::span(cells).subspan(from, bytes);
    };
    expect_internal_error([&] { writer.write_chunks(d + 1, 0, cells); });
    expect_internal_error([&] { writer.write_chunks(d, 0, some(0, 5)); });
    expect_internal_error([&] { writer.write_chunks(d, 0, some(0, 8)); });
    expect_internal_error([&] { writer.write_chunks(d, 1, cells); });
    expect_internal_error([&] { writer.write_chunks(d, 5, some(0, 2)); });
    writer.write_chunks(d, 0, some(0, 18));
    expect_internal_error([&] { writer.commit(); });
    expect_internal_error([&] { writer.write_chunks(d, 0, some(0, 6)); });
    expect_internal_error([&] { writer.add_dataset("white", "dtz", CellType::Int8, Layout()); });
    file_error(path, [&] { writer.add_dataset("white", "wdl", CellType::Int8, layout); });
    writer.write_chunks(d, 3, some(18, 2));
    writer.commit();
    expect_internal_error([&] { writer.write_chunks(d, 3, some(18, 2)); });
    expect_internal_error([&] { writer.set_attribute("a", 1.0); });
    verify_file(path);
    expect_internal_error([&] { Writer(path, {.level = 0}); });
    expect_internal_error([&] { Writer(path, {.level = 13}); });
}

TEST_F(Hdf5Store, LargeAttributes) {
    std::vector<std::int64_t> numbers(20000);
    std::iota(numbers.begin(), numbers.end(), -5);
    const std::string text(70000, 'x');
    {
        Writer writer(path);
        writer.set_attribute("numbers", numbers);
        writer.set_attribute("text", text);
        writer.set_attribute("nothing", std::vector<std::int64_t>{});
        writer.set_attribute("no texts", std::vector<std::string>{});
        writer.set_attribute("empty", "");
        for (std::int64_t i = 0; i < 130; ++i) writer.set_attribute("n" + std::to_string(i), i);
        writer.set_attribute("empty", "no longer");
        writer.commit();
    }
    verify_file(path);
    const Reader reader(path);
    EXPECT_EQ(reader.attribute<std::vector<std::int64_t>>("numbers"), numbers);
    EXPECT_EQ(reader.attribute<std::string>("text"), text);
    EXPECT_EQ(reader.attribute<std::string>("empty"), "no longer");
    EXPECT_TRUE(reader.attribute<std::vector<std::int64_t>>("nothing").empty());
    EXPECT_TRUE(reader.attribute<std::vector<std::string>>("no texts").empty());
    EXPECT_EQ(reader.attribute<std::int64_t>("n129"), 129);
}

// ---- outside readers

TEST(ClientHdf5Store, H5pyReadsTheSame) {
    if (output_of("/usr/bin/python3 -c 'import h5py'") != "")
        GTEST_SKIP() << "needs Debian's python3-h5py";
    const fs::path path = fs::temp_directory_path() / "mansuba_h5py.h5";
    write_specs(path);
    std::string expected;
    const std::string output = output_of(
        "/usr/bin/python3 " MANSUBA_TEST_DATA "/../tablebase/hdf5_read_store.py " + path.string());
    fs::remove(path);
    const auto list = [](const std::vector<std::uint64_t>& numbers) {
        std::string text = "(";
        for (const std::uint64_t n : numbers) text += std::to_string(n) + ", ";
        text.resize(text.size() - (numbers.size() == 1 ? 1 : 2));
        return text + ")";
    };
    for (std::size_t i = 0; i < specs().size(); ++i) {
        const Spec& s = specs()[i];
        const Bytes cells = cells_of(i);
        std::uint32_t a = 1, b = 0;  // Adler-32, which nothing of ours computes
        for (const std::byte byte : cells) {
            a = (a + static_cast<std::uint32_t>(byte)) % 65521;
            b = (b + a) % 65521;
        }
        const std::string line = "/" + s.group + "/" + s.name + ": " +
                                 std::string(name_of(s.type)) + " " + list(s.layout.dims()) + " " +
                                 list(s.layout.chunk_dims()) + " " + std::to_string(b << 16 | a) +
                                 "\n";
        EXPECT_NE(output.find(line), std::string::npos) << line << output;
    }
    for (const char* line : {"/ material = KQvK\n", "/ metrics = ['wdl', 'dtz']\n",
                             "/ index_version = 3\n", "/ format = mansuba table\n",
                             "/white/wdl counts = [1, -2, 3]\n", "/white/wdl mean = 1.5\n"})
        EXPECT_NE(output.find(line), std::string::npos) << line << output;
    EXPECT_EQ(output.find("[failed]"), std::string::npos) << output;
}

TEST(ClientHdf5Store, H5dumpReadsIt) {
    if (output_of("h5dump --version").find("h5dump") == std::string::npos)
        GTEST_SKIP() << "needs hdf5-tools";
    const fs::path path = fs::temp_directory_path() / "mansuba_h5dump.h5";
    write_specs(path);
    const std::string output = output_of("h5dump -p " + path.string());
    fs::remove(path);
    EXPECT_EQ(output.find("[failed]"), std::string::npos) << output.substr(0, 2000);
    EXPECT_NE(output.find("CHECKSUM FLETCHER32"), std::string::npos) << output.substr(0, 2000);
}

// ---- damage

TEST_F(Hdf5Store, OneFlippedBitIsNeverMissedAndNeverGivesAValue) {
    write_specs(path);
    const Bytes good = read_file(path);
    const fs::path bad = directory / "bad.h5";
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < 700; i += 7) places.push_back(i);  // seal and superblock
    std::mt19937 random(7);
    for (int i = 0; i < 250; ++i) places.push_back(random() % good.size());
    places.push_back(good.size() - 1);
    for (const Extent& extent : check_structure(path).structure) {
        places.push_back(extent.offset);
        places.push_back(extent.offset + extent.bytes - 1);
    }
    int opened = 0;
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);  // small work many times: on a busy machine threads would only wait
    for (const std::size_t place : places) {
        Bytes content = good;
        content[place] ^= std::byte(1 << random() % 8);
        std::ofstream(bad, std::ios::binary)
            .write(reinterpret_cast<const char*>(content.data()),
                   static_cast<std::streamsize>(content.size()));
        file_error(bad, [&] { verify_file(bad); });
        std::optional<Reader> reader;
        try {
            reader.emplace(bad);
            ++opened;
        } catch (const Error& e) {
            EXPECT_EQ(e.code(), ErrorCode::File) << e.what();
            continue;
        }
        for (std::size_t i = 0; i < specs().size(); ++i) {
            const std::size_t d = reader->find(specs()[i].group, specs()[i].name).value();
            try {
                EXPECT_EQ(reader->read_all(d), cells_of(i)) << place;
            } catch (const Error& e) {
                EXPECT_EQ(e.code(), ErrorCode::File) << e.what();
                EXPECT_NE(std::string(e.what()).find("chunk "), std::string::npos) << e.what();
            }
        }
    }
    omp_set_num_threads(threads);
    EXPECT_GT(opened, 20);  // else the chunks' own checksums were not put to the test
}

TEST_F(Hdf5Store, TruncationIsFoundAtOnce) {
    write_specs(path);
    const Bytes good = read_file(path);
    std::vector<std::size_t> sizes{0, 1, 15, 16, 511, 512, 513, good.size() - 1, good.size() / 2};
    for (const Extent& extent : check_structure(path).structure)
        for (const std::size_t size : {extent.offset, extent.offset + extent.bytes})
            if (size < good.size()) sizes.push_back(size);
    for (const std::size_t size : sizes) {
        write_file_atomically(path, std::span(good).first(size));
        file_error(path, [&] { Reader reader(path); });
        file_error(path, [&] { verify_file(path); });
    }
    Bytes longer = good;
    longer.push_back(std::byte(0));
    write_file_atomically(path, longer);
    file_error(path, [&] { Reader reader(path); });
}

TEST_F(Hdf5Store, NewerVersionsForeignFilesAndDirectoriesAreNamed) {
    const auto why = [&] { return file_error(path, [&] { Reader reader(path); }); };
    EXPECT_NE(why().find("No such file"), std::string::npos);
    write_file_atomically(path, std::as_bytes(std::span("\x89HDF\r\n\x1a\n and so on, foreign")));
    EXPECT_NE(why().find("not an endgame table"), std::string::npos);
    write_file_atomically(path, {});
    EXPECT_NE(why().find("not an endgame table"), std::string::npos);

    write_specs(path);
    Bytes content = read_file(path);
    content[16] = std::byte(kFormatVersion + 1);
    write_file_atomically(path, content);
    EXPECT_NE(why().find("damaged"), std::string::npos);
    const std::uint64_t digest = XXH3_64bits(content.data(), kSealBytes - 8);
    std::memcpy(content.data() + kSealBytes - 8, &digest, 8);
    write_file_atomically(path, content);
    EXPECT_NE(why().find("written by a newer version"), std::string::npos);

    fs::remove(path);
    fs::create_directory(path);
    EXPECT_NE(why().find("not a regular file"), std::string::npos);
    file_error(path, [&] { Writer writer(path); });
    EXPECT_EQ(names(), std::vector<std::string>{"KQvK.h5"});
    fs::remove(path);
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    EXPECT_NE(why().find("not a regular file"), std::string::npos);

    const fs::path nowhere = directory / "nowhere" / "KQvK.h5";
    file_error(nowhere, [&] { Writer writer(nowhere); });
    file_error(nowhere, [&] { Reader reader(nowhere); });
}

// ---- interrupted writers

/// Runs f in a child process; its wait status.
template <class F>
int status_of_child(F&& f) {
    const pid_t child = ::fork();
    if (child == 0) {
        // OpenMP's threads of other tests are not there after a fork, but it waits for them.
        omp_set_num_threads(1);
        try {
            f();
        } catch (...) {
            ::_exit(99);
        }
        ::_exit(0);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return status;
}

void write_half(Writer& writer) {
    const Spec& spec = specs()[2];
    writer.add_dataset("white", "dtm", spec.type, spec.layout);
    const Bytes cells = cells_of(2);
    writer.write_chunks(0, 0, std::span(cells).first(spec.layout.chunk_cells(0, 2) * 2));
}

TEST_F(Hdf5Store, AnAbandonedWriterLeavesWhatWasThere) {
    write_specs(path);
    const Bytes before = read_file(path);
    {
        Writer writer(path);
        write_half(writer);
        EXPECT_EQ(names().size(), 2u);
        EXPECT_EQ(names()[0].find(".KQvK.h5.tmp"), 0u);
    }
    EXPECT_EQ(names(), std::vector<std::string>{"KQvK.h5"});
    EXPECT_EQ(read_file(path), before);
}

TEST_F(Hdf5Store, AKilledWritersFileGoesWithTheNextButNotALivingOnes) {
    status_of_child([&] {
        Writer writer(path);
        write_half(writer);
        ::kill(::getpid(), SIGKILL);
    });
    ASSERT_EQ(names().size(), 1u);
    EXPECT_EQ(names()[0].find(".KQvK.h5.tmp"), 0u);
    EXPECT_FALSE(fs::exists(path));
    std::ofstream(directory / ".KQvK.h5.tmp12x") << "not ours";
    std::ofstream(directory / ".KQvKR.h5.tmp12") << "of another table";

    Writer writer(path);  // living
    EXPECT_EQ(names().size(), 3u);
    EXPECT_EQ(status_of_child([&] { Writer other(path); }), 0);
    EXPECT_EQ(names().size(), 3u);
    writer.commit();
    verify_file(path);
    EXPECT_EQ(names(), (std::vector<std::string>{".KQvK.h5.tmp12x", ".KQvKR.h5.tmp12", "KQvK.h5"}));
}

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

/// Writes until it fails; exit 0 if that was an Error(File), and a Writer works afterwards.
void fill_up(const fs::path& path) {
    ::signal(SIGXFSZ, SIG_IGN);
    bool failed = false;
    try {
        Writer writer(path);
        std::mt19937 random(3);
        Bytes noise(1 << 16);
        const std::size_t d = writer.add_dataset("white", "dtm", CellType::UInt8,
                                                 Layout({100, 1 << 16}, {1, 1 << 16}));
        for (std::uint64_t chunk = 0; chunk < 100; ++chunk) {
            for (std::byte& byte : noise) byte = std::byte(random());
            writer.write_chunks(d, chunk, noise);
        }
        writer.commit();
    } catch (const Error& e) {
        failed = e.code() == ErrorCode::File;
    }
    if (!failed) ::_exit(1);
    for (const auto& entry : fs::directory_iterator(path.parent_path()))
        if (entry.path() != path) ::_exit(2);
    // Sanitizers do not see what a forked process is left with.
    if (kSanitized) ::_exit(0);
    std::exit(0);  // HDF5's own end-of-process work is part of the test
}

TEST_F(Hdf5Store, AFullDiskLeavesWhatWasThere) {
    const fs::path disk = directory / "disk";
    fs::create_directory(disk);
    if (::mount("none", disk.c_str(), "tmpfs", 0, "size=2m") != 0)
        GTEST_SKIP() << "needs the right to mount a small disk";
    write_specs(disk / "KQvK.h5");
    const Bytes before = read_file(disk / "KQvK.h5");
    testing::internal::CaptureStderr();
    const int status = status_of_child([&] { fill_up(disk / "KQvK.h5"); });
    EXPECT_EQ(status, 0);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(read_file(disk / "KQvK.h5"), before);
    ::umount2(disk.c_str(), MNT_DETACH);
}

TEST_F(Hdf5Store, AFileThatMayNotGrowLeavesNothing) {
    for (const rlim_t limit : {rlim_t{1000}, rlim_t{100'000}, rlim_t{6'500'000}}) {
        testing::internal::CaptureStderr();
        const int status = status_of_child([&] {
            const rlimit bound{limit, limit};
            ::setrlimit(RLIMIT_FSIZE, &bound);
            fill_up(path);
        });
        EXPECT_EQ(status, 0) << limit;
        EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
        EXPECT_TRUE(names().empty());
    }
}

/// HDF5 met with a damaged structure behind a seal that fits: what a fault of ours would look like.
TEST_F(Hdf5Store, DamageBehindAFittingSealThrows) {
    write_specs(path);
    const Bytes good = read_file(path);
    std::mt19937 random(11);
    const std::vector<Extent> structure = check_structure(path).structure;
    // In a child: what HDF5 keeps of such a file cannot always be closed.
    const int status = status_of_child([&] {
        int refused = 0;
        for (int i = 0; i < 200; ++i) {
            const Extent& extent = structure[random() % structure.size()];
            Bytes content = good;
            content[extent.offset + random() % extent.bytes] ^= std::byte(1 << random() % 8);
            write_file_atomically(path, content);
            write_seal(path, {});
            try {
                const Reader reader(path);
                for (std::size_t d = 0; d < reader.datasets().size(); ++d) reader.read_all(d);
            } catch (const Error& e) {
                EXPECT_EQ(e.code(), ErrorCode::File) << e.what();
                ++refused;
            }
        }
        EXPECT_GT(refused, 50);
        ::_exit(::testing::Test::HasFailure());
    });
    EXPECT_EQ(status, 0);
}

TEST_F(Hdf5Store, WithoutPermissionNothingIsReadOrWritten) {
    write_specs(path);
    fs::permissions(path, fs::perms::none);
    fs::permissions(directory, fs::perms::owner_read | fs::perms::owner_exec);
    const int status = status_of_child([&] {
        if (::geteuid() == 0 && ::seteuid(65534) != 0) ::_exit(77);
        file_error(path, [&] { Reader reader(path); });
        file_error(path, [&] { verify_file(path); });
        file_error(path, [&] { Writer writer(path); });
        if (::testing::Test::HasFailure()) ::_exit(1);
    });
    fs::permissions(directory, fs::perms::owner_all);
    EXPECT_EQ(status, 0);
}

// ---- the cache

TEST_F(Hdf5Store, TheCacheIsBoundedAndRightUnderThreads) {
    write_specs(path);
    const std::size_t which[] = {1, 2, 4, 5};
    for (const std::size_t capacity : {std::size_t{0}, std::size_t{20'000}, std::size_t{1} << 24}) {
        const auto cache = std::make_shared<ChunkCache>(capacity);
        {
            const Reader reader(path, cache);
            std::atomic<int> wrong = 0;
            std::vector<std::thread> threads;
            for (unsigned t = 0; t < 4; ++t)
                threads.emplace_back([&, t] {
                    std::mt19937 random(t);
                    for (const std::size_t i : which) {
                        const Spec& spec = specs()[i];
                        const std::size_t d = reader.find(spec.group, spec.name).value();
                        const Bytes cells = cells_of(i);
                        for (int n = 0; n < 2000; ++n) {
                            const std::uint64_t cell = random() % spec.layout.cells();
                            std::int16_t value = 0;
                            std::memcpy(&value, cells.data() + cell * bytes_of(spec.type),
                                        bytes_of(spec.type));
                            if (spec.type == CellType::Int8)
                                value = static_cast<std::int8_t>(value);
                            if (reader.cell(d, cell) != value) ++wrong;
                        }
                    }
                });
            for (std::thread& thread : threads) thread.join();
            EXPECT_EQ(wrong, 0);
            // A chunk a thread may be on its way in.
            EXPECT_LE(cache->used_bytes(), std::max<std::size_t>(capacity, 4 * 3 * 4096 * 2));
            EXPECT_LT(cache->misses(), 4 * 4 * 2000u);
            if (capacity > 1'000'000) {
                EXPECT_LT(cache->misses(), 4 * 2500u);
            }
        }
        EXPECT_EQ(cache->used_bytes(), 0u);
    }
}

TEST(Hdf5Seal, StructureIsAllThatIsNoChunkInEitherReading) {
    // Chunks at 2000-5000 and 5000-6000, and one too short to be told from its shifted self.
    EXPECT_EQ(structure_around({{5000, 1000}, {2000, 3000}, {7000, 500}}, 9000),
              (std::vector<Extent>{{512, 2000}, {6000, 3000}}));
    EXPECT_EQ(structure_around({}, 600), (std::vector<Extent>{{512, 88}}));
    EXPECT_EQ(structure_around({{512, 9488}}, 10000), (std::vector<Extent>{{512, 512}}));
    std::vector<Extent> many;
    for (std::uint64_t i = 0; i < 100; ++i) many.push_back({10'000 * (i + 1), 6000 + i});
    const std::vector<Extent> structure = structure_around(many, 2'000'000);
    ASSERT_EQ(structure.size(), Seal::kMaxExtents);
    EXPECT_EQ(structure.front().offset, 512u);
    EXPECT_EQ(structure.back().offset + structure.back().bytes, 2'000'000u);
    for (std::size_t i = 1; i < structure.size(); ++i)
        EXPECT_GT(structure[i].offset, structure[i - 1].offset + structure[i - 1].bytes);
}

}  // namespace
}  // namespace mansuba::tablebase::hdf5

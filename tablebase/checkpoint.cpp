#include "tablebase/checkpoint.hpp"

#define XXH_INLINE_ALL
#include <algorithm>
#include <array>
#include <cstring>
#include <libdeflate.h>
#include <memory>
#include <new>
#include <omp.h>
#include <xxhash.h>

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "tablebase/first_error.hpp"

namespace mansuba::tablebase {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFormat = "mansuba table checkpoint";
constexpr int kVersion = 1;
/// What is packed as one piece takes about so much.
constexpr std::size_t kPieceBytes = std::size_t{256} << 10;
/// Before each piece of a part.
struct PieceHead {
    std::uint32_t array, placement, first, blocks, packed_bytes, zero;
    std::uint64_t digest;  // XXH3-64 of what comes before and after, by the generation
};
static_assert(sizeof(PieceHead) == 32);

std::uint64_t digest_of(PieceHead head, std::span<const std::byte> packed,
                        std::uint64_t generation) {
    head.digest = XXH3_64bits_withSeed(packed.data(), packed.size(), generation);
    return XXH3_64bits(&head, sizeof head);
}

struct FreeCompressor {
    void operator()(libdeflate_compressor* c) const { libdeflate_free_compressor(c); }
    void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
};

std::uint64_t digest_of(const Json& json) {
    const std::string text = json.dump();
    return XXH3_64bits(text.data(), text.size());
}

constexpr std::uint32_t kRowsOfBlock = 8;

/// A block as it is stored: without what is not there.
void add(const BlockArray& a, std::uint64_t block, std::vector<std::byte>& out) {
    const std::byte* from = a.data + block * a.block_bytes;
    if (!a.rows) {
        out.insert(out.end(), from, from + a.block_bytes);
        return;
    }
    for (std::uint32_t row = 0; row < kRowsOfBlock; ++row, from += a.block_bytes / kRowsOfBlock)
        if (a.rows[block] >> row & 1)
            out.insert(out.end(), from, from + a.block_bytes / kRowsOfBlock);
        else
            out.resize(out.size() + a.block_bytes / kRowsOfBlock);
}

void put(const BlockArray& a, std::uint64_t block, const std::byte* from) {
    if (a.rows) {
        a.rows[block] = 0;
        const std::uint32_t row_bytes = a.block_bytes / kRowsOfBlock;
        for (std::uint32_t row = 0; row < kRowsOfBlock; ++row)
            if (std::any_of(from + row * row_bytes, from + (row + 1) * row_bytes,
                            [](std::byte b) { return b != std::byte{}; }))
                a.rows[block] = static_cast<std::uint8_t>(a.rows[block] | 1 << row);
        // Memory that holds nothing is not touched.
        if (!a.rows[block]) return;
    }
    std::memcpy(a.data + block * a.block_bytes, from, a.block_bytes);
}

std::filesystem::path manifest_path(const std::filesystem::path& directory, const Material& m) {
    return directory / (m.name() + ".checkpoint");
}

std::filesystem::path part_path(const std::filesystem::path& manifest, std::uint64_t generation,
                                std::size_t part) {
    std::filesystem::path path = manifest;
    return path += "." + std::to_string(generation) + "." + std::to_string(part);
}

/// All parts but the first so many of a generation.
void remove_parts(const std::filesystem::path& manifest, std::uint64_t generation,
                  std::size_t parts) {
    const std::string start = manifest.filename().string() + ".";
    std::vector<std::filesystem::path> old;
    std::error_code ignored;
    for (std::filesystem::directory_iterator it(manifest.parent_path(), ignored), end; it != end;
         it.increment(ignored)) {
        bool is_old = it->path().filename().string().starts_with(start);
        for (std::size_t p = 0; p < parts; ++p)
            is_old &= it->path().filename() != part_path(manifest, generation, p).filename();
        if (is_old) old.push_back(it->path());
    }
    for (const auto& path : old) std::filesystem::remove(path, ignored);
}

}  // namespace

Checkpoint::Checkpoint(std::filesystem::path directory, const Index& index, std::string made_by,
                       double interval_seconds, int threads, Team* team)
    : manifest_(manifest_path(directory, index.material())),
      index_(index),
      made_by_(std::move(made_by)),
      interval_(std::chrono::duration_cast<std::chrono::steady_clock::duration>(
          std::chrono::duration<double>(interval_seconds))),
      threads_(threads),
      team_(team),
      next_(std::chrono::steady_clock::now() + interval_) {
    if (std::filesystem::exists(manifest_)) read_manifest();
}

Checkpoint::~Checkpoint() = default;

std::string Checkpoint::damaged() const {
    return "damaged table checkpoint; remove " + manifest_.filename().string() + " to start anew";
}

void Checkpoint::read_manifest() {
    const auto fail = [&](std::string_view what) {
        throw Error(ErrorCode::File, what, manifest_.string());
    };
    const std::vector<std::byte> bytes = read_file(manifest_);
    Json json =
        Json::parse(reinterpret_cast<const char*>(bytes.data()),
                    reinterpret_cast<const char*>(bytes.data() + bytes.size()), nullptr, false);
    std::vector<std::uint64_t> part_bytes;
    try {
        if (json.at("format") != kFormat) fail("not a table checkpoint");
        if (json.at("version") != kVersion) fail("table checkpoint of another version");
        const std::uint64_t digest = json.at("xxh3");
        json.erase("xxh3");
        if (digest != digest_of(json)) fail(damaged());
        if (json.at("material") != index_.material().name() || json.at("made_by") != made_by_)
            throw Error(ErrorCode::File,
                        "checkpoint of other metrics or rules; remove it to start anew",
                        manifest_.string());
        found_ = Standing{json.at("wide"), json.at("placements"), json.at("chain"),
                          json.at("ply"),  json.at("some_won"),   json.at("some_lost")};
        generation_ = json.at("generation");
        part_bytes = json.at("parts").get<std::vector<std::uint64_t>>();
    } catch (const Json::exception&) {
        fail(damaged());
    }
    for (std::size_t p = 0; p < part_bytes.size(); ++p) {
        parts_.push_back(std::make_unique<OldFile>(part_path(manifest_, generation_, p)));
        scan(p, part_bytes[p]);
    }
}

/// Finds the pieces of a part.
void Checkpoint::scan(std::size_t part, std::uint64_t bytes) {
    const OldFile& file = *parts_[part];
    const auto fail = [&] { throw Error(ErrorCode::File, damaged(), file.path().string()); };
    if (file.size() != bytes) fail();
    for (std::uint64_t at = 0; at < bytes;) {
        PieceHead head;
        if (bytes - at < sizeof head) fail();
        file.read_at(at, std::as_writable_bytes(std::span(&head, 1)));
        at += sizeof head;
        if (head.packed_bytes > bytes - at) fail();
        stored_.push_back({{head.array, head.placement, head.first, head.blocks},
                           head.packed_bytes,
                           part,
                           at,
                           head.digest});
        at += head.packed_bytes;
    }
}

/// Calls `work` with the blocks of a piece that are kept.
template <class Do>
void Checkpoint::for_each_kept(const Piece& piece, const Do& work) const {
    for (std::uint32_t b = piece.first; b < piece.first + piece.blocks; ++b)
        if (index_.is_kept(b)) work(b);
}

void Checkpoint::load(std::span<const BlockArray> arrays, std::span<const BlockRun> runs) const {
    const std::uint64_t blocks = index_.blocks_per_placement();
    std::vector<std::uint8_t> is_wanted(blocks);
    for (const BlockRun& run : runs)
        std::fill(is_wanted.begin() + run.first, is_wanted.begin() + run.last, std::uint8_t{1});
    const auto count_wanted = [&](std::uint64_t first, std::uint64_t last) {
        return static_cast<std::uint64_t>(
            std::count(is_wanted.begin() + static_cast<std::ptrdiff_t>(first),
                       is_wanted.begin() + static_cast<std::ptrdiff_t>(last), 1));
    };
    std::uint64_t wanted = 0, copied = 0;
    for (const BlockArray& a : arrays)
        wanted += std::uint64_t{a.last_placement - a.first_placement} * count_wanted(0, blocks);
    FirstError error;
    const auto load_piece = [&](const Stored& s) {
        const auto array = std::find_if(arrays.begin(), arrays.end(), [&](const BlockArray& a) {
            return a.number == s.piece.array;
        });
        const Piece& p = s.piece;
        if (array == arrays.end() || p.placement < array->first_placement ||
            p.placement >= array->last_placement)
            return;
        const auto fail = [&] {
            throw Error(ErrorCode::File, damaged(), parts_[s.part]->path().string());
        };
        if (std::uint64_t{p.first} + p.blocks > blocks) fail();
        const std::uint64_t here = count_wanted(p.first, p.first + p.blocks);
        if (!here) return;
        std::vector<std::byte> packed(s.packed_bytes);
        parts_[s.part]->read_at(s.offset, packed);
        const PieceHead head{p.array, p.placement, p.first, p.blocks, s.packed_bytes, 0, 0};
        if (digest_of(head, packed, generation_) != s.digest) fail();
        std::size_t kept = 0;
        for_each_kept(p, [&](std::uint32_t) { ++kept; });
        std::vector<std::byte> raw(kept * array->block_bytes);
        if (packed.size() == raw.size()) {
            raw.swap(packed);
        } else {
            const std::unique_ptr<libdeflate_decompressor, FreeCompressor> unpack(
                libdeflate_alloc_decompressor());
            if (!unpack) throw std::bad_alloc();
            if (libdeflate_deflate_decompress(unpack.get(), packed.data(), packed.size(),
                                              raw.data(), raw.size(),
                                              nullptr) != LIBDEFLATE_SUCCESS)
                fail();
        }
        const std::byte* from = raw.data();
        for_each_kept(p, [&](std::uint32_t b) {
            if (is_wanted[b]) put(*array, p.placement * blocks + b, from);
            from += array->block_bytes;
        });
#pragma omp atomic
        copied += here;
    };
#pragma omp parallel for schedule(dynamic) num_threads(threads_)
    for (std::size_t i = 0; i < stored_.size(); ++i) error.run([&] { load_piece(stored_[i]); });
    error.rethrow();
    if (copied != wanted) throw Error(ErrorCode::File, damaged(), manifest_.string());
}

void Checkpoint::save(const Standing& standing, std::span<const BlockArray> arrays,
                      std::span<const BlockRun> runs) {
    const std::uint64_t generation = generation_ + 1, blocks = index_.blocks_per_placement();
    const auto member = static_cast<std::size_t>(team_ ? team_->member() : 0);
    std::vector<std::pair<const BlockArray*, Piece>> pieces;
    for (const BlockArray& a : arrays) {
        const auto step =
            static_cast<std::uint32_t>(std::max<std::size_t>(kPieceBytes / a.block_bytes, 1));
        for (std::uint32_t p = a.first_placement; p < a.last_placement; ++p)
            for (const auto [first, last] : runs)
                for (std::uint32_t b = first; b < last; b += step)
                    pieces.push_back({&a, {a.number, p, b, std::min(step, last - b)}});
    }
    std::uint64_t bytes = 0;
    std::error_code unless_there;  // then the file says why it cannot be written
    std::filesystem::create_directories(manifest_.parent_path(), unless_there);
    {
        NewFile file(part_path(manifest_, generation, member));
        const std::size_t batch = 8 * static_cast<std::size_t>(threads_);
        std::vector<std::vector<std::byte>> packed(batch);
        FirstError error;
        const auto pack = [&](const BlockArray& a, const Piece& p, std::vector<std::byte>& out) {
            std::vector<std::byte> raw;
            raw.reserve(kPieceBytes);
            for_each_kept(p, [&](std::uint32_t b) { add(a, p.placement * blocks + b, raw); });
            const std::unique_ptr<libdeflate_compressor, FreeCompressor> compress(
                libdeflate_alloc_compressor(1));
            if (!compress) throw std::bad_alloc();
            out.resize(sizeof(PieceHead) + raw.size());
            // What does not shrink stands as it is.
            std::size_t size = raw.size() < 2 ? 0
                                              : libdeflate_deflate_compress(
                                                    compress.get(), raw.data(), raw.size(),
                                                    out.data() + sizeof(PieceHead), raw.size() - 1);
            if (size == 0) {
                size = raw.size();
                std::copy(raw.begin(), raw.end(), out.begin() + sizeof(PieceHead));
            }
            out.resize(sizeof(PieceHead) + size);
            PieceHead head{
                p.array, p.placement, p.first, p.blocks, static_cast<std::uint32_t>(size), 0, 0};
            head.digest = digest_of(head, std::span(out).subspan(sizeof head), generation);
            std::memcpy(out.data(), &head, sizeof head);
        };
        for (std::size_t from = 0; from < pieces.size(); from += batch) {
            const std::size_t n = std::min(batch, pieces.size() - from);
#pragma omp parallel for schedule(dynamic) num_threads(threads_)
            for (std::size_t i = 0; i < n; ++i)
                error.run(
                    [&] { pack(*pieces[from + i].first, pieces[from + i].second, packed[i]); });
            error.rethrow();
            for (std::size_t i = 0; i < n; ++i) {
                file.write(packed[i]);
                bytes += packed[i].size();
            }
        }
        file.finish();
    }
    std::vector<std::uint64_t> part_bytes{bytes};
    if (team_) {
        if (member) send_values<std::uint64_t>(*team_, 0, part_bytes);
        for (int m = 1; member == 0 && m < team_->size(); ++m)
            part_bytes.push_back(receive_values<std::uint64_t>(*team_, m).at(0));
    }
    if (member == 0) {
        Json json{{"format", kFormat},
                  {"version", kVersion},
                  {"material", index_.material().name()},
                  {"made_by", made_by_},
                  {"wide", standing.wide},
                  {"placements", standing.placements},
                  {"chain", standing.chain},
                  {"ply", standing.ply},
                  {"some_won", standing.some_won},
                  {"some_lost", standing.some_lost},
                  {"generation", generation},
                  {"parts", part_bytes}};
        json["xxh3"] = digest_of(json);
        const std::string text = json.dump() + "\n";
        write_file_atomically(manifest_, std::as_bytes(std::span(text)));
        remove_parts(manifest_, generation, part_bytes.size());
    }
    generation_ = generation;
    next_ = std::chrono::steady_clock::now() + interval_;
}

void Checkpoint::remove(const std::filesystem::path& directory, const Material& material) {
    const std::filesystem::path manifest = manifest_path(directory, material);
    std::error_code ignored;
    std::filesystem::remove(manifest, ignored);
    remove_parts(manifest, 0, 0);
}

}  // namespace mansuba::tablebase

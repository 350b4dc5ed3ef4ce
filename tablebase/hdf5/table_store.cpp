#include "tablebase/hdf5/table_store.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <omp.h>
#include <vector>

#include "core/error.hpp"
#include "tablebase/cells.hpp"
#include "tablebase/hdf5/reader.hpp"
#include "tablebase/hdf5/writer.hpp"
#include "tablebase/statistics_json.hpp"

namespace mansuba::tablebase::hdf5 {
namespace {

/// Chunks of 64 KiB of one-byte cells: a cold probe decompresses one, in a tenth of a millisecond.
constexpr std::uint64_t kBlocksPerChunk = 16;
/// Cells encoded before they are compressed, some chunks for every thread.
constexpr std::uint64_t kBatchBlocks = 1024;

const char* group_of(Color c) { return c == Color::White ? "white" : "black"; }

Layout layout_of(const std::vector<std::uint64_t>& shape) {
    std::vector<std::uint64_t> chunk(shape.size(), 1);
    chunk[shape.size() - 1] = chunk[shape.size() - 2] = 64;
    if (shape.size() > 2)
        chunk[shape.size() - 3] = std::min<std::uint64_t>(kBlocksPerChunk, shape[shape.size() - 3]);
    return {shape, chunk};
}

const char* encoding_of(Metric m) {
    switch (m) {
        case Metric::Wdl:
        case Metric::Wdl75: return "-2 loss, -1 blessed loss, 0 draw, 1 cursed win, 2 win";
        case Metric::Dtz:
        case Metric::Dtz75: return "plies to the next capture, pawn move or mate";
        case Metric::Winnable: return "who can mate by some legal moves: 1 White, 2 Black, 3 both";
        case Metric::DthWhite: return "plies of the shortest helpmate by White, 255 none";
        case Metric::DthBlack: return "plies of the shortest helpmate by Black, 255 none";
        case Metric::Dtm50: return "moves that the mate comes later than by dtm, by clock";
        default: return "moves of the winner to mate: plies are twice that, less one for a win";
    }
}

/// Whether a table has in Metric::Wdl75 and Dtz75 what it has in Wdl and Dtz.
bool limits_agree(const Reader& reader) {
    return reader.attributes().contains(kLimitsAgree) &&
           reader.attribute<std::int64_t>(kLimitsAgree) != 0;
}

/// The dataset that a metric shares where both limits agree.
Metric shared_with(Metric m) {
    return m == Metric::Wdl75 ? Metric::Wdl : m == Metric::Dtz75 ? Metric::Dtz : m;
}

/// What a metric of one side to move is in a file, and cells on their way there.
struct Stored {
    Color side_to_move;
    Metric metric;
    int bytes;  // a cell
    std::size_t number = 0;
    std::vector<std::byte> cells{};

    CellType type() const {
        const bool is_class = metric == Metric::Wdl || metric == Metric::Wdl75;
        return is_class ? CellType::Int8 : bytes == 1 ? CellType::UInt8 : CellType::UInt16;
    }
};

/// Whether a metric of a table has no dataset of its own.
bool is_linked(const Table& table, Metrics metrics, Metric m) {
    const Metric twin = shared_with(m);
    return twin != m && table.limits_agree && metrics.has(twin);
}

/// Without Metric::Dtm50; in the order in which they are written.
std::vector<Stored> stored_of(const Table& table, Metrics metrics, Team* team) {
    std::vector<Stored> all;
    for (const Color c : {Color::White, Color::Black})
        for (Metric m : kMetrics)
            if (metrics.has(m) && m != Metric::Dtm50 && !is_linked(table, metrics, m))
                all.push_back(
                    {c, m, joined(team, stored_bytes(table, m, c), [](int mine, int theirs) {
                         return std::max(mine, theirs);
                     })});
    return all;
}

/// Chunks are written in the order of batches, within one in the order of datasets.
constexpr std::uint64_t kBatchChunks = kBatchBlocks / kBlocksPerChunk;

/// Fills Stored::cells with what `encode_chunk` makes of chunks from `first` to before `last`.
template <class EncodeChunk>
void encode_chunks(const tablebase::Layout& blocks, const Layout& layout, int threads,
                   std::uint64_t first, std::uint64_t last, std::span<Stored> to,
                   const EncodeChunk& encode_chunk) {
    const std::uint64_t first_cell = layout.first_cell(first);
    for (Stored& d : to)
        d.cells.resize((layout.first_cell(last) - first_cell) *
                       static_cast<std::uint64_t>(d.bytes));
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (std::uint64_t i = first; i < last; ++i) {
        const std::uint64_t block = layout.first_cell(i) >> 12;
        std::array<Block, kBlocksPerChunk> canonical;
        const std::uint64_t count = layout.chunk_cells(i) >> 12;
        for (std::uint64_t b = 0; b < count; ++b)
            canonical[b] =
                blocks.canonical(static_cast<std::uint32_t>((block + b) / blocks.blocks),
                                 static_cast<std::uint32_t>((block + b) % blocks.blocks));
        for (Stored& d : to)
            encode_chunk(d, block, std::span(canonical).first(count),
                         d.cells.data() + (layout.first_cell(i) - first_cell) *
                                              static_cast<std::uint64_t>(d.bytes));
    }
}

/// Chunks that one member of a team has, and that are written one after the other.
struct Run {
    std::uint64_t first, last;
    int member;
};
/// Of a batch that begins with chunk `first`; `owner` of each king pair, none for one rank alone.
std::vector<Run> runs_of_batch(const tablebase::Layout& blocks, const Layout& layout,
                               std::uint64_t first, const std::vector<int>& owner) {
    const std::uint64_t last = std::min(layout.chunks(), first + kBatchChunks);
    if (owner.empty()) return {{first, last, 0}};
    std::vector<Run> runs;
    for (std::uint64_t chunk = first; chunk < last; ++chunk) {
        const auto pair =
            static_cast<std::uint32_t>((layout.first_cell(chunk) >> 12) % blocks.blocks) /
            blocks.blocks_per_pair;
        const int member = owner[pair];
        if (runs.empty() || runs.back().member != member)
            runs.push_back({chunk, chunk + 1, member});
        else
            ++runs.back().last;
    }
    return runs;
}

/// A run's chunks of one dataset after the other, as a message.
std::vector<std::byte> pack(const std::vector<std::vector<StoredChunk>>& datasets) {
    std::vector<std::byte> bytes;
    for (const auto& chunks : datasets)
        for (const StoredChunk& chunk : chunks) {
            const std::uint32_t head[] = {static_cast<std::uint32_t>(chunk.bytes.size()),
                                          chunk.crc32};
            const auto raw = std::as_bytes(std::span(head));
            bytes.insert(bytes.end(), raw.begin(), raw.end());
            bytes.insert(bytes.end(), chunk.bytes.begin(), chunk.bytes.end());
        }
    return bytes;
}
std::vector<std::vector<StoredChunk>> unpack(std::span<const std::byte> bytes, std::size_t datasets,
                                             std::uint64_t chunks) {
    const auto take = [&](std::size_t n) {
        if (bytes.size() < n)
            throw Error(ErrorCode::Internal, "chunks of another rank are cut off");
        const auto head = bytes.first(n);
        bytes = bytes.subspan(n);
        return head;
    };
    std::vector<std::vector<StoredChunk>> all(datasets);
    for (auto& of : all)
        for (std::uint64_t i = 0; i < chunks; ++i) {
            std::uint32_t head[2];
            std::memcpy(head, take(sizeof head).data(), sizeof head);
            const auto body = take(head[0]);
            of.push_back({{body.begin(), body.end()}, head[1]});
        }
    return all;
}

/// Of each dataset.
std::vector<std::vector<StoredChunk>> compressed(const Table& table,
                                                 const tablebase::Layout& blocks,
                                                 const Layout& layout, std::uint64_t first,
                                                 std::uint64_t last, std::span<Stored> datasets,
                                                 Compressor& compressor, int threads) {
    encode_chunks(blocks, layout, threads, first, last, datasets,
                  [&](const Stored& d, std::uint64_t block, std::span<const Block> canonical,
                      std::byte* out) {
                      encode(table, d.metric, d.side_to_move, block, canonical, d.bytes, out);
                  });
    std::vector<std::vector<StoredChunk>> all;
    for (const Stored& d : datasets)
        all.push_back(compressor.compress(layout, d.type(), first, d.cells));
    return all;
}

/// How many runs of a member may be on their way to the first before they are written.
constexpr int kRunsAhead = 4;

}  // namespace

std::filesystem::path table_path(const std::filesystem::path& directory, const Material& material) {
    return directory / (material.name() + ".h5");
}

RuleSet rules_of(const Reader& reader) {
    const auto& name = reader.attribute<std::string>(kRules);
    const RuleSet today;
    if (!reader.attributes().contains(kRuleSet) && name == today.name()) return today;
    try {
        return RuleSet::parse(reader.attribute<std::string>(kRuleSet), kRuleSet);
    } catch (const Error& e) {
        throw Error(ErrorCode::File, e.what(), reader.path().string());
    }
}

int first_clock(const Reader& reader, Color side_to_move) {
    const DatasetInfo& dtm50 =
        reader.datasets()[*reader.find(group_of(side_to_move), name_of(Metric::Dtm50))];
    const auto found = dtm50.attributes.find(kFirstClock);
    const auto* first =
        found == dtm50.attributes.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
    if (!first || *first < 0 || *first > Limits::kNone)
        throw Error(ErrorCode::File, "lacks a proper first clock", reader.path().string());
    return static_cast<int>(*first);
}

Metrics checked_metrics(const Reader& reader, const Material& material) {
    const auto fail = [&](const std::string& what) {
        throw Error(ErrorCode::File, what, reader.path().string());
    };
    const auto& name = reader.attribute<std::string>("material");
    if (name != material.name()) fail("a table of " + name + ", not of " + material.name());
    const auto& scheme = reader.attribute<std::string>("index_scheme");
    if (scheme != kIndexScheme || reader.attribute<std::int64_t>("index_version") != kIndexVersion)
        fail("numbers its positions in a way that this version does not know");
    Metrics metrics;
    for (Metric m : kMetrics) {
        bool both = true;
        for (Color c : {Color::White, Color::Black}) {
            const auto dataset = reader.find(group_of(c), name_of(m));
            both &= dataset.has_value();
            if (!dataset) continue;
            std::vector<std::uint64_t> shape = Index(material).shape();
            if (m == Metric::Dtm50)  // clocks come first
                shape.insert(shape.begin(),
                             static_cast<std::uint64_t>(
                                 rules_of(reader).limits(Index(material)).claim_at(0) -
                                 first_clock(reader, c)));
            if (reader.datasets()[*dataset].layout.dims() != shape)
                fail("the shape of its cells is wrong");
        }
        if (both) metrics = metrics.with(m);
    }
    return metrics;
}

TableDirectory::TableDirectory(std::filesystem::path directory, Options options)
    : directory_(std::move(directory)), options_(std::move(options)) {}

Metrics TableDirectory::checked(const Reader& reader, const Material& material) const {
    const Metrics metrics = checked_metrics(reader, material);
    if (options_.rules && rules_of(reader) != *options_.rules)
        throw Error(
            ErrorCode::File,
            "made for the rules " + rules_of(reader).name() + ", not for " + options_.rules->name(),
            reader.path().string());
    return metrics;
}

Metrics TableDirectory::metrics(const Material& material) {
    const std::filesystem::path path = table_path(directory_, material);
    std::error_code error;
    if (!std::filesystem::exists(path, error)) return {};
    return checked(Reader(path), material);
}

std::uint64_t TableDirectory::save(const Table& table, Metrics metrics,
                                   const Statistics& statistics, Team* team) {
    if (team && team->member()) {
        save_share(table, metrics, *team);
        return 0;
    }
    std::error_code error;
    std::filesystem::create_directories(directory_, error);
    if (error) throw Error(ErrorCode::File, "cannot make the directory", directory_.string());
    const Material& material = table.index.material();
    const std::filesystem::path path = table_path(directory_, material);
    Writer writer(path, {options_.level, options_.threads});
    writer.set_attribute("material", material.name());
    writer.set_attribute("index_scheme", std::string(kIndexScheme));
    writer.set_attribute("index_version", kIndexVersion);
    const RuleSet rules = options_.rules.value_or(RuleSet());
    writer.set_attribute(kRules, rules.name());
    writer.set_attribute(kRuleSet, rules.text());
    writer.set_attribute("generator", options_.generator);
    writer.set_attribute("statistics", to_json(material, statistics));
    std::vector<std::string> names;
    for (Metric m : kMetrics)
        if (metrics.has(m)) names.emplace_back(name_of(m));
    writer.set_attribute("metrics", names);
    std::vector<std::string> men;
    for (const Piece& man : table.index.men())
        men.push_back(std::string(man.color == Color::White ? "white " : "black ") +
                      "PNBRQK"[static_cast<int>(man.type)]);
    writer.set_attribute("men", men);

    if (metrics.has_75()) writer.set_attribute(kLimitsAgree, std::int64_t{table.limits_agree});

    const tablebase::Layout blocks(table.index);
    const Layout layout = layout_of(table.index.shape());
    std::vector<Stored> datasets = stored_of(table, metrics, team);
    for (Stored& d : datasets) {
        d.number = writer.add_dataset(group_of(d.side_to_move), std::string(name_of(d.metric)),
                                      d.type(), layout);
        writer.set_attribute(d.number, "encoding", std::string(encoding_of(d.metric)));
    }
    for (const Color c : {Color::White, Color::Black})
        for (Metric m : kMetrics)
            if (metrics.has(m) && is_linked(table, metrics, m))
                writer.link(group_of(c), std::string(name_of(shared_with(m))),
                            std::string(name_of(m)));
    const int threads = options_.threads > 0 ? options_.threads : omp_get_max_threads();

    const std::vector<int> owner = team ? owners(table.index, team->size()) : std::vector<int>();
    // Each member may send some runs before the first of them are written.
    std::vector<int> to_grant(static_cast<std::size_t>(team ? team->size() : 1));
    const auto grant = [&](int member) {
        if (to_grant[static_cast<std::size_t>(member)]-- > 0) team->send(member, {});
    };
    if (team) {
        for (std::uint64_t chunk = 0; chunk < layout.chunks(); chunk += kBatchChunks)
            for (const Run& run : runs_of_batch(blocks, layout, chunk, owner))
                ++to_grant[static_cast<std::size_t>(run.member)];
        for (int m = 1; m < team->size(); ++m)
            for (int i = 0; i < kRunsAhead; ++i) grant(m);
    }
    Compressor compressor({options_.level, options_.threads});
    for (std::uint64_t chunk = 0; chunk < layout.chunks(); chunk += kBatchChunks) {
        std::vector<std::vector<StoredChunk>> chunks(datasets.size());
        for (const Run& run : runs_of_batch(blocks, layout, chunk, owner)) {
            std::vector<std::vector<StoredChunk>> more;
            if (run.member == 0) {
                more = compressed(table, blocks, layout, run.first, run.last, datasets, compressor,
                                  threads);
            } else {
                more = unpack(team->receive(run.member), datasets.size(), run.last - run.first);
                grant(run.member);
            }
            for (std::size_t d = 0; d < chunks.size(); ++d)
                std::move(more[d].begin(), more[d].end(), std::back_inserter(chunks[d]));
        }
        for (std::size_t d = 0; d < chunks.size(); ++d)
            writer.write_stored(datasets[d].number, chunk, chunks[d]);
    }
    if (metrics.has(Metric::Dtm50)) {
        std::vector<std::uint64_t> dims = layout.dims(), chunk = layout.chunk_dims();
        dims.insert(dims.begin(), table.dtm50_later.size());
        chunk.insert(chunk.begin(), 1);
        datasets.clear();
        for (const Color c : {Color::White, Color::Black}) {
            const std::size_t number = writer.add_dataset(
                group_of(c), std::string(name_of(Metric::Dtm50)), CellType::UInt8, {dims, chunk});
            writer.set_attribute(number, "encoding", std::string(encoding_of(Metric::Dtm50)));
            writer.set_attribute(number, kFirstClock, std::int64_t{table.dtm50_first});
            datasets.push_back({c, Metric::Dtm50, 1, number});
        }
        for (std::size_t row = 0; row < table.dtm50_later.size(); ++row)
            for (std::uint64_t first = 0; first < layout.chunks(); first += kBatchChunks) {
                encode_chunks(blocks, layout, threads, first,
                              std::min(layout.chunks(), first + kBatchChunks), datasets,
                              [&](const Stored& d, std::uint64_t block,
                                  std::span<const Block> canonical, std::byte* out) {
                                  encode_later(table, table.dtm50_first + static_cast<int>(row),
                                               d.side_to_move, block, canonical, out);
                              });
                for (Stored& d : datasets)
                    writer.write_chunks(d.number, row * layout.chunks() + first, d.cells);
            }
    }
    writer.commit();
    const std::uint64_t bytes = std::filesystem::file_size(path, error);
    if (error) throw Error(ErrorCode::File, "cannot be seen after writing", path.string());
    return bytes;
}

void TableDirectory::save_share(const Table& table, Metrics metrics, Team& team) const {
    const tablebase::Layout blocks(table.index);
    const Layout layout = layout_of(table.index.shape());
    std::vector<Stored> datasets = stored_of(table, metrics, &team);
    const std::vector<int> owner = owners(table.index, team.size());
    const int threads = options_.threads > 0 ? options_.threads : omp_get_max_threads();
    Compressor compressor({options_.level, options_.threads});
    // All is compressed at once, whenever its turn to be written is: it takes a small part of what the cells do.
    std::vector<std::vector<std::byte>> messages;
    for (std::uint64_t chunk = 0; chunk < layout.chunks(); chunk += kBatchChunks)
        for (const Run& run : runs_of_batch(blocks, layout, chunk, owner))
            if (run.member == team.member())
                messages.push_back(pack(compressed(table, blocks, layout, run.first, run.last,
                                                   datasets, compressor, threads)));
    for (std::vector<std::byte>& message : messages) {
        team.receive(0);
        team.send(0, message);
        message = {};
    }
}

std::string TableDirectory::statistics(const Material& material) {
    const Reader reader(table_path(directory_, material));
    checked(reader, material);
    return reader.attribute<std::string>("statistics");
}

Table TableDirectory::load(const Material& material, Metrics metrics) {
    const Reader reader(table_path(directory_, material));
    const Metrics there = checked(reader, material);
    if (!there.contains(metrics))
        throw Error(ErrorCode::File, "has " + there.names() + " only", reader.path().string());
    const std::uint64_t count = Index(material).cells();
    Table table = decode(
        material, metrics, limits_agree(reader),
        [&](Metric m, Color c) {
            const std::size_t dataset = *reader.find(group_of(c), name_of(m));
            const int bytes = static_cast<int>(bytes_of(reader.datasets()[dataset].type));
            StoredCells cells(count, bytes);  // of Dtm50 the first row
            reader.read_chunks(dataset, 0, cells.bytes());
            return cells;
        },
        options_.simd);
    table.built_for = rules_of(reader).limits(table.index);
    if (!metrics.has(Metric::Dtm50)) return table;

    const std::uint64_t chunks = layout_of(table.index.shape()).chunks();
    for (const Color c : {Color::White, Color::Black}) {
        const std::size_t dataset = *reader.find(group_of(c), name_of(Metric::Dtm50));
        table.dtm50_first = first_clock(reader, c);
        table.dtm50_later.resize(reader.datasets()[dataset].layout.dims()[0]);
        decode_later(table, c, [&](std::size_t row, std::span<std::byte> cells) {
            reader.read_chunks(dataset, row * chunks, cells);
        });
    }
    return table;
}

}  // namespace mansuba::tablebase::hdf5

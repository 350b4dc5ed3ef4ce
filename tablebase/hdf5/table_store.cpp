#include "tablebase/hdf5/table_store.hpp"

#include <algorithm>
#include <array>
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
                                   const Statistics& statistics) {
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
    struct Dataset {
        Color side_to_move;
        Metric metric;
        int bytes;
        std::size_t number;
        std::vector<std::byte> cells;
    };
    std::vector<Dataset> datasets;
    for (const Color c : {Color::White, Color::Black})
        for (Metric m : kMetrics) {
            if (!metrics.has(m) || m == Metric::Dtm50) continue;
            if (const Metric twin = shared_with(m);
                twin != m && table.limits_agree && metrics.has(twin)) {
                writer.link(group_of(c), std::string(name_of(twin)), std::string(name_of(m)));
                continue;
            }
            const int bytes = stored_bytes(table, m, c);
            const bool is_class = m == Metric::Wdl || m == Metric::Wdl75;
            const CellType type = is_class     ? CellType::Int8
                                  : bytes == 1 ? CellType::UInt8
                                               : CellType::UInt16;
            const std::size_t number =
                writer.add_dataset(group_of(c), std::string(name_of(m)), type, layout);
            writer.set_attribute(number, "encoding", std::string(encoding_of(m)));
            datasets.push_back({c, m, bytes, number, {}});
        }
    const int threads = options_.threads > 0 ? options_.threads : omp_get_max_threads();
    // Chunks of all cells: what `encode_chunk` makes of each for each dataset, where `row` chunks stand
    // before them.
    const auto write_all = [&](std::span<Dataset> to, std::uint64_t row, const auto& encode_chunk) {
        for (std::uint64_t chunk = 0; chunk < layout.chunks();) {
            const std::uint64_t last =
                std::min(layout.chunks(), chunk + kBatchBlocks / kBlocksPerChunk);
            const std::uint64_t first_cell = layout.first_cell(chunk);
            for (Dataset& d : to)
                d.cells.resize((layout.first_cell(last) - first_cell) *
                               static_cast<std::uint64_t>(d.bytes));
#pragma omp parallel for schedule(dynamic) num_threads(threads)
            for (std::uint64_t i = chunk; i < last; ++i) {
                const std::uint64_t first = layout.first_cell(i) >> 12;
                std::array<Block, kBlocksPerChunk> canonical;
                const std::uint64_t count = layout.chunk_cells(i) >> 12;
                for (std::uint64_t b = 0; b < count; ++b)
                    canonical[b] =
                        blocks.canonical(static_cast<std::uint32_t>((first + b) / blocks.blocks),
                                         static_cast<std::uint32_t>((first + b) % blocks.blocks));
                for (Dataset& d : to)
                    encode_chunk(d, first, std::span(canonical).first(count),
                                 d.cells.data() + (layout.first_cell(i) - first_cell) *
                                                      static_cast<std::uint64_t>(d.bytes));
            }
            for (Dataset& d : to) writer.write_chunks(d.number, row + chunk, d.cells);
            chunk = last;
        }
    };
    write_all(datasets, 0,
              [&](const Dataset& d, std::uint64_t first, std::span<const Block> canonical,
                  std::byte* out) {
                  encode(table, d.metric, d.side_to_move, first, canonical, d.bytes, out);
              });
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
            datasets.push_back({c, Metric::Dtm50, 1, number, {}});
        }
        for (std::size_t row = 0; row < table.dtm50_later.size(); ++row)
            write_all(datasets, row * layout.chunks(),
                      [&](const Dataset& d, std::uint64_t first, std::span<const Block> canonical,
                          std::byte* out) {
                          encode_later(table, table.dtm50_first + static_cast<int>(row),
                                       d.side_to_move, first, canonical, out);
                      });
    }
    writer.commit();
    const std::uint64_t bytes = std::filesystem::file_size(path, error);
    if (error) throw Error(ErrorCode::File, "cannot be seen after writing", path.string());
    return bytes;
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
    Table table = decode(
        material, metrics, limits_agree(reader),
        [&](Metric m, Color c) {
            const std::size_t dataset = *reader.find(group_of(c), name_of(m));
            const int bytes = static_cast<int>(bytes_of(reader.datasets()[dataset].type));
            if (m != Metric::Dtm50) return StoredCells{reader.read_all(dataset), bytes};
            std::vector<std::byte> first_row(Index(material).cells());
            reader.read_chunks(dataset, 0, first_row);
            return StoredCells{std::move(first_row), bytes};
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

#include "tablebase/syzygy/exporter.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <omp.h>
#include <span>

#include "core/error.hpp"
#include "tablebase/syzygy/fill.hpp"
#include "tablebase/syzygy/freedom.hpp"
#include "tablebase/syzygy/orders.hpp"
#include "tablebase/syzygy/walk.hpp"
#include "tablebase/syzygy/writer.hpp"

namespace mansuba::tablebase::syzygy {
namespace {

using Piece16 = std::vector<std::uint16_t>;

/// Numbers that are paired on their own, see Paired.
constexpr std::uint64_t kPieceNumbers = std::uint64_t{1} << 20;
constexpr int kWdlBlockBits = 6, kDtzBlockBits = 10;  // as readers are used to have them
/// What an order of men is judged by: runs of so many numbers from all over the section.
constexpr std::uint64_t kSampleRun = 2048;
struct Round {
    std::uint64_t numbers;
    std::size_t orders;  // that take part; the best of the round before
};
constexpr Round kRounds[] = {{1 << 15, 1 << 20}, {1 << 18, 24}, {1 << 20, 6}, {1 << 21, 2}};
constexpr std::uint64_t kFillSample = 1 << 20;
constexpr std::size_t kSampleSymbols = 250;

/// What one section says of each cell. The functions are called by several threads.
class Content {
public:
    virtual ~Content() = default;
    /// Numbers for the places from `first` to `last` - 1 in the order of a walk, free ones chosen.
    virtual Piece16 numbers(const Walk& walk, std::uint64_t first, std::uint64_t last) const = 0;
};

/// Calls use(cell) for the places of a walk in turn, and ahead(cell) some time before it for those that
/// have one, as they lie all over memory.
template <class Ahead, class Use>
void walk_with_foresight(const Walk& walk, std::uint64_t first, std::uint64_t last,
                         const Ahead& ahead, const Use& use) {
    std::array<std::uint64_t, 128> cells;
    std::size_t count = 0;
    const auto use_all = [&] {
        for (std::size_t i = 0; i < count; ++i) use(cells[i]);
        count = 0;
    };
    walk.run(first, last, [&](std::uint64_t cell) {
        if (cell != Walk::kNoCell) ahead(cell);
        cells[count++] = cell;
        if (count == cells.size()) use_all();
    });
    use_all();
}

class Results final : public Content {
public:
    explicit Results(const Needs& needs, int fill = Fill::Before) : needs_(needs), fill_(fill) {}
    Piece16 numbers(const Walk& walk, std::uint64_t first, std::uint64_t last) const override {
        const std::vector<std::uint8_t> may = possible(walk, first, last);
        Piece16 numbers(may.size());
        fill_sets(may, first, fill_, numbers.data());
        return numbers;
    }
    /// What fill_sets() chooses from.
    std::vector<std::uint8_t> possible(const Walk& walk, std::uint64_t first,
                                       std::uint64_t last) const {
        std::vector<std::uint8_t> may;
        may.reserve(last - first);
        walk_with_foresight(
            walk, first, last,
            [&](std::uint64_t cell) { __builtin_prefetch(needs_.data() + cell); },
            [&](std::uint64_t cell) {
                may.push_back(static_cast<std::uint8_t>(
                    cell == Walk::kNoCell ? Need::kAnyResult : needs_[cell].results()));
            });
        return may;
    }

private:
    const Needs& needs_;
    int fill_;
};

/// Numbers for distances, by result, and the other way round.
class DistanceMaps {
public:
    /// `histograms`: how many cells need a distance in plies, by wdl_code.
    DistanceMaps(const std::array<std::map<unsigned, std::uint64_t>, 5>& histograms, bool plies)
        : plies_(plies) {
        bool wide = false, plain = true;
        for (unsigned code = 0; code < 5; ++code) {
            if (code == wdl_code::kDraw || histograms[code].empty()) continue;
            std::map<unsigned, std::uint64_t> counts;
            for (const auto& [distance, count] : histograms[code])
                counts[value_of(code, distance)] += count;
            auto& map = maps_[Table::map_of(static_cast<Wdl>(static_cast<int>(code) - 2))];
            for (const auto& entry : counts) map.push_back(static_cast<std::uint16_t>(entry.first));
            // Frequent values of all results share the low numbers.
            std::stable_sort(map.begin(), map.end(), [&](std::uint16_t a, std::uint16_t b) {
                return counts.at(a) > counts.at(b);
            });
            auto& numbers = numbers_[code];
            numbers.resize(histograms[code].rbegin()->first + 1u);
            for (std::size_t distance = 0; distance < numbers.size(); ++distance) {
                const unsigned value = value_of(code, static_cast<unsigned>(distance));
                const auto at = std::find(map.begin(), map.end(), value);
                numbers[distance] = static_cast<std::uint16_t>(at - map.begin());
            }
            for (std::size_t i = 0; i < map.size(); ++i) plain &= map[i] == i;
            wide |= map.size() > 255 || *std::max_element(map.begin(), map.end()) > 255;
            if (map.size() >= PairSymbol::kLeaf)
                throw Error(ErrorCode::Usage, "too many different distances for a Syzygy file");
        }
        flags_ = (plain ? 0 : Table::kMapped) | (wide && !plain ? Table::kWideMap : 0) |
                 (plies ? Table::kWinsInPlies | Table::kLossesInPlies : 0);
    }

    /// Of a distance below distances(), which is 0 for results that need none.
    std::uint16_t number(unsigned code, unsigned plies) const { return numbers_[code][plies]; }
    std::size_t distances(unsigned code) const { return numbers_[code].size(); }
    unsigned flags() const { return flags_; }
    const std::array<std::vector<std::uint16_t>, 4>& maps() const { return maps_; }

private:
    unsigned value_of(unsigned code, unsigned plies) const {
        const bool cursed = code == wdl_code::kBlessedLoss || code == wdl_code::kCursedWin;
        const unsigned first = cursed ? 101 : 1;  // plies that 0 stands for
        const unsigned beyond = plies > first ? plies - first : 0;
        return plies_ && !cursed ? beyond : beyond / 2;
    }

    bool plies_;
    unsigned flags_ = 0;
    std::array<std::vector<std::uint16_t>, 4> maps_;
    std::array<std::vector<std::uint16_t>, 5> numbers_;  // by wdl_code and plies
};

/// A cell's number of its distance, or kFree where none is asked for.
class Distances final : public Content {
public:
    static constexpr std::uint8_t kFree = 255;
    static constexpr std::uint16_t kWideFree = 65535;

    explicit Distances(const Numbers& numbers) : numbers_(numbers) {}
    Piece16 numbers(const Walk& walk, std::uint64_t first, std::uint64_t last) const override {
        return numbers_.wide() ? numbers<std::uint16_t, kWideFree>(walk, first, last)
                               : numbers<std::uint8_t, kFree>(walk, first, last);
    }

private:
    template <class Number, Number Free>
    Piece16 numbers(const Walk& walk, std::uint64_t first, std::uint64_t last) const {
        Piece16 numbers;
        numbers.reserve(last - first);
        const auto* const of = numbers_.as<Number>();
        walk_with_foresight(
            walk, first, last, [&](std::uint64_t cell) { __builtin_prefetch(of + cell); },
            [&](std::uint64_t cell) {
                const Number n = cell == Walk::kNoCell ? Free : of[cell];
                numbers.push_back(n == Free ? kAnyNumber : n);
            });
        fill_any(numbers, 0);
        return numbers;
    }

    const Numbers& numbers_;
};

/// The different numbers of some pieces.
std::vector<std::uint16_t> different(const std::vector<Piece16>& pieces, int threads = 1) {
    constexpr std::size_t kNumbers = 1 << 16;
    std::vector<std::uint8_t> seen(kNumbers);
#pragma omp parallel num_threads(threads)
    {
        std::vector<std::uint8_t> seen_here(kNumbers);
#pragma omp for schedule(dynamic, 1)
        for (std::size_t p = 0; p < pieces.size(); ++p)
            for (const std::uint16_t n : pieces[p]) seen_here[n] = 1;
#pragma omp critical(mansuba_syzygy_different)
        for (std::size_t n = 0; n < kNumbers; ++n) seen[n] |= seen_here[n];
    }
    std::vector<std::uint16_t> numbers;
    for (std::size_t n = 0; n < kNumbers; ++n)
        if (seen[n]) numbers.push_back(static_cast<std::uint16_t>(n));
    return numbers;
}

struct Choice {
    std::size_t content;
    MenOrder order;
    double bits;  // estimate for a sample of the last round
};

class Exporter {
public:
    Exporter(const tablebase::Table& table, const Smaller& smaller, const ExportOptions& options)
        : table_(table),
          index_(table.index),
          options_(options),
          threads_(options.threads > 0 ? options.threads : omp_get_max_threads()) {
        files_ = index_.material().pawns() ? 4 : 1;
        sides_ = index_.material().symmetric() ? 1 : 2;
        for (int side = 0; side < sides_; ++side)
            needs_.push_back(
                find_needs(table, static_cast<Color>(side), smaller, threads_, options.stop));
    }

    Exported run() {
        Exported exported;
        exported.wdl = file_of(index_.material(), Kind::Wdl, wdl_sections());
        exported.dtz = file_of(index_.material(), Kind::Dtz, dtz_sections());
        return exported;
    }

private:
    void check_stop() const {
        if (options_.stop && options_.stop->load(std::memory_order_relaxed))
            throw Error(ErrorCode::Interrupted, "stopped");
    }

    /// Calls use(first, last) for what stands for a section of that size: all, or runs from all over it.
    template <class Use>
    static void sample(std::uint64_t size, std::uint64_t wanted, const Use& use) {
        if (size <= wanted) return use(0, size);
        const std::uint64_t runs = wanted / kSampleRun;
        for (std::uint64_t r = 0; r < runs; ++r) {
            // Not at the same place of any cycle.
            const std::uint64_t from =
                size / runs * r + (r * 0x9e3779b97f4a7c15u >> 32) % (size / runs - kSampleRun);
            use(from, from + kSampleRun);
        }
    }
    /// Bits that numbers take when they are packed, for comparing.
    static double packed_bits(Piece16 numbers) {
        std::vector<Piece16> pieces;
        pieces.push_back(std::move(numbers));
        const std::vector<std::uint16_t> kinds = different(pieces);
        PairingOptions options;
        options.max_symbols = kinds.size() + kSampleSymbols;
        options.min_count = 8;
        return pair_up(std::move(pieces), kinds, options).bits();
    }
    double estimate(const Content& content, const MenOrder& order, std::uint64_t wanted) const {
        const Numbering numbering(order);
        const Walk walk(index_, numbering);
        Piece16 numbers;
        sample(numbering.size(), wanted, [&](std::uint64_t first, std::uint64_t last) {
            const Piece16 run = content.numbers(walk, first, last);
            numbers.insert(numbers.end(), run.begin(), run.end());
        });
        return packed_bits(std::move(numbers));
    }

    /// The best order of men for one of these contents, and for which.
    Choice choose(std::span<const Content* const> contents, int file) const {
        std::vector<Choice> choices;
        for (std::size_t c = 0; c < contents.size(); ++c)
            for (const MenOrder& order : possible_orders(index_.material(), file))
                choices.push_back({c, order, 0});
        for (const Round& round : kRounds) {
            choices.resize(std::min(choices.size(), round.orders));
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads_)
            for (std::size_t i = 0; i < choices.size(); ++i)
                choices[i].bits =
                    estimate(*contents[choices[i].content], choices[i].order, round.numbers);
            std::stable_sort(choices.begin(), choices.end(),
                             [](const Choice& a, const Choice& b) { return a.bits < b.bits; });
            check_stop();
        }
        return choices.front();
    }

    /// See Fill.
    int choose_fill(const Results& results, const MenOrder& order) const {
        const Numbering numbering(order);
        const Walk walk(index_, numbering);
        std::vector<std::pair<std::uint64_t, std::vector<std::uint8_t>>> runs;
        sample(numbering.size(), kFillSample, [&](std::uint64_t first, std::uint64_t last) {
            runs.emplace_back(first, results.possible(walk, first, last));
        });
        std::array<double, kFills> bits;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads_)
        for (std::size_t fill = 0; fill < bits.size(); ++fill) {
            Piece16 numbers;
            for (const auto& [first, may] : runs) {
                numbers.resize(numbers.size() + may.size());
                fill_sets(may, first, static_cast<int>(fill), &*(numbers.end() - may.size()));
            }
            bits[fill] = packed_bits(std::move(numbers));
        }
        check_stop();
        return static_cast<int>(std::min_element(bits.begin(), bits.end()) - bits.begin());
    }

    Packed pack_section(const Content& content, const MenOrder& order, int block_bits) const {
        const Numbering numbering(order);
        const Walk walk(index_, numbering);
        const std::uint64_t size = numbering.size();
        std::vector<Piece16> pieces((size + kPieceNumbers - 1) / kPieceNumbers);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads_)
        for (std::size_t p = 0; p < pieces.size(); ++p)
            pieces[p] =
                content.numbers(walk, p * kPieceNumbers, std::min(size, (p + 1) * kPieceNumbers));
        check_stop();
        const std::vector<std::uint16_t> numbers = different(pieces, threads_);
        if (numbers.size() == 1) return single_value(static_cast<std::uint8_t>(numbers[0]));
        PairingOptions options;
        options.threads = threads_;
        return pack(pair_up(std::move(pieces), numbers, options), size, block_bits);
    }

    std::vector<WrittenSection> wdl_sections() const {
        std::vector<WrittenSection> sections;
        for (int file = 0; file < files_; ++file)
            for (int side = 0; side < sides_; ++side) {
                if (options_.on_section)
                    options_.on_section(Kind::Wdl, sections.size() + 1,
                                        static_cast<std::size_t>(files_ * sides_));
                const Needs& needs = needs_[static_cast<std::size_t>(side)];
                WrittenSection section;
                const Results plain(needs);
                const Content* const contents[] = {&plain};
                section.order = choose(contents, file).order;
                const Results content(needs, choose_fill(plain, section.order));
                section.packed = pack_section(content, section.order, kWdlBlockBits);
                sections.push_back(std::move(section));
            }
        return sections;
    }

    using Histograms = std::array<std::map<unsigned, std::uint64_t>, 5>;
    using ByFile = std::array<Histograms, 4>;  // of the leading pawn

    /// By placement: the file of the leading pawn.
    std::vector<std::uint8_t> leading_files() const {
        const int white = index_.pawns().white(), black = index_.pawns().black();
        const bool black_leads = black && (!white || black < white);
        std::vector<std::uint8_t> files;
        for (std::uint32_t placement = 0; placement < index_.pawns().size(); ++placement) {
            int file = 0;
            if (white + black) {
                MenSquares lead{};
                const auto pawns = index_.pawns().at(placement);
                const int first = black_leads ? white : 0, count = black_leads ? black : white;
                for (int i = 0; i < count; ++i)
                    lead[static_cast<std::size_t>(i)] =
                        static_cast<std::uint8_t>(pawns[static_cast<std::size_t>(first + i)]);
                file = Numbering::leading_pawn(lead, count);
            }
            files.push_back(static_cast<std::uint8_t>(file));
        }
        return files;
    }

    /// Calls use(file, cell, at) for all cells of a side to move; `at`: a place in a table of 8 rows, by
    /// Need::dtz_of(), of 256 columns, or 65536, by plies.
    template <class Use>
    void each_distance(std::size_t side, const std::vector<std::uint8_t>& files,
                       std::uint64_t block, const Use& use) const {
        const Need* const needs = needs_[side].data();
        const Numbers& plies = table_.dtz[side];
        const std::size_t file = files[block / index_.blocks_per_placement()];
        const auto each = [&](const auto* of, int bits) {
            for (std::uint64_t cell = block << 12; cell < (block + 1) << 12; ++cell)
                use(file, cell, std::size_t{needs[cell].dtz_of()} << bits | of[cell]);
        };
        if (plies.wide())
            each(plies.as<std::uint16_t>(), 16);
        else
            each(plies.as<std::uint8_t>(), 8);
    }
    static constexpr std::size_t kNeeds = 8;

    /// How often distances are needed.
    ByFile histograms(std::size_t side, const std::vector<std::uint8_t>& files) const {
        const std::size_t columns = table_.dtz[side].wide() ? 65536 : 256;
        ByFile all;
#pragma omp parallel num_threads(threads_)
        {
            std::array<std::vector<std::uint64_t>, 4> counts;
            for (int file = 0; file < files_; ++file)
                counts[static_cast<std::size_t>(file)].resize(kNeeds * columns);
#pragma omp for schedule(dynamic, 64)
            for (std::uint64_t block = 0; block < index_.blocks(); ++block)
                each_distance(
                    side, files, block,
                    [&](std::size_t file, std::uint64_t, std::size_t at) { ++counts[file][at]; });
#pragma omp critical(mansuba_syzygy_histograms)
            for (std::size_t file = 0; file < static_cast<std::size_t>(files_); ++file)
                for (unsigned code = 0; code < all[file].size(); ++code)
                    for (std::size_t d = 0; code != wdl_code::kDraw && d < columns; ++d)
                        if (const std::uint64_t n = counts[file][code * columns + d])
                            all[file][code][static_cast<unsigned>(d)] += n;
        }
        return all;
    }

    /// By file of the leading pawn: a number at each place of each_distance().
    using NumberTables = std::array<Piece16, 4>;

    template <class Number>
    void put_numbers(std::size_t side, const std::vector<std::uint8_t>& files,
                     const NumberTables& numbers, Number* out) const {
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads_)
        for (std::uint64_t block = 0; block < index_.blocks(); ++block)
            each_distance(side, files, block,
                          [&](std::size_t file, std::uint64_t cell, std::size_t at) {
                              out[cell] = static_cast<Number>(numbers[file][at]);
                          });
    }

    /// See Distances. What was needed is not known any more.
    Numbers numbered(std::size_t side, const std::vector<std::uint8_t>& files,
                     const std::vector<DistanceMaps>& maps) {
        const std::size_t columns = table_.dtz[side].wide() ? 65536 : 256;
        NumberTables numbers;
        bool wide = false;
        for (std::size_t file = 0; file < maps.size(); ++file) {
            numbers[file].assign(kNeeds * columns, Distances::kWideFree);
            for (unsigned code = 0; code <= wdl_code::kWin; ++code)
                for (unsigned d = 0; d < maps[file].distances(code); ++d)
                    numbers[file][code * columns + d] = maps[file].number(code, d);
            for (const auto& map : maps[file].maps()) wide |= map.size() > Distances::kFree;
        }
        if (wide) {
            Numbers made(index_.cells(), true);
            put_numbers(side, files, numbers, made.as<std::uint16_t>());
            return made;
        }
        // A byte each, as what was needed.
        put_numbers(side, files, numbers, reinterpret_cast<std::uint8_t*>(needs_[side].data()));
        return std::move(needs_[side]).take();
    }

    std::vector<WrittenSection> dtz_sections() {
        const std::vector<std::uint8_t> files = leading_files();
        std::vector<ByFile> counts;
        bool cursed = false;
        for (std::size_t side = 0; side < needs_.size(); ++side) {
            counts.push_back(histograms(side, files));
            for (const Histograms& h : counts.back())
                cursed |= !h[wdl_code::kCursedWin].empty() || !h[wdl_code::kBlessedLoss].empty();
        }
        const bool plies = !options_.rounded || cursed;
        std::vector<std::vector<DistanceMaps>> maps(needs_.size());  // by side and file
        std::vector<Numbers> numbers;
        for (std::size_t side = 0; side < needs_.size(); ++side) {
            for (std::size_t file = 0; file < static_cast<std::size_t>(files_); ++file)
                maps[side].emplace_back(counts[side][file], plies);
            numbers.push_back(numbered(side, files, maps[side]));
        }
        std::vector<Distances> distances(numbers.begin(), numbers.end());
        std::vector<const Content*> contents;
        for (const Distances& d : distances) contents.push_back(&d);

        std::vector<WrittenSection> sections;
        for (int file = 0; file < files_; ++file) {
            if (options_.on_section)
                options_.on_section(Kind::Dtz, sections.size() + 1,
                                    static_cast<std::size_t>(files_));
            // Of the side whose distances take less; readers look a move ahead for the other.
            const Choice choice = choose(contents, file);
            const std::size_t side = choice.content;
            const DistanceMaps& of = maps[side][static_cast<std::size_t>(file)];
            WrittenSection section;
            section.order = choice.order;
            section.packed = pack_section(distances[side], section.order, kDtzBlockBits);
            section.flags = of.flags() | (side ? Table::kBlackToMove : 0);
            if (section.flags & Table::kMapped) section.maps = of.maps();
            sections.push_back(std::move(section));
        }
        return sections;
    }

    const tablebase::Table& table_;
    const Index& index_;
    const ExportOptions& options_;
    int threads_, files_, sides_;
    std::vector<Needs> needs_;  // by side to move
};

}  // namespace

Exported export_table(const tablebase::Table& table, const Smaller& smaller,
                      const ExportOptions& options) {
    return Exporter(table, smaller, options).run();
}

}  // namespace mansuba::tablebase::syzygy

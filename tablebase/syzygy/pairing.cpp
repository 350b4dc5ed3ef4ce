#include "tablebase/syzygy/pairing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <omp.h>

namespace mansuba::tablebase::syzygy {
namespace {

/// A line of three bytes in the list of symbols.
constexpr double kSymbolBits = 24;
constexpr std::size_t kMaxBatch = 128;
constexpr std::uint16_t kNothing = 0xffff;

/// What codes for symbols take: by their entropy, but a bit at least for each symbol.
double code_bits(const std::vector<std::uint64_t>& counts) {
    double bits = 0, all = 0;
    for (const std::uint64_t c : counts) all += static_cast<double>(c);
    for (const std::uint64_t c : counts)
        if (c) {
            const double n = static_cast<double>(c);
            bits += n * std::max(1.0, std::log2(all / n));
        }
    return bits;
}

/// Pairs that become symbols in one pass. No symbol is the first of one and the second of another, so
/// occurrences do not overlap, but of a symbol with itself.
struct Batch {
    struct Pair {
        std::uint16_t left, right;
        std::uint32_t count;
    };
    std::vector<Pair> pairs;
    std::vector<std::uint8_t> row;  // by first symbol; 0: none begins with it
    std::vector<std::uint8_t> id;   // by row and second symbol: number of the pair + 1, or 0
};

/// What one thread finds while it replaces, by pair and neighbour.
struct Changes {
    std::vector<std::uint32_t> before, after;
    std::vector<std::uint64_t> replaced;  // by pair
};

class Pairing {
public:
    Pairing(std::vector<std::vector<std::uint16_t>> pieces,
            const std::vector<std::uint16_t>& numbers, const PairingOptions& options)
        : options_(options), width_(options.max_symbols) {
        paired_.pieces = std::move(pieces);
        std::vector<std::uint16_t> symbol_of(
            numbers.empty() ? 0 : *std::max_element(numbers.begin(), numbers.end()) + 1u);
        for (const std::uint16_t n : numbers) {
            symbol_of[n] = static_cast<std::uint16_t>(paired_.symbols.size());
            paired_.symbols.push_back({n, PairSymbol::kLeaf, 1});
        }
        width_ = std::max(width_, numbers.size());
        pair_counts_.resize(width_ * width_);
        paired_.counts.resize(numbers.size());
        // Pairs of numbers only, as there are no other symbols yet.
        const std::size_t kinds = numbers.size();
        in_parallel([&] {
            std::vector<std::uint64_t> counts(kinds);
            std::vector<std::uint32_t> pairs(kinds * kinds);
#pragma omp for schedule(dynamic, 1)
            for (std::size_t p = 0; p < paired_.pieces.size(); ++p) {
                std::uint16_t last = kNothing;
                for (std::uint16_t& s : paired_.pieces[p]) {
                    s = symbol_of[s];
                    ++counts[s];
                    if (last != kNothing) ++pairs[last * kinds + s];
                    last = s;
                }
            }
#pragma omp critical(mansuba_syzygy_pairing)
            for (std::size_t i = 0; i < kinds; ++i) {
                paired_.counts[i] += counts[i];
                for (std::size_t j = 0; j < kinds; ++j)
                    pair_counts_[i * width_ + j] += pairs[i * kinds + j];
            }
        });
    }

    Paired run() {
        double best_bits = paired_.bits();
        std::size_t best = paired_.symbols.size();
        int worse = 0;
        // Rows whose symbol starts no frequent pair are not looked at again until they change.
        row_max_.assign(width_, 0);
        row_changed_.assign(width_, false);
        std::fill_n(row_changed_.begin(), paired_.symbols.size(), true);
        refresh_rows();
        while (paired_.symbols.size() < options_.max_symbols && choose()) {
            replace();
            const double bits = paired_.bits();
            if (bits < best_bits) {
                best_bits = bits;
                best = paired_.symbols.size();
                worse = 0;
            } else if (++worse == 8) {
                break;
            }
        }
        take_back(best);
        return std::move(paired_);
    }

private:
    /// Calls work(), which may share loops out, by all threads.
    template <class Work>
    void in_parallel(const Work& work) const {
#pragma omp parallel num_threads(options_.threads)
        work();
    }

    void refresh_rows() {
        const std::size_t symbols = paired_.symbols.size();
        in_parallel([&] {
#pragma omp for schedule(dynamic, 64)
            for (std::size_t row = 0; row < symbols; ++row)
                if (row_changed_[row]) {
                    const std::uint32_t* const counts = pair_counts_.data() + row * width_;
                    row_max_[row] = *std::max_element(counts, counts + symbols);
                }
        });
        std::fill_n(row_changed_.begin(), symbols, false);
    }

    bool choose() {
        const std::size_t symbols = paired_.symbols.size();
        std::uint32_t top = 0;
        for (std::size_t i = 0; i < symbols; ++i) top = std::max(top, row_max_[i]);
        if (top < options_.min_count) return false;
        std::uint32_t least = std::max(options_.min_count, top - top / 3);
        auto& pairs = batch_.pairs;
        for (;;) {
            pairs.clear();
            for (std::size_t i = 0; i < symbols; ++i) {
                if (row_max_[i] < least) continue;
                const std::uint32_t* const counts = pair_counts_.data() + i * width_;
                for (std::size_t j = 0; j < symbols; ++j)
                    if (counts[j] >= least &&
                        paired_.symbols[i].values + paired_.symbols[j].values <=
                            static_cast<int>(options_.max_values))
                        pairs.push_back({static_cast<std::uint16_t>(i),
                                         static_cast<std::uint16_t>(j), counts[j]});
            }
            if (!pairs.empty()) break;
            // The most frequent ones are too long.
            if (least == options_.min_count) return false;
            least = std::max(options_.min_count, least / 2);
        }
        std::sort(pairs.begin(), pairs.end(), [](const Batch::Pair& a, const Batch::Pair& b) {
            return a.count != b.count ? a.count > b.count
                   : a.left != b.left ? a.left < b.left
                                      : a.right < b.right;
        });

        const std::size_t room = std::min(kMaxBatch, options_.max_symbols - symbols);
        std::vector<bool> is_first(symbols), is_second(symbols);
        std::size_t taken = 0;
        batch_.row.assign(symbols, 0);
        std::uint8_t rows = 0;
        for (const Batch::Pair& p : pairs) {
            if (taken == room) break;
            const bool free = !is_second[p.left] && !is_first[p.right];
            // Also what is passed over: it is counted wrong once the others are replaced.
            is_first[p.left] = true;
            is_second[p.right] = true;
            if (!free) continue;
            if (!batch_.row[p.left]) batch_.row[p.left] = ++rows;
            pairs[taken++] = p;
        }
        pairs.resize(taken);
        batch_.id.assign((std::size_t{rows} + 1) * symbols, 0);
        for (std::size_t k = 0; k < taken; ++k)
            batch_.id[batch_.row[pairs[k].left] * symbols + pairs[k].right] =
                static_cast<std::uint8_t>(k + 1);
        return true;
    }

    void replace_in(std::vector<std::uint16_t>& piece, Changes& changes) const {
        const std::size_t symbols = paired_.symbols.size();
        const auto first_new = static_cast<std::uint16_t>(symbols);
        const std::uint8_t* const row = batch_.row.data();
        const std::uint8_t* const ids = batch_.id.data();
        std::uint16_t* const d = piece.data();
        const std::size_t n = piece.size();
        std::size_t out = 0, in = 0;
        std::uint16_t last = kNothing;
        while (in + 1 < n) {
            const std::uint16_t s = d[in];
            const unsigned id = row[s] ? ids[row[s] * symbols + d[in + 1]] : 0;
            if (!id) {
                d[out++] = last = s;
                ++in;
                continue;
            }
            const std::size_t k = id - 1;
            // Symbols that this pass made may be neighbours: they lie behind the old ones.
            if (last != kNothing) ++changes.before[k * stride_ + last];
            d[out++] = last = static_cast<std::uint16_t>(first_new + k);
            in += 2;
            if (in < n) ++changes.after[k * stride_ + d[in]];
            ++changes.replaced[k];
        }
        if (in < n) d[out++] = d[in];
        piece.resize(out);
    }

    void replace() {
        const std::size_t symbols = paired_.symbols.size(), pairs = batch_.pairs.size();
        stride_ = symbols + pairs;
        changes_.resize(static_cast<std::size_t>(options_.threads));
        in_parallel([&] {
            Changes& changes = changes_[static_cast<std::size_t>(omp_get_thread_num())];
            changes.before.assign(pairs * stride_, 0);
            changes.after.assign(pairs * stride_, 0);
            changes.replaced.assign(pairs, 0);
#pragma omp for schedule(dynamic, 1)
            for (std::size_t p = 0; p < paired_.pieces.size(); ++p)
                replace_in(paired_.pieces[p], changes);
        });

        paired_.counts.resize(stride_);
        for (std::size_t k = 0; k < pairs; ++k) {
            const Batch::Pair& p = batch_.pairs[k];
            const std::size_t made = symbols + k;
            paired_.symbols.push_back(
                {p.left, p.right,
                 static_cast<std::uint16_t>(paired_.symbols[p.left].values +
                                            paired_.symbols[p.right].values)});
            for (Changes& c : changes_) {
                paired_.counts[p.left] -= c.replaced[k];
                paired_.counts[p.right] -= c.replaced[k];
                paired_.counts[made] += c.replaced[k];
                for (std::size_t j = 0; j < stride_; ++j) {
                    if (const std::uint32_t n = c.before[k * stride_ + j]) {
                        pair_counts_[j * width_ + p.left] -= n;
                        pair_counts_[j * width_ + made] += n;
                        row_changed_[j] = true;
                    }
                    if (const std::uint32_t n = c.after[k * stride_ + j]) {
                        pair_counts_[p.right * width_ + j] -= n;
                        pair_counts_[made * width_ + j] += n;
                    }
                }
            }
            row_changed_[p.right] = row_changed_[p.left] = row_changed_[made] = true;
        }
        for (const Batch::Pair& p : batch_.pairs) pair_counts_[p.left * width_ + p.right] = 0;
        refresh_rows();
    }

    /// Symbols from `keep` on become what they were made of.
    void take_back(std::size_t keep) {
        if (keep == paired_.symbols.size()) return;
        std::vector<std::vector<std::uint16_t>> made_of(paired_.symbols.size());
        for (std::size_t s = 0; s < made_of.size(); ++s) {
            if (s < keep) {
                made_of[s] = {static_cast<std::uint16_t>(s)};
                continue;
            }
            made_of[s] = made_of[paired_.symbols[s].left];
            const auto& right = made_of[paired_.symbols[s].right];
            made_of[s].insert(made_of[s].end(), right.begin(), right.end());
        }
        paired_.symbols.resize(keep);
        paired_.counts.assign(keep, 0);
        for (auto& piece : paired_.pieces) {
            std::vector<std::uint16_t> back;
            back.reserve(piece.size());
            for (const std::uint16_t s : piece)
                back.insert(back.end(), made_of[s].begin(), made_of[s].end());
            piece = std::move(back);
            for (const std::uint16_t s : piece) ++paired_.counts[s];
        }
    }

    PairingOptions options_;
    std::size_t width_, stride_ = 0;
    Paired paired_;
    std::vector<std::uint32_t> pair_counts_;  // by left and right
    std::vector<std::uint32_t> row_max_;      // by left
    std::vector<bool> row_changed_;
    Batch batch_;
    std::vector<Changes> changes_;
};

}  // namespace

double Paired::bits() const {
    return code_bits(counts) + kSymbolBits * static_cast<double>(symbols.size());
}

Paired pair_up(std::vector<std::vector<std::uint16_t>> pieces,
               const std::vector<std::uint16_t>& numbers, const PairingOptions& options) {
    return Pairing(std::move(pieces), numbers, options).run();
}

}  // namespace mansuba::tablebase::syzygy

// Probes and stores by one thread, in a table that fits the caches and in one that does not.
#include <string>

#include "benchmarks/checked.hpp"
#include "benchmarks/perft/benchmarks.hpp"
#include "perft/hash_table.hpp"

namespace mansuba::bench {
namespace {

constexpr int kDepth = 3;

/// So many entries, a power of two, in an order that no prefetcher follows. The top bits of a key
/// choose the bucket, and here no two keys have the same: with a bucket for each, all are kept.
class Entries {
public:
    explicit Entries(int log2_size) : log2_size_(log2_size) {}

    std::uint64_t size() const { return std::uint64_t{1} << log2_size_; }
    std::uint64_t key(std::uint64_t i) const {
        return (i * kOdd) << (64 - log2_size_) | (i * kOdd * kOdd) >> log2_size_;
    }
    static perft::PackedBoard board(std::uint64_t i) { return {i, ~i, i * kOdd}; }
    static perft::PackedBoard absent_board(std::uint64_t i) { return {i, ~i, ~(i * kOdd)}; }
    static std::uint64_t count(std::uint64_t i) { return i + 1; }

private:
    static constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio
    int log2_size_;
};

void store_all(perft::HashTable& table, const Entries& entries) {
    for (std::uint64_t i = 0; i < entries.size(); ++i)
        table.store(entries.key(i), Entries::board(i), kDepth, Entries::count(i));
}

template <bool kPresent>
std::uint64_t find_all(const perft::HashTable& table, const Entries& entries) {
    std::uint64_t found = 0;
    for (std::uint64_t i = 0; i < entries.size(); ++i) {
        std::uint64_t count = 0;
        const perft::PackedBoard board = kPresent ? Entries::board(i) : Entries::absent_board(i);
        found += table.find(entries.key(i), board, kDepth, count) && count == Entries::count(i);
    }
    return found;
}

template <bool kPresent>
void run_find(benchmark::State& state, std::uint64_t bytes, int log2_size) {
    const Entries entries(log2_size);
    perft::HashTable table(bytes);
    store_all(table, entries);
    for (auto _ : state)
        if (!is_expected(state, find_all<kPresent>(table, entries), kPresent ? entries.size() : 0))
            return;
    set_rate(state, "probes_per_second", entries.size());
}

void run_store(benchmark::State& state, std::uint64_t bytes, int log2_size) {
    const Entries entries(log2_size);
    perft::HashTable table(bytes);
    store_all(table, entries);  // takes the pages from the system
    for (auto _ : state) store_all(table, entries);
    if (!is_expected(state, find_all<true>(table, entries), entries.size())) return;
    set_rate(state, "stores_per_second", entries.size());
}

}  // namespace

void register_hash_table() {
    struct Size {
        const char* name;
        std::uint64_t bytes;
        int log2_entries;  // a quarter of the buckets
    };
    for (const Size& s : {Size{"256KiB", std::uint64_t{256} << 10, 10},
                          Size{"256MiB", std::uint64_t{256} << 20, 20}}) {
        const auto add = [&s](const std::string& name, auto function) {
            benchmark::RegisterBenchmark(("hash_table/" + name + '/' + s.name).c_str(), function,
                                         s.bytes, s.log2_entries)
                ->Unit(benchmark::kMicrosecond);
        };
        add("find_present", run_find<true>);
        add("find_absent", run_find<false>);
        add("store", run_store);
    }
}

}  // namespace mansuba::bench

// Values of random positions from table files: result and both distances of each.
#include <memory>
#include <random>
#include <vector>

#include "benchmarks/checked.hpp"
#include "benchmarks/tablebase/benchmarks.hpp"
#include "mansuba/probe.h"
#include "tablebase/hdf5/table_file.hpp"
#include "tablebase/probe.hpp"

namespace mansuba::bench {
namespace {

using tablebase::probe;
using tablebase::Value;
using tablebase::hdf5::TableFiles;

/// Legal positions of a known table in random order, and what a table in memory says of them all.
struct Sample {
    std::vector<Position> positions;
    std::uint64_t sum = 0;
};

std::uint64_t digest(int wdl, int dtz, int dtm) {
    return static_cast<std::uint64_t>((wdl + 2) * 1'000'000 + (dtz + 500) * 1'000 + (dtm + 500));
}
std::uint64_t digest(const Value& v) { return digest(static_cast<int>(v.wdl), v.dtz, v.dtm); }

Sample sample(const KnownTable& known, std::size_t count) {
    const tablebase::Table& t = table(tablebase::Material::parse(known.name));
    std::mt19937_64 random(1);
    Sample s;
    while (s.positions.size() < count) {
        const auto side = static_cast<Color>(random() % 2);
        const auto position = tablebase::position_at(t.index, side, random() % t.index.cells());
        if (!position) continue;
        s.positions.push_back(*position);
        s.sum += digest(probe(*position, [&t](const auto&) { return &t; }));
    }
    return s;
}

/// Calls value_of(position number) for all positions with so many threads; the sum of digests.
template <class ValueOf>
std::uint64_t sum_of(std::size_t count, int threads, ValueOf&& value_of) {
    std::uint64_t sum = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : sum)
    for (std::size_t i = 0; i < count; ++i) sum += value_of(i);
    return sum;
}

constexpr std::size_t kManyPositions = std::size_t{1} << 15, kSomePositions = 64;

/// All chunks are in the cache.
void run_warm(benchmark::State& state, const KnownTable& known, int threads) {
    const Sample s = sample(known, kManyPositions);
    TableFiles files(directory());
    const tablebase::Lookup lookup = files.lookup();
    const auto all = [&] {
        return sum_of(s.positions.size(), threads,
                      [&](std::size_t i) { return digest(probe(s.positions[i], lookup)); });
    };
    if (!is_expected(state, all(), s.sum)) return;
    for (auto _ : state)
        if (!is_expected(state, all(), s.sum)) return;
    set_rate(state, "probes_per_second", s.positions.size());
}

mansuba_position plain(const Position& position) {
    mansuba_position p{};
    p.white = position.of(Color::White);
    p.black = position.of(Color::Black);
    p.pawns = position.of(PieceType::Pawn);
    p.knights = position.of(PieceType::Knight);
    p.bishops = position.of(PieceType::Bishop);
    p.rooks = position.of(PieceType::Rook);
    p.queens = position.of(PieceType::Queen);
    p.kings = position.of(PieceType::King);
    p.black_to_move = position.side_to_move() == Color::Black;
    return p;
}

struct Close {
    void operator()(mansuba_tables* tables) const { mansuba_close(tables); }
};

/// The same by mansuba/probe.h, which looks first whether the position is legal.
void run_warm_c(benchmark::State& state, const KnownTable& known, int threads) {
    const Sample s = sample(known, kManyPositions);
    std::vector<mansuba_position> positions;
    for (const Position& p : s.positions) positions.push_back(plain(p));
    mansuba_tables* opened = nullptr;
    if (mansuba_open(directory().c_str(), 0, &opened) != MANSUBA_OK)
        return fail(state, mansuba_error_message());
    const std::unique_ptr<mansuba_tables, Close> tables(opened);
    const auto all = [&] {
        return sum_of(positions.size(), threads, [&](std::size_t i) {
            mansuba_value v{};
            if (mansuba_probe(tables.get(), &positions[i], &v) != MANSUBA_OK)
                return std::uint64_t{0};
            return digest(v.wdl, v.dtz, v.dtm == MANSUBA_NO_MATE ? 0 : v.dtm);
        });
    };
    if (!is_expected(state, all(), s.sum)) return;
    for (auto _ : state)
        if (!is_expected(state, all(), s.sum)) return;
    set_rate(state, "probes_per_second", positions.size());
}

/// An open file, but nothing of it in the cache: each value is a chunk read, checked and decompressed.
void run_cold(benchmark::State& state, const KnownTable& known, int threads) {
    const Sample s = sample(known, kSomePositions);
    TableFiles files(directory(), 1);
    const tablebase::Lookup lookup = files.lookup();
    for (auto _ : state) {
        const std::uint64_t sum = sum_of(s.positions.size(), threads, [&](std::size_t i) {
            return digest(probe(s.positions[i], lookup));
        });
        if (!is_expected(state, sum, s.sum)) return;
    }
    set_rate(state, "probes_per_second", s.positions.size());
}

/// Each probe opens the directory and the file anew.
void run_open(benchmark::State& state, const KnownTable& known) {
    const Sample s = sample(known, kSomePositions);
    directory();
    for (auto _ : state) {
        const std::uint64_t sum = sum_of(s.positions.size(), 1, [&](std::size_t i) {
            TableFiles files(directory());
            return digest(probe(s.positions[i], files.lookup()));
        });
        if (!is_expected(state, sum, s.sum)) return;
    }
    set_rate(state, "probes_per_second", s.positions.size());
}

}  // namespace

void register_probe() {
    for_threads([](const std::string& name, int threads) {
        for (const KnownTable& known : kTables) {
            add("probe_warm/" + name + '/' + known.name, benchmark::kMillisecond, run_warm, known,
                threads);
            add("probe_warm_c/" + name + '/' + known.name, benchmark::kMillisecond, run_warm_c,
                known, threads);
            add("probe_cold/" + name + '/' + known.name, benchmark::kMillisecond, run_cold, known,
                threads);
        }
    });
    for (const KnownTable& known : kTables)
        add(std::string("probe_open/1_thread/") + known.name, benchmark::kMillisecond, run_open,
            known);
}

}  // namespace mansuba::bench

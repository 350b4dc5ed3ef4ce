#include <algorithm>
#include <iostream>
#include <map>

#include <fmt/format.h>

#include "cli/tables.hpp"
#include "core/error.hpp"
#include "tablebase/builder.hpp"

namespace mansuba::cli {
namespace {

struct PlanOptions {
    CommonOptions common;
    MaterialOptions materials;
    std::string metrics = "wdl,dtz,dtm";
    int ranks = 1;
};

/// Cells built a second by one thread, and stored, as benchmarks/README.md has them for one core of
/// a server; what a cell of a stored metric takes compressed. Rough: they differ by endgame.
constexpr double kBuiltPerSecond = 60e6, kStoredPerSecond = 100e6, kStoredBytesPerCell = 0.05;

int run_plan(const PlanOptions& options) {
    using namespace tablebase;
    const std::vector<Material> wanted = options.materials.materials();
    if (wanted.empty())
        throw Error(ErrorCode::Usage, "which endgames?", "name some, like KRPvKR, or give --men N");
    const Metrics metrics = Metrics::parse(options.metrics);
    const std::vector<Material> all = closure(wanted);
    const int threads = options.common.threads > 0 ? options.common.threads : 1;

    nlohmann::ordered_json tables = nlohmann::ordered_json::array();
    // A rank builds whole tables, so ranks help as far as tables do not wait for each other.
    double work_seconds = 0, chain_seconds = 0;
    std::map<Material, double> finished_after;
    std::uint64_t memory = 0, disk = 0, raw = 0, positions = 0;
    for (const Material& m : all) {
        const Estimate e = estimate(m, metrics);
        const double s = (static_cast<double>(e.positions) / kBuiltPerSecond +
                          static_cast<double>(e.raw_bytes) / kStoredPerSecond) /
                         threads;
        double ready = 0;
        for (const Material& needed : m.successors())
            ready = std::max(ready, finished_after[needed]);
        finished_after[m] = ready + s;
        chain_seconds = std::max(chain_seconds, ready + s);
        const auto bytes =
            static_cast<std::uint64_t>(static_cast<double>(e.raw_bytes) * kStoredBytesPerCell);
        memory = std::max(memory, e.memory_bytes);
        disk += bytes;
        raw += e.raw_bytes;
        positions += e.positions;
        work_seconds += s;
        if (options.common.json || std::find(wanted.begin(), wanted.end(), m) != wanted.end())
            tables.push_back({{"material", m.name()},
                              {"positions", std::to_string(e.positions)},
                              {"memory_bytes", e.memory_bytes},
                              {"raw_bytes", e.raw_bytes},
                              {"disk_bytes", bytes},
                              {"seconds", s}});
    }
    const double seconds = std::max(work_seconds / options.ranks, chain_seconds);
    // Twice the time, as the rates are rough; memory is each rank's.
    const auto minutes = static_cast<std::uint64_t>(seconds * 2 / 60) + 10;
    std::string names;
    for (const Material& m : wanted) names += " " + m.name();
    const std::string command = fmt::format(
        "sbatch --ntasks={} --ntasks-per-node=1 --cpus-per-task={} --mem={}G --time={}:{:02}:00 "
        "slurm/build.sbatch{} --metrics {}",
        options.ranks, threads, (memory >> 30) + 1, minutes / 60, minutes % 60, names,
        metrics.names());
    if (options.common.json) {
        print_json({{"tables", tables},
                    {"ranks", options.ranks},
                    {"threads", threads},
                    {"positions", std::to_string(positions)},
                    {"memory_bytes", memory},  // of each rank
                    {"exchanged_bytes", 0},    // tables travel through the shared directory
                    {"raw_bytes", raw},
                    {"disk_bytes", disk},
                    {"seconds", seconds},
                    {"sbatch", command}});
        return kDone;
    }
    for (const auto& t : tables)
        std::cout << fmt::format("{}: {} positions, memory {}, disk about {}, about {}\n",
                                 t["material"].get<std::string>(),
                                 t["positions"].get<std::string>(),
                                 size_text(t["memory_bytes"].get<std::uint64_t>()),
                                 size_text(t["disk_bytes"].get<std::uint64_t>()),
                                 duration_text(t["seconds"].get<double>()));
    std::cout << fmt::format(
        "with all {} tables that are needed: peak memory {} a rank, disk about {}, about {} with "
        "{} "
        "rank{} "
        "of {} thread{}\n{}\n",
        all.size(), size_text(memory), size_text(disk), duration_text(seconds), options.ranks,
        options.ranks == 1 ? "" : "s", threads, threads == 1 ? "" : "s", command);
    return kDone;
}

}  // namespace

Runner add_plan(CLI::App& program) {
    const auto options = std::make_shared<PlanOptions>();
    CLI::App& c = *program.add_subcommand(
        "plan", "Memory, disk and time that building tables would take, and the job that does it");
    options->materials.add_to(c);
    c.add_option("--metrics", options->metrics,
                 "What to store, of wdl, dtz and dtm (default: all)");
    c.add_option("--ranks", options->ranks, "Processes that share the work")
        ->check(CLI::Range(1, 1 << 20));
    options->common.add_to(c);
    return [options] { return run_plan(*options); };
}

}  // namespace mansuba::cli

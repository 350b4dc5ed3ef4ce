#include <iostream>
#include <omp.h>

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include "cli/job.hpp"
#include "cli/status_line.hpp"
#include "cli/tables.hpp"
#include "cluster/build.hpp"
#include "core/error.hpp"
#include "mansuba/version.hpp"
#include "tablebase/builder.hpp"
#include "tablebase/hdf5/table_store.hpp"
#include "tablebase/solver.hpp"

namespace mansuba::cli {
namespace {

struct BuildCommandOptions {
    CommonOptions common;
    MaterialOptions materials;
    std::string out, metrics = "wdl,dtz,dtm", memory, rules = "fide";
    int level = 6;
    double checkpoint_interval_s = 600;
    bool resume = false, force = false;
};

std::uint64_t peak_memory_bytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) << 10;
}

int run_build(const BuildCommandOptions& options) {
    using namespace tablebase;
    const std::vector<Material> materials = options.materials.materials();
    if (materials.empty())
        throw Error(ErrorCode::Usage, "which endgames?", "name some, like KRPvKR, or give --men N");
    const std::filesystem::path out = tables_directory(options.out);
    const std::string simd = options.common.simd_target();
    const std::string target(solver_target(simd).name);

    hdf5::TableDirectory::Options storing;
    storing.level = options.level;
    storing.threads = options.common.threads;
    storing.simd = simd;
    storing.generator = fmt::format("mansuba {} ({})", kVersion, kCommit);
    storing.rules = RuleSet::load(options.rules);
    hdf5::TableDirectory store(out, storing);

    const int threads = options.common.threads > 0 ? options.common.threads : omp_get_max_threads();
    CommonOptions common = options.common;
    common.quiet |= Job::helps();
    StatusLine status(common);
    BuildOptions build_options;
    build_options.metrics = Metrics::parse(options.metrics);
    build_options.rules = *storing.rules;
    build_options.threads = threads;
    build_options.simd = simd;
    build_options.memory_bytes = options.memory.empty() ? 0 : parse_size(options.memory);
    build_options.resume = !options.force;
    build_options.checkpoints = out;
    build_options.checkpoint_seconds = options.checkpoint_interval_s;
    build_options.stop = &stop_requested;
    std::string_view pass;
    double start = 0;
    std::uint64_t done_before = 0;
    build_options.on_event = [&](const BuildOptions::Event& e) {
        const std::string head = fmt::format("[{}/{}] {}", e.number, e.of, e.material.name());
        switch (e.kind) {
            case BuildOptions::Event::Skipped: break;
            case BuildOptions::Event::Started:
                pass = {};
                status.show(head + ": building");
                break;
            case BuildOptions::Event::Resumed:
                status.line(head + ": goes on from its checkpoint");
                break;
            case BuildOptions::Event::Progress: {
                const BuildProgress& p = e.progress;
                if (pass != p.pass) pass = p.pass, start = omp_get_wtime(), done_before = p.done;
                if (p.of == 1) {
                    if (p.ply) status.show(fmt::format("{}: {}, ply {}", head, p.part, p.ply));
                    break;
                }
                std::string left;
                if (p.done > done_before)
                    left = ", " +
                           duration_text((omp_get_wtime() - start) *
                                         static_cast<double>(p.of - p.done) /
                                         static_cast<double>(p.done - done_before)) +
                           " left";
                status.show(fmt::format("{}: {} {}%{}", head, p.pass, 100 * p.done / p.of, left));
                break;
            }
            case BuildOptions::Event::Storing:
                status.show(fmt::format("{}: built in {}, storing", head,
                                        duration_text(e.generate_seconds)));
                break;
            case BuildOptions::Event::Finished:
                status.line(fmt::format("{}: built in {}, stored in {}, {}", head,
                                        duration_text(e.generate_seconds),
                                        duration_text(e.store_seconds), size_text(e.bytes)));
                break;
        }
    };

    BuildResult result;
    const double started = omp_get_wtime();
    try {
        if (Job::helps()) {
            if (const auto code =
                    cluster::help_build(materials, store, build_options, *Job::transport()))
                Job::finished_with(*code);
            return kDone;
        }
        result = Job::transport()
                     ? cluster::build(materials, store, build_options, *Job::transport())
                     : build(materials, store, build_options);
    } catch (const Error& e) {
        if (e.code() != ErrorCode::Interrupted) throw;
        status.clear();
        throw Error(ErrorCode::Interrupted, "stopped, resume with the same command",
                    "finished tables and checkpoints are in " + out.string());
    }
    const double seconds = omp_get_wtime() - started;
    status.clear();

    std::uint64_t bytes = 0, positions = 0;
    std::size_t skipped = 0;
    for (const BuiltTable& t : result.tables) {
        bytes += t.bytes;
        positions += t.positions;
        skipped += t.skipped;
    }
    if (options.common.json) {
        nlohmann::ordered_json tables = nlohmann::ordered_json::array();
        for (const BuiltTable& t : result.tables)
            tables.push_back({{"material", t.material.name()},
                              {"skipped", t.skipped},
                              {"positions", t.positions},
                              {"generate_seconds", t.generate_seconds},
                              {"store_seconds", t.store_seconds},
                              {"bytes", t.bytes}});
        print_json({{"out", out.string()},
                    {"metrics", build_options.metrics.names()},
                    {"rules", build_options.rules.name()},
                    {"threads", threads},
                    {"ranks", Job::ranks()},
                    {"simd", target},
                    {"tables", tables},
                    {"positions", positions},
                    {"seconds", seconds},  // by the clock, all in all
                    {"generate_seconds", result.generate_seconds},
                    {"store_seconds", result.store_seconds},
                    {"peak_memory_bytes", peak_memory_bytes()},
                    {"bytes", bytes}});
        return kDone;
    }
    std::cout << fmt::format(
        "{} table{} in {} ({} there already): built in {}, stored in {}, {}, peak memory {}, {}\n",
        result.tables.size() - skipped, result.tables.size() - skipped == 1 ? "" : "s",
        out.string(), skipped, duration_text(result.generate_seconds),
        duration_text(result.store_seconds), size_text(bytes), size_text(peak_memory_bytes()),
        target);
    return kDone;
}

}  // namespace

Runner add_build(CLI::App& program) {
    const auto options = std::make_shared<BuildCommandOptions>();
    CLI::App& c = *program.add_subcommand(
        "build", "Build endgame tables, and first those that they turn into");
    options->materials.add_to(c);
    c.add_option("--out", options->out,
                 "Directory of the tables (default: $MANSUBA_TABLES, else ./tables)")
        ->check(not_empty);
    c.add_option("--metrics", options->metrics,
                 "What to store, of wdl, dtz, dtm (default: these three), wdl75, dtz75, winnable, "
                 "dth and dtm50");
    c.add_option(
        "--rules", options->rules,
        "When a draw may be claimed: fide (default), none, fide1988, fide1984, codex, or a "
        "file; see tablebase/rules");
    c.add_option("--memory,--memory-per-rank", options->memory,
                 "Refuse to start what would take more memory than this, of each rank")
        ->check(not_empty);
    c.add_option("--level", options->level, "Compression, 1 (fast) to 12 (small); default 6")
        ->check(CLI::Range(1, 12));
    add_checkpoint_interval(c, options->checkpoint_interval_s,
                            "Seconds between checkpoints of a table in work (default 600)");
    c.add_flag("--resume", options->resume,
               "Go on after a stop; finished tables are never built anew without --force");
    c.add_flag("--force", options->force, "Build anew what is there already")->excludes("--resume");
    options->common.add_to(c);
    return [options] { return run_build(*options); };
}

}  // namespace mansuba::cli

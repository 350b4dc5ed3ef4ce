#include <chrono>
#include <iostream>
#include <omp.h>

#include <fmt/format.h>

#include "cli/status_line.hpp"
#include "cli/tables.hpp"
#include "core/error.hpp"
#include "core/file.hpp"
#include "tablebase/hdf5/table_store.hpp"
#include "tablebase/syzygy/exporter.hpp"

namespace mansuba::cli {
namespace {

struct ExportCommandOptions {
    CommonOptions common;
    MaterialOptions materials;
    std::string tables, out;
    bool rounded = false;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int run_export(const ExportCommandOptions& options) {
    using namespace tablebase;
    const std::vector<Material> materials = options.materials.materials();
    if (materials.empty())
        throw Error(ErrorCode::Usage, "which endgames?", "name some, like KRPvKR, or give --men N");
    hdf5::TableDirectory::Options reading;
    reading.rules = RuleSet();  // Syzygy files know no others
    hdf5::TableDirectory store(tables_directory(options.tables), reading);
    const std::filesystem::path out = options.out;
    const int threads = options.common.threads > 0 ? options.common.threads : omp_get_max_threads();

    // What is needed has to be there before hours of work begin.
    const auto require = [&](const Material& m, Metrics metrics) {
        const Metrics there = store.metrics(m);
        if (there == Metrics())
            throw Error(ErrorCode::Input, "needs " + m.name(), "mansuba build " + m.name());
        if (!there.contains(metrics))
            throw Error(ErrorCode::Input, m.name() + " was built without " + metrics.names(),
                        "mansuba build --force " + m.name());
    };
    for (const Material& m : materials) {
        require(m, {Metric::Wdl, Metric::Dtz});
        for (const Material& s : m.successors())
            if (s != Material()) require(s, {Metric::Wdl});
    }
    std::error_code error;
    std::filesystem::create_directories(out, error);
    if (!std::filesystem::is_directory(out, error))
        throw Error(ErrorCode::File, "cannot make the directory", out.string());

    StatusLine status(options.common);
    const auto begin = std::chrono::steady_clock::now();
    std::map<Material, std::unique_ptr<Table>> loaded;  // results of smaller tables
    nlohmann::ordered_json files = nlohmann::ordered_json::array();
    std::uint64_t bytes = 0;
    try {
        for (std::size_t i = 0; i < materials.size(); ++i) {
            const Material& m = materials[i];
            const auto start = std::chrono::steady_clock::now();
            const std::string head = fmt::format("[{}/{}] {}", i + 1, materials.size(), m.name());
            status.show(head + ": reading");
            const std::vector<Material> needed = m.successors();
            std::erase_if(loaded, [&](const auto& held) {
                return std::find(needed.begin(), needed.end(), held.first) == needed.end();
            });
            for (const Material& s : needed)
                if (s != Material() && !loaded[s])
                    loaded[s] = std::make_unique<Table>(store.load(s, {Metric::Wdl}));
            const Table table = store.load(m, {Metric::Wdl, Metric::Dtz});

            syzygy::ExportOptions exporting;
            exporting.threads = threads;
            exporting.rounded = options.rounded;
            exporting.stop = &stop_requested;
            exporting.on_section = [&](syzygy::Kind kind, std::size_t number, std::size_t of) {
                status.show(fmt::format("{}: {} {} of {}", head, syzygy::suffix(kind), number, of));
            };
            const syzygy::Exported exported = syzygy::export_table(
                table, [&](const Material& s) -> const Table* { return loaded.at(s).get(); },
                exporting);
            for (const auto kind : {syzygy::Kind::Wdl, syzygy::Kind::Dtz}) {
                const auto& content = kind == syzygy::Kind::Wdl ? exported.wdl : exported.dtz;
                write_file_atomically(out / (m.name() + std::string(syzygy::suffix(kind))),
                                      content);
                bytes += content.size();
            }
            status.line(fmt::format("{}: {} and {} in {}", head, size_text(exported.wdl.size()),
                                    size_text(exported.dtz.size()),
                                    duration_text(seconds_since(start))));
            files.push_back({{"material", m.name()},
                             {"wdl_bytes", exported.wdl.size()},
                             {"dtz_bytes", exported.dtz.size()},
                             {"seconds", seconds_since(start)}});
        }
    } catch (const Error& e) {
        if (e.code() != ErrorCode::Interrupted) throw;
        status.clear();
        throw Error(ErrorCode::Interrupted, "stopped, resume with the endgames that are left",
                    "finished files are in " + out.string());
    }
    status.clear();
    if (options.common.json) {
        print_json({{"out", out.string()},
                    {"rounded", options.rounded},
                    {"threads", threads},
                    {"tables", files},
                    {"seconds", seconds_since(begin)},
                    {"bytes", bytes}});
        return kDone;
    }
    std::cout << fmt::format("{} Syzygy file{} in {}: {} in {}\n", 2 * materials.size(), "s",
                             out.string(), size_text(bytes), duration_text(seconds_since(begin)));
    return kDone;
}

}  // namespace

Runner add_export(CLI::App& program) {
    const auto options = std::make_shared<ExportCommandOptions>();
    CLI::App& command =
        *program.add_subcommand("export", "Write tables in formats that other programs read");
    command.require_subcommand(1);
    CLI::App& c =
        *command.add_subcommand("syzygy", "Write .rtbw and .rtbz files, which chess engines read");
    options->materials.add_to(c);
    c.add_option("--tables", options->tables,
                 "Directory of the tables (default: $MANSUBA_TABLES, else ./tables)")
        ->check(not_empty);
    c.add_option("--out", options->out, "Directory for the files (default: ./syzygy)")
        ->default_str("")
        ->check(not_empty);
    options->out = "syzygy";
    c.add_flag("--rounded", options->rounded,
               "Distances in moves instead of plies where no win depends on the difference, as "
               "the classic files have them: smaller");
    options->common.add_to(c);
    return [options] { return run_export(*options); };
}

}  // namespace mansuba::cli

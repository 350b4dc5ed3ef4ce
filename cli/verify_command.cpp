#include <iostream>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "cli/status_line.hpp"
#include "cli/tables.hpp"
#include "core/error.hpp"
#include "tablebase/hdf5/table_file.hpp"
#include "tablebase/hdf5/table_store.hpp"
#include "tablebase/syzygy/compare.hpp"
#include "tablebase/verify.hpp"

namespace mansuba::cli {
namespace {

struct VerifyCommandOptions {
    CommonOptions common;
    MaterialOptions materials;
    std::string tables, against;
    std::uint64_t sample = 0, seed = 1;
};

int run_verify(const VerifyCommandOptions& options) {
    using namespace tablebase;
    const std::filesystem::path directory = tables_directory(options.tables);
    std::vector<Material> materials = options.materials.materials();
    if (materials.empty()) {  // whatever is there
        for (const Material& m : materials_up_to(Material::kMaxMen)) {
            std::error_code error;
            if (std::filesystem::exists(hdf5::table_path(directory, m), error))
                materials.push_back(m);
        }
        if (materials.empty()) throw Error(ErrorCode::Input, "no tables", directory.string());
    }
    std::optional<syzygy::Directory> files;
    if (!options.against.empty()) {
        constexpr std::string_view prefix = "syzygy:";
        if (options.against.compare(0, prefix.size(), prefix) != 0)
            throw Error(ErrorCode::Usage, "compare with what?", "--against syzygy:DIR");
        files.emplace(options.against.substr(prefix.size()));
    }
    hdf5::TableDirectory store(directory);
    StatusLine status(options.common);
    // Whole tables in memory, as their positions are asked for in every order; a sample reads only what it
    // asks for, so that tables larger than the memory can be looked at.
    hdf5::TableFiles sampled(directory);
    std::map<Material, std::unique_ptr<Table>> loaded;
    const auto table_of = [&](const Material& m) -> const Values* {
        if (options.sample) return sampled.find(m);
        auto& slot = loaded[m];
        if (!slot) {
            const Metrics metrics = store.metrics(m);
            if (metrics == Metrics()) return nullptr;
            slot = std::make_unique<Table>(store.load(m, metrics));
        }
        return slot.get();
    };

    bool ok = true;
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < materials.size(); ++i) {
        const Material& m = materials[i];
        const std::string head = fmt::format("[{}/{}] {}", i + 1, materials.size(), m.name());
        status.show(head + ": checksums");
        if (!std::filesystem::exists(hdf5::table_path(directory, m)))
            throw Error(ErrorCode::Input, "needs " + m.name(), "mansuba build " + m.name());
        hdf5::verify_file(hdf5::table_path(directory, m));
        // What another endgame needed stays only if this one needs it too.
        const std::vector<Material> needed = m.successors();
        std::erase_if(loaded, [&](const auto& held) {
            return std::find(needed.begin(), needed.end(), held.first) == needed.end();
        });
        if (!files)
            for (const Material& s : needed)
                if (s != Material()) table_of(s);
        VerifyOptions verifying;
        verifying.sample = options.sample;
        verifying.seed = options.seed;
        verifying.threads = options.common.threads;
        verifying.stop = &stop_requested;
        verifying.on_progress = [&](std::uint64_t done, std::uint64_t of) {
            status.show(fmt::format("{}: {:.1f}%", head,
                                    100.0 * static_cast<double>(done) / static_cast<double>(of)));
        };
        const Values* table = table_of(m);
        const Lookup lookup = [&](const Material& s) -> const Values* {
            if (options.sample) return sampled.find(s);
            const auto found = loaded.find(s);
            return found == loaded.end() ? nullptr : found->second.get();
        };
        const VerifyReport report =
            files ? syzygy::compare(*table, *files, verifying) : verify(*table, lookup, verifying);
        status.line(fmt::format("{}: {} positions, {} faults", head, with_commas(report.positions),
                                report.faults));
        ok &= report.ok();
        nlohmann::ordered_json faults = nlohmann::ordered_json::array();
        for (const Fault& f : report.first_faults)
            faults.push_back({{"fen", f.fen}, {"expected", f.expected}, {"found", f.found}});
        if (!options.common.json) {
            std::cout << fmt::format(
                "{}: {} positions{}, {}\n", m.name(), with_commas(report.positions),
                files ? " compared"
                      : fmt::format(", {} mates, {} stalemates", with_commas(report.mates),
                                    with_commas(report.stalemates)),
                report.ok() ? "all right" : fmt::format("{} WRONG", report.faults));
            for (const Fault& f : report.first_faults)
                std::cout << fmt::format("  {}: {}, not {}\n", f.fen, f.expected, f.found);
        }
        all.push_back({{"material", m.name()},
                       {"positions", report.positions},
                       {"mates", report.mates},
                       {"stalemates", report.stalemates},
                       {"faults", report.faults},
                       {"first_faults", faults}});
    }
    status.clear();
    if (options.common.json) print_json({{"ok", ok}, {"tables", all}});
    return ok ? kDone : kCheckFailed;
}

}  // namespace

Runner add_verify(CLI::App& program) {
    const auto options = std::make_shared<VerifyCommandOptions>();
    CLI::App& c = *program.add_subcommand(
        "verify",
        "Check tables: checksums, then every value against those of the positions after its moves");
    options->materials.add_to(c);
    c.add_option("--tables", options->tables,
                 "Directory of the tables (default: $MANSUBA_TABLES, else ./tables)")
        ->check(not_empty);
    c.add_option(
         "--against", options->against,
         "syzygy:DIR compares with Syzygy files instead: results, and distances to zeroing up "
         "to the rounding that a file says it has")
        ->check(not_empty);
    c.add_option("--sample", options->sample,
                 "So many positions of each table, drawn at random, instead of all");
    c.add_option("--seed", options->seed, "Which positions --sample draws (default 1)");
    options->common.add_to(c);
    return [options] { return run_verify(*options); };
}

}  // namespace mansuba::cli

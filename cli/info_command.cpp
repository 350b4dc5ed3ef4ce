#include <iostream>
#include <omp.h>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/job.hpp"
#include "core/cpu.hpp"
#include "mansuba/version.hpp"
#include "perft/kernel.hpp"
#include "tablebase/hdf5/version.hpp"

namespace mansuba::cli {
namespace {

int run_info(const CommonOptions& options) {
    const Memory m = memory();
    const perft::Kernel& used = perft::kernel(options.simd_target());
    const int threads = options.threads > 0 ? options.threads : omp_get_max_threads();
    if (options.json) {
        nlohmann::ordered_json targets = nlohmann::ordered_json::array();
        for (const perft::Kernel& k : perft::kernels())
            targets.push_back(
                {{"name", k.name}, {"description", k.description}, {"used", &k == &used}});
        print_json({{"version", kVersion},
                    {"commit", kCommit},
                    {"compiler", kCompiler},
                    {"build_type", kBuildType},
                    {"cpu", cpu().name},
                    {"threads", threads},
                    {"simd", used.name},
                    {"simd_targets", targets},
                    {"memory_bytes", m.total_bytes},
                    {"available_bytes", m.available_bytes},
                    {"huge_pages", m.huge_pages},
                    {"mpi", mpi_version().empty() ? nlohmann::ordered_json(nullptr)
                                                  : nlohmann::ordered_json(mpi_version())},
                    {"hdf5", tablebase::hdf5::library_version()},
                    {"filters", {"deflate", "shuffle", "fletcher32"}}});
        return kDone;
    }
    std::cout << fmt::format("mansuba {} ({}), {} {}\n", kVersion, kCommit, kCompiler, kBuildType);
    std::cout << fmt::format("processor   {}, {} threads\n",
                             cpu().name.empty() ? "unknown" : cpu().name, threads);
    std::cout << fmt::format("memory      {} MiB, {} MiB available\n", m.total_bytes >> 20,
                             m.available_bytes >> 20);
    std::cout << fmt::format("huge pages  {}\n", m.huge_pages.empty() ? "unknown" : m.huge_pages);
    for (const perft::Kernel& k : perft::kernels())
        std::cout << fmt::format("simd        {:<10}{}{}\n", k.name, k.description,
                                 &k == &used ? " (used)" : "");
    std::cout << fmt::format(
        "mpi         {}\nhdf5        {}, filters deflate, shuffle, fletcher32\n",
        mpi_version().empty() ? "built without" : mpi_version(),
        tablebase::hdf5::library_version());
    return kDone;
}

}  // namespace

Runner add_info(CLI::App& program) {
    const auto options = std::make_shared<CommonOptions>();
    CLI::App& c =
        *program.add_subcommand("info", "Version, processor, SIMD targets and which is used");
    options->add_to(c);
    return [options] { return run_info(*options); };
}

}  // namespace mansuba::cli

#include "tablebase/syzygy/compare.hpp"

#include <algorithm>
#include <exception>
#include <omp.h>
#include <random>

#include "core/error.hpp"
#include "core/fen.hpp"

namespace mansuba::tablebase::syzygy {
namespace {

/// Cells that a thread does at a stretch.
constexpr std::uint64_t kStretch = 4096;

std::string text(int wdl, int dtz, bool with_dtz) {
    std::string s = "wdl " + std::to_string(wdl);
    if (with_dtz) s += ", dtz " + std::to_string(dtz);
    return s;
}

/// Looks at one position; nothing if they agree.
std::optional<Fault> difference(const Position& position, const Value& ours, bool with_dtz,
                                const Directory& files) {
    const auto wdl = files.wdl(position);
    const auto dtz = with_dtz ? files.dtz(position) : std::optional(Dtz{0, true});
    if (!wdl || !dtz)
        throw Error(ErrorCode::Input, "a Syzygy file is missing",
                    Material::of(position.board()).normalized().name());
    // One ply longer, away from zero.
    const int longer = dtz->plies + (dtz->plies > 0 ? 1 : -1);
    const bool same_dtz =
        !with_dtz || ours.dtz == dtz->plies || (!dtz->exact && dtz->plies && ours.dtz == longer);
    if (ours.wdl == *wdl && same_dtz) return {};
    return Fault{to_fen(position), text(static_cast<int>(*wdl), dtz->plies, with_dtz),
                 text(static_cast<int>(ours.wdl), ours.dtz, with_dtz)};
}

}  // namespace

VerifyReport compare(const Values& table, const Directory& files, const VerifyOptions& options) {
    const Index& index = table.numbering();
    const Material& material = index.material();
    if (!table.has(Metric::Wdl)) throw Error(ErrorCode::Input, "has no wdl", material.name());
    if (const auto missing = files.missing(material); !missing.empty())
        throw Error(ErrorCode::Input, "missing " + missing.front(),
                    "to compare " + material.name());
    const bool with_dtz = table.has(Metric::Dtz);

    const std::uint64_t cells = 2 * index.cells();
    const std::uint64_t stretches = (cells + kStretch - 1) / kStretch;
    // A sample takes cells at random, each with the same chance, so many that about that many positions
    // are met: half of the cells have one.
    const double share =
        options.sample ? 2.0 * static_cast<double>(options.sample) / static_cast<double>(cells)
                       : 1.0;
    const int threads = options.threads > 0 ? options.threads : omp_get_max_threads();
    struct Part {
        VerifyReport report;
        std::vector<std::pair<std::uint64_t, Fault>> met;
    };
    std::vector<Part> parts(static_cast<std::size_t>(threads));
    std::exception_ptr error;
    std::atomic<bool> over = false;
    std::atomic<std::uint64_t> done = 0;
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)
    for (std::uint64_t i = 0; i < stretches; ++i) {
        if (options.stop && options.stop->load(std::memory_order_relaxed)) over = true;
        if (over) continue;
        try {
            Part& part = parts[static_cast<std::size_t>(omp_get_thread_num())];
            std::mt19937_64 random(options.seed * stretches + i);
            const std::uint64_t last = std::min(cells, (i + 1) * kStretch);
            for (std::uint64_t place = i * kStretch; place < last; ++place) {
                if (share < 1 && static_cast<double>(random() >> 11) * 0x1p-53 >= share) continue;
                const Color side = place < index.cells() ? Color::White : Color::Black;
                const std::uint64_t cell = place % index.cells();
                const auto position = position_at(index, side, cell);
                if (!position || index.index_of(index.position_at(cell)) != cell) continue;
                ++part.report.positions;
                if (auto fault = difference(*position, table.value(side, cell), with_dtz, files)) {
                    ++part.report.faults;
                    if (part.met.size() < options.max_faults)
                        part.met.emplace_back(place, std::move(*fault));
                }
            }
            done += last - i * kStretch;
            if (options.on_progress && omp_get_thread_num() == 0) options.on_progress(done, cells);
        } catch (...) {
            over = true;
#pragma omp critical(mansuba_syzygy_compare_error)
            error = std::current_exception();
        }
    }
    if (error) std::rethrow_exception(error);
    if (over) throw Error(ErrorCode::Interrupted, "stopped");

    VerifyReport report;
    std::vector<std::pair<std::uint64_t, Fault>> met;
    for (Part& part : parts) {
        report.positions += part.report.positions;
        report.faults += part.report.faults;
        std::move(part.met.begin(), part.met.end(), std::back_inserter(met));
    }
    std::sort(met.begin(), met.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < met.size() && i < options.max_faults; ++i)
        report.first_faults.push_back(std::move(met[i].second));
    return report;
}

}  // namespace mansuba::tablebase::syzygy

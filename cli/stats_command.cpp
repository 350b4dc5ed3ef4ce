#include <iostream>

#include <fmt/format.h>

#include "cli/tables.hpp"
#include "core/error.hpp"
#include "tablebase/hdf5/table_store.hpp"

namespace mansuba::cli {
namespace {

struct StatsOptions {
    CommonOptions common;
    MaterialOptions materials;
    std::string tables;
    bool histogram = false;
};

using Json = nlohmann::ordered_json;

void print_side(const char* name, const Json& side, bool histogram) {
    std::cout << fmt::format("  {} to move: {} positions, {} won", name,
                             with_commas(side["positions"].get<std::uint64_t>()),
                             with_commas(side["win"].get<std::uint64_t>()));
    if (const auto n = side["cursed_win"].get<std::uint64_t>())
        std::cout << fmt::format(", {} cursed wins", with_commas(n));
    std::cout << fmt::format(", {} drawn", with_commas(side["draw"].get<std::uint64_t>()));
    if (const auto n = side["blessed_loss"].get<std::uint64_t>())
        std::cout << fmt::format(", {} blessed losses", with_commas(n));
    std::cout << fmt::format(", {} lost; {} mates, {} stalemates\n",
                             with_commas(side["loss"].get<std::uint64_t>()),
                             with_commas(side["mates"].get<std::uint64_t>()),
                             with_commas(side["stalemates"].get<std::uint64_t>()));
    constexpr std::pair<const char*, const char*> kinds[] = {
        {"dtm_win", "longest mate"},
        {"dtm_loss", "longest defence against mate"},
        {"dtz_win", "longest win to zeroing"},
        {"dtz_cursed_win", "longest cursed win"},
        {"dtz_loss", "longest loss to zeroing"},
        {"dtz_blessed_loss", "longest blessed loss"},
        {"dth_white", "longest helpmate by White"},
        {"dth_black", "longest helpmate by Black"}};
    for (const auto& [key, text] : kinds) {
        const Json longest = side["longest"].value(key, Json());
        if (longest.is_null() || longest["plies"] == 0) continue;
        std::cout << fmt::format(
            "    {}: {} plies, {} position{}: {}\n", text, longest["plies"].get<int>(),
            with_commas(longest["count"].get<std::uint64_t>()),
            longest["count"] == 1 ? "" : "s, the first", longest["fen"].get<std::string>());
    }
    if (side.contains("winnable")) {
        const Json& w = side["winnable"];
        const auto n = [&](const char* key) { return with_commas(w[key].get<std::uint64_t>()); };
        std::cout << fmt::format(
            "    can be won by White only: {}, by Black only: {}, by both: {}, by neither (dead): "
            "{}\n    drawn but not dead: {}; lost, and no hope of a mistake: {}\n",
            n("white_only"), n("black_only"), n("both"), n("dead"), n("drawn_not_dead"),
            n("lost_without_hope"));
        if (w["dead_beyond_material"] != 0)
            std::cout << fmt::format("    dead, though not by the men alone: {}, the first {}\n",
                                     n("dead_beyond_material"),
                                     w["dead_beyond_material_fen"].get<std::string>());
    }
    if (!histogram) return;
    for (const auto& [name_of_kind, counts] : side["histogram"].items())
        for (const auto& [plies, count] : counts.items())
            std::cout << fmt::format("    {:<9}{:>4} plies {:>16}\n", name_of_kind, plies,
                                     with_commas(count.get<std::uint64_t>()));
}

int run_stats(const StatsOptions& options) {
    const auto materials = options.materials.materials();
    if (materials.empty())
        throw Error(ErrorCode::Usage, "which endgames?", "name some, like KRPvKR, or give --men N");
    tablebase::hdf5::TableDirectory store(tables_directory(options.tables));
    Json all = Json::array();
    for (const auto& m : materials) {
        if (store.metrics(m) == tablebase::Metrics())
            throw Error(ErrorCode::Input, "needs " + m.name(), "mansuba build " + m.name());
        all.push_back(Json::parse(store.statistics(m)));
    }
    if (options.common.json) {
        print_json(all);
        return kDone;
    }
    for (const Json& table : all) {
        const Json& zugzwangs = table["mutual_zugzwangs"];
        std::cout << fmt::format(
            "{}: {} positions, mutual zugzwangs: {} that White to move draws and Black loses, {} "
            "the other way round, {} full\n",
            table["material"].get<std::string>(),
            with_commas(table["positions"].get<std::uint64_t>()),
            with_commas(zugzwangs["white_draws"].get<std::uint64_t>()),
            with_commas(zugzwangs["black_draws"].get<std::uint64_t>()),
            with_commas(zugzwangs["full"].get<std::uint64_t>()));
        print_side("White", table["white"], options.histogram);
        print_side("Black", table["black"], options.histogram);
    }
    return kDone;
}

}  // namespace

Runner add_stats(CLI::App& program) {
    const auto options = std::make_shared<StatsOptions>();
    CLI::App& c = *program.add_subcommand(
        "stats", "Counts by result, longest wins, mutual zugzwangs of built tables");
    options->materials.add_to(c);
    c.add_option("--tables", options->tables,
                 "Directory of the tables (default: $MANSUBA_TABLES, else ./tables)")
        ->check(not_empty);
    c.add_flag("--histogram", options->histogram,
               "Also how many positions there are at each distance");
    options->common.add_to(c);
    return [options] { return run_stats(*options); };
}

}  // namespace mansuba::cli

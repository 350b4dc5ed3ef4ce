#include "tablebase/statistics_json.hpp"

#include <nlohmann/json.hpp>

namespace mansuba::tablebase {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Longest& longest) {
    if (longest.plies < 0) return nullptr;
    return {{"plies", longest.plies}, {"count", longest.count}, {"fen", longest.fen}};
}

Json json_of(const std::map<int, std::uint64_t>& histogram) {
    Json j = Json::object();
    for (const auto& [plies, count] : histogram) j[std::to_string(plies)] = count;
    return j;
}

Json json_of(const SideStatistics& side, bool with_winnable, bool with_dth) {
    Json j{{"positions", side.positions()},
           {"win", side.win},
           {"cursed_win", side.cursed_win},
           {"draw", side.draw},
           {"blessed_loss", side.blessed_loss},
           {"loss", side.loss},
           {"mates", side.mates},
           {"stalemates", side.stalemates}};
    j["longest"] = {
        {"dtz_win", json_of(side.dtz_win)},   {"dtz_cursed_win", json_of(side.dtz_cursed_win)},
        {"dtz_loss", json_of(side.dtz_loss)}, {"dtz_blessed_loss", json_of(side.dtz_blessed_loss)},
        {"dtm_win", json_of(side.dtm_win)},   {"dtm_loss", json_of(side.dtm_loss)}};
    j["histogram"] = {{"dtz_win", json_of(side.dtz_histogram_win)},
                      {"dtz_loss", json_of(side.dtz_histogram_loss)},
                      {"dtm_win", json_of(side.dtm_histogram_win)},
                      {"dtm_loss", json_of(side.dtm_histogram_loss)}};
    if (with_winnable)
        j["winnable"] = {
            {"dead", side.winnable[0]},
            {"white_only", side.winnable[1]},
            {"black_only", side.winnable[2]},
            {"both", side.winnable[3]},
            {"drawn_not_dead", side.drawn_not_dead},
            {"lost_without_hope", side.lost_without_hope},
            {"dead_beyond_material", side.dead_beyond_material},
            {"dead_beyond_material_fen",
             side.dead_beyond_material ? Json(side.dead_beyond_material_fen) : Json(nullptr)}};
    if (with_dth) {
        j["longest"]["dth_white"] = json_of(side.dth[0]);
        j["longest"]["dth_black"] = json_of(side.dth[1]);
    }
    return j;
}

}  // namespace

std::string to_json(const Material& material, const Statistics& statistics) {
    return Json{{"material", material.name()},
                {"positions", statistics.side[0].positions() + statistics.side[1].positions()},
                {"white", json_of(statistics.side[0], statistics.has_winnable, statistics.has_dth)},
                {"black", json_of(statistics.side[1], statistics.has_winnable, statistics.has_dth)},
                {"mutual_zugzwangs",
                 {{"white_draws", statistics.zugzwang_white_draws},
                  {"black_draws", statistics.zugzwang_black_draws},
                  {"full", statistics.zugzwang_full}}}}
        .dump();
}

}  // namespace mansuba::tablebase

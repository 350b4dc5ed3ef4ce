#include "tablebase/store.hpp"

#include "core/error.hpp"
#include "core/quote.hpp"

namespace mansuba::tablebase {

std::string_view name_of(Metric m) {
    constexpr std::string_view names[] = {"wdl",      "dtz",       "dtm",       "wdl75", "dtz75",
                                          "winnable", "dth_white", "dth_black", "dtm50"};
    return names[static_cast<std::size_t>(m)];
}

Metrics Metrics::parse(std::string_view list) {
    Metrics metrics;
    while (true) {
        const auto comma = list.find(',');
        const std::string_view name = list.substr(0, comma);
        bool known = false;
        for (Metric m : kMetrics)
            if (name == name_of(m) || (name == "dth" && name_of(m).starts_with("dth_"))) {
                metrics = metrics.with(m);
                known = true;
            }
        if (!known)
            throw Error(ErrorCode::Usage, "unknown metric " + mansuba::quoted(name),
                        "metrics are wdl, dtz, dtm, wdl75, dtz75, winnable, dth and dtm50, with "
                        "commas between");
        if (comma == std::string_view::npos) break;
        list.remove_prefix(comma + 1);
    }
    metrics = metrics.with(Metric::Wdl);
    if (metrics.has(Metric::Dtm50)) metrics = metrics.with(Metric::Dtz).with(Metric::Dtm);
    if (metrics.has(Metric::Dtz75)) metrics = metrics.with(Metric::Wdl75);
    return metrics;
}

std::string Metrics::names() const {
    std::string s;
    for (Metric m : kMetrics)
        if (has(m)) {
            if (!s.empty()) s += ',';
            s += name_of(m);
        }
    return s;
}

}  // namespace mansuba::tablebase

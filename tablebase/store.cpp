#include "tablebase/store.hpp"

#include "core/error.hpp"
#include "core/quote.hpp"

namespace mansuba::tablebase {

std::string_view name_of(Metric m) {
    constexpr std::string_view names[] = {"wdl", "dtz", "dtm"};
    return names[static_cast<std::size_t>(m)];
}

Metrics Metrics::parse(std::string_view list) {
    Metrics metrics;
    while (true) {
        const auto comma = list.find(',');
        const std::string_view name = list.substr(0, comma);
        bool known = false;
        for (Metric m : kMetrics)
            if (name == name_of(m)) {
                metrics.bits_ |= 1u << static_cast<int>(m);
                known = true;
            }
        if (!known)
            throw Error(ErrorCode::Usage, "unknown metric " + mansuba::quoted(name),
                        "metrics are wdl, dtz and dtm, with commas between");
        if (comma == std::string_view::npos) return metrics;
        list.remove_prefix(comma + 1);
    }
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

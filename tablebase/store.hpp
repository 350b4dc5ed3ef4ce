// Where tables are kept.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "tablebase/statistics.hpp"
#include "tablebase/table.hpp"

namespace mansuba::tablebase {

inline constexpr Metric kMetrics[] = {Metric::Wdl,      Metric::Dtz,      Metric::Dtm,
                                      Metric::Wdl75,    Metric::Dtz75,    Metric::Winnable,
                                      Metric::DthWhite, Metric::DthBlack, Metric::Dtm50};
/// wdl, dtz, dtm, wdl75, dtz75, winnable, dth_white, dth_black, dtm50.
std::string_view name_of(Metric m);

/// A set of metrics, bit by bit.
class Metrics {
public:
    constexpr Metrics() = default;
    constexpr Metrics(std::initializer_list<Metric> metrics) {
        for (Metric m : metrics) bits_ |= 1u << static_cast<int>(m);
    }
    /// "wdl,dtz,dtm" in any order; "dth" is both of its sides, and what other metrics cannot be read
    /// without comes with them. Throws Error(Usage).
    static Metrics parse(std::string_view list);
    std::string names() const;

    constexpr Metrics with(Metric m) const {
        Metrics more = *this;
        more.bits_ |= 1u << static_cast<int>(m);
        return more;
    }
    constexpr bool has(Metric m) const { return bits_ >> static_cast<int>(m) & 1; }
    /// Of the values for the automatic limit, or of helpmates.
    constexpr bool has_75() const { return has(Metric::Wdl75) || has(Metric::Dtz75); }
    constexpr bool has_dth() const { return has(Metric::DthWhite) || has(Metric::DthBlack); }
    constexpr bool contains(Metrics other) const { return (other.bits_ & ~bits_) == 0; }
    friend constexpr bool operator==(Metrics, Metrics) = default;

private:
    unsigned bits_ = 0;
};

/// Tables by material. Errors are Error(File), naming the file.
class TableStore {
public:
    virtual ~TableStore() = default;

    /// Which metrics are there, sound as far as can be seen without reading it all; none if there is
    /// no table.
    virtual Metrics metrics(const Material& material) = 0;
    /// Keeps a table, all of it or nothing. Returns the bytes it takes. Of a team each member gives its share;
    /// the first has the statistics, and keeps the table as it would keep it alone.
    virtual std::uint64_t save(const Table& table, Metrics metrics, const Statistics& statistics,
                               Team* team = nullptr) = 0;
    /// The statistics that were kept with a table, as to_json() made them.
    virtual std::string statistics(const Material& material) = 0;
    /// The whole table, in every cell as generate() made it, but that stalemates count as draws.
    virtual Table load(const Material& material, Metrics metrics) = 0;
};

}  // namespace mansuba::tablebase

// Tables that tests ask for by name, each built once, and ways to look at them.
#pragma once

#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "tablebase/generator.hpp"
#include "tablebase/probe.hpp"
#include "tablebase/reference.hpp"
#include "tablebase/statistics.hpp"

namespace mansuba::tablebase::test {

/// Builds what is asked for and all it needs, and keeps it. Not thread-safe.
class Tables {
public:
    using Build = std::function<Table(const Material&, const Smaller&)>;
    explicit Tables(Build build) : build_(std::move(build)) {}
    explicit Tables(const GenerateOptions& options)
        : Tables([options](const Material& m, const Smaller& smaller) {
              return generate(m, smaller, options);
          }) {}

    const Table& operator()(const Material& material) {
        auto& table = tables_[material];
        if (!table) {
            for (const Material& m : material.successors())
                if (m != Material()) (*this)(m);
            table = std::make_unique<Table>(build_(material, [this](const Material& m) {
                return m == Material() ? nullptr : find(m);
            }));
        }
        return *table;
    }
    const Table& operator()(std::string_view name) { return (*this)(Material::parse(name)); }

    /// Of tables that are there already.
    Lookup lookup() const {
        return [this](const Material& m) -> const Values* { return find(m); };
    }
    const Table* find(const Material& m) const {
        const auto it = tables_.find(m);
        return it == tables_.end() ? nullptr : it->second.get();
    }
    void drop(const Material& m) { tables_.erase(m); }

private:
    Build build_;
    std::map<Material, std::unique_ptr<Table>> tables_;
};

/// The ordinary ones, for all tests of the program.
inline Tables& tables() {
    static Tables all{GenerateOptions{}};
    return all;
}

inline Tables reference_tables(int rule_plies = kRulePlies) {
    return Tables([rule_plies](const Material& m, const Smaller& smaller) {
        return reference::generate(
            m, [&smaller](const Material& s) -> const Values* { return smaller(s); },
            {.threads = 0, .limits = {{rule_plies}}});
    });
}

/// Distances without what the width of their codes does to them: -1 illegal, -2 draw, -3 stalemate.
inline int dtm_of(const Table& t, std::size_t side, std::uint64_t cell) {
    const int code = static_cast<int>(t.dtm[side][cell]);
    const int top = t.dtm[side].wide() ? 0xffff : 0xff;
    return code >= top - 2 ? code - top - 1 : code;
}

/// The first cell in which two tables differ, in anything that means something; empty if none.
inline std::string difference(const Table& a, const Table& b) {
    if (a.index.cells() != b.index.cells()) return "sizes";
    for (std::size_t side = 0; side < 2; ++side)
        for (std::uint64_t cell = 0; cell < a.index.cells(); ++cell) {
            const unsigned x = a.wdl[side][cell], y = b.wdl[side][cell];
            const bool decided = x != wdl_code::kDraw && x < wdl_code::kStalemate;
            const int zx = decided ? static_cast<int>(a.dtz[side][cell]) : 0,
                      zy = decided ? static_cast<int>(b.dtz[side][cell]) : 0,
                      mx = dtm_of(a, side, cell), my = dtm_of(b, side, cell);
            if (x == y && zx == zy && mx == my) continue;
            std::ostringstream s;
            s << a.index.material().name() << " cell " << cell << " side " << side << ": class "
              << x << " and " << y << ", dtz " << zx << " and " << zy << ", dtm " << mx << " and "
              << my;
            if (x != wdl_code::kIllegal && y != wdl_code::kIllegal)
                s << ", " << fen_of(a.index, cell, static_cast<Color>(side));
            return s.str();
        }
    return {};
}

/// The fields of the lines of a file of tests/data, but of comments and the names of the columns.
inline std::vector<std::vector<std::string>> rows_of(const std::string& name) {
    std::ifstream file(std::string(MANSUBA_TEST_DATA) + "/" + name);
    if (!file) throw std::runtime_error("cannot read " + name);
    std::vector<std::vector<std::string>> rows;
    bool names = true;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        if (std::exchange(names, false)) continue;
        std::vector<std::string> fields(1);
        for (const char c : line)
            if (c == '\t')
                fields.emplace_back();
            else
                fields.back() += c;
        rows.push_back(std::move(fields));
    }
    return rows;
}

}  // namespace mansuba::tablebase::test

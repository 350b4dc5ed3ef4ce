#include "benchmarks/tablebase/tables.hpp"

#include <map>
#include <memory>

#include "tablebase/generator.hpp"

namespace mansuba::bench {

using tablebase::Material;

const tablebase::Table& table(const Material& material) {
    static std::map<Material, std::unique_ptr<tablebase::Table>> tables;
    const auto known = tables.find(material);
    if (known != tables.end()) return *known->second;
    for (const Material& m : material.successors())
        if (m != Material()) table(m);
    auto made =
        std::make_unique<tablebase::Table>(tablebase::generate(material, [](const Material& m) {
            return m == Material() ? nullptr : tables.at(m).get();
        }));
    return *tables.emplace(material, std::move(made)).first->second;
}

}  // namespace mansuba::bench

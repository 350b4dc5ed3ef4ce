#include "cli/tables.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/error.hpp"

namespace mansuba::cli {

void MaterialOptions::add_to(CLI::App& command) {
    CLI::Option* const by_name =
        command.add_option("MATERIAL", names, "Endgames like KRPvKR; the order of men is free");
    CLI::Option* const by_men =
        command.add_option("--men", men, "All endgames with up to so many men, kings included")
            ->check(CLI::Range(3, tablebase::Material::kMaxMen));
    by_men->excludes(by_name);
}

std::vector<tablebase::Material> MaterialOptions::materials(int max_men) const {
    if (men) return tablebase::materials_up_to(men);
    std::vector<tablebase::Material> all;
    for (const std::string& name : names) {
        const auto m = tablebase::Material::parse(name, max_men);
        if (m == tablebase::Material())
            throw Error(ErrorCode::Input, "KvK has no table", "kings alone are a draw");
        all.push_back(m);
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

std::filesystem::path tables_directory(const std::string& option) {
    if (!option.empty()) return option;
    const char* const wish = std::getenv("MANSUBA_TABLES");
    return wish && *wish ? wish : "tables";
}

}  // namespace mansuba::cli

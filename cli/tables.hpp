// What the commands that work on endgame tables share.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "tablebase/material.hpp"

namespace mansuba::cli {

/// Which endgames: by name, or all with up to so many men.
struct MaterialOptions {
    std::vector<std::string> names;
    int men = 0;

    void add_to(CLI::App& command);
    /// In the order of tablebase::closure(); empty if nothing was asked for. Throws Error.
    std::vector<tablebase::Material> materials(int max_men = tablebase::Material::kMaxMen) const;
};

/// The directory of an option, else of MANSUBA_TABLES, else ./tables.
std::filesystem::path tables_directory(const std::string& option);

}  // namespace mansuba::cli

// Whole files for tests.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace mansuba::testing {

/// A whole file, and back.
std::string content_of(const std::filesystem::path& path);
void write_content(const std::filesystem::path& path, const std::string& content);

/// All files of a directory, by name.
std::map<std::string, std::string> contents_of(const std::filesystem::path& directory);

}  // namespace mansuba::testing

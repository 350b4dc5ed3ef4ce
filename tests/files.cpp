#include "tests/files.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace mansuba::testing {

std::string content_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write_content(const std::filesystem::path& path, const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
    if (content_of(path) != content) throw std::runtime_error("cannot write " + path.string());
}

std::map<std::string, std::string> contents_of(const std::filesystem::path& directory) {
    std::map<std::string, std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(directory))
        all[entry.path().filename().string()] = content_of(entry.path());
    return all;
}

}  // namespace mansuba::testing

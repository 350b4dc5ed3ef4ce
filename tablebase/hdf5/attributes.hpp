// Named values that stand beside cells: in the file as a whole and at each dataset.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace mansuba::tablebase::hdf5 {

/// In the file: 64-bit signed integers, IEEE doubles, UTF-8 strings of fixed length, filled
/// up with zeros, so a string ends at its first zero; lists have one dimension.
using AttributeValue = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>,
                                    std::vector<std::string>>;
using Attributes = std::map<std::string, AttributeValue, std::less<>>;

}  // namespace mansuba::tablebase::hdf5

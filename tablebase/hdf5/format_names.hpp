// Attributes that the container itself has, beside those of its users.
#pragma once

#include <string>

namespace mansuba::tablebase::hdf5 {

inline const std::string kFormat = "format", kFormatName = "mansuba table";
inline const std::string kVersion = "format_version";
inline const std::string kContentCrc32 = "content_crc32";  // of all cells of all datasets
inline const std::string kCrc32 = "crc32";                 // of a dataset's cells

}  // namespace mansuba::tablebase::hdf5

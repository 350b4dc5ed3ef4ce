// The sixteen bytes at the end of a Syzygy file.
#pragma once

#include <array>

#include "tablebase/syzygy/bytes.hpp"

namespace mansuba::tablebase::syzygy {

using Checksum = std::array<std::uint8_t, 16>;

/// The checksum of the rest of the file, whose size is a multiple of 64 and not 0: CityHashCrc256
/// (CityHash 1.0) of each 16 MiB, and CityHashCrc128 of the results. Reads every byte. Thread safe.
Checksum checksum(Bytes content);

}  // namespace mansuba::tablebase::syzygy

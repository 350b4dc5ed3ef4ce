// Which HDF5 library is in use.
#pragma once

#include <string>

namespace mansuba::tablebase::hdf5 {

/// As 1.10.8.
std::string library_version();

}  // namespace mansuba::tablebase::hdf5

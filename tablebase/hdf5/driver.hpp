// How HDF5 writes to disk when the disk is full. Private to this folder.
#pragma once

#include <vector>

#include "tablebase/hdf5/library.hpp"
#include "tablebase/hdf5/seal.hpp"

namespace mansuba::tablebase::hdf5 {

using Driver = Handle<H5FDunregister>;

/// A copy of HDF5's usual driver for files that are written (H5Pset_driver), but for this: where a
/// write fails it claims success, and so from then on for that file, and tells the Session instead,
/// whose call() throws. For HDF5 1.10 cannot close a file that it cannot write to: the handle stays
/// behind, without what it stood for, and the process crashes as it ends.
Driver register_driver(const Session& session);

/// While it lives, where data of datasets goes in files is added to a list. (H5Dget_chunk_info_by_coord()
/// of HDF5 1.10 looks at all chunks to find one.) Within a Session.
class RecordData {
public:
    explicit RecordData(std::vector<Extent>& extents);
    ~RecordData();
    RecordData(const RecordData&) = delete;
    RecordData& operator=(const RecordData&) = delete;
};

/// While it lives nothing is written, and nobody told: for files that are given up. Within a Session.
class DiscardWrites {
public:
    DiscardWrites();
    ~DiscardWrites();
    DiscardWrites(const DiscardWrites&) = delete;
    DiscardWrites& operator=(const DiscardWrites&) = delete;
};

}  // namespace mansuba::tablebase::hdf5

#include "tablebase/hdf5/driver.hpp"

#include <map>

namespace mansuba::tablebase::hdf5 {
namespace {

// The driver's functions get no argument of ours. All of this is guarded by Session.
const H5FD_class_t* usual = nullptr;
std::map<const H5FD_t*, int> failed;  // files that could not be written, and errno
bool discard = false;
std::vector<Extent>* record = nullptr;

template <class Write>
herr_t forgiving(const H5FD_t* file, Write&& write) {
    if (discard) return 0;
    auto failure = failed.find(file);
    if (failure == failed.end()) {
        errno = 0;
        if (write() >= 0) return 0;
        failure = failed.emplace(file, errno != 0 ? errno : EIO).first;
    }
    Session::tell_of_failed_write(failure->second);
    return 0;
}

}  // namespace

Driver register_driver(const Session& session) {
    if (!usual) {
        const Properties access(
            session.call("HDF5 fails", [] { return H5Pcreate(H5P_FILE_ACCESS); }));
        session.call("HDF5 fails", [&] { return H5Pset_fapl_sec2(access.get()); });
        // The library shows a driver's functions only at a file that is open.
        H5FD_t* const any = H5FDopen("/dev/null", H5F_ACC_RDONLY, access.get(), 1);
        if (!any) session.refuse("HDF5 has no driver for files");
        usual = any->cls;
        H5FDclose(any);
    }
    H5FD_class_t driver = *usual;
    driver.name = "mansuba";
    driver.write = [](H5FD_t* file, H5FD_mem_t type, hid_t transfer, haddr_t address,
                      std::size_t bytes, const void* from) {
        if (record && type == H5FD_MEM_DRAW) record->push_back({address, bytes});
        return forgiving(file,
                         [&] { return usual->write(file, type, transfer, address, bytes, from); });
    };
    driver.truncate = [](H5FD_t* file, hid_t transfer, hbool_t closing) {
        return forgiving(file, [&] { return usual->truncate(file, transfer, closing); });
    };
    driver.close = [](H5FD_t* file) {
        failed.erase(file);
        return usual->close(file);
    };
    return Driver(session.call("HDF5 fails", [&] { return H5FDregister(&driver); }));
}

RecordData::RecordData(std::vector<Extent>& extents) { record = &extents; }
RecordData::~RecordData() { record = nullptr; }

DiscardWrites::DiscardWrites() { discard = true; }
DiscardWrites::~DiscardWrites() { discard = false; }

}  // namespace mansuba::tablebase::hdf5

#include "tablebase/hdf5/library.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/error.hpp"

namespace mansuba::tablebase::hdf5 {
namespace {

/// Statistics of six men take some 100 KB.
constexpr std::size_t kMaxStringBytes = std::size_t{1} << 24;

/// The innermost message of HDF5's error stack, one line of it.
std::string innermost_message() {
    std::string message;
    H5Ewalk2(
        H5E_DEFAULT, H5E_WALK_DOWNWARD,
        [](unsigned, const H5E_error2_t* error, void* result) -> herr_t {
            if (error->desc) *static_cast<std::string*>(result) = error->desc;
            return 0;
        },
        &message);
    message.resize(std::min({message.size(), message.find('\n'), std::size_t{120}}));
    return message;
}

/// Fixed length, filled up with zeros: no heap to follow while reading.
Type string_type(const Session& session, std::size_t bytes) {
    Type type(session.call("HDF5 fails", [] { return H5Tcopy(H5T_C_S1); }));
    session.call("HDF5 fails",
                 [&] { return H5Tset_size(type.get(), std::max<std::size_t>(bytes, 1)); });
    session.call("HDF5 fails", [&] { return H5Tset_strpad(type.get(), H5T_STR_NULLPAD); });
    session.call("HDF5 fails", [&] { return H5Tset_cset(type.get(), H5T_CSET_UTF8); });
    return type;
}

void write_raw(const Session& session, hid_t object, const std::string& name, hid_t stored_as,
               hid_t given_as, const Space& space, const void* data) {
    const auto exists =
        session.call("cannot write", [&] { return H5Aexists(object, name.c_str()); });
    if (exists) session.call("cannot write", [&] { return H5Adelete(object, name.c_str()); });
    const Attribute attribute(session.call("cannot write", [&] {
        return H5Acreate2(object, name.c_str(), stored_as, space.get(), H5P_DEFAULT, H5P_DEFAULT);
    }));
    // An empty list has no data to point to, which the library will not have.
    static const char nothing = 0;
    session.call("cannot write",
                 [&] { return H5Awrite(attribute.get(), given_as, data ? data : &nothing); });
}

Space scalar(const Session& session) {
    return Space(session.call("HDF5 fails", [] { return H5Screate(H5S_SCALAR); }));
}

Space list(const Session& session, hsize_t size) {
    return Space(session.call("HDF5 fails", [&] { return H5Screate_simple(1, &size, nullptr); }));
}

std::vector<std::string> read_strings(const Session& session, const Attribute& attribute,
                                      const Type& type, std::size_t count) {
    if (session.call("cannot read", [&] { return H5Tis_variable_str(type.get()); }))
        session.refuse("an attribute is of no known type");
    const std::size_t bytes = H5Tget_size(type.get());
    if (bytes == 0 || bytes > kMaxStringBytes || count > kMaxStringBytes / bytes)
        session.refuse("an attribute is too long");
    std::string texts(bytes * count, '\0');
    session.call("cannot read", [&] { return H5Aread(attribute.get(), type.get(), texts.data()); });
    std::vector<std::string> result;
    for (std::size_t i = 0; i < count; ++i) {
        std::string text = texts.substr(i * bytes, bytes);
        text.resize(std::min(text.size(), text.find('\0')));
        result.push_back(std::move(text));
    }
    return result;
}

AttributeValue read_attribute(const Session& session, const Attribute& attribute) {
    const Type type(session.call("cannot read", [&] { return H5Aget_type(attribute.get()); }));
    const Space space(session.call("cannot read", [&] { return H5Aget_space(attribute.get()); }));
    const int rank =
        session.call("cannot read", [&] { return H5Sget_simple_extent_ndims(space.get()); });
    const auto count = static_cast<std::size_t>(
        session.call("cannot read", [&] { return H5Sget_simple_extent_npoints(space.get()); }));
    if (rank > 1) session.refuse("an attribute is of no known type");
    const auto read = [&](hid_t memory, void* to) {
        if (count > 0)
            session.call("cannot read", [&] { return H5Aread(attribute.get(), memory, to); });
    };
    switch (H5Tget_class(type.get())) {
        case H5T_INTEGER: {
            std::vector<std::int64_t> values(count);
            read(H5T_NATIVE_INT64, values.data());
            if (rank == 0) return values.at(0);
            return values;
        }
        case H5T_FLOAT: {
            if (rank != 0) break;
            double value = 0;
            read(H5T_NATIVE_DOUBLE, &value);
            return value;
        }
        case H5T_STRING: {
            std::vector<std::string> values;
            if (count > 0) values = read_strings(session, attribute, type, count);
            if (rank == 0) return values.at(0);
            return values;
        }
        default: break;
    }
    session.refuse("an attribute is of no known type");
}

}  // namespace

std::mutex Session::mutex_;
int Session::failed_write_ = 0;

Session::Session(const std::filesystem::path& file) : lock_(mutex_), file_(file) {
    failed_write_ = 0;
    H5Eget_auto2(H5E_DEFAULT, &report_, &report_data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Session::~Session() { H5Eset_auto2(H5E_DEFAULT, report_, report_data_); }

void Session::refuse(std::string_view what) const {
    throw Error(ErrorCode::File, what, file_.string());
}

void Session::fail(std::string_view what) const {
    // The system's reason says more to a person than the library's, where there is one.
    const int reason = errno;
    const std::string why = reason != 0 ? std::strerror(reason) : innermost_message();
    refuse(std::string(what) + ": " + why);
}

void write_attribute(const Session& session, hid_t object, const std::string& name,
                     const AttributeValue& value) {
    struct Visitor {
        const Session& session;
        hid_t object;
        const std::string& name;

        void operator()(std::int64_t n) const {
            write_raw(session, object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, scalar(session), &n);
        }
        void operator()(double x) const {
            write_raw(session, object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, scalar(session),
                      &x);
        }
        void operator()(const std::string& text) const {
            const Type type = string_type(session, text.size());
            write_raw(session, object, name, type.get(), type.get(), scalar(session), text.c_str());
        }
        void operator()(const std::vector<std::int64_t>& numbers) const {
            write_raw(session, object, name, H5T_STD_I64LE, H5T_NATIVE_INT64,
                      list(session, numbers.size()), numbers.data());
        }
        void operator()(const std::vector<std::string>& texts) const {
            std::size_t bytes = 1;
            for (const std::string& text : texts) bytes = std::max(bytes, text.size());
            std::string joined;
            for (std::string text : texts) {
                text.resize(bytes);
                joined += text;
            }
            const Type type = string_type(session, bytes);
            write_raw(session, object, name, type.get(), type.get(), list(session, texts.size()),
                      joined.c_str());
        }
    };
    std::visit(Visitor{session, object, name}, value);
}

Attributes read_attributes(const Session& session, hid_t object) {
    H5O_info_t info{};
    session.call("cannot read", [&] { return H5Oget_info2(object, &info, H5O_INFO_NUM_ATTRS); });
    Attributes result;
    for (hsize_t i = 0; i < info.num_attrs; ++i) {
        const Attribute attribute(session.call("cannot read", [&] {
            return H5Aopen_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC, i, H5P_DEFAULT,
                                  H5P_DEFAULT);
        }));
        const auto length =
            session.call("cannot read", [&] { return H5Aget_name(attribute.get(), 0, nullptr); });
        std::string name(static_cast<std::size_t>(length) + 1, '\0');
        session.call("cannot read",
                     [&] { return H5Aget_name(attribute.get(), name.size(), name.data()); });
        name.pop_back();
        result.emplace(std::move(name), read_attribute(session, attribute));
    }
    return result;
}

}  // namespace mansuba::tablebase::hdf5

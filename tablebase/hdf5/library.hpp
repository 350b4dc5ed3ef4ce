// The HDF5 C library, tamed: one thread at a time, silent, every result checked, every handle
// closed. Private to this folder.
#pragma once

#include <cerrno>
#include <filesystem>
#include <hdf5.h>
#include <mutex>
#include <string_view>
#include <utility>

#include "tablebase/hdf5/attributes.hpp"

namespace mansuba::tablebase::hdf5 {

/// Must be alive around everything that touches HDF5, handles included: not every build of the
/// library is thread-safe, nor is driver.hpp. Not recursive. Mutes HDF5's own messages meanwhile.
class Session {
public:
    explicit Session(const std::filesystem::path& file);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    /// The result of f; if that is negative, or something could not be written meanwhile, throws
    /// Error(File): what, why, and the file.
    template <class F>
    auto call(std::string_view what, F&& f) const {
        errno = 0;
        const auto result = f();
        if (failed_write_ != 0) errno = failed_write_;
        if (static_cast<long long>(result) < 0 || failed_write_ != 0) fail(what);
        return result;
    }
    /// For the driver: a write failed within the present session's call, with this errno.
    static void tell_of_failed_write(int error) { failed_write_ = error; }
    /// Error(File) that names the file.
    [[noreturn]] void refuse(std::string_view what) const;
    const std::filesystem::path& file() const { return file_; }

private:
    [[noreturn]] void fail(std::string_view what) const;

    static std::mutex mutex_;
    static int failed_write_;  // errno; 0: none in this session
    std::lock_guard<std::mutex> lock_;
    const std::filesystem::path& file_;
    H5E_auto2_t report_ = nullptr;
    void* report_data_ = nullptr;
};

/// An HDF5 handle with its closing function. Assign, reset and destroy within a Session.
template <herr_t (*kClose)(hid_t)>
class Handle {
public:
    Handle() = default;
    explicit Handle(hid_t id) : id_(id) {}
    Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(id_, other.id_);
        return *this;
    }
    ~Handle() { close(); }
    hid_t get() const { return id_; }
    /// What HDF5 says to it: negative if it failed.
    herr_t close() {
        const hid_t id = std::exchange(id_, H5I_INVALID_HID);
        return id >= 0 ? kClose(id) : 0;
    }

private:
    hid_t id_ = H5I_INVALID_HID;
};
using File = Handle<H5Fclose>;
using Group = Handle<H5Gclose>;
using Dataset = Handle<H5Dclose>;
using Space = Handle<H5Sclose>;
using Type = Handle<H5Tclose>;
using Attribute = Handle<H5Aclose>;
using Properties = Handle<H5Pclose>;

/// Sets or replaces an attribute of an object.
void write_attribute(const Session& session, hid_t object, const std::string& name,
                     const AttributeValue& value);
/// All of them.
Attributes read_attributes(const Session& session, hid_t object);

}  // namespace mansuba::tablebase::hdf5

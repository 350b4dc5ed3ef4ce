// Errors that travel from one rank to another.
#pragma once

#include <string>

#include "cluster/transport.hpp"
#include "core/error.hpp"

namespace mansuba::cluster {

inline std::vector<std::byte> pack(const Error& error) {
    const std::string text = error.what();
    std::vector<std::byte> bytes{std::byte(error.code())};
    for (const char c : text) bytes.push_back(std::byte(c));
    return bytes;
}
/// The error of another rank, which it names.
inline Error unpack_error(const Message& message) {
    std::string text;
    for (std::size_t i = 1; i < message.bytes.size(); ++i)
        text += static_cast<char>(message.bytes[i]);
    const auto code =
        message.bytes.empty() ? ErrorCode::Internal : static_cast<ErrorCode>(message.bytes[0]);
    return Error(code, text, "rank " + std::to_string(message.from));
}

}  // namespace mansuba::cluster

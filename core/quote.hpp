// Foreign text inside our own one-line messages.
#pragma once

#include <string>
#include <string_view>

namespace mansuba {

/// The text in double quotes, safe to print: bytes outside printable ASCII, quotes and backslashes
/// come as \xNN, and of a text longer than `max_bytes` only the beginning, with dots behind.
inline std::string quoted(std::string_view text, std::size_t max_bytes = 100) {
    constexpr char digits[] = "0123456789abcdef";
    std::string result = "\"";
    for (const char c : text.substr(0, max_bytes)) {
        const unsigned byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte > 0x7e || c == '"' || c == '\\') {
            result += "\\x";
            result += digits[byte >> 4];
            result += digits[byte & 15];
        } else {
            result += c;
        }
    }
    result += text.size() > max_bytes ? "\"..." : "\"";
    return result;
}

}  // namespace mansuba

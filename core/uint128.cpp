#include "core/uint128.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/quote.hpp"

namespace mansuba {

std::string to_string(Uint128 n) {
    std::string digits;
    do {
        digits += static_cast<char>('0' + static_cast<int>(n % 10));
        n /= 10;
    } while (n != 0);
    std::reverse(digits.begin(), digits.end());
    return digits;
}

Uint128 parse_uint128(std::string_view digits) {
    constexpr Uint128 largest = ~Uint128{0};
    if (digits.empty()) throw Error(ErrorCode::Input, "number: no digits");
    Uint128 n = 0;
    for (const char c : digits) {
        if (c < '0' || c > '9') {
            throw Error(ErrorCode::Input, "number: not decimal digits only", quoted(digits));
        }
        const Uint128 digit = static_cast<unsigned>(c - '0');
        if (n > (largest - digit) / 10) {
            throw Error(ErrorCode::Input, "number: larger than 2^128 - 1", quoted(digits));
        }
        n = 10 * n + digit;
    }
    return n;
}

}  // namespace mansuba

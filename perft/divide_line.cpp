#include "perft/divide_line.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "core/error.hpp"

namespace mansuba::perft {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_number(std::string_view s) {
    return !s.empty() && std::all_of(s.begin(), s.end(), is_digit);
}
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 'a' - 'A') : c; }

/// A number with nothing behind it but perhaps `nodes`.
std::optional<Uint128> read_count(std::string_view text) {
    const std::size_t digits = static_cast<std::size_t>(
        std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
    if (digits != text.size() && text.substr(digits) != " nodes") return std::nullopt;
    try {
        return parse_uint128(text.substr(0, digits));
    } catch (const Error&) {
        return std::nullopt;
    }
}

/// Takes `: `, ` - `, ` = ` or a blank off the front; empty if none is there.
std::string_view take_separator(std::string_view& text) {
    for (const std::string_view s : {" : ", " :", ": ", ":", " - ", " = ", "= ", "=", " "}) {
        if (!text.starts_with(s)) continue;
        text.remove_prefix(s.size());
        return s;
    }
    return {};
}

/// `1. ` or `1) ` before a move.
void skip_number(std::string_view& text) {
    std::size_t i = 0;
    while (i < text.size() && is_digit(text[i])) ++i;
    if (i == 0 || i + 1 >= text.size() || (text[i] != '.' && text[i] != ')')) return;
    text.remove_prefix(text[i + 1] == ' ' ? i + 2 : i + 1);
}

/// The length of the UCI move that the text begins with; 0 if it does not.
std::size_t move_length(std::string_view text) {
    const auto square = [&](std::size_t i) {
        return text[i] >= 'a' && text[i] <= 'h' && text[i + 1] >= '1' && text[i + 1] <= '8';
    };
    if (text.size() < 5 || !square(0) || !square(2)) return 0;
    return std::string_view("nbrq").find(text[4]) != std::string_view::npos ? 5 : 4;
}

std::optional<DivideLine> read_move_line(std::string_view text) {
    skip_number(text);
    const std::size_t length = move_length(text);
    if (length == 0) return std::nullopt;
    const std::string move(text.substr(0, length));
    text.remove_prefix(length);
    const std::string_view separator = take_separator(text);
    // `e2e4 e7e5` or `e2e4 wins` is talk; `e2e4: many` or `e2e4 1,234` is a count gone wrong.
    if (separator.empty() || (separator == " " && (text.empty() || !is_digit(text.front()))))
        return std::nullopt;
    const auto count = read_count(text);
    if (!count) return DivideLine{DivideLine::Kind::BadCount};
    return DivideLine{DivideLine::Kind::Move, move, *count};
}

std::optional<DivideLine> read_total_line(std::string_view text, int depth) {
    const std::string d = std::to_string(depth);
    const std::array<std::string, 9> names = {
        "nodes searched", "total nodes", "total node count", "leaf nodes",      "nodes",
        "total",          "perft " + d,  "perft(" + d + ")", "perft depth " + d};
    for (const std::string_view name : names) {
        if (!text.starts_with(name)) continue;
        std::string_view rest = text.substr(name.size());
        const std::string_view separator = take_separator(rest);
        if (separator.find_first_of(":=") == std::string_view::npos) continue;
        if (const auto count = read_count(rest))
            return DivideLine{DivideLine::Kind::Total, {}, *count};
        // `Total: 12 ms` is not about nodes.
        if (!is_number(rest.substr(0, rest.find(' '))))
            return DivideLine{DivideLine::Kind::BadCount};
    }
    return std::nullopt;
}

}  // namespace

std::string simplified_line(std::string_view line) {
    std::string out;
    for (const char c : line) {
        if (!is_space(c))
            out += lower(c);
        else if (!out.empty() && out.back() != ' ')
            out += ' ';
    }
    if (out.ends_with(' ')) out.pop_back();
    return out;
}

DivideLine read_divide_line(std::string_view line, int depth) {
    if (auto move = read_move_line(line)) return *move;
    if (auto total = read_total_line(line, depth)) return *total;
    return {};
}

}  // namespace mansuba::perft

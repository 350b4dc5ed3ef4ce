#include "perft/suite.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>

#include "core/error.hpp"
#include "core/quote.hpp"

namespace mansuba::perft {
namespace {

constexpr std::string_view kSpaces = " \t";
constexpr int kMaxDepth = 999;

std::string_view trim(std::string_view s) {
    const std::size_t first = s.find_first_not_of(kSpaces);
    if (first == std::string_view::npos) return {};
    return s.substr(first, s.find_last_not_of(kSpaces) - first + 1);
}

/// Takes the first word of `s` off it, with the spaces before it. Empty if there is none.
std::string_view take_word(std::string_view& s) {
    s = trim(s);
    const std::string_view word = s.substr(0, s.find_first_of(kSpaces));
    s.remove_prefix(word.size());
    return word;
}

std::vector<std::string_view> split(std::string_view s, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = s.find(separator);
        parts.push_back(s.substr(0, end));
        if (end == std::string_view::npos) return parts;
        s.remove_prefix(end + 1);
    }
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_number(std::string_view s) {
    return !s.empty() && std::all_of(s.begin(), s.end(), is_digit);
}

/// The lines of a suite one by one, and the errors that name them.
class Reader {
public:
    Reader(std::string_view text, const std::string& name) : rest_(text), name_(name) {
        constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
        if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
    }

    /// The next line, without its end and without spaces after it; a comment counts as none.
    bool next(std::string_view& line) {
        do {
            if (rest_.empty()) return false;
            const std::size_t end = std::min(rest_.find('\n'), rest_.size());
            line = rest_.substr(0, end);
            rest_.remove_prefix(std::min(end + 1, rest_.size()));
            if (line.ends_with('\r')) line.remove_suffix(1);
            ++number_;
        } while (line.starts_with('#'));
        return true;
    }

    std::size_t number() const { return number_; }

    [[noreturn]] void fail(const std::string& what) const { fail(what, number_); }
    [[noreturn]] void fail(const std::string& what, std::size_t line) const {
        throw Error(ErrorCode::Input, what, name_ + ":" + std::to_string(line));
    }

    int depth(std::string_view text) const {
        if (!is_number(text)) fail("depth " + quoted(text) + " is not a number");
        if (text.size() > 3)
            fail("depth " + quoted(text) + " is over " + std::to_string(kMaxDepth));
        return std::stoi(std::string(text));
    }

    Uint128 nodes(std::string_view text) const {
        if (!is_number(text)) {
            const bool separators =
                !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
                    return is_digit(c) ||
                           std::string_view(",.'_ ").find(c) != std::string_view::npos;
                });
            fail("count " + quoted(text) + " is not a number" +
                 (separators ? ": write it without separators" : ""));
        }
        try {
            return parse_uint128(text);
        } catch (const Error&) {
            fail("count " + quoted(text) + " does not fit 128 bits");
        }
    }

private:
    std::string_view rest_;
    std::string name_;
    std::size_t number_ = 0;
};

/// The operations of an EPD line: split at each ; outside double quotes.
std::vector<std::string_view> split_epd(const Reader& reader, std::string_view line) {
    std::vector<std::string_view> parts;
    bool in_quotes = false;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"') in_quotes = !in_quotes;
        if (line[i] != ';' || in_quotes) continue;
        parts.push_back(line.substr(begin, i - begin));
        begin = i + 1;
    }
    if (in_quotes) reader.fail("a quotation mark is not closed");
    parts.push_back(line.substr(begin));
    return parts;
}

void read_epd_line(const Reader& reader, std::string_view line, std::vector<SuiteRow>& rows) {
    std::vector<std::string_view> operations = split_epd(reader, line);

    // Four fields, then clocks (or what other games have there) up to the first operation.
    std::string_view& rest = operations.front();
    SuiteRow row;
    row.line = reader.number();
    for (int field = 0; !trim(rest).empty(); ++field) {
        if (field >= 4 && is_letter(trim(rest).front())) break;
        if (field > 0) row.fen += ' ';
        row.fen += take_word(rest);
    }
    if (std::count(row.fen.begin(), row.fen.end(), ' ') < 3)
        reader.fail("not a position with its counts: " + quoted(trim(line)));

    const std::size_t first = rows.size();
    for (std::string_view operation : operations) {
        const std::string_view opcode = take_word(operation);
        operation = trim(operation);
        if (opcode.empty()) continue;
        if (!is_letter(opcode.front())) reader.fail(quoted(opcode) + " is no EPD operation");
        if (opcode == "id") {
            row.id = operation;
            std::erase(row.id, '"');
        } else if ((opcode.front() == 'D' || opcode.front() == 'd') && opcode.size() > 1 &&
                   is_digit(opcode[1])) {
            row.depth = reader.depth(opcode.substr(1));
            row.nodes = reader.nodes(operation);
            rows.push_back(row);
        }
    }
    if (rows.size() == first) reader.fail("a position without counts");
    for (std::size_t i = first; i < rows.size(); ++i) rows[i].id = row.id;
}

void read_epd(Reader& reader, std::string_view line, std::vector<SuiteRow>& rows) {
    do {
        if (!trim(line).empty()) read_epd_line(reader, line, rows);
    } while (reader.next(line));
}

bool is_perft_key(std::string_view word) {
    return word == "id" || word == "epd" || word == "perft";
}

void read_perft(Reader& reader, std::string_view line, std::vector<SuiteRow>& rows) {
    SuiteRow row;
    bool counted = true;  // whether the position of row.line has had a count
    const auto end_position = [&] {
        if (!counted) reader.fail("a position without counts", row.line);
        row.fen.clear();
    };
    do {
        const std::string_view key = take_word(line);
        line = trim(line);
        if (key.empty()) {
            end_position();
            row.id.clear();
        } else if (key == "id") {
            end_position();
            row.id = line;
        } else if (key == "epd") {
            end_position();
            if (line.empty()) reader.fail("epd without a position");
            row.line = reader.number();
            row.fen = line;
            counted = false;
        } else if (key == "perft") {
            if (row.fen.empty()) reader.fail("perft without an epd line before it");
            row.line = reader.number();
            row.depth = reader.depth(take_word(line));
            row.nodes = reader.nodes(trim(line));
            rows.push_back(row);
            counted = true;
        } else {
            reader.fail("unknown word " + quoted(key) + ": id, epd and perft are known");
        }
    } while (reader.next(line));
    end_position();
}

bool is_tsv_header(std::string_view line) {
    const auto columns = split(line, '\t');
    return columns.size() > 1 && std::any_of(columns.begin(), columns.end(),
                                             [](std::string_view c) { return trim(c) == "fen"; });
}

void read_tsv(Reader& reader, std::string_view line, std::vector<SuiteRow>& rows) {
    const auto columns = split(line, '\t');
    const auto find = [&](std::string_view name) -> std::optional<std::size_t> {
        const auto is_it = [&](std::string_view c) { return trim(c) == name; };
        const auto it = std::find_if(columns.begin(), columns.end(), is_it);
        if (it == columns.end()) return std::nullopt;
        if (std::any_of(it + 1, columns.end(), is_it))
            reader.fail("two columns are named " + std::string(name));
        return static_cast<std::size_t>(it - columns.begin());
    };
    const auto need = [&](std::string_view name) {
        const auto column = find(name);
        if (!column) reader.fail("no column is named " + std::string(name));
        return *column;
    };
    const std::size_t fen = need("fen"), depth = need("depth"), nodes = need("nodes");
    const std::optional<std::size_t> id = find("id"), chess960 = find("chess960");

    while (reader.next(line)) {
        if (trim(line).empty()) continue;
        const auto fields = split(line, '\t');
        if (fields.size() > columns.size())
            reader.fail(std::to_string(fields.size()) + " fields under " +
                        std::to_string(columns.size()) + " columns");
        const auto field = [&](std::size_t column) {
            return column < fields.size() ? trim(fields[column]) : std::string_view{};
        };
        SuiteRow row;
        row.line = reader.number();
        row.fen = field(fen);
        if (row.fen.empty()) reader.fail("no fen");
        if (id) row.id = field(*id);
        if (chess960) {
            const std::string_view value = field(*chess960);
            if (value == "y")
                row.variant = Variant::Chess960;
            else if (value == "n")
                row.variant = Variant::Standard;
            else if (!value.empty())
                reader.fail("chess960 is " + quoted(value) + ", neither y nor n");
        }
        row.depth = reader.depth(field(depth));
        row.nodes = reader.nodes(field(nodes));
        rows.push_back(std::move(row));
    }
}

}  // namespace

std::vector<SuiteRow> parse_suite(std::string_view text, const std::string& name) {
    std::vector<SuiteRow> rows;
    Reader reader(text, name);
    std::string_view line;
    while (reader.next(line)) {
        if (trim(line).empty()) continue;
        std::string_view rest = line;
        if (is_tsv_header(line))
            read_tsv(reader, line, rows);
        else if (is_perft_key(take_word(rest)))
            read_perft(reader, line, rows);
        else
            read_epd(reader, line, rows);
    }
    if (rows.empty()) throw Error(ErrorCode::Input, "the suite is empty", name);
    return rows;
}

std::vector<SuiteRow> read_suite(const std::filesystem::path& path) {
    const std::string name = path.string();
    std::error_code error;
    if (std::filesystem::is_directory(path, error))
        throw Error(ErrorCode::File, "a suite is a file, not a directory", name);
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::string text;
    if (file) text.assign(std::istreambuf_iterator<char>(file), {});
    if (!file || file.bad()) {
        const std::string reason = errno != 0 ? std::string(": ") + std::strerror(errno) : "";
        throw Error(ErrorCode::File, "cannot read the suite" + reason, name);
    }
    return parse_suite(text, name);
}

}  // namespace mansuba::perft

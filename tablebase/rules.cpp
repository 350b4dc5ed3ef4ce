#include "tablebase/rules.hpp"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/quote.hpp"
#include "tablebase/rule_files.hpp"

namespace mansuba::tablebase {
namespace {

using Json = nlohmann::json;

/// An iterator over a text that tells how far the parser has read.
class Reading {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    Reading(const char* at, const char** furthest) : at_(at), furthest_(furthest) {}
    reference operator*() const { return *at_; }
    Reading& operator++() {
        *furthest_ = ++at_;
        return *this;
    }
    Reading operator++(int) {
        const Reading was = *this;
        ++*this;
        return was;
    }
    friend bool operator==(const Reading& a, const Reading& b) { return a.at_ == b.at_; }
    friend bool operator!=(const Reading& a, const Reading& b) { return !(a == b); }

private:
    const char* at_;
    const char** furthest_;
};

/// The line on which each value and key of a document stands, by JSON pointer.
class LinesOf : public nlohmann::json_sax<Json> {
public:
    explicit LinesOf(const std::string& text) : begin_(text.data()), furthest_(begin_) {
        Json::sax_parse(Reading(begin_, &furthest_), Reading(begin_ + text.size(), &furthest_),
                        this);
    }
    int at(const std::string& pointer) const {
        const auto found = lines_.find(pointer);
        return found == lines_.end() ? 1 : found->second;
    }

    bool null() override { return value(); }
    bool boolean(bool) override { return value(); }
    bool number_integer(number_integer_t) override { return value(); }
    bool number_unsigned(number_unsigned_t) override { return value(); }
    bool number_float(number_float_t, const string_t&) override { return value(); }
    bool string(string_t&) override { return value(); }
    bool binary(binary_t&) override { return value(); }
    bool start_object(std::size_t) override { return open(false); }
    bool start_array(std::size_t) override { return open(true); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(string_t& name) override {
        levels_.back().step = name;
        lines_[pointer()] = line();
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const Json::exception&) override {
        return false;
    }

private:
    struct Level {
        bool array;
        int number;  // of elements so far
        std::string step;
    };

    std::string pointer() const {
        std::string s;
        for (const Level& l : levels_) s += '/' + l.step;
        return s;
    }
    /// The parser may have looked at the character after a number.
    int line() const {
        return 1 + static_cast<int>(std::count(begin_, std::max(begin_, furthest_ - 1), '\n'));
    }
    bool value() {
        if (!levels_.empty() && levels_.back().array)
            levels_.back().step = std::to_string(levels_.back().number++);
        lines_.try_emplace(pointer(), line());
        return true;
    }
    bool open(bool array) {
        value();
        levels_.push_back({array, 0, {}});
        return true;
    }
    bool close() {
        levels_.pop_back();
        return true;
    }

    const char *begin_, *furthest_;
    std::vector<Level> levels_;
    std::map<std::string, int> lines_;
};

/// Reads the parts of a document and says where one is wrong.
class Document {
public:
    Document(const std::string& text, const std::string& where) : where_(where), lines_(text) {
        try {
            root = Json::parse(text);
        } catch (const Json::parse_error& e) {
            const auto byte = std::min(e.byte ? e.byte - 1 : 0, text.size());
            const auto line =
                1 +
                std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(byte), '\n');
            throw Error(ErrorCode::Input, "not JSON", where_ + ":" + std::to_string(line));
        }
        if (!root.is_object()) refuse("", "a rule set is an object, {...}");
    }

    [[noreturn]] void refuse(const std::string& pointer, const std::string& what) const {
        throw Error(ErrorCode::Input, what, where_ + ":" + std::to_string(lines_.at(pointer)));
    }
    void only(const std::string& pointer, std::initializer_list<std::string_view> keys) const {
        const Json& object = root.at(Json::json_pointer(pointer));
        if (!object.is_object()) refuse(pointer, "an exception is an object, {...}");
        for (const auto& [key, value] : object.items())
            if (std::find(keys.begin(), keys.end(), key) == keys.end())
                refuse(pointer + '/' + key, "unknown key " + mansuba::quoted(key));
    }
    const Json* find(const std::string& pointer) const {
        const Json::json_pointer p(pointer);
        return root.contains(p) ? &root.at(p) : nullptr;
    }
    std::string text(const std::string& object, const std::string& key) const {
        const Json* j = find(object + '/' + key);
        if (!j) refuse(object, mansuba::quoted(key) + " is missing");
        if (!j->is_string()) refuse(object + '/' + key, mansuba::quoted(key) + " is no string");
        return j->get<std::string>();
    }
    int plies(const std::string& object) const {
        const std::string pointer = object + "/moves";
        const Json* j = find(pointer);
        if (!j) refuse(object, "\"moves\" is missing");
        if (!j->is_number_integer() || j->get<std::int64_t>() < 1 ||
            j->get<std::int64_t>() > RuleSet::kMaxMoves)
            refuse(pointer,
                   "a limit is a number of moves from 1 to " + std::to_string(RuleSet::kMaxMoves));
        return 2 * j->get<int>();
    }
    std::optional<Bitboard> squares(const std::string& object, const std::string& key) const {
        const std::string pointer = object + '/' + key;
        const Json* j = find(pointer);
        if (!j) return std::nullopt;
        if (!j->is_array()) refuse(pointer, mansuba::quoted(key) + " is no list of squares");
        Bitboard set = 0;
        for (std::size_t i = 0; i < j->size(); ++i) {
            const Json& one = (*j)[i];
            const std::string s = one.is_string() ? one.get<std::string>() : "";
            if (s.size() != 2 || s[0] < 'a' || s[0] > 'h' || s[1] < '2' || s[1] > '7')
                refuse(pointer + '/' + std::to_string(i), "no square of a pawn: " + one.dump());
            set |= bit(8 * (s[1] - '1') + s[0] - 'a');
        }
        return set;
    }

    Json root;

private:
    const std::string where_;
    const LinesOf lines_;
};

}  // namespace

bool RuleSet::Exception::applies(const PawnPlacements& placements, std::uint32_t placement,
                                 bool mirrored) const {
    const int pawns = placements.white() + placements.black();
    for (int i = 0; i < pawns; ++i) {
        const auto& allowed = i < placements.white() ? white_pawns : black_pawns;
        const int square = placements.at(placement)[static_cast<std::size_t>(i)];
        if (allowed && !(*allowed >> (mirrored ? square ^ 7 : square) & 1)) return false;
    }
    return true;
}

RuleSet::RuleSet() : text_(kRuleFiles[0].text) {}

std::vector<std::string> RuleSet::names() {
    std::vector<std::string> all;
    for (const RuleFile& file : kRuleFiles) all.emplace_back(file.name);
    return all;
}

RuleSet RuleSet::load(const std::string& name_or_file) {
    for (const RuleFile& file : kRuleFiles)
        if (name_or_file == file.name) return parse(file.text, file.name);
    std::error_code error;
    if (!std::filesystem::exists(name_or_file, error)) {
        std::string known;
        for (const std::string& name : names()) known += (known.empty() ? "" : ", ") + name;
        throw Error(ErrorCode::Usage, "no rule set and no file " + mansuba::quoted(name_or_file),
                    "rule sets are " + known);
    }
    const auto bytes = read_file(name_or_file);
    return parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, name_or_file);
}

RuleSet RuleSet::parse(const std::string& json, const std::string& where) {
    const Document document(json, where);
    document.only("", {"name", "about", "moves", "exceptions"});
    RuleSet rules;
    rules.text_ = json;
    rules.name_ = document.text("", "name");
    if (rules.name_.empty() || rules.name_.size() > 64) document.refuse("/name", "no proper name");
    const Json* moves = document.find("/moves");
    const bool no_limit = moves && moves->is_null();
    rules.plies_ = no_limit ? Limits::kNone : document.plies("");
    const Json* exceptions = document.find("/exceptions");
    if (!exceptions) return rules;
    if (!exceptions->is_array()) document.refuse("/exceptions", "exceptions are a list");
    // Else a win by way of a draw would have no length.
    if (no_limit && !exceptions->empty())
        document.refuse("/exceptions", "without a limit there can be no exceptions");
    for (std::size_t i = 0; i < exceptions->size(); ++i) {
        const std::string at = "/exceptions/" + std::to_string(i);
        document.only(
            at, {"endgame", "moves", "white_pawns", "black_pawns", "white_bishop", "black_bishop"});
        Exception e;
        try {
            e.endgame = Material::parse(document.text(at, "endgame"));
        } catch (const Error& error) {
            document.refuse(at + "/endgame", error.what());
        }
        e.plies = document.plies(at);
        e.white_pawns = document.squares(at, "white_pawns");
        e.black_pawns = document.squares(at, "black_pawns");
        for (const char* bishop : {"white_bishop", "black_bishop"}) {
            if (!document.find(at + '/' + bishop)) continue;
            const std::string colour = document.text(at, bishop);
            if (colour != "dark" && colour != "light")
                document.refuse(at + '/' + bishop, "a bishop is \"dark\" or \"light\"");
            e.by_bishop = true;
        }
        if ((e.white_pawns || e.black_pawns || e.by_bishop) &&
            document.text(at, "endgame") != e.endgame.name())
            document.refuse(at + "/endgame",
                            "with pawns or bishops it must be written " + e.endgame.name());
        // The mirrored board has the same value, and so the same limit.
        const Index index(e.endgame);
        for (std::uint32_t p = 0; p < index.pawns().size(); ++p)
            if (!e.by_bishop &&
                e.applies(index.pawns(), p, false) != e.applies(index.pawns(), p, true))
                document.refuse(at, "not the same on the mirrored board");
        rules.exceptions_.push_back(e);
    }
    return rules;
}

Limits RuleSet::limits(const Index& index) const {
    Limits limits;
    if (plies_ != kRulePlies) limits.claim = {plies_};
    for (const Exception& e : exceptions_) {
        if (e.endgame != index.material()) continue;
        if (e.by_bishop)
            throw Error(ErrorCode::Usage,
                        "the limit depends on the colour of the bishop's squares, which a table "
                        "cannot have",
                        name_ + ", " + e.endgame.name());
    }
    const bool any = std::any_of(exceptions_.begin(), exceptions_.end(),
                                 [&](const Exception& e) { return e.endgame == index.material(); });
    if (!any) return limits;
    limits.claim.assign(index.pawns().size(), plies_);
    for (std::uint32_t p = 0; p < index.pawns().size(); ++p) {
        const auto first =
            std::find_if(exceptions_.begin(), exceptions_.end(), [&](const Exception& e) {
                return e.endgame == index.material() && e.applies(index.pawns(), p, false);
            });
        if (first != exceptions_.end()) limits.claim[p] = first->plies;
    }
    return limits;
}

}  // namespace mansuba::tablebase

#include "tablebase/material.hpp"

#include <algorithm>
#include <set>

#include "core/error.hpp"
#include "core/quote.hpp"

namespace mansuba::tablebase {
namespace {

constexpr std::string_view kLetters = "PNBRQ";
constexpr Color kColors[] = {Color::White, Color::Black};
constexpr PieceType kStrongestFirst[] = {PieceType::Queen, PieceType::Rook, PieceType::Bishop,
                                         PieceType::Knight, PieceType::Pawn};

[[noreturn]] void refuse(std::string_view name, const std::string& why) {
    throw Error(ErrorCode::Input, "not a material: " + mansuba::quoted(name), why);
}

/// How a side compares in strength: more men first, then the stronger men.
std::strong_ordering compare_sides(const Material& a, Color ca, const Material& b, Color cb) {
    if (const auto c = a.men(ca) <=> b.men(cb); c != 0) return c;
    for (PieceType t : kStrongestFirst)
        if (const auto c = a.count(ca, t) <=> b.count(cb, t); c != 0) return c;
    return std::strong_ordering::equal;
}

}  // namespace

Material Material::parse(std::string_view name, int max_men) {
    Material m;
    int kings = 0;
    bool divided = false;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const char c = name[i];
        if (c == 'v') {
            if (kings != 1 || divided || i + 1 == name.size())
                refuse(name, "one v may stand between the sides");
            divided = true;
        } else if (c == 'K') {
            if (i > 0 && kings == 0) refuse(name, "each side begins with its K");
            if (++kings > 2) refuse(name, "more than two kings");
            if (kings == 2 && divided && name[i - 1] != 'v')
                refuse(name, "each side begins with its K");
        } else if (const auto t = kLetters.find(c); t != std::string_view::npos) {
            if (kings == 0 || (divided && kings == 1)) refuse(name, "each side begins with its K");
            ++m.counts_[static_cast<std::size_t>(kings - 1)][t];
        } else {
            refuse(name, "the letter " + mansuba::quoted(std::string_view(&c, 1)) +
                             " is no man; men are K Q R B N P");
        }
        if (i >= 32) refuse(name, "too long");
    }
    if (kings != 2) refuse(name, "two sides with a K each are needed, as in KRPvKR");
    if (m.men() > max_men)
        refuse(name, std::to_string(m.men()) + " men; at most " + std::to_string(max_men));
    return m.normalized();
}

Material Material::of(const Board& board) {
    Material m;
    for (Color c : kColors)
        for (PieceType t : kStrongestFirst)
            m.counts_[static_cast<std::size_t>(c)][static_cast<std::size_t>(t)] =
                static_cast<std::uint8_t>(popcount(board.of(c) & board.of(t)));
    return m;
}

std::string Material::name() const {
    std::string s;
    for (Color c : kColors) {
        s += c == Color::White ? "K" : "vK";
        for (PieceType t : kStrongestFirst)
            s.append(static_cast<std::size_t>(count(c, t)), kLetters[static_cast<std::size_t>(t)]);
    }
    return s;
}

int Material::men(Color c) const {
    int n = 1;
    for (int k : counts_[static_cast<std::size_t>(c)]) n += k;
    return n;
}

bool Material::is_normal() const {
    return compare_sides(*this, Color::White, *this, Color::Black) >= 0;
}

Material Material::swapped() const {
    Material m = *this;
    std::swap(m.counts_[0], m.counts_[1]);
    return m;
}

Material Material::without(Color c, PieceType t) const {
    Material m = *this;
    --m.counts_[static_cast<std::size_t>(c)][static_cast<std::size_t>(t)];
    return m;
}

Material Material::with(Color c, PieceType t) const {
    Material m = *this;
    ++m.counts_[static_cast<std::size_t>(c)][static_cast<std::size_t>(t)];
    return m;
}

std::vector<Material> Material::successors() const {
    std::set<Material> found;
    const auto captures_by = [&](Color c, const Material& m) {
        for (PieceType t : kStrongestFirst)
            if (m.count(~c, t)) found.insert(m.without(~c, t).normalized());
    };
    for (Color c : kColors) {
        captures_by(c, *this);
        if (!count(c, PieceType::Pawn)) continue;
        for (PieceType t : kStrongestFirst) {
            if (t == PieceType::Pawn) continue;
            const Material promoted = without(c, PieceType::Pawn).with(c, t);
            found.insert(promoted.normalized());
            captures_by(c, promoted);
        }
    }
    return {found.begin(), found.end()};
}

std::strong_ordering operator<=>(const Material& a, const Material& b) {
    if (const auto c = a.men() <=> b.men(); c != 0) return c;
    if (const auto c = a.pawns() <=> b.pawns(); c != 0) return c;
    for (Color side : kColors)
        if (const auto c = compare_sides(a, side, b, side); c != 0) return c;
    return std::strong_ordering::equal;
}

std::vector<Material> closure(const std::vector<Material>& materials) {
    std::set<Material> done;
    std::vector<Material> open = materials;
    while (!open.empty()) {
        const Material m = open.back();
        open.pop_back();
        if (m.men() == 2 || !done.insert(m).second) continue;
        for (const Material& s : m.successors()) open.push_back(s);
    }
    return {done.begin(), done.end()};
}

std::vector<Material> materials_up_to(int men) {
    std::set<Material> all{Material()};
    std::vector<Material> open{Material()};
    while (!open.empty()) {
        const Material m = open.back();
        open.pop_back();
        if (m.men() == men) continue;
        for (Color c : kColors)
            for (PieceType t : kStrongestFirst) {
                const Material larger = m.with(c, t).normalized();
                if (all.insert(larger).second) open.push_back(larger);
            }
    }
    all.erase(Material());
    return {all.begin(), all.end()};
}

}  // namespace mansuba::tablebase

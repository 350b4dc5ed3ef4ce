#include "tablebase/syzygy/numbering.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/attacks.hpp"
#include "tablebase/syzygy/bytes.hpp"

namespace mansuba::tablebase::syzygy {
namespace {

using U64 = std::uint64_t;

/// Subsets of k among n, by k and n; none where k > n.
constexpr auto kBinomial = [] {
    std::array<std::array<U64, 65>, Material::kMaxMen> b{};
    for (std::size_t n = 0; n <= 64; ++n) {
        b[0][n] = 1;
        for (std::size_t k = 1; k < b.size() && n > 0; ++k) b[k][n] = b[k - 1][n - 1] + b[k][n - 1];
    }
    return b;
}();
constexpr U64 subsets(int k, int n) {
    return kBinomial[static_cast<std::size_t>(k)][static_cast<std::size_t>(n)];
}

// Without pawns the first man is brought into the triangle a1-d1-d4. Its ten squares, those below the
// diagonal first, each kind from a1 on:
constexpr std::array<Square, 10> kTriangleSquares{1, 2, 3, 10, 11, 19, 0, 9, 18, 27};
constexpr int kBelowInTriangle = 6,
              kBelow = 28;  // squares below the diagonal there, and of the board

constexpr auto kTriangle = [] {
    std::array<int, 64> number{};
    for (std::size_t i = 0; i < kTriangleSquares.size(); ++i)
        number[static_cast<std::size_t>(kTriangleSquares[i])] = static_cast<int>(i);
    return number;
}();
constexpr int height(Square s) { return rank_of(s) - file_of(s); }  // above the diagonal
/// The squares below the diagonal, from b1 on.
constexpr auto kBelowNumber = [] {
    std::array<int, 64> number{};
    int n = 0;
    for (Square s = 0; s < 64; ++s)
        if (height(s) < 0) number[static_cast<std::size_t>(s)] = n++;
    return number;
}();

constexpr bool touch(Square a, Square b) {
    const int files = file_of(a) - file_of(b), ranks = rank_of(a) - rank_of(b);
    return files * files <= 1 && ranks * ranks <= 1;
}
/// Pairs of kings that do not touch, by the first one's number in the triangle and the second one's
/// square; pairs with both on the diagonal come last.
struct KingPairs {
    std::array<std::array<int, 64>, 10> number{};
    int count = 0;
};
constexpr KingPairs kKings = [] {
    KingPairs pairs;
    for (const bool both_on_diagonal : {false, true})
        for (std::size_t t = 0; t < 10; ++t)
            for (Square s = 0; s < 64; ++s) {
                const Square first = kTriangleSquares[t];
                if (touch(first, s) || (height(first) == 0 && height(s) > 0)) continue;
                if ((height(first) == 0 && height(s) == 0) == both_on_diagonal)
                    pairs.number[t][static_cast<std::size_t>(s)] = pairs.count++;
            }
    return pairs;
}();
static_assert(kKings.count == 462);

// Three distinct men: where the first off the diagonal is the first, second, third, or none.
constexpr U64 kFirstOff = kBelowInTriangle * 63 * 62, kSecondOff = 4 * kBelow * 62,
              kThirdOff = 4 * 7 * kBelow, kNoneOff = 4 * 7 * 6;

// Pawns: 47 for a2, then 46 for h2, a3, h3, ... a7, h7, b2, ... e7: the leading pawn has the highest.
constexpr int pawn_order(Square s) {
    const int file = file_of(s), from_edge = std::min(file, 7 - file);
    return 47 - (12 * from_edge + 2 * (rank_of(s) - 1) + (file > 3));
}
/// By the number of pawns that follow the leading one, its file and its rank (from the second): the
/// numbers below those with the leading pawn there; the last entry is the number of all.
constexpr int kMaxFollowing = Material::kMaxMen - 3;
constexpr auto kLeadingPawn = [] {
    std::array<std::array<std::array<U64, 7>, 4>, kMaxFollowing + 1> first{};
    for (int following = 0; following <= kMaxFollowing; ++following)
        for (int file = 0; file < 4; ++file) {
            auto& ranks =
                first[static_cast<std::size_t>(following)][static_cast<std::size_t>(file)];
            for (int r = 0; r < 6; ++r)
                ranks[static_cast<std::size_t>(r) + 1] =
                    ranks[static_cast<std::size_t>(r)] +
                    subsets(following, pawn_order(make_square(file, r + 1)));
        }
    return first;
}();
const std::array<U64, 7>& leading_pawn_numbers(int following, int file) {
    return kLeadingPawn[static_cast<std::size_t>(following)][static_cast<std::size_t>(file)];
}

/// For a handful of squares.
template <class Iterator, class Key>
void sort_by(Iterator begin, Iterator end, Key key) {
    for (Iterator i = begin; i != end; ++i)
        for (Iterator k = i; k != begin && key(*k) < key(*(k - 1)); --k) std::iter_swap(k, k - 1);
}

/// All squares at once, a byte each.
template <class Change>
void change_all(MenSquares& squares, Change change) {
    std::uint64_t all;
    static_assert(sizeof(squares) == sizeof(all));
    std::memcpy(&all, squares.data(), sizeof(all));
    all = change(all);
    std::memcpy(squares.data(), &all, sizeof(all));
}
constexpr std::uint64_t kFiles = 0x0707'0707'0707'0707, kRanks = kFiles << 3;

}  // namespace

Numbering::Numbering(const MenOrder& order) : order_(order) {
    const std::vector<Piece>& men = order_.men;
    const int count = static_cast<int>(men.size());
    const auto man = [&](int i) { return men[static_cast<std::size_t>(i)]; };
    const auto run = [&](int first) {  // of like men
        int end = first + 1;
        while (end < count && man(end) == man(first)) ++end;
        return end - first;
    };
    has_pawns_ =
        std::any_of(men.begin(), men.end(), [](Piece p) { return p.type == PieceType::Pawn; });
    U64 lead_numbers;
    if (has_pawns_) {
        lead_ = {0, run(0), 0, 0};
        if (man(0).type != PieceType::Pawn || lead_.size > kMaxFollowing + 1)
            throw Damage{"its pawns do not lead"};
        lead_numbers = leading_pawn_numbers(lead_.size - 1, order_.pawn_file)[6];
    } else {
        // Only kings are one of a kind in the first case.
        const auto singles = std::count_if(men.begin(), men.end(), [&](Piece p) {
            return std::count(men.begin(), men.end(), p) == 1;
        });
        lead_ = {0, singles > 2 ? 3 : 2, 0, 0};
        lead_numbers = singles > 2 ? kFirstOff + kSecondOff + kThirdOff + kNoneOff : kKings.count;
        for (int i = 0; i < lead_.size; ++i)
            if (i >= count || run(i) > 1 || (singles == 2 && man(i).type != PieceType::King) ||
                std::count(men.begin(), men.end(), man(i)) > 1)
                throw Damage{"its leading men make no group"};
    }
    for (int i = lead_.size; i < count; i += run(i)) groups_.push_back({i, run(i), 0, 0});

    // Factors rise along the places. The leading group and the other side's pawns have places of their
    // own; the remaining groups take the others in the order of the file.
    const bool other_pawns = order_.other_pawns != MenOrder::kNone;
    if (other_pawns) {
        if (groups_.empty() || man(groups_[0].first).type != PieceType::Pawn)
            throw Damage{"the other side's pawns do not follow the leading ones"};
        groups_[0].first_square = 8;
    }
    const int places = static_cast<int>(groups_.size()) + 1;
    std::size_t next = other_pawns ? 1 : 0;
    int free = 64 - lead_.size - (other_pawns ? groups_[0].size : 0);
    U64 factor = 1;
    for (int place = 0; place < places; ++place) {
        if (place == order_.lead_place) {
            lead_.factor = factor;
            factor *= lead_numbers;
        } else if (other_pawns && place == order_.other_pawns) {
            groups_[0].factor = factor;
            factor *= subsets(groups_[0].size, 48 - lead_.size);
        } else if (next < groups_.size()) {
            Group& group = groups_[next++];
            group.factor = factor;
            factor *= subsets(group.size, free);
            free -= group.size;
        }
    }
    // Each of the places was taken once only if each factor was set.
    if (lead_.factor == 0 ||
        std::any_of(groups_.begin(), groups_.end(), [](const Group& g) { return g.factor == 0; }))
        throw Damage{"the places of its groups do not fit"};
    size_ = factor;
}

std::vector<MenSquares> Numbering::lead_placements() const {
    std::vector<MenSquares> placements;
    const auto visit = [&](const MenSquares& squares) {
        MenSquares s = squares;
        const U64 number = lead_number(s);
        // Others are images of one that number() leaves as it stands.
        if (!std::equal(s.begin(), s.begin() + lead_.size, squares.begin())) return;
        if (number >= placements.size()) placements.resize(number + 1, MenSquares{});
        placements[number] = squares;
    };
    // The men in the order in which number() sorts them, so that each set is met once.
    const auto place = [&](const auto& self, MenSquares& squares, int man) -> void {
        if (man == lead_.size) return visit(squares);
        for (Square s = has_pawns_ ? 8 : 0; s < (has_pawns_ ? 56 : 64); ++s) {
            if (std::find(squares.begin(), squares.begin() + man, s) != squares.begin() + man)
                continue;
            if (has_pawns_) {
                if (man == 0 && file_of(s) != order_.pawn_file) continue;
                if (man > 0 && pawn_order(s) > pawn_order(squares[0])) continue;
                if (man > 1 &&
                    pawn_order(s) < pawn_order(squares[static_cast<std::size_t>(man - 1)]))
                    continue;
            }
            if (lead_.size == 2 && !has_pawns_ && man == 1 && touch(squares[0], s)) continue;
            squares[static_cast<std::size_t>(man)] = static_cast<std::uint8_t>(s);
            self(self, squares, man + 1);
        }
    };
    MenSquares squares{};
    place(place, squares, 0);
    return placements;
}

int Numbering::leading_pawn(MenSquares& squares, int pawns) noexcept {
    for (int i = 1; i < pawns; ++i) {
        std::uint8_t& s = squares[static_cast<std::size_t>(i)];
        if (pawn_order(s) > pawn_order(squares[0])) std::swap(s, squares[0]);
    }
    const int file = file_of(squares[0]);
    return std::min(file, 7 - file);
}

std::uint64_t Numbering::lead_number(MenSquares& s) const noexcept {
    if (file_of(s[0]) > 3) change_all(s, [](U64 all) { return all ^ kFiles; });
    if (has_pawns_) {
        const int following = lead_.size - 1;
        sort_by(s.begin() + 1, s.begin() + lead_.size, [](Square q) { return pawn_order(q); });
        U64 number = leading_pawn_numbers(
            following, order_.pawn_file)[static_cast<std::size_t>(rank_of(s[0]) - 1)];
        for (int i = 1; i <= following; ++i)
            number += subsets(i, pawn_order(s[static_cast<std::size_t>(i)]));
        return number;
    }
    if (rank_of(s[0]) > 3) change_all(s, [](U64 all) { return all ^ kRanks; });
    for (int i = 0; i < lead_.size; ++i) {
        const int above = height(s[static_cast<std::size_t>(i)]);
        if (above > 0)
            change_all(s, [](U64 all) { return (all & kRanks) >> 3 | (all & kFiles) << 3; });
        if (above != 0) break;
    }
    const U64 triangle = static_cast<U64>(kTriangle[s[0]]);
    if (lead_.size == 2) return static_cast<U64>(kKings.number[triangle][s[1]]);
    // Squares, counted without those of the men before.
    const U64 second = U64{s[1]} - (s[1] > s[0]);
    const U64 third = U64{s[2]} - (s[2] > s[0]) - (s[2] > s[1]);
    if (height(s[0]) != 0) return (triangle * 63 + second) * 62 + third;
    // The same along the diagonal.
    const U64 first_on = U64{s[0]} >> 3, second_on = (U64{s[1]} >> 3) - (s[1] > s[0]);
    const auto below = [&](int i) {
        return static_cast<U64>(kBelowNumber[s[static_cast<std::size_t>(i)]]);
    };
    if (height(s[1]) != 0) return kFirstOff + (first_on * kBelow + below(1)) * 62 + third;
    if (height(s[2]) != 0)
        return kFirstOff + kSecondOff + (first_on * 7 + second_on) * kBelow + below(2);
    return kFirstOff + kSecondOff + kThirdOff + (first_on * 7 + second_on) * 6 + (U64{s[2]} >> 3) -
           (s[2] > s[0]) - (s[2] > s[1]);
}

std::uint64_t Numbering::number(MenSquares& squares) const noexcept {
    U64 number = lead_number(squares) * lead_.factor;
    for (const Group& group : groups_) {
        const auto first = squares.begin() + group.first, end = first + group.size;
        sort_by(first, end, [](Square s) { return s; });
        U64 digit = 0;
        int nth = 0;
        for (auto s = first; s != end; ++s) {
            const auto before = std::count_if(squares.begin(), first,
                                              [&](std::uint8_t taken) { return taken < *s; });
            digit += subsets(++nth, *s - static_cast<int>(before) - group.first_square);
        }
        number += digit * group.factor;
    }
    return number;
}

}  // namespace mansuba::tablebase::syzygy

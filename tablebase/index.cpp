#include "tablebase/index.hpp"

#include <algorithm>
#include <cassert>
#include <cstdlib>

namespace mansuba::tablebase {
namespace {

constexpr int kPawnSquares = 48;  // a2 to h7

/// C(n, k) for the numbers of ways to place pawns.
constexpr auto kBinomial = [] {
    std::array<std::array<std::uint64_t, PawnPlacements::kMaxPawns + 1>, kPawnSquares + 1> c{};
    for (std::size_t n = 0; n <= kPawnSquares; ++n) {
        c[n][0] = 1;
        for (std::size_t k = 1; k < c[n].size() && k <= n; ++k)
            c[n][k] = c[n - 1][k - 1] + (k <= n - 1 ? c[n - 1][k] : 0);
    }
    return c;
}();

std::uint64_t ways(int pawns) { return kBinomial[kPawnSquares][static_cast<std::size_t>(pawns)]; }

/// The number of a set of pawn squares among the sets of its size (the combinatorial number system).
std::uint64_t rank_of_set(std::span<const std::int8_t> sorted) {
    std::uint64_t rank = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i)
        rank += kBinomial[static_cast<std::size_t>(sorted[i] - 8)][i + 1];
    return rank;
}

bool next_set(std::span<std::int8_t> sorted) {
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const int limit = i + 1 < sorted.size() ? sorted[i + 1] : 8 + kPawnSquares;
        if (sorted[i] + 1 < limit) {
            ++sorted[i];
            for (std::size_t j = 0; j < i; ++j) sorted[j] = static_cast<std::int8_t>(8 + j);
            return true;
        }
    }
    return false;
}

std::vector<std::int8_t> first_set(int pawns) {
    std::vector<std::int8_t> set(static_cast<std::size_t>(pawns));
    for (std::size_t i = 0; i < set.size(); ++i) set[i] = static_cast<std::int8_t>(8 + i);
    return set;
}

/// For a handful.
void sort_few(std::span<std::int8_t> squares) {
    for (std::size_t i = 1; i < squares.size(); ++i)
        for (std::size_t j = i; j > 0 && squares[j] < squares[j - 1]; --j)
            std::swap(squares[j], squares[j - 1]);
}

void mirror(std::span<std::int8_t> squares) {
    for (std::int8_t& s : squares) s ^= 7;
    sort_few(squares);
}

/// Whether mirroring lowers the files that the pawns stand on. Files alone decide, so that no push
/// changes the answer.
bool wants_mirror(std::span<const std::int8_t> white, std::span<const std::int8_t> black) {
    for (const auto& side : {white, black}) {
        std::array<int, 8> on{};
        for (int s : side) ++on[static_cast<std::size_t>(s & 7)];
        for (std::size_t f = 0; f < 8; ++f)
            if (on[f] != on[7 - f]) return on[f] < on[7 - f];
    }
    return false;
}

int steps(std::span<const std::int8_t> white, std::span<const std::int8_t> black) {
    int n = 0;
    for (int s : white) n += 7 - rank_of(s);
    for (int s : black) n += rank_of(s);
    return n;
}

bool adjacent_or_equal(Square a, Square b) {
    return std::max(std::abs(file_of(a) - file_of(b)), std::abs(rank_of(a) - rank_of(b))) <= 1;
}

/// The symmetry that takes a king pair to its representative without pawns.
Symmetry symmetry_of_pair(Square white, Square black) {
    unsigned what = 0;
    if (file_of(white) > 3) what |= Symmetry::kMirrorFiles;
    if (rank_of(white) > 3) what |= Symmetry::kFlipRanks;
    const Symmetry half(what);
    const Square w = half(white), b = half(black);
    if (rank_of(w) > file_of(w) || (rank_of(w) == file_of(w) && rank_of(b) > file_of(b)))
        what |= Symmetry::kTranspose;
    return {what};
}

std::vector<KingPair> make_pairs(bool with_pawns) {
    std::vector<KingPair> pairs;
    for (Square w = 0; w < 64; ++w)
        for (Square b = 0; b < 64; ++b)
            if (!adjacent_or_equal(w, b) && (with_pawns || symmetry_of_pair(w, b) == Symmetry()))
                pairs.push_back({static_cast<std::int8_t>(w), static_cast<std::int8_t>(b)});
    return pairs;
}

}  // namespace

PawnPlacements::PawnPlacements(int white, int black)
    : white_(white), black_(black), number_(ways(white) * ways(black), 0) {
    if (!white && !black) {
        list_.push_back(0);
        return;
    }
    struct Placement {
        int steps;
        std::uint64_t code;
    };
    std::vector<Placement> placements;
    std::vector<std::int8_t> w = first_set(white);
    do {
        std::vector<std::int8_t> b = first_set(black);
        do {
            const bool apart = std::none_of(w.begin(), w.end(), [&](std::int8_t s) {
                return std::find(b.begin(), b.end(), s) != b.end();
            });
            if (apart && !wants_mirror(w, b))
                placements.push_back({steps(w, b), rank_of_set(w) * ways(black) + rank_of_set(b)});
        } while (next_set(b));
    } while (next_set(w));
    std::sort(placements.begin(), placements.end(), [](const Placement& x, const Placement& y) {
        return x.steps != y.steps ? x.steps < y.steps : x.code < y.code;
    });

    const auto unrank = [this](std::uint64_t rank, int k) {
        const std::size_t start = list_.size();
        for (int i = k; i > 0; --i) {
            int s = kPawnSquares - 1;
            while (kBinomial[static_cast<std::size_t>(s)][static_cast<std::size_t>(i)] > rank) --s;
            rank -= kBinomial[static_cast<std::size_t>(s)][static_cast<std::size_t>(i)];
            list_.push_back(static_cast<std::int8_t>(s + 8));
        }
        std::reverse(list_.begin() + static_cast<std::ptrdiff_t>(start), list_.end());
    };
    list_.reserve(placements.size() * stride());
    for (std::size_t i = 0; i < placements.size(); ++i) {
        number_[placements[i].code] = static_cast<std::uint32_t>(i);
        unrank(placements[i].code / ways(black), white);
        unrank(placements[i].code % ways(black), black);
    }
}

std::uint64_t PawnPlacements::code(std::span<const std::int8_t> sorted) const {
    const auto w = static_cast<std::size_t>(white_);
    return rank_of_set(sorted.first(w)) * ways(black_) + rank_of_set(sorted.subspan(w));
}

int PawnPlacements::steps_left(std::uint32_t placement) const {
    if (!white_ && !black_) return 0;
    const auto pawns = at(placement);
    const auto w = static_cast<std::size_t>(white_);
    return steps(pawns.first(w), pawns.subspan(w));
}

PawnPlacements::Found PawnPlacements::find(std::span<const std::int8_t> pawns) const {
    if (!white_ && !black_) return {0, false};
    Squares copy{};
    const auto w = static_cast<std::size_t>(white_), n = pawns.size();
    std::copy(pawns.begin(), pawns.end(), copy.begin());
    const std::span<std::int8_t> white(copy.data(), w), black(copy.data() + w, n - w);
    sort_few(white);
    sort_few(black);
    const bool mirrored = wants_mirror(white, black);
    if (mirrored) {
        mirror(white);
        mirror(black);
    }
    return {number_[code({copy.data(), n})], mirrored};
}

Index::Index(const Material& material)
    : material_(material),
      pawns_(material.count(Color::White, PieceType::Pawn),
             material.count(Color::Black, PieceType::Pawn)) {
    const auto add = [this](Color c, PieceType t) {
        men_[static_cast<std::size_t>(count_++)] = {c, t};
    };
    add(Color::White, PieceType::King);
    add(Color::Black, PieceType::King);
    for (Color c : {Color::White, Color::Black})
        for (int i = 0; i < material.count(c, PieceType::Pawn); ++i) add(c, PieceType::Pawn);
    const int first = count_;
    for (Color c : {Color::Black, Color::White})
        for (PieceType t :
             {PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen})
            for (int i = 0; i < material.count(c, t); ++i) add(c, t);

    has_king_pairs_ = count_ - first >= 2;
    const auto add_axis = [this](int man) {
        axes_[static_cast<std::size_t>(axis_count_++)] = static_cast<std::int8_t>(man);
    };
    if (!has_king_pairs_) {
        add_axis(kWhiteKing);
        add_axis(kBlackKing);
    }
    for (int i = first; i < count_; ++i) add_axis(i);
    for (int a = 0; a + 1 < axis_count_; ++a) {
        const auto man = static_cast<std::size_t>(axes_[static_cast<std::size_t>(a)]);
        if (has_king_pairs_ && men_[man] == men_[man + 1])
            like_ = static_cast<std::uint8_t>(like_ | 1u << a);
    }
    if (outer_axes() > 1)
        like_outer_ = static_cast<std::uint8_t>(like_ & ((1u << (outer_axes() - 1)) - 1));

    if (has_king_pairs_) {
        pairs_ = make_pairs(material.pawns() > 0);
        pair_number_.assign(64 * 64, kNoPair);
        for (std::size_t i = 0; i < pairs_.size(); ++i)
            pair_number_[static_cast<std::size_t>(pairs_[i].white * 64 + pairs_[i].black)] =
                static_cast<std::uint32_t>(i);
    } else {
        pairs_.push_back({0, 0});
    }
}

std::vector<std::uint64_t> Index::shape() const {
    std::vector<std::uint64_t> dims;
    if (pawns_.size() > 1) dims.push_back(pawns_.size());
    if (has_king_pairs_) dims.push_back(pairs_.size());
    dims.insert(dims.end(), static_cast<std::size_t>(axis_count_), 64);
    return dims;
}

Symmetry Index::symmetry_of_kings(const Squares& squares) const {
    if (!has_king_pairs_ || material_.pawns()) return {};
    return symmetry_of_pair(squares[kWhiteKing], squares[kBlackKing]);
}

Index::Frame Index::frame(const Squares& squares) const {
    const int pawn_count = material_.pawns();
    const PawnPlacements::Found found =
        pawns_.find({squares.data() + kFirstPawn, static_cast<std::size_t>(pawn_count)});
    Frame f{found.placement, {found.mirrored ? Symmetry::kMirrorFiles : 0}};
    const Square white = squares[kWhiteKing], black = squares[kBlackKing];
    if (has_king_pairs_) {
        if (!pawn_count) f.symmetry = symmetry_of_pair(white, black);
        const std::uint32_t pair = pair_number(f.symmetry(white), f.symmetry(black));
        assert(pair != kNoPair);
        f.base = (f.base * pairs_.size() + pair) << 6 * axis_count_;
    } else {
        f.base <<= 6 * axis_count_;
    }
    return f;
}

std::uint64_t Index::cell(const Squares& squares) const {
    const Frame f = frame(squares);
    std::uint64_t c = f.base;
    for (int i = 0; i < axis_count_; ++i)
        c += stride(i) *
             static_cast<std::uint64_t>(f.symmetry(
                 squares[static_cast<std::size_t>(axes()[static_cast<std::size_t>(i)])]));
    return kept(c >> 12) << 12 | (c & 4095);
}

std::uint64_t Index::kept_blocks() const {
    std::uint64_t kept_ones = 0;
    for (std::uint64_t b = 0; b < blocks_per_pair(); ++b) kept_ones += is_kept(b);
    return pawns_.size() * pairs_.size() * kept_ones;
}

std::uint64_t Index::index_of(Squares squares) const {
    const auto count = static_cast<std::size_t>(count_);
    // Like men stand together in men(), the first of them on the highest dimension.
    const auto lowest_order = [&](Squares s) {
        for (auto i = static_cast<std::size_t>(first_other()); i < count;) {
            std::size_t j = i + 1;
            while (j < count && men_[j] == men_[i]) ++j;
            sort_few({s.data() + i, j - i});
            i = j;
        }
        return cell(s);
    };
    const auto image = [&](Symmetry symmetry) {
        Squares s = squares;
        for (std::size_t i = 0; i < count; ++i) s[i] = static_cast<std::int8_t>(symmetry(s[i]));
        return s;
    };
    squares = image(frame(squares).symmetry);
    std::uint64_t best = lowest_order(squares);
    // Another image is as good where it, too, is left as it stands.
    const bool with_pawns = material_.pawns() > 0;
    const unsigned step = has_king_pairs_ && !with_pawns ? Symmetry::kTranspose : 1;
    for (unsigned t = step; t < (with_pawns ? 2 : 8); t += step) {
        const Squares other = image({t});
        if (frame(other).symmetry == Symmetry()) best = std::min(best, lowest_order(other));
    }
    return best;
}

std::uint64_t Index::lowest(std::uint64_t cell) const {
    if (!has_king_pairs_ || material_.pawns()) return index_of(position_at(cell));
    const std::uint64_t ordered = lowest_order(cell);
    const int bits = 6 * axis_count_;
    const KingPair& pair = pairs_[cell >> bits];
    const Symmetry transpose(Symmetry::kTranspose);
    if (transpose(pair.white) != pair.white || transpose(pair.black) != pair.black) return ordered;
    // All other men at once: files and ranks, three bits each, change places.
    constexpr std::uint64_t kFiles = 0x1c7'1c71'c71c'71c7;
    const std::uint64_t men = cell & ((std::uint64_t{1} << bits) - 1);
    const std::uint64_t transposed = (men & kFiles) << 3 | (men >> 3 & kFiles);
    return std::min(ordered, lowest_order(cell - men + transposed));
}

Squares Index::position_at(std::uint64_t cell) const {
    Squares squares{};
    for (int i = axis_count_ - 1; i >= 0; --i) {
        squares[static_cast<std::size_t>(axes()[static_cast<std::size_t>(i)])] =
            static_cast<std::int8_t>(cell & 63);
        cell >>= 6;
    }
    if (has_king_pairs_) {
        const KingPair& pair = pairs_[cell % pairs_.size()];
        squares[kWhiteKing] = pair.white;
        squares[kBlackKing] = pair.black;
        cell /= pairs_.size();
    }
    if (material_.pawns()) {
        const auto pawns = pawns_.at(static_cast<std::uint32_t>(cell));
        std::copy(pawns.begin(), pawns.end(), squares.begin() + kFirstPawn);
    }
    return squares;
}

Squares Index::squares_of(const Board& board, bool swapped) const {
    Squares squares{};
    std::size_t i = 0;
    while (i < static_cast<std::size_t>(count_)) {
        const Piece man = men_[i];
        Bitboard b = board.of(swapped ? ~man.color : man.color) & board.of(man.type);
        while (b) {
            const Square s = pop_lowest(b);
            squares[i++] = static_cast<std::int8_t>(swapped ? s ^ 56 : s);
        }
    }
    return squares;
}

}  // namespace mansuba::tablebase

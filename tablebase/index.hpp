// The numbering of the positions of an endgame: which cell of a table holds which position.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/position.hpp"
#include "tablebase/material.hpp"

namespace mansuba::tablebase {

/// One of the eight symmetries of the board: files mirrored, then ranks flipped, then files and
/// ranks exchanged, each or not.
class Symmetry {
public:
    static constexpr unsigned kMirrorFiles = 1, kFlipRanks = 2, kTranspose = 4;

    constexpr Symmetry(unsigned what = 0) : what_(static_cast<std::uint8_t>(what)) {}
    constexpr unsigned what() const { return what_; }
    MANSUBA_INLINE constexpr Square operator()(Square s) const {
        s ^= (what_ & kMirrorFiles ? 7 : 0) ^ (what_ & kFlipRanks ? 56 : 0);
        return what_ & kTranspose ? s >> 3 | (s & 7) << 3 : s;
    }
    /// First `a`, then `b`.
    friend constexpr Symmetry then(Symmetry a, Symmetry b);
    friend constexpr bool operator==(Symmetry, Symmetry) = default;

private:
    std::uint8_t what_;
};

constexpr Symmetry then(Symmetry a, Symmetry b) {
    if (!(a.what_ & Symmetry::kTranspose)) return {static_cast<unsigned>(a.what_ ^ b.what_)};
    // Mirroring after an exchange is flipping before it.
    const unsigned swapped = (b.what_ & 1u) << 1 | (b.what_ & 2u) >> 1 | (b.what_ & 4u);
    return {a.what_ ^ swapped};
}

/// By Symmetry::what() and square: the square that it comes to, for loops that branches would hold up.
inline constexpr auto kImages = [] {
    std::array<std::array<std::uint8_t, 64>, 8> all{};
    for (unsigned what = 0; what < all.size(); ++what)
        for (Square s = 0; s < 64; ++s)
            all[what][static_cast<std::size_t>(s)] = static_cast<std::uint8_t>(Symmetry(what)(s));
    return all;
}();

/// Squares of the men in the order of Index::men(), and room to make it a word.
using Squares = std::array<std::int8_t, Material::kMaxMen + 1>;

/// Two kings' squares.
struct KingPair {
    std::int8_t white, black;
};

/// The placements of the pawns of an endgame, up to mirroring files: a table is built placement by
/// placement. Every pawn move leads to one of a lower number, or out of the endgame.
class PawnPlacements {
public:
    /// Pawns of both sides together: all placements are listed, and there are too many of more.
    static constexpr int kMaxPawns = 5;

    /// Pawns of White and of Black; none at all has one placement.
    PawnPlacements(int white, int black);

    int white() const { return white_; }
    int black() const { return black_; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(list_.size()) / stride(); }
    /// White's pawns, then Black's, each lowest square first.
    std::span<const std::int8_t> at(std::uint32_t placement) const {
        return {list_.data() + placement * stride(), stride()};
    }
    /// How many single steps all pawns are from promotion: placements are ordered by it, and those
    /// with the same number never lead to each other.
    int steps_left(std::uint32_t placement) const;

    struct Found {
        std::uint32_t placement;
        bool mirrored;  // the files have to be mirrored to have it
    };
    /// Of pawns in any order within a side, not all of them distinct squares even: then, as for
    /// squares no pawn can stand on, the answer means nothing but is in range.
    Found find(std::span<const std::int8_t> pawns) const;

private:
    std::uint32_t stride() const {
        return static_cast<std::uint32_t>(white_ + black_ ? white_ + black_ : 1);
    }
    std::uint64_t code(std::span<const std::int8_t> sorted) const;

    int white_, black_;
    std::vector<std::int8_t> list_;
    std::vector<std::uint32_t> number_;  // by code()
};

/// The cells of one side to move:
///
///     [pawn placement][king pair][man]...[man]
///
/// where every [man] is its square, 0 to 63. The last two are the word and the bit of a bit set over
/// the cells: 64 words of 64 bits are a block. With two men or more beside kings and pawns, the king
/// pairs are the 3612 of kings that are not adjacent, or, without pawns, the 462 that remain up to
/// the symmetries of the board: White's king on a1-d1-d4, Black's not above the diagonal a1-h8 if
/// White's is on it. With fewer men the kings are ordinary men: White's, then Black's, then the
/// other. Without pawns and with one man no symmetry is taken off: there are 64^3 cells.
///
/// Like men among the outer ones ([man]s before the word) stand in the order of their squares: cells where
/// they do not are there, but nothing is read from them, nor need they hold anything (kept()).
///
/// Cells may hold no legal position (two men on a square, a king that can be captured). Positions
/// that differ by exchanging like men, or by a symmetry that the kings (both on the diagonal) or the
/// pawns (files symmetric as a whole) do not decide, have a cell each, with equal values;
/// index_of() gives the lowest of them.
class Index {
public:
    /// Of a material in normal form with 3 to Material::kMaxPlanned men, at most
    /// PawnPlacements::kMaxPawns of them pawns.
    explicit Index(const Material& material);

    const Material& material() const { return material_; }

    /// The kings (White's first), the pawns (White's first), the other men: Black's from the weakest
    /// up, then White's. So the strongest attacker moves along neighbouring cells, whose values are
    /// alike: that halves the compressed size against the other order.
    std::span<const Piece> men() const { return {men_.data(), static_cast<std::size_t>(count_)}; }
    static constexpr int kWhiteKing = 0, kBlackKing = 1, kFirstPawn = 2;
    int first_other() const { return kFirstPawn + material_.pawns(); }

    const PawnPlacements& pawns() const { return pawns_; }
    /// Whether king pairs are numbered, see above; else the kings are axes.
    bool has_king_pairs() const { return has_king_pairs_; }
    std::span<const KingPair> king_pairs() const { return pairs_; }
    static constexpr std::uint32_t kNoPair = 0xffff'ffff;
    /// The number of a king pair as it stands, without symmetry; kNoPair if it has none.
    std::uint32_t pair_number(Square white, Square black) const {
        return pair_number_[static_cast<std::size_t>(white * 64 + black)];
    }

    /// The men whose squares are the last dimensions, by their place in men(): at least two.
    std::span<const std::int8_t> axes() const {
        return {axes_.data(), static_cast<std::size_t>(axis_count_)};
    }
    int outer_axes() const { return axis_count_ - 2; }
    /// Whether like men are among the outer ones, so that kept() leaves out part of the blocks.
    bool orders_outer_men() const { return like_outer_ != 0; }
    /// The block with the same positions that is worked with: itself unless like outer men stand in the wrong
    /// order. Of a block's number in a table or in a placement.
    template <class Number>
    MANSUBA_INLINE Number kept(Number block) const {
        return like_outer_ ? ordered(block, outer_axes(), like_outer_) : block;
    }
    bool is_kept(std::uint64_t block) const { return kept(block) == block; }
    /// index_of(position_at(cell)), of a cell whose kings are not adjacent.
    std::uint64_t lowest(std::uint64_t cell) const;
    /// The lowest of the cells that differ from this one by exchanging like men.
    std::uint64_t lowest_order(std::uint64_t cell) const {
        return ordered(cell, axis_count_, like_);
    }
    /// How many of blocks() there are that are kept.
    std::uint64_t kept_blocks() const;

    /// 4096 cells each; `pair` is 0 where there are no king pairs.
    std::uint64_t blocks_per_pair() const { return std::uint64_t{1} << 6 * outer_axes(); }
    std::uint64_t blocks_per_placement() const { return pairs_.size() * blocks_per_pair(); }
    std::uint64_t blocks() const { return pawns_.size() * blocks_per_placement(); }
    /// The placement of the pawns that a cell belongs to.
    std::uint32_t placement_of(std::uint64_t cell) const {
        return static_cast<std::uint32_t>((cell >> 12) / blocks_per_placement());
    }
    std::uint64_t cells() const { return blocks() << 12; }
    /// The dimensions as above, a leading one of 1 left out.
    std::vector<std::uint64_t> shape() const;

    /// The symmetry that the kings alone decide: none with pawns or without king pairs.
    Symmetry symmetry_of_kings(const Squares& squares) const;

    /// The cells of positions whose kings and pawns are given: of men at s_0, s_1, ... (in the order
    /// of axes()) it is base + sum of stride(i) * symmetry(s_i). Squares of other men are not looked at.
    struct Frame {
        std::uint64_t base;
        Symmetry symmetry;
    };
    /// Kings must not be adjacent where there are king pairs.
    Frame frame(const Squares& squares) const;
    std::uint64_t stride(int axis) const {
        return std::uint64_t{1} << 6 * (axis_count_ - 1 - axis);
    }

    /// A cell that holds this placement of men.
    std::uint64_t cell(const Squares& squares) const;
    /// The lowest of the cells that do.
    std::uint64_t index_of(Squares squares) const;
    /// The placement that a cell holds. Any cell has one, be it no legal position.
    Squares position_at(std::uint64_t cell) const;

    /// The squares of the men of a board of this material; with `swapped`, of a board whose colours
    /// have to be exchanged (and ranks flipped) to be of this material.
    Squares squares_of(const Board& board, bool swapped) const;

private:
    template <class Number>
    static Number ordered(Number digits, int count, unsigned like);

    Material material_;
    std::array<Piece, Material::kMaxPlanned> men_;
    std::array<std::int8_t, Material::kMaxPlanned> axes_;
    int count_ = 0, axis_count_ = 0;
    std::uint8_t like_ = 0,
                 like_outer_ = 0;  // bit a: axes a and a + 1 are of (outer) men that are alike
    PawnPlacements pawns_;
    bool has_king_pairs_;
    std::vector<KingPair> pairs_;
    std::vector<std::uint32_t> pair_number_;
};

/// `count` digits of 6 bits; neighbours that are `like` come to stand in ascending order.
template <class Number>
Number Index::ordered(Number digits, int count, unsigned like) {
    for (int sorted = 1; sorted < count; ++sorted)
        for (int i = 0; i < count - sorted; ++i) {
            const int high = 6 * (count - 1 - i), low = high - 6;
            const Number a = digits >> high & 63, b = digits >> low & 63;
            if ((like >> i & 1) && a > b) digits += ((b - a) << high) + ((a - b) << low);
        }
    return digits;
}

}  // namespace mansuba::tablebase

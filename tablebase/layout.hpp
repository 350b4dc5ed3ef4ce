// An index seen by the generator: blocks, and the men that are the same all over a block.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/attacks.hpp"
#include "tablebase/index.hpp"

namespace mansuba::tablebase {

/// 4096 positions that differ in the squares of two men: bit b of word w stands for the word man on
/// w and the bit man on b.
struct alignas(64) Block {
    std::uint64_t word[64];
};

/// Where a man stands within a block.
enum class Where : std::uint8_t { Fixed, Word, Bit };

/// The men that stand still in a block, and what they occupy.
struct Place {
    Squares squares{};       // of fixed men only
    Bitboard occupied = 0;   // by fixed men
    std::uint32_t pair = 0;  // 0 without king pairs
    std::uint32_t outer = 0;
    bool clash = false;  // two of them on a square
};

/// Blocks of one pawn placement are numbered [king pair][outer man]...[outer man].
struct Layout {
    explicit Layout(const Index& index);

    const Index* index;
    std::vector<Piece> men;    // Index::men()
    std::vector<Where> where;  // by man
    int word_man, bit_man;
    std::vector<int> outer_men;  // in the order of the axes
    std::vector<int> fixed_men;
    std::uint32_t blocks;
    std::uint32_t blocks_per_pair;

    /// A king's step from a pair: which pair it leads to, and the symmetry that takes the men there.
    struct Step {
        std::uint32_t pair;
        Symmetry symmetry;
    };
    /// Up to eight steps of the king of a colour from a pair; none without king pairs.
    std::span<const Step> steps(Color c, std::uint32_t pair) const {
        const auto& of = steps_[static_cast<std::size_t>(c)];
        const auto& from = first_step_[static_cast<std::size_t>(c)];
        return {of.data() + from[pair], of.data() + from[pair + 1]};
    }

    /// Squares that each outer man can stand on, as a part of the number of the block.
    std::uint32_t outer_stride(std::size_t outer) const {
        return std::uint32_t{1} << 6 * (outer_men.size() - 1 - outer);
    }
    Place place(const Squares& pawns, std::uint32_t block) const;
    /// The pawns of a placement, as place() takes them.
    Squares pawns(std::uint32_t placement) const;

    /// Whether kings or pawns alone decide by which symmetry the men come to their cells: if not, others of
    /// the block do.
    bool symmetry_is_decided(const Place& place) const;

    /// The cells of a block that are the lowest of those with their position (see Index), be it legal
    /// or not.
    Block canonical(std::uint32_t placement, std::uint32_t block) const;

private:
    std::vector<std::array<int, 2>> like_;  // men of a kind, the first of them before the second
    std::array<std::vector<Step>, 2> steps_;
    std::array<std::vector<std::uint32_t>, 2> first_step_;
};

}  // namespace mansuba::tablebase

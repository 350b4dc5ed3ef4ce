// Which number a position has within a section of a Syzygy file. See tablebase/SYZYGY.md.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/types.hpp"
#include "tablebase/material.hpp"

namespace mansuba::tablebase::syzygy {

/// The men of a section in the order of the file, and which of them are the digits of higher value.
struct MenOrder {
    static constexpr int kNone = 15;

    std::vector<Piece> men;   // like men stand together; with pawns the leading side's come first
    int lead_place = 0;       // of the leading group, in the order of rising factors
    int other_pawns = kNone;  // the same of the other side's pawns; kNone if it has none
    int pawn_file = 0;        // with pawns: the file of the leading pawn, 0 (a or h) to 3 (d or e)
};

/// Squares of the men in the order of MenOrder::men, and room to make it a word.
using MenSquares = std::array<std::uint8_t, Material::kMaxMen + 1>;

/// The numbers of the positions of one section, one side to move: a mixed-radix number whose digits
/// are groups of men. The leading group takes up the symmetries of the board; every other group is a
/// set of like men among the squares that the groups before it leave. Immutable.
class Numbering {
public:
    /// Men that stand together as one digit.
    struct Group {
        int first, size;       // in MenOrder::men
        int first_square;      // 8 for the other side's pawns, which have 48 squares; else 0
        std::uint64_t factor;  // of its digit
    };

    /// Throws Damage if men and places do not fit together.
    explicit Numbering(const MenOrder& order);

    const MenOrder& order() const { return order_; }
    /// Numbers are below it; not every one has a position.
    std::uint64_t size() const { return size_; }
    /// Men that the leading group takes: 2 (the kings), 3, or the leading side's pawns.
    int lead_size() const { return lead_.size; }
    const std::vector<Group>& groups() const { return groups_; }

    /// The number of distinct squares, changed on the way; with pawns the leading pawn (see
    /// leading_pawn) comes first and stands on pawn_file or its mirror image.
    std::uint64_t number(MenSquares& squares) const noexcept;

    /// The squares of the leading group for each of its numbers, brought to the place that number()
    /// brings them to; in numbers that have no position all squares are 0. Costs milliseconds.
    std::vector<MenSquares> lead_placements() const;
    const Group& lead() const { return lead_; }
    bool has_pawns() const { return has_pawns_; }

    /// Puts the leading one of `pawns` pawns first: nearest to the edge, then to its own first rank, the
    /// left one of two such. Returns its file, 0 to 3.
    static int leading_pawn(MenSquares& squares, int pawns) noexcept;

private:
    std::uint64_t lead_number(MenSquares& squares) const noexcept;

    MenOrder order_;
    bool has_pawns_;
    Group lead_;
    std::vector<Group> groups_;  // without the leading one
    std::uint64_t size_ = 0;
};

}  // namespace mansuba::tablebase::syzygy

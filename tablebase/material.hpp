// Which men stand on the board: the name of an endgame, and which endgames it can turn into.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/position.hpp"

namespace mansuba::tablebase {

/// The men of both sides, their kings left unsaid. In normal form White is the stronger side: the
/// one with more men, or with the stronger men where the numbers are equal (queen before rook,
/// bishop, knight, pawn, compared from the strongest down), as Syzygy names its files.
class Material {
public:
    /// Men of a table, kings included; and of one that is only planned.
    static constexpr int kMaxMen = 7, kMaxPlanned = 8;

    /// Kings alone.
    constexpr Material() = default;

    /// A name as KRPvKR or KRPKR, men of a side in any order, sides in any order; the result is in
    /// normal form. Throws Error(Input) that says what is wrong, be it more men than max_men.
    static Material parse(std::string_view name, int max_men = kMaxMen);
    /// What stands on a board, not normalised.
    static Material of(const Board& board);

    /// KRPvKR.
    std::string name() const;

    int count(Color c, PieceType t) const {
        return counts_[static_cast<std::size_t>(c)][static_cast<std::size_t>(t)];
    }
    int men(Color c) const;
    int men() const { return men(Color::White) + men(Color::Black); }
    int pawns() const {
        return count(Color::White, PieceType::Pawn) + count(Color::Black, PieceType::Pawn);
    }
    /// Both sides have the same men.
    bool symmetric() const { return counts_[0] == counts_[1]; }
    bool is_normal() const;

    /// White's men to Black and the other way round.
    Material swapped() const;
    Material normalized() const { return is_normal() ? *this : swapped(); }
    /// With one man of a kind (not the king) fewer or more; the kind must be there to be taken.
    Material without(Color c, PieceType t) const;
    Material with(Color c, PieceType t) const;

    /// The endgames one capture or promotion away (a promotion may capture), normalised, each once,
    /// in the order of closure(). KvK is among them where it can be reached.
    std::vector<Material> successors() const;

    /// Differs in its lower bits for most materials, and costs next to nothing.
    std::size_t hash() const {
        std::size_t h = 0;
        for (const auto& side : counts_)
            for (const std::uint8_t n : side) h = 5 * h + n;
        return h;
    }

    /// By number of men, then pawns, then strength: what a table needs comes before it.
    friend std::strong_ordering operator<=>(const Material& a, const Material& b);
    friend bool operator==(const Material&, const Material&) = default;

private:
    std::array<std::array<std::uint8_t, 5>, 2> counts_{};  // colour, PieceType without the king
};

/// The given endgames (in normal form) and all that they can turn into, but KvK, each after those
/// that it needs.
std::vector<Material> closure(const std::vector<Material>& materials);

/// All endgames in normal form with at most `men` men (3 to Material::kMaxMen), in the order of
/// closure().
std::vector<Material> materials_up_to(int men);

}  // namespace mansuba::tablebase

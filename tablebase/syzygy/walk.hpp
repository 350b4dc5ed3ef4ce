// The cells of our tables in the order in which a Syzygy file numbers positions.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "tablebase/index.hpp"
#include "tablebase/syzygy/numbering.hpp"

namespace mansuba::tablebase::syzygy {

/// The inverse of Numbering::number(), and on to Index::cell(). Immutable.
class Walk {
public:
    static constexpr std::uint64_t kNoCell = ~std::uint64_t{0};

    /// `index` and `numbering` are of the same men, and must outlive this.
    Walk(const Index& index, const Numbering& numbering);

    std::uint64_t size() const { return numbering_.size(); }

    /// Calls visit(cell) for the numbers from `first` to `last` - 1 in turn; kNoCell where no position
    /// has the number. A cell need not be the lowest of those with its position, nor legal.
    /// About ten nanoseconds a number, if the cells are near.
    template <class Visit>
    void run(std::uint64_t first, std::uint64_t last, Visit visit) const {
        if (first >= last) return;
        State s;
        start(s, first);
        for (std::uint64_t n = first;;) {
            // All places of the leading men while the others stay.
            const std::uint64_t begin = s.digit[0],
                                end = lead_is_fastest_ ? std::min<std::uint64_t>(lead_cells_.size(),
                                                                                 begin + last - n)
                                                       : begin + 1;
            if (lead_is_fastest_)
                for (std::uint64_t l = begin; l < end; ++l) visit(cell_of_lead(l, s));
            else
                visit(cell(s));
            n += end - begin;
            if (n == last) return;
            s.digit[0] += static_cast<std::uint32_t>(end - begin - 1);
            next(s);
        }
    }

private:
    static constexpr std::size_t kMen = Material::kMaxMen;
    /// A digit for each group, the leading one first; squares follow.
    struct State {
        std::array<std::uint32_t, kMen> digit{};
        std::array<std::uint8_t, kMen> free_place{};  // of men behind the leading ones
        std::uint64_t lead_base = kNoCell;            // what the pawns alone decide
        std::uint64_t pawns_at = kNoCell;             // which pawns that is
        Symmetry symmetry;
    };

    void start(State& s, std::uint64_t number) const;
    void next(State& s) const;
    void place_rest(State& s) const;
    std::uint64_t cell(State& s) const;
    /// The same for any leading digit, where lead_cells_ are known.
    std::uint64_t cell_of_lead(std::uint64_t digit, const State& s) const {
        const LeadCell& lead = lead_cells_[digit];
        if (lead.cell == kNoCell) return kNoCell;
        const auto& image = kImages[lead.symmetry.what()];
        const auto& free = leads_->free[digit];
        std::uint64_t cell = lead.cell;
        for (std::size_t p = lead_size_; p < men_; ++p)
            cell += std::uint64_t{image[free[s.free_place[p]]]} << shift_[p];
        return cell;
    }

    struct Group {
        int first, size, offset;
        std::uint32_t count;
        std::vector<std::uint8_t> sets;  // `size` numbers a digit
    };
    struct Pair {
        std::uint64_t base;
        Symmetry symmetry;
    };

    /// What the leading group's numbers stand for: the same for all orders with the same kind of group.
    struct Leads {
        std::vector<MenSquares> squares;
        std::vector<std::array<std::uint8_t, 64>> free;  // squares that they leave
    };
    static std::shared_ptr<const Leads> leads_of(const Numbering& numbering);

    /// What the leading men decide of a cell, if both kings are among them.
    struct LeadCell {
        std::uint64_t cell;  // kNoCell: of no position
        Symmetry symmetry;   // of the other men
    };

    const Index& index_;
    const Numbering& numbering_;
    std::size_t men_, lead_size_, axes_, pawns_;
    std::vector<Group> groups_;           // without the leading one
    std::vector<std::size_t> by_factor_;  // digits, the slowest first
    bool first_is_fastest_ =
        false;  // the fastest digit is one man, the first behind the leading ones
    std::shared_ptr<const Leads> leads_;
    std::array<std::uint8_t, kMen> man_{};       // of the index, by the place in the file
    std::array<std::uint8_t, kMen> place_{};     // the other way round
    std::array<std::uint8_t, kMen> axis_man_{};  // places in the file, by axis
    std::array<std::uint8_t, kMen>
        shift_{};                       // of a man's square in a cell, by the place in the file
    std::vector<LeadCell> lead_cells_;  // by digit; empty if they do not decide so much
    bool lead_is_fastest_ = false;      // and their cells are known
    std::vector<Pair> pairs_;           // without pawns: by both kings' squares
};

}  // namespace mansuba::tablebase::syzygy

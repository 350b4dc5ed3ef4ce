#include "tablebase/syzygy/walk.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <mutex>
#include <tuple>

namespace mansuba::tablebase::syzygy {
namespace {

/// The sets of k numbers below n, in the order in which Numbering counts them.
std::vector<std::uint8_t> sets_of(int k, int n) {
    std::vector<std::uint8_t> all, set(static_cast<std::size_t>(k));
    for (int i = 0; i < k; ++i) set[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(i);
    for (;;) {
        all.insert(all.end(), set.begin(), set.end());
        std::size_t i = 0;
        while (i < set.size() && set[i] + 1 == (i + 1 < set.size() ? set[i + 1] : n)) ++i;
        if (i == set.size()) return all;
        ++set[i];
        for (std::size_t j = 0; j < i; ++j) set[j] = static_cast<std::uint8_t>(j);
    }
}

}  // namespace

std::shared_ptr<const Walk::Leads> Walk::leads_of(const Numbering& numbering) {
    static std::mutex mutex;
    static std::map<std::tuple<bool, int, int>, std::shared_ptr<const Leads>> known;
    const std::scoped_lock lock(mutex);
    auto& leads =
        known[{numbering.has_pawns(), numbering.lead_size(), numbering.order().pawn_file}];
    if (leads) return leads;
    const auto made = std::make_shared<Leads>();
    made->squares = numbering.lead_placements();
    made->free.resize(made->squares.size());
    for (std::size_t l = 0; l < made->squares.size(); ++l) {
        const auto begin = made->squares[l].begin(), end = begin + numbering.lead_size();
        std::size_t n = 0;
        for (std::uint8_t s = 0; s < 64; ++s)
            if (std::find(begin, end, s) == end) made->free[l][n++] = s;
    }
    return leads = made;
}

Walk::Walk(const Index& index, const Numbering& numbering)
    : index_(index),
      numbering_(numbering),
      men_(index.men().size()),
      lead_size_(static_cast<std::size_t>(numbering.lead_size())),
      axes_(index.axes().size()),
      pawns_(static_cast<std::size_t>(index.material().pawns())),
      leads_(leads_of(numbering)) {
    int placed = numbering.lead_size();
    for (const Numbering::Group& g : numbering.groups()) {
        // Among the squares that the men before leave; the other side's pawns leave out a rank.
        const int among = g.first_square ? 48 - numbering.lead_size() : 64 - placed;
        Group group{g.first, g.size, g.first_square, 0, sets_of(g.size, among)};
        group.count =
            static_cast<std::uint32_t>(group.sets.size() / static_cast<std::size_t>(g.size));
        groups_.push_back(std::move(group));
        placed += g.size;
    }
    for (std::size_t d = 0; d <= groups_.size(); ++d) by_factor_.push_back(d);
    const auto factor = [&](std::size_t d) {
        return d == 0 ? numbering.lead().factor : numbering.groups()[d - 1].factor;
    };
    std::sort(by_factor_.begin(), by_factor_.end(),
              [&](std::size_t a, std::size_t b) { return factor(a) > factor(b); });
    first_is_fastest_ = by_factor_.back() == 1 && groups_[0].size == 1;

    std::array<bool, kMen> taken{};
    for (std::size_t p = 0; p < men_; ++p)
        for (std::size_t m = 0; m < men_; ++m)
            if (!taken[m] && index.men()[m] == numbering.order().men[p]) {
                taken[m] = true;
                man_[p] = static_cast<std::uint8_t>(m);
                place_[m] = static_cast<std::uint8_t>(p);
                break;
            }
    for (std::size_t i = 0; i < axes_; ++i)
        axis_man_[i] = place_[static_cast<std::size_t>(index.axes()[i])];
    for (std::size_t i = 0; i < axes_; ++i)
        shift_[axis_man_[i]] = static_cast<std::uint8_t>(6 * (axes_ - 1 - i));

    if (pawns_ == 0 && index.has_king_pairs()) {
        pairs_.resize(64 * 64);
        for (Square w = 0; w < 64; ++w)
            for (Square b = 0; b < 64; ++b) {
                Squares squares{};
                squares[Index::kWhiteKing] = static_cast<std::int8_t>(w);
                squares[Index::kBlackKing] = static_cast<std::int8_t>(b);
                const Symmetry symmetry = index.symmetry_of_kings(squares);
                const std::uint32_t pair = index.pair_number(symmetry(w), symmetry(b));
                pairs_[static_cast<std::size_t>(w * 64 + b)] = {
                    pair == Index::kNoPair ? kNoCell : std::uint64_t{pair} << 6 * axes_, symmetry};
            }
    }

    const bool kings_lead =
        place_[Index::kWhiteKing] < lead_size_ && place_[Index::kBlackKing] < lead_size_;
    if (pairs_.empty() || !kings_lead) return;
    lead_is_fastest_ = by_factor_.back() == 0;
    lead_cells_.reserve(leads_->squares.size());
    for (const MenSquares& at : leads_->squares) {
        const Pair& pair = pairs_[static_cast<std::size_t>(at[place_[Index::kWhiteKing]] * 64 +
                                                           at[place_[Index::kBlackKing]])];
        LeadCell lead{pair.base, pair.symmetry};
        for (std::size_t p = 0; p < lead_size_ && lead.cell != kNoCell; ++p)
            if (man_[p] >= Index::kFirstPawn)
                lead.cell += static_cast<std::uint64_t>(lead.symmetry(at[p])) << shift_[p];
        lead_cells_.push_back(lead);
    }
}

void Walk::start(State& s, std::uint64_t number) const {
    for (const std::size_t d : by_factor_) {
        const std::uint64_t factor =
            d == 0 ? numbering_.lead().factor : numbering_.groups()[d - 1].factor;
        s.digit[d] = static_cast<std::uint32_t>(number / factor);
        number %= factor;
    }
    place_rest(s);
}

void Walk::next(State& s) const {
    if (first_is_fastest_ && s.digit[1] + 1 < groups_[0].count) {
        // One man goes a place on; who stands there comes to where it was, and all others stay.
        const auto man = static_cast<std::size_t>(groups_[0].first);
        const std::uint8_t from = s.free_place[man], to = static_cast<std::uint8_t>(from + 1);
        ++s.digit[1];
        for (std::size_t p = man + 1; p < men_; ++p)
            if (s.free_place[p] == to) s.free_place[p] = from;
        s.free_place[man] = to;
        return;
    }
    bool rest = false;
    for (std::size_t i = by_factor_.size(); i-- > 0;) {
        const std::size_t d = by_factor_[i];
        const auto count =
            d == 0 ? static_cast<std::uint32_t>(leads_->squares.size()) : groups_[d - 1].count;
        rest |= d != 0;
        if (++s.digit[d] < count) break;
        s.digit[d] = 0;
    }
    if (rest) place_rest(s);
}

/// Which of the squares that the leading men leave the others stand on.
void Walk::place_rest(State& s) const {
    std::array<std::uint8_t, kMen> taken;  // rising
    std::size_t n = 0;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        const Group& group = groups_[g];
        const auto size = static_cast<std::size_t>(group.size);
        const std::uint8_t* const set = group.sets.data() + s.digit[g + 1] * size;
        const std::size_t before = n;
        for (std::size_t i = 0; i < size; ++i) {
            unsigned place = set[i] + static_cast<unsigned>(group.offset);
            for (std::size_t t = 0; t < before; ++t) place += place >= taken[t];
            s.free_place[static_cast<std::size_t>(group.first) + i] =
                static_cast<std::uint8_t>(place);
        }
        for (std::size_t i = 0; i < size; ++i) {
            const std::uint8_t place = s.free_place[static_cast<std::size_t>(group.first) + i];
            std::size_t t = n++;
            for (; t > 0 && taken[t - 1] > place; --t) taken[t] = taken[t - 1];
            taken[t] = place;
        }
    }
}

std::uint64_t Walk::cell(State& s) const {
    if (!lead_cells_.empty()) return cell_of_lead(s.digit[0], s);
    const std::size_t l = s.digit[0];
    const auto& free = leads_->free[l];
    MenSquares at = leads_->squares[l];
    for (std::size_t p = lead_size_; p < men_; ++p) at[p] = free[s.free_place[p]];

    const Square white = at[place_[Index::kWhiteKing]], black = at[place_[Index::kBlackKing]];
    std::uint64_t base;
    if (pawns_) {
        std::uint64_t pawns_at = 0;
        for (std::size_t i = 0; i < pawns_; ++i) pawns_at = pawns_at << 8 | at[i];
        if (pawns_at != s.pawns_at) {
            s.pawns_at = pawns_at;
            Squares pawns{};
            for (std::size_t i = 0; i < pawns_; ++i)
                pawns[man_[i]] = static_cast<std::int8_t>(at[i]);
            const auto found = index_.pawns().find({pawns.data() + Index::kFirstPawn, pawns_});
            s.symmetry = Symmetry(found.mirrored ? Symmetry::kMirrorFiles : 0);
            s.lead_base = std::uint64_t{found.placement} * index_.king_pairs().size();
        }
        base = s.lead_base;
        if (index_.has_king_pairs()) {
            const std::uint32_t pair = index_.pair_number(s.symmetry(white), s.symmetry(black));
            if (pair == Index::kNoPair) return kNoCell;
            base += pair;
        }
        base <<= 6 * axes_;
    } else if (!pairs_.empty()) {
        const Pair& pair = pairs_[static_cast<std::size_t>(white * 64 + black)];
        if (pair.base == kNoCell) return kNoCell;
        base = pair.base;
        s.symmetry = pair.symmetry;
    } else {
        base = 0;
    }
    const auto& image = kImages[s.symmetry.what()];
    std::uint64_t cell = base;
    for (std::size_t i = 0; i < axes_; ++i)
        cell += std::uint64_t{image[at[axis_man_[i]]]} << shift_[axis_man_[i]];
    return cell;
}

}  // namespace mansuba::tablebase::syzygy

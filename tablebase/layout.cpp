#include "tablebase/layout.hpp"

#include <algorithm>

namespace mansuba::tablebase {

Layout::Layout(const Index& i)
    : index(&i),
      men(i.men().begin(), i.men().end()),
      where(men.size(), Where::Fixed),
      blocks(static_cast<std::uint32_t>(i.blocks_per_placement())),
      blocks_per_pair(static_cast<std::uint32_t>(i.blocks_per_pair())) {
    const auto axes = i.axes();
    word_man = axes[axes.size() - 2];
    bit_man = axes[axes.size() - 1];
    where[static_cast<std::size_t>(word_man)] = Where::Word;
    where[static_cast<std::size_t>(bit_man)] = Where::Bit;
    outer_men.assign(axes.begin(), axes.end() - 2);
    for (int m = 0; m < static_cast<int>(men.size()); ++m)
        if (where[static_cast<std::size_t>(m)] == Where::Fixed) fixed_men.push_back(m);

    for (std::size_t m = static_cast<std::size_t>(i.first_other()); m + 1 < men.size(); ++m)
        if (men[m] == men[m + 1]) like_.push_back({static_cast<int>(m), static_cast<int>(m + 1)});

    for (auto& from : first_step_) from.push_back(0);
    for (const KingPair& pair : i.king_pairs())
        for (const Color c : {Color::White, Color::Black}) {
            auto& of = steps_[static_cast<std::size_t>(c)];
            Bitboard to =
                i.has_king_pairs() ? king_attacks(c == Color::White ? pair.white : pair.black) : 0;
            while (to) {
                Squares s{};
                s[Index::kWhiteKing] = pair.white;
                s[Index::kBlackKing] = pair.black;
                s[c == Color::White ? Index::kWhiteKing : Index::kBlackKing] =
                    static_cast<std::int8_t>(pop_lowest(to));
                const Symmetry symmetry = i.symmetry_of_kings(s);
                const std::uint32_t number =
                    i.pair_number(symmetry(s[Index::kWhiteKing]), symmetry(s[Index::kBlackKing]));
                if (number != Index::kNoPair) of.push_back({number, symmetry});
            }
            first_step_[static_cast<std::size_t>(c)].push_back(
                static_cast<std::uint32_t>(of.size()));
        }
}

Place Layout::place(const Squares& pawns, std::uint32_t block) const {
    Place p;
    p.squares = pawns;
    p.pair = block / blocks_per_pair;
    p.outer = block % blocks_per_pair;
    if (index->has_king_pairs()) {
        p.squares[Index::kWhiteKing] = index->king_pairs()[p.pair].white;
        p.squares[Index::kBlackKing] = index->king_pairs()[p.pair].black;
    }
    for (std::size_t i = 0; i < outer_men.size(); ++i)
        p.squares[static_cast<std::size_t>(outer_men[i])] =
            static_cast<std::int8_t>(p.outer / outer_stride(i) & 63);
    for (int m : fixed_men) {
        const Bitboard b = bit(p.squares[static_cast<std::size_t>(m)]);
        p.clash |= (p.occupied & b) != 0;
        p.occupied |= b;
    }
    return p;
}

Squares Layout::pawns(std::uint32_t placement) const {
    Squares squares{};
    if (index->material().pawns()) {
        const auto at = index->pawns().at(placement);
        std::copy(at.begin(), at.end(), squares.begin() + Index::kFirstPawn);
    }
    return squares;
}

bool Layout::symmetry_is_decided(const Place& p) const {
    const bool free_kings = !index->has_king_pairs(), pawns = index->material().pawns() > 0;
    if (free_kings && !pawns) return false;
    const Symmetry other(pawns ? Symmetry::kMirrorFiles : Symmetry::kTranspose);
    Squares image = p.squares;
    if (free_kings) image[Index::kWhiteKing] = 0, image[Index::kBlackKing] = 2;  // pawns decide
    for (std::size_t m = 0; m < men.size(); ++m)
        image[m] = static_cast<std::int8_t>(other(image[m]));
    return index->frame(image).symmetry != Symmetry();
}

Block Layout::canonical(std::uint32_t placement, std::uint32_t block) const {
    const Place p = place(pawns(placement), block);
    Block out;
    for (std::uint64_t& w : out.word) w = ~std::uint64_t{0};
    // Like men stand in the order of their squares.
    for (const auto& [a, b] : like_) {
        const Where wa = where[static_cast<std::size_t>(a)],
                    wb = where[static_cast<std::size_t>(b)];
        const Square sa = p.squares[static_cast<std::size_t>(a)],
                     sb = p.squares[static_cast<std::size_t>(b)];
        for (Square w = 0; w < 64; ++w) {
            std::uint64_t& word = out.word[w];
            if (wb == Where::Fixed)
                word &= sa <= sb ? ~std::uint64_t{0} : 0;
            else if (wb == Where::Word)
                word &= sa <= w ? ~std::uint64_t{0} : 0;
            else
                word &= ~std::uint64_t{0} << (wa == Where::Word ? w : sa);
        }
    }
    if (!symmetry_is_decided(p)) {
        const std::uint64_t first = (std::uint64_t{placement} * blocks + block) << 12;
        for (Square w = 0; w < 64; ++w)
            for (std::uint64_t left = out.word[w]; left;) {
                const Square b = pop_lowest(left);
                const std::uint64_t cell = first + static_cast<std::uint64_t>(64 * w + b);
                const Squares s = index->position_at(cell);
                const bool apart =
                    !((king_attacks(s[Index::kWhiteKing]) | bit(s[Index::kWhiteKing])) >>
                          s[Index::kBlackKing] &
                      1);
                if (!apart || index->lowest(cell) != cell) out.word[w] &= ~bit(b);
            }
    }
    return out;
}

}  // namespace mansuba::tablebase

#include "tablebase/layout.hpp"

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

}  // namespace mansuba::tablebase

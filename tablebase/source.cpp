#include "tablebase/source.hpp"

#include <algorithm>
#include <type_traits>

#include "core/attacks.hpp"

namespace mansuba::tablebase {

Source::Source(const Index& from, std::span<const int> gone, const Piece* put, const Table* to)
    : table_(to) {
    Material material = from.material();
    const auto men = from.men();
    std::array<bool, Material::kMaxMen + 1> taken{};
    for (int man : gone) {
        const auto m = static_cast<std::size_t>(man);
        taken[m] = true;
        material = material.without(men[m].color, men[m].type);
    }
    if (put) material = material.with(put->color, put->type);
    swapped_ = !material.is_normal();

    const auto take = [&](Piece man) {
        for (std::size_t i = 0; i < men.size(); ++i)
            if (!taken[i] && men[i] == man) {
                taken[i] = true;
                return static_cast<std::int8_t>(i);
            }
        return static_cast<std::int8_t>(kNewMan);
    };
    const Piece kings[] = {{Color::White, PieceType::King}, {Color::Black, PieceType::King}};
    const std::span<const Piece> wanted =
        table_ ? table_->index.men() : std::span<const Piece>(kings);
    for (const Piece& man : wanted)
        from_[static_cast<std::size_t>(count_++)] =
            take({swapped_ ? ~man.color : man.color, man.type});
}

Squares Source::mapped(const Squares& squares) const {
    Squares s{};
    for (std::size_t i = 0; i < static_cast<std::size_t>(count_); ++i) {
        const std::int8_t square = squares[static_cast<std::size_t>(from_[i])];
        s[i] = static_cast<std::int8_t>(swapped_ ? square ^ 56 : square);
    }
    return s;
}

template <class Code, class At>
void Source::read(Squares squares, int free, Code illegal, Code draw, Code* out,
                  const At& at) const {
    const auto apart = [](const Squares& s) {
        return !((king_attacks(s[Index::kWhiteKing]) | bit(s[Index::kWhiteKing])) >>
                     s[Index::kBlackKing] &
                 1);
    };
    const auto man =
        static_cast<int>(std::find(from_.begin(), from_.begin() + count_, free) - from_.begin());
    if (!table_) {
        for (Square x = 0; x < 64; ++x) {
            squares[static_cast<std::size_t>(free)] = static_cast<std::int8_t>(x);
            out[x] = apart(mapped(squares)) ? draw : illegal;
        }
        return;
    }
    const Index& index = table_->index;
    // A king may have a symmetry of its own on each square, a man among like ones another place.
    if (man < Index::kFirstPawn || index.orders_outer_men()) {
        for (Square x = 0; x < 64; ++x) {
            squares[static_cast<std::size_t>(free)] = static_cast<std::int8_t>(x);
            const Squares s = mapped(squares);
            out[x] = apart(s) ? at(index.cell(s)) : illegal;
        }
        return;
    }
    squares[static_cast<std::size_t>(free)] = 0;
    const Squares s = mapped(squares);
    if (!apart(s)) {
        std::fill(out, out + 64, illegal);
        return;
    }
    const Index::Frame frame = index.frame(s);
    std::uint64_t base = frame.base, stride = 0;
    const auto axes = index.axes();
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (axes[i] == man)
            stride = index.stride(static_cast<int>(i));
        else
            base +=
                index.stride(static_cast<int>(i)) *
                static_cast<std::uint64_t>(frame.symmetry(s[static_cast<std::size_t>(axes[i])]));
    }
    const unsigned what =
        then(Symmetry(swapped_ ? Symmetry::kFlipRanks : 0), frame.symmetry).what();
    if (stride == 1 && what == 0) {
        for (Square x = 0; x < 64; ++x) out[x] = at(base + static_cast<std::uint64_t>(x));
        return;
    }
    const auto& image = kImages[what];
    for (std::size_t x = 0; x < 64; ++x) out[x] = at(base + stride * image[x]);
}

template <class Code>
void Source::dtm(Squares squares, int free, Color side_to_move, Code* out) const {
    read_dtm(table_ ? &table_->dtm : nullptr, squares, free, side_to_move, out);
}
template <class Code>
void Source::dtm50(Squares squares, int free, Color side_to_move, Code* out) const {
    read_dtm(table_ ? &table_->dtm50_start : nullptr, squares, free, side_to_move, out);
}

template <class Code>
void Source::read_dtm(const std::array<Numbers, 2>* numbers, Squares squares, int free,
                      Color side_to_move, Code* out) const {
    using Of = DtmCode<Code>;
    const auto side = static_cast<std::size_t>(swapped_ ? ~side_to_move : side_to_move);
    if (numbers && (*numbers)[side].wide()) {
        if constexpr (std::is_same_v<Code, std::uint16_t>)
            read(squares, free, Of::kIllegal, Of::kDraw, out,
                 [codes = (*numbers)[side].as<std::uint16_t>()](std::uint64_t c) {
                     return codes[c];
                 });
        return;
    }
    read(squares, free, Of::kIllegal, Of::kDraw, out,
         [codes = numbers ? (*numbers)[side].as<std::uint8_t>() : nullptr](std::uint64_t c) {
             constexpr unsigned widened = Of::kIllegal - DtmCode<std::uint8_t>::kIllegal;
             return static_cast<Code>(codes[c] +
                                      (codes[c] > DtmCode<std::uint8_t>::kMaxPlies ? widened : 0));
         });
}

template <class Code>
void Source::class_by_dtm(const Squares& squares, int free, Color side_to_move,
                          std::uint8_t* out) const {
    using Of = DtmCode<Code>;
    using namespace wdl_code;
    Code codes[64];
    dtm(squares, free, side_to_move, codes);
    for (std::size_t x = 0; x < 64; ++x) {
        const Code c = codes[x];
        const auto decided = static_cast<std::uint8_t>(c & 1 ? kWin : kLoss);
        const auto other = static_cast<std::uint8_t>(c == Of::kIllegal     ? kIllegal
                                                     : c == Of::kStalemate ? kStalemate
                                                                           : kDraw);
        out[x] = c <= Of::kMaxPlies ? decided : other;
    }
    const auto side = static_cast<std::size_t>(swapped_ ? ~side_to_move : side_to_move);
    if (table_->late[side].empty()) return;
    std::uint8_t late[64];
    read(squares, free, std::uint8_t{0}, std::uint8_t{0}, late,
         [bits = table_->late[side].data()](std::uint64_t c) {
             return static_cast<std::uint8_t>(bits[c >> 6] >> (c & 63) & 1);
         });
    for (std::size_t x = 0; x < 64; ++x)
        if (late[x]) out[x] = out[x] == kWin ? kCursedWin : kBlessedLoss;
}

void Source::wdl(Squares squares, int free, Color side_to_move, std::uint8_t* out,
                 bool automatic) const {
    const auto side = static_cast<std::size_t>(swapped_ ? ~side_to_move : side_to_move);
    const Numbers* const classes = table_ ? &table_->classes(automatic)[side] : nullptr;
    if (classes && !classes->size())
        return table_->dtm[side].wide()
                   ? class_by_dtm<std::uint16_t>(squares, free, side_to_move, out)
                   : class_by_dtm<std::uint8_t>(squares, free, side_to_move, out);
    read(squares, free, wdl_code::kIllegal, wdl_code::kDraw, out,
         [codes = classes ? classes->as<std::uint8_t>() : nullptr](std::uint64_t c) {
             return codes[c];
         });
}

void Source::dth(Color winner, Squares squares, int free, Color side_to_move,
                 std::uint8_t* out) const {
    const auto side = static_cast<std::size_t>(swapped_ ? ~side_to_move : side_to_move),
               who = static_cast<std::size_t>(swapped_ ? ~winner : winner);
    read(squares, free, help_code::kIllegal, help_code::kNever, out,
         [codes = table_ ? table_->dth[who][side].as<std::uint8_t>() : nullptr](std::uint64_t c) {
             return codes[c];
         });
}

std::uint8_t Source::wdl_at(const Squares& squares, Color side_to_move) const {
    const Squares s = mapped(squares);
    const Square white = s[Index::kWhiteKing], black = s[Index::kBlackKing];
    if ((king_attacks(white) | bit(white)) & bit(black)) return wdl_code::kIllegal;
    if (!table_) return wdl_code::kDraw;
    const auto side = static_cast<std::size_t>(swapped_ ? ~side_to_move : side_to_move);
    return table_->wdl[side].as<std::uint8_t>()[table_->index.cell(s)];
}

template void Source::dtm(Squares, int, Color, std::uint8_t*) const;
template void Source::dtm(Squares, int, Color, std::uint16_t*) const;
template void Source::dtm50(Squares, int, Color, std::uint8_t*) const;
template void Source::dtm50(Squares, int, Color, std::uint16_t*) const;

}  // namespace mansuba::tablebase

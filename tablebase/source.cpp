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

template <class Stored, class Code, class Convert>
void Source::read(Squares squares, int free, const Stored* stored, Code illegal, Code draw,
                  Code* out, const Convert& convert) const {
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
    if (man < Index::kFirstPawn) {  // kings: each square may have a symmetry of its own
        for (Square x = 0; x < 64; ++x) {
            squares[static_cast<std::size_t>(free)] = static_cast<std::int8_t>(x);
            const Squares s = mapped(squares);
            out[x] = apart(s) ? convert(stored[index.cell(s)]) : illegal;
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
        for (Square x = 0; x < 64; ++x)
            out[x] = convert(stored[base + static_cast<std::uint64_t>(x)]);
        return;
    }
    static const auto images = [] {
        std::array<std::array<std::uint8_t, 64>, 8> all{};
        for (unsigned t = 0; t < 8; ++t)
            for (Square x = 0; x < 64; ++x)
                all[t][static_cast<std::size_t>(x)] = static_cast<std::uint8_t>(Symmetry(t)(x));
        return all;
    }();
    const auto& image = images[what];
    for (std::size_t x = 0; x < 64; ++x) out[x] = convert(stored[base + stride * image[x]]);
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
            read(squares, free, (*numbers)[side].as<std::uint16_t>(), Of::kIllegal, Of::kDraw, out,
                 [](std::uint16_t code) { return code; });
        return;
    }
    read(squares, free, numbers ? (*numbers)[side].as<std::uint8_t>() : nullptr, Of::kIllegal,
         Of::kDraw, out, [](std::uint8_t code) {
             constexpr unsigned widened = Of::kIllegal - DtmCode<std::uint8_t>::kIllegal;
             return static_cast<Code>(code +
                                      (code > DtmCode<std::uint8_t>::kMaxPlies ? widened : 0));
         });
}

void Source::wdl(Squares squares, int free, Color side_to_move, std::uint8_t* out,
                 bool automatic) const {
    const auto side = static_cast<std::size_t>(swapped_ ? ~side_to_move : side_to_move);
    read(squares, free, table_ ? table_->classes(automatic)[side].as<std::uint8_t>() : nullptr,
         wdl_code::kIllegal, wdl_code::kDraw, out, [](std::uint8_t code) { return code; });
}

void Source::dth(Color winner, Squares squares, int free, Color side_to_move,
                 std::uint8_t* out) const {
    const auto side = static_cast<std::size_t>(swapped_ ? ~side_to_move : side_to_move),
               who = static_cast<std::size_t>(swapped_ ? ~winner : winner);
    read(squares, free, table_ ? table_->dth[who][side].as<std::uint8_t>() : nullptr,
         help_code::kIllegal, help_code::kNever, out, [](std::uint8_t code) { return code; });
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

#include "tablebase/probe.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/attacks.hpp"
#include "core/error.hpp"
#include "core/movegen.hpp"
#include "core/setup.hpp"

namespace mansuba::tablebase {
namespace {

/// Where a position stands without an en passant right; no table with kings alone.
struct Place {
    const Values* values = nullptr;
    Color side_to_move = Color::White;
    std::uint64_t cell = 0;

    Value value() const { return values ? values->value(side_to_move, cell) : Value{}; }
};
Place place_of(const Position& position, const Lookup& lookup) {
    const Board& board = position.board();
    if (popcount(board.occupied()) > Material::kMaxMen)
        throw Error(ErrorCode::Input, std::to_string(popcount(board.occupied())) +
                                          " men; tables have at most " +
                                          std::to_string(Material::kMaxMen));
    const Material as_it_stands = Material::of(board);
    if (as_it_stands.men() == 2) return {};
    const bool swapped = !as_it_stands.is_normal();
    const Material material = as_it_stands.normalized();
    const Values* const values = lookup(material);
    if (!values)
        throw Error(ErrorCode::Input,
                    "needs " + material.name() + ": mansuba build " + material.name());
    const Index& index = values->numbering();
    return {values, swapped ? ~position.side_to_move() : position.side_to_move(),
            index.index_of(index.squares_of(board, swapped))};
}

}  // namespace

std::optional<Position> position_at(const Index& index, Color side_to_move, std::uint64_t cell) {
    const Squares squares = index.position_at(cell);
    Setup setup;
    Board board;
    for (std::size_t i = 0; i < index.men().size(); ++i) {
        const Piece man = index.men()[i];
        const Square s = squares[i];
        if (board.occupied() >> s & 1) return std::nullopt;
        const unsigned code = code_of(man.type);
        board.plane0 |= Bitboard{code & 1} << s;
        board.plane1 |= Bitboard{code >> 1 & 1} << s;
        board.plane2 |= Bitboard{code >> 2 & 1} << s;
        if (man.color == Color::Black) board.black |= bit(s);
        setup.squares[static_cast<std::size_t>(s)] = man;
    }
    // Setup would find this out, too, but at the price of an exception.
    if (attackers(board, board.king(~side_to_move), side_to_move, board.occupied()))
        return std::nullopt;
    setup.side_to_move = side_to_move;
    return setup.position();
}

bool is_zeroing(const Position& position, Move move) {
    return position.of(PieceType::Pawn) >> move.from() & 1 ||
           (move.kind() != MoveKind::Castling && position.occupied() >> move.to() & 1);
}

void BestOf::Distance::add(int signed_plies) {
    ++moves;
    if (signed_plies > 0)
        win = win ? std::min(win, signed_plies) : signed_plies;
    else if (signed_plies < 0)
        loss = std::max(loss, -signed_plies);
    else
        holds = true;
}

int BestOf::Distance::best() const { return win ? win : holds ? 0 : -loss; }

void BestOf::add_zeroing(Distance& to, int limit, Wdl wdl, int dtz, bool zeroing,
                         bool mated) const {
    if (wdl == Wdl::Draw) return to.add(0);
    const bool by_rule = wdl == Wdl::BlessedLoss || wdl == Wdl::CursedWin;
    int plies = 1;
    if (zeroing && by_rule) plies = limit + 1;
    if (!zeroing && !mated) plies = std::abs(dtz) + 1;
    to.add(wdl < Wdl::Draw ? plies : -plies);
}

void BestOf::add(const Value& after, bool zeroing, bool mated) {
    add_zeroing(zeroing_, rule_plies_, after.wdl, after.dtz, zeroing, mated);
    add_zeroing(zeroing75_, automatic_plies_, after.wdl75, after.dtz75, zeroing, mated);
    const int sign = after.wdl < Wdl::Draw ? 1 : after.wdl > Wdl::Draw ? -1 : 0;
    mate_.add(sign * (std::abs(after.dtm) + 1));
    const auto shorten = [](int& plies, int other) {
        if (other >= 0) plies = plies < 0 ? other + 1 : std::min(plies, other + 1);
    };
    shorten(mates_, after.dth_mated);
    shorten(mated_, after.dth_mates);
}

void BestOf::add_own(Distance& to, int limit, Wdl wdl, int dtz) {
    const int sign = wdl > Wdl::Draw ? 1 : wdl < Wdl::Draw ? -1 : 0;
    const bool by_rule = wdl == Wdl::BlessedLoss || wdl == Wdl::CursedWin;
    // A metric that is not there must not look like a draw.
    to.add(dtz ? dtz : sign * (by_rule ? limit + 1 : 1));
}

void BestOf::add(const Value& own) {
    add_own(zeroing_, rule_plies_, own.wdl, own.dtz);
    add_own(zeroing75_, automatic_plies_, own.wdl75, own.dtz75);
    const int sign = own.wdl > Wdl::Draw ? 1 : own.wdl < Wdl::Draw ? -1 : 0;
    mate_.add(own.dtm ? own.dtm : sign);
    const auto shorten = [](int& plies, int other) {
        if (other >= 0) plies = plies < 0 ? other : std::min(plies, other);
    };
    shorten(mates_, own.dth_mates);
    shorten(mated_, own.dth_mated);
}

Wdl BestOf::class_of(int dtz, int limit) {
    if (dtz > 0) return dtz <= limit ? Wdl::Win : Wdl::CursedWin;
    if (dtz < 0) return dtz >= -limit ? Wdl::Loss : Wdl::BlessedLoss;
    return Wdl::Draw;
}

Value BestOf::value(bool in_check) const {
    Value v;
    if (empty()) {
        v.stalemate = !in_check;
        if (!in_check) return v;
        v.wdl = v.wdl75 = Wdl::Loss;
        v.dtz = v.dtz75 = -1;
        v.dth_mated = 0;
        return v;
    }
    v.dtz = zeroing_.best();
    v.dtz75 = zeroing75_.best();
    v.dtm = mate_.best();
    v.wdl = class_of(v.dtz, rule_plies_);
    v.wdl75 = class_of(v.dtz75, automatic_plies_);
    v.dth_mates = mates_;
    v.dth_mated = mated_;
    return v;
}

namespace {

/// With an en passant right, the best of what a position is without it and of the captures. `own` gives
/// the former, if there are other moves; `after` what a capture leads to.
template <class Own, class After>
Value best_with_en_passant(const Position& position, BestOf best, const Own& own,
                           const After& after) {
    bool other_moves = false;
    for (const Move m : legal_moves(position)) {
        if (m.kind() != MoveKind::EnPassant) {
            other_moves = true;
            continue;
        }
        Position next = position;
        next.play(m);
        best.add(after(next), true, next.in_check() && !count_legal_moves(next));
    }
    if (other_moves) best.add(own());
    return best.value(position.in_check());
}

}  // namespace

Value probe(const Position& position, const Lookup& lookup) {
    if (position.board().castling_rooks())
        throw Error(ErrorCode::Input, "tables know no castling rights");
    const Place place = place_of(position, lookup);
    if (position.en_passant() == kNoSquare) return place.value();
    return best_with_en_passant(
        position,
        BestOf(place.values->limits(), place.values->numbering().placement_of(place.cell)),
        [&] { return place.value(); },
        [&](const Position& next) { return place_of(next, lookup).value(); });
}

std::optional<int> dtm50(const Values& values, Color side_to_move, std::uint64_t cell, int clock) {
    const Value v = values.value(side_to_move, cell);
    if (v.wdl == Wdl::Loss && v.dtm == 0) return 0;
    const int limit = values.limits().claim_at(values.numbering().placement_of(cell));
    if ((v.wdl != Wdl::Win && v.wdl != Wdl::Loss) || clock + std::abs(v.dtz) > limit)
        return std::nullopt;
    const int plies = 2 * values.extra_moves(side_to_move, cell, clock);
    return v.dtm > 0 ? v.dtm + plies : v.dtm - plies;
}

std::optional<int> dtm50(const Position& position, const Lookup& lookup) {
    if (position.board().castling_rooks())
        throw Error(ErrorCode::Input, "tables know no castling rights");
    const Place place = place_of(position, lookup);
    if (!place.values) return std::nullopt;
    const auto own = [&] {
        return dtm50(*place.values, place.side_to_move, place.cell, position.halfmove_clock());
    };
    if (position.en_passant() == kNoSquare) return own();
    const auto as_value = [](const std::optional<int>& plies) {
        Value v;
        if (plies) v.wdl = *plies > 0 ? Wdl::Win : Wdl::Loss, v.dtm = *plies;
        return v;
    };
    const int plies =
        best_with_en_passant(
            position, BestOf(place.values->limits(), 0), [&] { return as_value(own()); },
            [&](const Position& next) { return as_value(dtm50(next, lookup)); })
            .dtm;
    // With the right there is a move: it is no mate.
    return plies ? std::optional(plies) : std::nullopt;
}

}  // namespace mansuba::tablebase

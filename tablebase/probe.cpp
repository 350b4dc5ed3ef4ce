#include "tablebase/probe.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/attacks.hpp"
#include "core/error.hpp"
#include "core/movegen.hpp"
#include "core/setup.hpp"

namespace mansuba::tablebase {
namespace {

/// As the tables have it: of the position without an en passant right.
Value stored(const Position& position, const Lookup& lookup) {
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
    return values->value(swapped ? ~position.side_to_move() : position.side_to_move(),
                         index.index_of(index.squares_of(board, swapped)));
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

void BestOf::add(const Value& after, bool zeroing, bool mated) {
    if (after.wdl == Wdl::Draw) {
        zeroing_.add(0);
        mate_.add(0);
        return;
    }
    const int sign = after.wdl < Wdl::Draw ? 1 : -1;
    const bool by_rule = after.wdl == Wdl::BlessedLoss || after.wdl == Wdl::CursedWin;
    int plies = 1;
    if (zeroing && by_rule) plies = rule_plies_ + 1;
    if (!zeroing && !mated) plies = std::abs(after.dtz) + 1;
    zeroing_.add(sign * plies);
    mate_.add(sign * (std::abs(after.dtm) + 1));
}

void BestOf::add(const Value& own) {
    const int sign = own.wdl > Wdl::Draw ? 1 : own.wdl < Wdl::Draw ? -1 : 0;
    const bool by_rule = own.wdl == Wdl::BlessedLoss || own.wdl == Wdl::CursedWin;
    // A metric that is not there must not look like a draw.
    zeroing_.add(own.dtz ? own.dtz : sign * (by_rule ? rule_plies_ + 1 : 1));
    mate_.add(own.dtm ? own.dtm : sign);
}

Value BestOf::value(bool in_check) const {
    Value v;
    if (empty()) {
        v.stalemate = !in_check;
        if (in_check) v.wdl = Wdl::Loss, v.dtz = -1;
        return v;
    }
    v.dtz = zeroing_.best();
    v.dtm = mate_.best();
    if (v.dtz > 0) v.wdl = v.dtz <= rule_plies_ ? Wdl::Win : Wdl::CursedWin;
    if (v.dtz < 0) v.wdl = v.dtz >= -rule_plies_ ? Wdl::Loss : Wdl::BlessedLoss;
    return v;
}

Value probe(const Position& position, const Lookup& lookup, int rule_plies) {
    if (position.board().castling_rooks())
        throw Error(ErrorCode::Input, "tables know no castling rights");
    if (position.en_passant() == kNoSquare) return stored(position, lookup);
    BestOf best(rule_plies);
    bool other_moves = false;
    for (const Move m : legal_moves(position)) {
        if (m.kind() != MoveKind::EnPassant) {
            other_moves = true;
            continue;
        }
        Position after = position;
        after.play(m);
        best.add(stored(after, lookup), true, after.in_check() && !count_legal_moves(after));
    }
    if (other_moves) best.add(stored(position, lookup));
    return best.value(position.in_check());
}

}  // namespace mansuba::tablebase

#include "core/position.hpp"

#include <algorithm>
#include <cassert>

#include "core/attacks.hpp"
#include "core/setup.hpp"

namespace mansuba {
namespace {

using Sliders = HyperbolaSliders;
#define MANSUBA_SLIDERS Sliders
#include "core/moves_impl.hpp"
#undef MANSUBA_SLIDERS

Board start_board() {
    Board b;
    constexpr PieceType pieces[] = {PieceType::Rook,   PieceType::Knight, PieceType::Bishop,
                                    PieceType::Queen,  PieceType::King,   PieceType::Bishop,
                                    PieceType::Knight, PieceType::Rook};
    for (int file = 0; file < 8; ++file) {
        const PieceType t = pieces[file];
        const unsigned code = t == PieceType::Rook ? kCodeCastlingRook : code_of(t);
        put<Color::White>(b, make_square(file, 0), code);
        put<Color::White>(b, make_square(file, 1), code_of(PieceType::Pawn));
        put<Color::Black>(b, make_square(file, 6), code_of(PieceType::Pawn));
        put<Color::Black>(b, make_square(file, 7), code);
    }
    return b;
}

template <Color Us>
Board after(const Board& b, Move m) {
    unsigned code = b.code_at(m.from());
    if (is_promotion(m.kind())) code = code_of(m.promotion());
    if (code == kCodeCastlingRook) code = code_of(PieceType::Rook);
    return make<Us>(b, RawMove(m.from(), m.to(), code, m.kind()));
}

}  // namespace

Position::Position() : board_(start_board()) {}

Position::Position(const Board& board, Color side_to_move, int halfmove_clock, int fullmove_number)
    : board_(board),
      side_to_move_(side_to_move),
      halfmove_clock_(static_cast<std::uint16_t>(halfmove_clock)),
      fullmove_number_(static_cast<std::uint16_t>(fullmove_number)) {}

std::optional<Piece> Position::piece_at(Square s) const {
    constexpr PieceType types[] = {PieceType::Pawn,  PieceType::Bishop, PieceType::Rook,
                                   PieceType::Queen, PieceType::Knight, PieceType::Pawn,
                                   PieceType::Rook,  PieceType::King};
    const unsigned code = board_.code_at(s);
    if (code == 0) return std::nullopt;
    return Piece{board_.black >> s & 1 ? Color::Black : Color::White, types[code]};
}

Square Position::en_passant() const {
    const Bitboard target = board_.en_passant();
    return target ? lowest(target) : kNoSquare;
}

Bitboard Position::checkers() const {
    return attackers(board_, king(side_to_move_), ~side_to_move_, occupied());
}

void Position::play(Move m) {
    const bool zeroing = (board_.pawns() >> m.from() & 1) ||
                         (m.kind() != MoveKind::Castling && (occupied() >> m.to() & 1));
    halfmove_clock_ =
        static_cast<std::uint16_t>(zeroing ? 0 : std::min(halfmove_clock_ + 1, Setup::kMaxClock));
    if (side_to_move_ == Color::White) {
        board_ = after<Color::White>(board_, m);
    } else {
        board_ = after<Color::Black>(board_, m);
        fullmove_number_ =
            static_cast<std::uint16_t>(std::min(fullmove_number_ + 1, Setup::kMaxClock));
    }
    side_to_move_ = ~side_to_move_;
}

Bitboard attackers(const Board& board, Square s, Color by, Bitboard occ) {
    return by == Color::White ? attackers_of<Color::White>(board, s, occ)
                              : attackers_of<Color::Black>(board, s, occ);
}

}  // namespace mansuba

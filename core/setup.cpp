#include "core/setup.hpp"

#include <utility>

#include "core/attacks.hpp"
#include "core/error.hpp"

namespace mansuba {

namespace {

constexpr Bitboard home_rank(Color c) { return c == Color::White ? kRank1 : kRank8; }
constexpr int forward(Color c) { return c == Color::White ? 8 : -8; }

std::string name_of(Color c) { return c == Color::White ? "white" : "black"; }
std::string name_of(Square s) {
    return {static_cast<char>('a' + file_of(s)), static_cast<char>('1' + rank_of(s))};
}

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::Input, what); }

/// The men alone, no rook with a right yet.
Board board_of(const std::array<std::optional<Piece>, 64>& squares) {
    Board board;
    for (Square s = 0; s < 64; ++s) {
        const std::optional<Piece>& man = squares[static_cast<std::size_t>(s)];
        if (!man) continue;
        const unsigned code = code_of(man->type);
        board.plane0 |= Bitboard{code & 1} << s;
        board.plane1 |= Bitboard{code >> 1 & 1} << s;
        board.plane2 |= Bitboard{code >> 2 & 1} << s;
        if (man->color == Color::Black) board.black |= bit(s);
    }
    return board;
}

void refuse_above(int count, int most, Color c, const char* men) {
    if (count <= most) return;
    refuse("piece placement: " + std::to_string(count) + ' ' + name_of(c) + ' ' + men +
           ", at most " + std::to_string(most) + " are possible");
}

/// What no legal position can have, whatever the rights and clocks say.
void check_men(const Board& board, Color side_to_move) {
    for (const Color c : {Color::White, Color::Black}) {
        const int kings = popcount(board.kings() & board.of(c));
        if (kings != 1) {
            refuse("piece placement: " + std::to_string(kings) + ' ' + name_of(c) +
                   " kings instead of one");
        }
    }
    for (const Color c : {Color::White, Color::Black}) {
        refuse_above(popcount(board.of(c)), 16, c, "men");
        refuse_above(popcount(board.pawns() & board.of(c)), 8, c, "pawns");
    }
    if (const Bitboard stray = board.pawns() & (kRank1 | kRank8)) {
        refuse("piece placement: a pawn on " + name_of(lowest(stray)) + ", where none can stand");
    }
    const Square waiting_king = board.king(~side_to_move);
    if (king_attacks(waiting_king) & board.kings()) {
        refuse("piece placement: the kings on " + name_of(board.king(Color::White)) + " and " +
               name_of(board.king(Color::Black)) + " stand side by side");
    }
    if (attackers(board, waiting_king, side_to_move, board.occupied())) {
        refuse("piece placement: the " + name_of(~side_to_move) + " king on " +
               name_of(waiting_king) + " is in check, but it is the other side's move");
    }
}

void check_range(const char* field, int value, int least) {
    if (value >= least && value <= Setup::kMaxClock) return;
    refuse(std::string(field) + ": " + std::to_string(value) + " is not between " +
           std::to_string(least) + " and " + std::to_string(Setup::kMaxClock));
}

/// Why the man on s can have no castling right, beside the other rooks said to have one; empty if
/// it can. Whatever Standard allows Chess960 allows too and means the same, so that Auto, which
/// takes Chess960 where Standard does not fit, is Chess960 in effect.
std::string castling_fault(const Board& board, Bitboard claimed, Square s, Variant variant) {
    const Color c = s < 32 ? Color::White : Color::Black;
    const Bitboard home = home_rank(c);
    if (!(home & bit(s))) return name_of(s) + " is not on a home rank";
    const Bitboard rooks = home & board.rooks() & board.of(c);
    if (!(rooks & bit(s))) return "no " + name_of(c) + " rook on " + name_of(s);

    const Square king = board.king(c);
    if (!(home & bit(king))) {
        const bool anywhere = variant != Variant::Standard;
        return "the " + name_of(c) + " king is not on " +
               (anywhere            ? "its home rank"
                : c == Color::White ? "e1"
                                    : "e8");
    }
    if (variant == Variant::Standard) {
        const bool standard = file_of(king) == 4 && (file_of(s) == 0 || file_of(s) == 7);
        if (standard) return {};
        return "the king on " + name_of(king) + " may castle with the rook on " + name_of(s) +
               " only in Chess960 (--chess960)";
    }
    const Bitboard below_king = bit(king) - 1;
    const Bitboard side = s > king ? ~below_king : below_king;
    if (more_than_one(claimed & rooks & side)) {
        return "the rook on " + name_of(s) +
               " is not the only one with a right on its side of the " + name_of(c) + " king";
    }
    return {};
}

/// Why no pawn can just have passed the square; empty if one can.
std::string en_passant_fault(const Board& board, Square target, Color us) {
    const std::string where = name_of(target);
    if (rank_of(target) != (us == Color::White ? 5 : 2)) {
        return where + " is not on rank " + (us == Color::White ? '6' : '3') + " with " +
               name_of(us) + " to move";
    }
    const Square to = target - forward(us), from = target + forward(us);
    if (!(board.pawns() & board.of(~us) & bit(to))) {
        return "no " + name_of(~us) + " pawn on " + name_of(to) + " that has passed " + where;
    }
    for (const Square s : {target, from}) {
        if (board.occupied() & bit(s)) {
            return name_of(s) + " is not empty, so no pawn has just gone from " + name_of(from) +
                   " to " + name_of(to);
        }
    }
    return {};
}

/// Whether some pawn of `us` may capture on the target without leaving its king attacked. Both
/// pawns leave their squares, so the question is asked of the board as it is afterwards.
bool can_capture_en_passant(const Board& board, Square target, Color us) {
    const Bitboard captured = bit(target - forward(us));
    Bitboard captors = pawn_attacks(~us, target) & board.pawns() & board.of(us);
    while (captors) {
        const Square from = pop_lowest(captors);
        const Bitboard occupied = (board.occupied() & ~(bit(from) | captured)) | bit(target);
        // A captured pawn gives no check any more, whether attackers() knows it or not.
        if (!(attackers(board, board.king(us), ~us, occupied) & ~captured)) return true;
    }
    return false;
}

}  // namespace

Setup::Setup(const Position& position)
    : side_to_move(position.side_to_move()),
      castling_rooks(position.board().castling_rooks()),
      en_passant(position.en_passant()),
      halfmove_clock(position.halfmove_clock()),
      fullmove_number(position.fullmove_number()) {
    for (Square s = 0; s < 64; ++s) squares[static_cast<std::size_t>(s)] = position.piece_at(s);
}

Position Setup::position(Variant variant, Strictness strictness,
                         std::vector<std::string>* warnings) const {
    Board board = board_of(squares);
    check_men(board, side_to_move);
    check_range("half-move clock", halfmove_clock, 0);
    check_range("full-move number", fullmove_number, 1);

    const auto object = [&](const std::string& fault) {
        if (strictness == Strictness::Strict) refuse(fault);
        if (warnings) warnings->push_back(fault + "; dropped");
    };

    Bitboard castling = 0;
    for (Bitboard rest = castling_rooks; rest;) {
        const Square rook = pop_lowest(rest);
        const std::string fault = castling_fault(board, castling_rooks, rook, variant);
        if (fault.empty()) {
            castling |= bit(rook);
        } else {
            object("castling rights: " + fault);
        }
    }

    if (en_passant != kNoSquare) {
        if (en_passant < 0 || en_passant > kNoSquare) {
            refuse("en passant square: " + std::to_string(en_passant) + " is not on the board");
        }
        const std::string fault = en_passant_fault(board, en_passant, side_to_move);
        if (!fault.empty()) {
            object("en passant square: " + fault);
        } else if (can_capture_en_passant(board, en_passant, side_to_move)) {
            board.black |= bit(en_passant);
        }
    }

    static_assert(kCodeCastlingRook == 6 && code_of(PieceType::Rook) == 2,
                  "a right is one more bit on a rook");
    board.plane2 |= castling;
    return Position(board, side_to_move, halfmove_clock, fullmove_number);
}

}  // namespace mansuba

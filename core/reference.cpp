// The rules once more, in the words of the FIDE Laws of Chess (2023) and their Chess960 guidelines,
// on a board of letters. Nothing here is meant to be fast.
#include "core/reference.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "core/error.hpp"
#include "core/setup.hpp"

namespace mansuba::reference {
namespace {

constexpr char kEmpty = '.';
constexpr int kLargestClock = 65535;  // Position::play stops its counters here

/// Everything a move depends on. White men are capital letters, black ones small.
struct State {
    std::array<char, 64> letters{};
    std::array<bool, 64> may_castle{};  // the rooks that have a right
    bool white_to_move = true;
    Square en_passant = kNoSquare;
    int halfmove_clock = 0;
    int fullmove_number = 1;

    char at(int file, int rank) const { return letters[index(file, rank)]; }
    char at(Square s) const { return letters[static_cast<std::size_t>(s)]; }
    void put(Square s, char letter) { letters[static_cast<std::size_t>(s)] = letter; }
    static std::size_t index(int file, int rank) {
        return static_cast<std::size_t>(8 * rank + file);
    }
};

bool is_white(char letter) { return letter >= 'A' && letter <= 'Z'; }
bool is_black(char letter) { return letter >= 'a' && letter <= 'z'; }
bool is_of(char letter, bool white) { return white ? is_white(letter) : is_black(letter); }
char capital(char letter) {
    return is_black(letter) ? static_cast<char>(letter - 'a' + 'A') : letter;
}
char letter_of(char capital_letter, bool white) {
    return white ? capital_letter : static_cast<char>(capital_letter - 'A' + 'a');
}
bool on_board(int file, int rank) { return file >= 0 && file < 8 && rank >= 0 && rank < 8; }
int sign(int x) { return (x > 0) - (x < 0); }

char capital_of(PieceType type) {
    switch (type) {
        case PieceType::Pawn: return 'P';
        case PieceType::Knight: return 'N';
        case PieceType::Bishop: return 'B';
        case PieceType::Rook: return 'R';
        case PieceType::Queen: return 'Q';
        case PieceType::King: return 'K';
    }
    throw Error(ErrorCode::Internal, "a piece of no type", "reference");
}

PieceType type_of(char letter) {
    switch (capital(letter)) {
        case 'P': return PieceType::Pawn;
        case 'N': return PieceType::Knight;
        case 'B': return PieceType::Bishop;
        case 'R': return PieceType::Rook;
        case 'Q': return PieceType::Queen;
        case 'K': return PieceType::King;
        default: throw Error(ErrorCode::Internal, "a letter of no piece", "reference");
    }
}

/// Whether the man on `from` attacks `to`: could take an enemy that stood there (FIDE 3.1.2).
bool reaches(const State& s, Square from, Square to) {
    const char man = s.at(from);
    const int files = to % 8 - from % 8, ranks = to / 8 - from / 8;
    const int width = std::abs(files), height = std::abs(ranks);
    const bool straight = (width == 0) != (height == 0);
    const bool diagonal = width == height && width != 0;
    switch (capital(man)) {
        case 'P': return width == 1 && ranks == (is_white(man) ? 1 : -1);
        case 'N': return (width == 1 && height == 2) || (width == 2 && height == 1);
        case 'K': return width <= 1 && height <= 1 && width + height > 0;
        case 'B':
            if (!diagonal) return false;
            break;
        case 'R':
            if (!straight) return false;
            break;
        case 'Q':
            if (!diagonal && !straight) return false;
            break;
        default: return false;
    }
    for (int f = from % 8 + sign(files), r = from / 8 + sign(ranks); 8 * r + f != to;
         f += sign(files), r += sign(ranks)) {
        if (s.at(f, r) != kEmpty) return false;
    }
    return true;
}

bool is_attacked(const State& s, Square target, bool by_white) {
    for (Square from = 0; from < 64; ++from) {
        if (is_of(s.at(from), by_white) && reaches(s, from, target)) return true;
    }
    return false;
}

Square king_of(const State& s, bool white) {
    for (Square square = 0; square < 64; ++square) {
        if (s.at(square) == letter_of('K', white)) return square;
    }
    throw Error(ErrorCode::Internal, "a board without a king", "reference");
}

bool king_can_be_taken(const State& s, bool white) {
    return is_attacked(s, king_of(s, white), !white);
}

/// The squares where king and rook go (FIDE 3.8.2.1 and II.3 of the Chess960 guidelines).
struct CastlingEnd {
    Square king, rook;
};
CastlingEnd castling_end(Square king, Square rook) {
    const int home = king / 8;
    const bool towards_h = rook % 8 > king % 8;
    return {8 * home + (towards_h ? 6 : 2), 8 * home + (towards_h ? 5 : 3)};
}

/// The state after a move, but for the en passant right that it may give.
State moved(const State& before, Move m) {
    State s = before;
    const bool white = before.white_to_move;
    const char man = before.at(m.from());
    const bool zeroing =
        capital(man) == 'P' || (m.kind() != MoveKind::Castling && before.at(m.to()) != kEmpty);

    s.put(m.from(), kEmpty);
    if (m.kind() == MoveKind::Castling) {
        s.put(m.to(), kEmpty);
        const CastlingEnd end = castling_end(m.from(), m.to());
        s.put(end.king, letter_of('K', white));
        s.put(end.rook, letter_of('R', white));
    } else if (is_promotion(m.kind())) {
        s.put(m.to(), letter_of(capital_of(m.promotion()), white));
    } else {
        s.put(m.to(), man);
    }
    if (m.kind() == MoveKind::EnPassant) s.put(8 * (m.from() / 8) + m.to() % 8, kEmpty);

    // A right is lost with the first move of the rook or of its king, and with the rook.
    for (Square rook = 0; rook < 64; ++rook) {
        const bool touched = rook == m.from() || rook == m.to();
        const bool king_moves = capital(man) == 'K' && is_of(before.at(rook), white);
        if (touched || king_moves) s.may_castle[static_cast<std::size_t>(rook)] = false;
    }

    s.en_passant = kNoSquare;
    s.white_to_move = !white;
    s.halfmove_clock = zeroing ? 0 : std::min(before.halfmove_clock + 1, kLargestClock);
    if (!white) s.fullmove_number = std::min(before.fullmove_number + 1, kLargestClock);
    return s;
}

bool leaves_king_safe(const State& s, Move m) {
    return !king_can_be_taken(moved(s, m), s.white_to_move);
}

/// The state after a legal move. The en passant right is there only if a capture is legal.
State after(const State& before, Move m) {
    State s = moved(before, m);
    if (m.kind() != MoveKind::DoublePush) return s;
    const Square target = (m.from() + m.to()) / 2;
    const int rank = m.to() / 8;
    for (const int file : {m.to() % 8 - 1, m.to() % 8 + 1}) {
        if (!on_board(file, rank) || s.at(file, rank) != letter_of('P', s.white_to_move)) continue;
        if (leaves_king_safe(s, Move(8 * rank + file, target, MoveKind::EnPassant)))
            s.en_passant = target;
    }
    return s;
}

void add_pawn_move(const State& s, Square from, Square to, std::vector<Move>& moves) {
    const int last_rank = s.white_to_move ? 7 : 0;
    if (to / 8 != last_rank) {
        moves.emplace_back(from, to, MoveKind::Normal);
        return;
    }
    for (const MoveKind kind : {MoveKind::PromoteToKnight, MoveKind::PromoteToBishop,
                                MoveKind::PromoteToRook, MoveKind::PromoteToQueen})
        moves.emplace_back(from, to, kind);
}

void add_pawn_moves(const State& s, Square from, std::vector<Move>& moves) {
    const int up = s.white_to_move ? 1 : -1, start_rank = s.white_to_move ? 1 : 6;
    const int file = from % 8, rank = from / 8;
    if (s.at(file, rank + up) == kEmpty) {
        add_pawn_move(s, from, 8 * (rank + up) + file, moves);
        if (rank == start_rank && s.at(file, rank + 2 * up) == kEmpty)
            moves.emplace_back(from, 8 * (rank + 2 * up) + file, MoveKind::DoublePush);
    }
    for (const int side : {file - 1, file + 1}) {
        if (!on_board(side, rank + up)) continue;
        const Square to = 8 * (rank + up) + side;
        if (is_of(s.at(to), !s.white_to_move)) add_pawn_move(s, from, to, moves);
        if (to == s.en_passant) moves.emplace_back(from, to, MoveKind::EnPassant);
    }
}

struct Step {
    int file, rank;
};
constexpr std::array<Step, 8> kKnightSteps{
    {{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}}};
constexpr std::array<Step, 4> kStraightSteps{{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}};
constexpr std::array<Step, 4> kDiagonalSteps{{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}}};

template <class Steps>
void add_walks(const State& s, Square from, const Steps& steps, int longest,
               std::vector<Move>& moves) {
    for (const Step step : steps) {
        int file = from % 8, rank = from / 8;
        for (int walked = 0; walked < longest; ++walked) {
            file += step.file;
            rank += step.rank;
            if (!on_board(file, rank) || is_of(s.at(file, rank), s.white_to_move)) break;
            moves.emplace_back(from, 8 * rank + file, MoveKind::Normal);
            if (s.at(file, rank) != kEmpty) break;
        }
    }
}

/// The squares from a to b on one rank, both included.
std::vector<Square> way(Square a, Square b) {
    std::vector<Square> squares;
    for (Square s = std::min(a, b); s <= std::max(a, b); ++s) squares.push_back(s);
    return squares;
}

void add_castling(const State& s, Square king, std::vector<Move>& moves) {
    for (Square rook = 0; rook < 64; ++rook) {
        if (!s.may_castle[static_cast<std::size_t>(rook)] || !is_of(s.at(rook), s.white_to_move))
            continue;
        const CastlingEnd end = castling_end(king, rook);
        const std::vector<Square> kings_way = way(king, end.king), rooks_way = way(rook, end.rook);
        const auto is_free = [&](Square x) { return x == king || x == rook || s.at(x) == kEmpty; };
        const auto is_safe = [&](Square x) { return !is_attacked(s, x, !s.white_to_move); };
        if (std::all_of(kings_way.begin(), kings_way.end(), is_free) &&
            std::all_of(rooks_way.begin(), rooks_way.end(), is_free) &&
            std::all_of(kings_way.begin(), kings_way.end(), is_safe))
            moves.emplace_back(king, rook, MoveKind::Castling);
    }
}

std::vector<Move> moves_of(const State& s) {
    std::vector<Move> moves;
    for (Square from = 0; from < 64; ++from) {
        if (!is_of(s.at(from), s.white_to_move)) continue;
        switch (capital(s.at(from))) {
            case 'P': add_pawn_moves(s, from, moves); break;
            case 'N': add_walks(s, from, kKnightSteps, 1, moves); break;
            case 'B': add_walks(s, from, kDiagonalSteps, 7, moves); break;
            case 'R': add_walks(s, from, kStraightSteps, 7, moves); break;
            case 'Q':
                add_walks(s, from, kStraightSteps, 7, moves);
                add_walks(s, from, kDiagonalSteps, 7, moves);
                break;
            default:
                add_walks(s, from, kStraightSteps, 1, moves);
                add_walks(s, from, kDiagonalSteps, 1, moves);
                add_castling(s, from, moves);
        }
    }
    std::erase_if(moves, [&](Move m) { return !leaves_king_safe(s, m); });
    std::sort(moves.begin(), moves.end());
    return moves;
}

State state_of(const Position& position) {
    State s;
    for (Square square = 0; square < 64; ++square) {
        const std::optional<Piece> piece = position.piece_at(square);
        s.put(square,
              piece ? letter_of(capital_of(piece->type), piece->color == Color::White) : kEmpty);
        const Bitboard rooks =
            position.castling_rooks(Color::White) | position.castling_rooks(Color::Black);
        s.may_castle[static_cast<std::size_t>(square)] = (rooks >> square & 1) != 0;
    }
    s.white_to_move = position.side_to_move() == Color::White;
    s.en_passant = position.en_passant();
    s.halfmove_clock = position.halfmove_clock();
    s.fullmove_number = position.fullmove_number();
    return s;
}

/// Throws Error(Internal) if Setup judges a right otherwise than this file did.
Position position_of(const State& s) {
    Setup setup;
    for (Square square = 0; square < 64; ++square) {
        const char letter = s.at(square);
        if (letter != kEmpty)
            setup.squares[static_cast<std::size_t>(square)] =
                Piece{is_white(letter) ? Color::White : Color::Black, type_of(letter)};
        if (s.may_castle[static_cast<std::size_t>(square)]) setup.castling_rooks |= bit(square);
    }
    setup.side_to_move = s.white_to_move ? Color::White : Color::Black;
    setup.en_passant = s.en_passant;
    setup.halfmove_clock = s.halfmove_clock;
    setup.fullmove_number = s.fullmove_number;
    const Position position = setup.position(Variant::Chess960, Strictness::Strict);
    if (position.en_passant() != s.en_passant)
        throw Error(ErrorCode::Internal, "Setup and the reference differ on an en passant right",
                    std::string(s.letters.begin(), s.letters.end()));
    return position;
}

std::uint64_t count_leaves(const State& s, int depth) {
    if (depth == 0) return 1;
    std::uint64_t leaves = 0;
    for (const Move m : moves_of(s)) leaves += count_leaves(after(s, m), depth - 1);
    return leaves;
}

}  // namespace

std::vector<Move> legal_moves(const Position& position) { return moves_of(state_of(position)); }

Position play(const Position& position, Move move) {
    return position_of(after(state_of(position), move));
}

bool in_check(const Position& position) {
    return king_can_be_taken(state_of(position), position.side_to_move() == Color::White);
}

std::uint64_t perft(const Position& position, int depth) {
    return count_leaves(state_of(position), depth);
}

}  // namespace mansuba::reference

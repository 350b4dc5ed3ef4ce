#include "core/notation.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "core/error.hpp"
#include "core/movegen.hpp"
#include "core/quote.hpp"

namespace mansuba {

namespace {

// In the order of PieceType.
constexpr std::string_view kLetters = "PNBRQK";
constexpr std::string_view kUciLetters = "pnbrqk";
constexpr std::array<std::string_view, kPieceTypes> kRussianLetters = {"",  "К", "С",
                                                                       "Л", "Ф", "Кр"};

std::string_view letter_of(PieceType type, Notation notation) {
    const auto i = static_cast<std::size_t>(type);
    if (notation == Notation::Russian) return kRussianLetters[i];
    return notation == Notation::Uci ? kUciLetters.substr(i, 1) : kLetters.substr(i, 1);
}

char file_name(Square s) { return static_cast<char>('a' + file_of(s)); }
char rank_name(Square s) { return static_cast<char>('1' + rank_of(s)); }
std::string square_name(Square s) { return {file_name(s), rank_name(s)}; }

PieceType mover(const Position& position, Move move) {
    for (int i = 0; i < kPieceTypes; ++i) {
        const auto type = static_cast<PieceType>(i);
        if (position.of(type) & bit(move.from())) return type;
    }
    throw Error(ErrorCode::Internal, "a move from an empty square", square_name(move.from()));
}

bool is_capture(const Position& position, Move move) {
    return move.kind() == MoveKind::EnPassant ||
           (position.of(~position.side_to_move()) & bit(move.to())) != 0;
}

bool castles_kingside(Move move) { return move.to() > move.from(); }

/// Where the king of a castling move ends, in any set-up (FIDE II.3.2).
Square castled_king(Move move) {
    return make_square(castles_kingside(move) ? 6 : 2, rank_of(move.from()));
}

std::string format_uci(Move move, bool chess960) {
    const bool standard_castling = move.kind() == MoveKind::Castling && file_of(move.from()) == 4 &&
                                   (file_of(move.to()) == 0 || file_of(move.to()) == 7);
    const Square to = standard_castling && !chess960 ? castled_king(move) : move.to();
    std::string text = square_name(move.from()) + square_name(to);
    if (is_promotion(move.kind())) text += letter_of(move.promotion(), Notation::Uci);
    return text;
}

/// What SAN says of the square of origin: of a pawn the file if it captures; of a piece the least
/// that tells it from others of its kind with a legal move to the same square, the file before the
/// rank (PGN 8.2.3.4).
std::string origin_in_san(const Position& position, Move move, PieceType type) {
    const Square from = move.from();
    if (type == PieceType::Pawn) {
        return is_capture(position, move) ? std::string{file_name(from)} : std::string{};
    }
    Bitboard rivals = 0;
    for (const Move other : legal_moves(position)) {
        if (other.to() == move.to()) rivals |= bit(other.from());
    }
    rivals &= position.of(type) & ~bit(from);
    if (!rivals) return {};
    if (!(rivals & kFileA << file_of(from))) return {file_name(from)};
    if (!(rivals & kRank1 << 8 * rank_of(from))) return {rank_name(from)};
    return square_name(from);
}

std::string check_mark(const Position& position, Move move) {
    Position after = position;
    after.play(move);
    if (!after.in_check()) return {};
    return count_legal_moves(after) == 0 ? "#" : "+";
}

std::string format_algebraic(const Position& position, Move move, Notation notation) {
    if (move.kind() == MoveKind::Castling) {
        return (castles_kingside(move) ? "O-O" : "O-O-O") + check_mark(position, move);
    }
    const PieceType type = mover(position, move);
    std::string text;
    if (type != PieceType::Pawn) text += letter_of(type, notation);
    text +=
        notation == Notation::Lan ? square_name(move.from()) : origin_in_san(position, move, type);
    if (is_capture(position, move)) {
        text += 'x';
    } else if (notation == Notation::Lan) {
        text += '-';
    }
    text += square_name(move.to());
    if (is_promotion(move.kind())) {
        text += '=';
        text += letter_of(move.promotion(), notation);
    }
    return text + check_mark(position, move);
}

/// The text of a move inside a message; none that is meant as a move is longer.
std::string shown(std::string_view text) { return quoted(text, 40); }

enum class Wing { King, Queen };

/// What a text says about a move. What it leaves open is empty.
struct Description {
    std::optional<Wing> castling;    // O-O, O-O-O; then nothing else
    std::optional<PieceType> piece;  // empty in UCI, which names squares only
    std::optional<int> from_file, from_rank;
    Square to = kNoSquare;
    bool capture = false;
    std::optional<PieceType> promotion;
};

/// Takes the last character off the text if it is one of `set`, and returns its index there.
std::optional<int> take_last(std::string_view& text, std::string_view set) {
    if (text.empty()) return std::nullopt;
    const auto i = set.find(text.back());
    if (i == std::string_view::npos) return std::nullopt;
    text.remove_suffix(1);
    return static_cast<int>(i);
}

/// Reads UCI, SAN and LAN by one grammar, from the end, because only the end is always there:
///
///     [piece] [file] [rank] [x | -] file rank [[=] promotion] {+ # ! ?}
///
/// A lower-case letter before the target is always a file and an upper-case one always a piece:
/// bxc3 is a pawn's move, Bxc3 a bishop's. Empty if the text is not a move at all.
std::optional<Description> describe(std::string_view text) {
    constexpr std::string_view kFiles = "abcdefgh", kRanks = "12345678";
    while (take_last(text, "+#!?")) {
    }
    Description d;
    if (text == "O-O" || text == "0-0") d.castling = Wing::King;
    if (text == "O-O-O" || text == "0-0-0") d.castling = Wing::Queen;
    if (d.castling) return d;

    auto promotion = take_last(text, "NBRQ");
    if (!promotion) promotion = take_last(text, "nbrq");
    if (promotion) {
        d.promotion = static_cast<PieceType>(*promotion + static_cast<int>(PieceType::Knight));
        take_last(text, "=");
    }
    const auto to_rank = take_last(text, kRanks);
    const auto to_file = take_last(text, kFiles);
    if (!to_rank || !to_file) return std::nullopt;
    d.to = make_square(*to_file, *to_rank);

    d.capture = take_last(text, "x").has_value();
    const bool dash = !d.capture && take_last(text, "-");
    d.from_rank = take_last(text, kRanks);
    d.from_file = take_last(text, kFiles);
    const bool whole_origin = d.from_file && d.from_rank;
    if (dash && !whole_origin) return std::nullopt;

    if (const auto piece = take_last(text, kLetters)) {
        d.piece = static_cast<PieceType>(*piece);
    } else if (!whole_origin || d.capture || dash) {
        d.piece = PieceType::Pawn;
    }
    if (!text.empty()) return std::nullopt;
    return d;
}

bool fits(const Position& position, Move move, const Description& d) {
    const Square from = move.from();
    if (d.castling) {
        return move.kind() == MoveKind::Castling &&
               castles_kingside(move) == (*d.castling == Wing::King);
    }
    if (move.to() != d.to) return false;
    if (d.from_file && *d.from_file != file_of(from)) return false;
    if (d.from_rank && *d.from_rank != rank_of(from)) return false;
    if (d.promotion && !(is_promotion(move.kind()) && move.promotion() == *d.promotion)) {
        return false;
    }
    if (!d.piece) return true;
    // Our own rook is no square to step on: with a piece letter, only O-O castles.
    if (move.kind() == MoveKind::Castling || mover(position, move) != *d.piece) return false;
    // A pawn whose file is left open stays on it: "d5" is never exd5.
    if (*d.piece == PieceType::Pawn && !d.from_file && file_of(from) != file_of(d.to)) return false;
    // The x may be missing, but where it stands something must be captured.
    return !d.capture || is_capture(position, move);
}

/// Whether the text is the king's two squares in castling, e1g1. In Chess960 the same squares may
/// be a king's step or another castling rook's, so this is asked last; and a king that stays in
/// place castles as king takes rook only.
bool fits_castled_king(Move move, const Description& d) {
    return move.kind() == MoveKind::Castling && !d.castling && !d.piece && !d.promotion &&
           make_square(*d.from_file, *d.from_rank) == move.from() && castled_king(move) == d.to &&
           move.from() != d.to;
}

std::string candidates(const Position& position, const std::vector<Move>& moves) {
    std::vector<std::string> texts;
    for (const Move move : moves) texts.push_back(format_move(position, move, Notation::San));
    std::sort(texts.begin(), texts.end());
    std::string list;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (i > 0) list += i + 1 == texts.size() ? " or " : ", ";
        list += texts[i];
    }
    return list;
}

}  // namespace

Notation notation_from_name(std::string_view name) {
    if (name == "uci") return Notation::Uci;
    if (name == "san") return Notation::San;
    if (name == "lan") return Notation::Lan;
    if (name == "ru") return Notation::Russian;
    throw Error(ErrorCode::Usage, "unknown notation " + shown(name) + ": uci, san, lan or ru");
}

std::string format_move(const Position& position, Move move, Notation notation, bool chess960) {
    return notation == Notation::Uci ? format_uci(move, chess960)
                                     : format_algebraic(position, move, notation);
}

Move parse_move(const Position& position, std::string_view text) {
    const auto description = describe(text);
    if (!description) throw Error(ErrorCode::Input, "not a move: " + shown(text));

    const MoveList legal = legal_moves(position);
    std::vector<Move> found;
    for (const Move move : legal) {
        if (fits(position, move, *description)) found.push_back(move);
    }
    if (found.empty()) {
        for (const Move move : legal) {
            if (fits_castled_king(move, *description)) found.push_back(move);
        }
    }
    if (found.empty()) throw Error(ErrorCode::Input, "illegal move: " + shown(text));
    if (found.size() > 1) {
        throw Error(ErrorCode::Input,
                    "ambiguous move: " + shown(text) + " may be " + candidates(position, found));
    }
    return found.front();
}

}  // namespace mansuba

#include "core/fen.hpp"

#include <array>
#include <cstddef>

#include "core/error.hpp"
#include "core/quote.hpp"

namespace mansuba {

namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kTrimmed = " \t\r\n";
constexpr std::string_view kPieceLetters = "pnbrqk";  // in the order of PieceType

[[noreturn]] void refuse(const std::string& what, std::string_view text) {
    throw Error(ErrorCode::Input, "FEN " + what, quoted(text));
}

constexpr char upper(char lower_case) { return static_cast<char>(lower_case - 'a' + 'A'); }
constexpr char lower(char upper_case) { return static_cast<char>(upper_case - 'A' + 'a'); }
constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

/// One byte of the text, readable in a message.
std::string shown(char c) { return quoted(std::string_view(&c, 1)); }

struct Fields {
    std::array<std::string_view, 6> text;
    std::size_t count = 0;
};

/// The four or six fields of a FEN; refuses any other number of them.
Fields split(std::string_view fen) {
    Fields fields;
    std::size_t begin = fen.find_first_not_of(kTrimmed);
    const std::size_t last = fen.find_last_not_of(kTrimmed);
    const std::string_view body = fen.substr(0, last == fen.npos ? 0 : last + 1);
    while (begin < body.size()) {
        const std::size_t end = body.find_first_of(kBlanks, begin);
        if (fields.count < fields.text.size()) {
            fields.text[fields.count] = body.substr(begin, end - begin);
        }
        ++fields.count;
        begin = body.find_first_not_of(kBlanks, end);
    }
    if (fields.count != 4 && fields.count != 6) {
        refuse("fields: " + std::to_string(fields.count) + " instead of four or six", fen);
    }
    return fields;
}

/// Reads one rank, from its a-file on.
void read_rank(std::string_view text, int rank, Setup& setup) {
    const auto refuse_rank = [&](const std::string& reason) {
        refuse("piece placement: rank " + std::to_string(rank + 1) + ' ' + reason, text);
    };
    std::size_t file = 0;  // counts on beyond 8, so that the message can tell how far
    bool after_digit = false;
    for (const char c : text) {
        const bool digit = c >= '1' && c <= '8';
        if (digit && after_digit) refuse_rank("has two digits in a row");
        after_digit = digit;
        if (digit) {
            file += static_cast<std::size_t>(c - '0');
            continue;
        }
        const std::size_t type = kPieceLetters.find(is_upper(c) ? lower(c) : c);
        if (type == kPieceLetters.npos) refuse_rank("has " + shown(c) + ", which is no man");
        if (file < 8) {
            setup.squares[static_cast<std::size_t>(make_square(static_cast<int>(file), rank))] =
                Piece{is_upper(c) ? Color::White : Color::Black, static_cast<PieceType>(type)};
        }
        ++file;
    }
    if (file != 8)
        refuse_rank("has " + std::to_string(file) + (file == 1 ? " square" : " squares"));
}

void read_placement(std::string_view text, Setup& setup) {
    std::size_t ranks = 1;
    for (const char c : text) ranks += c == '/';
    if (ranks != 8) {
        refuse("piece placement: " + std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks") +
                   " instead of 8",
               text);
    }
    for (int rank = 7; rank >= 0; --rank) {
        const std::size_t end = text.find('/');
        read_rank(text.substr(0, end), rank, setup);
        text.remove_prefix(end == text.npos ? text.size() : end + 1);
    }
}

Color read_side(std::string_view text) {
    if (text == "w") return Color::White;
    if (text == "b") return Color::Black;
    refuse("side to move: neither w nor b", text);
}

/// The square of the rook that a letter of the castling field means. K and Q mean the outermost
/// rook on that side of the king (X-FEN), in standard chess too, where Setup then finds out whether
/// it is the right one. Where no rook is on that side they mean the corner, so that the complaint
/// is about the rook that everybody misses there.
Square rook_meant(char letter, const Setup& setup) {
    const Color color = is_upper(letter) ? Color::White : Color::Black;
    const char file = is_upper(letter) ? lower(letter) : letter;
    const int rank = color == Color::White ? 0 : 7;
    if (file <= 'h') return make_square(file - 'a', rank);

    const int step = file == 'k' ? -1 : 1;  // from the corner towards the king
    const Square corner = make_square(file == 'k' ? 7 : 0, rank);
    Square rook = kNoSquare;
    for (int i = 0; i < 8; ++i) {
        const Square s = corner + i * step;
        const std::optional<Piece>& man = setup.squares[static_cast<std::size_t>(s)];
        if (man == Piece{color, PieceType::King}) return rook == kNoSquare ? corner : rook;
        if (man == Piece{color, PieceType::Rook} && rook == kNoSquare) rook = s;
    }
    return corner;
}

void read_castling(std::string_view text, Strictness strictness, std::vector<std::string>& warnings,
                   Setup& setup) {
    if (text == "-") return;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '-') refuse("castling rights: - beside other characters", text);
        if (std::string_view("KQkqABCDEFGHabcdefgh").find(c) == std::string_view::npos) {
            refuse("castling rights: " + shown(c) + " is no castling letter", text);
        }
        if (text.find(c) != i) refuse("castling rights: " + shown(c) + " is there twice", text);
        const Bitboard rook = bit(rook_meant(c, setup));
        if (setup.castling_rooks & rook) {
            const std::string fault =
                "castling rights: " + shown(c) + " repeats another letter's right";
            if (strictness == Strictness::Strict) refuse(fault, text);
            warnings.push_back(fault + "; dropped");
        }
        setup.castling_rooks |= rook;
    }
}

Square read_en_passant(std::string_view text) {
    if (text == "-") return kNoSquare;
    if (text.size() != 2 || text[0] < 'a' || text[0] > 'h' || text[1] < '1' || text[1] > '8') {
        refuse("en passant square: neither - nor a square", text);
    }
    return make_square(text[0] - 'a', text[1] - '1');
}

int read_clock(const std::string& field, std::string_view text) {
    int value = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') refuse(field + ": not a plain decimal number", text);
    }
    for (const char c : text) {
        value = 10 * value + (c - '0');
        if (value > Setup::kMaxClock) {
            refuse(field + ": more than " + std::to_string(Setup::kMaxClock), text);
        }
    }
    return value;
}

/// The letter of the right of c on the king's or the queen's side, if there is one.
std::string castling_letter(const Position& position, Color c, bool king_side) {
    const Bitboard below_king = bit(position.king(c)) - 1;
    const Bitboard side = king_side ? ~below_king : below_king;
    const Bitboard rights = position.castling_rooks(c) & side;
    if (!rights) return {};

    const Square rook = lowest(rights);
    const Bitboard inwards = king_side ? bit(rook) - 1 : ~(bit(rook) - 1);
    const Bitboard home = c == Color::White ? kRank1 : kRank8;
    const Bitboard further_out = position.of(c, PieceType::Rook) & home & ~inwards & ~bit(rook);
    const char letter = further_out ? static_cast<char>('a' + file_of(rook))
                        : king_side ? 'k'
                                    : 'q';
    return std::string(1, c == Color::White ? upper(letter) : letter);
}

}  // namespace

Position parse_fen(std::string_view fen, FenOptions options, std::vector<std::string>* warnings) {
    const Fields fields = split(fen);
    Setup setup;
    std::vector<std::string> dropped;
    read_placement(fields.text[0], setup);
    setup.side_to_move = read_side(fields.text[1]);
    read_castling(fields.text[2], options.strictness, dropped, setup);
    setup.en_passant = read_en_passant(fields.text[3]);
    if (fields.count == 6) {
        setup.halfmove_clock = read_clock("half-move clock", fields.text[4]);
        setup.fullmove_number = read_clock("full-move number", fields.text[5]);
        // Many programs count from 0; the number is for people only, so nothing is lost.
        if (setup.fullmove_number == 0) setup.fullmove_number = 1;
    }

    try {
        const Position position = setup.position(options.variant, options.strictness, &dropped);
        if (warnings) {
            for (const std::string& text : dropped) warnings->push_back("FEN " + text);
        }
        return position;
    } catch (const Error& e) {
        throw Error(e.code(), std::string("FEN ") + e.what(), quoted(fen));
    }
}

std::string to_fen(const Position& position) {
    std::string fen;
    for (int rank = 7; rank >= 0; --rank) {
        int empty = 0;
        const auto flush = [&] {
            if (empty) fen += static_cast<char>('0' + empty);
            empty = 0;
        };
        for (int file = 0; file < 8; ++file) {
            const std::optional<Piece> man = position.piece_at(make_square(file, rank));
            if (!man) {
                ++empty;
                continue;
            }
            flush();
            const char letter = kPieceLetters[static_cast<std::size_t>(man->type)];
            fen += man->color == Color::White ? upper(letter) : letter;
        }
        flush();
        if (rank > 0) fen += '/';
    }

    fen += position.side_to_move() == Color::White ? " w " : " b ";

    std::string castling;
    for (const Color c : {Color::White, Color::Black}) {
        for (const bool king_side : {true, false}) {
            castling += castling_letter(position, c, king_side);
        }
    }
    fen += castling.empty() ? "-" : castling;

    fen += ' ';
    const Square target = position.en_passant();
    if (target == kNoSquare) {
        fen += '-';
    } else {
        fen += static_cast<char>('a' + file_of(target));
        fen += static_cast<char>('1' + rank_of(target));
    }
    fen += ' ' + std::to_string(position.halfmove_clock());
    fen += ' ' + std::to_string(position.fullmove_number());
    return fen;
}

}  // namespace mansuba

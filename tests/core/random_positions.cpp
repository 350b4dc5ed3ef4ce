#include "tests/core/random_positions.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/error.hpp"
#include "core/movegen.hpp"
#include "core/setup.hpp"

namespace mansuba::test {
namespace {

struct Direction {
    int file, rank;
};
constexpr std::array<Direction, 8> kDirections{
    {{0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}, {-1, 0}, {-1, 1}}};
constexpr std::array<Direction, 8> kKnightLeaps{
    {{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}}};

/// The square some steps away, kNoSquare beyond the edge.
Square shifted(Square s, Direction d, int steps = 1) {
    const int file = s % 8 + d.file * steps, rank = s / 8 + d.rank * steps;
    return file >= 0 && file < 8 && rank >= 0 && rank < 8 ? make_square(file, rank) : kNoSquare;
}

/// A board in the making. What would make it illegal is not put down.
class Sketch {
public:
    explicit Sketch(Random& random) : random_(random) {}

    Men& men() { return setup_.squares; }
    bool is_empty(Square s) const { return !setup_.squares[static_cast<std::size_t>(s)]; }
    void reserve(Square s) { reserved_ |= bit(s); }

    /// False, and nothing done, off the board, on a square that is taken or reserved, for a pawn on
    /// its first or last rank, a second king, a ninth pawn or a seventeenth man.
    bool put(Square s, Color c, PieceType t) {
        if (s == kNoSquare || !is_empty(s) || (reserved_ >> s & 1)) return false;
        int all = 0, pawns = 0, kings = 0;
        for (const auto& man : setup_.squares) {
            if (!man || man->color != c) continue;
            ++all;
            pawns += man->type == PieceType::Pawn;
            kings += man->type == PieceType::King;
        }
        if (all == 16 || (all == 15 && kings == 0 && t != PieceType::King)) return false;
        if (t == PieceType::Pawn && (pawns == 8 || s / 8 == 0 || s / 8 == 7)) return false;
        if (t == PieceType::King && (kings == 1 || is_beside_king(s))) return false;
        setup_.squares[static_cast<std::size_t>(s)] = Piece{c, t};
        return true;
    }
    /// A king on a random square; false if the draw found no room.
    bool put_king(Color c) {
        for (int tries = 0; tries < 20; ++tries) {
            if (put(random_.below(64), c, PieceType::King)) return true;
        }
        return false;
    }
    PieceType any_type() {
        constexpr std::array types{PieceType::Pawn,   PieceType::Pawn, PieceType::Knight,
                                   PieceType::Bishop, PieceType::Rook, PieceType::Queen};
        return types[static_cast<std::size_t>(random_.below(6))];
    }
    void sprinkle(int count, int percent_white = 50) {
        while (count-- > 0)
            put(random_.below(64), random_.chance(percent_white) ? Color::White : Color::Black,
                any_type());
    }
    /// A slider that moves in this direction; seldom one that does not, to be seen through.
    PieceType slider_along(Direction d) {
        const bool diagonal = d.file != 0 && d.rank != 0;
        if (random_.chance(8)) return diagonal ? PieceType::Rook : PieceType::Bishop;
        if (random_.chance(40)) return PieceType::Queen;
        return diagonal ? PieceType::Bishop : PieceType::Rook;
    }
    /// King of c on one side of `middle`, a slider of the other colour on the far side, on a line.
    void line_through(Square middle, Color c, bool place_king) {
        const Direction d = kDirections[static_cast<std::size_t>(random_.below(8))];
        const Square king = shifted(middle, d, random_.between(1, 3));
        const Square slider = shifted(middle, {-d.file, -d.rank}, random_.between(1, 4));
        if (king == kNoSquare || slider == kNoSquare) return;
        if (place_king && !put(king, c, PieceType::King)) return;
        if (put(slider, ~c, slider_along(d))) {
            for (int steps = 1;
                 shifted(slider, d, steps) != king && shifted(slider, d, steps) != kNoSquare;
                 ++steps)
                reserve(shifted(slider, d, steps));
        }
    }
    void right(Square rook) { setup_.castling_rooks |= bit(rook); }

    /// Takes away the men that give check to c, as far as they are not kings.
    void relieve(Color c) {
        for (int rounds = 0; rounds < 64; ++rounds) {
            const Bitboard checkers = attackers_by_walking(men(), king_square(men(), c), ~c);
            if (!checkers) return;
            for (Bitboard rest = checkers; rest;)
                men()[static_cast<std::size_t>(pop_lowest(rest))].reset();
        }
    }
    /// The position with this side to move. The other side is relieved of checks first.
    void finish(Color side_to_move, Square en_passant, Variant variant,
                std::vector<Sample>& samples) {
        if (king_square(men(), Color::White) == kNoSquare ||
            king_square(men(), Color::Black) == kNoSquare)
            return;
        relieve(~side_to_move);
        setup_.side_to_move = side_to_move;
        setup_.en_passant = en_passant;
        setup_.halfmove_clock = en_passant == kNoSquare ? random_.below(120) : 0;
        setup_.fullmove_number = random_.between(1, 300);
        // A right whose rook was taken away is dropped; so is an en passant square without its pawn.
        samples.push_back({setup_.position(variant, Strictness::Lenient), en_passant});
    }

private:
    bool is_beside_king(Square s) const {
        for (const Direction d : kDirections) {
            const Square next = shifted(s, d);
            if (next == kNoSquare) continue;
            const auto& man = setup_.squares[static_cast<std::size_t>(next)];
            if (man && man->type == PieceType::King) return true;
        }
        return false;
    }

    Random& random_;
    Setup setup_;
    Bitboard reserved_ = 0;  // lines that shall stay open
};

Color any_color(Random& random) { return random.chance(50) ? Color::White : Color::Black; }
Direction forward_of(Color c) { return {0, c == Color::White ? 1 : -1}; }

/// The files' men of a Chess960 start: bishops on both colours, the king between the rooks.
std::array<PieceType, 8> chess960_files(Random& random) {
    std::array<std::optional<PieceType>, 8> files;
    const auto put_on_free = [&](int skip, PieceType t) {
        for (auto& file : files) {
            if (!file && skip-- == 0) file = t;
        }
    };
    files[static_cast<std::size_t>(2 * random.below(4))] = PieceType::Bishop;
    files[static_cast<std::size_t>(2 * random.below(4) + 1)] = PieceType::Bishop;
    put_on_free(random.below(6), PieceType::Queen);
    put_on_free(random.below(5), PieceType::Knight);
    put_on_free(random.below(4), PieceType::Knight);
    for (const PieceType t : {PieceType::Rook, PieceType::King, PieceType::Rook}) put_on_free(0, t);
    std::array<PieceType, 8> result{};
    for (std::size_t f = 0; f < 8; ++f) result[f] = *files[f];
    return result;
}

Position chess960_start(Random& random) {
    const std::array<PieceType, 8> white = chess960_files(random);
    const std::array<PieceType, 8> black = random.chance(50) ? white : chess960_files(random);
    Setup setup;
    for (std::size_t f = 0; f < 8; ++f) {
        setup.squares[f] = Piece{Color::White, white[f]};
        setup.squares[8 + f] = Piece{Color::White, PieceType::Pawn};
        setup.squares[48 + f] = Piece{Color::Black, PieceType::Pawn};
        setup.squares[56 + f] = Piece{Color::Black, black[f]};
        if (white[f] == PieceType::Rook) setup.castling_rooks |= bit(static_cast<Square>(f));
        if (black[f] == PieceType::Rook) setup.castling_rooks |= bit(static_cast<Square>(56 + f));
    }
    return setup.position(Variant::Chess960);
}

void play_out(Random& random, std::vector<Sample>& samples) {
    Position position = random.chance(40) ? Position() : chess960_start(random);
    const int eager =
        random.below(60);  // how often a move that changes the material or a right goes first
    for (int plies = random.between(20, 140); plies > 0; --plies) {
        samples.push_back({position});
        const MoveList moves = legal_moves(position);
        if (moves.empty()) return;
        const auto any = [&] {
            return moves[static_cast<std::size_t>(random.below(static_cast<int>(moves.size())))];
        };
        Move move = any();
        if (random.chance(eager)) {
            for (int tries = 0;
                 tries < 8 && move.kind() == MoveKind::Normal && !position.piece_at(move.to());
                 ++tries)
                move = any();
        }
        position.play(move);
    }
    samples.push_back({position});
}

void place_anywhere(Random& random, std::vector<Sample>& samples) {
    Sketch sketch(random);
    if (!sketch.put_king(Color::White) || !sketch.put_king(Color::Black)) return;
    const int white = random.between(20, 80);
    sketch.sprinkle(random.chance(15) ? 200 : random.below(36), white);  // 200 fill both sides up
    sketch.finish(any_color(random), kNoSquare, Variant::Standard, samples);
}

void raise_armies(Random& random, std::vector<Sample>& samples) {
    Sketch sketch(random);
    if (!sketch.put_king(Color::White) || !sketch.put_king(Color::Black)) return;
    constexpr std::array types{PieceType::Queen, PieceType::Rook, PieceType::Knight,
                               PieceType::Bishop};
    const int alone =
        random.chance(20) ? random.below(2) : 2;  // a king by itself leaves most moves
    for (const Color c : {Color::White, Color::Black}) {
        if (alone == static_cast<int>(c)) continue;
        const PieceType mostly = types[static_cast<std::size_t>(random.below(4))];
        for (int men = random.between(3, 15); men > 0; --men) {
            const PieceType t =
                random.chance(75) ? mostly : types[static_cast<std::size_t>(random.below(4))];
            sketch.put(random.below(64), c, t);
        }
    }
    sketch.finish(any_color(random), kNoSquare, Variant::Standard, samples);
}

void pin_men(Random& random, std::vector<Sample>& samples) {
    Sketch sketch(random);
    const Color us = any_color(random);
    // The middle of the board has room for pins in all directions.
    const Square king = random.chance(60) ? make_square(random.between(2, 5), random.between(2, 5))
                                          : random.below(64);
    sketch.put(king, us, PieceType::King);
    const int density = random.between(20, 90);
    for (const Direction d : kDirections) {
        if (!random.chance(density)) continue;
        const int steps = random.between(1, 3);
        const Square own = shifted(king, d, steps),
                     slider = shifted(king, d, steps + random.between(1, 3));
        if (slider == kNoSquare || !sketch.put(own, us, sketch.any_type())) continue;
        if (!sketch.put(slider, ~us, sketch.slider_along(d))) continue;
        for (int i = 1; shifted(king, d, i) != slider; ++i) sketch.reserve(shifted(king, d, i));
    }
    if (!sketch.put_king(~us)) return;
    if (random.chance(25))
        sketch.put(shifted(king, kKnightLeaps[static_cast<std::size_t>(random.below(8))]), ~us,
                   PieceType::Knight);
    sketch.sprinkle(random.below(12));
    sketch.finish(us, kNoSquare, Variant::Standard, samples);
}

void give_checks(Random& random, std::vector<Sample>& samples) {
    Sketch sketch(random);
    const Color us = any_color(random);
    const Square king = random.below(64);
    sketch.put(king, us, PieceType::King);
    for (int checks = random.chance(50) ? 1 : random.between(2, 5); checks > 0; --checks) {
        const int way = random.below(10);
        const Direction d = kDirections[static_cast<std::size_t>(random.below(8))];
        if (way < 2) {
            sketch.put(shifted(king, kKnightLeaps[static_cast<std::size_t>(random.below(8))]), ~us,
                       PieceType::Knight);
        } else if (way == 2) {
            sketch.put(shifted(king, {random.chance(50) ? 1 : -1, forward_of(us).rank}), ~us,
                       PieceType::Pawn);
        } else {
            const int steps = random.between(1, 5);
            if (!sketch.put(shifted(king, d, steps), ~us, sketch.slider_along(d))) continue;
            for (int i = 1; i < steps; ++i) sketch.reserve(shifted(king, d, i));
        }
    }
    if (!sketch.put_king(~us)) return;
    sketch.sprinkle(random.between(0, 20), us == Color::White ? 75 : 25);
    sketch.finish(us, kNoSquare, Variant::Standard, samples);
}

void pass_over(Random& random, std::vector<Sample>& samples) {
    Sketch sketch(random);
    const Color us = any_color(random);  // who may capture
    const Direction up = forward_of(~us);
    const Square origin = make_square(random.below(8), us == Color::White ? 6 : 1);
    const Square target = shifted(origin, up), landing = shifted(origin, up, 2);
    const bool already_pushed = random.chance(50);

    sketch.put(already_pushed ? landing : origin, ~us, PieceType::Pawn);
    for (const Square s : {origin, target, landing}) sketch.reserve(s);
    const Square west = shifted(landing, {-1, 0}), east = shifted(landing, {1, 0});
    const int sides = random.chance(40) ? 3 : random.between(1, 2);
    const bool has_west = (sides & 1) && sketch.put(west, us, PieceType::Pawn);
    const bool has_east = (sides & 2) && sketch.put(east, us, PieceType::Pawn);
    if (!has_west && !has_east) return;
    const Square captor = has_west && (!has_east || random.chance(50)) ? west : east;

    switch (random.below(8)) {
        case 0:
        case 1: sketch.line_through(captor, us, true); break;
        case 2: sketch.line_through(landing, us, true); break;
        case 3: sketch.line_through(target, us, true); break;
        case 4: sketch.line_through(origin, us, true); break;
        case 5: {  // both pawns between king and slider on their rank
            const int left = landing % 8 - 1 - has_west, right = landing % 8 + 1 + has_east;
            const int rank = landing / 8;
            if (left < 0 || right > 7) break;
            const int king = random.chance(50) ? random.between(0, left) : random.between(right, 7);
            const int slider = king <= left ? random.between(right, 7) : random.between(0, left);
            sketch.put(make_square(king, rank), us, PieceType::King);
            sketch.put(make_square(slider, rank), ~us, sketch.slider_along({1, 0}));
            for (int f = 0; f < 8; ++f) sketch.reserve(make_square(f, rank));
            break;
        }
        default: {  // the push gives check to a king that is hemmed in
            const Square king = shifted(landing, {random.chance(50) ? 1 : -1, up.rank});
            if (!sketch.put(king, us, PieceType::King)) break;
            for (const Direction d : kDirections) {
                const Square s = shifted(king, d);
                if (s == kNoSquare || s == landing || !random.chance(85)) continue;
                sketch.put(s, us, random.chance(70) ? PieceType::Pawn : sketch.any_type());
            }
        }
    }
    if (king_square(sketch.men(), us) == kNoSquare && !sketch.put_king(us)) return;
    if (!sketch.put_king(~us)) return;
    if (random.chance(30)) sketch.line_through(captor, us, false);
    if (random.chance(20)) {  // some other man gives check
        const Direction d = kDirections[static_cast<std::size_t>(random.below(8))];
        sketch.put(shifted(king_square(sketch.men(), us), d, random.between(1, 4)), ~us,
                   sketch.slider_along(d));
    }
    sketch.sprinkle(random.below(8));
    if (already_pushed) {
        sketch.finish(us, target, Variant::Standard, samples);
        return;
    }
    sketch.finish(~us, kNoSquare, Variant::Standard, samples);
    const Position before = samples.back().position;
    for (const Move m : legal_moves(before)) {
        if (m.from() != origin || m.kind() != MoveKind::DoublePush) continue;
        Position after = before;
        after.play(m);
        samples.push_back({after, target});
    }
}

void prepare_castling(Random& random, std::vector<Sample>& samples) {
    Sketch sketch(random);
    const Color us = any_color(random);
    const bool standard = random.chance(25);
    for (const Color c : {us, ~us}) {
        const int home = c == Color::White ? 0 : 7;
        if (c != us && random.chance(40)) {
            if (!sketch.put_king(c)) return;
            continue;
        }
        const int king = standard            ? 4
                         : random.chance(90) ? random.between(1, 6)
                                             : 7 * random.below(2);
        if (!sketch.put(make_square(king, home), c, PieceType::King)) return;
        const int sides = random.between(1, 3);
        const auto put_with_right = [&](int file) {
            if (sketch.put(make_square(file, home), c, PieceType::Rook))
                sketch.right(make_square(file, home));
        };
        if ((sides & 1) && king > 0) put_with_right(standard ? 0 : random.below(king));
        if ((sides & 2) && king < 7) put_with_right(standard ? 7 : random.between(king + 1, 7));
        if (random.chance(20)) sketch.put(make_square(random.below(8), home), c, PieceType::Rook);
        if (random.chance(20)) sketch.put(make_square(random.below(8), home), c, sketch.any_type());
        if (random.chance(35))
            sketch.put(make_square(random.below(8), home), ~c,
                       random.chance(60) ? PieceType::Rook : PieceType::Queen);
        // The corner beyond the a-side rook: the only square from which castling itself uncovers a check.
        if (random.chance(15)) sketch.put(make_square(0, home), ~c, PieceType::Rook);
        if (random.chance(10))
            sketch.put(make_square(random.below(8), home), ~c, PieceType::Bishop);
        if (random.chance(20))
            sketch.put(make_square(random.below(8), home == 0 ? 1 : 6), ~c, PieceType::Pawn);
        if (random.chance(20))
            sketch.put(make_square(random.below(8), home == 0 ? 2 : 5), ~c, PieceType::Knight);
        for (int f = 0; f < 8; ++f) {
            if (!random.chance(20)) sketch.reserve(make_square(f, home));
        }
    }
    sketch.sprinkle(random.below(14));
    if (random.chance(85)) sketch.relieve(us);
    sketch.finish(us, kNoSquare, standard ? Variant::Standard : Variant::Chess960, samples);
}

void promote_pawns(Random& random, std::vector<Sample>& samples) {
    Sketch sketch(random);
    const Color us = any_color(random);
    const int seventh = us == Color::White ? 6 : 1, eighth = us == Color::White ? 7 : 0;
    const int pawns = random.between(20, 90), targets = random.between(10, 80);
    const Square pinned = make_square(random.below(8), seventh);
    sketch.put(pinned, us, PieceType::Pawn);
    if (random.chance(70)) sketch.line_through(pinned, us, true);
    if (king_square(sketch.men(), us) == kNoSquare && !sketch.put_king(us)) return;
    if (!sketch.put_king(~us)) return;
    constexpr std::array pieces{PieceType::Knight, PieceType::Bishop, PieceType::Rook,
                                PieceType::Queen};
    for (int f = 0; f < 8; ++f) {
        if (random.chance(pawns)) sketch.put(make_square(f, seventh), us, PieceType::Pawn);
        if (random.chance(targets))
            sketch.put(make_square(f, eighth), ~us,
                       pieces[static_cast<std::size_t>(random.below(4))]);
        if (random.chance(20)) sketch.put(make_square(f, 7 - seventh), ~us, PieceType::Pawn);
    }
    sketch.sprinkle(random.below(8));
    sketch.finish(us, kNoSquare, Variant::Standard, samples);
}

void box_kings(Random& random, std::vector<Sample>& samples) {
    Sketch sketch(random);
    const Color us = any_color(random);
    const bool edge = random.chance(70);
    const Square king =
        edge ? make_square(random.chance(50) ? 0 : 7, random.below(8)) : random.below(64);
    sketch.put(king, us, PieceType::King);
    if (!sketch.put_king(~us)) return;
    const int boxed = random.between(0, 100);
    for (const Direction d : kDirections) {
        if (!random.chance(boxed)) continue;
        const Square s = shifted(king, d);
        if (sketch.put(s, us, random.chance(75) ? PieceType::Pawn : sketch.any_type()) &&
            random.chance(60))
            sketch.put(shifted(s, forward_of(us)), ~us, PieceType::Pawn);
    }
    for (int hunters = random.below(6); hunters > 0; --hunters) {
        constexpr std::array types{PieceType::Queen, PieceType::Rook, PieceType::Bishop,
                                   PieceType::Knight};
        sketch.put(random.below(64), ~us, types[static_cast<std::size_t>(random.below(4))]);
    }
    sketch.finish(us, kNoSquare, Variant::Standard, samples);
}

}  // namespace

std::string_view name_of(Theme theme) {
    constexpr std::array<std::string_view, kThemes.size()> names{
        "Playouts",  "Placements", "Promoted",   "Pins",      "Checks",
        "EnPassant", "Castling",   "Promotions", "BoxedKings"};
    return names[static_cast<std::size_t>(theme)];
}

std::vector<Sample> random_positions(Theme theme, std::uint64_t seed) {
    Random random(seed << 8 | static_cast<std::uint64_t>(theme));
    std::vector<Sample> samples;
    switch (theme) {
        case Theme::Playouts: play_out(random, samples); break;
        case Theme::Placements: place_anywhere(random, samples); break;
        case Theme::Promoted: raise_armies(random, samples); break;
        case Theme::Pins: pin_men(random, samples); break;
        case Theme::Checks: give_checks(random, samples); break;
        case Theme::EnPassant: pass_over(random, samples); break;
        case Theme::Castling: prepare_castling(random, samples); break;
        case Theme::Promotions: promote_pawns(random, samples); break;
        case Theme::BoxedKings: box_kings(random, samples); break;
    }
    return samples;
}

Men men_of(const Position& position) {
    Men men;
    for (Square s = 0; s < 64; ++s) men[static_cast<std::size_t>(s)] = position.piece_at(s);
    return men;
}

bool reaches(const Men& men, Square from, Square to) {
    const auto& man = men[static_cast<std::size_t>(from)];
    if (!man || from == to) return false;
    const int files = to % 8 - from % 8, ranks = to / 8 - from / 8;
    const int distance = std::max(std::abs(files), std::abs(ranks));
    const bool on_line = files == 0 || ranks == 0 || std::abs(files) == std::abs(ranks);
    const bool diagonal = files != 0 && ranks != 0;
    switch (man->type) {
        case PieceType::Pawn: return std::abs(files) == 1 && ranks == forward_of(man->color).rank;
        case PieceType::Knight: return std::abs(files * ranks) == 2;
        case PieceType::King: return distance == 1;
        case PieceType::Bishop:
            if (!on_line || !diagonal) return false;
            break;
        case PieceType::Rook:
            if (!on_line || diagonal) return false;
            break;
        case PieceType::Queen:
            if (!on_line) return false;
            break;
    }
    const Direction d{files / distance, ranks / distance};
    for (int steps = 1; steps < distance; ++steps) {
        if (men[static_cast<std::size_t>(shifted(from, d, steps))]) return false;
    }
    return true;
}

Bitboard attackers_by_walking(const Men& men, Square s, Color by) {
    Bitboard found = 0;
    for (Square from = 0; from < 64; ++from) {
        const auto& man = men[static_cast<std::size_t>(from)];
        if (man && man->color == by && reaches(men, from, s)) found |= bit(from);
    }
    return found;
}

Square king_square(const Men& men, Color c) {
    for (Square s = 0; s < 64; ++s) {
        if (men[static_cast<std::size_t>(s)] == Piece{c, PieceType::King}) return s;
    }
    return kNoSquare;
}

}  // namespace mansuba::test

// The fast generator, Position::play, checkers and Zobrist keys against the reference on random
// positions that look for trouble; slider methods against walking.
#include "core/movegen.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "core/attacks.hpp"
#include "core/fen.hpp"
#include "core/reference.hpp"
#include "core/setup.hpp"
#include "core/zobrist.hpp"
#include "tests/core/random_positions.hpp"

namespace mansuba::test {
namespace {

// Sliders

Bitboard walk(Square s, Bitboard occ, bool diagonal) {
    Bitboard seen = 0;
    for (int file = -1; file <= 1; ++file) {
        for (int rank = -1; rank <= 1; ++rank) {
            if ((file == 0 && rank == 0) || (file != 0 && rank != 0) != diagonal) continue;
            for (int f = s % 8 + file, r = s / 8 + rank; f >= 0 && f < 8 && r >= 0 && r < 8;
                 f += file, r += rank) {
                seen |= bit(make_square(f, r));
                if (occ >> make_square(f, r) & 1) break;
            }
        }
    }
    return seen;
}

using SliderAttacks = Bitboard (*)(Square, Bitboard);

/// Every square, with boards from empty over sparse to full; the slider's own square on and off.
void expect_walks(SliderAttacks rook, SliderAttacks bishop) {
    Random random(20240601);
    for (int round = 0; round < 4000; ++round) {
        Bitboard occ = random.next();
        for (int thin = round % 4; thin > 0; --thin) occ &= random.next();
        if (round % 8 >= 6) occ = ~occ;
        if (round == 0) occ = 0;
        if (round == 1) occ = ~Bitboard{0};
        for (Square s = 0; s < 64; ++s) {
            ASSERT_EQ(rook(s, occ), walk(s, occ, false))
                << "rook on " << s << ", occupancy " << occ;
            ASSERT_EQ(bishop(s, occ), walk(s, occ, true))
                << "bishop on " << s << ", occupancy " << occ;
        }
    }
}

Bitboard hyperbola_rook(Square s, Bitboard occ) { return HyperbolaSliders::rook(s, occ); }
Bitboard hyperbola_bishop(Square s, Bitboard occ) { return HyperbolaSliders::bishop(s, occ); }

TEST(Sliders, HyperbolaEqualsWalking) { expect_walks(hyperbola_rook, hyperbola_bishop); }

#if defined(__x86_64__)
// Plain functions alone stand in the region: an inline template compiled for BMI2 here could
// replace the baseline one everywhere.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("bmi2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("bmi2")
#endif
#include "core/pext_sliders_impl.hpp"
Bitboard pext_rook(Square s, Bitboard occ) { return PextSliders::rook(s, occ); }
Bitboard pext_bishop(Square s, Bitboard occ) { return PextSliders::bishop(s, occ); }
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

TEST(Sliders, PextEqualsWalking) {
    if (!__builtin_cpu_supports("bmi2")) GTEST_SKIP() << "this processor has no BMI2";
    expect_walks(pext_rook, pext_bishop);
}
#endif

// The kernel as perft uses it: raw moves made on boards without a look back at the position.
namespace kernel {
#define MANSUBA_SLIDERS HyperbolaSliders
#include "core/moves_impl.hpp"
#undef MANSUBA_SLIDERS
}  // namespace kernel

template <Color Us>
std::vector<std::pair<Move, Board>> boards_after(const Board& board) {
    kernel::RawMove raw[kMaxMoves];
    const kernel::RawMove* end = kernel::list_moves<Us>(board, raw);
    std::vector<std::pair<Move, Board>> boards;
    for (const kernel::RawMove* m = raw; m != end; ++m)
        boards.emplace_back(Move(m->from(), m->to(), m->kind()), kernel::make<Us>(board, *m));
    return boards;
}

// The differential tests count what they met, and fail if they did not meet what they are for.

/// What a run met, by kind.
struct Tally {
    std::int64_t positions = 0, played = 0, moves = 0;
    std::int64_t check = 0, double_check = 0, triple_check = 0, mate = 0, stalemate = 0,
                 no_king_move = 0;
    std::int64_t pinned[8] = {}, pins_three_and_more = 0;
    std::int64_t castling = 0, castling_both = 0, castling_960 = 0, castling_blocked = 0,
                 castling_in_check = 0, castling_way_attacked = 0, castling_uncovers_check = 0,
                 rook_passes_attack = 0, right_lost_by_capture = 0;
    std::int64_t en_passant = 0, ep_answers_check = 0, ep_only_answer = 0, ep_two_captors = 0,
                 ep_one_of_two = 0, ep_in_other_check = 0;
    std::int64_t ep_refused = 0, ep_refused_rank = 0, ep_refused_file = 0, ep_refused_diagonal = 0,
                 ep_refused_antidiagonal = 0, ep_refused_for_victim = 0,
                 ep_refused_in_other_check = 0, ep_right_dropped = 0;
    std::int64_t promotion = 0, promotion_capture = 0, promotion_pinned = 0,
                 promotion_refused_pinned = 0, promotion_in_check = 0;
    int fewest_men = 64, most_men = 0, most_moves = 0;
};

constexpr int kSteps[8][2] = {{0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}, {-1, 0}, {-1, 1}};

std::optional<Piece> man_at(const Men& men, Square s) { return men[static_cast<std::size_t>(s)]; }

/// The squares of own men pinned, by direction as seen from the king.
std::vector<std::pair<int, Square>> pins(const Men& men, Color us) {
    std::vector<std::pair<int, Square>> found;
    const Square king = king_square(men, us);
    for (int d = 0; d < 8; ++d) {
        Square own = kNoSquare;
        for (int f = king % 8 + kSteps[d][0], r = king / 8 + kSteps[d][1];
             f >= 0 && f < 8 && r >= 0 && r < 8; f += kSteps[d][0], r += kSteps[d][1]) {
            const auto man = man_at(men, make_square(f, r));
            if (!man) continue;
            if (man->color == us && own == kNoSquare) {
                own = make_square(f, r);
                continue;
            }
            const PieceType along = d % 2 ? PieceType::Bishop : PieceType::Rook;
            if (own != kNoSquare && man->color != us &&
                (man->type == along || man->type == PieceType::Queen))
                found.emplace_back(d, own);
            break;
        }
    }
    return found;
}

/// Whether an en passant capture on `target` by `us` is legal, judged by making each; counts why
/// not.
bool judge_en_passant(const Men& men, Color us, Square target, Tally& tally) {
    const int up = us == Color::White ? 8 : -8;
    const Square victim = target - up;
    const Piece pawn{us, PieceType::Pawn};
    int captors = 0, legal = 0;
    for (const int side : {-1, 1}) {
        const int file = target % 8 + side;
        if (file < 0 || file > 7 || man_at(men, victim + side) != pawn) continue;
        ++captors;
        Men after = men;
        std::swap(after[static_cast<std::size_t>(victim + side)],
                  after[static_cast<std::size_t>(target)]);
        after[static_cast<std::size_t>(victim)].reset();
        const Square king = king_square(after, us);
        const Bitboard attackers = attackers_by_walking(after, king, ~us);
        if (!attackers) {
            ++legal;
            continue;
        }
        ++tally.ep_refused;
        const Bitboard others = attackers_by_walking(men, king, ~us) & ~bit(victim);
        if (others) {
            ++tally.ep_refused_in_other_check;
            continue;
        }
        const Square by = lowest(attackers);
        const int files = by % 8 - king % 8, ranks = by / 8 - king / 8;
        (ranks == 0                   ? tally.ep_refused_rank
         : files == 0                 ? tally.ep_refused_file
         : (files > 0) == (ranks > 0) ? tally.ep_refused_diagonal
                                      : tally.ep_refused_antidiagonal)++;
        Men without_victim = men;
        without_victim[static_cast<std::size_t>(victim)].reset();
        if (ranks != 0 && attackers_by_walking(without_victim, king, ~us))
            ++tally.ep_refused_for_victim;
    }
    if (captors == 2) ++(legal == 1 ? tally.ep_one_of_two : tally.ep_two_captors);
    if (captors > 0 && legal == 0) ++tally.ep_right_dropped;
    return legal > 0;
}

void tally_castling(const Position& position, const Men& men, const std::vector<Move>& moves,
                    Tally& tally) {
    const Color us = position.side_to_move();
    const Square king = king_square(men, us);
    int legal = 0;
    for (Bitboard rooks = position.castling_rooks(us); rooks;) {
        const Square rook = pop_lowest(rooks);
        const int home = king / 8 * 8;
        const Square king_to = home + (rook > king ? 6 : 2), rook_to = home + (rook > king ? 5 : 3);
        bool blocked = false, attacked = false, rook_passes = false;
        const int low = std::min({king, rook, king_to, rook_to}),
                  high = std::max({king, rook, king_to, rook_to});
        for (Square s = low; s <= high; ++s) {
            const bool kings_way = (s >= king && s <= king_to) || (s >= king_to && s <= king);
            const bool rooks_way = (s >= rook && s <= rook_to) || (s >= rook_to && s <= rook);
            if (s != king && s != rook && man_at(men, s) && (kings_way || rooks_way))
                blocked = true;
            const bool hit = attackers_by_walking(men, s, ~us) != 0;
            if (kings_way && hit) attacked = true;
            if (rooks_way && !kings_way && hit) rook_passes = true;
        }
        if (std::binary_search(moves.begin(), moves.end(), Move(king, rook, MoveKind::Castling))) {
            ++tally.castling;
            ++legal;
            if (king % 8 != 4 || (rook % 8 != 0 && rook % 8 != 7)) ++tally.castling_960;
            if (rook_passes) ++tally.rook_passes_attack;
        } else {
            ++(attackers_by_walking(men, king, ~us) ? tally.castling_in_check
               : blocked                            ? tally.castling_blocked
               : attacked                           ? tally.castling_way_attacked
                                                    : tally.castling_uncovers_check);
        }
    }
    if (legal == 2) ++tally.castling_both;
}

void tally_position(const Position& position, const Men& men, const std::vector<Move>& moves,
                    Tally& tally) {
    const Color us = position.side_to_move();
    const Square king = king_square(men, us);
    const int men_count = popcount(position.occupied());
    tally.fewest_men = std::min(tally.fewest_men, men_count);
    tally.most_men = std::max(tally.most_men, men_count);
    tally.most_moves = std::max(tally.most_moves, static_cast<int>(moves.size()));

    const Bitboard checkers = attackers_by_walking(men, king, ~us);
    const int checks = popcount(checkers);
    tally.check += checks == 1;
    tally.double_check += checks == 2;
    tally.triple_check += checks > 2;
    if (moves.empty()) ++(checks ? tally.mate : tally.stalemate);
    if (std::none_of(moves.begin(), moves.end(), [&](Move m) { return m.from() == king; }))
        ++tally.no_king_move;

    const auto pinned = pins(men, us);
    for (const auto& [direction, square] : pinned) {
        ++tally.pinned[direction];
        const bool on_seventh = square / 8 == (us == Color::White ? 6 : 1);
        if (!on_seventh || man_at(men, square)->type != PieceType::Pawn) continue;
        const bool moves_still =
            std::any_of(moves.begin(), moves.end(), [s = square](Move m) { return m.from() == s; });
        ++(moves_still ? tally.promotion_pinned : tally.promotion_refused_pinned);
    }
    tally.pins_three_and_more += pinned.size() >= 3;

    bool has_en_passant = false, all_en_passant = !moves.empty();
    for (const Move m : moves) {
        const bool ep = m.kind() == MoveKind::EnPassant;
        has_en_passant |= ep;
        all_en_passant &= ep;
        if (!is_promotion(m.kind())) continue;
        ++tally.promotion;
        tally.promotion_capture += man_at(men, m.to()).has_value();
        tally.promotion_in_check += checks > 0;
    }
    if (has_en_passant) {
        ++tally.en_passant;
        const Square victim = position.en_passant() + (us == Color::White ? -8 : 8);
        tally.ep_answers_check += (checkers >> victim & 1) != 0;
        tally.ep_in_other_check += (checkers & ~bit(victim)) != 0;
        tally.ep_only_answer += checks > 0 && all_en_passant;
    }
    if (position.castling_rooks(us)) tally_castling(position, men, moves, tally);
}

std::string text_of(const std::vector<Move>& moves) {
    std::string text;
    for (const Move m : moves) {
        for (const Square s : {m.from(), m.to()}) {
            text += static_cast<char>('a' + s % 8);
            text += static_cast<char>('1' + s / 8);
        }
        text += '/';
        text += std::to_string(static_cast<int>(m.kind())) + ' ';
    }
    return text;
}

std::string difference(const std::vector<Move>& a, const std::vector<Move>& b) {
    std::vector<Move> only;
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(only));
    return text_of(only);
}

/// Where a failure was met: enough to meet it again.
struct Place {
    Theme theme;
    std::uint64_t seed;
    const Position& position;
};
std::ostream& operator<<(std::ostream& out, const Place& place) {
    return out << "\n  at " << to_fen(place.position) << "\n  of " << name_of(place.theme)
               << " seed " << place.seed;
}

void expect_same_play(const Place& place, const Men& men, Move m, Tally& tally) {
    const Position& before = place.position;
    ++tally.played;
    const Position expected = reference::play(before, m);
    Position after = before;
    after.play(m);
    ASSERT_TRUE(after == expected) << text_of({m}) << "leads to " << to_fen(after)
                                   << "\n  instead of " << to_fen(expected) << place;
    ASSERT_EQ(after.halfmove_clock(), expected.halfmove_clock()) << text_of({m}) << place;
    ASSERT_EQ(after.fullmove_number(), expected.fullmove_number()) << text_of({m}) << place;
    const Key key = zobrist_key(before.board(), before.side_to_move());
    ASSERT_EQ(zobrist_after(key, before.board(), after.board()),
              zobrist_key(after.board(), after.side_to_move()))
        << text_of({m}) << place;
    if (m.kind() == MoveKind::DoublePush) {
        const Square target = (m.from() + m.to()) / 2;
        const bool right = judge_en_passant(men_of(after), after.side_to_move(), target, tally);
        ASSERT_EQ(after.en_passant(), right ? target : kNoSquare) << text_of({m}) << place;
    }
    if (man_at(men, m.to()) && m.kind() != MoveKind::Castling &&
        after.castling_rooks(after.side_to_move()) != before.castling_rooks(after.side_to_move()))
        ++tally.right_lost_by_capture;
}

/// One move in any case, the rare kinds more often, every move now and then.
void expect_same_plays(const Place& place, const Men& men, const std::vector<Move>& moves,
                       Tally& tally) {
    if (moves.empty()) return;
    const bool all = tally.positions % 64 == 0;
    const std::size_t chosen = static_cast<std::size_t>(tally.positions) * 7919 % moves.size();
    for (std::size_t i = 0; i < moves.size(); ++i) {
        const MoveKind kind = moves[i].kind();
        const bool rare = kind == MoveKind::EnPassant || kind == MoveKind::Castling ||
                          (kind == MoveKind::DoublePush && place.theme == Theme::EnPassant);
        if (!all && !rare && i != chosen) continue;
        expect_same_play(place, men, moves[i], tally);
        if (testing::Test::HasFatalFailure()) return;
    }
}

void expect_same_boards(const Place& place) {
    const Position& before = place.position;
    const auto boards = before.side_to_move() == Color::White
                            ? boards_after<Color::White>(before.board())
                            : boards_after<Color::Black>(before.board());
    for (const auto& [move, board] : boards) {
        Position after = before;
        after.play(move);
        ASSERT_TRUE(board == after.board()) << "raw " << text_of({move}) << place;
    }
}

void expect_same(const Place& place, Square passed_over, Tally& tally) {
    const Position& position = place.position;
    const Color us = position.side_to_move();
    const Men men = men_of(position);
    const Square king = king_square(men, us);
    ++tally.positions;

    const std::vector<Move> expected = reference::legal_moves(position);
    const MoveList listed = legal_moves(position);
    std::vector<Move> moves(listed.begin(), listed.end());
    std::sort(moves.begin(), moves.end());
    ASSERT_EQ(std::adjacent_find(moves.begin(), moves.end()), moves.end())
        << "a move is listed twice" << place;
    ASSERT_TRUE(moves == expected) << "missing: " << difference(expected, moves)
                                   << "\n  illegal: " << difference(moves, expected) << place;
    ASSERT_EQ(count_legal_moves(position), static_cast<int>(expected.size())) << place;
    tally.moves += static_cast<std::int64_t>(moves.size());

    const Bitboard checkers = attackers_by_walking(men, king, ~us);
    ASSERT_EQ(position.checkers(), checkers) << place;
    ASSERT_EQ(position.in_check(), checkers != 0) << place;
    ASSERT_EQ(reference::in_check(position), checkers != 0) << place;
    ASSERT_EQ(attackers_by_walking(men, king_square(men, ~us), us), Bitboard{0})
        << "the waiting king hangs" << place;
    for (const Move m : moves) {
        const auto victim = man_at(men, m.to());
        ASSERT_FALSE(victim && victim->type == PieceType::King)
            << "takes a king: " << text_of({m}) << place;
    }
    if (passed_over != kNoSquare) {
        const Square victim = passed_over + (us == Color::White ? -8 : 8);
        const bool right = man_at(men, victim) == Piece{~us, PieceType::Pawn} &&
                           !man_at(men, passed_over) &&
                           judge_en_passant(men, us, passed_over, tally);
        ASSERT_EQ(position.en_passant(), right ? passed_over : kNoSquare) << place;
    }
    tally_position(position, men, moves, tally);
    expect_same_plays(place, men, moves, tally);
    if (tally.positions % 8 == 0) expect_same_boards(place);
}

/// Seeds from `seed` on until that many positions are met.
void run(Theme theme, std::int64_t positions, std::uint64_t seed, Tally& tally) {
    const std::uint64_t last_seed = seed + static_cast<std::uint64_t>(positions) * 2;
    for (; tally.positions < positions; ++seed) {
        ASSERT_LT(seed, last_seed) << name_of(theme) << " yields too few positions";
        for (const Sample& sample : random_positions(theme, seed)) {
            expect_same({theme, seed, sample.position}, sample.passed_over, tally);
            if (testing::Test::HasFatalFailure()) return;
        }
    }
    testing::Test::RecordProperty("positions", std::to_string(tally.positions));
    testing::Test::RecordProperty("played", std::to_string(tally.played));
}

/// Whether a kind of position was met: at least once in that many positions.
#define MANSUBA_EXPECT_ONE_IN(n, counter)         \
    EXPECT_GE(tally.counter*(n), tally.positions) \
        << #counter << " was met " << tally.counter << " times"

struct Extent {
    std::int64_t positions;  // of each theme
    std::uint64_t seed;
};
constexpr Extent kDefault{120'000, 1}, kLong{2'300'000, 1'000'000'000};

void playouts(Extent extent) {
    Tally tally;
    run(Theme::Playouts, extent.positions, extent.seed, tally);
    MANSUBA_EXPECT_ONE_IN(100, check);
    MANSUBA_EXPECT_ONE_IN(10'000, mate);
    MANSUBA_EXPECT_ONE_IN(100, castling);
    MANSUBA_EXPECT_ONE_IN(100, castling_960);
    MANSUBA_EXPECT_ONE_IN(400, en_passant);
    MANSUBA_EXPECT_ONE_IN(100, promotion);
    MANSUBA_EXPECT_ONE_IN(4'000, right_lost_by_capture);
}

void placements(Extent extent) {
    Tally tally;
    run(Theme::Placements, extent.positions, extent.seed, tally);
    EXPECT_EQ(tally.fewest_men, 2);
    EXPECT_EQ(tally.most_men, 32);
    MANSUBA_EXPECT_ONE_IN(10, check);
    MANSUBA_EXPECT_ONE_IN(10, promotion);
}

void promoted(Extent extent) {
    Tally tally;
    run(Theme::Promoted, extent.positions, extent.seed, tally);
    EXPECT_GE(tally.most_men, 28);
    EXPECT_GE(tally.most_moves, 140);
    MANSUBA_EXPECT_ONE_IN(10, double_check);
    MANSUBA_EXPECT_ONE_IN(20, triple_check);
}

void pinned_men(Extent extent) {
    Tally tally;
    run(Theme::Pins, extent.positions, extent.seed, tally);
    for (int d = 0; d < 8; ++d) MANSUBA_EXPECT_ONE_IN(12, pinned[d]) << ", direction " << d;
    MANSUBA_EXPECT_ONE_IN(10, pins_three_and_more);
    MANSUBA_EXPECT_ONE_IN(100, check);
}

void checks(Extent extent) {
    Tally tally;
    run(Theme::Checks, extent.positions, extent.seed, tally);
    MANSUBA_EXPECT_ONE_IN(4, check);
    MANSUBA_EXPECT_ONE_IN(10, double_check);
    MANSUBA_EXPECT_ONE_IN(20, triple_check);
    MANSUBA_EXPECT_ONE_IN(100, mate);
}

void en_passants(Extent extent) {
    Tally tally;
    run(Theme::EnPassant, extent.positions, extent.seed, tally);
    MANSUBA_EXPECT_ONE_IN(4, en_passant);
    MANSUBA_EXPECT_ONE_IN(20, ep_answers_check);
    MANSUBA_EXPECT_ONE_IN(500, ep_only_answer);
    MANSUBA_EXPECT_ONE_IN(500, ep_in_other_check);
    MANSUBA_EXPECT_ONE_IN(10, ep_two_captors);
    MANSUBA_EXPECT_ONE_IN(100, ep_one_of_two);
    MANSUBA_EXPECT_ONE_IN(15, ep_right_dropped);
    MANSUBA_EXPECT_ONE_IN(50, ep_refused_rank);
    MANSUBA_EXPECT_ONE_IN(60, ep_refused_file);
    MANSUBA_EXPECT_ONE_IN(200, ep_refused_diagonal);
    MANSUBA_EXPECT_ONE_IN(200, ep_refused_antidiagonal);
    MANSUBA_EXPECT_ONE_IN(200, ep_refused_for_victim);
    MANSUBA_EXPECT_ONE_IN(20, ep_refused_in_other_check);
}

void castling(Extent extent) {
    Tally tally;
    run(Theme::Castling, extent.positions, extent.seed, tally);
    MANSUBA_EXPECT_ONE_IN(5, castling);
    MANSUBA_EXPECT_ONE_IN(10, castling_960);
    MANSUBA_EXPECT_ONE_IN(50, castling_both);
    MANSUBA_EXPECT_ONE_IN(10, castling_blocked);
    MANSUBA_EXPECT_ONE_IN(30, castling_in_check);
    MANSUBA_EXPECT_ONE_IN(6, castling_way_attacked);
    MANSUBA_EXPECT_ONE_IN(300, castling_uncovers_check);
    MANSUBA_EXPECT_ONE_IN(20, rook_passes_attack);
    MANSUBA_EXPECT_ONE_IN(200, right_lost_by_capture);
}

void promotions(Extent extent) {
    Tally tally;
    run(Theme::Promotions, extent.positions, extent.seed, tally);
    MANSUBA_EXPECT_ONE_IN(1, promotion);
    MANSUBA_EXPECT_ONE_IN(2, promotion_capture);
    MANSUBA_EXPECT_ONE_IN(50, promotion_pinned);
    MANSUBA_EXPECT_ONE_IN(10, promotion_refused_pinned);
    MANSUBA_EXPECT_ONE_IN(20, promotion_in_check);
}

void boxed_kings(Extent extent) {
    Tally tally;
    run(Theme::BoxedKings, extent.positions, extent.seed, tally);
    MANSUBA_EXPECT_ONE_IN(100, mate);
    MANSUBA_EXPECT_ONE_IN(100, stalemate);
    MANSUBA_EXPECT_ONE_IN(10, no_king_move);
}

TEST(Differential, Playouts) { playouts(kDefault); }
TEST(Differential, Placements) { placements(kDefault); }
TEST(Differential, Promoted) { promoted(kDefault); }
TEST(Differential, Pins) { pinned_men(kDefault); }
TEST(Differential, Checks) { checks(kDefault); }
TEST(Differential, EnPassant) { en_passants(kDefault); }
TEST(Differential, Castling) { castling(kDefault); }
TEST(Differential, Promotions) { promotions(kDefault); }
TEST(Differential, BoxedKings) { boxed_kings(kDefault); }

TEST(LongDifferential, Playouts) { playouts(kLong); }
TEST(LongDifferential, Placements) { placements(kLong); }
TEST(LongDifferential, Promoted) { promoted(kLong); }
TEST(LongDifferential, Pins) { pinned_men(kLong); }
TEST(LongDifferential, Checks) { checks(kLong); }
TEST(LongDifferential, EnPassant) { en_passants(kLong); }
TEST(LongDifferential, Castling) { castling(kLong); }
TEST(LongDifferential, Promotions) { promotions(kLong); }
TEST(LongDifferential, BoxedKings) { boxed_kings(kLong); }

TEST(RandomPositions, FollowFromTheirSeed) {
    for (const Theme theme : kThemes) {
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            const std::vector<Sample> once = random_positions(theme, seed),
                                      again = random_positions(theme, seed);
            ASSERT_EQ(once.size(), again.size()) << name_of(theme);
            for (std::size_t i = 0; i < once.size(); ++i)
                ASSERT_EQ(once[i].position, again[i].position) << name_of(theme);
        }
    }
}

// The most moves known of a reachable position, by Nenad Petrovic, 1964:
// https://www.chessprogramming.org/Chess_Position.
TEST(Movegen, ManyMovesFitTheList) {
    const Position petrovic = parse_fen("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1");
    EXPECT_EQ(count_legal_moves(petrovic), 218);
    EXPECT_EQ(legal_moves(petrovic).size(), 218u);
    EXPECT_EQ(reference::legal_moves(petrovic).size(), 218u);
}

// Attacks on any square, not the kings' alone.
TEST(Attackers, EqualWalking) {
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        for (const Theme theme : {Theme::Placements, Theme::Promoted, Theme::Castling}) {
            for (const Sample& sample : random_positions(theme, seed)) {
                const Position& p = sample.position;
                const Men men = men_of(p);
                for (Square s = 0; s < 64; ++s) {
                    for (const Color by : {Color::White, Color::Black})
                        ASSERT_EQ(attackers(p.board(), s, by, p.occupied()),
                                  attackers_by_walking(men, s, by))
                            << "square " << s << " in " << to_fen(p);
                }
            }
        }
    }
}

// The clocks stop at the largest value that a Setup may hold, as Position::play promises.
TEST(Position, ClocksStopAtTheirLargestValue) {
    mansuba::Setup setup(parse_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1"));
    setup.halfmove_clock = mansuba::Setup::kMaxClock;
    setup.fullmove_number = mansuba::Setup::kMaxClock;
    Position position = setup.position();
    for (int plies = 0; plies < 4; ++plies) position.play(legal_moves(position)[0]);
    EXPECT_EQ(position.halfmove_clock(), mansuba::Setup::kMaxClock);
    EXPECT_EQ(position.fullmove_number(), mansuba::Setup::kMaxClock);
}

// Zobrist keys

Key key_of(const Position& p) { return zobrist_key(p.board(), p.side_to_move()); }

Position after_moves(std::initializer_list<Move> moves) {
    Position position;
    for (const Move m : moves) position.play(m);
    return position;
}

TEST(Zobrist, TranspositionsHaveOneKey) {
    constexpr Move nf3(6, 21, MoveKind::Normal), nc3(1, 18, MoveKind::Normal),
        nf6(62, 45, MoveKind::Normal);
    const Position a = after_moves({nf3, nf6, nc3}), b = after_moves({nc3, nf6, nf3});
    EXPECT_EQ(a, b);
    EXPECT_EQ(key_of(a), key_of(b));
    // The second way ends with a double push that nobody can capture: the same position (FIDE 9.2.3).
    constexpr Move e4(12, 28, MoveKind::DoublePush), e5(52, 36, MoveKind::DoublePush);
    EXPECT_EQ(key_of(after_moves({e4, nf6, nf3})), key_of(after_moves({nf3, nf6, e4})));
    EXPECT_EQ(key_of(after_moves({e4, e5, nf3})), key_of(after_moves({nf3, e5, e4})));
}

TEST(Zobrist, SideToMoveRightsAndEnPassantChangeTheKey) {
    std::int64_t sides = 0, rights = 0, en_passants = 0;
    for (std::uint64_t seed = 1; seed <= 5000; ++seed) {
        for (const Theme theme : {Theme::Castling, Theme::EnPassant}) {
            for (const Sample& sample : random_positions(theme, seed)) {
                const Position& p = sample.position;
                const Key key = key_of(p);
                const auto expect_another = [&](const mansuba::Setup& setup, std::int64_t& count) {
                    const Position other = setup.position(Variant::Chess960);
                    ++count;
                    ASSERT_NE(key_of(other), key) << to_fen(p) << " and " << to_fen(other);
                };
                if (!p.in_check() && p.en_passant() == kNoSquare) {
                    mansuba::Setup setup(p);
                    setup.side_to_move = ~p.side_to_move();
                    expect_another(setup, sides);
                }
                for (Bitboard rest = p.board().castling_rooks(); rest;) {
                    mansuba::Setup setup(p);
                    setup.castling_rooks ^= bit(pop_lowest(rest));
                    expect_another(setup, rights);
                }
                if (p.en_passant() != kNoSquare) {
                    mansuba::Setup setup(p);
                    setup.en_passant = kNoSquare;
                    expect_another(setup, en_passants);
                }
            }
        }
    }
    EXPECT_GE(sides, 3000);
    EXPECT_GE(rights, 3000);
    EXPECT_GE(en_passants, 2000);
}

// Three hundred thousand 64-bit keys meet by chance with a probability of about 2.4e-9.
TEST(Zobrist, DistinctPositionsHaveDistinctKeys) {
    struct Entry {
        Key key;
        Position position;
    };
    std::vector<Entry> entries;
    for (std::uint64_t seed = 1; entries.size() < 330'000; ++seed) {
        ASSERT_LT(seed, 200'000u);
        for (const Theme theme :
             {Theme::Playouts, Theme::Placements, Theme::Pins, Theme::EnPassant, Theme::Castling}) {
            for (const Sample& sample : random_positions(theme, seed))
                entries.push_back({key_of(sample.position), sample.position});
        }
    }
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return a.key < b.key; });
    std::size_t distinct = 1;
    for (std::size_t i = 1; i < entries.size(); ++i) {
        const bool same_key = entries[i].key == entries[i - 1].key;
        distinct += !same_key;
        if (same_key) {
            ASSERT_EQ(entries[i].position, entries[i - 1].position)
                << to_fen(entries[i].position) << " and " << to_fen(entries[i - 1].position);
        }
    }
    EXPECT_GE(distinct, 300'000u);
}

}  // namespace
}  // namespace mansuba::test

// Values of positions that no table holds as they stand: colours exchanged, en passant rights, and what
// is refused.
#include "tablebase/probe.hpp"

#include <gtest/gtest.h>

#include "core/fen.hpp"
#include "core/movegen.hpp"
#include "core/reference.hpp"
#include "core/setup.hpp"
#include "tests/tablebase/tables.hpp"

namespace mansuba::tablebase::test {
namespace {

using BoardSetup = mansuba::Setup;  // the bare name is taken inside TEST

Value probed(const std::string& fen) { return probe(parse_fen(fen), tables().lookup()); }

std::string refusal(const std::string& fen) {
    try {
        probed(fen);
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::Input);
        return e.what();
    }
    return "answered";
}

TEST(Probe, BareKingsAreDrawn) {
    EXPECT_EQ(probe(parse_fen("8/8/4k3/8/8/4K3/8/8 w - - 0 1"), {}), Value{});
}

TEST(Probe, WhatNoTableAnswersIsRefused) {
    tables()("KQvKR");
    EXPECT_NE(refusal("4k3/8/8/8/8/8/8/4K2R w K - 0 1").find("castling"), std::string::npos);
    EXPECT_NE(refusal("qqqqk3/8/8/8/8/8/8/QQQQK3 w - - 0 1").find("10 men"), std::string::npos);
    Tables none{GenerateOptions{}};
    try {
        probe(parse_fen("4k3/4q3/8/8/8/8/8/4K2R w - - 0 1"), none.lookup());
        ADD_FAILURE() << "answered";
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::Input);
        EXPECT_STREQ(e.what(), "needs KQvKR: mansuba build KQvKR");
    }
}

/// The same position for the other side.
Position exchanged(const Position& p) {
    const BoardSetup as_it_is(p);
    BoardSetup s;
    for (Square from = 0; from < 64; ++from)
        if (const auto man = as_it_is.squares[static_cast<std::size_t>(from)])
            s.squares[static_cast<std::size_t>(from ^ 56)] = Piece{~man->color, man->type};
    s.side_to_move = ~p.side_to_move();
    return s.position();
}

TEST(Probe, ColoursAndSymmetriesDoNotMatter) {
    for (const char* name : {"KQvKR", "KPvK", "KBBvK", "KRvKP", "KPvKP"}) {
        const Table& t = tables()(name);
        std::uint64_t looked_at = 0;
        for (std::uint64_t cell = 5; cell < t.index.cells(); cell += 499)
            for (const Color c : {Color::White, Color::Black}) {
                const auto p = position_at(t.index, c, cell);
                ASSERT_EQ(p.has_value(), t.legal(c, cell)) << name << " " << cell;
                if (!p) continue;
                ++looked_at;
                const Value v = t.value(c, cell);
                ASSERT_EQ(probe(*p, tables().lookup()), v) << to_fen(*p);
                ASSERT_EQ(probe(exchanged(*p), tables().lookup()), v) << to_fen(*p);
            }
        EXPECT_GT(looked_at, 200u) << name;
    }
}

/// The value that the legal moves make, one ply of plain search by the mailbox reference.
Value searched(const Position& p, const Lookup& lookup) {
    int dtz_win = 0, dtm_win = 0, dtz_loss = 0, dtm_loss = 0;
    bool draw = false;
    const auto moves = mansuba::reference::legal_moves(p);
    if (moves.empty()) {
        const bool check = mansuba::reference::in_check(p);
        return check ? Value{Wdl::Loss, false, -1, 0} : Value{Wdl::Draw, true, 0, 0};
    }
    for (const Move m : moves) {
        const Position after = mansuba::reference::play(p, m);
        const Value v = probe(after, lookup);
        const bool zeroing = popcount(after.occupied()) < popcount(p.occupied()) ||
                             p.piece_at(m.from())->type == PieceType::Pawn;
        const bool mate =
            mansuba::reference::in_check(after) && mansuba::reference::legal_moves(after).empty();
        const int after_dtz = mate ? 0 : std::abs(v.dtz);
        if (v.wdl == Wdl::Draw) draw = true;
        if (v.wdl < Wdl::Draw) {
            const int z = zeroing ? (v.wdl == Wdl::Loss ? 1 : 101) : after_dtz + 1;
            dtz_win = dtz_win ? std::min(dtz_win, z) : z;
            dtm_win = dtm_win ? std::min(dtm_win, -v.dtm + 1) : -v.dtm + 1;
        }
        if (v.wdl > Wdl::Draw) {
            dtz_loss = std::max(dtz_loss, zeroing ? (v.wdl == Wdl::Win ? 1 : 101) : after_dtz + 1);
            dtm_loss = std::max(dtm_loss, v.dtm + 1);
        }
    }
    if (dtz_win) return {dtz_win > 100 ? Wdl::CursedWin : Wdl::Win, false, dtz_win, dtm_win};
    if (draw) return {};
    return {dtz_loss > 100 ? Wdl::BlessedLoss : Wdl::Loss, false, -dtz_loss, -dtm_loss};
}

// Every position of KPvKP in which a pawn has just passed the other.
TEST(Probe, EnPassantIsWorthWhatItsMovesAre) {
    const Table& t = tables()("KPvKP");
    int met = 0, changed = 0;
    for (std::uint32_t p = 0; p < t.index.pawns().size(); ++p) {
        const Square white = t.index.pawns().at(p)[0], black = t.index.pawns().at(p)[1];
        if (rank_of(white) != 4 || rank_of(black) != 4 ||
            std::abs(file_of(white) - file_of(black)) != 1)
            continue;
        for (std::uint64_t i = 0; i < 4096; ++i) {
            auto with_right = position_at(t.index, Color::White, (std::uint64_t{p} << 12) + i);
            if (!with_right) continue;
            BoardSetup setup(*with_right);
            setup.en_passant = black + 8;
            try {
                with_right = setup.position();
            } catch (const Error&) {
                continue;  // a man on the squares passed
            }
            if (with_right->en_passant() == kNoSquare) continue;
            ++met;
            const Value v = probe(*with_right, tables().lookup());
            ASSERT_EQ(v, searched(*with_right, tables().lookup())) << to_fen(*with_right);
            const Value without = t.value(Color::White, (std::uint64_t{p} << 12) + i);
            changed += !(v == without);
        }
    }
    EXPECT_GT(met, 10000);
    EXPECT_GT(changed, 1000);
}

/// A table that says the same of all positions.
struct Always final : Values {
    Always(std::string_view name, const Value& v) : index(Material::parse(name)), answer(v) {}
    const Index& numbering() const override { return index; }
    bool has(Metric) const override { return true; }
    Value value(Color, std::uint64_t) const override { return answer; }
    Index index;
    Value answer;
};

// Rows of tests/data/tb_positions.tsv: without the right Black is stalemated, and a table says so.
TEST(Probe, EnPassantAsTheOnlyMove) {
    tables()("KQvKP");
    const Position p = parse_fen("k7/8/1Q6/8/2Pp4/3K4/8/8 b - c3 0 1");
    ASSERT_EQ(legal_moves(p).size(), 1u);
    Position after = p;
    after.play(legal_moves(p)[0]);
    const Value then = probe(after, tables().lookup());
    ASSERT_EQ(then.wdl, Wdl::Win);
    for (const Value& said : {Value{Wdl::Draw, true, 0, 0}, Value{Wdl::Loss, false, -1, 0}}) {
        const Always whole("KQPvKP", said);
        const Value v = probe(p, [&](const Material& m) -> const Values* {
            return m.men() == 5 ? &whole : static_cast<const Values*>(tables().find(m));
        });
        EXPECT_EQ(v, (Value{Wdl::Loss, false, -1, -then.dtm - 1}));
    }
}

// Two pawns of the table's side: the right adds a move to those the table knows of.
TEST(Probe, EnPassantBesideOtherMoves) {
    tables()("KPvKP");
    const Position p = parse_fen("8/7k/8/1pP5/8/8/8/3K4 w - b6 0 1");
    ASSERT_GT(legal_moves(p).size(), 1u);
    Position after = p;
    for (const Move m : legal_moves(p))
        if (m.kind() == MoveKind::EnPassant) after.play(m);
    const Value taken = probe(after, tables().lookup());
    const auto with_table_saying = [&](const Value& said) {
        const Always whole("KPvKP", said);
        return probe(p, [&](const Material& m) -> const Values* {
            return m.men() == 4 ? &whole : static_cast<const Values*>(tables().find(m));
        });
    };
    ASSERT_EQ(taken.wdl, Wdl::Loss);
    EXPECT_EQ(with_table_saying({Wdl::Draw, false, 0, 0}),
              (Value{Wdl::Win, false, 1, -taken.dtm + 1}));
    EXPECT_EQ(with_table_saying({Wdl::Win, false, 5, 3}), (Value{Wdl::Win, false, 1, 3}));
    EXPECT_EQ(with_table_saying({Wdl::CursedWin, false, 101, 99}),
              (Value{Wdl::Win, false, 1, -taken.dtm + 1}));
    EXPECT_EQ(with_table_saying({Wdl::Loss, false, -20, -30}),
              (Value{Wdl::Win, false, 1, -taken.dtm + 1}));
}

TEST(BestOf, WhatLosesByTheRuleIsBetterThanWhatLoses) {
    BestOf best;
    best.add(Value{Wdl::Win, false, 30, 31}, false, false);
    EXPECT_EQ(best.value(false), (Value{Wdl::Loss, false, -31, -32}));
    best.add(Value{Wdl::Win, false, 100, 71}, false, false);
    EXPECT_EQ(best.value(false), (Value{Wdl::BlessedLoss, false, -101, -72}));
    best.add(Value{Wdl::CursedWin, false, 110, 61}, true, false);
    EXPECT_EQ(best.value(false), (Value{Wdl::BlessedLoss, false, -101, -72}));
    best.add(Value{}, false, false);
    EXPECT_EQ(best.value(false), Value{});
    best.add(Value{Wdl::BlessedLoss, false, -120, -41}, true, false);
    EXPECT_EQ(best.value(false), (Value{Wdl::CursedWin, false, 101, 42}));
    best.add(Value{Wdl::Loss, false, -1, -4}, false, false);
    EXPECT_EQ(best.value(false), (Value{Wdl::Win, false, 2, 5}));
    best.add(Value{Wdl::Loss, false, -1, 0}, false, true);
    EXPECT_EQ(best.value(false), (Value{Wdl::Win, false, 1, 1}));
}

}  // namespace
}  // namespace mansuba::tablebase::test

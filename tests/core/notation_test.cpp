#include "core/notation.hpp"

#include <algorithm>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/fen.hpp"
#include "core/movegen.hpp"

namespace mansuba {
namespace {

Position standard(std::string_view fen) { return parse_fen(fen); }
Position chess960(std::string_view fen) { return parse_fen(fen, {.variant = Variant::Chess960}); }

/// The legal move between two squares of the board (a castling move ends on its rook).
Move legal(const Position& position, std::string_view squares) {
    const auto square = [&](std::size_t i) {
        return make_square(squares[i] - 'a', squares[i + 1] - '1');
    };
    for (const Move move : legal_moves(position)) {
        const bool fits = move.from() == square(0) && move.to() == square(2);
        if (!fits) continue;
        if (!is_promotion(move.kind())) return move;
        if (squares.size() == 5 && "nbrq"[static_cast<int>(move.promotion()) - 1] == squares[4]) {
            return move;
        }
    }
    ADD_FAILURE() << "no legal move " << squares << " in " << to_fen(position);
    return {};
}

std::string san(const Position& position, std::string_view squares) {
    return format_move(position, legal(position, squares), Notation::San);
}
std::string lan(const Position& position, std::string_view squares) {
    return format_move(position, legal(position, squares), Notation::Lan);
}
std::string russian(const Position& position, std::string_view squares) {
    return format_move(position, legal(position, squares), Notation::Russian);
}
std::string uci(const Position& position, std::string_view squares, bool as_chess960 = false) {
    return format_move(position, legal(position, squares), Notation::Uci, as_chess960);
}

/// What a text is read as, in UCI with king-takes-rook castling; or the error.
std::string read(const Position& position, std::string_view text) {
    try {
        return format_move(position, parse_move(position, text), Notation::Uci, true);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Input);
        return error.what();
    }
}

struct Row {
    std::string fen;
    bool chess960 = false;
    std::string uci, san, lan;
};

std::vector<Row> table() {
    std::ifstream file(std::string(MANSUBA_TEST_DATA) + "/notation.tsv");
    std::string line;
    std::getline(file, line);
    EXPECT_EQ(line, "fen\tchess960\tuci\tsan\tlan\tsource");
    std::vector<Row> rows;
    while (std::getline(file, line)) {
        std::istringstream fields(line);
        Row row;
        std::string variant;
        std::getline(fields, row.fen, '\t');
        std::getline(fields, variant, '\t');
        std::getline(fields, row.uci, '\t');
        std::getline(fields, row.san, '\t');
        std::getline(fields, row.lan, '\t');
        row.chess960 = variant == "y";
        rows.push_back(row);
    }
    return rows;
}

Position position_of(const Row& row) {
    return row.chess960 ? chess960(row.fen) : standard(row.fen);
}

/// Every legal move is read back from each of its texts, and no two share one. The number of moves.
std::size_t round_trip(const Position& position) {
    const MoveList moves = legal_moves(position);
    std::set<std::string> russian_texts;
    for (const Notation notation : {Notation::Uci, Notation::San, Notation::Lan}) {
        for (const bool as_chess960 : {false, true}) {
            for (const Move move : moves) {
                const std::string text = format_move(position, move, notation, as_chess960);
                Move back{};
                EXPECT_NO_THROW(back = parse_move(position, text))
                    << text << " in " << to_fen(position);
                EXPECT_EQ(back, move) << text << " in " << to_fen(position);
            }
        }
    }
    for (const Move move : moves) {
        russian_texts.insert(format_move(position, move, Notation::Russian));
    }
    EXPECT_EQ(russian_texts.size(), moves.size()) << to_fen(position);
    return moves.size();
}

TEST(Notation, NamesOfTheCommandLine) {
    EXPECT_EQ(notation_from_name("uci"), Notation::Uci);
    EXPECT_EQ(notation_from_name("san"), Notation::San);
    EXPECT_EQ(notation_from_name("lan"), Notation::Lan);
    EXPECT_EQ(notation_from_name("ru"), Notation::Russian);
    for (const std::string_view name : {"", "SAN", "russian", "uci ", "\xff"}) {
        try {
            notation_from_name(name);
            ADD_FAILURE() << name;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::Usage);
        }
    }
}

TEST(Notation, WritesWhatTheTableSays) {
    const auto rows = table();
    EXPECT_EQ(rows.size(), 1000u);
    for (const Row& row : rows) {
        const Position position = position_of(row);
        Move move;
        ASSERT_NO_THROW(move = parse_move(position, row.uci)) << row.fen << ' ' << row.uci;
        EXPECT_EQ(format_move(position, move, Notation::Uci, row.chess960), row.uci) << row.fen;
        EXPECT_EQ(format_move(position, move, Notation::San), row.san) << row.fen;
        EXPECT_EQ(format_move(position, move, Notation::Lan), row.lan) << row.fen;
        EXPECT_EQ(parse_move(position, row.san), move) << row.fen << ' ' << row.san;
        EXPECT_EQ(parse_move(position, row.lan), move) << row.fen << ' ' << row.lan;
    }
}

TEST(Notation, EveryMoveOfTheTablesPositionsIsReadBack) {
    std::set<std::string> seen;
    std::size_t moves = 0;
    for (const Row& row : table()) {
        if (seen.insert(row.fen).second) moves += round_trip(position_of(row));
    }
    EXPECT_EQ(seen.size(), 420u);
    EXPECT_GT(moves, 8000u);
}

TEST(Notation, EveryMoveOfRandomGamesIsReadBack) {
    const Position starts[] = {
        standard(kStartFen),
        // Kiwipete, https://www.chessprogramming.org/Perft_Results
        standard("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"),
        chess960("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"),
        chess960("rkr5/8/8/8/8/8/8/RKR5 w KQkq - 0 1"),
        chess960("1r3kr1/pppppppp/8/8/8/8/PPPPPPPP/1R3KR1 w BGbg - 0 1"),
        standard("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1"),
    };
    std::mt19937 random(20240607);
    int positions = 0;
    for (const Position& start : starts) {
        for (int game = 0; game < 3; ++game) {
            Position position = start;
            for (int ply = 0; ply < 60; ++ply) {
                ++positions;
                const std::size_t moves = round_trip(position);
                if (moves == 0) break;
                position.play(legal_moves(position)[random() % moves]);
            }
        }
    }
    EXPECT_GT(positions, 300);
}

TEST(San, PlainMovesCapturesAndPawns) {
    const Position position =
        standard("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
    EXPECT_EQ(san(position, "a2a3"), "a3");
    EXPECT_EQ(san(position, "a2a4"), "a4");
    EXPECT_EQ(san(position, "d5e6"), "dxe6");
    EXPECT_EQ(san(position, "e5f7"), "Nxf7");
    EXPECT_EQ(san(position, "e2a6"), "Bxa6");
    EXPECT_EQ(san(position, "e1h1"), "O-O");
    EXPECT_EQ(san(position, "e1a1"), "O-O-O");
    EXPECT_EQ(lan(position, "a2a4"), "a2-a4");
    EXPECT_EQ(lan(position, "d5e6"), "d5xe6");
    EXPECT_EQ(lan(position, "e5f7"), "Ne5xf7");
    EXPECT_EQ(lan(position, "c3b1"), "Nc3-b1");
    EXPECT_EQ(lan(position, "e1a1"), "O-O-O");
}

TEST(San, NamesTheFileBeforeTheRankBeforeBoth) {
    const Position knights = standard("4k3/8/8/8/8/8/8/1N1K1N2 w - - 0 1");
    EXPECT_EQ(san(knights, "b1d2"), "Nbd2");
    EXPECT_EQ(san(knights, "f1d2"), "Nfd2");
    EXPECT_EQ(san(knights, "b1c3"), "Nc3");

    const Position rooks = standard("8/2R5/6k1/8/8/8/8/K1R5 w - - 0 1");
    EXPECT_EQ(san(rooks, "c1c4"), "R1c4");
    EXPECT_EQ(san(rooks, "c7c4"), "R7c4");
    EXPECT_EQ(san(rooks, "c7d7"), "Rd7");

    // Neither on a common file nor on a common rank: the file is enough.
    const Position apart = standard("4k3/8/8/8/1N6/8/4N3/K7 w - - 0 1");
    EXPECT_EQ(san(apart, "b4d5"), "Nd5");
    EXPECT_EQ(san(apart, "e2d4"), "Nd4");
    const Position meet = standard("4k3/8/8/8/1N6/8/8/K3N3 w - - 0 1");
    EXPECT_EQ(san(meet, "b4c2"), "Nbc2");
    EXPECT_EQ(san(meet, "e1c2"), "Nec2");

    const Position queens = standard("8/k7/8/8/4Q2Q/8/8/K6Q w - - 0 1");
    EXPECT_EQ(san(queens, "h4e1"), "Qh4e1");
    EXPECT_EQ(san(queens, "e4e1"), "Qee1");
    EXPECT_EQ(san(queens, "h1e1"), "Q1e1");
    EXPECT_EQ(russian(queens, "h4e1"), "Фh4e1");
    EXPECT_EQ(lan(queens, "h4e1"), "Qh4-e1");
}

TEST(San, APinnedTwinNeedsNoName) {
    // The knight on e2 is pinned by the rook on e4: only b1 can go to c3.
    const Position position = standard("4k3/8/8/8/4r3/8/4N3/1N2K3 w - - 0 1");
    EXPECT_EQ(san(position, "b1c3"), "Nc3");
    EXPECT_EQ(read(position, "Nc3"), "b1c3");
    EXPECT_EQ(read(position, "Nec3"), "illegal move: \"Nec3\"");
}

TEST(San, Promotions) {
    const Position position = standard("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1");
    EXPECT_EQ(san(position, "a7a8q"), "a8=Q");
    EXPECT_EQ(san(position, "a7b8q"), "axb8=Q+");
    EXPECT_EQ(san(position, "a7b8n"), "axb8=N");
    EXPECT_EQ(lan(position, "a7b8r"), "a7xb8=R+");
    EXPECT_EQ(uci(position, "a7b8b"), "a7b8b");
    EXPECT_EQ(russian(position, "a7b8n"), "axb8=К");

    // Back-rank mate by capture.
    const Position mate = standard("1n4k1/P4ppp/8/8/8/8/8/4K3 w - - 0 1");
    EXPECT_EQ(san(mate, "a7b8q"), "axb8=Q#");
    EXPECT_EQ(lan(mate, "a7b8q"), "a7xb8=Q#");
    EXPECT_EQ(russian(mate, "a7b8q"), "axb8=Ф#");
    EXPECT_EQ(russian(mate, "a7b8r"), "axb8=Л#");
    EXPECT_EQ(russian(mate, "a7b8b"), "axb8=С");
}

TEST(San, EnPassant) {
    const Position position = standard("4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 1");
    EXPECT_EQ(san(position, "e5d6"), "exd6");
    EXPECT_EQ(san(position, "c5d6"), "cxd6");
    EXPECT_EQ(lan(position, "e5d6"), "e5xd6");
    EXPECT_EQ(uci(position, "e5d6"), "e5d6");
    EXPECT_EQ(read(position, "exd6"), "e5d6");
    EXPECT_EQ(read(position, "d6"), "illegal move: \"d6\"");
}

TEST(San, DoubleAndDiscoveredChecksAndMates) {
    // Bishop and rook at once.
    const Position twice = standard("4k3/8/8/8/4B3/8/8/K3R3 w - - 0 1");
    EXPECT_EQ(san(twice, "e4c6"), "Bc6+");
    // The bishop leaves the file and only uncovers the rook.
    EXPECT_EQ(san(twice, "e4b1"), "Bb1+");
    // Reti - Tartakower, Vienna 1910: the double check that mates.
    const Position reti = standard("rnb1kb1r/pp3ppp/2p5/4q3/4n3/3Q4/PPPB1PPP/2KR1BNR w kq - 0 9");
    EXPECT_EQ(san(reti, "d3d8"), "Qd8+");
    Position game = reti;
    for (const char* move : {"Qd8+", "Kxd8", "Bg5+", "Kc7"}) game.play(parse_move(game, move));
    EXPECT_EQ(san(game, "g5d8"), "Bd8#");
}

TEST(San, CastlingThatChecksAndMates) {
    EXPECT_EQ(san(standard("5k2/8/8/8/8/8/8/4K2R w K - 0 1"), "e1h1"), "O-O+");
    EXPECT_EQ(san(standard("3k4/8/8/8/8/8/8/R3K3 w Q - 0 1"), "e1a1"), "O-O-O+");
    // The king on f8 is boxed in by his own men.
    const Position mated = standard("4rkr1/4p1p1/8/8/8/8/8/4K2R w K - 0 1");
    EXPECT_EQ(san(mated, "e1h1"), "O-O#");
    EXPECT_EQ(lan(mated, "e1h1"), "O-O#");
    EXPECT_EQ(russian(mated, "e1h1"), "O-O#");
    EXPECT_EQ(read(mated, "0-0"), "e1h1");
    // The king steps out of his rook's way: discovered mate on the first rank.
    const Position uncovered = chess960("8/8/8/8/8/6Q1/8/R2K3k w Q - 0 1");
    EXPECT_EQ(san(uncovered, "d1a1"), "O-O-O#");
    EXPECT_EQ(read(uncovered, "O-O-O"), "d1a1");
}

TEST(Russian, PieceLetters) {
    const Position position =
        standard("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
    EXPECT_EQ(russian(position, "e1d1"), "Крd1");
    EXPECT_EQ(russian(position, "f3f6"), "Фxf6");
    EXPECT_EQ(russian(position, "a1d1"), "Лd1");
    EXPECT_EQ(russian(position, "e2d1"), "Сd1");
    EXPECT_EQ(russian(position, "c3d1"), "Кd1");
    EXPECT_EQ(russian(position, "d5e6"), "dxe6");
    EXPECT_EQ(russian(position, "e1h1"), "O-O");
}

TEST(Uci, CastlingForms) {
    const Position usual = standard("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    EXPECT_EQ(uci(usual, "e1h1"), "e1g1");
    EXPECT_EQ(uci(usual, "e1a1"), "e1c1");
    EXPECT_EQ(uci(usual, "e1h1", true), "e1h1");
    EXPECT_EQ(uci(usual, "e1a1", true), "e1a1");
    EXPECT_EQ(read(usual, "e1g1"), "e1h1");
    EXPECT_EQ(read(usual, "e1h1"), "e1h1");
    EXPECT_EQ(read(usual, "e1c1"), "e1a1");
    EXPECT_EQ(read(usual, "e1a1"), "e1a1");

    const Position black = standard("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1");
    EXPECT_EQ(uci(black, "e8h8"), "e8g8");
    EXPECT_EQ(uci(black, "e8a8"), "e8c8");

    // A rook on the f-file: king takes rook even if nobody asked for Chess960.
    const Position inner = chess960("4k3/8/8/8/8/8/8/4KR2 w K - 0 1");
    EXPECT_EQ(uci(inner, "e1f1"), "e1f1");
    EXPECT_EQ(read(inner, "e1g1"), "e1f1");
    EXPECT_EQ(read(inner, "O-O"), "e1f1");
}

TEST(Uci, AKingsStepComesBeforeCastlingIn960) {
    const Position step = chess960("4k3/8/8/8/8/8/8/R4K1R w KQ - 0 1");
    EXPECT_EQ(parse_move(step, "f1g1").kind(), MoveKind::Normal);
    EXPECT_EQ(parse_move(step, "f1h1").kind(), MoveKind::Castling);
    EXPECT_EQ(parse_move(step, "Kg1").kind(), MoveKind::Normal);
    EXPECT_EQ(parse_move(step, "O-O").kind(), MoveKind::Castling);
    EXPECT_EQ(read(step, "f1c1"), "f1a1");

    // On g1 already: the king's own squares would be g1g1, which is no move.
    const Position still = chess960("k7/8/8/8/8/8/8/6KR w K - 0 1");
    EXPECT_EQ(uci(still, "g1h1"), "g1h1");
    EXPECT_EQ(read(still, "g1h1"), "g1h1");
    EXPECT_EQ(read(still, "O-O"), "g1h1");
    EXPECT_EQ(read(still, "g1g1"), "illegal move: \"g1g1\"");
    EXPECT_EQ(read(still, "Kg1"), "illegal move: \"Kg1\"");

    // b1c1 is king takes rook to the h-side, though castling to the a-side ends on c1.
    const Position between = chess960("7k/8/8/8/8/8/8/RKR5 w KQ - 0 1");
    EXPECT_EQ(san(between, "b1c1"), "O-O");
    EXPECT_EQ(read(between, "b1c1"), "b1c1");
    EXPECT_EQ(read(between, "O-O"), "b1c1");
}

TEST(Parse, SpellingsOfOneMove) {
    const Position position =
        standard("rnbqkb1r/ppp2ppp/4p3/3p4/3Pn3/5N2/PPP1PPPP/RNBQKB1R w KQkq - 0 4");
    for (const char* text : {"f3e5", "Ne5", "Nfe5", "N3e5", "Nf3e5", "Nf3-e5", "Ne5+", "Ne5#",
                             "Ne5!", "Ne5!?", "Ne5+!!", "Ne5??"}) {
        EXPECT_EQ(read(position, text), "f3e5") << text;
    }
    for (const char* text : {"e2e3", "e3", "ee3", "e2-e3", "2e3", "Pe3", "Pe2-e3", "e3+?!"}) {
        EXPECT_EQ(read(position, text), "e2e3") << text;
    }

    const Position capture = standard("6k1/8/8/4p3/8/5N2/8/6K1 w - - 0 1");
    for (const char* text : {"f3e5", "Nxe5", "Nfxe5", "N3xe5", "Nf3xe5", "Ne5", "Nf3-e5"}) {
        EXPECT_EQ(read(capture, text), "f3e5") << text;
    }
    // An x that takes nothing was meant for another position.
    EXPECT_EQ(read(capture, "Nxg5"), "illegal move: \"Nxg5\"");
    EXPECT_EQ(read(capture, "Nf3xg5"), "illegal move: \"Nf3xg5\"");
}

TEST(Parse, PromotionLetters) {
    const Position position = standard("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1");
    for (const char* text :
         {"a7a8q", "a7a8Q", "a8=Q", "a8Q", "a8q", "a8=q", "a7-a8=Q", "a7a8=Q", "a8=Q+", "a8Q#!"}) {
        EXPECT_EQ(read(position, text), "a7a8q") << text;
    }
    for (const char* text : {"a7b8b", "a7b8B", "axb8=B", "axb8B", "ab8=B", "a7xb8=B"}) {
        EXPECT_EQ(read(position, text), "a7b8b") << text;
    }
    EXPECT_EQ(read(position, "a8"), "ambiguous move: \"a8\" may be a8=B, a8=N, a8=Q or a8=R");
    EXPECT_EQ(read(position, "a7b8"),
              "ambiguous move: \"a7b8\" may be axb8=B, axb8=N, axb8=Q+ or axb8=R+");
    EXPECT_EQ(read(position, "a8=K"), "not a move: \"a8=K\"");
    EXPECT_EQ(read(position, "a8=P"), "not a move: \"a8=P\"");
    EXPECT_EQ(read(position, "a8="), "not a move: \"a8=\"");
    EXPECT_EQ(read(position, "e1e2q"), "illegal move: \"e1e2q\"");
    EXPECT_EQ(read(position, "Ke2=Q"), "illegal move: \"Ke2=Q\"");
}

TEST(Parse, TheFileBIsNoBishop) {
    const Position position = standard("4k3/8/8/8/8/2p5/1P1B4/4K3 w - - 0 1");
    EXPECT_EQ(read(position, "bxc3"), "b2c3");
    EXPECT_EQ(read(position, "Bxc3"), "d2c3");
    EXPECT_EQ(read(position, "bc3"), "b2c3");
    EXPECT_EQ(read(position, "Bc3"), "d2c3");
    EXPECT_EQ(san(position, "b2c3"), "bxc3");
    EXPECT_EQ(san(position, "d2c3"), "Bxc3");

    const Position open = standard("4k3/8/8/8/8/8/1P1B4/4K3 w - - 0 1");
    EXPECT_EQ(read(open, "b4"), "b2b4");
    EXPECT_EQ(read(open, "bb4"), "b2b4");
    EXPECT_EQ(read(open, "Bb4"), "d2b4");
    EXPECT_EQ(read(open, "Bdb4"), "d2b4");
}

TEST(Parse, APawnWithoutAFileDoesNotCapture) {
    const Position position = standard("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1");
    EXPECT_EQ(read(position, "d5"), "illegal move: \"d5\"");
    EXPECT_EQ(read(position, "xd5"), "illegal move: \"xd5\"");
    EXPECT_EQ(read(position, "exd5"), "e4d5");
    EXPECT_EQ(read(position, "ed5"), "e4d5");
    EXPECT_EQ(read(position, "e5"), "e4e5");
    EXPECT_EQ(read(position, "xe5"), "illegal move: \"xe5\"");
}

TEST(Parse, AmbiguousMovesListTheCandidates) {
    const Position knights = standard("4k3/8/8/8/8/8/8/1N1K1N2 w - - 0 1");
    EXPECT_EQ(read(knights, "Nd2"), "ambiguous move: \"Nd2\" may be Nbd2 or Nfd2");
    EXPECT_EQ(read(knights, "N1d2"), "ambiguous move: \"N1d2\" may be Nbd2 or Nfd2");
    const Position queens = standard("8/k7/8/8/4Q2Q/8/8/K6Q w - - 0 1");
    EXPECT_EQ(read(queens, "Qe1"), "ambiguous move: \"Qe1\" may be Q1e1, Qee1 or Qh4e1");
    EXPECT_EQ(read(queens, "Qhe1"), "ambiguous move: \"Qhe1\" may be Q1e1 or Qh4e1");
    EXPECT_EQ(read(queens, "Q4e1"), "ambiguous move: \"Q4e1\" may be Qee1 or Qh4e1");
}

TEST(Parse, IllegalMovesAreNamed) {
    const Position start;
    for (const std::string text : {"e2e5", "Nf4", "O-O", "0-0-0", "e7e5", "exd3", "e8=Q", "e1g1",
                                   "e1h1", "Ke1-g1", "a1a1"}) {
        EXPECT_EQ(read(start, text), "illegal move: \"" + text + "\"");
    }
    // The king may not pass f1, which the bishop guards.
    const Position guarded = standard("4k3/8/8/8/2b5/8/8/4K2R w K - 0 1");
    EXPECT_EQ(read(guarded, "O-O"), "illegal move: \"O-O\"");
    EXPECT_EQ(read(guarded, "e1g1"), "illegal move: \"e1g1\"");
}

TEST(Parse, WhatIsNoMoveAtAll) {
    const Position start;
    for (const std::string text :
         {"",       " ",      "e",     "e9",  "i4",     "N",    "Nf",      "nf3",     "N-f3",
          "e2--e4", "e2xxd3", "e2 e4", " e4", "e4 ",    "0000", "--",      "O-O-O-O", "O-",
          "o-o",    "0-O",    "00",    "=Q",  "e4=",    "NNf3", "Ng1f3f3", "+",       "#",
          "??",     "e4.",    "1.e4",  "Zf3", "e2e4e5", "x",    "xx",      "-",       "NaN"}) {
        EXPECT_EQ(read(start, text), "not a move: \"" + text + "\"");
    }
}

TEST(Parse, HostileTextIsEscapedAndCut) {
    const Position start;
    EXPECT_EQ(read(start, std::string_view("e2\0e4", 5)), "not a move: \"e2\\x00e4\"");
    EXPECT_EQ(read(start, "\x1b[31mNf3\n"), "not a move: \"\\x1b[31mNf3\\x0a\"");
    EXPECT_EQ(read(start,
                   "\xd0\x9a"
                   "f3"),
              "not a move: \"\\xd0\\x9af3\"");
    EXPECT_EQ(read(start, "\"\\"), "not a move: \"\\x22\\x5c\"");
    EXPECT_EQ(read(start, std::string(1 << 20, 'N')),
              "not a move: \"" + std::string(40, 'N') + "\"...");
    EXPECT_EQ(read(start, "e5" + std::string(1 << 20, '!')),
              "illegal move: \"e5" + std::string(38, '!') + "\"...");

    // Whatever the bytes: a legal move or an Error, never anything else.
    std::mt19937 random(1);
    constexpr std::string_view kNear = "abcdefgh12345678NBRQKPx-=+#!?O0q\xff";
    const MoveList moves = legal_moves(start);
    for (int i = 0; i < 30000; ++i) {
        std::string text;
        for (std::size_t n = random() % 9; n > 0; --n) text += kNear[random() % kNear.size()];
        try {
            const Move move = parse_move(start, text);
            EXPECT_NE(std::find(moves.begin(), moves.end(), move), moves.end()) << text;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::Input);
        }
    }
}

}  // namespace
}  // namespace mansuba

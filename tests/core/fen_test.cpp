// FEN and Setup against the policy: what is accepted, what is refused with which words, what
// Lenient drops, and that nothing is lost on the way out and in again.
#include "core/fen.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/setup.hpp"
#include "tests/core/random_positions.hpp"

namespace mansuba {
namespace {

namespace fs = std::filesystem;

/// Inside TEST the bare name is a trap that GoogleTest sets for misspelt SetUp.
using BoardSetup = mansuba::Setup;

constexpr Variant kVariants[] = {Variant::Standard, Variant::Chess960, Variant::Auto};

/// What a FEN or a Setup came to.
struct Outcome {
    std::string fen;      // of the position, empty if refused
    std::string refusal;  // what the error says, empty if accepted
    std::vector<std::string> warnings;
};

/// Runs `make`, which returns a Position or throws; anything but an Error(Input) of one printable
/// line is a failure.
template <typename Make>
Outcome outcome_of(Make make) {
    Outcome outcome;
    try {
        outcome.fen = to_fen(make(&outcome.warnings));
    } catch (const Error& e) {
        outcome.refusal = e.what();
        EXPECT_EQ(e.code(), ErrorCode::Input) << e.what();
        for (const char c : outcome.refusal) EXPECT_TRUE(c >= ' ' && c <= '~') << outcome.refusal;
        EXPECT_LT(outcome.refusal.size(), 600u);
    }
    return outcome;
}

Outcome read(std::string_view fen, Variant variant = Variant::Standard,
             Strictness strictness = Strictness::Strict) {
    return outcome_of([&](auto* warnings) {
        return parse_fen(fen, {variant, strictness}, warnings);
    });
}

Outcome place(const BoardSetup& setup, Variant variant = Variant::Standard,
              Strictness strictness = Strictness::Strict) {
    return outcome_of(
        [&](auto* warnings) { return setup.position(variant, strictness, warnings); });
}

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

void expect_refused(const Outcome& outcome, std::string_view reason, std::string_view of) {
    EXPECT_EQ(outcome.fen, "") << of << " was accepted, expected: " << reason;
    EXPECT_TRUE(contains(outcome.refusal, reason))
        << of << "\n  says: " << outcome.refusal << "\n  expected: " << reason;
}

void expect_accepted(const Outcome& outcome, std::string_view fen, std::string_view of) {
    EXPECT_EQ(outcome.fen, fen) << of << "\n  says: " << outcome.refusal;
}

/// Out and in again: the same position and clocks, and the same text from then on.
void expect_round_trip(const Position& position) {
    const std::string fen = to_fen(position);
    const Position again = parse_fen(fen, {Variant::Chess960});
    EXPECT_TRUE(again == position) << fen;
    EXPECT_EQ(again.halfmove_clock(), position.halfmove_clock()) << fen;
    EXPECT_EQ(again.fullmove_number(), position.fullmove_number()) << fen;
    EXPECT_EQ(to_fen(again), fen);
    EXPECT_TRUE(parse_fen(fen, {Variant::Auto}) == position) << fen;
    EXPECT_TRUE(BoardSetup(position).position(Variant::Chess960) == position) << fen;
}

/// The start position's FEN with one field put differently; 0 is the piece placement.
std::string start_with(std::size_t field, std::string_view text) {
    std::istringstream words{std::string(kStartFen)};
    std::string result, word;
    for (std::size_t i = 0; words >> word; ++i) {
        result += (i ? " " : "") + (i == field ? std::string(text) : word);
    }
    return result;
}

std::vector<std::string> split(std::string_view line, char separator) {
    std::vector<std::string> parts;
    for (;;) {
        const std::size_t end = line.find(separator);
        parts.emplace_back(line.substr(0, end));
        if (end == line.npos) return parts;
        line.remove_prefix(end + 1);
    }
}

std::vector<std::string> lines_of(const fs::path& file) {
    std::ifstream in(file);
    EXPECT_TRUE(in.is_open()) << file;
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

/// A table with a header line, as maps from column name to text.
std::vector<std::map<std::string, std::string>> rows_of(const fs::path& file) {
    const std::vector<std::string> lines = lines_of(file);
    std::vector<std::map<std::string, std::string>> rows;
    if (lines.empty()) return rows;
    const std::vector<std::string> header = split(lines[0], '\t');
    for (std::size_t i = 1; i < lines.size(); ++i) {
        const std::vector<std::string> cells = split(lines[i], '\t');
        EXPECT_EQ(cells.size(), header.size()) << file << " line " << i + 1;
        for (std::size_t c = 0; c < std::min(cells.size(), header.size()); ++c) {
            if (c == 0) rows.emplace_back();
            rows.back()[header[c]] = cells[c];
        }
    }
    return rows;
}

// --- The table of cases

/// Undoes the escapes of fen_cases.tsv: \xNN and \uNNNN name a code point, which comes as UTF-8.
std::string unescaped(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t digits = i + 1 >= text.size() || text[i] != '\\' ? 0
                                   : text[i + 1] == 'x'                    ? 2
                                   : text[i + 1] == 'u'                    ? 4
                                                                           : 0;
        if (digits == 0) {
            result += text[i++];
            continue;
        }
        const auto point =
            static_cast<unsigned>(std::stoul(std::string(text.substr(i + 2, digits)), nullptr, 16));
        if (point < 0x80) {
            result += static_cast<char>(point);
        } else if (point < 0x800) {
            result += static_cast<char>(0xc0 | point >> 6);
            result += static_cast<char>(0x80 | (point & 63));
        } else {
            result += static_cast<char>(0xe0 | point >> 12);
            result += static_cast<char>(0x80 | (point >> 6 & 63));
            result += static_cast<char>(0x80 | (point & 63));
        }
        i += 2 + digits;
    }
    return result;
}

TEST(Fen, CasesAreDecoded) {
    EXPECT_EQ(unescaped("a\\xa0b"),
              "a\xc2\xa0"
              "b");
    EXPECT_EQ(unescaped("\\u265cn"), "\xe2\x99\x9cn");
    EXPECT_EQ(unescaped("\\"), "\\");
}

/// What the FEN policy makes of a row of fen_cases.tsv. Without a refusal the FEN is
/// accepted and comes out as `result`.
struct Verdict {
    std::string_view id;
    Variant variant = Variant::Standard;
    std::string_view refusal, result;
};

constexpr Variant kStandard = Variant::Standard, kChess960 = Variant::Chess960,
                  kAuto = Variant::Auto;

const Verdict kVerdicts[] = {
    {"ok-start", kStandard, "", kStartFen},
    {"ok-4field", kStandard, "", kStartFen},
    {"ok-xfen-inner", kStandard,
     "FEN castling rights: the king on b1 may castle with the rook on e1 only in Chess960", ""},
    {"ok-xfen-inner", kChess960, "",
     "rr6/2kpp3/1ppn2p1/p2b1q1p/P4P1P/1PNN2P1/2PP4/1K2R2R w E - 1 20"},
    {"ok-xfen-inner", kAuto, "", "rr6/2kpp3/1ppn2p1/p2b1q1p/P4P1P/1PNN2P1/2PP4/1K2R2R w E - 1 20"},
    {"ok-ep-impossible-capture", kStandard, "",
     "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"},
    {"empty", kStandard, "FEN fields: 0 instead of four or six", ""},
    {"spaces", kStandard, "FEN fields: 0 instead of four or six", ""},
    {"seven-ranks", kStandard, "FEN piece placement: 7 ranks instead of 8", ""},
    {"nine-ranks", kStandard, "FEN piece placement: 9 ranks instead of 8", ""},
    {"rank-9", kStandard, "FEN piece placement: rank 7 has 9 squares", ""},
    {"rank-9-digit", kStandard, "FEN piece placement: rank 6 has \"9\"", ""},
    {"double-digit", kStandard, "FEN piece placement: rank 6 has two digits in a row", ""},
    {"bad-piece", kStandard, "FEN piece placement: rank 1 has \"X\"", ""},
    {"upper-stm", kStandard, "FEN side to move: neither w nor b (\"W\")", ""},
    {"bad-castle-letter", kStandard, "FEN castling rights: \"x\" is no castling letter", ""},
    {"castle-empty", kStandard, "FEN fields: 5 instead of four or six", ""},
    {"castle-dash-mixed", kStandard, "FEN castling rights: - beside other characters", ""},
    {"ep-bad-rank", kStandard, "FEN en passant square: e4 is not on rank 3", ""},
    {"ep-wrong-side", kStandard, "FEN en passant square: a3 is not on rank 6", ""},
    {"ep-occupied", kStandard, "FEN en passant square: b6 is not on rank 3", ""},
    {"clock-neg", kStandard, "FEN half-move clock: not a plain decimal number (\"-1\")", ""},
    {"clock-huge2", kStandard, "FEN half-move clock: more than 10000", ""},
    {"move-zero", kStandard, "", kStartFen},
    {"move-neg", kStandard, "FEN full-move number: not a plain decimal number (\"-5\")", ""},
    {"clock-150", kStandard, "", "8/8/4k3/8/8/3KR3/8/8 b - - 150 200"},
    {"trailing", kStandard, "FEN fields: 7 instead of four or six", ""},
    {"lead-space", kStandard, "", kStartFen},
    {"nbsp", kStandard, "FEN fields: 5 instead of four or six", ""},
    {"unicode-piece", kStandard, "FEN piece placement: rank 8 has \"\\xe2\"", ""},
    {"truncated-1", kStandard, "FEN fields: 1 instead of four or six", ""},
    {"truncated-2", kStandard, "FEN fields: 3 instead of four or six", ""},
    {"crazyhouse-pocket", kStandard, "FEN piece placement: rank 1 has \"[\"", ""},
    {"promoted-tilde", kStandard, "FEN piece placement: rank 1 has \"~\"", ""},
    {"no-kings", kStandard, "FEN piece placement: 0 white kings", ""},
    {"no-white-king", kStandard, "FEN piece placement: 0 white kings", ""},
    {"two-white-kings", kStandard, "FEN piece placement: 2 white kings", ""},
    {"three-kings", kStandard, "FEN piece placement: 2 white kings", ""},
    {"pawn-rank1", kStandard, "FEN piece placement: a pawn on a1", ""},
    {"pawn-rank8", kStandard, "FEN piece placement: a pawn on a8", ""},
    {"opp-in-check-2", kStandard, "FEN piece placement: the black king on a8 is in check", ""},
    {"9-pawns", kStandard, "FEN piece placement: 9 white pawns", ""},
    {"too-much-promoted", kStandard, "", "4k3/8/8/8/8/QQ6/PPPPPPPP/4K3 w - - 0 1"},
    {"3-checkers", kStandard, "", "1k1q1r2/8/8/6n1/8/5Kq1/8/8 w - - 0 1"},
    {"2-rooks-line", kStandard, "", "8/8/8/8/8/4K3/8/R3k2R b - - 0 1"},
    {"align-3", kStandard, "", "5R2/2P5/8/4k3/8/3rK2r/8/8 w - - 0 1"},
    {"pawn-behind-bishop", kStandard, "", "8/4K1k1/8/8/8/8/1P6/B7 w - - 0 1"},
    {"bogus-k-e8-none", kStandard,
     "FEN castling rights: the king on d8 may castle with the rook on a8 only in Chess960 "
     "(--chess960)",
     ""},
    {"bogus-k-e8-none", kChess960, "",
     "r2k3r/p1ppqpb1/bn2pQp1/3PN3/1p2P3/2N4p/PPPBBPPP/R3K1R1 b Qkq - 0 1"},
};

/// Where the two variants differ is written out above; elsewhere the verdict holds for all three.
bool has_one_verdict(std::string_view id) {
    return std::count_if(std::begin(kVerdicts), std::end(kVerdicts),
                         [&](const Verdict& v) { return v.id == id; }) == 1;
}

TEST(Fen, TableOfCases) {
    std::set<std::string> ids;
    for (const auto& row : rows_of(fs::path(MANSUBA_TEST_DATA) / "fen_cases.tsv")) {
        const std::string& id = row.at("id");
        EXPECT_TRUE(ids.insert(id).second) << "twice: " << id;
        const std::string fen = unescaped(row.at("fen"));
        bool judged = false;
        for (const Verdict& verdict : kVerdicts) {
            if (verdict.id != id) continue;
            judged = true;
            for (const Variant variant : kVariants) {
                if (variant != verdict.variant && !has_one_verdict(id)) continue;
                const Outcome outcome = read(fen, variant);
                if (verdict.refusal.empty()) {
                    expect_accepted(outcome, verdict.result, id);
                } else {
                    expect_refused(outcome, verdict.refusal, id);
                }
            }
        }
        EXPECT_TRUE(judged) << "no verdict on " << id;
    }
    for (const Verdict& verdict : kVerdicts) {
        EXPECT_TRUE(ids.contains(std::string(verdict.id))) << "no case for " << verdict.id;
    }
}

// --- Fields

TEST(Fen, StartPosition) {
    EXPECT_TRUE(parse_fen(kStartFen) == Position());
    EXPECT_EQ(to_fen(Position()), kStartFen);
    expect_round_trip(Position());
}

TEST(Fen, BlanksSeparateAndEndsAreTrimmed) {
    using namespace std::string_view_literals;
    constexpr std::string_view placement = "4k3/8/8/8/8/8/8/4K2R";
    const std::string result = std::string(placement) + " w K - 7 9";
    for (const std::string_view rest :
         {" w K - 7 9"sv, "\tw\tK\t-\t7\t9"sv, "  w \t K  -\t\t7   9"sv, " w K - 7 9\r\n"sv,
          " w K - 7 9 \t\n\n"sv}) {
        for (const std::string_view before : {""sv, " "sv, "\t \r\n"sv}) {
            const std::string fen =
                std::string(before) + std::string(placement) + std::string(rest);
            expect_accepted(read(fen), result, fen);
        }
    }
    // Other white space is no separator, and a line break inside is a second line.
    for (const std::string_view rest : {" w K - 7\n9"sv, " w K -\n7 9"sv, "\vw K - 7 9"sv,
                                        " w K - 7\f9"sv, " w K -\0 7 9"sv, " w K - 7 9\0"sv}) {
        EXPECT_EQ(read(std::string(placement) + std::string(rest)).fen, "") << rest;
    }
}

TEST(Fen, FourFieldsOrSix) {
    const std::vector<std::string> words = split(kStartFen, ' ');
    std::string fen;
    for (std::size_t count = 0; count <= 8; ++count) {
        if (count == 4 || count == 6) {
            expect_accepted(read(fen), kStartFen, fen);
        } else {
            expect_refused(read(fen), "FEN fields: " + std::to_string(count) + " instead of", fen);
        }
        fen += ' ' + (count < words.size() ? words[count] : "1");
    }
    expect_refused(read(std::string(100000, ' ') + std::string(100000, 'x')), "FEN fields: 1",
                   "long");
}

TEST(Fen, PiecePlacementNamesRankAndReason) {
    const struct {
        std::string_view placement, reason;
    } cases[] = {
        {"rnbqkbnrr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "rank 8 has 9 squares (\"rnbqkbnrr\")"},
        {"rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "rank 7 has 7 squares"},
        {"rnbqkbnr/pppppppp//8/8/8/PPPPPPPP/RNBQKBNR", "rank 6 has 0 squares"},
        {"rnbqkbnr/pppppppp/8/1/8/8/PPPPPPPP/RNBQKBNR", "rank 5 has 1 square ("},
        {"rnbqkbnr/pppppppp/8/8/8p/8/PPPPPPPP/RNBQKBNR", "rank 4 has 9 squares"},
        {"rnbqkbnr/pppppppp/8/8/8/p8/PPPPPPPP/RNBQKBNR", "rank 3 has 9 squares"},
        {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/", "9 ranks"},
        {"/rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "9 ranks"},
        {"rnbqkbnr", "1 rank "},
        {"rnbqkbnr/pppppppp/62/8/8/8/PPPPPPPP/RNBQKBNR", "rank 6 has two digits in a row"},
        {"rnbqkbnr/pppppppp/08/8/8/8/PPPPPPPP/RNBQKBNR", "rank 6 has \"0\""},
        {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN\x7f", "rank 1 has \"\\x7f\""},
        {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN\"", "rank 1 has \"\\x22\""},
    };
    for (const auto& c : cases) {
        const std::string fen = start_with(0, c.placement);
        expect_refused(read(fen), "FEN piece placement: " + std::string(c.reason), fen);
        expect_refused(read(fen, kAuto, Strictness::Lenient), c.reason, fen);
    }
    const std::string wide(1000000, 'p');
    const Outcome outcome = read(start_with(0, wide + "/8/8/8/8/8/8/8"));
    expect_refused(outcome, "rank 8 has 1000000 squares", "a wide rank");
}

TEST(Fen, SideToMove) {
    for (const std::string_view text : {"W", "B", "-", "ww", "white", "1", "x"}) {
        expect_refused(read(start_with(1, text)), "FEN side to move", text);
    }
}

TEST(Fen, Clocks) {
    for (const std::string_view text : {"-0", "+1", "1.5", "0x1", "1e2", "-", "O", "\xd9\xa1"}) {
        expect_refused(read(start_with(4, text)), "FEN half-move clock: not a plain", text);
        expect_refused(read(start_with(5, text)), "FEN full-move number: not a plain", text);
    }
    for (const std::string_view text : {"10001", "65536", "4294967296", "18446744073709551616"}) {
        expect_refused(read(start_with(4, text)), "FEN half-move clock: more than 10000", text);
        expect_refused(read(start_with(5, text)), "FEN full-move number: more than 10000", text);
    }
    const Position late = parse_fen(start_with(4, "10000"));
    EXPECT_EQ(late.halfmove_clock(), 10000);
    EXPECT_EQ(late.fullmove_number(), 1);
    expect_round_trip(late);
    EXPECT_EQ(parse_fen(start_with(5, "10000")).fullmove_number(), 10000);
    EXPECT_EQ(parse_fen(start_with(5, "0")).fullmove_number(), 1);
    EXPECT_EQ(parse_fen(start_with(5, "0007")).fullmove_number(), 7);
    expect_refused(read(start_with(4, std::string(100000, '9'))), "more than 10000", "long");
}

// --- Castling rights

struct CastlingCase {
    std::string_view placement, letters;
    Variant variant;
    std::string_view refusal, result;  // result: the letters that come out
};

TEST(Fen, CastlingLetters) {
    constexpr std::string_view corners = "r3k2r/8/8/8/8/8/8/R3K2R";
    constexpr std::string_view inner = "1r2k1r1/8/8/8/8/8/8/1R2K1R1";
    constexpr std::string_view doubled = "rr2k1rr/8/8/8/8/8/8/RR2K1RR";
    const CastlingCase cases[] = {
        {corners, "KQkq", kStandard, "", "KQkq"},
        {corners, "qkQK", kStandard, "", "KQkq"},
        {corners, "HAha", kStandard, "", "KQkq"},
        {corners, "HQka", kStandard, "", "KQkq"},
        {corners, "Aq", kStandard, "", "Qq"},
        {corners, "-", kStandard, "", "-"},
        {corners, "HAha", kChess960, "", "KQkq"},
        {corners, "KQkq", kChess960, "", "KQkq"},
        {corners, "G", kStandard, "no white rook on g1", ""},
        {corners, "b", kChess960, "no black rook on b8", ""},
        {corners, "E", kChess960, "no white rook on e1", ""},
        {corners, "KK", kStandard, "\"K\" is there twice", ""},
        {corners, "KQkqk", kChess960, "\"k\" is there twice", ""},
        {corners, "KH", kStandard, "\"H\" repeats another letter's right", ""},
        {corners, "aq", kChess960, "\"q\" repeats another letter's right", ""},
        {corners, "--", kStandard, "- beside other characters", ""},
        {corners, "KQ-", kStandard, "- beside other characters", ""},
        {corners, "-kq", kChess960, "- beside other characters", ""},
        {corners, "i", kChess960, "\"i\" is no castling letter", ""},
        {corners, "0", kChess960, "\"0\" is no castling letter", ""},
        {corners, "O-O", kChess960, "\"O\" is no castling letter", ""},
        {corners, "K\xff", kStandard, "\"\\xff\" is no castling letter", ""},

        // The outermost rook is K or Q, whatever its file; an inner one needs its file's letter.
        {inner, "KQkq", kChess960, "", "KQkq"},
        {inner, "GBgb", kChess960, "", "KQkq"},
        {inner, "KQkq", kAuto, "", "KQkq"},
        {inner, "KQkq", kStandard, "may castle with the rook on b1 only in Chess960 (--chess960)",
         ""},
        {inner, "K", kStandard, "may castle with the rook on g1 only in Chess960 (--chess960)", ""},
        {inner, "q", kStandard, "may castle with the rook on b8 only in Chess960 (--chess960)", ""},
        {doubled, "KQkq", kStandard, "", "KQkq"},
        {doubled, "KQkq", kChess960, "", "KQkq"},
        {doubled, "GBgb", kChess960, "", "GBgb"},
        {doubled, "GAhb", kAuto, "", "GQkb"},
        {doubled, "HG", kChess960, "not the only one with a right on its side of the white king",
         ""},
        {doubled, "KG", kChess960, "not the only one", ""},
        {doubled, "ba", kAuto, "not the only one with a right on its side of the black king", ""},
        {doubled, "HG", kStandard, "the rook on g1 only in Chess960", ""},

        // Shredder's letters do not care where K and Q would be.
        {"4k3/8/8/8/8/8/8/RK1R4", "D", kChess960, "", "K"},
        {"4k3/8/8/8/8/8/8/RK1R4", "DA", kChess960, "", "KQ"},
        {"4k3/8/8/8/8/8/8/1K1R3R", "D", kChess960, "", "D"},
        {"4k3/8/8/8/8/8/8/R2R1K2", "D", kChess960, "", "D"},
        {"4k3/8/8/8/8/8/8/K5R1", "K", kChess960, "", "K"},
        {"kr6/8/8/8/8/8/8/7K", "k", kChess960, "", "k"},

        // No king or no rook in place.
        {"4k3/8/8/8/8/8/8/R3K3", "K", kStandard, "no white rook on h1", ""},
        {"4k3/8/8/8/8/8/8/R3K3", "K", kChess960, "no white rook on h1", ""},
        {"4k3/8/8/8/8/8/8/R3K3", "k", kAuto, "no black rook on h8", ""},
        {"4k3/8/8/8/8/8/8/R3K2r", "K", kStandard, "no white rook on h1", ""},
        {"4k3/8/8/8/8/8/8/R3K2Q", "K", kStandard, "no white rook on h1", ""},
        {"4k3/8/8/8/8/8/4K3/R6R", "K", kStandard, "the white king is not on e1", ""},
        {"4k3/8/8/8/8/8/4K3/R6R", "Q", kChess960, "the white king is not on its home rank", ""},
        {"r6r/4k3/8/8/8/8/8/4K3", "k", kStandard, "the black king is not on e8", ""},
        {"4k3/8/8/8/8/8/8/R4K1R", "K", kStandard,
         "the king on f1 may castle with the rook on h1 only", ""},
        {"4k3/8/8/8/8/8/8/R4K1R", "KQ", kChess960, "", "KQ"},
        {"K3k3/8/8/8/8/8/8/7R", "K", kChess960, "the white king is not on its home rank", ""},
        {"4k2R/8/8/8/8/8/8/4K3", "k", kChess960, "no black rook on h8", ""},
    };
    for (const CastlingCase& c : cases) {
        const std::string placement(c.placement);
        const std::string letters(c.letters);
        // White to move, or Black where he is in check.
        Outcome outcome = read(placement + " w " + letters + " - 3 4", c.variant);
        std::string side = " w ";
        if (contains(outcome.refusal, "is in check")) {
            side = " b ";
            outcome = read(placement + side + letters + " - 3 4", c.variant);
        }
        const std::string of = placement + ' ' + letters;
        if (c.refusal.empty()) {
            expect_accepted(outcome, placement + side + std::string(c.result) + " - 3 4", of);
        } else {
            expect_refused(outcome, c.refusal, of);
            EXPECT_TRUE(contains(outcome.refusal, "FEN castling rights: ")) << outcome.refusal;
        }
    }
}

TEST(Fen, LenientDropsCastlingRightsOneByOne) {
    const struct {
        std::string_view placement, letters;
        Variant variant;
        std::string_view result;
        std::vector<std::string_view> warnings;
    } cases[] = {
        {"r3k2r/8/8/8/8/8/8/R3K3", "HQkq", kStandard, "Qkq", {"no white rook on h1; dropped"}},
        {"r3k2r/8/8/8/8/8/8/R3K3", "HQkq", kChess960, "Qkq", {"no white rook on h1; dropped"}},
        {"r3k2r/8/8/8/8/8/8/R3K2R", "KHQkq", kStandard, "KQkq", {"\"H\" repeats"}},
        {"r3k2r/8/8/8/8/8/8/R3K1RR", "GHkq", kStandard, "Kkq", {"the rook on g1 only in Chess960"}},
        // Nobody can know which one was meant.
        {"r3k2r/8/8/8/8/8/8/R3K1RR",
         "GHkq",
         kChess960,
         "kq",
         {"the rook on g1 is not", "the rook on h1 is not"}},
        // A rook that is not there leaves the other one's right alone.
        {"r3k2r/8/8/8/8/8/8/R3K2R", "GHkq", kAuto, "Kkq", {"no white rook on g1"}},
        {"1r1k4/8/8/8/8/8/8/4K3", "KQkq", kStandard, "-", {"h1", "a1", "h8", "b8"}},
        {"1r1k4/8/8/8/8/8/8/4K3", "KQkq", kChess960, "q", {"h1", "a1", "h8"}},
    };
    for (const auto& c : cases) {
        const std::string fen =
            std::string(c.placement) + " w " + std::string(c.letters) + " - 0 1";
        const Outcome outcome = read(fen, c.variant, Strictness::Lenient);
        expect_accepted(outcome,
                        std::string(c.placement) + " w " + std::string(c.result) + " - 0 1", fen);
        EXPECT_EQ(outcome.warnings.size(), c.warnings.size()) << fen;
        for (const std::string_view part : c.warnings) {
            EXPECT_EQ(std::count_if(outcome.warnings.begin(), outcome.warnings.end(),
                                    [&](const std::string& w) {
                                        return contains(w, "FEN castling rights: ") &&
                                               contains(w, part) && contains(w, "; dropped");
                                    }),
                      1)
                << fen << ": " << part;
        }
        EXPECT_EQ(read(fen, c.variant).fen, "") << "Strict must refuse " << fen;
        EXPECT_NO_THROW(parse_fen(fen, {c.variant, Strictness::Lenient}, nullptr));
    }
    for (const std::string_view letters : {"x", "KQx", "K-", "KK"}) {
        EXPECT_EQ(read(start_with(2, letters), kAuto, Strictness::Lenient).fen, "") << letters;
    }
}

TEST(Fen, WarningsAreAddedToWhatIsThere) {
    std::vector<std::string> warnings{"before"};
    parse_fen(kStartFen, {kStandard, Strictness::Lenient}, &warnings);
    EXPECT_EQ(warnings.size(), 1u);
    parse_fen("4k3/8/8/8/8/8/8/4K3 w K e6 0 1", {kStandard, Strictness::Lenient}, &warnings);
    EXPECT_EQ(warnings.size(), 3u);
    EXPECT_EQ(warnings[0], "before");
}

/// Every king with up to three rooks on White's home rank, and every choice of rights.
TEST(Fen, CastlingRightsOfEveryHomeRank) {
    int accepted = 0;
    for (int king = 0; king < 8; ++king) {
        for (unsigned rooks = 0; rooks < 256; ++rooks) {
            if ((rooks >> king & 1) || popcount(rooks) > 3) continue;
            BoardSetup setup;
            setup.squares[static_cast<std::size_t>(king)] = Piece{Color::White, PieceType::King};
            setup.squares[make_square(3, 6)] = Piece{Color::Black, PieceType::King};
            for (Bitboard rest = rooks; rest;) {
                setup.squares[static_cast<std::size_t>(pop_lowest(rest))] =
                    Piece{Color::White, PieceType::Rook};
            }
            setup.side_to_move = Color::Black;
            for (unsigned rights = rooks;; rights = (rights - 1) & rooks) {
                setup.castling_rooks = rights;
                const unsigned left = rights & ((1u << king) - 1), right = rights & ~left;
                const bool fits = popcount(left) <= 1 && popcount(right) <= 1;
                const bool standard = rights == 0 || (king == 4 && (rights & ~0x81u) == 0);
                EXPECT_EQ(place(setup, kStandard).refusal.empty(), standard);
                EXPECT_EQ(place(setup, kChess960).refusal.empty(), fits);
                EXPECT_EQ(place(setup, kAuto).refusal.empty(), fits);
                if (fits) {
                    const Position position = setup.position(kChess960);
                    EXPECT_EQ(position.castling_rooks(Color::White), Bitboard{rights});
                    expect_round_trip(position);
                    ++accepted;
                }
                if (standard) {
                    EXPECT_TRUE(setup.position(kStandard) == setup.position(kChess960));
                }
                if (rights == 0) break;
            }
        }
    }
    EXPECT_GT(accepted, 1000);
}

// --- En passant

TEST(Fen, EnPassantSquareSyntax) {
    for (const std::string_view text :
         {"z9", "e9", "i6", "e0", "E3", "e", "e33", "--", "3e", "e3+", "\xff\xff"}) {
        for (const Strictness strictness : {Strictness::Strict, Strictness::Lenient}) {
            expect_refused(read(start_with(3, text), kStandard, strictness),
                           "FEN en passant square: neither - nor a square", text);
        }
    }
}

TEST(Fen, EnPassantSquaresThatNoPawnHasPassed) {
    const struct {
        std::string_view fen, reason;
    } cases[] = {
        {"4k3/8/8/8/4P3/8/8/4K3 b - e4 0 1", "e4 is not on rank 3 with black to move"},
        {"4k3/8/8/8/4P3/8/8/4K3 b - e6 0 1", "e6 is not on rank 3 with black to move"},
        {"4k3/8/8/8/4P3/8/8/4K3 w - e3 0 1", "e3 is not on rank 6 with white to move"},
        {"4k3/8/8/8/8/8/8/4K3 b - e3 0 1", "no white pawn on e4"},
        {"4k3/8/8/8/4N3/8/8/4K3 b - e3 0 1", "no white pawn on e4"},
        {"4k3/8/8/8/4p3/8/8/4K3 b - e3 0 1", "no white pawn on e4"},
        {"4k3/8/8/4P3/8/8/8/4K3 w - e6 0 1", "no black pawn on e5"},
        {"4k3/8/8/8/4P3/4N3/8/4K3 b - e3 0 1", "e3 is not empty"},
        {"4k3/8/8/8/4P3/4n3/8/4K3 b - e3 0 1", "e3 is not empty"},
        {"4k3/8/8/8/4P3/8/4P3/4K3 b - e3 0 1", "e2 is not empty"},
        {"3k4/4q3/8/4p3/8/8/8/3K4 w - e6 0 1", "e7 is not empty"},
        {"4k3/8/8/8/8/8/8/4K3 w - a1 0 1", "a1 is not on rank 6"},
        {"4k3/8/8/8/8/8/8/4K3 b - h8 0 1", "h8 is not on rank 3"},
    };
    for (const auto& c : cases) {
        expect_refused(read(c.fen), "FEN en passant square: " + std::string(c.reason), c.fen);
        const Outcome lenient = read(c.fen, kStandard, Strictness::Lenient);
        std::vector<std::string> fields = split(c.fen, ' ');
        fields[3] = "-";
        expect_accepted(lenient, fields[0] + ' ' + fields[1] + " - - 0 1", c.fen);
        ASSERT_EQ(lenient.warnings.size(), 1u) << c.fen;
        EXPECT_TRUE(contains(lenient.warnings[0], c.reason)) << lenient.warnings[0];
        EXPECT_TRUE(contains(lenient.warnings[0], "; dropped")) << lenient.warnings[0];
    }
}

/// Whether a capture is legal, judged by hand from FIDE 3.7.3.2 and 3.9.2; the positions are our
/// own, several of them published tricks of en passant (see perft_suite.tsv).
TEST(Fen, EnPassantSquareStandsOnlyIfACaptureIsLegal) {
    const struct {
        std::string_view fen;
        bool stands;
        std::string_view why;
    } cases[] = {
        {"4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 1", true, "nothing in the way"},
        {"4k3/8/8/4p3/8/8/8/4K3 w - e6 0 1", false, "no captor"},
        {"4k3/8/8/3Np3/8/8/8/4K3 w - e6 0 1", false, "a knight captures nothing en passant"},
        {"8/8/8/K2Pp2r/8/8/8/7k w - e6 0 1", false, "both pawns leave the rank of king and rook"},
        {"8/8/8/r2pP2K/8/8/8/7k w - d6 0 1", false, "the same from the other side"},
        {"8/8/8/8/k1pPp2R/8/8/4K3 b - d3 0 1", true, "the second captor still shields the rank"},
        {"8/8/8/K2PpP1r/8/8/8/7k w - e6 0 1", true, "the same for White"},
        {"8/8/8/KN1Pp2r/8/8/8/7k w - e6 0 1", true, "a knight shields the rank"},
        {"4r1k1/8/8/3Pp3/8/8/8/4K3 w - e6 0 1", true, "the captor lands on the file that opens"},
        {"4r1k1/8/8/4Pp2/8/8/8/4K3 w - f6 0 1", false, "the captor is pinned on its file"},
        {"3k4/8/8/8/3pP3/8/8/3RK3 b - e3 0 1", false, "the captor is pinned on its file"},
        {"6k1/8/8/b7/1pP5/8/8/4K3 b - c3 0 1", true, "no own king behind the captor"},
        {"6k1/8/1b6/8/3Pp3/8/8/6K1 b - d3 0 1", true, "the slider is the captor's own"},
        {"7k/b7/8/8/3pP3/8/8/6K1 b - e3 0 1", true, "own bishop behind the captor"},
        {"k7/1B6/8/8/4pP2/8/8/7K b - f3 0 1", false, "a bishop's check is not answered"},
        {"8/7k/8/8/4pP2/8/2B5/7K b - f3 0 1", false,
         "the captor is pinned on a diagonal and leaves it"},
        {"8/8/6k1/8/5Pp1/8/8/6KR b - f3 0 1", true, "an open h-file concerns nobody"},
        {"1b6/8/8/3Pp3/8/8/7K/3k4 w - e6 0 1", false, "the captured pawn shielded the diagonal"},
        {"q6k/8/8/3pP3/8/8/8/7K w - d6 0 1", false, "the captured pawn shielded the long diagonal"},
        {"k7/8/8/3pP3/8/7n/5K2/8 w - d6 0 1", false, "a knight's check is not answered"},
        {"k7/8/8/3pP3/8/7n/4K3/8 w - d6 0 1", true, "the knight gives no check"},
        {"8/8/8/3pP3/4K3/8/8/k7 w - d6 0 1", true, "capturing the pawn that gives check"},
        {"8/8/8/3pP3/4K3/8/8/k6b w - d6 0 1", false, "another man gives check besides"},
        {"8/8/8/8/k2Pp2R/8/8/4K3 b - d3 0 1", false, "rank four for Black"},
        {"8/8/8/8/5pPp/8/5K1k/8 b - g3 0 1", true, "two captors"},
        {"7k/8/8/8/1PpP4/8/8/2RK4 b - d3 0 1", true, "no king on the c-file"},
        {"2k5/8/8/8/1PpP4/8/8/2RK4 b - d3 0 1", false, "its only captor is pinned"},
        {"2k5/8/8/8/2pPp3/8/8/2RK4 b - d3 0 1", true, "one captor is pinned, the other is not"},
        // Bit shifts must not run over the edges.
        {"8/8/8/P6p/8/8/8/K6k w - h6 0 1", false, "a5 is not beside h5"},
        {"8/8/8/p6P/8/8/8/K6k w - a6 0 1", false, "h5 is not beside a5"},
        {"8/8/P7/7p/8/8/8/K6k w - h6 0 1", false, "a6 is not beside h5"},
        {"8/8/8/8/p6P/8/8/K6k b - h3 0 1", false, "a4 is not beside h4"},
        {"8/8/8/8/P7/7p/8/K6k b - a3 0 1", false, "h3 is not beside a4"},
    };
    for (const auto& c : cases) {
        std::string expected(c.fen);
        if (!c.stands) expected.replace(expected.rfind(" 0 1") - 2, 2, "-");
        const Outcome outcome = read(c.fen);
        expect_accepted(outcome, expected, std::string(c.fen) + ": " + std::string(c.why));
        EXPECT_TRUE(outcome.warnings.empty()) << c.fen;
    }
}

TEST(Fen, EnPassantOnEveryFile) {
    for (const Color us : {Color::White, Color::Black}) {
        const int rank = us == Color::White ? 4 : 3;
        for (int file = 0; file < 8; ++file) {
            for (int captor = 0; captor < 8; ++captor) {
                if (captor == file) continue;
                BoardSetup setup;
                const auto put = [&](int f, int r, Color c, PieceType t) {
                    setup.squares[static_cast<std::size_t>(make_square(f, r))] = Piece{c, t};
                };
                // The kings out of the way of every pawn.
                put(0, us == Color::White ? 0 : 7, us, PieceType::King);
                put(7, us == Color::White ? 0 : 7, ~us, PieceType::King);
                put(file, rank, ~us, PieceType::Pawn);
                put(captor, rank, us, PieceType::Pawn);
                setup.side_to_move = us;
                setup.en_passant = make_square(file, us == Color::White ? 5 : 2);
                const Position position = setup.position();
                const bool beside = std::abs(captor - file) == 1;
                EXPECT_EQ(position.en_passant(), beside ? setup.en_passant : kNoSquare)
                    << to_fen(position);
                expect_round_trip(position);
            }
        }
    }
}

/// The same question put to men that walk: does some capture leave the king unattacked?
bool some_capture_is_legal(const Position& position, Square target) {
    const Color us = position.side_to_move();
    const int back = us == Color::White ? -1 : 1;
    const Square captured = target + 8 * back;
    for (const int side : {-1, 1}) {
        const int file = file_of(target) + side;
        if (file < 0 || file > 7) continue;
        const Square from = make_square(file, rank_of(target) + back);
        test::Men men = test::men_of(position);
        const auto at = [&](Square s) -> auto& { return men[static_cast<std::size_t>(s)]; };
        if (at(from) != Piece{us, PieceType::Pawn}) continue;
        at(target) = at(from);
        at(from).reset();
        at(captured).reset();
        if (!test::attackers_by_walking(men, test::king_square(men, us), ~us)) return true;
    }
    return false;
}

TEST(Fen, EnPassantAgreesWithMenThatWalk) {
    int stood = 0, fell = 0;
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
        for (const test::Sample& sample : test::random_positions(test::Theme::EnPassant, seed)) {
            if (sample.passed_over == kNoSquare) continue;
            // Asked anew and strictly: what Lenient dropped for want of a pawn is of no interest.
            BoardSetup setup(sample.position);
            setup.en_passant = sample.passed_over;
            if (!place(setup, kChess960).refusal.empty()) continue;
            const bool legal = some_capture_is_legal(sample.position, sample.passed_over);
            EXPECT_EQ(setup.position(kChess960).en_passant() != kNoSquare, legal)
                << to_fen(sample.position);
            ++(legal ? stood : fell);
        }
    }
    EXPECT_GT(stood, 100);
    EXPECT_GT(fell, 100);
}

// --- Set-ups that are no positions

TEST(Setup, NumbersOfMenAndPawns) {
    const struct {
        std::string_view placement, refusal;
    } cases[] = {
        {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", ""},
        {"4k3/8/8/8/8/8/PPPPPPPP/RNBQKBNR", ""},
        {"4k3/8/8/8/8/N7/PPPPPPPP/RNBQKBNR", "17 white men, at most 16"},
        {"rnbqkbnr/pppppppp/n7/8/8/8/8/4K3", "17 black men, at most 16"},
        {"4k3/8/8/8/8/8/PPPPPPPP/4K3", ""},
        {"4k3/8/8/8/8/7P/PPPPPPPP/4K3", "9 white pawns, at most 8"},
        {"4k3/pppppppp/p7/8/8/8/8/4K3", "9 black pawns, at most 8"},
        {"4k3/8/8/8/QQQQQQQ1/QQQQQQQ1/8/Q6K", ""},
        {"7k/8/8/QQQQQQQ1/QQQQQQQ1/8/8/QQ5K", "17 white men"},
        {"QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/qqqqqqqq/qqqqqqqq/qqqqqqqk/qqqqqqqK", "33 white men"},
        {"KKKKKKKK/KKKKKKKK/8/8/8/8/kkkkkkkk/kkkkkkkk", "16 white kings instead of one"},
        {"8/8/8/8/8/8/8/K7", "0 black kings instead of one"},
        {"k7/8/8/8/8/8/8/K6k", "2 black kings instead of one"},
        {"k7/8/8/8/8/8/8/K6p", "a pawn on h1"},
        {"k6p/8/8/8/8/8/8/K7", "a pawn on h8"},
    };
    for (const auto& c : cases) {
        const Outcome outcome = read(std::string(c.placement) + " b - - 0 1");
        const Outcome other = read(std::string(c.placement) + " w - - 0 1");
        if (c.refusal.empty()) {
            EXPECT_TRUE(outcome.refusal.empty() || other.refusal.empty()) << c.placement;
            continue;
        }
        expect_refused(outcome, "FEN piece placement: " + std::string(c.refusal), c.placement);
        expect_refused(other, c.refusal, c.placement);
    }
}

TEST(Setup, KingsSideBySideOnEverySquare) {
    for (Square white = 0; white < 64; ++white) {
        for (Square black = 0; black < 64; ++black) {
            if (white == black) continue;
            BoardSetup setup;
            setup.squares[static_cast<std::size_t>(white)] = Piece{Color::White, PieceType::King};
            setup.squares[static_cast<std::size_t>(black)] = Piece{Color::Black, PieceType::King};
            const bool adjacent = std::abs(file_of(white) - file_of(black)) <= 1 &&
                                  std::abs(rank_of(white) - rank_of(black)) <= 1;
            for (const Color us : {Color::White, Color::Black}) {
                setup.side_to_move = us;
                const Outcome outcome = place(setup);
                EXPECT_EQ(contains(outcome.refusal, "stand side by side"), adjacent)
                    << white << ' ' << black;
                EXPECT_EQ(outcome.refusal.empty(), !adjacent) << outcome.refusal;
            }
        }
    }
}

TEST(Setup, TheSideThatJustMovedIsNotInCheck) {
    for (const std::string_view men :
         {"3qk3/8/8/8/8/8/8/3K4", "4k3/8/8/8/8/2n5/8/3K4", "4k3/8/8/8/8/8/2p5/3K4",
          "4k3/8/8/b7/8/8/8/4K3", "4k3/8/8/8/8/8/8/r3K3"}) {
        expect_refused(read(std::string(men) + " b - - 0 1"), "the white king on ", men);
        EXPECT_TRUE(read(std::string(men) + " w - - 0 1").refusal.empty()) << men;
    }
    // A pawn attacks forwards only.
    EXPECT_TRUE(read("4k3/8/8/8/8/3K4/2p5/8 b - - 0 1").refusal.empty());
    EXPECT_TRUE(read("8/2P5/3k4/8/8/8/8/4K3 w - - 0 1").refusal.empty());
    expect_refused(read("3k4/2P5/8/8/8/8/8/4K3 w - - 0 1"), "the black king on d8 is in check",
                   "pawn check");
}

BoardSetup bare_kings() {
    BoardSetup setup;
    setup.squares[make_square(4, 0)] = Piece{Color::White, PieceType::King};
    setup.squares[make_square(4, 7)] = Piece{Color::Black, PieceType::King};
    return setup;
}

TEST(Setup, ClocksInRange) {
    BoardSetup setup = bare_kings();
    setup.halfmove_clock = setup.fullmove_number = BoardSetup::kMaxClock;
    expect_accepted(place(setup), "4k3/8/8/8/8/8/8/4K3 w - - 10000 10000", "largest clocks");
    for (const int clock : {-1, BoardSetup::kMaxClock + 1, 65536}) {
        setup = bare_kings();
        setup.halfmove_clock = clock;
        expect_refused(place(setup), "half-move clock: " + std::to_string(clock), "half-moves");
        setup = bare_kings();
        setup.fullmove_number = clock;
        expect_refused(place(setup), "full-move number: " + std::to_string(clock), "full moves");
    }
    setup = bare_kings();
    setup.fullmove_number = 0;
    expect_refused(place(setup, kStandard, Strictness::Lenient),
                   "full-move number: 0 is not between 1", "0");
}

TEST(Setup, RightsOnOddSquares) {
    for (const Square s : {make_square(0, 1), make_square(7, 6), make_square(4, 3)}) {
        BoardSetup setup = bare_kings();
        setup.squares[static_cast<std::size_t>(s)] = Piece{Color::White, PieceType::Rook};
        setup.castling_rooks = bit(s);
        setup.side_to_move = Color::Black;
        expect_refused(place(setup, kChess960), "is not on a home rank", "a rook elsewhere");
        EXPECT_EQ(place(setup, kChess960, Strictness::Lenient).warnings.size(), 1u);
    }
    for (const Square s : {-1, 65, 1000}) {
        BoardSetup setup = bare_kings();
        setup.en_passant = s;
        expect_refused(place(setup, kStandard, Strictness::Lenient), "is not on the board",
                       "beyond the board");
    }
}

TEST(Setup, EmptyIsNoPosition) { expect_refused(place(BoardSetup{}), "0 white kings", "empty"); }

// --- Round trips

TEST(Fen, RandomPositionsRoundTrip) {
    for (const test::Theme theme : test::kThemes) {
        int count = 0;
        for (std::uint64_t seed = 0; seed < 60; ++seed) {
            for (const test::Sample& sample : test::random_positions(theme, seed)) {
                expect_round_trip(sample.position);
                ++count;
            }
        }
        EXPECT_GT(count, 20) << test::name_of(theme);
    }
}

/// The FENs of a data file: in any column of a table, on the epd lines of a .perft file, before the
/// semicolon of an .epd file.
std::vector<std::string> fens_of(const fs::path& file) {
    std::vector<std::string> fens;
    for (std::string line : lines_of(file)) {
        if (line.starts_with("epd ")) line.erase(0, 4);
        if (file.extension() != ".tsv") line = line.substr(0, line.find(';'));
        for (const std::string& cell : split(line, '\t')) {
            if (std::count(cell.begin(), cell.end(), '/') == 7 && contains(cell, " "))
                fens.push_back(cell);
        }
    }
    return fens;
}

/// Lenient and Auto read whatever can be read; returns how many FENs made the round trip.
int round_trips_under(const fs::path& folder) {
    int count = 0;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
        const std::string extension = entry.path().extension().string();
        if (extension != ".tsv" && extension != ".perft" && extension != ".epd") continue;
        for (const std::string& fen : fens_of(entry.path())) {
            if (!read(fen, kAuto, Strictness::Lenient).refusal.empty()) continue;
            expect_round_trip(parse_fen(fen, {kAuto, Strictness::Lenient}));
            ++count;
        }
    }
    return count;
}

TEST(Fen, RoundTripsOfTestData) { EXPECT_GT(round_trips_under(MANSUBA_TEST_DATA), 10); }

TEST(Fen, RoundTripsOfSharedData) {
    if (!fs::is_directory(MANSUBA_SHARED_DATA)) GTEST_SKIP() << "no folder " << MANSUBA_SHARED_DATA;
    EXPECT_GT(round_trips_under(MANSUBA_SHARED_DATA), 1000);
}

/// Only rows that python-chess calls bad castling or en passant rights may be refused.
TEST(Fen, PerftSuiteIsReadStrictly) {
    const fs::path own = fs::path(MANSUBA_TEST_DATA) / "perft_suite.tsv";
    const fs::path shared = fs::path(MANSUBA_SHARED_DATA) / "perft_suite.tsv";
    if (!fs::exists(own) && !fs::exists(shared)) GTEST_SKIP() << "no perft_suite.tsv";
    int accepted = 0;
    for (const auto& row : rows_of(fs::exists(own) ? own : shared)) {
        const std::string& status = row.at("fen_status(python-chess)");
        const Variant variant = row.at("chess960") == "y" ? kChess960 : kStandard;
        const Outcome outcome = read(row.at("fen"), variant);
        const bool bad =
            contains(status, "BAD_CASTLING_RIGHTS") || contains(status, "INVALID_EP_SQUARE");
        EXPECT_EQ(outcome.refusal.empty(), !bad) << row.at("id") << ": " << outcome.refusal;
        accepted += outcome.refusal.empty();
        EXPECT_TRUE(read(row.at("fen"), variant, Strictness::Lenient).refusal.empty())
            << row.at("id");
    }
    EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace mansuba

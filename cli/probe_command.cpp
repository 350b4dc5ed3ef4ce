#include <algorithm>
#include <iostream>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "cli/tables.hpp"
#include "core/error.hpp"
#include "core/fen.hpp"
#include "core/movegen.hpp"
#include "core/notation.hpp"
#include "tablebase/hdf5/table_file.hpp"

namespace mansuba::cli {
namespace {

using Json = nlohmann::ordered_json;
using tablebase::Metric;
using tablebase::Value;
using tablebase::Wdl;

struct ProbeOptions {
    CommonOptions common;
    std::vector<std::string> fens;
    std::string tables, notation = "uci";
    bool moves = false, line = false, chess960 = false, lenient = false, ignore_castling = false;
};

/// A position and what the tables say.
struct Answer {
    Position position;
    Value value;
    bool checkmate = false, stalemate = false;
    bool has_dtz = true, has_dtm = true;
};

class Prober {
public:
    explicit Prober(const ProbeOptions& options)
        : options_(options),
          notation_(notation_from_name(options.notation)),
          files_(tables_directory(options.tables)),
          lookup_(files_.lookup()) {}

    Answer answer(const Position& position) {
        Answer a{position, tablebase::probe(position, lookup_)};
        const bool stuck = legal_moves(position).empty();
        a.checkmate = stuck && position.in_check();
        a.stalemate = stuck && !position.in_check();
        auto material = tablebase::Material::of(position.board()).normalized();
        if (material != tablebase::Material()) {
            const auto* values = lookup_(material);
            a.has_dtz = values->has(Metric::Dtz);
            a.has_dtm = values->has(Metric::Dtm);
        }
        return a;
    }

    /// The moves of a position with what they lead to, the best first: to win soonest by mate or, without
    /// that metric, by zeroing; to draw; to lose latest.
    struct Choice {
        Move move;
        bool zeroing;
        Answer after;
    };
    std::vector<Choice> choices(const Position& position) {
        std::vector<Choice> all;
        for (const Move m : legal_moves(position)) {
            Position after = position;
            after.play(m);
            all.push_back({m, tablebase::is_zeroing(position, m), answer(after)});
        }
        const auto rank = [](const Choice& c) {
            // From the mover's side: class, then distance, shorter for wins and longer for losses.
            const int wdl = -static_cast<int>(c.after.value.wdl);
            int distance =
                c.after.has_dtm ? std::abs(c.after.value.dtm) : std::abs(c.after.value.dtz);
            if (c.after.checkmate) distance = -1;
            return std::pair(-wdl, wdl > 0 ? distance : -distance);
        };
        std::stable_sort(all.begin(), all.end(), [&](const Choice& a, const Choice& b) {
            // By the distance to mate the rule plays no part: a cursed win is a win.
            const auto sign = [](int x) { return (x > 0) - (x < 0); };
            const auto ra = rank(a), rb = rank(b);
            if (a.after.has_dtm && b.after.has_dtm)
                return std::pair(sign(ra.first), ra.second) < std::pair(sign(rb.first), rb.second);
            return ra < rb;
        });
        return all;
    }

    std::string name(const Position& p, Move m) const {
        return format_move(p, m, notation_, options_.chess960);
    }

    /// Best play by the distance to mate to the end, or, without it, to the next zeroing move.
    std::vector<std::string> line(Position p) {
        std::vector<std::string> moves;
        const int limit = 2000;
        for (int i = 0; i < limit; ++i) {
            const Answer a = answer(p);
            if (a.value.wdl == Wdl::Draw || a.checkmate) break;
            const auto all = choices(p);
            moves.push_back(name(p, all.front().move));
            p.play(all.front().move);
            if (!a.has_dtm && all.front().zeroing) break;
        }
        return moves;
    }

private:
    const ProbeOptions& options_;
    Notation notation_;
    tablebase::hdf5::TableFiles files_;
    tablebase::Lookup lookup_;
};

Json number_or_null(bool there, int n) { return there ? Json(n) : Json(nullptr); }

/// The values of a JSON object that an answer is printed as; dtm is null for draws.
void add_values(Json& j, const Answer& a) {
    j["wdl"] = static_cast<int>(a.value.wdl);
    j["dtz"] = number_or_null(a.has_dtz, a.value.dtz);
    j["dtm"] = number_or_null(a.has_dtm && a.value.wdl != Wdl::Draw, a.value.dtm);
    j["stalemate"] = a.stalemate;
    j["checkmate"] = a.checkmate;
}

Json json_of(Prober& prober, const ProbeOptions& options, const Answer& a) {
    Json j{{"fen", to_fen(a.position)},
           {"material", tablebase::Material::of(a.position.board()).normalized().name()}};
    add_values(j, a);
    if (options.moves) {
        j["moves"] = Json::array();
        for (const auto& c : prober.choices(a.position)) {
            Json m{{"move", prober.name(a.position, c.move)}, {"zeroing", c.zeroing}};
            add_values(m, c.after);
            j["moves"].push_back(std::move(m));
        }
    }
    if (options.line) j["line"] = prober.line(a.position);
    return j;
}

std::string text_of(const Answer& a) {
    if (a.checkmate) return "checkmate: the side to move has lost";
    if (a.stalemate) return "stalemate: draw";
    constexpr const char* classes[] = {"loss", "blessed loss (a draw by the 50-move rule)", "draw",
                                       "cursed win (a draw by the 50-move rule)", "win"};
    std::string s = classes[static_cast<int>(a.value.wdl) + 2];
    if (a.value.wdl == Wdl::Draw) return s;
    if (a.has_dtm) s += fmt::format(", mate in {} plies", std::abs(a.value.dtm));
    if (a.has_dtz) s += fmt::format(", zeroing in {} plies", std::abs(a.value.dtz));
    return s;
}

void print_text(Prober& prober, const ProbeOptions& options, const Answer& a) {
    std::cout << fmt::format("{}: {}\n", to_fen(a.position), text_of(a));
    if (options.moves)
        for (const auto& c : prober.choices(a.position)) {
            // A value is the replying side's: told as what the move makes of the position.
            Answer mine = c.after;
            std::string what;
            if (c.after.checkmate)
                what = "mates";
            else if (c.after.stalemate)
                what = "stalemates";
            else {
                mine.value.wdl = static_cast<Wdl>(-static_cast<int>(c.after.value.wdl));
                what = text_of(mine);
            }
            std::cout << fmt::format("  {:<8}{}{}\n", prober.name(a.position, c.move), what,
                                     c.zeroing ? ", zeroes the count" : "");
        }
    if (options.line) {
        std::string text;
        for (const std::string& m : prober.line(a.position)) text += " " + m;
        std::cout << "  line:" << (text.empty() ? " none" : text) << '\n';
    }
}

int run_probe(const ProbeOptions& options) {
    std::vector<std::string> fens;
    for (const std::string& fen : options.fens) {
        if (fen != "-") {
            fens.push_back(fen);
            continue;
        }
        std::string line;
        while (std::getline(std::cin, line)) {
            while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
            if (!line.empty() && line[0] != '#') fens.push_back(line);
        }
    }
    if (fens.empty()) throw Error(ErrorCode::Usage, "no positions", "give FENs, or - to read them");
    const FenOptions fen_options{options.chess960 ? Variant::Chess960 : Variant::Standard,
                                 options.lenient ? Strictness::Lenient : Strictness::Strict};
    Prober prober(options);
    Json all = Json::array();
    for (const std::string& fen : fens) {
        std::vector<std::string> warnings;
        Position position = parse_fen(fen, fen_options, &warnings);
        for (const std::string& w : warnings) spdlog::warn(w);
        if (options.ignore_castling &&
            (position.castling_rooks(Color::White) | position.castling_rooks(Color::Black))) {
            Setup setup(position);
            setup.castling_rooks = 0;
            position = setup.position();
        }
        const Answer a = prober.answer(position);
        if (options.common.json)
            all.push_back(json_of(prober, options, a));
        else
            print_text(prober, options, a);
    }
    if (options.common.json) print_json(all);
    return kDone;
}

}  // namespace

Runner add_probe(CLI::App& program) {
    const auto options = std::make_shared<ProbeOptions>();
    CLI::App& c = *program.add_subcommand("probe", "What the tables say of positions");
    c.add_option("FEN", options->fens, "Positions as FEN or EPD, each in quotes; - reads them")
        ->required();
    c.add_option("--tables", options->tables,
                 "Directory of the tables (default: $MANSUBA_TABLES, else ./tables)")
        ->check(not_empty);
    c.add_flag("--moves", options->moves, "Also each legal move and what it leads to, best first");
    c.add_flag("--line", options->line, "Also a line of best play to the end");
    c.add_flag("--ignore-castling", options->ignore_castling,
               "Answer as if castling rights were gone; tables know none");
    c.add_flag("--chess960", options->chess960, "Chess960 castling rights and castling moves");
    c.add_flag("--lenient", options->lenient,
               "Drop castling and en passant rights that the board contradicts, with a warning");
    c.add_option("--notation", options->notation, "How moves are written: uci, san, lan or ru");
    options->common.add_to(c);
    return [options] { return run_probe(*options); };
}

}  // namespace mansuba::cli

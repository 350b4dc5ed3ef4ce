#include <algorithm>
#include <iostream>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "cli/tables.hpp"
#include "core/error.hpp"
#include "core/fen.hpp"
#include "core/movegen.hpp"
#include "core/notation.hpp"
#include "tablebase/hdf5/table_file.hpp"
#include "tablebase/helpmate.hpp"
#include "tablebase/outcome.hpp"

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
    bool has_wdl = true, has_dtz = true, has_dtm = true;
    bool has_75 = false, has_winnable = false, has_dth = false, has_dtm50 = false;
    std::optional<int> dtm50{};  // plies, signed; nothing for a draw
    std::string rules = "fide";  // that the table was built for
    int claim_plies = tablebase::kRulePlies;
};

/// What is told of a position that was asked for, beside its value.
struct Verdict {
    tablebase::Winnable winnable;
    std::optional<tablebase::Result> claim50, auto75;
    std::optional<tablebase::Result> claim;  // under the rules that the table was built for
};

/// Nothing where no answer is known.
template <class T>
Json json_of(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

class Prober {
public:
    explicit Prober(const ProbeOptions& options)
        : options_(options),
          notation_(notation_from_name(options.notation)),
          files_(tables_directory(options.tables)),
          lookup_(files_.lookup()) {}

    Answer answer(const Position& position) {
        Answer a = without_table(position);
        if (dead_) return a;
        a.value = tablebase::probe(position, lookup_);
        auto material = tablebase::Material::of(position.board()).normalized();
        if (material != tablebase::Material()) {
            const auto* values = lookup_(material);
            a.has_dtz = values->has(Metric::Dtz);
            a.has_dtm = values->has(Metric::Dtm);
            a.has_75 = values->has(Metric::Dtz75);
            a.has_dtm50 = values->has(Metric::Dtm50);
            if (a.has_dtm50) a.dtm50 = tablebase::dtm50(position, lookup_);
            a.rules = files_.find(material)->rules().name();
            const auto& index = values->numbering();
            const bool swapped = !tablebase::Material::of(position.board()).is_normal();
            a.claim_plies = values->limits().claim_at(
                index.placement_of(index.index_of(index.squares_of(position.board(), swapped))));
            a.has_winnable = values->has(Metric::Winnable);
            a.has_dth = values->has(Metric::DthWhite) && values->has(Metric::DthBlack);
        }
        return a;
    }

    /// The value of a position that was asked for, and what follows from it and from its clock. Where
    /// tables are missing the laws alone may still decide; if not, `missing` gets the error.
    std::pair<Answer, Verdict> root(const Position& position, std::optional<Error>& missing) {
        dead_ = false;
        std::optional<Error> error;
        Answer a = without_table(position);
        try {
            a = answer(position);
        } catch (const Error& e) {
            if (e.code() != ErrorCode::Input || position.board().castling_rooks()) throw;
            error = e;
        }
        Verdict v;
        const auto can_mate = [&](Color c) -> std::optional<bool> {
            const bool own = c == position.side_to_move();
            if (a.has_winnable || a.has_dth)
                return (own ? a.value.dth_mates : a.value.dth_mated) >= 0;
            // Who wins by force can win.
            const int wdl = static_cast<int>(a.value.wdl);
            if (!error && (own ? wdl > 0 : wdl < 0)) return true;
            return tablebase::can_mate(position, c, tablebase::kHelpmatePositions);
        };
        v.winnable = {can_mate(Color::White), can_mate(Color::Black)};
        dead_ = v.winnable.dead().value_or(false);
        if (error && (a.checkmate || a.stalemate || dead_)) {
            error.reset();
            if (a.checkmate) a.value.wdl = Wdl::Loss, a.value.dtz = -1;
        }
        if (error) {
            a.has_wdl = a.has_dtz = a.has_dtm = false;
            if (popcount(position.occupied()) <= tablebase::Material::kMaxMen || options_.moves ||
                options_.line)
                missing = error;
            v.claim50 = without_table(position, tablebase::kRulePlies);
            v.auto75 = without_table(position, tablebase::kAutomaticPlies);
            return {a, v};
        }
        if (!a.has_dtz) return {a, v};
        const int clock = position.halfmove_clock();
        v.claim = tablebase::result(a.value, a.checkmate, clock, a.claim_plies);
        if (a.rules == "fide") v.claim50 = v.claim;
        if (a.has_75) {
            Value value = a.value;
            value.wdl = value.wdl75, value.dtz = value.dtz75;
            v.auto75 = tablebase::result(value, a.checkmate, clock, tablebase::kAutomaticPlies);
        } else if (a.rules == "fide") {
            v.auto75 = tablebase::automatic_result(
                a.value, a.checkmate, clock,
                !dead_ && no_cursed(tablebase::Material::of(position.board()).normalized()));
        }
        return {a, v};
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
    static Answer without_table(const Position& position) {
        Answer a{position, {}};
        const bool stuck = count_legal_moves(position) == 0;
        a.checkmate = stuck && position.in_check();
        a.stalemate = stuck && !position.in_check();
        return a;
    }

    /// What a count that has run out decides, or a mate at hand.
    static std::optional<tablebase::Result> without_table(const Position& position, int limit) {
        if (position.halfmove_clock() >= limit) return tablebase::Result::Draw;
        for (const Move m : legal_moves(position)) {
            Position after = position;
            after.play(m);
            if (after.in_check() && count_legal_moves(after) == 0) return tablebase::Result::Win;
        }
        return std::nullopt;
    }

    /// Whether an endgame and all it can turn into are known to hold no win that the 50-move rule
    /// takes.
    bool no_cursed(const tablebase::Material& material) {
        if (material == tablebase::Material()) return true;
        const auto known = no_cursed_.find(material);
        if (known != no_cursed_.end()) return known->second;
        bool none = false;
        if (const auto* file = files_.find(material)) {
            const Json j = Json::parse(file->reader().attribute<std::string>("statistics"));
            none = true;
            for (const char* side : {"white", "black"})
                none &= j[side]["cursed_win"] == 0 && j[side]["blessed_loss"] == 0;
            for (const auto& next : material.successors()) none = none && no_cursed(next);
        }
        return no_cursed_[material] = none;
    }

    const ProbeOptions& options_;
    Notation notation_;
    tablebase::hdf5::TableFiles files_;
    tablebase::Lookup lookup_;
    std::map<tablebase::Material, bool> no_cursed_;
    bool dead_ = false;  // the position asked for, and so all that follow
};

Json number_or_null(bool there, int n) { return there ? Json(n) : Json(nullptr); }

/// The values of a JSON object that an answer is printed as; dtm is null for draws.
void add_values(Json& j, const Answer& a) {
    j["wdl"] = number_or_null(a.has_wdl, static_cast<int>(a.value.wdl));
    j["dtz"] = number_or_null(a.has_dtz, a.value.dtz);
    j["dtm"] = number_or_null(a.has_dtm && a.value.wdl != Wdl::Draw, a.value.dtm);
    j["stalemate"] = a.stalemate;
    j["checkmate"] = a.checkmate;
}

Json json_of(Prober& prober, const ProbeOptions& options, const Answer& a, const Verdict& v) {
    Json j{{"fen", to_fen(a.position)},
           {"material", tablebase::Material::of(a.position.board()).normalized().name()}};
    add_values(j, a);
    j["winnable"] = {{"white", json_of(v.winnable.white)}, {"black", json_of(v.winnable.black)}};
    j["dead"] = json_of(v.winnable.dead());
    if (a.has_dth) {
        const bool white = a.position.side_to_move() == Color::White;
        const auto plies = [](int n) { return n < 0 ? Json(nullptr) : Json(n); };
        j["dth"] = {{"white", plies(white ? a.value.dth_mates : a.value.dth_mated)},
                    {"black", plies(white ? a.value.dth_mated : a.value.dth_mates)}};
    }
    if (a.has_dtm50) j["dtm50"] = json_of(a.dtm50);
    if (a.has_75) {
        j["wdl75"] = static_cast<int>(a.value.wdl75);
        j["dtz75"] = a.value.dtz75;
    }
    const auto result = [](const auto& r) {
        return r ? Json(tablebase::name_of(*r)) : Json(nullptr);
    };
    j["outcome"] = {{"claim50", result(v.claim50)}, {"auto75", result(v.auto75)}};
    if (a.rules != "fide") {
        j["rules"] = a.rules;
        j["outcome"]["claim"] = result(v.claim);
    }
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
    if (!a.has_wdl) return "no table";
    constexpr const char* classes[] = {"loss", "blessed loss (a draw by claim)", "draw",
                                       "cursed win (a draw by claim)", "win"};
    std::string s = classes[static_cast<int>(a.value.wdl) + 2];
    if (a.value.wdl == Wdl::Draw) return s;
    if (a.has_dtm) s += fmt::format(", mate in {} plies", std::abs(a.value.dtm));
    if (a.has_dtz) s += fmt::format(", zeroing in {} plies", std::abs(a.value.dtz));
    return s;
}

/// What a value does not tell: the clock's part in it, and who can still be mated.
std::string text_of(const Answer& a, const Verdict& v) {
    using tablebase::Result;
    std::string s;
    if (a.checkmate || a.stalemate) return s;
    const bool decided = a.has_wdl && (a.value.wdl == Wdl::Win || a.value.wdl == Wdl::Loss);
    if (decided && v.claim == Result::Draw) {
        s += fmt::format("; with a clock of {}, a draw by claim", a.position.halfmove_clock());
        if (v.auto75 == Result::Draw) s += " and by the 75-move rule";
    } else if (a.has_75 && v.auto75 && v.claim == Result::Draw && v.auto75 != Result::Draw) {
        s += fmt::format("; a {} where nobody claims, in time for the 75-move rule",
                         tablebase::name_of(*v.auto75));
    }
    if (v.winnable.dead() == true) return s + "; dead: neither side can mate";
    for (const Color c : {Color::White, Color::Black})
        if (v.winnable.by(c) == false && a.value.wdl == Wdl::Draw)
            s += fmt::format("; {} can never mate", c == Color::White ? "White" : "Black");
    if (a.has_dtm50 && a.dtm50 && std::abs(*a.dtm50) != std::abs(a.value.dtm))
        s += fmt::format("; mate in {} plies before a draw can be claimed", std::abs(*a.dtm50));
    if (a.has_dth)
        for (const Color c : {Color::White, Color::Black})
            if (const int plies =
                    c == a.position.side_to_move() ? a.value.dth_mates : a.value.dth_mated;
                plies >= 0 && a.value.wdl == Wdl::Draw)
                s += fmt::format("; helpmate by {} in {} plies",
                                 c == Color::White ? "White" : "Black", plies);
    return s;
}

void print_text(Prober& prober, const ProbeOptions& options, const Answer& a, const Verdict& v) {
    std::cout << fmt::format("{}: {}{}\n", to_fen(a.position), text_of(a), text_of(a, v));
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
    std::optional<Error> missing;  // the first table that was, said after all answers
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
        std::optional<Error> missing_here;
        const auto [answer, verdict] = prober.root(position, missing_here);
        if (missing_here && (options.moves || options.line)) throw *missing_here;
        if (missing_here && !missing) missing = missing_here;
        if (options.common.json)
            all.push_back(json_of(prober, options, answer, verdict));
        else
            print_text(prober, options, answer, verdict);
    }
    if (options.common.json) print_json(all);
    if (missing) throw *missing;
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

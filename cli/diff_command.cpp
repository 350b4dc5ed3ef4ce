#include <iostream>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "cli/command.hpp"
#include "core/error.hpp"
#include "perft/diff.hpp"
#include "perft/suite.hpp"

namespace mansuba::cli {
namespace {

struct DiffOptions {
    CommonOptions common;
    PositionOptions position;
    int depth = 0;
    std::string engine, suite;
    double timeout_s = 60;
};

/// A position to compare: what the engine is told, and what we read in it.
struct Root {
    std::string fen;
    Position position;
    bool chess960;
};

std::vector<Root> roots(const DiffOptions& options) {
    std::vector<Root> list;
    if (options.suite.empty()) {
        // Moves are played before: the engine gets the position they lead to.
        const Position p = options.position.position();
        list.push_back({options.position.moves.empty() ? options.position.fen : to_fen(p), p,
                        options.position.chess960});
        return list;
    }
    std::string last;
    for (const perft::SuiteRow& row : perft::read_suite(options.suite)) {
        if (row.fen == last) continue;  // one row a depth
        last = row.fen;
        FenOptions fen = options.position.fen_options();
        if (!options.position.chess960) fen.variant = row.variant;
        std::vector<std::string> warnings;
        try {
            const Position p = parse_fen(row.fen, fen, &warnings);
            list.push_back(
                {row.fen, p, options.position.chess960 || row.variant == Variant::Chess960});
        } catch (const Error& e) {
            throw Error(e.code(), e.what(), options.suite + ":" + std::to_string(row.line));
        }
        for (const std::string& w : warnings) spdlog::warn("{}:{}: {}", options.suite, row.line, w);
    }
    return list;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& w : words) text += (text.empty() ? "" : " ") + w;
    return text;
}

nlohmann::ordered_json to_json(const Root& root, const perft::Difference& d) {
    nlohmann::ordered_json j{{"root", root.fen},
                             {"line", d.line},
                             {"fen", to_fen(d.position)},
                             {"missing", d.missing},
                             {"extra", d.extra},
                             {"depth", d.depth},
                             {"engine_position", d.engine_position}};
    if (d.miscount)
        j["miscount"] = {{"move", d.miscount->move},
                         {"expected", to_string(d.miscount->ours)},
                         {"engine", to_string(d.miscount->engine)}};
    return j;
}

void print_difference(const Root& root, const perft::Difference& d) {
    std::cout << "difference below " << root.fen << '\n';
    std::cout << "line     " << (d.line.empty() ? "(the position itself)" : joined(d.line)) << '\n';
    std::cout << "fen      " << to_fen(d.position) << '\n';
    if (!d.missing.empty()) std::cout << "missing  " << joined(d.missing) << '\n';
    if (!d.extra.empty()) std::cout << "extra    " << joined(d.extra) << '\n';
    if (d.miscount)
        std::cout << fmt::format("miscount {} should be {}, the engine says {}\n",
                                 d.miscount->move.empty() ? "total" : d.miscount->move,
                                 to_string(d.miscount->ours), to_string(d.miscount->engine));
    std::cout << fmt::format("repeat   position fen {}\n         go perft {}\n", d.engine_position,
                             d.depth);
}

int run_diff(const DiffOptions& options) {
    const std::vector<Root> list = roots(options);
    perft::EngineOptions engine_options;
    engine_options.timeout =
        std::chrono::milliseconds(static_cast<std::int64_t>(options.timeout_s * 1000));
    engine_options.stop = &stop_requested;
    perft::UciEngine engine(options.engine, engine_options);
    perft::Options count;
    count.threads = options.common.threads;
    const std::string simd = options.common.simd_target();
    count.simd = simd;
    count.stop = &stop_requested;

    nlohmann::ordered_json found = nlohmann::ordered_json::array();
    for (const Root& root : list) {
        const auto d = perft::find_difference(engine, root.position, root.fen, options.depth,
                                              root.chess960, count);
        if (!d) continue;
        found.push_back(to_json(root, *d));
        if (!options.common.json) print_difference(root, *d);
    }
    const bool any = !found.empty();
    if (options.common.json)
        print_json({{"engine", options.engine},
                    {"depth", options.depth},
                    {"positions", list.size()},
                    {"differences", std::move(found)}});
    else if (!any)
        std::cout << fmt::format("no difference to depth {} in {} position{}\n", options.depth,
                                 list.size(), list.size() == 1 ? "" : "s");
    return any ? kCheckFailed : kDone;
}

}  // namespace

Runner add_diff(CLI::App& program) {
    const auto options = std::make_shared<DiffOptions>();
    CLI::App& c =
        *program.add_subcommand("diff", "Find the move where a UCI engine's generator goes wrong");
    c.add_option("DEPTH", options->depth, "Compare up to this depth")
        ->required()
        ->check(CLI::Range(1, 12));
    c.add_option("--engine", options->engine,
                 "The command that starts the UCI engine; it must know go perft")
        ->check(not_empty)
        ->required();
    options->position.add_to(c);
    c.add_option("--suite", options->suite, "Compare at every position of a perft suite")
        ->excludes("--fen")
        ->excludes("--moves");
    c.add_option("--timeout", options->timeout_s,
                 "Seconds to wait for each answer of the engine (default 60)")
        ->check(CLI::Range(0.1, 1e6));
    options->common.add_to(c);
    c.footer(
        "Exit code 1 if a difference is found. An engine that hangs, dies or prints rubbish: 2.");
    return [options] { return run_diff(*options); };
}

}  // namespace mansuba::cli

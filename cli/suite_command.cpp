#include <iostream>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "cli/command.hpp"
#include "core/error.hpp"
#include "perft/suite.hpp"

namespace mansuba::cli {
namespace {

struct SuiteOptions {
    CommonOptions common;
    std::string file, hash = "0", max_nodes;
    bool lenient = false, chess960 = false;
};

/// What came of one row.
struct RowReport {
    enum class Verdict { Ok, Wrong, Refused, Skipped };

    const perft::SuiteRow& row;
    Verdict verdict = Verdict::Skipped;
    Uint128 nodes = 0;
    double seconds = 0;
    std::string reason{};  // of a refusal
};

std::string_view name(RowReport::Verdict v) {
    constexpr std::string_view names[] = {"ok", "wrong", "refused", "skipped"};
    return names[static_cast<int>(v)];
}

RowReport check_row(const perft::SuiteRow& row, const SuiteOptions& options, Uint128 max_nodes,
                    const perft::Options& count) {
    RowReport report{row};
    if (row.nodes > max_nodes) return report;
    try {
        const FenOptions fen{options.chess960 ? Variant::Chess960 : row.variant,
                             options.lenient ? Strictness::Lenient : Strictness::Strict};
        std::vector<std::string> warnings;
        const Position position = parse_fen(row.fen, fen, &warnings);
        for (const std::string& w : warnings) spdlog::warn("{}:{}: {}", options.file, row.line, w);
        const perft::Result r = perft::count(position, row.depth, count);
        report.nodes = r.nodes;
        report.seconds = r.seconds;
        report.verdict = r.nodes == row.nodes ? RowReport::Verdict::Ok : RowReport::Verdict::Wrong;
    } catch (const Error& e) {
        if (e.code() != ErrorCode::Input) throw;
        report.verdict = RowReport::Verdict::Refused;
        report.reason = e.what();
    }
    return report;
}

void print_row(const RowReport& r) {
    std::string line = fmt::format("{:<8}line {} D{} {}", name(r.verdict), r.row.line, r.row.depth,
                                   to_string(r.row.nodes));
    if (r.verdict == RowReport::Verdict::Wrong)
        line += fmt::format(", counted {}", to_string(r.nodes));
    if (r.verdict == RowReport::Verdict::Refused) line += ", " + r.reason;
    line += "  " + r.row.fen;
    if (!r.row.id.empty()) line += " [" + r.row.id + ']';
    std::cout << line << '\n';
}

int run_suite(const SuiteOptions& options) {
    const std::vector<perft::SuiteRow> rows = perft::read_suite(options.file);
    const Uint128 max_nodes =
        options.max_nodes.empty() ? kUint128Max : parse_uint128(options.max_nodes);
    perft::Options count;
    count.threads = options.common.threads;
    count.hash_bytes = parse_size(options.hash);
    const std::string simd = options.common.simd_target();
    count.simd = simd;
    count.stop = &stop_requested;

    std::array<std::size_t, 4> verdicts{};
    Uint128 nodes = 0;
    double seconds = 0;
    nlohmann::ordered_json lines = nlohmann::ordered_json::array();
    for (const perft::SuiteRow& row : rows) {
        const RowReport r = check_row(row, options, max_nodes, count);
        ++verdicts[static_cast<std::size_t>(r.verdict)];
        nodes = add_saturating(nodes, r.nodes);
        seconds += r.seconds;
        if (options.common.json) {
            nlohmann::ordered_json j{{"line", row.line},
                                     {"id", row.id},
                                     {"fen", row.fen},
                                     {"depth", row.depth},
                                     {"expected", to_string(row.nodes)},
                                     {"verdict", name(r.verdict)}};
            if (r.verdict == RowReport::Verdict::Ok || r.verdict == RowReport::Verdict::Wrong)
                j["nodes"] = to_string(r.nodes);
            if (!r.reason.empty()) j["reason"] = r.reason;
            lines.push_back(std::move(j));
        } else if (!options.common.quiet || r.verdict == RowReport::Verdict::Wrong ||
                   r.verdict == RowReport::Verdict::Refused) {
            print_row(r);
        }
    }
    const auto [ok, wrong, refused, skipped] = verdicts;
    if (options.common.json) {
        print_json({{"file", options.file},
                    {"rows", rows.size()},
                    {"ok", ok},
                    {"wrong", wrong},
                    {"refused", refused},
                    {"skipped", skipped},
                    {"nodes", to_string(nodes)},
                    {"seconds", seconds},
                    {"lines", std::move(lines)}});
    } else {
        std::cout << fmt::format(
            "{} rows: {} ok, {} wrong, {} refused, {} skipped; {} leaves in {}\n", rows.size(), ok,
            wrong, refused, skipped, to_string(nodes), duration_text(seconds));
    }
    if (wrong > 0) return kCheckFailed;
    if (refused > 0)
        throw Error(ErrorCode::Input, std::to_string(refused) + " rows refused, as listed",
                    options.file);
    return kDone;
}

}  // namespace

Runner add_suite(CLI::App& program) {
    const auto options = std::make_shared<SuiteOptions>();
    CLI::App& c = *program.add_subcommand("suite", "Check every count of a perft suite");
    c.add_option("FILE", options->file,
                 "EPD lines (FEN ;D1 20 ;D2 400), a .perft file, or a table with the columns fen, "
                 "depth, nodes")
        ->required();
    c.add_option("--max-nodes", options->max_nodes, "Skip rows with more leaves than this");
    c.add_flag("--lenient", options->lenient,
               "Drop castling and en passant rights that the board contradicts, with a warning");
    c.add_flag("--chess960", options->chess960,
               "Read all castling rights as Chess960 (default: the file's column, or what the "
               "rights need)");
    c.add_option("--hash", options->hash, "Size of the hash table (default: 0, none)");
    options->common.add_to(c);
    c.footer("Exit code 1 if a count is wrong, else 2 if a position is refused.");
    return [options] { return run_suite(*options); };
}

}  // namespace mansuba::cli

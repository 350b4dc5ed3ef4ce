#include <algorithm>
#include <iostream>
#include <random>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "cli/command.hpp"
#include "cli/job.hpp"
#include "cli/progress.hpp"
#include "cluster/count.hpp"
#include "core/cpu.hpp"
#include "core/error.hpp"
#include "core/notation.hpp"
#include "perft/estimate.hpp"

namespace mansuba::cli {
namespace {

struct PerftOptions {
    CommonOptions common;
    PositionOptions position;
    int depth = 0;
    bool divide = false, detail = false, unique = false, no_bulk = false;
    std::string hash, checkpoint, format = "text", notation = "uci";
    double checkpoint_interval_s = 30;
    bool estimate = false;
    std::optional<std::uint64_t> seed, samples;
};

constexpr std::array<const char*, 9> kDetailNames{"captures",      "ep",     "castles",
                                                  "promotions",    "checks", "discovered",
                                                  "double_checks", "mates",  "stalemates"};
static_assert(kDetailNames.size() == perft::kDetailFields.size());

/// Below this depth a table costs more than it saves.
constexpr int kHashFromDepth = 7;

/// This rank's share of it.
std::uint64_t free_memory() {
    return memory().available_bytes / static_cast<std::uint64_t>(Job::local_ranks());
}

std::uint64_t default_hash_bytes(int depth) {
    if (depth < kHashFromDepth) return 0;
    return std::min<std::uint64_t>(std::uint64_t{1} << 30, free_memory() / 4);
}

/// What was counted, ready to be printed in any form.
struct Outcome {
    const PerftOptions& options;
    Position position;
    perft::Result result;
    std::optional<std::uint64_t> unique;

    std::vector<std::pair<std::string, Uint128>> divide() const {
        const Notation notation = notation_from_name(options.notation);
        std::vector<std::pair<std::string, Uint128>> lines;
        for (const perft::RootMove& m : result.divide)
            lines.emplace_back(format_move(position, m.move, notation, options.position.chess960),
                               m.nodes);
        std::sort(lines.begin(), lines.end());
        return lines;
    }
    double rate() const {
        return result.seconds > 0 ? static_cast<double>(result.nodes_this_run) / result.seconds : 0;
    }
};

void print_json_result(const Outcome& o) {
    const perft::Result& r = o.result;
    nlohmann::ordered_json j;
    j["fen"] = to_fen(o.position);
    j["depth"] = o.options.depth;
    j["nodes"] = to_string(r.nodes);
    j["seconds"] = r.seconds;
    j["nps"] = o.rate();
    j["threads"] = r.threads;
    j["ranks"] = Job::ranks();
    j["simd"] = r.simd;
    j["hash_bytes"] = r.hash_bytes;
    if (r.lane_use) j["lane_use"] = *r.lane_use;
    if (o.options.divide) {
        j["divide"] = nlohmann::ordered_json::object();
        for (const auto& [move, nodes] : o.divide()) j["divide"][move] = to_string(nodes);
    }
    if (r.detail)
        for (std::size_t i = 0; i < kDetailNames.size(); ++i)
            j["detail"][kDetailNames[i]] = to_string((*r.detail).*perft::kDetailFields[i]);
    if (r.nodes_this_run != r.nodes) j["resumed_nodes"] = to_string(r.nodes - r.nodes_this_run);
    if (o.unique) j["unique"] = std::to_string(*o.unique);
    print_json(j);
}

void print_uci_result(const Outcome& o) {
    for (const auto& [move, nodes] : o.divide())
        std::cout << move << ": " << to_string(nodes) << '\n';
    std::cout << "\nNodes searched: " << to_string(o.result.nodes) << '\n';
}

void print_text_result(const Outcome& o) {
    const perft::Result& r = o.result;
    if (o.options.divide)
        for (const auto& [move, nodes] : o.divide())
            std::cout << move << ": " << to_string(nodes) << '\n';
    std::cout << fmt::format("perft {}: {} leaves\n", o.options.depth, to_string(r.nodes));
    if (r.detail)
        for (std::size_t i = 0; i < kDetailNames.size(); ++i)
            std::cout << fmt::format("  {:<14}{:>20}\n", kDetailNames[i],
                                     to_string((*r.detail).*perft::kDetailFields[i]));
    if (o.unique) std::cout << fmt::format("  distinct positions {}\n", *o.unique);
    std::cout << fmt::format(
        "{}, {}, {}{} thread{}, {}, {}\n", duration_text(r.seconds),
        r.nodes_this_run != 0 || r.nodes == 0 ? rate_text(o.rate()) : "nothing left to count",
        Job::ranks() > 1 ? fmt::format("{} ranks of ", Job::ranks()) : "", r.threads,
        r.threads == 1 ? "" : "s", r.simd,
        r.hash_bytes ? "hash " + size_text(r.hash_bytes) : "no hash");
    if (r.nodes_this_run != r.nodes)
        std::cout << fmt::format("{} of the leaves were in the checkpoint\n",
                                 to_string(r.nodes - r.nodes_this_run));
}

/// An estimate knows one number: what asks for more, or is about how a count is done, is refused.
void check_estimate(const PerftOptions& options) {
    const char* with = options.divide                ? "--divide"
                       : options.detail              ? "--detail"
                       : options.unique              ? "--unique"
                       : !options.checkpoint.empty() ? "--checkpoint"
                       : !options.hash.empty()       ? "--hash"
                       : options.no_bulk             ? "--no-bulk"
                       : options.format != "text"    ? "--format"
                                                     : nullptr;
    if (with) throw Error(ErrorCode::Usage, "--estimate does not go with this option", with);
}

std::uint64_t random_seed() {
    std::random_device device;
    return device();
}

int run_estimate(const PerftOptions& options) {
    check_estimate(options);
    const Position position = options.position.position();
    perft::EstimateOptions how;
    how.seed = options.seed ? *options.seed : random_seed();
    if (options.samples) how.samples = *options.samples;
    how.threads = options.common.threads;
    const std::string simd = options.common.simd_target();
    how.simd = simd;
    how.stop = &stop_requested;
    const perft::Estimate e = perft::estimate(position, options.depth, how);
    if (options.common.json) {
        const auto whole = [](double x) { return fmt::format("{:.0f}", x); };
        nlohmann::ordered_json j;
        j["fen"] = to_fen(position);
        j["depth"] = options.depth;
        j["estimate"] = whole(e.nodes);
        j["low"] = whole(e.low);
        j["high"] = whole(e.high);
        j["samples"] = e.samples;
        j["seed"] = std::to_string(how.seed);
        j["seconds"] = e.seconds;
        j["threads"] = e.threads;
        j["ranks"] = 1;
        j["simd"] = e.simd;
        print_json(j);
    } else if (e.samples == 0) {
        std::cout << fmt::format("perft {}: {:.0f} leaves, counted\n", options.depth, e.nodes);
    } else {
        std::cout << fmt::format("perft {}: about {:.6g} leaves\n", options.depth, e.nodes)
                  << fmt::format("  95% interval {:.6g} to {:.6g}\n", e.low, e.high)
                  << fmt::format("{}, {} samples, --seed {}, {} thread{}, {}\n",
                                 duration_text(e.seconds), e.samples, how.seed, e.threads,
                                 e.threads == 1 ? "" : "s", e.simd);
    }
    return kDone;
}

std::uint64_t room_for_sets(const PerftOptions& options, const perft::Options& count) {
    return options.hash.empty() ? free_memory() / 4 : count.hash_bytes;
}

/// What the ranks but 0 do.
int help(const Position& position, const PerftOptions& options, const perft::Options& count) {
    auto finished = cluster::help_count(position, options.depth, count, *Job::transport());
    if (!finished && options.unique)
        finished = cluster::help_count_unique(position, options.depth, count,
                                              room_for_sets(options, count), *Job::transport());
    if (finished) Job::finished_with(*finished);
    return kDone;
}

int run_perft(const PerftOptions& options) {
    if (options.estimate) return Job::helps() ? kDone : run_estimate(options);
    if (options.seed || options.samples)
        throw Error(ErrorCode::Usage, "only an estimate is drawn at random",
                    options.seed ? "--seed" : "--samples");
    if (options.unique && !options.checkpoint.empty())
        throw Error(ErrorCode::Usage, "--unique keeps no checkpoint", "--checkpoint");
    if (options.format == "uci" && (options.common.json || options.detail || options.unique))
        throw Error(ErrorCode::Usage, "--format uci prints moves and counts alone",
                    "--json, --detail, --unique");
    notation_from_name(options.notation);  // before the work, not after it

    const Position position = options.position.position();
    CommonOptions common = options.common;
    common.quiet |= Job::helps();
    ProgressLine progress(common, fmt::format("perft {}", options.depth));
    perft::Options count;
    count.threads = options.common.threads;
    count.hash_bytes =
        options.hash.empty() ? default_hash_bytes(options.depth) : parse_size(options.hash);
    count.bulk = !options.no_bulk;
    count.detail = options.detail;
    count.checkpoint = options.checkpoint;
    count.checkpoint_interval_s = options.checkpoint_interval_s;
    const std::string simd = options.common.simd_target();
    count.simd = simd;
    count.on_progress = progress.callback();
    count.on_warning = [&progress](const std::string& text) {
        progress.clear();
        spdlog::warn("checkpoint not saved: {}", text);
    };
    count.stop = &stop_requested;

    Outcome outcome{options, position, {}, {}};
    try {
        if (Job::helps()) return help(position, options, count);
        outcome.result = Job::transport()
                             ? cluster::count(position, options.depth, count, *Job::transport())
                             : perft::count(position, options.depth, count);
        if (options.unique) {
            const std::uint64_t room = room_for_sets(options, count);
            outcome.unique =
                Job::transport()
                    ? cluster::count_unique(position, options.depth, count, room, *Job::transport())
                    : perft::count_unique(position, options.depth, count, room);
        }
    } catch (const Error& e) {
        if (e.code() != ErrorCode::Interrupted) throw;
        if (options.checkpoint.empty())
            throw Error(ErrorCode::Interrupted, "stopped, nothing saved",
                        "--checkpoint FILE makes a count resumable");
        throw Error(ErrorCode::Interrupted, "stopped, resume with the same command",
                    "--checkpoint " + options.checkpoint);
    }
    progress.clear();
    if (options.common.json)
        print_json_result(outcome);
    else if (options.format == "uci")
        print_uci_result(outcome);
    else
        print_text_result(outcome);
    return kDone;
}

}  // namespace

Runner add_perft(CLI::App& program) {
    const auto options = std::make_shared<PerftOptions>();
    CLI::App& c = *program.add_subcommand("perft", "Count the leaves of the move tree");
    c.add_option("DEPTH", options->depth, "Plies from the position to the leaves")
        ->required()
        ->check(CLI::Range(0, perft::kMaxDepth));
    options->position.add_to(c);
    c.add_flag("--divide", options->divide, "The count behind each root move");
    c.add_flag("--detail", options->detail,
               "Captures, ep, castles, promotions, checks, discovered checks, double checks, "
               "mates, stalemates");
    c.add_flag("--unique", options->unique, "Distinct positions at DEPTH as well");
    c.add_option(
         "--hash", options->hash,
         "Size of the hash table, 0 for none (default: none below depth 7, else 1G or a quarter of "
         "the free memory). A hit is exact: an entry holds the whole position, and no key is "
         "trusted. "
         "With --unique, what the sets of positions may take")
        ->check(not_empty);
    c.add_flag("--no-bulk", options->no_bulk,
               "Make the move to every leaf instead of counting the last ply in sets");
    c.add_option("--checkpoint", options->checkpoint,
                 "Save here what is finished; resume from it if it exists")
        ->check(not_empty);
    add_checkpoint_interval(c, options->checkpoint_interval_s,
                            "Seconds between two saves (default 30)");
    c.add_option("--format", options->format, "text, or uci: the lines of an engine's go perft")
        ->check(CLI::IsMember({"text", "uci"}));
    c.add_option("--notation", options->notation, "How --divide writes moves: uci, san, lan or ru");
    c.add_flag("--estimate", options->estimate,
               "Estimate the count from random lines of play, with a 95% interval, in seconds");
    c.add_option(
        "--seed", options->seed,
        "With --estimate: where the random numbers start (default: anywhere; it is printed)");
    c.add_option("--samples", options->samples, "With --estimate: lines of play (default 20000)");
    options->common.add_to(c);
    return [options] { return run_perft(*options); };
}

}  // namespace mansuba::cli

// What every command of the program shares: common options, output, stopping.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "core/fen.hpp"
#include "core/uint128.hpp"
#include "perft/perft.hpp"

namespace mansuba::cli {

/// Exit codes of the program; see README.md.
enum ExitCode : int {
    kDone = 0,
    kCheckFailed = 1,
    kUsage = 2,
    kBadFile = 3,
    kStopped = 4,
    kInternal = 70
};

/// A size with an optional K, M, G or T (powers of 1024), as CLI text: 64M, 1G, 4096. Throws
/// Error(Usage).
std::uint64_t parse_size(const std::string& text);

/// Options that every command knows.
struct CommonOptions {
    int threads = 0;
    bool json = false;
    bool quiet = false;
    std::string progress = "auto";
    std::string simd;  // empty: MANSUBA_SIMD, or auto

    void add_to(CLI::App& command);
    /// The target asked for by --simd, else by MANSUBA_SIMD, else auto.
    std::string simd_target() const;
};

/// Options of the commands that look at a position.
struct PositionOptions {
    std::string fen{kStartFen};
    std::string moves;
    bool chess960 = false;
    bool lenient = false;

    void add_to(CLI::App& command);
    FenOptions fen_options() const;
    /// The position, after the moves. Throws Error(Input); warnings go to stderr.
    Position position() const;
};

/// Set once the user or the batch system wants the program to stop: SIGINT, SIGTERM, SIGUSR1, SIGHUP.
extern const std::atomic<bool>& stop_requested;
/// Installs the handlers behind stop_requested.
void listen_to_signals();

/// 119060324 as 119,060,324.
std::string with_commas(Uint128 n);
/// A duration as 0.123 s, 12.3 s, 4 min 05 s, 3 h 12 min, 5 d 3 h.
std::string duration_text(double seconds);
/// A rate as 2.31 G leaves/s, 719 M leaves/s.
std::string rate_text(double per_second);

/// A number of bytes as 64 B, 512 KiB, 1024 MiB, 100 GiB, 100 TiB.
std::string size_text(std::uint64_t bytes);

/// For options whose value an unset shell variable may have left empty: refuses that.
std::string not_empty(const std::string& value);

/// The option --checkpoint-interval: seconds, from 0.1 to 1e6.
void add_checkpoint_interval(CLI::App& command, double& seconds, const std::string& help);

/// Prints one JSON document on stdout.
void print_json(const nlohmann::ordered_json& document);

/// A command adds itself to the program and runs when it was chosen; returns the exit code.
using Runner = std::function<int()>;
using AddCommand = Runner (*)(CLI::App& program);
Runner add_perft(CLI::App& program);
Runner add_suite(CLI::App& program);
Runner add_diff(CLI::App& program);
Runner add_build(CLI::App& program);
Runner add_probe(CLI::App& program);
Runner add_stats(CLI::App& program);
Runner add_verify(CLI::App& program);
Runner add_export(CLI::App& program);
Runner add_plan(CLI::App& program);
Runner add_info(CLI::App& program);

/// Runs the program; never throws.
int run(int argc, const char* const* argv);

}  // namespace mansuba::cli

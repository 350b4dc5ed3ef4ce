#include "cli/command.hpp"

#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <limits>

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "cli/job.hpp"
#include "core/error.hpp"
#include "core/notation.hpp"
#include "core/quote.hpp"
#include "mansuba/version.hpp"

namespace mansuba::cli {
namespace {

std::atomic<bool> stop_flag = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // a signal handler may set it

extern "C" void request_stop(int) { stop_flag.store(true); }

/// One line, whatever is in the text.
std::string one_line(std::string text) {
    for (char& c : text)
        if (c == '\n' || c == '\r') c = ' ';
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text;
}

void set_up_log() {
    auto log = spdlog::stderr_logger_mt("mansuba");
    log->set_pattern("mansuba: %l: %v");
    spdlog::set_default_logger(log);
}

int fail(ExitCode code, const std::string& text) {
    spdlog::error(one_line(text));
    return code;
}

ExitCode exit_code(ErrorCode code) {
    switch (code) {
        case ErrorCode::Usage:
        case ErrorCode::Input:
        case ErrorCode::Engine: return kUsage;
        case ErrorCode::File: return kBadFile;
        case ErrorCode::Interrupted: return kStopped;
        case ErrorCode::Internal: break;
    }
    return kInternal;
}

int run_program(int argc, const char* const* argv) {
    CLI::App program{
        "Counts chess move trees (perft) and finds the move where a generator goes wrong.",
        "mansuba"};
    program.set_version_flag("--version", fmt::format("mansuba {} ({})", kVersion, kCommit));
    program.require_subcommand(1);
    program.failure_message(CLI::FailureMessage::simple);
    program.footer(
        "Exit codes: 0 done; 1 a check failed; 2 usage or input wrong; 3 file or data wrong;\n"
        "4 stopped by a signal; 70 internal error.");

    std::vector<std::pair<CLI::App*, Runner>> runners;
    for (const AddCommand add : {add_perft, add_suite, add_diff, add_build, add_probe, add_stats,
                                 add_verify, add_export, add_plan, add_info}) {
        Runner runner = add(program);
        runners.emplace_back(program.get_subcommands(nullptr).back(), std::move(runner));
    }
    const auto is_named = [&](const CLI::App* command) { return command->get_name() == argv[1]; };
    if (argc > 1 && argv[1][0] != '-' && program.get_subcommands(is_named).empty())
        throw Error(ErrorCode::Usage, "unknown command " + mansuba::quoted(argv[1]),
                    "see mansuba --help");
    try {
        program.parse(argc, argv);
    } catch (const CLI::Success& e) {  // --help, --version
        return Job::helps() ? kDone : program.exit(e);
    } catch (const CLI::ParseError& e) {
        throw Error(ErrorCode::Usage, one_line(e.what()), "see mansuba --help");
    }
    for (const auto& [command, runner] : runners)
        if (*command) {
            const bool shared = command->get_name() == "perft" || command->get_name() == "build";
            return Job::helps() && !shared ? kDone : runner();
        }
    throw Error(ErrorCode::Internal, "no command ran");
}

}  // namespace

const std::atomic<bool>& stop_requested = stop_flag;

void listen_to_signals() {
    struct sigaction action {};
    action.sa_handler = request_stop;
    sigemptyset(&action.sa_mask);
    action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second one ends the program at once
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGHUP}) sigaction(signal, &action, nullptr);
    std::signal(SIGXFSZ,
                SIG_IGN);  // a limit of file size (ulimit -f) fails the write like a full disk
}

std::uint64_t parse_size(const std::string& text) {
    std::uint64_t n = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, problem] = std::from_chars(text.data(), end, n);
    int shift = 0;
    if (problem == std::errc{} && rest != end) {
        const std::string units = "KMGT";
        const auto unit =
            units.find(static_cast<char>(std::toupper(static_cast<unsigned char>(*rest))));
        shift = unit == std::string::npos || rest + 1 != end ? -1 : 10 * static_cast<int>(unit + 1);
    }
    if (problem != std::errc{} || shift < 0 ||
        n > std::numeric_limits<std::uint64_t>::max() >> shift)
        throw Error(ErrorCode::Usage, "not a size: " + mansuba::quoted(text),
                    "like 4096, 64M or 2G");
    return n << shift;
}

void CommonOptions::add_to(CLI::App& command) {
    command.add_option("--threads", threads, "Threads to count with (default: all)")
        ->check(CLI::Range(1, 4096));
    command.add_flag("--json", json, "One JSON document on stdout");
    command.add_flag("--quiet", quiet, "No progress on stderr");
    command.add_option("--progress", progress, "auto, always or never")
        ->check(CLI::IsMember({"auto", "always", "never"}));
    command.add_option("--simd", simd,
                       "Instruction set to count with: auto, scalar, or a name that `mansuba info` "
                       "lists (also MANSUBA_SIMD)");
}

std::string CommonOptions::simd_target() const {
    if (!simd.empty()) return simd;
    const char* const wish = std::getenv("MANSUBA_SIMD");
    return wish && *wish ? wish : "auto";
}

void PositionOptions::add_to(CLI::App& command) {
    command.add_option("--fen", fen, "The position, as FEN or EPD (default: the start position)");
    command.add_option("--moves", moves,
                       "Moves played from there, like \"e2e4 e7e5\" (UCI or SAN)");
    command.add_flag("--chess960", chess960, "Chess960 castling rights and castling moves");
    command.add_flag(
        "--lenient", lenient,
        "Drop castling and en passant rights that the board contradicts, with a warning");
}

FenOptions PositionOptions::fen_options() const {
    return {chess960 ? Variant::Chess960 : Variant::Standard,
            lenient ? Strictness::Lenient : Strictness::Strict};
}

Position PositionOptions::position() const {
    std::vector<std::string> warnings;
    Position p = parse_fen(fen, fen_options(), &warnings);
    for (const std::string& w : warnings) spdlog::warn(w);
    std::size_t start = 0;
    while ((start = moves.find_first_not_of(" \t,", start)) != std::string::npos) {
        const std::size_t end = std::min(moves.find_first_of(" \t,", start), moves.size());
        p.play(parse_move(p, std::string_view(moves).substr(start, end - start)));
        start = end;
    }
    return p;
}

std::string with_commas(Uint128 n) {
    std::string text = to_string(n);
    for (auto i = static_cast<std::ptrdiff_t>(text.size()) - 3; i > 0; i -= 3)
        text.insert(static_cast<std::size_t>(i), 1, ',');
    return text;
}

std::string duration_text(double s) {
    const auto whole = static_cast<long long>(s);
    if (s < 10) return fmt::format("{:.3f} s", s);
    if (s < 120) return fmt::format("{:.1f} s", s);
    if (whole < 7200) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
    if (whole < 48 * 3600) return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
    return fmt::format("{} d {} h", whole / 86400, whole / 3600 % 24);
}

std::string rate_text(double per_second) {
    if (per_second >= 1e9) return fmt::format("{:.2f} G leaves/s", per_second / 1e9);
    if (per_second >= 1e6) return fmt::format("{:.0f} M leaves/s", per_second / 1e6);
    return fmt::format("{:.0f} k leaves/s", per_second / 1e3);
}

std::string size_text(std::uint64_t bytes) {
    // Three digits and more of the largest unit that has them.
    if (bytes >= std::uint64_t{100} << 40) return fmt::format("{} TiB", bytes >> 40);
    if (bytes >= std::uint64_t{100} << 30) return fmt::format("{} GiB", bytes >> 30);
    if (bytes >= std::uint64_t{1} << 20) return fmt::format("{} MiB", bytes >> 20);
    return bytes >= 1024 ? fmt::format("{} KiB", bytes >> 10) : fmt::format("{} B", bytes);
}

std::string not_empty(const std::string& value) {
    return value.find_first_not_of(" \t") == std::string::npos ? "the value is empty" : "";
}

void add_checkpoint_interval(CLI::App& command, double& seconds, const std::string& help) {
    const CLI::Range range(0.1, 1e6);
    command.add_option("--checkpoint-interval", seconds, help)->check([range](std::string value) {
        double number = 0;
        // CLI::Range lets pass what is not a number.
        if (CLI::detail::lexical_cast(value, number) && std::isnan(number))
            return std::string("not a number of seconds");
        return range(value);
    });
}

void print_json(const nlohmann::ordered_json& document) { std::cout << document.dump(2) << '\n'; }

namespace {
int run_reporting(int argc, const char* const* argv) {
    try {
        const int code = run_program(argc, argv);
        std::cout.flush();
        if (!std::cout) return fail(kBadFile, "cannot write the result (standard output)");
        return code;
    } catch (const Error& e) {
        return fail(exit_code(e.code()), e.what());
    } catch (const std::bad_alloc&) {
        return fail(kUsage, "out of memory");
    } catch (const std::exception& e) {
        return fail(kInternal, std::string("internal error: ") + e.what());
    }
}
}  // namespace

int run(int argc, const char* const* argv) {
    set_up_log();
    listen_to_signals();
    try {
        Job job;
        return job.finish(run_reporting(argc, argv));
    } catch (const std::exception& e) {
        return fail(kInternal, std::string("internal error: ") + e.what());
    }
}

}  // namespace mansuba::cli

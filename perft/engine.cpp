#include "perft/engine.hpp"

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/error.hpp"
#include "core/quote.hpp"
#include "perft/child_process.hpp"
#include "perft/divide_line.hpp"

namespace mansuba::perft {
namespace {

using Clock = ChildProcess::Clock;
using std::chrono::milliseconds;

// While it is not known yet whether the engine prints totals: how long after readyok a divide may
// still begin (engines that count in another thread answer isready at once), and how long a pause
// inside one may be.
constexpr milliseconds kStartPause{3000}, kLinePause{1000};
constexpr std::size_t kLongestQuote = 200;  // of foreign words in an error

}  // namespace

class UciEngine::Session {
public:
    Session(const std::string& command, const EngineOptions& options)
        : command_(command), options_(options), process_(command, "quit", options.stop) {
        begin("uciok");
        send("uci");
        wait_for_line("uciok");
    }

    pid_t pid() const { return process_.pid(); }

    EngineDivide divide(const EnginePosition& position, int depth) {
        if (!prints_totals_) prints_totals_ = find_out_totals();
        if (position.chess960 != chess960_) {
            begin("readyok after setoption UCI_Chess960");
            send(std::string("setoption name UCI_Chess960 value ") +
                 (position.chess960 ? "true" : "false"));
            chess960_ = position.chess960;
            send("isready");
            wait_for_line("readyok");
        }
        begin("the answer to go perft " + std::to_string(depth));
        send("position fen " + position_text(position));
        send("go perft " + std::to_string(depth));
        Collector answer(depth);
        while (*prints_totals_ && !answer.total()) add(answer, next_line());
        // Behind the total there may be more, which must not be taken for the next answer.
        send("isready");
        for (std::string line = next_line(); line != "readyok"; line = next_line())
            add(answer, line);
        return answer.divide();
    }

private:
    /// Gathers the lines of one answer.
    class Collector {
    public:
        explicit Collector(int depth) : depth_(depth) {}

        /// False if the line is a move or total without a proper count.
        bool add(const std::string& text) {
            const DivideLine line = read_divide_line(text, depth_);
            switch (line.kind) {
                case DivideLine::Kind::BadCount: return false;
                case DivideLine::Kind::Total:
                    if (!total_) total_ = line.count;
                    break;
                case DivideLine::Kind::Move:
                    sum_ += line.count;
                    if (!divide_.moves.emplace(line.move, line.count).second)
                        divide_.repeated.push_back(line.move);
                    break;
                case DivideLine::Kind::Other: break;
            }
            return true;
        }

        bool empty() const { return divide_.moves.empty() && !total_; }
        bool has_moves() const { return !divide_.moves.empty(); }
        const std::optional<Uint128>& total() const { return total_; }
        EngineDivide divide() const {
            EngineDivide out = divide_;
            out.total = total_.value_or(sum_);
            return out;
        }

    private:
        int depth_;
        EngineDivide divide_;
        std::optional<Uint128> total_;
        Uint128 sum_ = 0;
    };

    /// Asks for a small divide in the start position and sees whether a total comes with it.
    bool find_out_totals() {
        begin("the answer to go perft 1");
        send("position startpos");
        send("go perft 1");
        send("isready");
        Collector answer(1);
        for (std::string line = next_line(); line != "readyok"; line = next_line())
            add(answer, line);
        const bool answered_first = answer.has_moves();
        while (!answer.total()) {
            std::string line;
            const auto pause = answer.empty() ? kStartPause : kLinePause;
            if (!next_line(line, std::min(deadline_, Clock::now() + pause))) break;
            add(answer, line);
        }
        if (answer.empty()) fail("engine printed no divide: awaited " + awaited_);
        if (!answer.total() && !answered_first)
            fail(
                "engine prints no total and answers isready before it has counted, so that the end "
                "of its divide cannot be known: awaited " +
                awaited_);
        return answer.total().has_value();
    }

    /// A new answer is awaited, from now on.
    void begin(std::string awaited) {
        awaited_ = std::move(awaited);
        deadline_ = Clock::now() + options_.timeout;
    }

    void send(const std::string& text) {
        if (!process_.write(text, deadline_)) fail_timeout();
    }

    /// The next line that says something, simplified.
    std::string next_line() {
        std::string line;
        if (!next_line(line, deadline_)) fail_timeout();
        return line;
    }

    bool next_line(std::string& line, Clock::time_point deadline) {
        do {
            // Output that never pauses must not outrun the deadline.
            if (Clock::now() >= deadline) return false;
            const ChildProcess::Read read = process_.read(line, deadline);
            if (read == ChildProcess::Read::Timeout) return false;
            if (read == ChildProcess::Read::End)
                fail("engine " + process_.ending() + ": awaited " + awaited_);
            if (!line.empty() && line != "readyok") last_line_ = line;
            line = simplified_line(line);
        } while (line.empty() || line.starts_with("info ") || line.starts_with("option ") ||
                 line.starts_with("id "));
        return true;
    }

    void wait_for_line(std::string_view awaited) {
        while (next_line() != awaited) {
        }
    }

    void add(Collector& answer, const std::string& line) const {
        if (line.starts_with("bestmove"))
            fail("engine does not know perft, it searched: awaited " + awaited_);
        if (!answer.add(line))
            fail("engine printed a count that is no number: awaited " + awaited_);
    }

    [[noreturn]] void fail_timeout() const {
        std::ostringstream seconds;
        seconds << static_cast<double>(options_.timeout.count()) / 1000;
        fail("engine did not answer in " + seconds.str() + " s: awaited " + awaited_);
    }

    [[noreturn]] void fail(const std::string& what) const {
        const std::string last = last_line_.empty()
                                     ? "it printed nothing"
                                     : "its last line " + quoted(last_line_, kLongestQuote);
        throw Error(ErrorCode::Engine, what + ", " + last, quoted(command_, kLongestQuote));
    }

    std::string command_;
    EngineOptions options_;
    ChildProcess process_;
    std::string awaited_, last_line_;
    Clock::time_point deadline_;
    std::optional<bool> prints_totals_;
    bool chess960_ = false;
};

UciEngine::UciEngine(const std::string& command, const EngineOptions& options)
    : session_(std::make_unique<Session>(command, options)) {}
UciEngine::~UciEngine() = default;

EngineDivide UciEngine::divide(const EnginePosition& position, int depth) {
    return session_->divide(position, depth);
}

int UciEngine::process_id() const { return session_->pid(); }

std::string position_text(const EnginePosition& position) {
    std::istringstream fields(position.fen);
    std::string out, field;
    int count = 0;
    for (; fields >> field; ++count) out += (count == 0 ? "" : " ") + field;
    if (count == 4) out += " 0 1";
    if (!position.moves.empty()) out += " moves";
    for (const std::string& move : position.moves) out += " " + move;
    return out;
}

bool needs_chess960(const Position& position) {
    for (const Color c : {Color::White, Color::Black}) {
        const Bitboard rooks = position.castling_rooks(c);
        if (rooks != 0 && (file_of(position.king(c)) != 4 || (rooks & ~(kFileA | kFileH)) != 0))
            return true;
    }
    return false;
}

}  // namespace mansuba::perft

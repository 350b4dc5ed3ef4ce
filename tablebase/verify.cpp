#include "tablebase/verify.hpp"

#include <algorithm>
#include <exception>
#include <omp.h>

#include "core/error.hpp"
#include "core/fen.hpp"
#include "core/movegen.hpp"
#include "tablebase/store.hpp"

namespace mansuba::tablebase {
namespace {

/// Cells, or draws of a sample, that a thread does at a stretch.
constexpr std::uint64_t kStretch = 4096;

/// SplitMix64, by Sebastiano Vigna, https://prng.di.unimi.it/splitmix64.c (public domain).
std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

/// A fault and where it was met.
struct Met {
    std::uint64_t place;
    Fault fault;
};

struct Tally {
    VerifyReport report;
    std::vector<Met> met;
};

class Verifier {
public:
    Verifier(const Values& table, const Lookup& smaller, const VerifyOptions& options)
        : table_(table),
          index_(table.numbering()),
          lookup_([&](const Material& m) -> const Values* {
              return m == index_.material() ? &table_ : smaller(m);
          }),
          options_(options),
          with_dtz_(table.has(Metric::Dtz)),
          with_dtm_(table.has(Metric::Dtm)),
          with_wdl75_(table.has(Metric::Wdl75) && with_dtz_),
          with_dtz75_(table.has(Metric::Dtz75) && with_dtz_),
          with_dth_(table.has(Metric::DthWhite) && table.has(Metric::DthBlack)),
          with_dtm50_(table.has(Metric::Dtm50)),
          with_winnable_(with_dth_ || table.has(Metric::Winnable)) {
        require(table, index_.material(), "has no");
        for (const Material& m : index_.material().successors()) {
            if (m == Material()) continue;
            const Values* const values = smaller(m);
            if (!values)
                throw Error(ErrorCode::Input, "needs " + m.name() + ": mansuba build " + m.name(),
                            index_.material().name());
            require(*values, m, "needs its");
        }
    }

    VerifyReport run() {
        const std::uint64_t cells = index_.cells(),
                            places = options_.sample ? options_.sample : 2 * cells,
                            stretches = (places + kStretch - 1) / kStretch;
        const int threads = options_.threads > 0 ? options_.threads : omp_get_max_threads();
        std::vector<Tally> tallies(static_cast<std::size_t>(threads));
        std::exception_ptr error;
        std::atomic<bool> over = false;
        std::atomic<std::uint64_t> done = 0;
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)
        for (std::uint64_t i = 0; i < stretches; ++i) {
            if (options_.stop && options_.stop->load(std::memory_order_relaxed)) over = true;
            if (over) continue;
            try {
                const std::uint64_t first = i * kStretch, last = std::min(places, first + kStretch);
                Tally& tally = tallies[static_cast<std::size_t>(omp_get_thread_num())];
                for (std::uint64_t place = first; place < last; ++place)
                    if (options_.sample)
                        draw(place, tally);
                    else
                        look_at(place / cells ? Color::Black : Color::White, place % cells, place,
                                tally);
                done += last - first;
                if (options_.on_progress && omp_get_thread_num() == 0)
                    options_.on_progress(done, places);
            } catch (...) {
                over = true;
#pragma omp critical(mansuba_verify_error)
                error = std::current_exception();
            }
        }
        if (error) std::rethrow_exception(error);
        if (over) throw Error(ErrorCode::Interrupted, "stopped");
        return summed(tallies);
    }

private:
    void require(const Values& values, const Material& m, const char* how) const {
        for (const Metric metric : kMetrics)
            if ((metric == Metric::Wdl || table_.has(metric)) && !values.has(metric))
                throw Error(ErrorCode::Input,
                            m.name() + ' ' + how + ' ' + std::string(name_of(metric)),
                            index_.material().name());
    }

    /// Position number `place` of the sample.
    void draw(std::uint64_t place, Tally& tally) const {
        std::uint64_t state = mixed(mixed(options_.seed) + place);
        // Even with five like men every thousandth cell or so is legal and the lowest of its position.
        for (int attempt = 0; attempt < 100000; ++attempt) {
            const std::uint64_t x = mixed(state += 0x9e3779b97f4a7c15);
            if (look_at(x >> 63 ? Color::Black : Color::White, x % index_.cells(), place, tally))
                return;
        }
    }

    /// Whether there is a position.
    bool look_at(Color side_to_move, std::uint64_t cell, std::uint64_t place, Tally& tally) const {
        const auto position = position_at(index_, side_to_move, cell);
        if (!position || index_.index_of(index_.position_at(cell)) != cell) return false;
        ++tally.report.positions;

        BestOf best(table_.limits(), index_.placement_of(cell));
        Wdl bound = Wdl::Loss, bound_zeroing = Wdl::Loss;
        const MoveList moves = legal_moves(*position);
        for (const Move m : moves) {
            Position after = *position;
            after.play(m);
            const bool zeroing = is_zeroing(*position, m);
            const Value v = zeroing ? probe(after, lookup_) : own(after);
            // Asked only where the distance leaves it open: a loss shown as -1 may be mate, or one
            // ply from a zeroing move.
            const bool mated =
                v.wdl < Wdl::Draw && v.dtz >= -1 && after.in_check() && !count_legal_moves(after);
            best.add(v, zeroing, mated);
            const Wdl mine = static_cast<Wdl>(-static_cast<int>(v.wdl));
            bound = std::max(bound, mine);
            if (zeroing) bound_zeroing = std::max(bound_zeroing, mine);
        }
        const bool in_check = position->in_check();
        tally.report.mates += moves.empty() && in_check;
        tally.report.stalemates += moves.empty() && !in_check;

        const Value expected = best.value(in_check), found = table_.value(side_to_move, cell);
        bool right = !found.stalemate || expected.stalemate;
        if (with_dtz_)
            right = right && found.dtz == expected.dtz;
        else
            right = right && found.dtz == 0;
        if (with_dtz_ || moves.empty())
            right = right && found.wdl == expected.wdl;
        else
            right = right && may_be(found.wdl, bound, bound_zeroing);
        right = right && found.dtm == (with_dtm_ ? expected.dtm : 0);
        if (with_wdl75_) right = right && found.wdl75 == expected.wdl75;
        if (with_dtz75_) right = right && found.dtz75 == expected.dtz75;
        if (with_winnable_)
            right = right && agree(found.dth_mates, expected.dth_mates) &&
                    agree(found.dth_mated, expected.dth_mated);
        std::string late;
        if (with_dtm50_ && right) {
            late = fault_with_clock(*position, cell, moves);
            right = late.empty();
        }
        if (right) return true;

        ++tally.report.faults;
        if (tally.met.size() < options_.max_faults)
            tally.met.push_back({place, {to_fen(*position), text(expected), text(found) + late}});
        return true;
    }

    /// Metric::Dtm50 with every clock that is stored and one below: the next one of what a move leads to.
    std::string fault_with_clock(const Position& position, std::uint64_t cell,
                                 const MoveList& moves) const {
        const int limit = table_.limits().claim_at(index_.placement_of(cell));
        struct Reply {
            std::uint64_t cell;        // of a quiet move
            std::optional<int> plies;  // after another
            bool zeroing, mate;
        };
        std::vector<Reply> replies;
        for (const Move m : moves) {
            Position after = position;
            after.play(m);
            Reply r{0, {}, is_zeroing(position, m), false};
            r.mate = after.in_check() && !count_legal_moves(after);
            if (r.mate)
                r.plies = 0;
            else if (r.zeroing)
                r.plies = dtm50(after, lookup_);
            else
                r.cell = index_.index_of(index_.squares_of(after.board(), false));
            replies.push_back(r);
        }
        const Color side = position.side_to_move();
        for (int clock = std::max(0, table_.first_clock() - 1); clock < limit; ++clock) {
            int win = 0, loss = 0;
            bool holds = moves.empty() && !position.in_check();
            for (const Reply& r : replies) {
                std::optional<int> plies = r.plies;
                if (!r.zeroing && !r.mate && clock + 1 < limit)
                    plies = dtm50(table_, ~side, r.cell, clock + 1);
                if (!plies)
                    holds = true;
                else if (*plies <= 0)
                    win = win ? std::min(win, 1 - *plies) : 1 - *plies;
                else
                    loss = std::max(loss, *plies + 1);
            }
            const std::optional<int> expected = win     ? std::optional(win)
                                                : holds ? std::nullopt
                                                        : std::optional(-loss);
            const std::optional<int> found = dtm50(table_, side, cell, clock);
            if (found == expected) continue;
            const auto say = [](const std::optional<int>& n) {
                return n ? std::to_string(*n) : std::string("none");
            };
            return ", dtm50 with clock " + std::to_string(clock) + " is " + say(found) + ", not " +
                   say(expected);
        }
        return {};
    }

    /// Of a position of this endgame, without rights: probe() would look for its table first.
    Value own(const Position& position) const {
        return table_.value(position.side_to_move(),
                            index_.index_of(index_.squares_of(position.board(), false)));
    }

    /// WDL alone: a quiet move may cost what the rule leaves of a win or a loss, never its sign.
    static bool may_be(Wdl found, Wdl best_move, Wdl best_zeroing) {
        switch (best_move) {
            case Wdl::Win:
                return found == Wdl::Win || (found == Wdl::CursedWin && best_zeroing != Wdl::Win);
            case Wdl::CursedWin: return found == Wdl::CursedWin;
            case Wdl::Draw: return found == Wdl::Draw;
            case Wdl::BlessedLoss: return found == Wdl::BlessedLoss;
            default: return found == Wdl::Loss || found == Wdl::BlessedLoss;
        }
    }

    /// Without lengths of helpmates, only whether there are any.
    bool agree(int found, int expected) const {
        return with_dth_ ? found == expected : (found < 0) == (expected < 0);
    }

    std::string text(const Value& v) const {
        std::string s = "wdl " + std::to_string(static_cast<int>(v.wdl));
        if (with_dtz_) s += ", dtz " + std::to_string(v.dtz);
        if (with_dtm_) s += ", dtm " + std::to_string(v.dtm);
        if (with_wdl75_) s += ", wdl75 " + std::to_string(static_cast<int>(v.wdl75));
        if (with_dtz75_) s += ", dtz75 " + std::to_string(v.dtz75);
        if (with_winnable_)
            s += ", dth " + std::to_string(v.dth_mates) + " and " + std::to_string(v.dth_mated);
        return v.stalemate ? s + ", stalemate" : s;
    }

    VerifyReport summed(std::vector<Tally>& tallies) const {
        VerifyReport sum;
        std::vector<Met> met;
        for (Tally& t : tallies) {
            sum.positions += t.report.positions;
            sum.mates += t.report.mates;
            sum.stalemates += t.report.stalemates;
            sum.faults += t.report.faults;
            std::move(t.met.begin(), t.met.end(), std::back_inserter(met));
        }
        // Stretches are handed out in order, so that each thread has kept the first it met.
        std::sort(met.begin(), met.end(),
                  [](const Met& a, const Met& b) { return a.place < b.place; });
        if (met.size() > options_.max_faults) met.resize(options_.max_faults);
        for (Met& m : met) sum.first_faults.push_back(std::move(m.fault));
        return sum;
    }

    const Values& table_;
    const Index& index_;
    const Lookup lookup_;
    const VerifyOptions& options_;
    const bool with_dtz_, with_dtm_, with_wdl75_, with_dtz75_, with_dth_, with_dtm50_,
        with_winnable_;
};

}  // namespace

VerifyReport verify(const Values& table, const Lookup& smaller, const VerifyOptions& options) {
    return Verifier(table, smaller, options).run();
}

}  // namespace mansuba::tablebase

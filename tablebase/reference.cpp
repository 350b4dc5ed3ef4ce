#include "tablebase/reference.hpp"

#include <algorithm>
#include <exception>
#include <omp.h>
#include <vector>

#include "core/error.hpp"
#include "core/movegen.hpp"

namespace mansuba::tablebase::reference {
namespace {

constexpr Color kColors[] = {Color::White, Color::Black};
constexpr int kNever = 1 << 20;

using Codes = DtmCode<std::uint16_t>;

/// What the moves that leave a placement come to: values that are known beforehand.
struct Known {
    int wins_at = kNever;  // the fewest plies in which one of them wins
    int loses_at = 0;      // the plies after which all of them have lost; 0 without such moves
    void win(int plies) { wins_at = std::min(wins_at, plies); }
    void lose(int plies) { loses_at = std::max(loses_at, plies); }
};

/// 4096 positions of a side and their moves.
struct Chunk {
    enum Kind : std::uint8_t { Illegal, Stalemate, Mate, CanMove };
    std::vector<Kind> kind;
    std::vector<Known> to_zeroing, to_mate;
    // The moves of position i that stay lead to target[first[i]] up to target[first[i + 1]], cells
    // of the placement with the other side to move.
    std::vector<std::uint32_t> first, target;
};

/// Plies until it is over; 0: undecided, n > 0: won in n, n < 0: lost in -n - 1.
using Outcomes = std::vector<std::int16_t>;
bool won_before(int outcome, int ply) { return outcome > 0 && outcome < ply; }

class Placement {
public:
    Placement(Table& table, const Lookup& lookup, std::uint32_t number, int threads)
        : table_(table),
          lookup_(lookup),
          rule_plies_(table.built_for.claim_at(number)),
          chunks_per_side_(table.index.blocks_per_placement()),
          first_cell_(number * chunks_per_side_ << 12),
          threads_(threads) {}

    void solve() {
        list_moves();
        turn_moves_round();
        iterate(&Chunk::to_mate);
        store([this](std::size_t side, std::uint64_t cell, Chunk::Kind kind, int outcome) {
            std::uint16_t code = Codes::kDraw;
            if (kind == Chunk::Illegal) code = Codes::kIllegal;
            if (kind == Chunk::Stalemate) code = Codes::kStalemate;
            if (outcome) code = static_cast<std::uint16_t>(outcome > 0 ? outcome : -outcome - 1);
            table_.dtm[side].as<std::uint16_t>()[cell] = code;
        });
        iterate(&Chunk::to_zeroing);
        store([this](std::size_t side, std::uint64_t cell, Chunk::Kind kind, int outcome) {
            const int plies = outcome > 0 ? outcome : outcome < 0 ? -outcome - 1 : 0;
            const bool by_rule = plies > rule_plies_;
            std::uint8_t code = wdl_code::kDraw;
            if (kind == Chunk::Illegal) code = wdl_code::kIllegal;
            if (kind == Chunk::Stalemate) code = wdl_code::kStalemate;
            if (outcome > 0) code = by_rule ? wdl_code::kCursedWin : wdl_code::kWin;
            if (outcome < 0) code = by_rule ? wdl_code::kBlessedLoss : wdl_code::kLoss;
            table_.wdl[side].as<std::uint8_t>()[cell] = code;
            table_.dtz[side].as<std::uint16_t>()[cell] = static_cast<std::uint16_t>(plies);
        });
    }

private:
    /// Calls work(side, chunk) for all; exceptions come out.
    template <class Work>
    void for_chunks(const Work& work) const {
        std::exception_ptr error;
        const std::uint64_t n = 2 * chunks_per_side_;
#pragma omp parallel for schedule(dynamic) num_threads(threads_) if (threads_ > 1)
        for (std::uint64_t i = 0; i < n; ++i) try {
                work(static_cast<std::size_t>(i & 1), i >> 1);
            } catch (...) {
#pragma omp critical(mansuba_reference_error)
                error = std::current_exception();
            }
        if (error) std::rethrow_exception(error);
    }

    void list_moves() {
        for (auto& side : chunks_) side.resize(chunks_per_side_);
        for_chunks([this](std::size_t side, std::uint64_t number) {
            Chunk& chunk = chunks_[side][number];
            chunk.kind.assign(4096, Chunk::Illegal);
            chunk.to_zeroing.resize(4096);
            chunk.to_mate.resize(4096);
            for (std::size_t i = 0; i < 4096; ++i) {
                chunk.first.push_back(static_cast<std::uint32_t>(chunk.target.size()));
                const auto position =
                    position_at(table_.index, kColors[side], first_cell_ + (number << 12) + i);
                if (position) add_moves(*position, chunk, i);
            }
            chunk.first.push_back(static_cast<std::uint32_t>(chunk.target.size()));
        });
    }

    void add_moves(const Position& position, Chunk& chunk, std::size_t i) const {
        const MoveList moves = legal_moves(position);
        chunk.kind[i] = Chunk::CanMove;
        if (moves.empty()) chunk.kind[i] = position.in_check() ? Chunk::Mate : Chunk::Stalemate;
        Known &to_zeroing = chunk.to_zeroing[i], &to_mate = chunk.to_mate[i];
        for (const Move m : moves) {
            Position after = position;
            after.play(m);
            if (!is_zeroing(position, m)) {
                const std::uint64_t cell =
                    table_.index.cell(table_.index.squares_of(after.board(), false));
                chunk.target.push_back(static_cast<std::uint32_t>(cell - first_cell_));
                continue;
            }
            const Value v = probe(after, lookup_);
            switch (v.wdl) {
                case Wdl::Loss: to_zeroing.win(1); break;
                case Wdl::BlessedLoss: to_zeroing.win(rule_plies_ + 1); break;
                case Wdl::Draw: to_zeroing.lose(kNever); break;
                case Wdl::CursedWin: to_zeroing.lose(rule_plies_ + 1); break;
                case Wdl::Win: to_zeroing.lose(1); break;
            }
            if (v.wdl < Wdl::Draw)
                to_zeroing.lose(kNever), to_mate.lose(kNever), to_mate.win(-v.dtm + 1);
            else
                to_mate.lose(v.wdl > Wdl::Draw ? v.dtm + 1 : kNever);
        }
    }

    /// For every cell, which cells of the other side have a move to it.
    void turn_moves_round() {
        for (std::size_t side = 0; side < 2; ++side) {
            std::vector<std::uint64_t>& first = before_[side].first;
            first.assign((chunks_per_side_ << 12) + 1, 0);
            for (const Chunk& chunk : chunks_[1 - side])
                for (const std::uint32_t t : chunk.target) ++first[t + 1];
            for (std::size_t c = 1; c < first.size(); ++c) first[c] += first[c - 1];
            std::vector<std::uint32_t>& from = before_[side].from;
            from.resize(first.back());
            std::vector<std::uint64_t> next(first.begin(), first.end() - 1);
            for (std::uint32_t c = 0; c < first.size() - 1; ++c) {
                const Chunk& chunk = chunks_[1 - side][c >> 12];
                for (std::uint32_t t = chunk.first[c & 4095]; t < chunk.first[(c & 4095) + 1]; ++t)
                    from[next[chunk.target[t]]++] = c;
            }
        }
    }

    /// Whether the side to move has lost with this ply: it has moves, and all lead to wins.
    bool all_lose(std::size_t side, std::uint32_t cell, int ply, const Known& known) const {
        const Chunk& chunk = chunks_[side][cell >> 12];
        const std::uint32_t i = cell & 4095;
        if (chunk.kind[i] != Chunk::CanMove || known.loses_at > ply) return false;
        const Outcomes& after = outcomes_[1 - side];
        return std::all_of(chunk.target.begin() + chunk.first[i],
                           chunk.target.begin() + chunk.first[i + 1],
                           [&](std::uint32_t t) { return won_before(after[t], ply); });
    }

    void iterate(std::vector<Known> Chunk::*of_metric) {
        const std::uint64_t cells = chunks_per_side_ << 12;
        std::vector<std::uint32_t> decided[2];  // with the ply before
        std::vector<std::vector<std::uint32_t>>
            due_of[2];  // by ply: known values count from then on
        for (std::size_t side = 0; side < 2; ++side) {
            outcomes_[side].assign(cells, 0);
            for (std::uint32_t c = 0; c < cells; ++c) {
                const Chunk& chunk = chunks_[side][c >> 12];
                if (chunk.kind[c & 4095] == Chunk::Mate) {
                    outcomes_[side][c] = -1;
                    decided[side].push_back(c);
                }
                const Known& known = (chunk.*of_metric)[c & 4095];
                for (const int plies : {known.wins_at, known.loses_at}) {
                    if (plies >= kNever) continue;
                    auto& by_ply = due_of[side];
                    if (by_ply.size() <= static_cast<std::size_t>(plies))
                        by_ply.resize(static_cast<std::size_t>(plies) + 1);
                    if (plies > 0) by_ply[static_cast<std::size_t>(plies)].push_back(c);
                }
            }
        }
        const auto last_due = std::max(due_of[0].size(), due_of[1].size());
        for (int ply = 1;
             !decided[0].empty() || !decided[1].empty() || static_cast<std::size_t>(ply) < last_due;
             ++ply) {
            // Only where a move leads to what was decided last, or where a known value counts from
            // now on, can anything change.
            std::vector<std::uint32_t> news[2];
            std::vector<int> outcomes[2];
            for (std::size_t side = 0; side < 2; ++side) {
                if (static_cast<std::size_t>(ply) < due_of[side].size())
                    news[side] = due_of[side][static_cast<std::size_t>(ply)];
                std::vector<bool> leads_to_loss(news[side].size());
                const Before& before = before_[1 - side];
                for (const std::uint32_t c : decided[1 - side]) {
                    news[side].insert(news[side].end(), before.from.begin() + before.first[c],
                                      before.from.begin() + before.first[c + 1]);
                    leads_to_loss.resize(news[side].size(), outcomes_[1 - side][c] < 0);
                }
                outcomes[side].resize(news[side].size());
                const std::size_t n = news[side].size();
#pragma omp parallel for schedule(dynamic, 4096) num_threads(threads_) if (threads_ > 1)
                for (std::size_t i = 0; i < n; ++i) {
                    const std::uint32_t cell = news[side][i];
                    if (outcomes_[side][cell]) continue;
                    const Known& known = (chunks_[side][cell >> 12].*of_metric)[cell & 4095];
                    if (leads_to_loss[i] || known.wins_at <= ply)
                        outcomes[side][i] = ply;
                    else if (all_lose(side, cell, ply, known))
                        outcomes[side][i] = -ply - 1;
                }
            }
            for (std::size_t side = 0; side < 2; ++side) {
                decided[side].clear();
                for (std::size_t i = 0; i < news[side].size(); ++i) {
                    std::int16_t& outcome = outcomes_[side][news[side][i]];
                    if (outcome || !outcomes[side][i]) continue;  // a cell may be news twice
                    outcome = static_cast<std::int16_t>(outcomes[side][i]);
                    decided[side].push_back(news[side][i]);
                }
            }
        }
    }

    template <class Store>
    void store(const Store& put) const {
        for_chunks([&](std::size_t side, std::uint64_t number) {
            for (std::size_t i = 0; i < 4096; ++i) {
                const std::uint64_t c = (number << 12) + i;
                put(side, first_cell_ + c, chunks_[side][number].kind[i], outcomes_[side][c]);
            }
        });
    }

    Table& table_;
    const Lookup& lookup_;
    const int rule_plies_;
    const std::uint64_t chunks_per_side_, first_cell_;
    const int threads_;
    std::vector<Chunk> chunks_[2];  // by side to move
    struct Before {
        std::vector<std::uint64_t> first;  // of `from`, by cell
        std::vector<std::uint32_t> from;
    } before_[2];
    Outcomes outcomes_[2];
};

}  // namespace

Table generate(const Material& material, const Lookup& smaller, const Options& options) {
    Table table(material);
    table.built_for = options.limits;
    const std::uint64_t cells = table.index.cells();
    for (std::size_t side = 0; side < 2; ++side) {
        table.wdl[side] = Numbers(cells, false);
        table.dtz[side] = Numbers(cells, true);
        table.dtm[side] = Numbers(cells, true);
    }
    // Pawn moves are looked up in what is built already of this very table.
    const Lookup lookup = [&](const Material& m) -> const Values* {
        return m == material ? &table : smaller(m);
    };
    const int threads = options.threads > 0 ? options.threads : omp_get_max_threads();
    const PawnPlacements& placements = table.index.pawns();
    const bool many = placements.size() > 1;
    for (std::uint32_t first = 0; first < placements.size();) {
        // Placements with as many steps left do not lead to each other.
        std::uint32_t last = first + 1;
        while (last < placements.size() &&
               placements.steps_left(last) == placements.steps_left(first))
            ++last;
        std::exception_ptr error;
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (many)
        for (std::uint32_t p = first; p < last; ++p) try {
                Placement(table, lookup, p, many ? 1 : threads).solve();
            } catch (...) {
#pragma omp critical(mansuba_reference_error)
                error = std::current_exception();
            }
        if (error) std::rethrow_exception(error);
        first = last;
    }
    return table;
}

}  // namespace mansuba::tablebase::reference

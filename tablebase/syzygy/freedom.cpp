#include "tablebase/syzygy/freedom.hpp"

#include <algorithm>
#include <omp.h>
#include <optional>
#include <vector>

#include "core/attacks.hpp"
#include "core/error.hpp"
#include "tablebase/source.hpp"

namespace mansuba::tablebase::syzygy {
namespace {

using namespace wdl_code;

constexpr PieceType kPromotions[] = {PieceType::Queen, PieceType::Rook, PieceType::Bishop,
                                     PieceType::Knight};
constexpr Bitboard kLastRanks = 0xff000000000000ff;

/// Squares that a man on s attacks.
Bitboard attacks(Piece man, Square s, Bitboard occupied) {
    switch (man.type) {
        case PieceType::Pawn: return pawn_attacks(man.color, s);
        case PieceType::Knight: return knight_attacks(s);
        case PieceType::Bishop: return HyperbolaSliders::bishop(s, occupied);
        case PieceType::Rook: return HyperbolaSliders::rook(s, occupied);
        case PieceType::Queen:
            return HyperbolaSliders::bishop(s, occupied) | HyperbolaSliders::rook(s, occupied);
        default: return king_attacks(s);
    }
}

/// Eight bytes for eight bits: 255 where one is set.
constexpr auto kBytesOfBits = [] {
    std::array<std::array<std::uint8_t, 8>, 256> all{};
    for (std::size_t bits = 0; bits < 256; ++bits)
        for (std::size_t i = 0; i < 8; ++i) all[bits][i] = bits >> i & 1 ? 255 : 0;
    return all;
}();

/// The best result of some moves from each of 64 cells: 1 + its wdl_code; kNone where there is no such
/// move. Its loops have no branches, so that compilers make vectors of them.
struct Best {
    static constexpr std::uint8_t kNone = 0;
    std::array<std::uint8_t, 64> result;

    Best() { result.fill(kNone); }
    /// A move from the cells of `from` to positions with these codes, of the other side.
    void add(Bitboard from, const std::uint8_t* codes) {
        std::array<std::uint8_t, 64> moves;
        for (std::size_t i = 0; i < 64; i += 8)
            std::copy_n(kBytesOfBits[from >> i & 255].begin(), 8, &moves[i]);
        for (std::size_t i = 0; i < 64; ++i) {
            const auto r = static_cast<std::uint8_t>(worth(codes[i]) & moves[i]);
            result[i] = std::max(result[i], r);
        }
    }
    void add(Bitboard from, std::uint8_t code) {
        const std::uint8_t r = worth(code);
        while (from) {
            std::uint8_t& to = result[static_cast<std::size_t>(pop_lowest(from))];
            to = std::max(to, r);
        }
    }

private:
    static std::uint8_t worth(std::uint8_t code) {
        const auto others = static_cast<std::uint8_t>(code == kStalemate ? 1 + kDraw : kNone);
        return code <= kWin ? static_cast<std::uint8_t>(1 + kWin - code) : others;
    }
};

/// What find_needs() says of 64 cells with these codes, of which captures give `captured`, and all
/// zeroing moves `moved`.
void put_needs(const std::uint8_t* codes, const Best& captured, const Best& moved, Need* out) {
    for (std::size_t i = 0; i < 64; ++i) {
        const std::uint8_t code = codes[i];
        const std::uint8_t result = code == kStalemate ? std::uint8_t{kDraw} : code;
        std::uint8_t same = 0, upto = 0;  // bits of results
        for (std::uint8_t r = 0; r <= kWin; ++r) {
            same |= static_cast<std::uint8_t>(result == r ? 1 << r : 0);
            upto |= static_cast<std::uint8_t>(result >= r ? 1 << r : 0);
        }
        // What a capture gives is found by looking at captures: nothing above it may be stored, but
        // anything else. Of no position (all of upto) anything may.
        const bool given = captured.result[i] > result || code == kIllegal;
        const std::uint8_t may = given ? upto : same;
        const bool wins = code == kWin || code == kCursedWin;
        const bool free = code >= kStalemate || code == kDraw || (wins && moved.result[i] > code);
        const std::uint8_t dtz_of = free ? std::uint8_t{kDraw} : code;
        out[i] = Need(may, dtz_of);
    }
}

/// The zeroing moves of one side, for rows of 64 cells.
class ZeroingMoves {
public:
    ZeroingMoves(const tablebase::Table& table, Color us, const Smaller& smaller)
        : index_(table.index), us_(us), bit_man_(index_.axes().back()) {
        const auto men = index_.men();
        const auto look_up = [&](const Material& m) {
            return m.men() == 2 ? nullptr : smaller(m.normalized());
        };
        const auto source = [&](std::vector<int> gone, const Piece* put) {
            Material m = index_.material();
            for (const int g : gone) {
                const Piece man = men[static_cast<std::size_t>(g)];
                m = m.without(man.color, man.type);
            }
            if (put) m = m.with(put->color, put->type);
            return Source(index_, gone, put, look_up(m));
        };
        for (int a = 0; a < static_cast<int>(men.size()); ++a) {
            const Piece attacker = men[static_cast<std::size_t>(a)];
            if (attacker.color != us) continue;
            const bool pawn = attacker.type == PieceType::Pawn;
            for (int v = Index::kFirstPawn; v < static_cast<int>(men.size()); ++v) {
                if (men[static_cast<std::size_t>(v)].color == us) continue;
                captures_.push_back({a, v, attacker, source({v}, nullptr), {}});
                if (pawn)
                    for (const PieceType t : kPromotions) {
                        const Piece put{us, t};
                        captures_.back().promotions.push_back(source({a, v}, &put));
                    }
            }
            if (!pawn) continue;
            Push push{a, Source(index_, {}, nullptr, &table), source({a}, nullptr), {}};
            for (const PieceType t : kPromotions) {
                const Piece put{us, t};
                push.promotions.push_back(source({a}, &put));
            }
            pushes_.push_back(std::move(push));
        }
        for (int v = Index::kFirstPawn; v < index_.first_other(); ++v)
            if (men[static_cast<std::size_t>(v)].color != us) their_pawns_.push_back(v);
    }

    /// Of the row of cells that differ in the last man's square only.
    void add_captures(Squares squares, Best& best) const {
        const Bitboard fixed = occupied_without_bit_man(squares);
        for (const Capture& c : captures_) {
            const auto a = static_cast<std::size_t>(c.attacker),
                       v = static_cast<std::size_t>(c.victim);
            const Square from = squares[a], at = squares[v];
            if (c.attacker == bit_man_) {
                const Bitboard starts = attacks(c.man, at, fixed);  // never a pawn
                Squares after = squares;
                after[a] = squares[v];
                best.add(starts, c.source.wdl_at(after, ~us_));
            } else if (c.victim == bit_man_) {
                const Bitboard targets = attacks(c.man, from, fixed) & ~fixed;
                if (c.man.type == PieceType::Pawn) {
                    for (Bitboard t = targets; t;) {
                        const Square to = pop_lowest(t);
                        Squares after = squares;
                        if (bit(to) & kLastRanks) {
                            after[Source::kNewMan] = static_cast<std::int8_t>(to);
                            for (const Source& s : c.promotions)
                                best.add(bit(to), s.wdl_at(after, ~us_));
                        } else {
                            after[a] = static_cast<std::int8_t>(to);
                            best.add(bit(to), c.source.wdl_at(after, ~us_));
                        }
                    }
                } else if (targets) {
                    std::array<std::uint8_t, 64> codes;
                    c.source.wdl(squares, c.attacker, ~us_, codes.data());
                    best.add(targets, codes.data());
                }
            } else if (attacks(c.man, from, fixed) & bit(at)) {
                const bool slides =
                    c.man.type != PieceType::Knight && c.man.type != PieceType::Pawn;
                const Bitboard starts = slides ? ~squares_to(from, at) : ~Bitboard{0};
                Squares after = squares;
                std::array<std::uint8_t, 64> codes;
                if (c.man.type == PieceType::Pawn && (bit(at) & kLastRanks)) {
                    after[Source::kNewMan] = squares[v];
                    for (const Source& s : c.promotions) {
                        s.wdl(after, bit_man_, ~us_, codes.data());
                        best.add(starts, codes.data());
                    }
                } else {
                    after[a] = squares[v];
                    c.source.wdl(after, bit_man_, ~us_, codes.data());
                    best.add(starts, codes.data());
                }
            }
        }
    }

    void add_pushes(Squares squares, Best& best) const {
        const Bitboard fixed = occupied_without_bit_man(squares);
        const int forward = us_ == Color::White ? 8 : -8;
        for (const Push& p : pushes_) {
            const auto pawn = static_cast<std::size_t>(p.pawn);
            const Square from = squares[pawn], one = from + forward;
            if (fixed & bit(one)) continue;
            std::array<std::uint8_t, 64> codes;
            Squares after = squares;
            if (bit(one) & kLastRanks) {
                after[Source::kNewMan] = static_cast<std::int8_t>(one);
                for (const Source& s : p.promotions) {
                    s.wdl(after, bit_man_, ~us_, codes.data());
                    best.add(~bit(one), codes.data());
                }
                continue;
            }
            after[pawn] = static_cast<std::int8_t>(one);
            p.own.wdl(after, bit_man_, ~us_, codes.data());
            best.add(~bit(one), codes.data());

            const Square two = one + forward;
            if (rank_of(from) != (us_ == Color::White ? 1 : 6) || (fixed & bit(two))) continue;
            after[pawn] = static_cast<std::int8_t>(two);
            p.own.wdl(after, bit_man_, ~us_, codes.data());
            for (const int e : their_pawns_) {
                const auto enemy = static_cast<std::size_t>(e);
                if (!(pawn_attacks(~us_, squares[enemy]) & bit(one))) continue;
                // They may answer en passant, and will if it is better for them.
                Squares taken = after;
                taken[enemy] = static_cast<std::int8_t>(one);
                std::array<std::uint8_t, 64> ours;
                p.without.wdl(taken, bit_man_, us_, ours.data());
                for (std::size_t i = 0; i < 64; ++i)
                    if (ours[i] <= kWin && codes[i] <= kWin)
                        codes[i] = std::max(codes[i], static_cast<std::uint8_t>(kWin - ours[i]));
            }
            best.add(~(bit(one) | bit(two)), codes.data());
        }
    }

private:
    struct Capture {
        int attacker, victim;
        Piece man;
        Source source;
        std::vector<Source> promotions;
    };
    struct Push {
        int pawn;
        Source own, without;  // within the endgame; and after the pawn was taken
        std::vector<Source> promotions;
    };

    Bitboard occupied_without_bit_man(const Squares& squares) const {
        Bitboard occupied = 0;
        for (std::size_t i = 0; i < index_.men().size(); ++i)
            if (static_cast<int>(i) != bit_man_) occupied |= bit(squares[i]);
        return occupied;
    }

    const Index& index_;
    Color us_;
    int bit_man_;
    std::vector<Capture> captures_;
    std::vector<Push> pushes_;
    std::vector<int> their_pawns_;
};

}  // namespace

Needs find_needs(const tablebase::Table& table, Color side_to_move, const Smaller& smaller,
                 int threads, const std::atomic<bool>* stop) {
    const Index& index = table.index;
    const ZeroingMoves moves(table, side_to_move, smaller);
    const std::uint8_t* const results =
        table.wdl[static_cast<std::size_t>(side_to_move)].as<std::uint8_t>();
    Needs needs(index.cells());
    Need* const out = needs.data();
    if (threads <= 0) threads = omp_get_max_threads();
    bool stopped = false;
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads) if (threads > 1)
    for (std::uint64_t block = 0; block < index.blocks(); ++block) {
        if (stop && stop->load(std::memory_order_relaxed)) {
#pragma omp atomic write
            stopped = true;
            continue;
        }
        for (std::uint64_t first = block << 12; first < (block + 1) << 12; first += 64) {
            const std::uint8_t* const codes = results + first;
            if (std::all_of(codes, codes + 64, [](std::uint8_t c) { return c == kIllegal; })) {
                std::fill(out + first, out + first + 64, Need::nothing());
                continue;
            }
            const Squares squares = index.position_at(first);
            Best best;
            moves.add_captures(squares, best);
            const Best captured = best;
            bool distances = false;
            for (std::size_t i = 0; i < 64; ++i)
                distances |=
                    (codes[i] == kWin || codes[i] == kCursedWin) && captured.result[i] <= codes[i];
            if (distances) moves.add_pushes(squares, best);
            put_needs(codes, captured, best, out + first);
        }
    }
    if (stopped) throw Error(ErrorCode::Interrupted, "stopped");
    return needs;
}

}  // namespace mansuba::tablebase::syzygy

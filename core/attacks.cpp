#include "core/attacks.hpp"

#include <cstdlib>
#include <memory>

namespace mansuba {
namespace {

constexpr bool on_board(int file, int rank) {
    return file >= 0 && file < 8 && rank >= 0 && rank < 8;
}

struct Step {
    int file, rank;
};
constexpr std::array<Step, 8> kKingSteps{
    {{0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}, {-1, 0}, {-1, 1}}};
constexpr std::array<Step, 8> kKnightSteps{
    {{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}}};

/// The squares from s along one direction, up to and including the first occupied one.
constexpr Bitboard ray(Square s, Step step, Bitboard occ) {
    Bitboard squares = 0;
    int file = file_of(s) + step.file, rank = rank_of(s) + step.rank;
    for (; on_board(file, rank); file += step.file, rank += step.rank) {
        squares |= bit(make_square(file, rank));
        if (occ & bit(make_square(file, rank))) break;
    }
    return squares;
}

template <std::size_t N>
constexpr Bitboard leap(Square s, const std::array<Step, N>& steps) {
    Bitboard squares = 0;
    for (const Step step : steps) {
        const int file = file_of(s) + step.file, rank = rank_of(s) + step.rank;
        if (on_board(file, rank)) squares |= bit(make_square(file, rank));
    }
    return squares;
}

constexpr detail::LeaperTables make_leapers() {
    detail::LeaperTables t{};
    for (Square s = 0; s < 64; ++s) {
        t.knight[s] = leap(s, kKnightSteps);
        t.king[s] = leap(s, kKingSteps);
        t.pawn[0][s] = leap(s, std::array<Step, 2>{{{-1, 1}, {1, 1}}});
        t.pawn[1][s] = leap(s, std::array<Step, 2>{{{-1, -1}, {1, -1}}});
    }
    return t;
}

constexpr detail::LineTables make_lines() {
    detail::LineTables t{};
    for (Square a = 0; a < 64; ++a) {
        for (std::size_t d = 0; d < 8; ++d) {
            const Step step = kKingSteps[d];
            const Bitboard squares = ray(a, step, 0);
            (d % 2 == 0 ? t.rook : t.bishop)[a] |= squares;
            if (d == 0 || d == 4) t.file[a] |= squares;
            if (d == 1 || d == 5) t.diagonal[a] |= squares;
            if (d == 3 || d == 7) t.antidiagonal[a] |= squares;
        }
        for (Square b = 0; b < 64; ++b) t.to[a][b] = bit(b);
        for (const Step step : kKingSteps) {
            Bitboard so_far = 0;
            int file = file_of(a) + step.file, rank = rank_of(a) + step.rank;
            for (; on_board(file, rank); file += step.file, rank += step.rank) {
                const Square b = make_square(file, rank);
                so_far |= bit(b);
                t.to[a][b] = so_far;
                t.beyond[a][b] = ray(b, step, 0);
            }
        }
    }
    for (Square file = 0; file < 8; ++file)
        for (unsigned inner = 0; inner < 64; ++inner)
            t.rank[file][inner] = static_cast<std::uint8_t>(
                ray(file, {1, 0}, Bitboard{inner} << 1) | ray(file, {-1, 0}, Bitboard{inner} << 1));
    return t;
}

/// The files from a to b, both included.
constexpr unsigned files_between(int a, int b) {
    unsigned files = 0;
    for (int f = a < b ? a : b; f <= (a < b ? b : a); ++f) files |= 1u << f;
    return files;
}

constexpr detail::CastlingTable make_castling() {
    detail::CastlingTable t{};
    for (int king = 0; king < 8; ++king)
        for (int rook = 0; rook < 8; ++rook) {
            if (king == rook) continue;
            const bool kingside = rook > king;
            const unsigned walk = files_between(king, kingside ? 6 : 2);
            const unsigned way = walk | files_between(rook, kingside ? 5 : 3);
            t.clear[king][rook] = static_cast<std::uint8_t>(way & ~(1u << king | 1u << rook));
            t.safe[king][rook] = static_cast<std::uint8_t>(walk & ~(1u << king));
        }
    return t;
}

/// The squares whose occupancy matters to a slider on s: its lines without their last squares.
constexpr Bitboard inner_lines(Square s, std::size_t first_direction) {
    Bitboard squares = 0;
    for (std::size_t d = first_direction; d < 8; d += 2) {
        Bitboard line = ray(s, kKingSteps[d], 0);
        const Step step = kKingSteps[d];
        int file = file_of(s), rank = rank_of(s);
        while (on_board(file + step.file, rank + step.rank)) file += step.file, rank += step.rank;
        if (line) line &= ~bit(make_square(file, rank));
        squares |= line;
    }
    return squares;
}

using Attacks = Bitboard (*)(Square, Bitboard);

/// Fills one piece's part of the table; a subset of the mask, in counting order, is its own PEXT
/// index, so no PEXT instruction is needed here.
Bitboard* fill(std::array<PextTable::Entry, 64>& entries, std::size_t first_direction,
               Attacks attacks, Bitboard* out) {
    for (Square s = 0; s < 64; ++s) {
        const Bitboard mask = inner_lines(s, first_direction);
        entries[s] = {mask, out};
        Bitboard subset = 0;
        do {
            *out++ = attacks(s, subset);
            subset = (subset - mask) & mask;
        } while (subset != 0);
    }
    return out;
}

constexpr std::size_t kPextEntries = 102400 + 5248;  // rooks + bishops, over all squares
alignas(64) std::array<Bitboard, kPextEntries> pext_attacks;

PextTable make_pext_table() {
    PextTable t{};
    Bitboard* out = pext_attacks.data();
    out = fill(t.rook, 0, HyperbolaSliders::rook, out);
    fill(t.bishop, 1, HyperbolaSliders::bishop, out);
    return t;
}

}  // namespace

namespace detail {
constinit const LeaperTables kLeapers = make_leapers();
constinit const LineTables kLines = make_lines();
constinit const CastlingTable kCastling = make_castling();
}  // namespace detail

const PextTable kPextTable = make_pext_table();

}  // namespace mansuba

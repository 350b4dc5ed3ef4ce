#include "tablebase/helpmate.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <unordered_set>
#include <vector>

#include "core/attacks.hpp"
#include "core/material.hpp"
#include "core/movegen.hpp"

namespace mansuba::tablebase {
namespace {

struct BoardHash {
    std::size_t operator()(const Board& b) const {
        std::uint64_t h = 0;
        for (const std::uint64_t word : {b.plane0, b.plane1, b.plane2, b.black}) {
            h = (h ^ word) * 0x9e3779b97f4a7c15;
            h ^= h >> 32;
        }
        return h;
    }
};

int file_of_square(Square s) { return s & 7; }
int distance(Square a, Square b) {
    return std::max(std::abs(file_of_square(a) - file_of_square(b)), std::abs(a / 8 - b / 8));
}

/// How far a position looks from a mate by `winner`; the less, the nearer. Only the order of the
/// search hangs on it.
int remoteness(const Board& board, Color winner) {
    const Color loser = ~winner;
    const Square king = board.king(loser), hunter = board.king(winner);
    const Bitboard occupied = board.occupied(), own = board.of(winner);
    int score = 0;
    // Squares left to the king.
    Bitboard around = king_attacks(king) & ~board.of(loser);
    while (around) {
        const Square s = pop_lowest(around);
        score += attackers(board, s, winner, occupied & ~bit(king)) ? 0 : 6;
    }
    score += 4 * std::max(0, distance(king, hunter) - 2);
    // The corner, of the bishops' colour where only they can mate.
    constexpr Bitboard kDark = 0xaa55aa55aa55aa55;
    const bool heavy = board.orthogonal_sliders() & own;
    const Bitboard bishops = board.bishops() & own;
    int corner = 7;
    for (const Square c : {0, 7, 56, 63}) {
        const bool dark = kDark >> c & 1;
        const bool reached =
            heavy || !bishops || (board.knights() & own) || (bishops & (dark ? kDark : ~kDark));
        if (reached) corner = std::min(corner, distance(king, c));
    }
    score += 3 * corner;
    if (!heavy) {
        int steps = 12;
        Bitboard pawns = board.pawns() & own;
        while (pawns) {
            const Square s = pop_lowest(pawns);
            steps = std::min(steps, winner == Color::White ? 7 - s / 8 : s / 8);
        }
        const int minors = popcount(own & ~board.kings() & ~board.pawns());
        score += 5 * std::min(steps, minors > 1 ? 4 : 12);
        // Few men mate a king in its corner, by a man of its own that takes a square from it.
        if (minors) {
            score += 3 * corner;
            int blocker = 7;
            Bitboard men = board.of(loser) & ~board.kings();
            while (men) blocker = std::min(blocker, distance(king, pop_lowest(men)));
            score += 2 * blocker;
        }
    }
    // Men who could step in between or take.
    score += 3 * popcount(board.of(loser) & board.orthogonal_sliders());
    return score;
}

class Search {
public:
    Search(Color winner, std::uint64_t limit) : winner_(winner), limit_(limit) {}

    std::optional<bool> run(const Position& root) {
        if (!add(root, 0)) return true;
        for (std::size_t bucket = 0; bucket < kBuckets;) {
            if (waiting_[bucket].empty()) {
                ++bucket;
                continue;
            }
            const Entry entry = waiting_[bucket].back();
            waiting_[bucket].pop_back();
            nearest_ = kBuckets;
            for (const Move m : legal_moves(entry.position)) {
                Position after = entry.position;
                after.play(m);
                if (!add(after, entry.depth + 1)) return true;
            }
            bucket = std::min(bucket, nearest_);
            if (seen_[0].size() + seen_[1].size() > limit_) return std::nullopt;
        }
        return false;
    }

private:
    static constexpr std::size_t kBuckets = 256;
    struct Entry {
        Position position;
        int depth;
    };

    /// False if the position is the mate looked for.
    bool add(const Position& p, int depth) {
        const Board& board = p.board();
        if (insufficient_to_mate(board, winner_)) return true;
        if (!seen_[static_cast<std::size_t>(p.side_to_move())].insert(board).second) return true;
        if (p.side_to_move() != winner_ && p.in_check() && count_legal_moves(p) == 0) return false;
        const int score = remoteness(board, winner_) + depth / 2;
        const auto bucket = std::min(static_cast<std::size_t>(std::max(score, 0)), kBuckets - 1);
        waiting_[bucket].push_back({p, depth});
        nearest_ = std::min(nearest_, bucket);
        return true;
    }

    Color winner_;
    std::uint64_t limit_;
    std::array<std::unordered_set<Board, BoardHash>, 2> seen_;  // by side to move
    std::array<std::vector<Entry>, kBuckets> waiting_;
    std::size_t nearest_ = 0;
};

}  // namespace

std::optional<bool> can_mate(const Position& position, Color winner, std::uint64_t positions) {
    if (count_legal_moves(position) == 0)
        return position.in_check() && position.side_to_move() != winner;
    if (insufficient_to_mate(position.board(), winner)) return false;
    return Search(winner, positions).run(position);
}

Winnable winnable(const Position& position, std::uint64_t positions) {
    return {can_mate(position, Color::White, positions),
            can_mate(position, Color::Black, positions)};
}

}  // namespace mansuba::tablebase

#include "perft/frontier.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "core/zobrist.hpp"

namespace mansuba::perft {
namespace {

struct BoardHash {
    Color side_to_move;
    std::size_t operator()(const Board& b) const { return zobrist_key(b, side_to_move); }
};

Frontier root_frontier(const Position& root) {
    Frontier f;
    f.plies = 1;
    f.side_to_move = ~root.side_to_move();
    const MoveList legal = legal_moves(root);
    f.root_moves.assign(legal.begin(), legal.end());
    std::sort(f.root_moves.begin(), f.root_moves.end());
    for (std::size_t i = 0; i < f.root_moves.size(); ++i) {
        Position child = root;
        child.play(f.root_moves[i]);
        f.units.push_back(child.board());
        f.shares.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint16_t>(i), 1});
    }
    return f;
}

/// The frontier one ply further on.
Frontier expand(const Frontier& f, bool merged, const Kernel& kernel) {
    Frontier next;
    next.plies = f.plies + 1;
    next.merged = merged;
    next.side_to_move = ~f.side_to_move;
    next.root_moves = f.root_moves;
    std::unordered_map<Board, std::uint32_t, BoardHash> known(0, BoardHash{next.side_to_move});
    std::size_t first_share = 0;
    for (std::uint32_t unit = 0; unit < f.units.size(); ++unit) {
        std::size_t last_share = first_share;
        while (last_share < f.shares.size() && f.shares[last_share].unit == unit) ++last_share;
        Board children[kMaxMoves];
        const int n = kernel.children(f.units[unit], f.side_to_move, children);
        for (int i = 0; i < n; ++i) {
            auto index = static_cast<std::uint32_t>(next.units.size());
            if (merged) index = known.try_emplace(children[i], index).first->second;
            if (index == next.units.size()) next.units.push_back(children[i]);
            for (std::size_t s = first_share; s < last_share; ++s)
                next.shares.push_back({index, f.shares[s].root_move, f.shares[s].paths});
        }
        first_share = last_share;
    }
    if (merged) {
        const auto key = [](const Share& s) { return std::pair(s.unit, s.root_move); };
        std::sort(next.shares.begin(), next.shares.end(),
                  [&](const Share& a, const Share& b) { return key(a) < key(b); });
        std::size_t kept = 0;
        for (const Share& s : next.shares) {
            if (kept > 0 && key(next.shares[kept - 1]) == key(s))
                next.shares[kept - 1].paths += s.paths;
            else
                next.shares[kept++] = s;
        }
        next.shares.resize(kept);
    }
    return next;
}

}  // namespace

Frontier make_frontier(const Position& root, int plies, bool merged, const Kernel& kernel) {
    Frontier f = root_frontier(root);
    f.merged = merged;
    while (f.plies < plies) f = expand(f, merged, kernel);
    return f;
}

Frontier choose_frontier(const Position& root, int depth, bool merged, int threads,
                         const Kernel& kernel) {
    // A hundred units a thread keep all threads busy to the end; subtrees of more than seven plies
    // would be minutes apart. Two million units are memory and checkpoint enough.
    const std::size_t enough = 128 * static_cast<std::size_t>(threads);
    constexpr int kLargeSubtree = 7;
    constexpr std::size_t kMostUnits = 2'000'000;
    Frontier f = root_frontier(root);
    f.merged = merged;
    while (depth - f.plies > 3 && (f.units.size() < enough || depth - f.plies > kLargeSubtree)) {
        std::size_t children = 0;
        for (const Board& b : f.units)
            children += static_cast<std::size_t>(kernel.count(b, f.side_to_move, 1, {}));
        if (children == 0 || children > kMostUnits) break;
        f = expand(f, merged, kernel);
    }
    return f;
}

}  // namespace mansuba::perft

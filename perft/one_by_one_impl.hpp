// Leaves two plies below a node, one child after the other: the scalar kernels'. Included after
// moves_impl.hpp, inside the same region and namespace. No include guard.

/// Each child's moves are counted, none is made.
template <Color Us>
std::uint64_t count_leaf_parents(const Board& b, const CountContext&) {
    RawMove moves[kMaxMoves];
    const RawMove* end = list_moves<Us>(b, moves);
    const KingHome home = king_home<~Us>(b);
    std::uint64_t count = 0;
    for (const RawMove* m = moves; m != end; ++m) count += count_moves<~Us>(make<Us>(b, *m), home);
    return count;
}

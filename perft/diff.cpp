#include "perft/diff.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core/error.hpp"
#include "core/fen.hpp"
#include "core/movegen.hpp"
#include "core/notation.hpp"
#include "core/reference.hpp"

namespace mansuba::perft {
namespace {

/// A position on the way down, for us and for the engine.
struct Node {
    Position position;
    EnginePosition engine;
};

/// What one divide of both sides shows.
struct Comparison {
    struct Count {
        Move move;
        std::string text;
        Uint128 ours = 0, engine = 0;
    };
    std::vector<std::string> missing, extra;
    std::optional<Count> different;  // the first move in both lists whose counts differ
    Uint128 our_total = 0, engine_total = 0;

    bool lists_agree() const { return missing.empty() && extra.empty(); }
    bool agrees() const { return lists_agree() && !different && our_total == engine_total; }
};

std::string uci(const Node& node, Move move) {
    return format_move(node.position, move, Notation::Uci, node.engine.chess960);
}

Comparison compare(UciEngine& engine, const Node& node, int depth, const Options& options) {
    const Result result = count(node.position, depth, options);
    std::map<std::string, RootMove> ours;
    for (const RootMove& root_move : result.divide)
        ours.emplace(uci(node, root_move.move), root_move);
    const EngineDivide theirs = engine.divide(node.engine, depth);

    Comparison out;
    out.extra = theirs.repeated;
    out.our_total = result.nodes;
    out.engine_total = theirs.total;
    for (const auto& [text, root_move] : ours) {
        const auto it = theirs.moves.find(text);
        if (it == theirs.moves.end())
            out.missing.push_back(text);
        else if (it->second != root_move.nodes && !out.different)
            out.different = {root_move.move, text, root_move.nodes, it->second};
    }
    for (const auto& [text, nodes] : theirs.moves)
        if (!ours.contains(text)) out.extra.push_back(text);
    std::sort(out.extra.begin(), out.extra.end());
    return out;
}

/// Nobody is told that an engine is wrong on the word of one generator.
void verify_moves(const Position& position) {
    const MoveList list = legal_moves(position);
    std::vector<Move> moves(list.begin(), list.end());
    std::sort(moves.begin(), moves.end());
    if (moves != reference::legal_moves(position))
        throw Error(ErrorCode::Internal, "our two move generators do not agree", to_fen(position));
}

Difference difference_at(const Node& node, int depth) {
    Difference difference;
    difference.position = node.position;
    difference.line = node.engine.moves;
    difference.engine_position = position_text(node.engine);
    difference.depth = depth;
    return difference;
}

/// Goes down from a node whose comparison at `depth` does not agree.
Difference descend(UciEngine& engine, Node node, Comparison seen, int depth,
                   const Options& options) {
    for (;;) {
        verify_moves(node.position);
        Difference here = difference_at(node, depth);
        if (!seen.lists_agree()) {
            here.missing = std::move(seen.missing);
            here.extra = std::move(seen.extra);
            return here;
        }
        if (!seen.different) {
            here.miscount = {"", seen.our_total, seen.engine_total};
            return here;
        }
        const Comparison::Count different = *seen.different;
        here.miscount = {different.text, different.ours, different.engine};
        if (depth == 1) return here;

        node.position.play(different.move);
        node.engine.moves.push_back(different.text);
        seen = compare(engine, node, --depth, options);
        if (seen.agrees()) return here;
    }
}

}  // namespace

std::optional<Difference> find_difference(UciEngine& engine, const Position& root,
                                          const std::string& root_fen, int depth, bool chess960,
                                          const Options& options) {
    const Node node{root, {root_fen, {}, chess960 || needs_chess960(root)}};
    for (int d = 1; d <= depth; ++d) {
        Comparison seen = compare(engine, node, d, options);
        if (!seen.agrees()) return descend(engine, node, std::move(seen), d, options);
    }
    return std::nullopt;
}

}  // namespace mansuba::perft

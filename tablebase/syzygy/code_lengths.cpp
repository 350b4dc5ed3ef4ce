#include "tablebase/syzygy/code_lengths.hpp"

#include <algorithm>
#include <cstddef>
#include <queue>

namespace mansuba::tablebase::syzygy {
namespace {

std::vector<std::uint8_t> best_lengths(const std::vector<std::uint64_t>& counts) {
    struct Node {
        std::uint64_t count;
        std::size_t number;
        bool operator>(const Node& o) const {
            return count != o.count ? count > o.count : number > o.number;
        }
    };
    std::priority_queue<Node, std::vector<Node>, std::greater<>> open;
    for (std::size_t i = 0; i < counts.size(); ++i)
        if (counts[i]) open.push({counts[i], i});
    // Nodes made of others are numbered behind the symbols, in the order in which they are made.
    std::vector<std::size_t> parent(counts.size() + open.size());
    std::size_t made = counts.size();
    while (open.size() > 1) {
        const Node a = open.top();
        open.pop();
        const Node b = open.top();
        open.pop();
        parent[a.number] = parent[b.number] = made;
        open.push({a.count + b.count, made++});
    }
    std::vector<std::uint8_t> depth(made);
    for (std::size_t i = made - 1; i-- > counts.size();)
        depth[i] = static_cast<std::uint8_t>(depth[parent[i]] + 1);
    for (std::size_t i = 0; i < counts.size(); ++i)
        if (counts[i]) depth[i] = static_cast<std::uint8_t>(depth[parent[i]] + 1);
    depth.resize(counts.size());
    return depth;
}

}  // namespace

std::vector<std::uint8_t> code_lengths(const std::vector<std::uint64_t>& counts, int max_bits) {
    // Counts that differ less make a flatter tree.
    std::vector<std::uint64_t> flatter = counts;
    for (;;) {
        std::vector<std::uint8_t> lengths = best_lengths(flatter);
        if (*std::max_element(lengths.begin(), lengths.end()) <= max_bits) return lengths;
        for (std::uint64_t& c : flatter) c = (c + 1) / 2;
    }
}

}  // namespace mansuba::tablebase::syzygy

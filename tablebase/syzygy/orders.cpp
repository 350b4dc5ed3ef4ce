#include "tablebase/syzygy/orders.hpp"

#include <algorithm>
#include <numeric>

namespace mansuba::tablebase::syzygy {
namespace {

struct Kind {
    Piece man;
    int count;
};

std::vector<Kind> kinds_of(const Material& material, bool pawns) {
    std::vector<Kind> kinds;
    for (const Color c : {Color::White, Color::Black}) {
        for (int t = 0; t < kPieceTypes - 1; ++t) {
            const auto type = static_cast<PieceType>(t);
            if ((type == PieceType::Pawn) == pawns && material.count(c, type))
                kinds.push_back({{c, type}, material.count(c, type)});
        }
        if (!pawns) kinds.push_back({{c, PieceType::King}, 1});
    }
    return kinds;
}

void append(std::vector<Piece>& men, const Kind& kind) {
    men.insert(men.end(), static_cast<std::size_t>(kind.count), kind.man);
}

}  // namespace

std::vector<MenOrder> possible_orders(const Material& material, int file) {
    std::vector<Kind> pawns = kinds_of(material, true);
    const std::vector<Kind> others = kinds_of(material, false);
    if (pawns.size() == 2 && pawns[1].count < pawns[0].count) std::swap(pawns[0], pawns[1]);

    // Without pawns three men that are one of a kind lead, where there are as many, else the kings.
    const auto singles =
        std::count_if(others.begin(), others.end(), [](const Kind& k) { return k.count == 1; });
    const std::size_t leading = !pawns.empty() ? 0 : singles > 2 ? 3 : 2;
    std::vector<MenOrder> orders;
    std::vector<std::size_t> turn(others.size());
    std::iota(turn.begin(), turn.end(), std::size_t{0});
    do {
        const bool may_lead = std::all_of(
            turn.begin(), turn.begin() + static_cast<std::ptrdiff_t>(leading), [&](std::size_t i) {
                return leading == 2 ? others[i].man.type == PieceType::King : others[i].count == 1;
            });
        if (!may_lead) continue;
        MenOrder order;
        order.pawn_file = file;
        for (const Kind& k : pawns) append(order.men, k);
        for (const std::size_t i : turn) append(order.men, others[i]);
        const int rest = static_cast<int>(others.size() - leading);
        const int places = pawns.size() == 2 ? rest + 2 : rest + 1;
        for (order.lead_place = 0; order.lead_place < places; ++order.lead_place) {
            if (pawns.size() != 2) {
                orders.push_back(order);
                continue;
            }
            for (order.other_pawns = 0; order.other_pawns < places; ++order.other_pawns)
                if (order.other_pawns != order.lead_place) orders.push_back(order);
        }
    } while (std::next_permutation(turn.begin(), turn.end()));
    return orders;
}

}  // namespace mansuba::tablebase::syzygy

#include "cluster/plan.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "cluster/build.hpp"
#include "tablebase/border.hpp"
#include "tablebase/layout.hpp"

namespace mansuba::cluster {
namespace {

using namespace tablebase;

/// Bytes for each of Exchange::cells, packed, as bench_cluster counts them with four ranks: with the distances to
/// mate and to zeroing, and with the latter alone.
struct Rate {
    std::string_view material;
    double both, zeroing;
};
constexpr Rate kRates[] = {
    {"KRBvKR", 0.1152, 0.0353}, {"KBNvKN", 0.1240, 0.0413}, {"KRPvKR", 0.4547, 0.1492},
    {"KQQvKQ", 0.5689, 0.2552}, {"KQRvKR", 0.5913, 0.2261}, {"KRRvKR", 0.5931, 0.2786},
    {"KBBvKN", 0.6470, 0.3096}, {"KQBvKR", 0.6859, 0.3216}, {"KRNvKB", 0.7329, 0.3552},
    {"KQRvKQ", 0.8587, 0.3149},
};

/// How many king pairs are given, counted once for each rank and king that reads them, and by how many ranks
/// to how many.
struct Given {
    std::uint64_t pairs = 0, messages = 0;
};
Given given(const Index& index, int members) {
    const Layout layout(index);
    const std::vector<int> owner = owners(layout, members);
    const auto m = static_cast<std::size_t>(members);
    Given all;
    std::vector<bool> tells(m * m);
    for (const auto& by_member : pairs_read(layout, members))
        for (std::size_t reader = 0; reader < m; ++reader) {
            all.pairs += by_member[reader].size();
            for (const std::uint32_t p : by_member[reader])
                tells[static_cast<std::size_t>(owner[p]) * m + reader] = true;
        }
    all.messages = static_cast<std::uint64_t>(std::count(tells.begin(), tells.end(), true));
    return all;
}

}  // namespace

Exchange exchange(const Material& material, const BuildOptions& options, int ranks) {
    Exchange e;
    if (!is_shared(material, options, ranks)) return e;
    const Index index(material);
    e.members = ranks;
    const Given all = given(index, ranks);
    const std::uint64_t kept =
        (index.kept_blocks() << 12) / index.king_pairs().size();  // cells a pair, all placements
    e.cells = static_cast<double>(all.pairs) * static_cast<double>(kept);
    const auto rate = options.metrics.has(Metric::Dtm) ? &Rate::both : &Rate::zeroing;
    const auto [least, most] =
        std::minmax_element(std::begin(kRates), std::end(kRates),
                            [&](const Rate& a, const Rate& b) { return a.*rate < b.*rate; });
    const auto bytes = [&](double per_cell) {
        return static_cast<std::uint64_t>(e.cells * per_cell);
    };
    const auto known = std::find_if(std::begin(kRates), std::end(kRates), [&](const Rate& r) {
        return Material::parse(r.material) == material;
    });
    e.measured = known != std::end(kRates);
    e.bytes = bytes(e.measured ? *known.*rate : std::sqrt((*least).*rate * (*most).*rate));
    e.low = e.measured ? e.bytes - e.bytes / 10 : bytes((*least).*rate);
    e.high = e.measured ? e.bytes + e.bytes / 10 : bytes((*most).*rate);
    // Beside what crosses borders, each ply all agree with the first.
    e.messages_per_ply = all.messages + 2 * static_cast<std::uint64_t>(ranks - 1);
    return e;
}

}  // namespace mansuba::cluster

#include "cluster/plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "cluster/build.hpp"
#include "tablebase/border.hpp"
#include "tablebase/layout.hpp"

namespace mansuba::cluster {
namespace {

using namespace tablebase;

using ByKing = std::array<double, 2>;

/// Bytes for each of Exchange::cells, packed, as bench_cluster counts them with two ranks and with four: with
/// the distances to mate and to zeroing, and with the latter alone.
struct Rate {
    std::string_view material;
    ByKing both, zeroing;
};
constexpr Rate kRates[] = {
    {"KRBvKR", {0.1127, 0.1689}, {0.0346, 0.0590}}, {"KBNvKN", {0.1296, 0.2314}, {0.0442, 0.0796}},
    {"KRPvKR", {0.5294, 0.3076}, {0.1803, 0.0892}}, {"KQQvKQ", {0.5739, 0.2969}, {0.2577, 0.1267}},
    {"KQRvKR", {0.5996, 0.3070}, {0.2300, 0.1209}}, {"KRRvKR", {0.6015, 0.4105}, {0.2824, 0.1837}},
    {"KBBvKN", {0.6530, 0.5501}, {0.3125, 0.2571}}, {"KQBvKR", {0.6889, 0.4311}, {0.3240, 0.1938}},
    {"KRNvKB", {0.7293, 0.6184}, {0.3539, 0.2937}}, {"KQRvKQ", {0.8650, 0.4461}, {0.3185, 0.1875}},
};

/// How many king pairs are given, by the king that steps there and counted once for each rank that reads them,
/// and by how many ranks to how many.
struct Given {
    std::array<std::uint64_t, 2> pairs{};
    std::uint64_t messages = 0;
};
Given given(const Index& index, int members) {
    const Layout layout(index);
    const std::vector<int> owner = owners(index, members);
    const auto m = static_cast<std::size_t>(members);
    const PairsRead read = pairs_read(layout, members);
    Given all;
    std::vector<bool> tells(m * m);
    for (std::size_t king = 0; king < read.size(); ++king)
        for (std::size_t reader = 0; reader < m; ++reader) {
            all.pairs[king] += read[king][reader].size();
            for (const std::uint32_t p : read[king][reader])
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
    const auto rate = options.metrics.has(Metric::Dtm) ? &Rate::both : &Rate::zeroing;
    const auto known = std::find_if(std::begin(kRates), std::end(kRates), [&](const Rate& r) {
        return Material::parse(r.material) == material;
    });
    e.measured = known != std::end(kRates);
    double low = 0, likely = 0, high = 0;
    for (std::size_t king = 0; king < all.pairs.size(); ++king) {
        e.cells[king] = static_cast<double>(all.pairs[king] * kept);
        const auto [least, most] = std::minmax_element(
            std::begin(kRates), std::end(kRates),
            [&](const Rate& a, const Rate& b) { return (a.*rate)[king] < (b.*rate)[king]; });
        const double from = e.measured ? 0.9 * ((*known).*rate)[king] : ((*least).*rate)[king];
        const double to = e.measured ? 1.1 * ((*known).*rate)[king] : ((*most).*rate)[king];
        low += e.cells[king] * from;
        likely += e.cells[king] * (e.measured ? ((*known).*rate)[king] : std::sqrt(from * to));
        high += e.cells[king] * to;
    }
    e.bytes = static_cast<std::uint64_t>(likely);
    e.low = static_cast<std::uint64_t>(low);
    e.high = static_cast<std::uint64_t>(high);
    // Beside what crosses borders, each ply all agree with the first.
    e.messages_per_ply = all.messages + 2 * static_cast<std::uint64_t>(ranks - 1);
    return e;
}

}  // namespace mansuba::cluster

// What the plan says ranks tell each other, against what they do.
#include "cluster/plan.hpp"

#include <cmath>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "cluster/local_transport.hpp"
#include "cluster/team.hpp"
#include "tablebase/generator.hpp"

namespace mansuba::cluster {
namespace {

using namespace tablebase;

BuildOptions with_metrics(const char* metrics) {
    BuildOptions o;
    o.metrics = Metrics::parse(metrics);
    return o;
}

struct Counted {
    std::uint64_t bytes = 0, messages = 0, plies = 0;
};

Counted count(const Material& material, bool dtm, int ranks) {
    std::map<Material, Table> smaller;
    const auto find = [&](const Material& m) -> const Table* {
        const auto found = smaller.find(m);
        return found == smaller.end() ? nullptr : &found->second;
    };
    GenerateOptions options;
    options.dtm = dtm;
    for (const Material& m : closure({material}))
        if (m != material) smaller.emplace(m, generate(m, find, options));
    LocalNetwork network(ranks);
    Counted counted;
    network.run([&](Transport& end) {
        RankTeam team(end, nullptr);
        GenerateOptions mine = options;
        mine.threads = 1;
        mine.team = &team;
        if (end.rank() == 0)
            mine.on_progress = [&](const BuildProgress& p) { counted.plies += p.ply > 0; };
        generate(material, find, mine);
    });
    counted.bytes = network.bytes();
    counted.messages = network.messages();
    return counted;
}

void expect_as_planned(const char* name, const char* metrics, int ranks) {
    const Material m = Material::parse(name);
    const BuildOptions o = with_metrics(metrics);
    const Exchange planned = exchange(m, o, ranks);
    EXPECT_EQ(planned.members, ranks);
    EXPECT_TRUE(planned.measured);
    const Counted counted = count(m, o.metrics.has(Metric::Dtm), ranks);
    const auto off = [](std::uint64_t said, double is) {
        return std::abs(static_cast<double>(said) / is - 1);
    };
    EXPECT_LT(off(planned.bytes, static_cast<double>(counted.bytes)), 0.1)
        << name << " " << ranks << ": " << planned.bytes << " planned, " << counted.bytes;
    EXPECT_LT(off(planned.messages_per_ply,
                  static_cast<double>(counted.messages) / static_cast<double>(counted.plies)),
              0.1)
        << name << " " << ranks;
    EXPECT_LE(planned.low, counted.bytes);
    EXPECT_GE(planned.high, counted.bytes);
}

TEST(Plan, SaysWhatFourRanksTellEachOther) { expect_as_planned("KRBvKR", "wdl,dtz", 4); }

TEST(LongPlan, SaysWhatRanksTellEachOther) {
    for (const int ranks : {2, 4, 8}) {
        expect_as_planned("KRBvKR", "wdl,dtz,dtm", ranks);
        expect_as_planned("KQRvKQ", "wdl,dtz,dtm", ranks);
        expect_as_planned("KQRvKQ", "wdl,dtz", ranks);
    }
}

TEST(Plan, OneRankTellsNobody) {
    const BuildOptions all = with_metrics("wdl,dtz,dtm");
    EXPECT_EQ(exchange(Material::parse("KRBvKR"), all, 1).members, 1);
    // Small, without king pairs, and with metrics that are not shared.
    EXPECT_EQ(exchange(Material::parse("KQvKR"), all, 4).bytes, 0u);
    EXPECT_EQ(exchange(Material::parse("KPPPvKP"), all, 4).members, 1);
    EXPECT_EQ(exchange(Material::parse("KRBvKR"), with_metrics("wdl75"), 4).members, 1);
}

TEST(Plan, AnEndgameNobodyMeasuredHasARange) {
    const Exchange e = exchange(Material::parse("KQRBvKRN"), with_metrics("wdl,dtz"), 512);
    EXPECT_EQ(e.members, 512);
    EXPECT_FALSE(e.measured);
    EXPECT_LT(e.low, e.bytes);
    EXPECT_LT(e.bytes, e.high);
    EXPECT_GT(e.low, std::uint64_t{1} << 36);
}

}  // namespace
}  // namespace mansuba::cluster

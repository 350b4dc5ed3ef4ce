#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/fen.hpp"
#include "core/file.hpp"
#include "tablebase/generator.hpp"
#include "tablebase/syzygy/compare.hpp"

namespace mansuba::tablebase {
namespace {

const std::filesystem::path kFiles = std::filesystem::path(MANSUBA_SHARED_DATA) / "syzygy";

/// The official files of 3 and 4 men are others' work and no part of this repository.
#define NEED_FILES() \
    if (!std::filesystem::exists(kFiles)) GTEST_SKIP() << "no Syzygy files at " << kFiles

/// Each position of three men, and of more unless only a sample is asked for.
void compare_all(const std::vector<Material>& wanted, std::uint64_t sample) {
    const syzygy::Directory files(kFiles);
    std::map<Material, Table> tables;
    for (const Material& m : closure(wanted)) {
        const auto [made, is_new] =
            tables.emplace(m, generate(m, [&](const Material& s) -> const Table* {
                               return s == Material() ? nullptr : &tables.at(s);
                           }));
        if (std::find(wanted.begin(), wanted.end(), m) == wanted.end()) continue;
        VerifyOptions options;
        if (m.men() > 3) options.sample = sample;
        const VerifyReport report = syzygy::compare(made->second, files, options);
        EXPECT_GT(report.positions, 10000u) << m.name();
        EXPECT_TRUE(report.ok()) << m.name() << ": " << report.faults << " differ, first "
                                 << report.first_faults.front().fen << " theirs "
                                 << report.first_faults.front().expected << " ours "
                                 << report.first_faults.front().found;
    }
}

TEST(Syzygy, OurValuesAreThoseOfTheOfficialFiles) {
    NEED_FILES();
    compare_all({Material::parse("KNvK"), Material::parse("KBvK"), Material::parse("KRvK"),
                 Material::parse("KQvK"), Material::parse("KPvK"), Material::parse("KQvKR"),
                 Material::parse("KPvKP")},
                100000);
}

TEST(LongSyzygy, OurValuesAreThoseOfAllFilesOfFourMen) {
    NEED_FILES();
    compare_all(materials_up_to(4), 0);
}

TEST(Syzygy, AChangedValueIsSeen) {
    NEED_FILES();
    const syzygy::Directory files(kFiles);
    Table table = generate(Material::parse("KRvK"), [](const Material&) { return nullptr; });
    const Position mate_in_16 = parse_fen("8/8/8/8/8/2k5/1R6/K7 w - - 0 1");
    const std::uint64_t cell =
        table.index.index_of(table.index.squares_of(mate_in_16.board(), false));
    ASSERT_EQ(table.value(Color::White, cell).dtz, 31);
    table.dtz[0].as<std::uint8_t>()[cell] += 2;
    const VerifyReport report = syzygy::compare(table, files);
    ASSERT_EQ(report.faults, 1u);
    EXPECT_NE(report.first_faults[0].expected.find("dtz 31"), std::string::npos)
        << report.first_faults[0].expected;
    EXPECT_NE(report.first_faults[0].found.find("dtz 33"), std::string::npos);
}

TEST(Syzygy, DamagedFilesAreRefusedOrReadWithinBounds) {
    NEED_FILES();
    std::mt19937 random(5);
    const std::filesystem::path directory =
        std::filesystem::temp_directory_path() / ("mansuba_syzygy_" + std::to_string(::getpid()));
    std::filesystem::create_directory(directory);
    const Position position = parse_fen("8/8/8/8/8/2k5/1P6/K7 b - - 0 1");
    int refused = 0;
    for (const char* name : {"KPvK.rtbw", "KPvK.rtbz", "KQvKR.rtbz"}) {
        const std::vector<std::byte> good = read_file(kFiles / name);
        for (int i = 0; i < 150; ++i) {
            std::vector<std::byte> bad = good;
            if (i % 3 == 0)
                bad.resize(random() % good.size());
            else
                bad[random() % std::min<std::size_t>(good.size(), i % 2 ? 200 : good.size())] ^=
                    static_cast<std::byte>(1u << random() % 8);
            write_file_atomically(directory / name, bad);
            try {
                const syzygy::Table table(directory / name, syzygy::Check::Content);
                ADD_FAILURE() << "the checksum of a damaged " << name << " is right";
            } catch (const Error& e) {
                EXPECT_EQ(e.code(), ErrorCode::File);
                EXPECT_NE(std::string(e.what()).find(name), std::string::npos) << e.what();
                ++refused;
            }
            try {  // without the checksum: a value or a refusal, nothing else
                const syzygy::Table table(directory / name, syzygy::Check::StructureOnly);
                if (std::string_view(name) == "KPvK.rtbw") table.wdl(position);
            } catch (const Error& e) {
                EXPECT_EQ(e.code(), ErrorCode::File);
            }
        }
    }
    EXPECT_EQ(refused, 450);
    std::filesystem::remove_all(directory);
}

TEST(Syzygy, EnPassantAndMissingFiles) {
    NEED_FILES();
    const syzygy::Directory files(kFiles);
    // From tests/data/tb_positions.tsv: a double step may be answered en passant.
    EXPECT_EQ(files.wdl(parse_fen("8/8/8/k2Pp3/8/8/8/4K3 w - - 0 2")), Wdl::Draw);
    EXPECT_EQ(files.wdl(parse_fen("7K/k7/8/Pp6/8/8/8/8 w - - 0 1")), Wdl::Loss);
    EXPECT_EQ(files.wdl(parse_fen("7K/k7/8/Pp6/8/8/8/8 w - b6 0 1")), Wdl::Draw);
    EXPECT_EQ(files.missing(Material::parse("KRPvKR")).empty(), false);
    EXPECT_TRUE(files.missing(Material::parse("KPvKP")).empty());
}

}  // namespace
}  // namespace mansuba::tablebase

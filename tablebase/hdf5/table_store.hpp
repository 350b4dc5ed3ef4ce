// A directory of table files, one an endgame: DIR/KRPvKR.h5.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "tablebase/rules.hpp"
#include "tablebase/store.hpp"

namespace mansuba::tablebase::hdf5 {

class Reader;

/// What the files say of themselves, see FORMAT.md.
inline constexpr const char* kIndexScheme = "mansuba-squares";
inline constexpr std::int64_t kIndexVersion = 1;
/// Attributes of the rule set: its name, and its text.
inline constexpr const char *kRules = "rules", *kRuleSet = "rule_set";
/// The attribute that says whether the limits for a claim and of 75 moves give the same values.
inline constexpr const char* kLimitsAgree = "limits_agree";
/// The attribute of dtm50 that says for which clock its first row is.
inline constexpr const char* kFirstClock = "first_clock";

/// The file of an endgame in a directory.
std::filesystem::path table_path(const std::filesystem::path& directory, const Material& material);

/// The rules that a table was built for.
RuleSet rules_of(const Reader& reader);

/// The metrics of an open table file, which must be that of `material`: throws Error(File) if it is
/// of another endgame or index.
Metrics checked_metrics(const Reader& reader, const Material& material);

/// The clock of the first row of Metric::Dtm50; throws Error(File) if it is not told.
int first_clock(const Reader& reader, Color side_to_move);

class TableDirectory : public TableStore {
public:
    struct Options {
        int level = 6;  // of compression
        int threads = 0;
        std::string simd = "auto";
        std::string generator;         // version and commit, for the files
        std::optional<RuleSet> rules;  // for which tables are kept, and must have been; else any
    };
    explicit TableDirectory(std::filesystem::path directory, Options options);
    explicit TableDirectory(std::filesystem::path directory)
        : TableDirectory(std::move(directory), Options{}) {}

    Metrics metrics(const Material& material) override;
    /// Makes the directory if it is not there.
    std::uint64_t save(const Table& table, Metrics metrics, const Statistics& statistics,
                       Team* team = nullptr) override;
    std::string statistics(const Material& material) override;
    Table load(const Material& material, Metrics metrics) override;

private:
    void save_share(const Table& table, Metrics metrics, Team& team) const;
    Metrics checked(const Reader& reader, const Material& material) const;

    std::filesystem::path directory_;
    Options options_;
};

}  // namespace mansuba::tablebase::hdf5

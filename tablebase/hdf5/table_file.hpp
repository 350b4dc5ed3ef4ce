// Values read from table files, chunk by chunk.
#pragma once

#include <array>
#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>

#include "tablebase/hdf5/reader.hpp"
#include "tablebase/probe.hpp"
#include "tablebase/rules.hpp"
#include "tablebase/store.hpp"

namespace mansuba::tablebase::hdf5 {

/// One open file. Thread-safe. Errors are Error(File), naming the file.
class TableFile final : public Values {
public:
    TableFile(const std::filesystem::path& directory, const Material& material,
              std::shared_ptr<ChunkCache> cache);

    const Index& numbering() const override { return index_; }
    const Limits& limits() const override { return limits_; }
    bool has(Metric m) const override { return metrics_.has(m); }
    Value value(Color side_to_move, std::uint64_t cell) const override;
    int extra_moves(Color side_to_move, std::uint64_t cell, int clock) const override;
    int first_clock() const override { return first_clock_; }

    const Reader& reader() const { return reader_; }
    Metrics metrics() const { return metrics_; }
    const RuleSet& rules() const { return rules_; }

private:
    Reader reader_;
    Index index_;
    Metrics metrics_;
    RuleSet rules_;
    Limits limits_;
    int first_clock_ = 0, clocks_ = 1;  // of Metric::Dtm50
    std::array<std::array<std::size_t, std::size(kMetrics)>, 2>
        datasets_{};  // by side to move and metric
};

/// The files of a directory, each opened when it is first asked for. Thread-safe; to find one that is
/// known takes no lock.
class TableFiles {
public:
    /// Chunks of at most `cache_bytes` are kept in memory, for all files together.
    explicit TableFiles(std::filesystem::path directory, std::size_t cache_bytes = kCacheBytes);
    ~TableFiles();
    TableFiles(const TableFiles&) = delete;
    TableFiles& operator=(const TableFiles&) = delete;

    static constexpr std::size_t kCacheBytes = std::size_t{256} << 20;

    /// Null if there is no such file; what it returns lives as long as this. Throws Error(File) if there
    /// is one that cannot be read, or was made for other rules than the first.
    const TableFile* find(const Material& material);
    /// find() for probe() and verify().
    Lookup lookup() {
        return [this](const Material& m) -> const Values* { return find(m); };
    }

private:
    struct Known {
        Material material;
        std::unique_ptr<TableFile> file;  // null: looked for and not there
        const Known* next;
    };
    const Known* known(const Material& material) const;

    const std::filesystem::path directory_;
    const std::shared_ptr<ChunkCache> cache_;
    std::optional<RuleSet> rules_;                        // of all files; under mutex_
    std::mutex mutex_;                                    // of adding to what follows
    std::array<std::atomic<const Known*>, 256> known_{};  // lists by hash; nothing leaves them
};

}  // namespace mansuba::tablebase::hdf5

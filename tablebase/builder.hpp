// Builds tables and all that they need, one after the other, and keeps them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tablebase/generator.hpp"
#include "tablebase/rules.hpp"
#include "tablebase/store.hpp"

namespace mansuba::tablebase {

/// What a build takes, reckoned from the index.
struct Estimate {
    std::uint64_t positions = 0;     // cells of both sides
    std::uint64_t memory_bytes = 0;  // peak, with the tables it reads
    std::uint64_t raw_bytes = 0;     // stored cells before compression
};
/// Of each member of a team of that size, where can_share().
Estimate estimate(const Material& material, Metrics metrics, int members = 1);

struct BuildOptions {
    Metrics metrics{Metric::Wdl, Metric::Dtz, Metric::Dtm};
    RuleSet rules;
    int threads = 0;
    std::string simd = "auto";
    std::uint64_t memory_bytes = 0;  // the most that may be used; 0: no limit
    /// How many processes build an endgame together; none: one does.
    std::function<int(const Material&)> members;
    bool resume = false;  // keep what is there already, and go on with a table in work
    /// Directory of the state of tables in work, and how often it is saved beside before a stop; empty:
    /// what is in work is lost with a stop.
    std::filesystem::path checkpoints;
    double checkpoint_seconds = 600;
    const std::atomic<bool>* stop = nullptr;
    /// Before a table is built, kept, and after; from the building thread.
    struct Event {
        enum Kind { Skipped, Started, Resumed, Progress, Storing, Finished } kind;
        Material material;
        std::size_t number, of;  // of the tables of this build, from 1
        BuildProgress progress{};
        double generate_seconds = 0, store_seconds = 0;
        std::uint64_t bytes = 0;
    };
    std::function<void(const Event&)> on_event;
};

struct BuiltTable {
    Material material;
    bool skipped = false;
    double generate_seconds = 0, store_seconds = 0;
    std::uint64_t positions = 0, bytes = 0;
};

struct BuildResult {
    std::vector<BuiltTable> tables;  // in the order in which they were built
    double generate_seconds = 0, store_seconds = 0;
};

/// Which tables of a build are there already and stay: none without options.resume; what is left of their
/// making goes. Throws
/// Error(Usage) if one of the others cannot be built within the memory, naming what would do.
std::vector<bool> finished_tables(const std::vector<Material>& all, TableStore& store,
                                  const BuildOptions& options);

/// Builds tables one at a time, and keeps those in memory that the next ones may need.
class TableBuilder {
public:
    /// Both must outlive this.
    TableBuilder(TableStore& store, const BuildOptions& options);
    ~TableBuilder();

    /// Builds and keeps a table; those it can turn into must be in the store. `number` and `of` are for
    /// the events. Of a team all members call it; the first keeps the table. Throws as build() does.
    BuiltTable build(const Material& material, std::size_t number, std::size_t of,
                     Team* team = nullptr);

private:
    class Held;
    TableStore& store_;
    const BuildOptions& options_;
    std::unique_ptr<Held> held_;
};

/// The tables asked for after all they can turn into. Throws before the start Error(Usage) if one
/// cannot be built within the memory, naming what would do; Error(Interrupted) if stopped: finished
/// tables are kept, and `resume` goes on after them.
BuildResult build(const std::vector<Material>& materials, TableStore& store,
                  const BuildOptions& options = {});

}  // namespace mansuba::tablebase

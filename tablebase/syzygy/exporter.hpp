// The two Syzygy files of a table.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <vector>

#include "tablebase/generator.hpp"
#include "tablebase/syzygy/table.hpp"

namespace mansuba::tablebase::syzygy {

struct ExportOptions {
    int threads = 0;  // 0: as many as OpenMP gives
    /// Distances in moves, as the classic files have them, where the 50-move rule takes no win of the
    /// endgame; else in plies, as far as the format can: cursed ones are always in moves.
    bool rounded = false;
    const std::atomic<bool>* stop = nullptr;
    /// Which section of which file is being packed; from the calling thread.
    std::function<void(Kind, std::size_t number, std::size_t of)> on_section;
};

struct Exported {
    std::vector<std::byte> wdl, dtz;  // content of the .rtbw and the .rtbz
};

/// `table` has its WDL and DTZ; `smaller` gives the tables it can turn into, with their WDL. The same
/// bytes whatever the number of threads. Throws Error(Interrupted) if stopped, Error(Usage) if the
/// format cannot hold the table.
Exported export_table(const tablebase::Table& table, const Smaller& smaller,
                      const ExportOptions& options = {});

}  // namespace mansuba::tablebase::syzygy

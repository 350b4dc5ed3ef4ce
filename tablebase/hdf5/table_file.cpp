#include "tablebase/hdf5/table_file.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "tablebase/hdf5/table_store.hpp"

namespace mansuba::tablebase::hdf5 {

TableFile::TableFile(const std::filesystem::path& directory, const Material& material,
                     std::shared_ptr<ChunkCache> cache)
    : reader_(table_path(directory, material), std::move(cache)),
      index_(material),
      metrics_(checked_metrics(reader_, material)),
      rules_(rules_of(reader_)),
      limits_(rules_.limits(index_)) {
    for (const Color c : {Color::White, Color::Black})
        for (const Metric m : kMetrics)
            if (metrics_.has(m))
                datasets_[static_cast<std::size_t>(c)][static_cast<std::size_t>(m)] =
                    *reader_.find(c == Color::White ? "white" : "black", name_of(m));
    if (!metrics_.has(Metric::Dtm50)) return;
    first_clock_ = hdf5::first_clock(reader_, Color::White);
    clocks_ = limits_.claim_at(0) - first_clock_;
}

int TableFile::extra_moves(Color side_to_move, std::uint64_t cell, int clock) const {
    const auto row = static_cast<std::uint64_t>(std::clamp(clock - first_clock_, 0, clocks_ - 1));
    return reader_.cell(
        datasets_[static_cast<std::size_t>(side_to_move)][static_cast<std::size_t>(Metric::Dtm50)],
        row * index_.cells() + cell);
}

Value TableFile::value(Color side_to_move, std::uint64_t cell) const {
    const auto& datasets = datasets_[static_cast<std::size_t>(side_to_move)];
    const auto read = [&](Metric m) {
        return reader_.cell(datasets[static_cast<std::size_t>(m)], cell);
    };
    const auto by_limit = [&](Metric class_metric, Metric plies_metric, Wdl& wdl, int& dtz) {
        if (!metrics_.has(class_metric)) return;
        wdl = static_cast<Wdl>(read(class_metric));
        if (wdl == Wdl::Draw || !metrics_.has(plies_metric)) return;
        const int plies = read(plies_metric);
        dtz = plies == 0 ? -1 : wdl > Wdl::Draw ? plies : -plies;
    };
    Value v;
    by_limit(Metric::Wdl, Metric::Dtz, v.wdl, v.dtz);
    by_limit(Metric::Wdl75, Metric::Dtz75, v.wdl75, v.dtz75);
    if (v.wdl != Wdl::Draw && metrics_.has(Metric::Dtm)) {
        const int moves = read(Metric::Dtm);
        v.dtm = v.wdl > Wdl::Draw ? 2 * moves - 1 : -2 * moves;
    }
    const Metric mates = side_to_move == Color::White ? Metric::DthWhite : Metric::DthBlack,
                 mated = side_to_move == Color::White ? Metric::DthBlack : Metric::DthWhite;
    if (metrics_.has(mates) && metrics_.has(mated)) {
        const auto plies = [&](Metric m) {
            const int stored = read(m);
            return stored == 255 ? -1 : stored;
        };
        v.dth_mates = plies(mates);
        v.dth_mated = plies(mated);
    } else if (metrics_.has(Metric::Winnable)) {
        const int who = read(Metric::Winnable), side = static_cast<int>(side_to_move);
        v.dth_mates = who >> side & 1 ? 0 : -1;
        v.dth_mated = who >> (1 - side) & 1 ? 0 : -1;
    }
    return v;
}

TableFiles::TableFiles(std::filesystem::path directory, std::size_t cache_bytes)
    : directory_(std::move(directory)), cache_(std::make_shared<ChunkCache>(cache_bytes)) {}

TableFiles::~TableFiles() {
    for (const auto& list : known_)
        for (const Known* k = list; k;) delete std::exchange(k, k->next);
}

const TableFiles::Known* TableFiles::known(const Material& material) const {
    const Known* k = known_[material.hash() % known_.size()].load(std::memory_order_acquire);
    while (k && k->material != material) k = k->next;
    return k;
}

const TableFile* TableFiles::find(const Material& material) {
    if (const Known* const k = known(material)) return k->file.get();
    const std::lock_guard lock(mutex_);
    if (const Known* const k = known(material)) return k->file.get();
    std::unique_ptr<TableFile> file;
    std::error_code error;
    // What cannot be looked at is not the same as what is not there: opening it names the reason.
    if (std::filesystem::exists(table_path(directory_, material), error) || error)
        file = std::make_unique<TableFile>(directory_, material, cache_);
    if (file && !rules_) rules_ = file->rules();
    if (file && *rules_ != file->rules())
        throw Error(ErrorCode::File,
                    "made for the rules " + file->rules().name() + ", but others here for " +
                        rules_->name(),
                    file->reader().path().string());
    auto& list = known_[material.hash() % known_.size()];
    const Known* const added = new Known{material, std::move(file), list};
    list.store(added, std::memory_order_release);
    return added->file.get();
}

}  // namespace mansuba::tablebase::hdf5

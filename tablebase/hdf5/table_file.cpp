#include "tablebase/hdf5/table_file.hpp"

#include <utility>

#include "tablebase/hdf5/table_store.hpp"

namespace mansuba::tablebase::hdf5 {

TableFile::TableFile(const std::filesystem::path& directory, const Material& material,
                     std::shared_ptr<ChunkCache> cache)
    : reader_(table_path(directory, material), std::move(cache)),
      index_(material),
      metrics_(checked_metrics(reader_, material)) {
    for (const Color c : {Color::White, Color::Black})
        for (const Metric m : kMetrics)
            if (metrics_.has(m))
                datasets_[static_cast<std::size_t>(c)][static_cast<std::size_t>(m)] =
                    *reader_.find(c == Color::White ? "white" : "black", name_of(m));
}

Value TableFile::value(Color side_to_move, std::uint64_t cell) const {
    const auto& datasets = datasets_[static_cast<std::size_t>(side_to_move)];
    const auto read = [&](Metric m) {
        return reader_.cell(datasets[static_cast<std::size_t>(m)], cell);
    };
    Value v;
    if (metrics_.has(Metric::Wdl)) v.wdl = static_cast<Wdl>(read(Metric::Wdl));
    if (v.wdl == Wdl::Draw) return v;
    const int sign = v.wdl > Wdl::Draw ? 1 : -1;
    if (metrics_.has(Metric::Dtz)) {
        const int plies = read(Metric::Dtz);
        v.dtz = plies ? sign * plies : -1;
    }
    if (metrics_.has(Metric::Dtm)) {
        const int moves = read(Metric::Dtm);
        v.dtm = sign > 0 ? 2 * moves - 1 : -2 * moves;
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
    auto& list = known_[material.hash() % known_.size()];
    const Known* const added = new Known{material, std::move(file), list};
    list.store(added, std::memory_order_release);
    return added->file.get();
}

}  // namespace mansuba::tablebase::hdf5

#include "tablebase/table.hpp"

#include <cstdlib>
#include <new>

#include <sys/mman.h>

namespace mansuba::tablebase {

Pages::Pages(std::size_t bytes) {
    constexpr std::size_t huge = std::size_t{1} << 21;
    const std::size_t unit = bytes >= huge ? huge : 64;
    void* const p = std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
    if (!p) throw std::bad_alloc();
    memory_.reset(p);
    if (unit == huge) madvise(p, bytes, MADV_HUGEPAGE);  // refused or not, the memory is there
}

void Pages::Free::operator()(void* p) const { std::free(p); }

bool Table::has(Metric m) const {
    const auto& numbers = m == Metric::Wdl ? wdl : m == Metric::Dtz ? dtz : dtm;
    return numbers[0].size() > 0;
}

bool Table::legal(Color side_to_move, std::uint64_t cell) const {
    return wdl[static_cast<std::size_t>(side_to_move)][cell] != wdl_code::kIllegal;
}

Value Table::value(Color side_to_move, std::uint64_t cell) const {
    const auto side = static_cast<std::size_t>(side_to_move);
    const unsigned code = wdl[side][cell];
    Value v{Wdl::Draw, code == wdl_code::kStalemate, 0, 0};
    if (code == wdl_code::kStalemate || code == wdl_code::kDraw) return v;
    v.wdl = static_cast<Wdl>(static_cast<int>(code) - static_cast<int>(wdl_code::kDraw));
    const int sign = v.wdl > Wdl::Draw ? 1 : -1;
    if (dtz[side].size()) {
        const int plies = static_cast<int>(dtz[side][cell]);
        v.dtz = plies ? sign * plies : -1;
    }
    if (dtm[side].size()) v.dtm = sign * static_cast<int>(dtm[side][cell]);
    return v;
}

}  // namespace mansuba::tablebase

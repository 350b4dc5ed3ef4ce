#include "tablebase/table.hpp"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>
#include <vector>

#include <sys/mman.h>

namespace mansuba::tablebase {

namespace {

constexpr std::size_t kHuge = std::size_t{1} << 21;

/// Large pieces of memory that were given back, kept because the system clears every page it hands
/// out anew, which takes as long as a good part of a table. A wish that none of them fits frees them
/// all: memory is never held beside what is in use for longer than sizes stay the same.
class Pool {
public:
    static Pool& instance() {
        static Pool* const pool = new Pool;  // outlives whatever gives back late
        return *pool;
    }
    void* take(std::size_t bytes) {
        const std::scoped_lock lock(mutex_);
        for (std::size_t i = 0; i < free_.size(); ++i)
            if (free_[i].bytes == bytes) {
                void* const p = free_[i].memory;
                free_[i] = free_.back();
                free_.pop_back();
                return p;
            }
        for (const Piece& piece : free_) std::free(piece.memory);
        free_.clear();
        return nullptr;
    }
    void give_back(void* memory, std::size_t bytes) {
        const std::scoped_lock lock(mutex_);
        free_.push_back({memory, bytes});
    }

private:
    struct Piece {
        void* memory;
        std::size_t bytes;
    };
    std::mutex mutex_;
    std::vector<Piece> free_;
};

/// Whole pages of 2 MiB, or of 64 bytes.
std::size_t unit_of(std::size_t bytes) { return bytes >= kHuge ? kHuge : 64; }
std::size_t whole(std::size_t bytes) {
    return (bytes + unit_of(bytes) - 1) / unit_of(bytes) * unit_of(bytes);
}

}  // namespace

Pages::Pages(std::size_t bytes, Touched touched) : memory_(nullptr, Free{whole(bytes), touched}) {
    const std::size_t unit = unit_of(bytes), whole = memory_.get_deleter().bytes;
    if (touched != Touched::All) {
        void* const p = mmap(nullptr, whole, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED) throw std::bad_alloc();
        memory_.reset(p);
        madvise(p, whole, touched == Touched::Runs ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
        return;
    }
    void* p = unit == kHuge ? Pool::instance().take(whole) : nullptr;
    const bool fresh = !p;
    if (fresh) p = std::aligned_alloc(unit, whole);
    if (!p) throw std::bad_alloc();
    memory_.reset(p);
    // Refused or not, the memory is there.
    if (fresh && unit == kHuge) madvise(p, whole, MADV_HUGEPAGE);
}

void Pages::let_go() {
    const std::size_t bytes = memory_.get_deleter().bytes;
    if (bytes >= kHuge) madvise(memory_.get(), bytes, MADV_DONTNEED);
}

void Pages::Free::operator()(void* p) const {
    if (touched != Touched::All)
        munmap(p, bytes);
    else if (bytes >= kHuge)
        Pool::instance().give_back(p, bytes);
    else
        std::free(p);
}

void Table::let_go_of_classes() {
    if (!dtm[0].size()) return;
    for (std::size_t side = 0; side < 2; ++side) {
        const auto* const classes = wdl[side].as<std::uint8_t>();
        const auto is_late = [&](std::uint64_t cell) {
            return classes[cell] == wdl_code::kCursedWin || classes[cell] == wdl_code::kBlessedLoss;
        };
        const std::uint64_t cells = wdl[side].size();
        if (!std::memchr(classes, wdl_code::kCursedWin, cells) &&
            !std::memchr(classes, wdl_code::kBlessedLoss, cells))
            continue;
        late[side].assign(cells / 64, 0);
        for (std::uint64_t c = 0; c < cells; ++c)
            late[side][c / 64] |= std::uint64_t{is_late(c)} << (c % 64);
    }
    wdl = {};
}

bool Table::has(Metric m) const {
    const auto there = [](const std::array<Numbers, 2>& numbers) { return numbers[0].size() > 0; };
    switch (m) {
        case Metric::Wdl: return there(wdl);
        case Metric::Dtz: return there(dtz);
        case Metric::Dtm: return there(dtm);
        case Metric::Wdl75: return limits_agree || there(wdl75);
        case Metric::Dtz75: return limits_agree ? there(dtz) : there(dtz75);
        case Metric::Winnable: return there(dth[0]);
        case Metric::Dtm50: return there(dtm50_start);
        default: return there(dth[0]) && dth_by_length;
    }
}

bool Table::legal(Color side_to_move, std::uint64_t cell) const {
    return wdl[static_cast<std::size_t>(side_to_move)][cell] != wdl_code::kIllegal;
}

Value Table::value(Color side_to_move, std::uint64_t cell) const {
    const auto side = static_cast<std::size_t>(side_to_move);
    Value v;
    const auto by_limit = [&](bool automatic, Wdl& wdl_of, int& dtz_of) {
        const unsigned code = classes(automatic)[side][cell];
        if (code == wdl_code::kStalemate || code == wdl_code::kDraw) return;
        wdl_of = static_cast<Wdl>(static_cast<int>(code) - static_cast<int>(wdl_code::kDraw));
        const Numbers& numbers = distances(automatic)[side];
        if (!numbers.size()) return;
        const int plies = static_cast<int>(numbers[cell]);
        dtz_of = plies == 0 ? -1 : wdl_of > Wdl::Draw ? plies : -plies;
    };
    by_limit(false, v.wdl, v.dtz);
    if (has(Metric::Wdl75)) by_limit(true, v.wdl75, v.dtz75);
    v.stalemate = wdl[side][cell] == wdl_code::kStalemate;
    if (v.wdl != Wdl::Draw && dtm[side].size())
        v.dtm = static_cast<int>(dtm[side][cell]) * (v.wdl > Wdl::Draw ? 1 : -1);
    if (has(Metric::Winnable)) {
        const auto plies = [&](std::size_t winner) {
            const unsigned code = dth[winner][side][cell];
            return code == help_code::kNever ? -1 : static_cast<int>(code);
        };
        v.dth_mates = plies(side);
        v.dth_mated = plies(1 - side);
    }
    return v;
}

int Table::extra_moves(Color side_to_move, std::uint64_t cell, int clock) const {
    const auto& row = dtm50_later[static_cast<std::size_t>(std::max(0, clock - dtm50_first))]
                                 [static_cast<std::size_t>(side_to_move)];
    const auto found = std::lower_bound(row.begin(), row.end(), cell,
                                        [](const Later& l, std::uint64_t c) { return l.cell < c; });
    return found != row.end() && found->cell == cell ? found->moves : 0;
}

}  // namespace mansuba::tablebase

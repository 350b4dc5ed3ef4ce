#include "tablebase/table.hpp"

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

Pages::Pages(std::size_t bytes) : memory_(nullptr, Free{whole(bytes)}) {
    const std::size_t unit = unit_of(bytes), whole = memory_.get_deleter().bytes;
    void* p = unit == kHuge ? Pool::instance().take(whole) : nullptr;
    const bool fresh = !p;
    if (fresh) p = std::aligned_alloc(unit, whole);
    if (!p) throw std::bad_alloc();
    memory_.reset(p);
    // Refused or not, the memory is there.
    if (fresh && unit == kHuge) madvise(p, whole, MADV_HUGEPAGE);
}

void Pages::Free::operator()(void* p) const {
    if (bytes >= kHuge)
        Pool::instance().give_back(p, bytes);
    else
        std::free(p);
}

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

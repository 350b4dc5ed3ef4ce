#include "perft/hash_table.hpp"

#include <string>

#include <sys/mman.h>

#include "core/cpu.hpp"
#include "core/error.hpp"

namespace mansuba::perft {

HashTable::HashTable(std::uint64_t bytes) : buckets_(bytes / sizeof(Bucket)) {
    if (buckets_ == 0)
        throw Error(ErrorCode::Usage, "a hash table needs at least 64 bytes",
                    "--hash " + std::to_string(bytes));
    // Pages are taken as they are used: what cannot fit would end in the middle of the count.
    const std::uint64_t most = memory().total_bytes;
    if (most != 0 && bytes > most)
        throw Error(ErrorCode::Usage,
                    "a hash table of " + std::to_string(bytes >> 20) + " MiB does not fit into " +
                        std::to_string(most >> 20) + " MiB of memory",
                    "--hash");
    // Fresh anonymous pages are zero, and zero is the empty entry: nothing is cleared by hand, and a
    // page costs memory only once it is used.
    void* memory = mmap(nullptr, this->bytes(), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        throw Error(ErrorCode::Usage,
                    "no memory for a hash table of " + std::to_string(bytes) + " bytes", "--hash");
#ifdef MADV_HUGEPAGE
    madvise(memory, this->bytes(), MADV_HUGEPAGE);  // a wish; without it the table is only slower
#endif
    table_ = static_cast<Bucket*>(memory);
}

HashTable::~HashTable() { munmap(table_, bytes()); }

}  // namespace mansuba::perft

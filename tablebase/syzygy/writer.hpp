// A Syzygy file made of its sections.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tablebase/syzygy/packed.hpp"
#include "tablebase/syzygy/table.hpp"

namespace mansuba::tablebase::syzygy {

struct WrittenSection {
    MenOrder order;
    Packed packed;
    // DTZ only.
    unsigned flags = 0;                              // Table::kBlackToMove and so on
    std::array<std::vector<std::uint16_t>, 4> maps;  // as in Table::Section, if kMapped
};

/// The bytes of a whole file, checksum included. `sections` as Table numbers them: by file of the
/// leading pawn, then side to move.
std::vector<std::byte> file_of(const Material& material, Kind kind,
                               const std::vector<WrittenSection>& sections);

}  // namespace mansuba::tablebase::syzygy

#include "tablebase/syzygy/writer.hpp"

#include <algorithm>
#include <span>

#include "core/error.hpp"
#include "tablebase/syzygy/checksum.hpp"

namespace mansuba::tablebase::syzygy {
namespace {

class Output {
public:
    void put(std::uint64_t value, int count) {
        for (int i = 0; i < count; ++i) bytes_.push_back(static_cast<std::uint8_t>(value >> 8 * i));
    }
    void put(std::span<const std::uint8_t> bytes) {
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }
    void align(std::size_t multiple) {
        bytes_.resize((bytes_.size() + multiple - 1) / multiple * multiple);
    }
    const std::vector<std::uint8_t>& bytes() const { return bytes_; }

private:
    std::vector<std::uint8_t> bytes_;
};

unsigned nibble_of(Piece man) {
    return static_cast<unsigned>(man.type) + 1 + (man.color == Color::Black ? 8 : 0);
}

/// The orders and men of a file's sections: two sides share bytes, one fills them alone.
void put_orders(Output& out, std::span<const WrittenSection> sides) {
    const MenOrder &first = sides.front().order, &last = sides.back().order;
    const auto both = [&](unsigned a, unsigned b) { out.put(a | b << 4, 1); };
    both(static_cast<unsigned>(first.lead_place), static_cast<unsigned>(last.lead_place));
    if (first.other_pawns != MenOrder::kNone)
        both(static_cast<unsigned>(first.other_pawns), static_cast<unsigned>(last.other_pawns));
    for (std::size_t i = 0; i < first.men.size(); ++i)
        both(nibble_of(first.men[i]), nibble_of(last.men[i]));
}

void put_maps(Output& out, const WrittenSection& section) {
    if (!(section.flags & Table::kMapped)) return;
    const int width = section.flags & Table::kWideMap ? 2 : 1;
    out.align(static_cast<std::size_t>(width));
    for (const auto& map : section.maps) {
        out.put(map.size(), width);
        for (const std::uint16_t value : map) out.put(value, width);
    }
}

}  // namespace

std::vector<std::byte> file_of(const Material& material, Kind kind,
                               const std::vector<WrittenSection>& sections) {
    const bool wdl = kind == Kind::Wdl;
    const std::size_t files = material.pawns() ? 4 : 1, sides = sections.size() / files;
    if (sections.size() != files * (wdl && !material.symmetric() ? 2 : 1))
        throw Error(ErrorCode::Internal, "sections of a Syzygy file", material.name());

    Output out;
    out.put(wdl ? Table::kWdlMagic : Table::kDtzMagic);
    out.put(static_cast<std::uint64_t>(material.men()) << 4 |
                (material.symmetric() ? 0 : Table::kTwoSided) |
                (material.pawns() ? Table::kWithPawns : 0),
            1);
    for (std::size_t f = 0; f < files; ++f)
        put_orders(out, std::span(sections).subspan(f * sides, sides));
    out.align(2);
    for (const WrittenSection& s : sections) {
        out.put(s.flags | (s.packed.single ? Pairs::kSingleValue : 0), 1);
        if (s.packed.single && wdl) out.put(s.packed.value, 1);
        out.put(s.packed.description);
        out.align(2);
    }
    if (!wdl) {
        for (const WrittenSection& s : sections) put_maps(out, s);
        out.align(2);
    }
    for (const WrittenSection& s : sections) out.put(s.packed.sparse_index);
    for (const WrittenSection& s : sections) out.put(s.packed.block_lengths);
    for (const WrittenSection& s : sections) {
        if (s.packed.single) continue;
        out.align(Table::kAlignment);
        out.put(s.packed.blocks);
    }
    out.align(Table::kAlignment);
    const Checksum sum = checksum(out.bytes());
    out.put(sum);
    const auto bytes = std::as_bytes(std::span(out.bytes()));
    return {bytes.begin(), bytes.end()};
}

}  // namespace mansuba::tablebase::syzygy

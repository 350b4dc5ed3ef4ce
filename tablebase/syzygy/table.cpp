#include "tablebase/syzygy/table.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "tablebase/syzygy/checksum.hpp"

namespace mansuba::tablebase::syzygy {
namespace {

constexpr std::size_t kChecksumBytes = 16;

constexpr MenKey one_man(unsigned code, bool black) { return MenKey{1} << 4 * (code + 8 * black); }

/// A man's nibble: 1 to 6 for white pawn, knight, bishop, rook, queen, king, 9 to 14 for black ones.
Piece man_of(unsigned nibble) {
    const unsigned type = nibble & 7;
    if (type < 1 || type > 6) throw Damage{"it names a man that there is not"};
    return {nibble & 8 ? Color::Black : Color::White, static_cast<PieceType>(type - 1)};
}

/// The material of a file's men, in the file's colours.
MenKey key_of(const std::vector<Piece>& men) {
    MenKey key = 0;
    for (const Piece p : men) key += one_man(code_of(p.type), p.color == Color::Black);
    return key;
}

/// What WDL files write: 0 for a loss to 4 for a win.
Wdl wdl_of(unsigned value) {
    if (value > 4) throw Damage{"it holds a value that there is not"};
    return static_cast<Wdl>(static_cast<int>(value) - 2);
}

/// The orders and men of all sections: those of two sides share bytes.
std::vector<MenOrder> read_orders(Cursor& cursor, const Material& material, int files, int sides) {
    const bool other_pawns = material.count(Color::White, PieceType::Pawn) &&
                             material.count(Color::Black, PieceType::Pawn);
    std::vector<MenOrder> orders;
    for (int file = 0; file < files; ++file) {
        const unsigned lead = cursor.u8();
        const unsigned others = other_pawns ? cursor.u8() : 0xffu;
        const Bytes men = cursor.take(static_cast<std::uint64_t>(material.men()));
        for (int side = 0; side < sides; ++side) {
            const auto nibble = [side](unsigned byte) { return byte >> 4 * side & 15; };
            MenOrder order;
            order.lead_place = static_cast<int>(nibble(lead));
            order.other_pawns = static_cast<int>(nibble(others));
            order.pawn_file = file;
            for (const unsigned byte : men) order.men.push_back(man_of(nibble(byte)));
            orders.push_back(order);
        }
    }
    cursor.align(2);
    return orders;
}

void read_maps(Cursor& cursor, Table::Section& section) {
    if (!(section.pairs.flags() & Table::kMapped)) return;
    const bool wide = (section.pairs.flags() & Table::kWideMap) != 0;
    if (wide) cursor.align(2);
    for (auto& map : section.maps) {
        map.resize(wide ? cursor.u16() : cursor.u8());
        for (std::uint16_t& value : map) value = wide ? cursor.u16() : cursor.u8();
    }
}

}  // namespace

std::string_view suffix(Kind kind) { return kind == Kind::Wdl ? ".rtbw" : ".rtbz"; }

MenKey men_key(const Board& board) {
    MenKey key = 0;
    int men = 0;
    for (Bitboard occupied = board.occupied(); occupied;) {
        if (++men > Material::kMaxMen) return 0;
        const Square s = pop_lowest(occupied);
        key += one_man(board.code_at(s), (board.black >> s & 1) != 0);
    }
    return key;
}

MenKey men_key(const Material& material, bool swapped) {
    MenKey key = 0;
    for (const Color c : {Color::White, Color::Black}) {
        const bool black = (c == Color::Black) != swapped;
        key += one_man(code_of(PieceType::King), black);
        for (int t = 0; t < kPieceTypes - 1; ++t) {
            const auto type = static_cast<PieceType>(t);
            key += one_man(code_of(type), black) * static_cast<unsigned>(material.count(c, type));
        }
    }
    return key;
}

Table::Table(const std::filesystem::path& path, Check check)
    : Table(path, std::make_unique<MappedFile>(path), {}, check) {}

Table::Table(std::string_view name, Bytes content, Check check)
    : Table(std::filesystem::path(name), nullptr, content, check) {}

Table::Table(const std::filesystem::path& name, std::unique_ptr<MappedFile> file, Bytes content,
             Check check)
    : name_(name.string()), file_(std::move(file)), content_(file_ ? file_->bytes() : content) {
    const std::string extension = name.extension().string(), stem = name.stem().string();
    if (extension != suffix(Kind::Wdl) && extension != suffix(Kind::Dtz))
        fail("its name ends neither in .rtbw nor in .rtbz");
    kind_ = extension == suffix(Kind::Wdl) ? Kind::Wdl : Kind::Dtz;
    try {
        material_ = Material::parse(stem);
    } catch (const Error&) {
        fail("its name is none of a material");
    }
    if (material_.name() != stem || material_.men() < 3) fail("its name is none of a table");
    try {
        read(check);
    } catch (const Damage& damage) {
        fail(damage.what);
    }
}

void Table::fail(const char* what) const {
    throw Error(ErrorCode::File, std::string("not a sound Syzygy file: ") + what, name_);
}

void Table::read(Check check) {
    if (content_.size() % kAlignment != kChecksumBytes || content_.size() < kAlignment)
        throw Damage{"it has no length that such files have"};
    const Bytes body = content_.first(content_.size() - kChecksumBytes);

    // The checksum stands behind; readers of the last block may look into it.
    Cursor cursor(content_);
    const Bytes magic = cursor.take(kWdlMagic.size());
    const auto& expected = kind_ == Kind::Wdl ? kWdlMagic : kDtzMagic;
    if (!std::equal(magic.begin(), magic.end(), expected.begin()))
        throw Damage{"it begins with other bytes"};
    if (check == Check::Content) {
        if (file_) file_->expect(MappedFile::Access::Sequential);
        const Checksum sum = checksum(body);
        if (!std::equal(sum.begin(), sum.end(), content_.end() - kChecksumBytes))
            throw Damage{"its checksum is wrong"};
    }
    if (file_) file_->expect(MappedFile::Access::Random);

    const bool symmetric = material_.symmetric(), pawns = material_.pawns() > 0;
    if (cursor.u8() != (static_cast<unsigned>(material_.men()) << 4 | (symmetric ? 0 : kTwoSided) |
                        (pawns ? kWithPawns : 0)))
        throw Damage{"it is of another material than its name says"};
    files_ = pawns ? 4 : 1;
    sides_ = kind_ == Kind::Wdl && !symmetric ? 2 : 1;

    const std::vector<MenOrder> orders = read_orders(cursor, material_, files_, sides_);
    key_ = key_of(orders[0].men);
    swapped_key_ = men_key(material_, key_ == men_key(material_, false));
    if (key_ != men_key(material_, false) && key_ != men_key(material_, true))
        throw Damage{"it is of another material than its name says"};
    for (const MenOrder& order : orders) {
        // Which pawn leads decides the file, so it must not depend on it.
        if (key_of(order.men) != key_ || (pawns && order.men[0] != orders[0].men[0]))
            throw Damage{"its sections are of different men"};
        Numbering numbering(order);
        const std::uint64_t size = numbering.size();
        sections_.push_back(std::make_unique<Section>(
            Section{std::move(numbering), Pairs(cursor, size, kind_ == Kind::Wdl), {}}));
    }
    if (kind_ == Kind::Dtz) {
        for (auto& section : sections_) read_maps(cursor, *section);
        cursor.align(2);
    }
    for (auto& section : sections_) section->pairs.read_sparse_index(cursor);
    for (auto& section : sections_) section->pairs.read_block_lengths(cursor);
    for (auto& section : sections_) section->pairs.read_blocks(cursor);
    cursor.align(kAlignment);
    if (cursor.left() != kChecksumBytes) throw Damage{"it goes on behind its end"};
}

unsigned Table::raw(int file, int side, std::uint64_t place) const {
    try {
        return section(file, side).pairs.value(place);
    } catch (const Damage& damage) {
        fail(damage.what);
    }
}

bool Table::in_plies(int file, Wdl wdl) const {
    const unsigned flags = section(file, 0).pairs.flags();
    return (wdl == Wdl::Win && (flags & kWinsInPlies)) ||
           (wdl == Wdl::Loss && (flags & kLossesInPlies));
}

int Table::stored_side(int file) const {
    return !material_.symmetric() && (section(file, 0).pairs.flags() & kBlackToMove) ? 1 : 0;
}

Table::Place Table::place(const Position& position) const {
    const Board& board = position.board();
    const MenKey key = men_key(board);
    if (key != key_ && key != swapped_key_)
        throw Error(ErrorCode::Input, "the position is not of this material", name_);
    const bool black_to_move = position.side_to_move() == Color::Black;
    // The file's colours are the position's, or all is seen from the other side of the board. Of a
    // symmetric material every position is seen with White to move.
    const bool flipped = material_.symmetric() ? black_to_move : key != key_;
    Place place{0, black_to_move != flipped ? 1 : 0, 0};

    const int flip_ranks = flipped ? 56 : 0;
    MenSquares squares{};
    int placed = 0;
    const auto put = [&](Piece man, int count) {
        Bitboard men = board.of(flipped ? ~man.color : man.color) & board.of(man.type);
        for (int i = 0; i < count; ++i)
            squares[static_cast<std::size_t>(placed++)] =
                static_cast<std::uint8_t>(pop_lowest(men) ^ flip_ranks);
    };
    const int side = kind_ == Kind::Wdl ? place.side : 0;
    const Numbering* numbering = &section(0, side).numbering;
    if (files_ > 1) {
        put(numbering->order().men[0], numbering->lead_size());
        place.file = Numbering::leading_pawn(squares, placed);
        numbering = &section(place.file, side).numbering;
    } else {
        for (int i = 0; i < numbering->lead_size(); ++i)
            put(numbering->order().men[static_cast<std::size_t>(i)], 1);
    }
    for (const Numbering::Group& group : numbering->groups())
        put(numbering->order().men[static_cast<std::size_t>(group.first)], group.size);
    place.number = numbering->number(squares);
    return place;
}

Wdl Table::wdl(const Position& position) const {
    const Place p = place(position);
    try {
        return wdl_of(section(p.file, p.side).pairs.value(p.number));
    } catch (const Damage& damage) {
        fail(damage.what);
    }
}

std::optional<Dtz> Table::dtz(const Position& position, Wdl wdl) const {
    const Place p = place(position);
    if (p.side != stored_side(p.file)) return std::nullopt;
    const Section& s = section(p.file, 0);
    try {
        unsigned value = s.pairs.value(p.number);
        if (s.pairs.flags() & kMapped) {
            const auto& map = s.maps[map_of(wdl)];
            if (value >= map.size()) throw Damage{"it holds a value that its map has not"};
            value = map[value];
        }
        const bool exact = in_plies(p.file, wdl);
        const bool cursed = wdl == Wdl::CursedWin || wdl == Wdl::BlessedLoss;
        const int plies = static_cast<int>(exact ? value : 2 * value) + (cursed ? 101 : 1);
        return Dtz{wdl > Wdl::Draw ? plies : -plies, exact};
    } catch (const Damage& damage) {
        fail(damage.what);
    }
}

}  // namespace mansuba::tablebase::syzygy

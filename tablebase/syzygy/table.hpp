// One Syzygy file, .rtbw or .rtbz. See tablebase/SYZYGY.md for the format.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/position.hpp"
#include "tablebase/codes.hpp"
#include "tablebase/material.hpp"
#include "tablebase/syzygy/mapped_file.hpp"
#include "tablebase/syzygy/numbering.hpp"
#include "tablebase/syzygy/pairs.hpp"

namespace mansuba::tablebase::syzygy {

enum class Kind {
    Wdl,  // .rtbw: win, draw or loss, of both sides to move
    Dtz,  // .rtbz: distance to zeroing, of one side to move
};

/// ".rtbw" or ".rtbz".
std::string_view suffix(Kind kind);

/// Whether the checksum at the end of a file is compared with its content, for which every byte is
/// read. Without, damage that leads nowhere impossible is not seen.
enum class Check { Content, StructureOnly };

/// A distance to zeroing: plies to the next capture, pawn move or mate with best play of both sides,
/// positive if the side to move wins, negative if it loses, 0 for a draw; -1 also if it is mated. A
/// hundred more where the 50-move rule makes a draw of it (Wdl::CursedWin, BlessedLoss) though this
/// phase alone does not. Defined by syzygy1/tb.
struct Dtz {
    int plies;
    /// False if files hold this distance in moves: the true one may be one ply longer.
    bool exact;
    friend bool operator==(Dtz, Dtz) = default;
};

/// What tells endgames apart fast: the numbers of men by colour and kind, four bits each.
using MenKey = std::uint64_t;
/// Of a board; 0 if it has more than Material::kMaxMen men.
MenKey men_key(const Board& board);
/// Of a material, or with its colours exchanged.
MenKey men_key(const Material& material, bool swapped);

/// A file that has been opened: its structure is sound and inside its length. All const members may be
/// called by several threads at once.
class Table {
public:
    /// Opens a file by its name, which says what it must hold (KRPvKR.rtbw); the content is mapped, not
    /// loaded. Throws Error(File) naming the file if it cannot be read, or is damaged, cut short,
    /// foreign, or of another material or kind.
    explicit Table(const std::filesystem::path& path, Check check = Check::Content);
    /// The same of bytes in memory; `name` as a file's. They must outlive the table.
    Table(std::string_view name, Bytes content, Check check = Check::Content);

    Kind kind() const { return kind_; }
    const Material& material() const { return material_; }
    /// Length of the file.
    std::uint64_t bytes() const { return content_.size(); }

    /// Which of a DTZ section's maps a value's numbers go through.
    static constexpr std::size_t map_of(Wdl wdl) {
        return wdl == Wdl::Win ? 0 : wdl == Wdl::Loss ? 1 : wdl == Wdl::CursedWin ? 2 : 3;
    }

    // Sections: with pawns four, by the file of the leading pawn (0: a and h, to 3: d and e), else one;
    // of each, in WDL files of materials that are not symmetric, one a side to move (0: the stronger).

    struct Section {
        Numbering numbering;
        Pairs pairs;
        // DTZ: what stands for a value, by map_of(); empty where values are distances themselves.
        std::array<std::vector<std::uint16_t>, 4> maps;
    };
    int files() const { return files_; }
    int sides() const { return sides_; }
    const Section& section(int file, int side) const {
        return *sections_[static_cast<std::size_t>(file * sides_ + side)];
    }
    /// The number that a section holds at a place below its size, as it is in the file. Throws
    /// Error(File) if the file is damaged there.
    unsigned raw(int file, int side, std::uint64_t place) const;

    static constexpr std::array<std::uint8_t, 4> kWdlMagic{0x71, 0xe8, 0x23, 0x5d},
        kDtzMagic{0xd7, 0x66, 0x0c, 0xa5};
    // Of the byte behind; above them the number of men.
    static constexpr unsigned kTwoSided = 1, kWithPawns = 2;
    static constexpr std::size_t kAlignment = 64;

    // Flags of a DTZ section.
    static constexpr unsigned kBlackToMove = 1, kMapped = 2, kWinsInPlies = 4, kLossesInPlies = 8,
                              kWideMap = 16;
    /// Whether values of this class (not Draw) are in plies in the section of this file; else they are
    /// in moves and lose the last ply. Cursed wins and blessed losses always do. Only DTZ files.
    bool in_plies(int file, Wdl wdl) const;
    /// The side whose moves a DTZ section is about: 0 is the stronger. Of symmetric materials, 0.
    int stored_side(int file) const;

    /// Where a position is.
    struct Place {
        int file, side;
        std::uint64_t number;
    };
    /// Of a position of this material (with colours exchanged or not), en passant and castling rights
    /// left out; Error(Input) for another. In a DTZ file the place may be of the side that is not
    /// stored.
    Place place(const Position& position) const;

    /// What a WDL file holds: the value without en passant and castling rights, or less where a capture
    /// gives it. Throws as place() and raw() do.
    Wdl wdl(const Position& position) const;
    /// What a DTZ file holds of a position with that value, not Draw; nothing if it is about the other
    /// side to move. Meaningless where a zeroing move gives a win at once. Throws as place() and raw().
    std::optional<Dtz> dtz(const Position& position, Wdl wdl) const;

private:
    Table(const std::filesystem::path& name, std::unique_ptr<MappedFile> file, Bytes content,
          Check check);

    void read(Check check);
    [[noreturn]] void fail(const char* what) const;

    std::string name_;  // for errors
    std::unique_ptr<MappedFile> file_;
    Bytes content_;
    Kind kind_ = Kind::Wdl;
    Material material_;
    MenKey key_ = 0, swapped_key_ = 0;  // as the file colours its men
    int files_ = 1, sides_ = 1;
    // Sections are large, and few.
    std::vector<std::unique_ptr<Section>> sections_;
};

}  // namespace mansuba::tablebase::syzygy

// Perft suites: positions with their known counts, in the three formats people keep them in.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/setup.hpp"
#include "core/uint128.hpp"

namespace mansuba::perft {

/// One count to check: perft(fen, depth) == nodes.
struct SuiteRow {
    std::size_t line = 0;  // in its file, from 1
    std::string id;        // may be empty
    std::string fen;       // as written, not yet checked
    Variant variant = Variant::Auto;
    int depth = 0;
    Uint128 nodes = 0;
};

/// Reads a suite; the format is told by the first line that is neither blank nor a # comment:
///   EPD     FEN ;D1 20 ;D2 400 …    with four or six fields; also `FEN; D1 20;`, `FEN D1 20;`, and
///           other EPD operations, of which `id "name"` is kept and the rest skipped
///   .perft  id NAME / epd FEN / perft DEPTH NODES, blocks divided by blank lines
///   TSV     a header with the columns fen, depth and nodes, in any order and among any others; id
///           and chess960 (y or n: Variant::Chess960 or Standard) where present
/// Where nothing says the variant, it is Variant::Auto. Rows come in file order; lines may end in
/// CRLF and the file begin with a UTF-8 byte order mark. Counts are plain digits. FENs of other
/// games are kept as they stand: parse_fen refuses them.
/// Throws Error(File) if the file cannot be read, Error(Input) with file and line if a line makes
/// no sense, a position has no count, or the suite is empty.
std::vector<SuiteRow> read_suite(const std::filesystem::path& path);

/// The same from text; `name` stands in errors.
std::vector<SuiteRow> parse_suite(std::string_view text, const std::string& name);

}  // namespace mansuba::perft

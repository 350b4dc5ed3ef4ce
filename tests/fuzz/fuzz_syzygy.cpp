// libFuzzer target: any bytes as a Syzygy file. Whatever they are, opening and reading them gives values
// in range or an Error(File) that names the file; never anything outside the bytes. The first byte says
// which file they are; the checksum is not looked at, for it would keep nearly everything out.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/fen.hpp"
#include "tablebase/syzygy/table.hpp"

namespace {

using namespace mansuba;
using namespace mansuba::tablebase;

struct File {
    std::string_view name, fen;  // of a position that it is about
};
constexpr File kFiles[] = {
    {"KQvK.rtbw", "8/8/8/3k4/8/8/1Q6/K7 w - - 0 1"},
    {"KQvK.rtbz", "8/8/8/3k4/8/8/1Q6/K7 b - - 0 1"},
    {"KRvK.rtbw", "8/8/8/3k4/8/8/1R6/K7 b - - 0 1"},
    {"KRvK.rtbz", "8/8/8/3k4/8/8/1R6/K7 b - - 0 1"},
    {"KPvK.rtbw", "8/8/8/3k4/8/8/1P6/K7 w - - 0 1"},
    {"KPvK.rtbz", "8/8/8/3k4/8/8/1P6/K7 w - - 0 1"},
    {"KBvK.rtbw", "8/8/8/3k4/8/8/1B6/K7 w - - 0 1"},
    {"KBvK.rtbz", "8/8/8/3k4/8/8/1B6/K7 w - - 0 1"},
    {"KQvKR.rtbw", "8/8/8/3kr3/8/8/1Q6/K7 w - - 0 1"},
    {"KQvKR.rtbz", "8/8/8/3kr3/8/8/1Q6/K7 b - - 0 1"},
    {"KPvKP.rtbw", "8/8/8/3kp3/8/8/1P6/K7 w - - 0 1"},
    {"KPvKP.rtbz", "8/8/8/3kp3/8/8/1P6/K7 b - - 0 1"},
    {"KRvKR.rtbw", "8/8/8/3kr3/8/8/1R6/K7 w - - 0 1"},
    {"KBPvKN.rtbz", "8/8/8/3kn3/8/8/1BP5/K7 w - - 0 1"},
};

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
}

template <class Read>
void allow_file_error(std::string_view name, const Read& read) {
    try {
        read();
    } catch (const Error& e) {
        require(e.code() == ErrorCode::File, "another error than File");
        require(std::string_view(e.what()).find(name) != std::string_view::npos,
                "an error that does not name the file");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const File& given = kFiles[data[0] % std::size(kFiles)];
    const std::string_view name = given.name, fen = given.fen;
    // A copy, so that the sanitizer sees its end.
    const std::vector<std::uint8_t> content(data + 1, data + size);
    const syzygy::Bytes bytes(content);
    allow_file_error(name, [&] {
        const syzygy::Table table(name, bytes, syzygy::Check::StructureOnly);
        for (int file = 0; file < table.files(); ++file)
            for (int side = 0; side < table.sides(); ++side) {
                const std::uint64_t places = table.section(file, side).numbering.size();
                // From both ends and some between.
                for (std::uint64_t i = 0; i < std::min<std::uint64_t>(places, 64); ++i)
                    for (const std::uint64_t place : {i, places - 1 - i, places / 64 * i})
                        allow_file_error(name, [&] { table.raw(file, side, place); });
            }
        const Position position = parse_fen(fen);
        if (table.kind() == syzygy::Kind::Wdl) {
            const auto wdl = static_cast<int>(table.wdl(position));
            require(wdl >= -2 && wdl <= 2, "a result that is none");
        } else {
            for (const Wdl of : {Wdl::Win, Wdl::CursedWin, Wdl::BlessedLoss, Wdl::Loss})
                allow_file_error(name, [&] { table.dtz(position, of); });
        }
    });
    return 0;
}

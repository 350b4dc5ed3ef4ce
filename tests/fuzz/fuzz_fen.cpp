// libFuzzer target: any bytes as a FEN, in every variant and strictness. What holds for every text
// is trapped on, so that the fuzzer keeps the text that breaks it.
//
// Built with clang, -fsanitize=fuzzer,address,undefined. Finds are written into the first folder
// named, so that goes before the seeds:  fuzz_fen -dict=tests/fuzz/fen.dict FINDS
// tests/fuzz/fen_seeds
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/fen.hpp"
#include "core/setup.hpp"

namespace {

using namespace mansuba;

void require(bool holds, const char* what, std::string_view text) {
    if (holds) return;
    std::fprintf(stderr, "broken: %s: %.*s\n", what, static_cast<int>(text.size()), text.data());
    std::abort();
}

/// A message of ours fits on one line of any terminal, whatever the text held.
void require_printable(std::string_view message) {
    for (const char c : message) require(c >= ' ' && c <= '~', "unprintable message", message);
    require(message.size() < 1000, "endless message", message.substr(0, 1000));
}

bool same_in_all(const Position& a, const Position& b) {
    return a == b && a.halfmove_clock() == b.halfmove_clock() &&
           a.fullmove_number() == b.fullmove_number();
}

std::optional<Position> read(std::string_view fen, FenOptions options, std::size_t& dropped) {
    std::vector<std::string> warnings;
    try {
        const Position position = parse_fen(fen, options, &warnings);
        for (const std::string& w : warnings) require_printable(w);
        dropped = warnings.size();
        require(dropped == 0 || options.strictness == Strictness::Lenient, "Strict with warnings",
                fen);
        return position;
    } catch (const Error& e) {
        require(e.code() == ErrorCode::Input, "another error than Input", e.what());
        require(std::string_view(e.what()).starts_with("FEN "), "a nameless error", e.what());
        require_printable(e.what());
        return std::nullopt;
    }
}

/// What was read is written and read again in the same variant, unchanged.
void require_stable(const Position& position, Variant variant) {
    const std::string fen = to_fen(position);
    std::size_t dropped = 0;
    const std::optional<Position> again = read(fen, {variant, Strictness::Strict}, dropped);
    require(again && same_in_all(*again, position), "round trip", fen);
    require(to_fen(*again) == fen, "unstable text", fen);
    require(same_in_all(Setup(position).position(variant), position), "Setup round trip", fen);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // A copy of exactly this size, so that the address sanitizer sees a read past its end.
    const std::vector<char> bytes(data, data + size);
    const std::string_view text(bytes.data(), bytes.size());

    std::optional<Position> strict[3];
    for (const Variant variant : {Variant::Standard, Variant::Chess960, Variant::Auto}) {
        std::size_t dropped = 0;
        std::optional<Position>& position = strict[static_cast<std::size_t>(variant)];
        position = read(text, {variant, Strictness::Strict}, dropped);
        const std::optional<Position> lenient = read(text, {variant, Strictness::Lenient}, dropped);
        if (position) {
            require_stable(*position, variant);
            require(lenient && same_in_all(*lenient, *position) && dropped == 0,
                    "Lenient differs where Strict is content", text);
        } else if (lenient) {
            require_stable(*lenient, variant);
            require(dropped > 0, "Lenient takes silently what Strict refuses", text);
        }
    }
    const auto& [standard, chess960, automatic] = strict;
    if (standard)
        require(chess960 && same_in_all(*standard, *chess960), "Standard is no part of Chess960",
                text);
    require(chess960.has_value() == automatic.has_value(), "Auto is not Chess960", text);
    if (chess960) require(same_in_all(*chess960, *automatic), "Auto is not Chess960", text);
    return 0;
}

#include "mansuba/probe.h"

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/fen.hpp"
#include "core/movegen.hpp"
#include "core/setup.hpp"
#include "mansuba/version.hpp"
#include "tablebase/hdf5/table_file.hpp"
#include "tablebase/probe.hpp"

/// The name that C knows it by.
struct mansuba_tables {
    mansuba::tablebase::hdf5::TableFiles files;
};

namespace mansuba::tablebase::c {
namespace {

static_assert(MANSUBA_MAX_MOVES >= (Material::kMaxMen - 2) * 27 + 8 + 8,
              "queens that see the whole board, and two kings");

/// An Error(Input) of which C tells the kind.
class Refusal : public Error {
public:
    Refusal(mansuba_status status, const std::string& what)
        : Error(ErrorCode::Input, what), status_(status) {}
    mansuba_status status() const noexcept { return status_; }

private:
    mansuba_status status_;
};

/// A fixed array, so that telling of an error cannot fail.
thread_local std::array<char, 1000> last_message{};

mansuba_status failed(mansuba_status status, std::string_view message) noexcept {
    const std::size_t length = std::min(message.size(), last_message.size() - 1);
    *std::copy_n(message.data(), length, last_message.data()) = '\0';
    return status;
}

mansuba_status status_of(const Error& e) noexcept {
    switch (e.code()) {
        case ErrorCode::File: return MANSUBA_FILE;
        case ErrorCode::Usage:
        case ErrorCode::Input: return MANSUBA_INVALID;
        default: return MANSUBA_INTERNAL;
    }
}

/// Nothing thrown gets past this.
template <class F>
mansuba_status guarded(F&& f) noexcept {
    try {
        f();
        return MANSUBA_OK;
    } catch (const Refusal& e) {
        return failed(e.status(), e.what());
    } catch (const Error& e) {
        return failed(status_of(e), e.what());
    } catch (const std::bad_alloc&) {
        return failed(MANSUBA_INTERNAL, "out of memory");
    } catch (const std::exception& e) {
        return failed(MANSUBA_INTERNAL, e.what());
    } catch (...) {
        return failed(MANSUBA_INTERNAL, "unknown error");
    }
}

template <class... Pointers>
void refuse_null(const Pointers*... pointers) {
    if (((pointers == nullptr) || ...)) throw Error(ErrorCode::Input, "a null pointer");
}

Position position_of(const mansuba_position& p) {
    const Bitboard kinds[] = {p.pawns, p.knights, p.bishops, p.rooks, p.queens, p.kings};
    Bitboard seen = 0, twice = p.white & p.black;
    for (const Bitboard kind : kinds) {
        twice |= seen & kind;
        seen |= kind;
    }
    if (twice || seen != (p.white | p.black))
        throw Error(ErrorCode::Input, "a square has two men, or a man without a colour or kind");
    if (p.black_to_move > 1) throw Error(ErrorCode::Input, "black_to_move is neither 0 nor 1");

    Setup setup;
    for (int kind = 0; kind < kPieceTypes; ++kind)
        for (Bitboard rest = kinds[kind]; rest;) {
            const Square s = pop_lowest(rest);
            const Color color = p.black >> s & 1 ? Color::Black : Color::White;
            setup.squares[static_cast<std::size_t>(s)] = Piece{color, static_cast<PieceType>(kind)};
        }
    setup.side_to_move = static_cast<Color>(p.black_to_move);
    setup.castling_rooks = p.castling_rooks;
    if (p.en_passant) setup.en_passant = p.en_passant;
    return setup.position(Variant::Auto);
}

mansuba_position plain(const Position& position) {
    mansuba_position p{};
    p.white = position.of(Color::White);
    p.black = position.of(Color::Black);
    p.pawns = position.of(PieceType::Pawn);
    p.knights = position.of(PieceType::Knight);
    p.bishops = position.of(PieceType::Bishop);
    p.rooks = position.of(PieceType::Rook);
    p.queens = position.of(PieceType::Queen);
    p.kings = position.of(PieceType::King);
    p.castling_rooks = position.board().castling_rooks();
    p.black_to_move = position.side_to_move() == Color::Black;
    if (position.en_passant() != kNoSquare)
        p.en_passant = static_cast<std::uint8_t>(position.en_passant());
    return p;
}

Position read_fen(const char* fen) { return parse_fen(fen, {Variant::Auto, Strictness::Strict}); }

mansuba_value value_of(mansuba_tables& tables, const Position& position) {
    if (position.board().castling_rooks())
        throw Refusal(MANSUBA_CASTLING, "tables know no castling rights");
    // With an en passant right several tables are asked; a metric counts if all have it.
    struct {
        hdf5::TableFiles& files;
        bool dtz = true, dtm = true;
    } asked{tables.files};
    const Value v = probe(position, [&asked](const Material& material) -> const Values* {
        const hdf5::TableFile* const table = asked.files.find(material);
        if (!table)
            throw Refusal(MANSUBA_NO_TABLE,
                          "needs " + material.name() + ": mansuba build " + material.name());
        if (!table->has(Metric::Wdl))
            throw Refusal(MANSUBA_NO_TABLE, material.name() + " was built without wdl");
        asked.dtz = asked.dtz && table->has(Metric::Dtz);
        asked.dtm = asked.dtm && table->has(Metric::Dtm);
        return table;
    });
    mansuba_value result{static_cast<int>(v.wdl), v.dtz, v.dtm};
    if (!asked.dtz) result.dtz = MANSUBA_UNKNOWN;
    if (!asked.dtm) result.dtm = MANSUBA_UNKNOWN;
    if (v.wdl == Wdl::Draw) result.dtm = MANSUBA_NO_MATE;
    return result;
}

mansuba_move move_of(mansuba_tables& tables, const Position& position, Move move) {
    Position after = position;
    after.play(move);
    mansuba_move m{};
    m.from = static_cast<std::uint8_t>(move.from());
    m.to = static_cast<std::uint8_t>(move.to());
    if (is_promotion(move.kind())) m.promotion = "pnbrq"[static_cast<int>(move.promotion())];
    m.zeroing = is_zeroing(position, move);
    if (count_legal_moves(after) == 0) {
        m.checkmate = after.in_check();
        m.stalemate = !m.checkmate;
    }
    m.after = value_of(tables, after);
    return m;
}

}  // namespace
}  // namespace mansuba::tablebase::c

using namespace mansuba;
using namespace mansuba::tablebase;
using namespace mansuba::tablebase::c;

const char* mansuba_error_message(void) { return last_message.data(); }

const char* mansuba_version(void) {
    static const std::string version(kVersion);
    return version.c_str();
}

mansuba_status mansuba_open(const char* directory, size_t cache_bytes, mansuba_tables** tables) {
    return guarded([&] {
        refuse_null(directory, tables);
        std::error_code error;
        // Reading it says more than asking whether it is there: it may be a file, or forbidden.
        const std::filesystem::directory_iterator contents(directory, error);
        if (error) throw Error(ErrorCode::File, error.message(), directory);
        if (cache_bytes == 0) cache_bytes = hdf5::TableFiles::kCacheBytes;
        *tables = new mansuba_tables{hdf5::TableFiles(directory, cache_bytes)};
    });
}

void mansuba_close(mansuba_tables* tables) { delete tables; }

mansuba_status mansuba_read_fen(const char* fen, mansuba_position* position) {
    return guarded([&] {
        refuse_null(fen, position);
        *position = plain(read_fen(fen));
    });
}

mansuba_status mansuba_probe(mansuba_tables* tables, const mansuba_position* position,
                             mansuba_value* value) {
    return guarded([&] {
        refuse_null(tables, position, value);
        *value = value_of(*tables, position_of(*position));
    });
}

mansuba_status mansuba_probe_fen(mansuba_tables* tables, const char* fen, mansuba_value* value) {
    return guarded([&] {
        refuse_null(tables, fen, value);
        *value = value_of(*tables, read_fen(fen));
    });
}

mansuba_status mansuba_probe_moves(mansuba_tables* tables, const mansuba_position* position,
                                   mansuba_move* moves, size_t capacity, size_t* count) {
    return guarded([&] {
        refuse_null(tables, position, moves, count);
        const Position parsed = position_of(*position);
        if (parsed.board().castling_rooks())
            throw Refusal(MANSUBA_CASTLING, "tables know no castling rights");
        if (popcount(parsed.occupied()) > Material::kMaxMen)
            throw Error(ErrorCode::Input, "more men than tables have");
        const MoveList legal = legal_moves(parsed);
        if (legal.size() > capacity)
            throw Error(ErrorCode::Input, std::to_string(legal.size()) + " moves, room for " +
                                              std::to_string(capacity));
        std::transform(legal.begin(), legal.end(), moves,
                       [&](Move m) { return move_of(*tables, parsed, m); });
        *count = legal.size();
    });
}

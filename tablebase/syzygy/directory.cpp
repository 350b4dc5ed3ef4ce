#include "tablebase/syzygy/directory.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <system_error>
#include <unordered_map>

#include "core/error.hpp"
#include "core/movegen.hpp"

namespace mansuba::tablebase::syzygy {
namespace {

constexpr int kNone = -3;  // worse than any value

/// A file that is opened when it is first asked for.
class LazyTable {
public:
    explicit LazyTable(std::filesystem::path path, Check check)
        : path_(std::move(path)), check_(check) {}

    const Table& get() const {
        if (const Table* open = open_.load(std::memory_order_acquire)) return *open;
        const std::lock_guard lock(mutex_);
        if (!table_) table_ = std::make_unique<Table>(path_, check_);
        open_.store(table_.get(), std::memory_order_release);
        return *table_;
    }

private:
    std::filesystem::path path_;
    Check check_;
    mutable std::mutex mutex_;
    mutable std::unique_ptr<const Table> table_;
    mutable std::atomic<const Table*> open_ = nullptr;
};

bool is_capture(const Position& p, Move m) {
    return m.kind() == MoveKind::EnPassant || (p.occupied() & bit(m.to())) != 0;
}
bool is_zeroing(const Position& p, Move m) {
    return is_capture(p, m) || (p.of(PieceType::Pawn) & bit(m.from())) != 0;
}
Position after(Position p, Move m) {
    p.play(m);
    return p;
}

constexpr MoveKind kPromotions[] = {MoveKind::PromoteToQueen, MoveKind::PromoteToRook,
                                    MoveKind::PromoteToBishop, MoveKind::PromoteToKnight};

/// Calls use(move, position after it) for each legal capture, until one call says false. Few positions of
/// few men have a capture, so other moves are not made.
template <class Use>
void each_capture(const Position& p, const Use& use) {
    if (p.en_passant() != kNoSquare) {
        for (const Move m : legal_moves(p))
            if (is_capture(p, m) && !use(m, after(p, m))) return;
        return;
    }
    const Color us = p.side_to_move();
    const auto goes_on = [&](Move m) {
        const Square king = m.from() == p.king(us) ? m.to() : p.king(us);
        const Bitboard checks =
            attackers(p.board(), king, ~us, p.occupied() & ~bit(m.from())) & ~bit(m.to());
        return checks || use(m, after(p, m));
    };
    for (Bitboard men = p.of(~us) & ~p.of(PieceType::King); men;) {
        const Square to = pop_lowest(men);
        for (Bitboard by = attackers(p.board(), to, us, p.occupied()); by;) {
            const Square from = pop_lowest(by);
            if (p.of(PieceType::Pawn) & bit(from) && (rank_of(to) == 0 || rank_of(to) == 7)) {
                for (const MoveKind kind : kPromotions)
                    if (!goes_on(Move(from, to, kind))) return;
            } else if (!goes_on(Move(from, to, MoveKind::Normal))) {
                return;
            }
        }
    }
}

/// What looking at captures and at the WDL file tells.
struct Outcome {
    int en_passant = kNone;  // best value of such a capture
    int capture = kNone;     // of any other
    int stored = kNone;  // of the file; not looked at where a capture wins or nothing else is legal

    int without_en_passant() const { return std::max(capture, stored); }
    int value() const { return std::max(en_passant, without_en_passant()); }
};

/// The distance of a position in which a zeroing move is played at once.
int zeroing_now(int wdl) { return wdl == 2 ? 1 : wdl == 1 ? 101 : wdl == -1 ? -101 : -1; }

}  // namespace

class Directory::Files {
public:
    Files(const std::filesystem::path& path, Check check);

    const LazyTable* find(Kind kind, MenKey key) const {
        const auto& tables = tables_[static_cast<std::size_t>(kind)];
        const auto found = tables.find(key);
        return found == tables.end() ? nullptr : found->second;
    }

    // These are empty if a file is missing.
    std::optional<Outcome> outcome(const Position& p) const;
    /// The exact value if it is between alpha and beta, else a bound on that side.
    std::optional<int> value(const Position& p, int alpha, int beta) const;
    std::optional<Dtz> dtz(const Position& p) const;

private:
    std::optional<int> stored(const Position& p) const;
    std::optional<Dtz> dtz_by_moves(const Position& p, int wdl) const;

    std::vector<std::unique_ptr<const LazyTable>> all_;
    std::array<std::unordered_map<MenKey, const LazyTable*>, 2> tables_;  // by Kind
};

Directory::Files::Files(const std::filesystem::path& path, Check check) {
    try {
        for (const auto& entry : std::filesystem::directory_iterator(path)) {
            const std::filesystem::path& file = entry.path();
            for (const Kind kind : {Kind::Wdl, Kind::Dtz}) {
                if (file.extension() != suffix(kind)) continue;
                Material material;
                try {
                    material = Material::parse(file.stem().string());
                } catch (const Error&) {
                    continue;
                }
                if (material.name() != file.stem() || material.men() < 3) continue;
                all_.push_back(std::make_unique<const LazyTable>(file, check));
                for (const bool swapped : {false, true})
                    tables_[static_cast<std::size_t>(kind)][men_key(material, swapped)] =
                        all_.back().get();
            }
        }
    } catch (const std::filesystem::filesystem_error& e) {
        throw Error(ErrorCode::File, "cannot read the directory: " + e.code().message(),
                    path.string());
    }
}

std::optional<int> Directory::Files::stored(const Position& p) const {
    const MenKey key = men_key(p.board());
    static const MenKey kings = men_key(Material(), false);
    if (key == kings) return 0;
    const LazyTable* const table = find(Kind::Wdl, key);
    if (!table) return std::nullopt;
    return static_cast<int>(table->get().wdl(p));
}

std::optional<int> Directory::Files::value(const Position& p, int alpha, int beta) const {
    // After a capture there is no en passant right, so that files and captures tell all.
    int best = kNone;
    bool missing = false;
    each_capture(p, [&](Move, const Position& next) {
        const auto v = value(next, -beta, -std::max(alpha, best));
        missing = !v;
        if (v) best = std::max(best, -*v);
        return v && best < beta;
    });
    if (missing) return std::nullopt;
    if (best >= beta) return best;
    const auto v = stored(p);
    if (!v) return std::nullopt;
    return std::max(best, *v);
}

std::optional<Outcome> Directory::Files::outcome(const Position& p) const {
    Outcome o;
    bool missing = false;
    each_capture(p, [&](Move m, const Position& next) {
        const auto v = value(next, -2, 2);
        missing = !v;
        if (!v) return false;
        int& best = m.kind() == MoveKind::EnPassant ? o.en_passant : o.capture;
        best = std::max(best, -*v);
        return true;
    });
    if (missing) return std::nullopt;
    const auto only_en_passant = [&] {
        if (o.en_passant == kNone || o.capture != kNone) return false;
        const MoveList moves = legal_moves(p);
        return std::all_of(moves.begin(), moves.end(),
                           [](Move m) { return m.kind() == MoveKind::EnPassant; });
    };
    // The file takes a position without other moves for a mate or stalemate.
    if (o.value() == 2 || only_en_passant()) return o;
    const auto v = stored(p);
    if (!v) return std::nullopt;
    o.stored = *v;
    return o;
}

std::optional<Dtz> Directory::Files::dtz(const Position& p) const {
    const auto o = outcome(p);
    if (!o) return std::nullopt;
    const int wdl = o->value();
    if (wdl == 0) return Dtz{0, true};
    // En passant is not in the files. Other captures are: a loser's may be best, but need not be.
    if (o->en_passant == wdl && o->without_en_passant() < wdl) return Dtz{zeroing_now(wdl), true};
    if (wdl > 0) {
        if (std::max(o->capture, o->en_passant) == wdl) return Dtz{zeroing_now(wdl), true};
        if (p.of(p.side_to_move(), PieceType::Pawn))
            for (const Move m : legal_moves(p)) {
                if (is_capture(p, m) || !is_zeroing(p, m)) continue;
                const auto reply = outcome(after(p, m));
                if (!reply) return std::nullopt;
                if (reply->value() == -wdl) return Dtz{zeroing_now(wdl), true};
            }
    }
    const LazyTable* const table = find(Kind::Dtz, men_key(p.board()));
    if (!table) return std::nullopt;
    if (const auto stored = table->get().dtz(p, static_cast<Wdl>(wdl))) return stored;
    return dtz_by_moves(p, wdl);
}

std::optional<Dtz> Directory::Files::dtz_by_moves(const Position& p, int wdl) const {
    // The winner hurries, and has no zeroing move that wins: that was looked at. The loser delays.
    // Distances of one sign, so the lowest is the best for both; a longer loss is lower.
    std::optional<Dtz> best;
    bool exact = true;
    for (const Move m : legal_moves(p)) {
        const Position next = after(p, m);
        int plies;
        if (is_zeroing(p, m)) {
            if (wdl > 0) continue;
            const auto reply = outcome(next);
            if (!reply) return std::nullopt;
            if (reply->value() != -wdl) continue;
            plies = zeroing_now(wdl);
        } else {
            const auto reply = dtz(next);
            if (!reply) return std::nullopt;
            plies = -reply->plies;
            if (plies == 0 || (plies > 0) != (wdl > 0)) continue;
            exact &= reply->exact;
            const bool mates = plies == 1 && next.in_check() && legal_moves(next).empty();
            if (!mates) plies += plies > 0 ? 1 : -1;
        }
        if (!best || plies < best->plies) best = Dtz{plies, exact};
    }
    if (best) return Dtz{best->plies, exact};
    if (wdl < 0 && p.in_check() && legal_moves(p).empty()) return Dtz{-1, true};  // mated
    throw Error(ErrorCode::File, "Syzygy files that do not fit together",
                Material::of(p.board()).normalized().name());
}

Directory::Directory(const std::filesystem::path& path, Check check)
    : files_(std::make_unique<const Files>(path, check)) {}
Directory::~Directory() = default;
Directory::Directory(Directory&&) noexcept = default;
Directory& Directory::operator=(Directory&&) noexcept = default;

const Table* Directory::table(const Material& material, Kind kind) const {
    const LazyTable* const table = files_->find(kind, men_key(material, false));
    return table ? &table->get() : nullptr;
}

std::vector<std::string> Directory::missing(const Material& material) const {
    std::vector<std::string> names;
    for (const Material& m : closure({material}))
        for (const Kind kind : {Kind::Wdl, Kind::Dtz})
            if (!files_->find(kind, men_key(m, false)))
                names.push_back(m.name() + std::string(suffix(kind)));
    return names;
}

namespace {

void refuse_castling(const Position& p) {
    if (p.board().castling_rooks())
        throw Error(ErrorCode::Input, "Syzygy files have no positions with castling rights");
}

}  // namespace

std::optional<Wdl> Directory::wdl(const Position& position) const {
    refuse_castling(position);
    const auto o = files_->outcome(position);
    if (!o) return std::nullopt;
    return static_cast<Wdl>(o->value());
}

std::optional<Dtz> Directory::dtz(const Position& position) const {
    refuse_castling(position);
    return files_->dtz(position);
}

}  // namespace mansuba::tablebase::syzygy

#include "tablebase/generator.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <omp.h>
#include <optional>
#include <utility>

#include "core/attacks.hpp"
#include "core/error.hpp"
#include "tablebase/border.hpp"
#include "tablebase/first_error.hpp"
#include "tablebase/solver.hpp"
#include "tablebase/source.hpp"

namespace mansuba::tablebase {
namespace {

/// Distances that need two bytes were met while building with one.
struct TooFar {};

/// Blocks per task of a sweep, and fewer than this many in a placement: then placements are tasks.
constexpr std::uint32_t kSweep = 64, kFewBlocks = 512;

constexpr Color kColors[] = {Color::White, Color::Black};
constexpr std::array kPromotions = {PieceType::Queen, PieceType::Rook, PieceType::Bishop,
                                    PieceType::Knight};

/// How much of what belongs to a table's blocks is used, so many bytes each.
Pages::Touched touched_of(const Index& index, const Team* team, std::uint64_t block_bytes) {
    if (index.orders_outer_men()) return Pages::Touched::Parts;
    if (!team) return Pages::Touched::All;
    // Where runs are short, large pages would hold much that is between them.
    constexpr std::uint64_t kLongRun = std::uint64_t{8} << 20;
    const std::vector<BlockRun> runs = own_blocks(index, team);
    std::uint64_t blocks = 0;
    for (const BlockRun& run : runs) blocks += run.last - run.first;
    return blocks * block_bytes >= kLongRun * runs.size() ? Pages::Touched::Runs
                                                          : Pages::Touched::Parts;
}

/// A set that owns its blocks. They are not cleared: Set::rows says which mean something.
class OwnSet {
public:
    OwnSet(std::uint32_t blocks, Pages::Touched touched)
        : blocks_(std::size_t{blocks} * sizeof(Block), touched), rows_(blocks, 0) {}
    Set set() { return {blocks_.as<Block>(), rows_.data()}; }
    /// Empty, and without memory.
    void let_go() {
        blocks_.let_go();
        std::fill(rows_.begin(), rows_.end(), std::uint8_t{0});
    }

private:
    Pages blocks_;
    std::vector<std::uint8_t> rows_;
};

/// What a placement needs beside its results; used for one after the other.
template <class Code>
struct Workspace {
    Workspace(std::uint32_t blocks, Pages::Touched touched)
        : legal{OwnSet(blocks, touched), OwnSet(blocks, touched)},
          stuck{OwnSet(blocks, touched), OwnSet(blocks, touched)},
          open(blocks, touched),
          candidates(blocks, touched),
          lost(blocks, touched),
          lost_next(blocks, touched),
          won(blocks, touched),
          escapes(blocks, touched),
          pawn_won(blocks, 0),
          pawn_lost(blocks, 0) {}
    std::array<OwnSet, 2> legal, stuck;  // by side to move
    OwnSet open, candidates, lost, lost_next, won, escapes;
    std::vector<std::uint8_t> pawn_won, pawn_lost;
    std::array<Collisions<Code>, 2> captures;  // by who captures
    std::array<Collisions<std::uint8_t>, 2> class_captures;
    std::array<PawnKeys<Code>, 2> pawn_keys;  // by whose pawns
};

/// The distance to mate: codes are plies.
template <class Code>
struct ToMate {
    using Read = Code;
    static constexpr Read kIllegal = DtmCode<Code>::kIllegal;
    static constexpr bool kZeroing = false;
    /// Codes that stand for an event, from 0 on.
    static constexpr std::size_t kEvents =
        std::min<std::size_t>(DtmCode<Code>::kMaxPlies + 1, 1024);
    static constexpr Code kNever = PawnKeys<Code>::kNever;

    static void read(const Source& s, const Squares& squares, int free, Color side_to_move,
                     Read* out) {
        s.dtm(squares, free, side_to_move, out);
    }
    /// The code that lets the other side win, or makes it lose, once `ply` is reached.
    std::optional<Read> lost_code(int ply) const {
        return ply % 2 == 0 ? std::optional(static_cast<Read>(ply)) : std::nullopt;
    }
    std::optional<Read> won_code(int ply) const {
        return ply % 2 == 1 ? std::optional(static_cast<Read>(ply)) : std::nullopt;
    }
    int last_event(Read code) const { return code + 1; }
    /// The ply from which a move to this code wins; from which it loses, 0 if it is no move.
    Code win_ply(Read code) const { return static_cast<Code>(code | never_unless(code, 0)); }
    Code loss_ply(Read code) const {
        const auto no_move = static_cast<Code>(-(code == kIllegal));
        return static_cast<Code>((code | never_unless(code, 1)) & ~no_move);
    }
    /// kNever, all ones, unless the code is a number of plies of that parity. Without branches.
    static Code never_unless(Read code, unsigned parity) {
        const auto other_parity = static_cast<Code>(-((code ^ parity) & 1));
        return static_cast<Code>(other_parity | -(code > DtmCode<Code>::kMaxPlies));
    }
    /// The value of a position that also has a move to one of value `after` (for the other side).
    static Read with_reply(Read code, Read after) {
        using Of = DtmCode<Code>;
        if (code == Of::kIllegal || after == Of::kIllegal) return code;
        const Read reply = after <= Of::kMaxPlies ? static_cast<Read>(after + 1) : Of::kDraw;
        if (code == Of::kStalemate || code == 0) return reply;  // it has no other move
        const auto rank = [](Read c) {                          // the higher, the better
            if (c > Of::kMaxPlies) return 0;
            return c % 2 ? 2 * Of::kMaxPlies - c : c - 2 * Of::kMaxPlies;
        };
        return rank(reply) > rank(code) ? reply : code;
    }
};

/// The same where a draw is claimed as soon as it may be: what follows starts with a clock of 0.
template <class Code>
struct ToMateInTime : ToMate<Code> {
    static void read(const Source& s, const Squares& squares, int free, Color side_to_move,
                     Code* out) {
        s.dtm50(squares, free, side_to_move, out);
    }
};

/// The distance to the next capture, pawn move or mate: what follows those counts by its class only.
template <class Code, bool kAutomatic>
struct ToZeroing {
    using Read = std::uint8_t;
    static constexpr Read kIllegal = wdl_code::kIllegal;
    static constexpr bool kZeroing = true;
    static constexpr std::size_t kEvents = wdl_code::kIllegal;
    static constexpr Code kNever = PawnKeys<Code>::kNever;

    int rule_plies;

    static void read(const Source& s, const Squares& squares, int free, Color side_to_move,
                     Read* out) {
        s.wdl(squares, free, side_to_move, out, kAutomatic);
    }
    /// What is lost but for the rule counts as if that many plies had gone already.
    std::optional<Read> lost_code(int ply) const {
        if (ply == 0) return wdl_code::kLoss;
        return ply == rule_plies ? std::optional(wdl_code::kBlessedLoss) : std::nullopt;
    }
    std::optional<Read> won_code(int ply) const {
        if (ply == 0) return wdl_code::kWin;
        return ply == rule_plies ? std::optional(wdl_code::kCursedWin) : std::nullopt;
    }
    int last_event(Read code) const {
        if (code == wdl_code::kLoss || code == wdl_code::kWin) return 1;
        return code == wdl_code::kBlessedLoss || code == wdl_code::kCursedWin ? rule_plies + 1 : 0;
    }
    Code win_ply(Read code) const {
        const Code ply = code == wdl_code::kBlessedLoss ? static_cast<Code>(rule_plies) : kNever;
        return code == wdl_code::kLoss ? Code{0} : ply;
    }
    Code loss_ply(Read code) const {
        const Code ply = code == wdl_code::kCursedWin ? static_cast<Code>(rule_plies) : kNever;
        return ((code == wdl_code::kWin) | (code == wdl_code::kIllegal)) ? Code{0} : ply;
    }
    static Read with_reply(Read code, Read after) {
        using namespace wdl_code;
        if (code == kIllegal || after == kIllegal) return code;
        const auto reply = static_cast<Read>(after == kStalemate ? kDraw : kWin - after);
        return code == kStalemate ? reply : std::max(code, reply);
    }
};

/// The distance to a mate that the other side helps to: codes are plies.
template <Color kWinner>
struct ToHelpmate {
    using Read = std::uint8_t;
    static constexpr Read kIllegal = help_code::kIllegal;
    static constexpr std::size_t kEvents = help_code::kMaxPlies + 1;

    static void read(const Source& s, const Squares& squares, int free, Color side_to_move,
                     Read* out) {
        s.dth(kWinner, squares, free, side_to_move, out);
    }
    std::uint8_t win_ply(Read code) const {
        return code > help_code::kMaxPlies ? PawnKeys<std::uint8_t>::kNever : code;
    }
    std::uint8_t loss_ply(Read) const { return 0; }
    /// See ToMate. En passant may be the only way out of what looks like mate.
    static Read with_reply(Read code, Read after) {
        if (code == kIllegal || after == kIllegal) return code;
        const Read reply =
            after < help_code::kMaxPlies ? static_cast<Read>(after + 1) : help_code::kNever;
        return code == 0 ? reply : std::min(code, reply);
    }
};

/// Whether there are wins that the limit for a claim takes, among `count` cells from `first` on.
bool has_cursed(const Table& table, std::uint64_t first, std::uint64_t count) {
    for (const Numbers& classes : table.wdl)
        for (const std::uint8_t code : {wdl_code::kCursedWin, wdl_code::kBlessedLoss})
            if (std::memchr(classes.as<std::uint8_t>() + first, code, count)) return true;
    return false;
}

/// What is made of a table one after the other.
enum class Pass { Play, Automatic, InTime, Help };

template <class Code>
class Generator {
public:
    Generator(Table& table, const Smaller& smaller, const GenerateOptions& options)
        : table_(table),
          options_(options),
          target_(solver_target(options.simd)),
          solver_(target_.solver<Code>()),
          classes_(target_.solver<std::uint8_t>()),
          layout_(table.index),
          border_(layout_, options.team),
          touched_(touched_of(table.index, options.team, sizeof(Block))),
          threads_(options.threads > 0 ? options.threads : omp_get_max_threads()) {
        const auto men = table.index.men();
        for (int gone = Index::kFirstPawn; gone < static_cast<int>(men.size()); ++gone)
            captured_.push_back(source(smaller, {gone}, nullptr));
        for (int pawn = Index::kFirstPawn; pawn < table.index.first_other(); ++pawn)
            for (PieceType t : kPromotions) {
                const Piece made{men[static_cast<std::size_t>(pawn)].color, t};
                // The pawn goes, and where it captures also what it captures.
                promoted_.push_back({source(smaller, {pawn}, &made), {}});
                for (int gone = Index::kFirstPawn; gone < static_cast<int>(men.size()); ++gone)
                    promoted_.back().capturing.push_back(
                        men[static_cast<std::size_t>(gone)].color != made.color
                            ? std::optional(source(smaller, {pawn, gone}, &made))
                            : std::nullopt);
            }
        for (const BlockRun& run : border_.own())
            for (std::uint32_t first = run.first; first < run.last; first += kSweep)
                swept_.push_back({first, std::min(run.last, first + kSweep)});
        pushed_.emplace(table.index, std::span<const int>(), nullptr, &table);
        differs_.resize(table.index.pawns().size());
        later_.resize(table.index.pawns().size());
        for (const Material& m : table.index.material().successors())
            if (const Table* t = smaller(m)) smaller_agree_ &= t->limits_agree;
    }

    void run(Pass pass) {
        pass_ = pass;
        const PawnPlacements& placements = table_.index.pawns();
        few_ = layout_.blocks < kFewBlocks && !options_.team;
        const int tasks = few_ ? threads_ : 1;
        inner_threads_ = few_ ? 1 : threads_;
        std::vector<std::unique_ptr<Workspace<Code>>> workspaces(static_cast<std::size_t>(tasks));
        Checkpoint* const checkpoint = pass == Pass::Play ? options_.checkpoint : nullptr;
        for (std::uint32_t first = checkpoint ? resume() : 0; first < placements.size();) {
            std::uint32_t last = first + 1;
            const int steps = placements.steps_left(first);
            while (last < placements.size() && placements.steps_left(last) == steps) ++last;
            FirstError error;
#pragma omp parallel for schedule(dynamic) num_threads(tasks) if (tasks > 1)
            for (std::uint32_t p = first; p < last; ++p)
                error.run([&] {
                    auto& mine = workspaces[static_cast<std::size_t>(omp_get_thread_num())];
                    if (!mine) mine = std::make_unique<Workspace<Code>>(layout_.blocks, touched_);
                    solve_placement(p, *mine);
                    report(p + 1, 0);
                });
            try {
                error.rethrow();
            } catch (const Error& e) {
                // Else it is in the middle of a placement and has saved that.
                if (few_ && checkpoint && e.code() == ErrorCode::Interrupted) save(first);
                throw;
            }
            first = last;
            if (checkpoint && !options_.team && checkpoint->is_due()) save(first);
        }
    }

    /// What Pass::InTime found, for Table::dtm50_later.
    std::vector<Table::LaterRow> later() const {
        std::vector<Table::LaterRow> rows;
        for (const auto& placement : later_) {
            rows.resize(placement.size());
            for (std::size_t clock = 0; clock < rows.size(); ++clock)
                for (std::size_t s = 0; s < 2; ++s)
                    rows[clock][s].insert(rows[clock][s].end(), placement[clock][s].begin(),
                                          placement[clock][s].end());
        }
        return rows;
    }

private:
    using Lists = std::vector<std::vector<std::uint32_t>>;

    struct Promotion {
        Source plain;
        std::vector<std::optional<Source>> capturing;  // by man - kFirstPawn
    };

    Source source(const Smaller& smaller, std::initializer_list<int> gone, const Piece* put) const {
        const auto men = table_.index.men();
        Material m = table_.index.material();
        for (int man : gone)
            m = m.without(men[static_cast<std::size_t>(man)].color,
                          men[static_cast<std::size_t>(man)].type);
        if (put) m = m.with(put->color, put->type);
        return Source(table_.index, {gone.begin(), gone.size()}, put, smaller(m.normalized()));
    }

    /// `clocks` of the next placement are done, too.
    void report(std::uint32_t placements, int clocks, const char* part = "", int ply = 0) {
        if (!options_.on_progress || omp_get_thread_num() != 0) return;
        static constexpr const char* names[] = {"results", "results under 75 moves",
                                                "mates in time", "helpmates"};
        const auto steps =
            static_cast<std::uint64_t>(pass_ == Pass::InTime ? options_.limits.claim_at(0) : 1);
        options_.on_progress({names[static_cast<int>(pass_)],
                              placements * steps + static_cast<std::uint64_t>(clocks),
                              table_.index.pawns().size() * steps, part, ply});
    }

    // ------------------------------------------------------------ checkpoints

    static constexpr bool kWide = sizeof(Code) > 1;

    /// The codes of all finished placements, and of one in work.
    std::vector<BlockArray> codes(const Standing& at) {
        std::vector<BlockArray> arrays;
        std::uint32_t number = 0;
        for (auto* numbers : {&table_.wdl, &table_.dtz, &table_.dtm})
            for (Numbers& n : *numbers) {
                if (n.size())
                    arrays.push_back({number, n.template as<std::byte>(),
                                      static_cast<std::uint32_t>(4096 * (n.wide() ? 2 : 1)), 0,
                                      at.placements + (at.chain >= 0)});
                ++number;
            }
        return arrays;
    }
    /// The sets of the placement in work.
    std::vector<BlockArray> sets(const Standing& at, const Chain<Code>& chain) const {
        std::vector<BlockArray> arrays;
        const std::uint64_t before = std::uint64_t{at.placements} * layout_.blocks;
        std::uint32_t number = kFirstSet;
        for (const Set& set : {chain.open, chain.candidates, chain.won, chain.lost})
            // As if the sets of the placements before were there, too.
            arrays.push_back({number++,
                              reinterpret_cast<std::byte*>(set.block) - before * sizeof(Block),
                              sizeof(Block), at.placements, at.placements + 1, set.rows - before});
        return arrays;
    }

    void save(const Standing& at, const Chain<Code>& chain) {
        std::vector<BlockArray> arrays = codes(at);
        for (const BlockArray& set : sets(at, chain)) arrays.push_back(set);
        save(at, arrays);
    }
    void save(const Standing& at, std::span<const BlockArray> arrays) {
        options_.checkpoint->save(at, arrays, border_.own());
    }
    /// With no placement in work.
    void save(std::uint32_t finished) {
        const Standing at{.wide = kWide, .placements = finished};
        save(at, codes(at));
    }

    /// Takes in what a checkpoint found, but for the sets. The first placement that is not finished.
    std::uint32_t resume() {
        if (const auto& found = options_.checkpoint->found(); found && found->wide == kWide) {
            options_.checkpoint->load(codes(*found), border_.own());
            if (found->chain >= 0) resume_ = found;
            return found->placements;
        }
        return 0;
    }

    template <class Do>
    void sweep(const Do& work) const {
#pragma omp parallel for schedule(dynamic) num_threads(inner_threads_) if (inner_threads_ > 1)
        for (std::size_t i = 0; i < swept_.size(); ++i) work(swept_[i].first, swept_[i].last);
    }
    template <class Do>
    bool sweep_any(const Do& work) const {
        std::atomic<bool> any = false;
        sweep([&](std::uint32_t first, std::uint32_t last) {
            if (work(first, last)) any.store(true, std::memory_order_relaxed);
        });
        return any;
    }

    // ------------------------------------------------------------ reading other tables

    /// Captures by the men of `mover` but its pawns.
    template <class Metric, class Read = typename Metric::Read>
    void find_captures(Color mover, const Squares& pawns, Collisions<Read>& c) const {
        using Slot = typename Collisions<Read>::Slot;
        constexpr Read illegal = Metric::kIllegal;
        const auto& men = layout_.men;
        const auto takes = [&](int a, int b) {  // may a capture b?
            const Piece from = men[static_cast<std::size_t>(a)],
                        to = men[static_cast<std::size_t>(b)];
            return from.color == mover && to.color != mover && from.type != PieceType::Pawn &&
                   to.type != PieceType::King;
        };
        c.slots.clear();
        const auto add_slots = [&](int man, typename Slot::Kind kind) {
            for (int f : layout_.fixed_men) {
                if (takes(man, f))
                    c.slots.push_back(
                        {kind, static_cast<std::int8_t>(f), static_cast<std::int8_t>(f)});
                if (takes(f, man))
                    c.slots.push_back(
                        {kind, static_cast<std::int8_t>(f), static_cast<std::int8_t>(man)});
            }
        };
        const int word = layout_.word_man, on_bit = layout_.bit_man;
        add_slots(word, Slot::Row);
        add_slots(on_bit, Slot::Column);
        if (takes(word, on_bit))
            c.slots.push_back({Slot::Diagonal, -1, static_cast<std::int8_t>(on_bit)});
        if (takes(on_bit, word))
            c.slots.push_back({Slot::Diagonal, -1, static_cast<std::int8_t>(word)});

        const std::size_t per_block = c.slots.size() * 64;
        if (c.codes.size() != layout_.blocks * per_block)
            c.codes = Numbers(layout_.blocks * per_block, sizeof(Read) > 1,
                              touched_of(table_.index, options_.team, per_block * sizeof(Read)));
        c.whole.assign(layout_.blocks, 0);
        std::uint32_t wholes = 0;
        for (const BlockRun& run : border_.own())
            for (std::uint32_t b = run.first; b < run.last; ++b)
                if (table_.index.is_kept(b) && colliding(layout_.place(pawns, b), takes))
                    c.whole[b] = ++wholes;
        c.whole_codes.resize(std::size_t{wholes} << 12);

        std::vector<Lists> found(static_cast<std::size_t>(inner_threads_), Lists(Metric::kEvents));
        sweep([&](std::uint32_t first, std::uint32_t last) {
            auto& mine =
                found[static_cast<std::size_t>(inner_threads_ > 1 ? omp_get_thread_num() : 0)];
            for (std::uint32_t b = first; b < last; ++b) {
                if (!table_.index.is_kept(b)) continue;
                const Place place = layout_.place(pawns, b);
                Squares squares = place.squares;
                Read* codes = c.codes.template as<Read>() + b * per_block;
                std::size_t count = per_block;
                if (c.whole[b]) {
                    std::fill(codes, codes + per_block, illegal);
                    codes = c.whole_codes.data() + (std::size_t{c.whole[b] - 1} << 12);
                    count = 4096;
                    const Source& s = captured(*colliding(place, takes));
                    for (Square w = 0; w < 64; ++w) {
                        Read* row = codes + 64 * w;
                        if (place.occupied >> w & 1) {
                            std::fill(row, row + 64, illegal);
                            continue;
                        }
                        squares[static_cast<std::size_t>(word)] = static_cast<std::int8_t>(w);
                        Metric::read(s, squares, on_bit, ~mover, row);
                        blank(row, place.occupied | bit(w), illegal);
                    }
                } else if (place.clash) {
                    std::fill(codes, codes + per_block, illegal);
                } else {
                    for (std::size_t i = 0; i < c.slots.size(); ++i) {
                        const Slot& slot = c.slots[i];
                        Read* row = codes + 64 * i;
                        int free = slot.kind == Slot::Row ? on_bit : word;
                        if (slot.kind == Slot::Diagonal) {
                            free = slot.gone == word ? on_bit : word;
                        } else {
                            const int held = slot.kind == Slot::Row ? word : on_bit;
                            squares[static_cast<std::size_t>(held)] =
                                place.squares[static_cast<std::size_t>(slot.partner)];
                        }
                        Metric::read(captured(slot.gone), squares, free, ~mover, row);
                        blank(row, place.occupied, illegal);
                    }
                }
                note(codes, count, b, mine);
            }
        });
        c.blocks_with = merged(found);
    }

    template <class Read>
    static void blank(Read* codes, Bitboard squares, Read illegal) {
        while (squares) codes[pop_lowest(squares)] = illegal;
    }

    /// Takes 64 moves in. Plain selections between values become vectors.
    template <class Metric, class Read>
    static void join_row(const Metric& metric, const Read* __restrict codes, Code* __restrict win,
                         Code* __restrict loss) {
        for (std::size_t x = 0; x < 64; ++x) {
            const Code ply = metric.win_ply(codes[x]), known = win[x];
            win[x] = ply < known ? ply : known;
        }
        for (std::size_t x = 0; x < 64; ++x) {
            const Code ply = metric.loss_ply(codes[x]), known = loss[x];
            loss[x] = ply > known ? ply : known;
        }
    }

    /// Where 64 codes are `value`.
    template <class Read>
    static std::uint64_t equal_bits(const Read* codes, Read value) {
        return bits_of([&](std::size_t x) { return codes[x] == value; });
    }
    /// A bit for each x of which `is` holds. Without branches in it this becomes vectors.
    template <class Is>
    static std::uint64_t bits_of(const Is& is) {
        std::array<std::uint8_t, 64> equal;  // 0 or 1
        for (std::size_t x = 0; x < 64; ++x) equal[x] = static_cast<std::uint8_t>(is(x));
        std::uint64_t bits = 0;
        for (std::size_t row = 0; row < 64; row += 8) {
            std::uint64_t bytes;
            std::memcpy(&bytes, equal.data() + row, 8);
            // The product's top byte has byte x in its bit x.
            bits |= (bytes * 0x0102040810204080 >> 56) << row;
        }
        return bits;
    }

    /// Enters a block in the lists of the codes it has, of those that have a list. `count` is a
    /// multiple of 64.
    template <class Read>
    static void note(const Read* codes, std::size_t count, std::uint32_t block,
                     std::vector<std::vector<std::uint32_t>>& lists) {
        std::array<std::uint8_t, 1025> seen{};  // by code; the last for all without a list
        const std::size_t none = lists.size();
        for (std::size_t i = 0; i < count; i += 64) {
            unsigned differ = 0;
            for (std::size_t k = i; k < i + 64; ++k) differ |= codes[k] ^ codes[i];
            for (std::size_t k = i; k < (differ ? i + 64 : i + 1); ++k)
                seen[std::min<std::size_t>(codes[k], none)] = 1;
        }
        for (std::size_t code = 0; code < none; ++code)
            if (seen[code]) lists[code].push_back(block);
    }

    /// If just two fixed men share a square and one may take the other: which is taken.
    template <class Takes>
    std::optional<int> colliding(const Place& place, const Takes& takes) const {
        if (!place.clash ||
            popcount(place.occupied) + 1 != static_cast<int>(layout_.fixed_men.size()))
            return {};
        for (int a : layout_.fixed_men)
            for (int b : layout_.fixed_men)
                if (a != b && place.squares[static_cast<std::size_t>(a)] ==
                                  place.squares[static_cast<std::size_t>(b)])
                    if (takes(a, b)) return b;
        return {};
    }

    const Source& captured(int man) const {
        return captured_[static_cast<std::size_t>(man - Index::kFirstPawn)];
    }

    // ------------------------------------------------------------ pawn moves

    template <class Metric, class Read = typename Metric::Read>
    void find_pawn_moves(Color mover, const Squares& pawns, const Metric& metric, bool any_too,
                         PawnKeys<Code>& keys) const {
        const std::size_t cells = std::size_t{layout_.blocks} << 12;
        keys.win.resize(cells);
        keys.loss.resize(cells);
        keys.any.resize(layout_.blocks);
        std::vector<Lists> winning(static_cast<std::size_t>(inner_threads_), Lists(kPlies)),
            losing = winning;
        sweep([&](std::uint32_t first, std::uint32_t last) {
            const auto thread =
                static_cast<std::size_t>(inner_threads_ > 1 ? omp_get_thread_num() : 0);
            for (std::uint32_t b = first; b < last; ++b) {
                if (!table_.index.is_kept(b)) continue;
                Code* w = keys.win.data() + (std::size_t{b} << 12);
                Code* l = keys.loss.data() + (std::size_t{b} << 12);
                std::fill(w, w + 4096, PawnKeys<Code>::kNever);
                std::fill(l, l + 4096, Code{0});
                for (std::uint64_t& word : keys.any[b].word) word = 0;
                const Place place = layout_.place(pawns, b);
                if (place.clash) continue;
                // Takes in the codes of 64 cells, `step` apart, but where the free man may not be.
                const auto take = [&](Read* codes, std::size_t cell, std::size_t step,
                                      Bitboard not_on) {
                    blank(codes, not_on, Metric::kIllegal);
                    if (step == 1) {
                        join_row(metric, codes, w + cell, l + cell);
                        if (any_too)
                            keys.any[b].word[cell >> 6] |= ~equal_bits(codes, Metric::kIllegal);
                        return;
                    }
                    for (std::size_t x = 0; x < 64; ++x, cell += step) {
                        w[cell] = std::min(w[cell], metric.win_ply(codes[x]));
                        l[cell] = std::max(l[cell], metric.loss_ply(codes[x]));
                        if (codes[x] != Metric::kIllegal)
                            keys.any[b].word[cell >> 6] |= bit(static_cast<Square>(cell & 63));
                    }
                };
                for (int pawn = Index::kFirstPawn; pawn < table_.index.first_other(); ++pawn)
                    if (layout_.men[static_cast<std::size_t>(pawn)].color == mover)
                        moves_of_pawn<Metric>(place, pawn, take);
                note(w, 4096, b, winning[thread]);
                note(l, 4096, b, losing[thread]);
            }
        });
        keys.blocks_winning = merged(winning);
        keys.blocks_losing = merged(losing);
    }

    /// Gives `take` the codes that the moves of a pawn lead to.
    template <class Metric, class Take>
    void moves_of_pawn(const Place& place, int pawn, const Take& take) const {
        const Color mover = layout_.men[static_cast<std::size_t>(pawn)].color;
        const int up = mover == Color::White ? 8 : -8;
        const Square from = place.squares[static_cast<std::size_t>(pawn)];
        const Square to = from + up;
        const bool promotes = to < 8 || to >= 56;
        const int word = layout_.word_man, on_bit = layout_.bit_man;
        typename Metric::Read codes[64];

        // All cells whose word and bit man are off `path`.
        const auto whole = [&](const Source& source, Squares squares, Bitboard path) {
            for (Square x = 0; x < 64; ++x) {
                if ((path | place.occupied) >> x & 1) continue;
                squares[static_cast<std::size_t>(word)] = static_cast<std::int8_t>(x);
                Metric::read(source, squares, on_bit, ~mover, codes);
                take(codes, static_cast<std::size_t>(64 * x), 1, path | place.occupied | bit(x));
            }
        };
        const auto with_source = [&](int gone, Squares squares, Square target, const auto& use) {
            if (promotes) {
                squares[Source::kNewMan] = static_cast<std::int8_t>(target);
                for (std::size_t t = 0; t < kPromotions.size(); ++t) {
                    const Promotion& p =
                        promoted_[static_cast<std::size_t>(pawn - Index::kFirstPawn) *
                                      kPromotions.size() +
                                  t];
                    use(gone < 0 ? p.plain
                                 : *p.capturing[static_cast<std::size_t>(gone - Index::kFirstPawn)],
                        squares);
                }
            } else {
                squares[static_cast<std::size_t>(pawn)] = static_cast<std::int8_t>(target);
                use(gone < 0 ? *pushed_ : captured(gone), squares);
            }
        };

        if (!(place.occupied >> to & 1)) {
            with_source(-1, place.squares, to, [&](const Source& s, const Squares& squares) {
                whole(s, squares, bit(to));
            });
            const Square two = to + up;
            if (rank_of(from) == (mover == Color::White ? 1 : 6) && !(place.occupied >> two & 1)) {
                double_push<Metric>(place, pawn, to, two, take);
            }
        }
        Bitboard targets = pawn_attacks(mover, from);
        while (targets) {
            const Square target = pop_lowest(targets);
            for (int gone = Index::kFirstPawn; gone < static_cast<int>(layout_.men.size());
                 ++gone) {
                if (layout_.men[static_cast<std::size_t>(gone)].color == mover) continue;
                const auto g = static_cast<std::size_t>(gone);
                if (layout_.where[g] == Where::Fixed) {
                    if (place.squares[g] == target)
                        with_source(
                            gone, place.squares, target,
                            [&](const Source& s, const Squares& squares) { whole(s, squares, 0); });
                } else if (!(place.occupied >> target & 1)) {
                    const bool is_word = layout_.where[g] == Where::Word;
                    with_source(
                        gone, place.squares, target, [&](const Source& s, const Squares& squares) {
                            Metric::read(s, squares, is_word ? on_bit : word, ~mover, codes);
                            take(codes, static_cast<std::size_t>(is_word ? 64 * target : target),
                                 is_word ? 1 : 64, place.occupied | bit(target));
                        });
                }
            }
        }
    }

    /// A double step and what it allows en passant.
    template <class Metric, class Take>
    void double_push(const Place& place, int pawn, Square passed, Square to,
                     const Take& take) const {
        const Color mover = layout_.men[static_cast<std::size_t>(pawn)].color;
        const int word = layout_.word_man, on_bit = layout_.bit_man;
        Squares squares = place.squares;
        squares[static_cast<std::size_t>(pawn)] = static_cast<std::int8_t>(to);
        // Enemy pawns beside it.
        std::vector<int> capturers;
        for (int m = Index::kFirstPawn; m < table_.index.first_other(); ++m)
            if (layout_.men[static_cast<std::size_t>(m)].color != mover &&
                (pawn_attacks(mover, passed) & bit(place.squares[static_cast<std::size_t>(m)])))
                capturers.push_back(m);
        const Bitboard path = bit(passed) | bit(to) | place.occupied;
        typename Metric::Read codes[64], after[64];
        for (Square x = 0; x < 64; ++x) {
            if (path >> x & 1) continue;
            squares[static_cast<std::size_t>(word)] = static_cast<std::int8_t>(x);
            Metric::read(*pushed_, squares, on_bit, ~mover, codes);
            for (int m : capturers) {
                Squares captures = squares;
                captures[static_cast<std::size_t>(m)] = static_cast<std::int8_t>(passed);
                Metric::read(captured(pawn), captures, on_bit, mover, after);
                for (int i = 0; i < 64; ++i) codes[i] = Metric::with_reply(codes[i], after[i]);
            }
            take(codes, static_cast<std::size_t>(64 * x), 1, path | bit(x));
        }
    }

    // ------------------------------------------------------------ one placement

    void solve_placement(std::uint32_t placement, Workspace<Code>& ws) {
        if (pass_ == Pass::Automatic && limits_agree_in(placement)) return copy_play(placement);
        const Squares pawns = layout_.pawns(placement);
        const std::uint64_t first_cell = std::uint64_t{placement} * layout_.blocks << 12;
        if (pass_ != Pass::Play) recall_cells(ws, first_cell);
        if (pass_ == Pass::Help) {
            if constexpr (sizeof(Code) == 1) {
                solve_helpmates<Color::White>(pawns, ws, first_cell);
                solve_helpmates<Color::Black>(pawns, ws, first_cell);
            }
            return;
        }
        if (pass_ == Pass::Automatic) {
            solve_metric(ToZeroing<Code, true>{options_.limits.automatic}, pawns, ws,
                         ws.class_captures, true, table_.dtz75, table_.wdl75.data(), placement);
            return;
        }
        if (pass_ == Pass::InTime) return solve_in_time(placement, pawns, ws, first_cell);
        for (const Color c : kColors) {
            let_go_beyond({&ws.won});
            sweep([&](std::uint32_t first, std::uint32_t last) {
                solver_.king_captures(layout_, pawns, c, ws.won.set(), first, last);
            });
            for (const std::uint32_t pair : border_.beyond(c))
                solver_.king_captures(layout_, pawns, c, ws.won.set(),
                                      pair * layout_.blocks_per_pair,
                                      (pair + 1) * layout_.blocks_per_pair);
            sweep([&](std::uint32_t first, std::uint32_t last) {
                solver_.legal(layout_, pawns, c, ws.won.set(), ws.legal[side(c)].set(), first,
                              last);
            });
        }
        const bool mates_done = resume_ && resume_->chain >= kFirstZeroing;
        if (options_.dtm && !mates_done)
            solve_metric(ToMate<Code>{}, pawns, ws, ws.captures, false, table_.dtm, nullptr,
                         placement);
        solve_metric(ToZeroing<Code, false>{options_.limits.claim_at(placement)}, pawns, ws,
                     ws.class_captures, options_.dtm && !mates_done, table_.dtz, table_.wdl.data(),
                     placement);
    }

    bool is_lean() const { return pass_ == Pass::Play && options_.lean && !options_.dtm; }

    /// Empties sets before another king reads them beyond the border, so that not both kings' pairs stay there.
    void let_go_beyond(std::initializer_list<OwnSet*> sets) const {
        if (options_.team)
            for (OwnSet* set : sets) set->let_go();
    }

    /// Which cells are legal, and which are without moves, from the values of the first pass.
    void recall_cells(Workspace<Code>& ws, std::uint64_t first_cell) const {
        for (const Color c : kColors) {
            const auto* classes = table_.wdl[side(c)].template as<std::uint8_t>() + first_cell;
            const Set legal = ws.legal[side(c)].set(), stuck = ws.stuck[side(c)].set();
            const auto recall = [&](const auto* plies) {
                sweep([&](std::uint32_t first, std::uint32_t last) {
                    for (std::uint32_t b = first; b < last; ++b) {
                        legal.rows[b] = stuck.rows[b] = 0;
                        if (!table_.index.is_kept(b)) continue;
                        for (int row = 0; row < 8; ++row) {
                            std::array<std::uint64_t, 8> is_legal, is_stuck{};
                            for (int w = 0; w < 8; ++w) {
                                const std::size_t at =
                                    (std::size_t{b} << 12) + std::size_t(512 * row + 64 * w);
                                const std::uint8_t* const of = classes + at;
                                is_legal[w] = ~equal_bits(of, wdl_code::kIllegal);
                                if (is_legal[w])
                                    is_stuck[w] = equal_bits(of, wdl_code::kStalemate) |
                                                  (equal_bits(of, wdl_code::kLoss) &
                                                   equal_bits(plies + at, {}));
                            }
                            // Memory of rows that are not there is not touched.
                            const auto put = [&](const Set& set, const auto& words) {
                                std::uint64_t any = 0;
                                for (const std::uint64_t w : words) any |= w;
                                if (!any) return;
                                std::copy(words.begin(), words.end(), set.block[b].word + 8 * row);
                                set.rows[b] |= static_cast<std::uint8_t>(1 << row);
                            };
                            put(legal, is_legal);
                            put(stuck, is_stuck);
                        }
                    }
                });
            };
            if (table_.dtz[side(c)].wide())
                recall(table_.dtz[side(c)].template as<std::uint16_t>() + first_cell);
            else
                recall(table_.dtz[side(c)].template as<std::uint8_t>() + first_cell);
        }
    }

    /// Whether both limits give the same values in a placement: no win is too long for the shorter one,
    /// nor in what the placement turns into. Placements of fewer steps must be done.
    bool limits_agree_in(std::uint32_t placement) {
        const PawnPlacements& placements = table_.index.pawns();
        const std::uint64_t cells = std::uint64_t{layout_.blocks} << 12;
        const int claim = options_.limits.claim_at(placement);
        bool agree = smaller_agree_ && claim <= options_.limits.automatic &&
                     !has_cursed(table_, placement * cells, cells);
        std::vector<std::int8_t> pawns(placements.at(placement).begin(),
                                       placements.at(placement).end());
        for (std::size_t i = 0; table_.index.material().pawns() && i < pawns.size(); ++i) {
            const bool white = i < static_cast<std::size_t>(placements.white());
            const int rank = rank_of(pawns[i]), steps = rank == (white ? 1 : 6) ? 2 : 1;
            for (int n = 1; n <= steps && rank != (white ? 6 : 1); ++n) {
                std::vector<std::int8_t> pushed = pawns;
                pushed[i] = static_cast<std::int8_t>(pushed[i] + (white ? 8 * n : -8 * n));
                if (std::count(pawns.begin(), pawns.end(), pushed[i])) break;
                agree &= differs_[placements.find(pushed).placement] == 0;
            }
        }
        differs_[placement] = !agree;
        return agree;
    }

    void copy_play(std::uint32_t placement) {
        const std::uint64_t cells = std::uint64_t{layout_.blocks} << 12;
        const auto copy_cells = [&](const Numbers& from, Numbers& to) {
            const std::uint64_t size = from.wide() ? 2 : 1;
            std::memcpy(to.template as<std::uint8_t>() + placement * cells * size,
                        from.template as<std::uint8_t>() + placement * cells * size, cells * size);
        };
        for (const Color c : kColors) {
            copy_cells(table_.wdl[side(c)], table_.wdl75[side(c)]);
            copy_cells(table_.dtz[side(c)], table_.dtz75[side(c)]);
        }
    }

    /// All values of one metric; where a class belongs to it, that too.
    template <class Metric, class Read = typename Metric::Read>
    void solve_metric(const Metric& metric, const Squares& pawns, Workspace<Code>& ws,
                      std::array<Collisions<Read>, 2>& captures, bool stuck_known,
                      std::array<Numbers, 2>& plies, Numbers* classes, std::uint32_t placement) {
        const bool with_pawns = table_.index.material().pawns() > 0;
        const std::uint64_t first_cell = std::uint64_t{placement} * layout_.blocks << 12;
        const int first_chain = Metric::kZeroing ? kFirstZeroing : 0;
        // From a checkpoint in the middle: the values are there already.
        const bool resumes = resume_ && resume_->chain < first_chain + 2;
        for (const Color c : kColors) {
            find_captures<Metric>(c, pawns, captures[side(c)]);
            if (with_pawns) find_pawn_moves(c, pawns, metric, !stuck_known, ws.pawn_keys[side(c)]);
        }
        for (const Color c : kColors) {
            if (!stuck_known) {
                let_go_beyond({&ws.open});
                fill_open(~c, pawns, captures[side(c)], Metric::kIllegal, ws);
                border_.trade(std::array{Border::Part{ws.open.set(), c}});
                sweep([&](std::uint32_t first, std::uint32_t last) {
                    solver_.stuck(layout_, pawns, c, ws.legal[side(c)].set(), ws.open.set(),
                                  with_pawns ? ws.pawn_keys[side(c)].any.data() : nullptr,
                                  ws.stuck[side(c)].set(), first, last);
                });
            }
            if (!resumes)
                start_values(
                    c, ws, plies[side(c)].template as<Code>() + first_cell,
                    classes ? classes[side(c)].template as<std::uint8_t>() + first_cell : nullptr);
        }
        for (const Color winner : kColors) {
            const int number = first_chain + static_cast<int>(side(winner));
            if (resumes && resume_ && number < resume_->chain) continue;
            Chain<Code> chain{};
            chain.layout = &layout_;
            chain.pawns = pawns;
            chain.winner = winner;
            chain.winner_plies = plies[side(winner)].template as<Code>() + first_cell;
            chain.loser_plies = plies[side(~winner)].template as<Code>() + first_cell;
            solve_chain(chain, metric, ws, captures, with_pawns, placement, number);
            if (is_lean()) {
                for (OwnSet* set : {&ws.won, &ws.lost, &ws.lost_next}) set->let_go();
                recall_cells(ws, first_cell);
            }
            if constexpr (Metric::kZeroing)
                classify(chain, metric.rule_plies, ws, classes, first_cell);
        }
    }

    /// All ways to a mate by `kWinner`, whoever moves: with each ply all positions with a move to those
    /// found with the ply before.
    template <Color kWinner>
    void solve_helpmates(const Squares& pawns, Workspace<Code>& ws, std::uint64_t first_cell) {
        using Metric = ToHelpmate<kWinner>;
        const bool with_pawns = table_.index.material().pawns() > 0;
        constexpr Color kLoser = ~kWinner;
        std::array<std::uint8_t*, 2> plies;
        std::array<Set, 2> open;  // by side to move
        open[side(kWinner)] = ws.open.set();
        open[side(kLoser)] = ws.candidates.set();
        Set from = ws.lost.set(), found = ws.won.set();
        for (const Color c : kColors) {
            find_captures<Metric>(c, pawns, ws.class_captures[side(c)]);
            if (with_pawns) find_pawn_moves(c, pawns, Metric{}, false, ws.pawn_keys[side(c)]);
        }
        for (const Color c : kColors) {
            plies[side(c)] =
                table_.dth[side(kWinner)][side(c)].template as<std::uint8_t>() + first_cell;
            const Set legal = ws.legal[side(c)].set();
            sweep([&](std::uint32_t first, std::uint32_t last) {
                copy(legal, open[side(c)], first, last);
                for (std::uint32_t b = first; b < last; ++b) {
                    if (!table_.index.is_kept(b)) continue;
                    std::uint8_t* const cells = plies[side(c)] + (std::size_t{b} << 12);
                    std::fill(cells, cells + 4096, help_code::kIllegal);
                    classes_.write(cells, legal.block[b], legal.rows[b], help_code::kNever);
                }
            });
        }
        const Set stuck = ws.stuck[side(kLoser)].set(), safe = ws.legal[side(kWinner)].set();
        bool any = sweep_any([&](std::uint32_t first, std::uint32_t last) {
            bool mates = false;
            for (std::uint32_t b = first; b < last; ++b) {
                from.rows[b] = found.rows[b] = 0;
                if (!stuck.rows[b]) continue;
                for (int w = 0; w < 64; ++w) {
                    const std::uint64_t mate = word_of(stuck, b, w) & ~word_of(safe, b, w);
                    from.block[b].word[w] = mate;
                    if (!mate) continue;
                    from.rows[b] |= static_cast<std::uint8_t>(1 << (w >> 3));
                    open[side(kLoser)].block[b].word[w] &= ~mate;
                }
                classes_.write(plies[side(kLoser)] + (std::size_t{b} << 12), from.block[b],
                               from.rows[b], std::uint8_t{0});
                mates |= from.rows[b] != 0;
            }
            return mates;
        });

        int last_event = 0;
        const auto count_events = [&](const auto& lists) {
            for (std::size_t ply = 0; ply < std::min(lists.size(), Metric::kEvents); ++ply)
                if (!lists[ply].empty())
                    last_event = std::max(last_event, static_cast<int>(ply) + 1);
        };
        for (const Color c : kColors) {
            count_events(ws.class_captures[side(c)].blocks_with);
            if (with_pawns) count_events(ws.pawn_keys[side(c)].blocks_winning);
        }
        for (int ply = 1; any || ply <= last_event; ++ply) {
            check_stop();
            if (ply > help_code::kMaxPlies)
                throw Error(ErrorCode::Internal, "a helpmate longer than a code can say",
                            table_.index.material().name());
            const Color mover = ply % 2 ? kWinner : kLoser;
            const auto before = static_cast<std::uint8_t>(ply - 1);
            const Collisions<std::uint8_t>& captures = ws.class_captures[side(mover)];
            const auto& blocks = captures.blocks_with[before];
#pragma omp parallel for schedule(dynamic, 16) num_threads(inner_threads_) if (inner_threads_ > 1)
            for (std::size_t i = 0; i < blocks.size(); ++i)
                classes_.collide(layout_, pawns, captures, blocks[i], before, true, false, from);
            any |= !blocks.empty();
            static const std::vector<std::uint32_t> nothing;
            const PawnKeys<Code>* keys = with_pawns ? &ws.pawn_keys[side(mover)] : nullptr;
            const auto& by_pawns = keys ? keys->blocks_winning[before] : nothing;
            for (std::uint32_t b : by_pawns) ws.pawn_won[b] = 1;
            Chain<std::uint8_t> chain{};
            chain.layout = &layout_;
            chain.pawns = pawns;
            chain.winner = mover;
            chain.open = open[side(mover)];
            chain.lost = from;
            chain.won = found;
            chain.winner_plies = plies[side(mover)];
            if (keys) {
                chain.win_key = keys->win.data();
                chain.pawn_won = ws.pawn_won.data();
            }
            if (any || !by_pawns.empty())
                any = sweep_any([&](std::uint32_t first, std::uint32_t last) {
                    return classes_.win(chain, ply, first, last);
                });
            for (std::uint32_t b : by_pawns) ws.pawn_won[b] = 0;
            std::fill(from.rows, from.rows + layout_.blocks, std::uint8_t{0});
            std::swap(from, found);
        }
    }

    /// The distance to mate with each clock, from the limit down: a move leads to a clock one higher, or to
    /// 0. So what is won in n plies has a move to what is lost in n - 1 with the next clock.
    void solve_in_time(std::uint32_t placement, const Squares& pawns, Workspace<Code>& ws,
                       std::uint64_t first_cell) {
        using Metric = ToMateInTime<Code>;
        const int limit = options_.limits.claim_at(placement);
        const std::uint64_t cells = std::uint64_t{layout_.blocks} << 12;
        const bool with_pawns = table_.index.material().pawns() > 0;
        std::array<Numbers, 2> now, next;
        for (const Color c : kColors) {
            find_captures<Metric>(c, pawns, ws.captures[side(c)]);
            if (with_pawns) find_pawn_moves(c, pawns, Metric{}, false, ws.pawn_keys[side(c)]);
            for (Numbers* codes : {&now[side(c)], &next[side(c)]})
                *codes = Numbers(cells, sizeof(Code) > 1, touched_);
            start_values(c, ws, next[side(c)].template as<Code>(), nullptr);
        }
        std::vector<Table::LaterRow>& rows = later_[placement];
        rows.resize(static_cast<std::size_t>(limit));
        for (int clock = limit - 1; clock >= 0; --clock) {
            std::array<Lists, 2> blocks;
            for (const Color c : kColors) {
                start_values(c, ws, now[side(c)].template as<Code>(), nullptr);
                blocks[side(c)] = blocks_by_code(next[side(c)].template as<Code>());
            }
            for (const Color winner : kColors)
                solve_clock(winner, limit - clock, pawns, ws, first_cell, now, next, blocks);
            const auto row = static_cast<std::size_t>(clock);
            bool same = true;
            for (const Color c : kColors) {
                rows[row][side(c)] = later_than_dtm(c, now[side(c)], first_cell);
                const Code *a = now[side(c)].template as<Code>(),
                           *b = next[side(c)].template as<Code>();
                same &= !sweep_any([&](std::uint32_t first, std::uint32_t last) {
                    const auto from = std::size_t{first} << 12;
                    return std::memcmp(a + from, b + from,
                                       (std::size_t{last - first} << 12) * sizeof(Code)) != 0;
                });
            }
            std::swap(now, next);
            report(placement, limit - clock);
            if (!same) continue;
            // With all clocks below it is the same again.
            for (std::size_t lower = 0; lower < row; ++lower) rows[lower] = rows[row];
            break;
        }
        for (const Color c : kColors)
            std::memcpy(table_.dtm50_start[side(c)].template as<Code>() + first_cell,
                        next[side(c)].template as<Code>(), cells * sizeof(Code));
    }

    /// What is won or lost in more plies than dtm has, in ascending order.
    std::vector<Table::Later> later_than_dtm(Color c, const Numbers& codes,
                                             std::uint64_t first_cell) const {
        const Code* const plies = codes.as<Code>();
        const Code* const mate = mate_codes(c, first_cell);
        std::vector<std::vector<Table::Later>> parts((layout_.blocks + kSweep - 1) / kSweep);
        sweep([&](std::uint32_t first, std::uint32_t last) {
            std::vector<Table::Later>& part = parts[first / kSweep];
            for (std::size_t i = std::size_t{first} << 12; i < std::size_t{last} << 12; i += 64) {
                std::uint64_t bits = bits_of([&](std::size_t x) {
                    return (plies[i + x] != mate[i + x]) &
                           (plies[i + x] <= DtmCode<Code>::kMaxPlies);
                });
                for (; bits; bits &= bits - 1) {
                    const std::size_t cell = i + static_cast<std::size_t>(std::countr_zero(bits));
                    part.push_back({static_cast<std::uint32_t>(first_cell + cell),
                                    static_cast<std::uint8_t>((plies[cell] - mate[cell]) / 2)});
                }
            }
        });
        std::vector<Table::Later> all = std::move(parts[0]);
        for (std::size_t i = 1; i < parts.size(); ++i)
            all.insert(all.end(), parts[i].begin(), parts[i].end());
        return all;
    }

    /// Of a placement's codes: the blocks that have each.
    Lists blocks_by_code(const Code* codes) const {
        std::vector<Lists> found(static_cast<std::size_t>(inner_threads_), Lists(kPlies));
        sweep([&](std::uint32_t first, std::uint32_t last) {
            auto& mine =
                found[static_cast<std::size_t>(inner_threads_ > 1 ? omp_get_thread_num() : 0)];
            for (std::uint32_t b = first; b < last; ++b)
                if (table_.index.is_kept(b)) note(codes + (std::size_t{b} << 12), 4096, b, mine);
        });
        return merged(found);
    }

    /// Lets a chain know what pawn moves lead to: the winner's, the loser's; null without pawns.
    std::pair<const PawnKeys<Code>*, const PawnKeys<Code>*> use_pawn_moves(
        Chain<Code>& chain, Workspace<Code>& ws) const {
        if (!table_.index.material().pawns()) return {nullptr, nullptr};
        const auto *winner = &ws.pawn_keys[side(chain.winner)],
                   *loser = &ws.pawn_keys[side(~chain.winner)];
        chain.win_key = winner->win.data();
        chain.loss_key = loser->loss.data();
        chain.pawn_won = ws.pawn_won.data();
        chain.pawn_lost = ws.pawn_lost.data();
        return {winner, loser};
    }

    /// What one side wins with a clock that leaves `plies_left`; `next` is with one more.
    void solve_clock(Color winner, int plies_left, const Squares& pawns, Workspace<Code>& ws,
                     std::uint64_t first_cell, std::array<Numbers, 2>& now,
                     const std::array<Numbers, 2>& next, const std::array<Lists, 2>& blocks) {
        const Color loser = ~winner;
        const Collisions<Code>&by_winner = ws.captures[side(winner)],
              &by_loser = ws.captures[side(loser)];
        Chain<Code> chain{};
        chain.layout = &layout_;
        chain.pawns = pawns;
        chain.winner = winner;
        chain.legal = ws.legal[side(winner)].set();
        chain.candidates = ws.candidates.set();
        chain.winner_plies = now[side(winner)].template as<Code>();
        chain.loser_plies = now[side(loser)].template as<Code>();
        const auto [winner_pawns, loser_pawns] = use_pawn_moves(chain, ws);
        // What is decided in time is known; only how soon is not.
        const Set open = ws.open.set(), candidates = ws.candidates.set(),
                  escapes = ws.escapes.set(), from = ws.lost.set(), found = ws.lost_next.set();
        in_time(winner, wdl_code::kWin, plies_left, first_cell, open);
        in_time(loser, wdl_code::kLoss, plies_left, first_cell, candidates);
        sweep([&](std::uint32_t first, std::uint32_t last) {
            copy(chain.legal, escapes, first, last);
            for (std::uint32_t b = first; b < last; ++b) {
                collide<Code>()(layout_, pawns, by_loser, b, DtmCode<Code>::kIllegal, false, false,
                                escapes);
                from.rows[b] = found.rows[b] = 0;
            }
        });
        const auto is_left = [&](const Set& set) {
            return std::any_of(set.rows, set.rows + layout_.blocks,
                               [](std::uint8_t rows) { return rows != 0; });
        };
        static const std::vector<std::uint32_t> nothing;
        for (int ply = 1; is_left(open) || is_left(candidates); ++ply) {
            check_stop();
            if (ply > DtmCode<Code>::kMaxPlies)
                throw Error(ErrorCode::Internal, "a mate in time that is not found",
                            table_.index.material().name());
            const bool winning = ply % 2;
            const auto before = static_cast<Code>(ply - 1);
            const Collisions<Code>& captures = winning ? by_winner : by_loser;
            const PawnKeys<Code>* keys = winning ? winner_pawns : loser_pawns;
            const Code* const codes = next[side(winning ? loser : winner)].template as<Code>();
            const auto in_reach = [&](const auto& lists) -> const auto& {
                return before < lists.size() ? lists[before] : nothing;
            };
            const auto& quiet = in_reach(blocks[side(winning ? loser : winner)]);
            const auto& taking = in_reach(captures.blocks_with);
            const auto& pushing =
                keys ? in_reach(winning ? keys->blocks_winning : keys->blocks_losing) : nothing;
            if (quiet.empty() && taking.empty() && pushing.empty()) continue;
#pragma omp parallel for schedule(dynamic, 16) num_threads(inner_threads_) if (inner_threads_ > 1)
            for (std::size_t i = 0; i < quiet.size(); ++i) {
                const std::uint32_t b = quiet[i];
                for (int w = 0; w < 64; ++w) {
                    const std::uint64_t bits =
                        equal_bits(codes + (std::size_t{b} << 12) + 64 * w, before);
                    from.block[b].word[w] = bits;
                    if (!bits) continue;
                    from.rows[b] |= static_cast<std::uint8_t>(1 << (w >> 3));
                    if (!winning && escapes.rows[b] >> (w >> 3) & 1)
                        escapes.block[b].word[w] &= ~bits;
                }
            }
#pragma omp parallel for schedule(dynamic, 16) num_threads(inner_threads_) if (inner_threads_ > 1)
            for (std::size_t i = 0; i < taking.size(); ++i) {
                if (!winning)
                    collide<Code>()(layout_, pawns, captures, taking[i], before, true, true,
                                    escapes);
                collide<Code>()(layout_, pawns, captures, taking[i], before, true, false, from);
            }
            auto& marks = winning ? ws.pawn_won : ws.pawn_lost;
            for (std::uint32_t b : pushing) marks[b] = 1;
            if (winning) {
                chain.open = open;
                chain.lost = from;
                chain.won = found;
                sweep([&](std::uint32_t first, std::uint32_t last) {
                    solver_.win(chain, ply, first, last);
                });
            } else {
                chain.open = escapes;
                chain.won = from;
                chain.lost_next = found;
                sweep([&](std::uint32_t first, std::uint32_t last) {
                    solver_.lose(chain, ply, false, first, last);
                });
            }
            for (std::uint32_t b : pushing) marks[b] = 0;
            for (std::uint32_t b : quiet) from.rows[b] = 0;
            for (std::uint32_t b : taking) from.rows[b] = 0;
        }
    }

    /// What has a class and ends within so many plies; without mates on the board.
    void in_time(Color c, std::uint8_t of_class, int plies_left, std::uint64_t first_cell,
                 const Set& out) const {
        const auto* classes = table_.wdl[side(c)].template as<std::uint8_t>() + first_cell;
        const auto* plies = table_.dtz[side(c)].template as<Code>() + first_cell;
        sweep([&](std::uint32_t first, std::uint32_t last) {
            for (std::uint32_t b = first; b < last; ++b) {
                out.rows[b] = 0;
                if (!table_.index.is_kept(b)) continue;
                for (int w = 0; w < 64; ++w) {
                    const std::size_t at = (std::size_t{b} << 12) + std::size_t(64 * w);
                    std::uint64_t bits = equal_bits(classes + at, of_class);
                    if (bits)
                        bits &= bits_of([&](std::size_t x) {
                            const Code n = plies[at + x];
                            return (n > 0) & (n <= plies_left);
                        });
                    out.block[b].word[w] = bits;
                    if (bits) out.rows[b] |= static_cast<std::uint8_t>(1 << (w >> 3));
                }
            }
        });
    }

    /// What holds before any play: illegal cells, stalemates, mates; else draws.
    void start_values(Color c, Workspace<Code>& ws, Code* plies, std::uint8_t* classes) const {
        using Of = DtmCode<Code>;
        const Set legal = ws.legal[side(c)].set(), stuck = ws.stuck[side(c)].set(),
                  other = ws.legal[side(~c)].set();
        sweep([&](std::uint32_t first, std::uint32_t last) {
            for (std::uint32_t b = first; b < last; ++b) {
                if (!table_.index.is_kept(b)) continue;
                const std::size_t cell = std::size_t{b} << 12;
                const auto put = [&](const Block& set, std::uint8_t rows, Code ply,
                                     std::uint8_t code_class) {
                    solver_.write(plies + cell, set, rows, ply);
                    if (classes) classes_.write(classes + cell, set, rows, code_class);
                };
                std::fill(plies + cell, plies + cell + 4096, classes ? Code{0} : Of::kIllegal);
                if (classes) std::fill(classes + cell, classes + cell + 4096, wdl_code::kIllegal);
                put(legal.block[b], legal.rows[b], classes ? Code{0} : Of::kDraw, wdl_code::kDraw);
                if (!stuck.rows[b]) continue;
                Block mate, stalemate;
                for (int w = 0; w < 64; ++w) {
                    // In check are those that would be illegal with the other side to move.
                    const std::uint64_t cells = word_of(stuck, b, w), quiet = word_of(other, b, w);
                    mate.word[w] = cells & ~quiet;
                    stalemate.word[w] = cells & quiet;
                }
                put(mate, 0xff, 0, wdl_code::kLoss);
                put(stalemate, 0xff, classes ? Code{0} : Of::kStalemate, wdl_code::kStalemate);
            }
        });
    }

    static void copy(const Set& from, const Set& to, std::uint32_t first, std::uint32_t last) {
        std::copy(from.rows + first, from.rows + last, to.rows + first);
        for (std::uint32_t b = first; b < last; ++b)
            if (from.rows[b]) to.block[b] = from.block[b];
    }
    static std::uint64_t word_of(const Set& set, std::uint32_t block, int word) {
        return set.rows[block] >> (word >> 3) & 1 ? set.block[block].word[word] : 0;
    }

    /// Sets `open` to what is legal for a side, and to the other side's legal captures.
    template <class Read>
    void fill_open(Color c, const Squares& pawns, const Collisions<Read>& by_other, Read illegal,
                   Workspace<Code>& ws) const {
        const Set legal = ws.legal[side(c)].set(), open = ws.open.set();
        sweep([&](std::uint32_t first, std::uint32_t last) {
            copy(legal, open, first, last);
            for (std::uint32_t b = first; b < last; ++b) {
                collide<Read>()(layout_, pawns, by_other, b, illegal, false, false, open);
            }
        });
    }

    template <class Read>
    auto collide() const {
        return target_.solver<Read>().collide;
    }

    template <class Metric, class Read = typename Metric::Read>
    void solve_chain(Chain<Code>& chain, const Metric& metric, Workspace<Code>& ws,
                     const std::array<Collisions<Read>, 2>& captures, bool with_pawns,
                     std::uint32_t placement, int number) {
        const std::uint64_t first_cell = std::uint64_t{placement} * layout_.blocks << 12;
        const Color winner = chain.winner, loser = ~winner;
        const Collisions<Read>&by_winner = captures[side(winner)],
              &by_loser = captures[side(loser)];
        let_go_beyond({&ws.open, &ws.won, &ws.lost, &ws.lost_next});
        chain.legal = ws.legal[side(winner)].set();
        chain.open = ws.open.set();
        chain.candidates = ws.candidates.set();
        chain.won = ws.won.set();
        chain.lost = ws.lost.set();
        chain.lost_next = ws.lost_next.set();
        const auto [winner_pawns, loser_pawns] = use_pawn_moves(chain, ws);
        // Once it is known who wins, only those positions are looked at: from a lost one no move
        // leads elsewhere.
        const Set stuck = ws.stuck[side(loser)].set();
        if (Metric::kZeroing && options_.dtm)
            sweep([&](std::uint32_t first, std::uint32_t last) {
                solver_.decided(mate_codes(winner, first_cell), true, chain.legal, chain.open,
                                first, last);
                solver_.decided(mate_codes(loser, first_cell), false, ws.legal[side(loser)].set(),
                                chain.candidates, first, last);
            });
        else
            sweep([&](std::uint32_t first, std::uint32_t last) {
                copy(chain.legal, chain.open, first, last);
                copy(ws.legal[side(loser)].set(), chain.candidates, first, last);
            });
        std::atomic<bool> mates = false;
        sweep([&](std::uint32_t first, std::uint32_t last) {
            for (std::uint32_t b = first; b < last; ++b) {
                collide<Read>()(layout_, chain.pawns, by_loser, b, Metric::kIllegal, false, false,
                                chain.open);
                chain.won.rows[b] = chain.lost.rows[b] = chain.lost_next.rows[b] = 0;
                if (!stuck.rows[b]) continue;
                Block& lost = chain.lost.block[b];
                for (int w = 0; w < 64; ++w) {
                    const std::uint64_t cells = word_of(stuck, b, w);
                    chain.candidates.block[b].word[w] &= ~cells;
                    lost.word[w] = cells & ~word_of(chain.legal, b, w);
                    if (lost.word[w])
                        chain.lost.rows[b] |= static_cast<std::uint8_t>(1 << (w >> 3));
                }
                if (chain.lost.rows[b]) mates.store(true, std::memory_order_relaxed);
            }
        });

        Standing at{.wide = kWide,
                    .placements = placement,
                    .chain = number,
                    .ply = 1,
                    .some_won = false,
                    .some_lost = mates};
        if (resume_) {
            at = *std::exchange(resume_, std::nullopt);
            options_.checkpoint->load(sets(at, chain), border_.own());
        }
        border_.trade(std::array{Border::Part{chain.open, loser}});
        int last_event = 1;
        for (const auto* of : {&by_winner, &by_loser})
            for (std::size_t code = 0; code < of->blocks_with.size(); ++code)
                if (!of->blocks_with[code].empty())
                    last_event = std::max(last_event, metric.last_event(static_cast<Read>(code)));
        if (with_pawns)
            for (const auto* of : {&winner_pawns->blocks_winning, &loser_pawns->blocks_losing})
                for (std::size_t ply = 0; ply < of->size(); ++ply)
                    if (!(*of)[ply].empty())
                        last_event = std::max(last_event, static_cast<int>(ply) + 1);

        last_event = joined(options_.team, last_event,
                            [](int mine, int theirs) { return std::max(mine, theirs); });

        if (is_lean())
            for (auto* sets : {&ws.legal, &ws.stuck})
                for (OwnSet& set : *sets) set.let_go();

        static const std::vector<std::uint32_t> nothing;
        bool some_lost = at.some_lost, some_won = at.some_won;
        for (int ply = at.ply;; ++ply) {
            const auto capturing = [&](const Collisions<Read>& by, std::optional<Read> code,
                                       const auto& use) {
                if (!code || *code >= by.blocks_with.size()) return false;
                const auto& blocks = by.blocks_with[*code];
#pragma omp parallel for schedule(dynamic, 16) num_threads(inner_threads_) if (inner_threads_ > 1)
                for (std::size_t i = 0; i < blocks.size(); ++i) use(blocks[i], *code);
                return !blocks.empty();
            };
            const auto by_pawns = [&](
                const std::vector<std::vector<std::uint32_t>>* lists) -> const auto& {
                const auto p = static_cast<std::size_t>(ply - 1);
                return lists && p < lists->size() ? (*lists)[p] : nothing;
            };

            some_won |=
                capturing(by_loser, metric.won_code(ply - 1), [&](std::uint32_t b, Read code) {
                    collide<Read>()(layout_, chain.pawns, by_loser, b, code, true, true,
                                    chain.open);
                    collide<Read>()(layout_, chain.pawns, by_loser, b, code, true, false,
                                    chain.won);
                });
            some_lost |=
                capturing(by_winner, metric.lost_code(ply - 1), [&](std::uint32_t b, Read code) {
                    collide<Read>()(layout_, chain.pawns, by_winner, b, code, true, false,
                                    chain.lost);
                });
            border_.trade(std::array{Border::Part{chain.won, loser, chain.open},
                                     Border::Part{chain.lost, winner}});
            const Agreed agreed = agree_on(some_won, some_lost);
            if (!few_) report(placement, 0, kChains[number], ply);
            // Once more from here, all up to here changes nothing.
            if (agreed.save) {
                at.ply = ply;
                at.some_won = some_won;
                at.some_lost = some_lost;
                save(at, chain);
            }
            if (agreed.stop) throw Error(ErrorCode::Interrupted, "stopped");
            if (!some_lost && !some_won && ply > last_event) return;
            if (ply > DtmCode<Code>::kMaxPlies) throw TooFar{};

            const auto& losing =
                ply > 1 ? by_pawns(loser_pawns ? &loser_pawns->blocks_losing : nullptr) : nothing;
            for (std::uint32_t b : losing) ws.pawn_lost[b] = 1;
            const bool all = Metric::kZeroing && ply == 1;
            bool new_lost = false;
            if (all || some_won || !losing.empty())
                new_lost = sweep_any([&](std::uint32_t first, std::uint32_t last) {
                    return solver_.lose(chain, ply, all, first, last);
                });
            for (std::uint32_t b : losing) ws.pawn_lost[b] = 0;

            const auto& winning = by_pawns(winner_pawns ? &winner_pawns->blocks_winning : nullptr);
            for (std::uint32_t b : winning) ws.pawn_won[b] = 1;
            bool new_won = false;
            if (some_lost || !winning.empty())
                new_won = sweep_any([&](std::uint32_t first, std::uint32_t last) {
                    return solver_.win(chain, ply, first, last);
                });
            else if (some_won)
                std::fill(chain.won.rows, chain.won.rows + layout_.blocks, std::uint8_t{0});
            for (std::uint32_t b : winning) ws.pawn_won[b] = 0;

            if (some_lost)
                std::fill(chain.lost.rows, chain.lost.rows + layout_.blocks, std::uint8_t{0});
            std::swap(chain.lost, chain.lost_next);
            some_lost = new_lost;
            some_won = new_won;
        }
    }

    struct Agreed {
        bool stop, save;
    };
    /// Makes a team of one mind: what holds for one member, holds.
    Agreed agree_on(bool& some_won, bool& some_lost) const {
        const bool stop = options_.team ? options_.team->stopped() : is_stopped();
        const bool saves = pass_ == Pass::Play && options_.checkpoint && !few_;
        const bool save = saves && (stop || options_.checkpoint->is_due());
        const unsigned said = joined(options_.team,
                                     unsigned{some_won} | unsigned{some_lost} << 1 |
                                         unsigned{stop} << 2 | unsigned{save} << 3,
                                     [](unsigned mine, unsigned theirs) { return mine | theirs; });
        some_won = said & 1;
        some_lost = said >> 1 & 1;
        return {(said >> 2 & 1) != 0, (said >> 3 & 1) != 0};
    }

    /// The codes of both sides' distances to mate in a placement; null if they are not made.
    const Code* mate_codes(Color c, std::uint64_t first_cell) const {
        return options_.dtm ? table_.dtm[side(c)].template as<Code>() + first_cell : nullptr;
    }

    /// The classes of what one side wins and the other loses, by a solved chain.
    void classify(const Chain<Code>& chain, int rule_plies, Workspace<Code>& ws, Numbers* classes,
                  std::uint64_t first_cell) const {
        using namespace wdl_code;
        for (const Color c : kColors) {
            const bool wins = c == chain.winner;
            const Set decided = wins ? chain.won : chain.lost;
            const Code* mate = mate_codes(c, first_cell);
            const Code* plies = wins ? chain.winner_plies : chain.loser_plies;
            std::uint8_t* out = classes[side(c)].template as<std::uint8_t>() + first_cell;
            sweep([&](std::uint32_t first, std::uint32_t last) {
                if (mate)
                    solver_.decided(mate, wins, ws.legal[side(c)].set(), decided, first, last);
                else
                    settled(ws.legal[side(c)].set(), ws.stuck[side(c)].set(),
                            wins ? chain.open : chain.candidates, decided, first, last);
                solver_.classify(
                    decided, plies, rule_plies,
                    wins ? std::array{kWin, kCursedWin} : std::array{kLoss, kBlessedLoss}, out,
                    first, last);
            });
        }
    }
    /// Sets what is legal, not stuck, and left over by no ply.
    static void settled(const Set& legal, const Set& stuck, const Set& left, const Set& out,
                        std::uint32_t first, std::uint32_t last) {
        for (std::uint32_t b = first; b < last; ++b) {
            out.rows[b] = legal.rows[b];
            if (!out.rows[b]) continue;
            for (int w = 0; w < 64; ++w)
                out.block[b].word[w] =
                    word_of(legal, b, w) & ~(word_of(stuck, b, w) | word_of(left, b, w));
        }
    }

    static std::size_t side(Color c) { return static_cast<std::size_t>(c); }

    bool is_stopped() const {
        return options_.stop && options_.stop->load(std::memory_order_relaxed);
    }
    void check_stop() const {
        if (is_stopped()) throw Error(ErrorCode::Interrupted, "stopped");
    }

    static Lists merged(std::vector<Lists>& by_thread) {
        Lists all = std::move(by_thread.front());
        for (std::size_t t = 1; t < by_thread.size(); ++t)
            for (std::size_t i = 0; i < all.size(); ++i)
                all[i].insert(all[i].end(), by_thread[t][i].begin(), by_thread[t][i].end());
        return all;
    }

    static constexpr std::size_t kPlies = ToMate<Code>::kEvents;
    /// By metric, mates before zeroing, and winner.
    static constexpr const char* kChains[] = {"mates by White", "mates by Black", "wins of White",
                                              "wins of Black"};
    static constexpr int kFirstZeroing = 2;
    static constexpr std::uint32_t kFirstSet = 6;  // of a checkpoint's arrays; codes are before

    Table& table_;
    const GenerateOptions& options_;
    Pass pass_ = Pass::Play;
    std::vector<std::uint8_t> differs_;  // by placement: whether the limits give different values
    bool smaller_agree_ = true;
    std::vector<std::vector<Table::LaterRow>> later_;  // of Pass::InTime, by placement and clock
    const SolverTarget& target_;
    const Solver<Code>& solver_;
    const Solver<std::uint8_t>& classes_;
    Layout layout_;
    Border border_;
    std::vector<BlockRun> swept_;  // the share, in tasks of a sweep
    Pages::Touched touched_;
    int threads_, inner_threads_ = 1;
    bool few_ = false;                // placements, not blocks, are tasks
    std::optional<Standing> resume_;  // until its chain goes on
    std::vector<Source> captured_;    // by man - kFirstPawn
    std::vector<Promotion> promoted_;
    std::optional<Source> pushed_;  // from one placement to another
};

/// Arrays for both sides to move.
void allocate(std::array<Numbers, 2>& numbers, const Table& table, bool wide, const Team* team) {
    for (Numbers& n : numbers)
        n = Numbers(table.index.cells(), wide, touched_of(table.index, team, wide ? 8192 : 4096));
}

template <class Code>
bool try_to_generate(Table& table, const Smaller& smaller, const GenerateOptions& options) {
    const bool wide = sizeof(Code) > 1;
    allocate(table.wdl, table, false, options.team);
    allocate(table.dtz, table, wide, options.team);
    if (options.dtm) allocate(table.dtm, table, wide, options.team);
    try {
        Generator<Code> generator(table, smaller, options);
        generator.run(Pass::Play);
        if (options.dtm50) {
            allocate(table.dtm50_start, table, wide, options.team);
            generator.run(Pass::InTime);
            table.dtm50_later = generator.later();
            // Rows of low clocks are mostly alike.
            auto& rows = table.dtm50_later;
            const auto first = std::adjacent_find(rows.begin(), rows.end(), std::not_equal_to<>());
            table.dtm50_first =
                static_cast<int>((first == rows.end() ? rows.end() - 1 : first) - rows.begin());
            rows.erase(rows.begin(), rows.begin() + table.dtm50_first);
        }
        if (!options.automatic) return true;
        // Where no win is too long for the shorter limit, here and in all that comes after, the
        // longer one changes nothing.
        table.limits_agree = !has_cursed(table, 0, table.index.cells());
        for (std::uint32_t p = 0; p < table.index.pawns().size(); ++p)
            table.limits_agree &= options.limits.claim_at(p) <= options.limits.automatic;
        for (const Material& m : table.index.material().successors())
            if (const Table* t = smaller(m)) table.limits_agree &= t->limits_agree;
        if (table.limits_agree) return true;
        allocate(table.wdl75, table, false, options.team);
        allocate(table.dtz75, table, wide, options.team);
        generator.run(Pass::Automatic);
        // What could differ need not.
        const auto equal = [](const std::array<Numbers, 2>& a, const std::array<Numbers, 2>& b) {
            return std::equal(
                a.begin(), a.end(), b.begin(), [](const Numbers& x, const Numbers& y) {
                    return !std::memcmp(x.as<std::uint8_t>(), y.as<std::uint8_t>(), x.bytes());
                });
        };
        if (equal(table.wdl, table.wdl75) && equal(table.dtz, table.dtz75)) {
            table.limits_agree = true;
            table.wdl75 = {};
            table.dtz75 = {};
        }
    } catch (const TooFar&) {
        return false;
    }
    return true;
}

void add_helpmates(Table& table, const Smaller& smaller, const GenerateOptions& options) {
    for (auto& numbers : table.dth) allocate(numbers, table, false, options.team);
    for (const Material& m : table.index.material().successors())
        if (const Table* t = smaller(m)) table.dth_by_length &= t->dth_by_length;
    Generator<std::uint8_t>(table, smaller, options).run(Pass::Help);
}

}  // namespace

Table generate(const Material& material, const Smaller& smaller, const GenerateOptions& options) {
    Table table(material);
    table.built_for = options.limits;
    bool wide =
        options.checkpoint && options.checkpoint->found() && options.checkpoint->found()->wide;
    for (std::uint32_t p = 0; p < table.index.pawns().size(); ++p) {
        const int limit = options.limits.claim_at(p);
        wide |= limit != Limits::kNone && limit > DtmCode<std::uint8_t>::kMaxPlies;
    }
    for (const Material& m : material.successors())
        if (const Table* t = smaller(m)) wide |= options.dtm && t->dtm[0].wide();
    try {
        if (!((!wide && try_to_generate<std::uint8_t>(table, smaller, options)) ||
              try_to_generate<std::uint16_t>(table, smaller, options)))
            throw Error(ErrorCode::Internal, "distances without end", material.name());
        if (options.helpmates) add_helpmates(table, smaller, options);
    } catch (const std::bad_alloc&) {
        throw Error(ErrorCode::Usage, "not enough memory", material.name());
    }
    return table;
}

}  // namespace mansuba::tablebase

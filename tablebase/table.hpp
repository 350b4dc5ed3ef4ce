// A table in memory.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "tablebase/codes.hpp"
#include "tablebase/index.hpp"

namespace mansuba::tablebase {

/// Uninitialised memory, in pages of 2 MiB where the system gives them. What large pieces leave
/// behind is used again for pieces of their size. Throws std::bad_alloc.
///
/// Where but parts will be touched, the others take no memory and are zero; pages are large for long runs, small
/// for scattered parts.
class Pages {
public:
    enum class Touched : std::uint8_t { All, Runs, Parts };

    Pages() : memory_(nullptr, Free{0, Touched::All}) {}
    explicit Pages(std::size_t bytes, Touched touched = Touched::All);

    template <class T>
    T* as() const {
        return static_cast<T*>(memory_.get());
    }
    /// What is in it is lost; it takes no memory until it is written to. Of small pieces nothing is done.
    void let_go();

private:
    struct Free {
        std::size_t bytes;
        Touched touched;
        void operator()(void* p) const;
    };
    std::unique_ptr<void, Free> memory_;
};

/// An array of small numbers, one byte each or, once a number needs it, two. Its memory is not
/// cleared.
class Numbers {
public:
    Numbers() = default;
    Numbers(std::uint64_t size, bool wide, Pages::Touched touched = Pages::Touched::All)
        : size_(size), wide_(wide), pages_(wide ? 2 * size : size, touched) {}

    std::uint64_t size() const { return size_; }
    bool wide() const { return wide_; }
    std::uint64_t bytes() const { return wide_ ? 2 * size_ : size_; }

    template <class Number>
    Number* as() {
        return pages_.as<Number>();
    }
    template <class Number>
    const Number* as() const {
        return pages_.as<const Number>();
    }
    unsigned operator[](std::uint64_t i) const {
        return wide_ ? as<std::uint16_t>()[i] : as<std::uint8_t>()[i];
    }

private:
    std::uint64_t size_ = 0;
    bool wide_ = false;
    Pages pages_;
};

/// What a table knows of a legal position without castling and en passant rights.
struct Value {
    Wdl wdl = Wdl::Draw;
    bool stalemate = false;
    int dtz =
        0;  // plies to the next capture, pawn move or mate, signed by who wins; -1 if mated, 0 for draws
    int dtm = 0;  // plies to mate, signed; 0 for draws and if mated
    /// wdl and dtz where nobody claims and the automatic limit ends the game.
    Wdl wdl75 = Wdl::Draw;
    int dtz75 = 0;
    /// Plies of the shortest series of legal moves after which the side to move has mated, or is mated;
    /// -1: there is none.
    int dth_mates = -1, dth_mated = -1;

    friend bool operator==(const Value&, const Value&) = default;
};

/// Plies without a capture or pawn move after which either side may claim a draw (FIDE 9.3), and after
/// which the game is drawn by itself (9.6.2).
inline constexpr int kRulePlies = 100, kAutomaticPlies = 150;

/// What a table was built for.
struct Limits {
    /// For a claim, by placement of pawns; one for all, or none: kRulePlies.
    std::vector<int> claim;
    int automatic = kAutomaticPlies;

    /// A limit that no game reaches.
    static constexpr int kNone = 1'000'000;

    int claim_at(std::uint32_t placement) const {
        if (claim.empty()) return kRulePlies;
        return claim.size() == 1 ? claim[0] : claim[placement];
    }
    friend bool operator==(const Limits&, const Limits&) = default;
};

/// The values of an endgame, wherever they are kept. Whether reading is thread-safe is for the
/// implementation to say; probe() and verify() read from several threads at once.
class Values {
public:
    virtual ~Values() = default;

    virtual const Index& numbering() const = 0;
    virtual const Limits& limits() const {
        static const Limits fide;
        return fide;
    }
    /// Whether a metric is there; where it is not, value() has 0 for it.
    virtual bool has(Metric m) const = 0;
    /// Of the lowest cell of a legal position (Index::index_of). Other cells need not mean anything,
    /// and a stalemate may be called a mere draw: what is kept need not know which cells are legal.
    /// Errors are those of reading, Error(File).
    virtual Value value(Color side_to_move, std::uint64_t cell) const = 0;
    /// Metric::Dtm50: by how many moves the mate comes later than by dtm with a clock that leaves time for
    /// it (see dtm50()). Only with that metric, and of cells as value().
    virtual int extra_moves(Color, std::uint64_t, int /*clock*/) const { return 0; }
    /// From this clock down they are always the same.
    virtual int first_clock() const { return 0; }
};

/// All values of an endgame. What was not built is empty. Reading is thread-safe.
struct Table final : Values {
    explicit Table(const Material& material) : index(material) {}

    Index index;
    Limits built_for;
    std::array<Numbers, 2> wdl;  // by side to move: wdl_code
    std::array<Numbers, 2> dtz;  // plies, unsigned; without meaning for draws
    std::array<Numbers, 2> dtm;  // DtmCode of its width
    /// After let_go_of_classes(): a bit a cell for what is won or lost too late for the limit for a claim; none
    /// if nothing is.
    std::array<std::vector<std::uint64_t>, 2> late;
    /// As wdl and dtz, for the automatic limit. Empty if `limits_agree`: then they are the same.
    std::array<Numbers, 2> wdl75, dtz75;
    bool limits_agree = false;
    std::array<std::array<Numbers, 2>, 2> dth;  // by who mates, by side to move: help_code
    bool dth_by_length = true;                  // else all that can mate have the code 0
    /// Metric::Dtm50: DtmCode at a clock of 0; and, by clock from dtm50_first on and by side to move, the
    /// cells whose mate comes later than by dtm, in ascending order.
    struct Later {
        std::uint32_t cell;
        std::uint8_t moves;
        friend bool operator==(const Later&, const Later&) = default;
    };
    using LaterRow = std::array<std::vector<Later>, 2>;
    std::array<Numbers, 2> dtm50_start;
    std::vector<LaterRow> dtm50_later;
    int dtm50_first = 0;

    const Index& numbering() const override { return index; }
    const Limits& limits() const override { return built_for; }
    bool has(Metric m) const override;
    const std::array<Numbers, 2>& classes(bool automatic) const {
        return automatic && !limits_agree ? wdl75 : wdl;
    }
    const std::array<Numbers, 2>& distances(bool automatic) const {
        return automatic && !limits_agree ? dtz75 : dtz;
    }
    /// For who only reads on by Source: wdl goes where dtm tells the same but for `late`.
    void let_go_of_classes();
    bool legal(Color side_to_move, std::uint64_t cell) const;
    /// Of any legal cell.
    Value value(Color side_to_move, std::uint64_t cell) const override;
    int extra_moves(Color side_to_move, std::uint64_t cell, int clock) const override;
    int first_clock() const override { return dtm50_first; }
};

}  // namespace mansuba::tablebase

// Values of positions after a move that leaves a pawn placement: by capture, promotion or push.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "tablebase/table.hpp"

namespace mansuba::tablebase {

/// Reads the codes of one table for positions given by the men of another. A man more, that a
/// promotion makes, stands last in Squares (kNewMan).
class Source {
public:
    static constexpr int kNewMan = Material::kMaxMen;

    /// Positions of `from` after the men `gone` (by their places in men()) are taken off and `put`
    /// (or none) comes on; `to` is their table, null if only kings are left.
    Source(const Index& from, std::span<const int> gone, const Piece* put, const Table* to);

    const Table* table() const { return table_; }

    /// Codes for `side_to_move` of the 64 positions with man `free` on each square, the other men as
    /// given. Where two men share a square, what is read means nothing. Code is as wide as the
    /// table's or wider.
    template <class Code>
    void dtm(Squares squares, int free, Color side_to_move, Code* out) const;
    /// The same under the limit for a claim, with a clock of 0.
    template <class Code>
    void dtm50(Squares squares, int free, Color side_to_move, Code* out) const;
    /// wdl_code, under the limit for a claim or the automatic one.
    void wdl(Squares squares, int free, Color side_to_move, std::uint8_t* out,
             bool automatic = false) const;
    /// help_code of one side's mates.
    void dth(Color winner, Squares squares, int free, Color side_to_move, std::uint8_t* out) const;
    /// Of one position, all of whose men are given; not after Table::let_go_of_classes().
    std::uint8_t wdl_at(const Squares& squares, Color side_to_move) const;

private:
    template <class Code>
    void read_dtm(const std::array<Numbers, 2>* numbers, Squares squares, int free,
                  Color side_to_move, Code* out) const;
    /// wdl() of a table that has let go of its classes.
    template <class Code>
    void class_by_dtm(const Squares& squares, int free, Color side_to_move,
                      std::uint8_t* out) const;
    /// `at` gives the code of a cell.
    template <class Code, class At>
    void read(Squares squares, int free, Code illegal, Code draw, Code* out, const At& at) const;
    Squares mapped(const Squares& squares) const;

    const Table* table_;
    bool swapped_ = false;
    std::array<std::int8_t, Material::kMaxMen> from_{};  // by man of the table: which man of ours
    int count_ = 0;
};

}  // namespace mansuba::tablebase

// Rule sets: after how many moves without a capture or pawn move a draw may be claimed, which has
// not always been 50.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tablebase/table.hpp"

namespace mansuba::tablebase {

/// Read from JSON, see rules/README.md. The 75-move rule is in none of them: it is asked for as a
/// metric of its own.
class RuleSet {
public:
    /// The Laws of today.
    RuleSet();

    static constexpr int kMaxMoves = 1000;

    /// Those that come with the program.
    static std::vector<std::string> names();
    /// By one of these names, or else from a file. Throws Error(Usage) for a name that is neither, and
    /// Error(Input) naming line and reason if the file has an unknown key, an endgame that is none, a limit
    /// that is not 1 to kMaxMoves, or one that would not be the same on the mirrored board.
    static RuleSet load(const std::string& name_or_file);
    /// `where` is named in errors. Throws as load().
    static RuleSet parse(const std::string& json, const std::string& where);

    const std::string& name() const { return name_; }
    /// What it was read from.
    const std::string& text() const { return text_; }

    /// Of an endgame. Throws Error(Usage) where the limit depends on the colour of a bishop's squares:
    /// such tables cannot be built.
    Limits limits(const Index& index) const;

    /// The same rules, however they are written down.
    friend bool operator==(const RuleSet& a, const RuleSet& b) {
        return a.name_ == b.name_ && a.plies_ == b.plies_ && a.exceptions_ == b.exceptions_;
    }

private:
    struct Exception {
        Material endgame;
        int plies;
        std::optional<Bitboard> white_pawns, black_pawns;  // all of a side stand on these
        bool by_bishop = false;

        bool applies(const PawnPlacements& placements, std::uint32_t placement,
                     bool mirrored) const;
        friend bool operator==(const Exception&, const Exception&) = default;
    };

    std::string name_ = "fide", text_;
    int plies_ = kRulePlies;
    std::vector<Exception> exceptions_;
};

}  // namespace mansuba::tablebase

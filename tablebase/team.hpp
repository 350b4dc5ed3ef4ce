// Several processes that build one table together, each a share of its king pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "tablebase/index.hpp"

namespace mansuba::tablebase {

/// One member's end. All members build the same table with the same options, and so send and receive in
/// the same order. From one thread.
class Team {
public:
    virtual ~Team() = default;

    virtual int member() const = 0;
    virtual int size() const = 0;
    enum class Pack : bool { No, Yes };
    /// Does not wait for the receiver. `pack` what shrinks by it: long messages that are not compressed yet.
    virtual void send(int to, std::span<const std::byte> bytes, Pack pack = Pack::No) = 0;
    /// The next from that member; waits for it. Throws the error of another member that failed.
    virtual std::vector<std::byte> receive(int from) = 0;
    /// Whether this member was asked to stop. All stop as soon as one was.
    virtual bool stopped() const = 0;
};

/// Whether members can share an endgame: it has king pairs.
bool can_share(const Index& index);

/// The member that has each king pair. Shares are even, and compact in the squares of both kings: only steps of
/// a king lead to other pairs. Some members have none if there are more of them than pairs.
std::vector<int> owners(const Index& index, int members);
/// The most pairs that one member has.
std::uint32_t largest_share(const Index& index, int members);

/// Blocks of a pawn placement from `first` to before `last`.
struct BlockRun {
    std::uint32_t first, last;
};
/// Those of a member's share, in ascending order; all without a team.
std::vector<BlockRun> own_blocks(const Index& index, const Team* team);

template <class T>
requires std::is_trivially_copyable_v<T>
void send_values(Team& team, int to, std::span<const T> values) {
    team.send(to, std::as_bytes(values));
}
template <class T>
requires std::is_trivially_copyable_v<T> std::vector<T> receive_values(Team& team, int from) {
    const std::vector<std::byte> bytes = team.receive(from);
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty())
        std::memcpy(static_cast<void*>(values.data()), bytes.data(), values.size() * sizeof(T));
    return values;
}

/// All members' numbers taken together, for all of them: a sum, a maximum.
template <class T, class Join>
T joined(Team* team, T mine, const Join& join) {
    if (!team || team->size() == 1) return mine;
    if (team->member()) {
        send_values<T>(*team, 0, {&mine, 1});
        return receive_values<T>(*team, 0).at(0);
    }
    for (int m = 1; m < team->size(); ++m) mine = join(mine, receive_values<T>(*team, m).at(0));
    for (int m = 1; m < team->size(); ++m) send_values<T>(*team, m, {&mine, 1});
    return mine;
}

}  // namespace mansuba::tablebase

#include "tablebase/border.hpp"

#include <algorithm>
#include <iterator>

#include "core/error.hpp"

namespace mansuba::tablebase {
namespace {

/// A message: bytes that grow, and are read in the same order.
class Message {
public:
    template <class T>
    void put(T value) {
        const auto* p = reinterpret_cast<const std::byte*>(&value);
        bytes_.insert(bytes_.end(), p, p + sizeof(T));
    }
    const std::vector<std::byte>& bytes() const { return bytes_; }

private:
    std::vector<std::byte> bytes_;
};

class Received {
public:
    explicit Received(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
    template <class T>
    T get() {
        T value;
        if (bytes_.size() - at_ < sizeof(T))
            throw Error(ErrorCode::Internal, "a message between ranks is too short");
        std::memcpy(&value, bytes_.data() + at_, sizeof(T));
        at_ += sizeof(T);
        return value;
    }

private:
    std::vector<std::byte> bytes_;
    std::size_t at_ = 0;
};

constexpr std::uint32_t kEnd = 0xffff'ffff;

/// The rows of a block that are there: its number, which rows, of each row which words, and these.
void put_block(Message& message, const Set& set, std::uint32_t b) {
    message.put(b);
    message.put(set.rows[b]);
    for (int r = 0; r < 8; ++r) {
        if (!(set.rows[b] >> r & 1)) continue;
        const std::uint64_t* words = set.block[b].word + 8 * r;
        std::uint8_t which = 0;
        for (int w = 0; w < 8; ++w)
            if (words[w]) which = static_cast<std::uint8_t>(which | 1 << w);
        message.put(which);
        for (int w = 0; w < 8; ++w)
            if (words[w]) message.put(words[w]);
    }
}

}  // namespace

Share share_of(const Index& index, int member, int members) {
    // Stored chunks belong to one share: where a block is a pair, a chunk has sixteen.
    const std::uint64_t grain = index.outer_axes() == 0 ? 16 : 1;
    const std::uint64_t pairs = index.king_pairs().size(), grains = (pairs + grain - 1) / grain;
    const auto bound = [&](int m) {
        return static_cast<std::uint32_t>(std::min(
            pairs,
            grains * static_cast<std::uint64_t>(m) / static_cast<std::uint64_t>(members) * grain));
    };
    return {bound(member), bound(member + 1)};
}

std::uint32_t largest_share(const Index& index, int members) {
    std::uint32_t largest = 0;
    for (int m = 0; m < members; ++m) {
        const Share share = share_of(index, m, members);
        largest = std::max(largest, share.last - share.first);
    }
    return largest;
}

bool can_share(const Index& index) { return index.has_king_pairs(); }

std::vector<int> owners(const Layout& layout, int members) {
    std::vector<int> owner(layout.blocks / layout.blocks_per_pair);
    for (int m = 0; m < members; ++m) {
        const Share share = share_of(*layout.index, m, members);
        std::fill(owner.begin() + share.first, owner.begin() + share.last, m);
    }
    return owner;
}

PairsRead pairs_read(const Layout& layout, int members) {
    PairsRead read;
    const std::vector<int> owner = owners(layout, members);
    for (const Color king : {Color::White, Color::Black}) {
        auto& of_king = read[static_cast<std::size_t>(king)];
        of_king.resize(static_cast<std::size_t>(members));
        for (std::uint32_t p = 0; p < owner.size(); ++p)
            for (const Layout::Step& step : layout.steps(king, p))
                if (owner[step.pair] != owner[p])
                    of_king[static_cast<std::size_t>(owner[p])].push_back(step.pair);
        for (std::vector<std::uint32_t>& pairs : of_king) {
            std::sort(pairs.begin(), pairs.end());
            pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
        }
    }
    return read;
}

std::uint32_t largest_beyond(const Layout& layout, int members) {
    const PairsRead read = pairs_read(layout, members);
    std::size_t most = 0;
    for (std::size_t m = 0; m < static_cast<std::size_t>(members); ++m) {
        std::vector<std::uint32_t> either;
        std::set_union(read[0][m].begin(), read[0][m].end(), read[1][m].begin(), read[1][m].end(),
                       std::back_inserter(either));
        most = std::max(most, either.size());
    }
    return static_cast<std::uint32_t>(most);
}

Border::Border(const Layout& layout, Team* team)
    : layout_(layout), team_(team), first_block_(0), last_block_(layout.blocks) {
    if (!team || team->size() == 1) return;
    const int me = team->member();
    const Share mine = share_of(*layout.index, me, team->size());
    first_block_ = mine.first * layout.blocks_per_pair;
    last_block_ = mine.last * layout.blocks_per_pair;
    const std::vector<int> owner = owners(layout, team->size());
    const PairsRead read = pairs_read(layout, team->size());
    for (int m = 0; m < team->size(); ++m)
        if (m != me) with_.push_back({m, {}, {}});
    for (std::size_t k = 0; k < read.size(); ++k) {
        beyond_[k] = read[k][static_cast<std::size_t>(me)];
        for (With& with : with_) {
            std::copy_if(beyond_[k].begin(), beyond_[k].end(), std::back_inserter(with.takes[k]),
                         [&](std::uint32_t p) { return owner[p] == with.member; });
            const auto& theirs = read[k][static_cast<std::size_t>(with.member)];
            std::copy_if(theirs.begin(), theirs.end(), std::back_inserter(with.gives[k]),
                         [&](std::uint32_t p) { return owner[p] == me; });
        }
    }
}

void Border::trade(std::span<const Part> parts) const {
    const std::uint32_t per_pair = layout_.blocks_per_pair;
    const auto any_of = [&](const std::array<std::vector<std::uint32_t>, 2>& pairs) {
        return std::any_of(parts.begin(), parts.end(),
                           [&](const Part& part) { return !pairs[side_of(part.king)].empty(); });
    };
    for (const With& with : with_) {
        if (!any_of(with.gives)) continue;
        Message message;
        for (const Part& part : parts) {
            for (const std::uint32_t pair : with.gives[side_of(part.king)])
                for (std::uint32_t b = pair * per_pair; b < (pair + 1) * per_pair; ++b)
                    if (part.set.rows[b]) put_block(message, part.set, b);
            message.put(kEnd);
        }
        team_->send(with.member, message.bytes(), Team::Pack::Yes);
    }
    for (const With& with : with_) {
        if (!any_of(with.takes)) continue;
        Received message(team_->receive(with.member));
        for (const Part& part : parts) {
            for (const std::uint32_t pair : with.takes[side_of(part.king)])
                std::fill_n(part.set.rows + pair * per_pair, per_pair, std::uint8_t{0});
            while (true) {
                const auto b = message.get<std::uint32_t>();
                if (b == kEnd) break;
                if (b >= layout_.blocks)
                    throw Error(ErrorCode::Internal, "a message between ranks makes no sense");
                const auto rows = message.get<std::uint8_t>();
                part.set.rows[b] = rows;
                const bool takes = part.taken_from.rows != nullptr;
                for (int r = 0; r < 8; ++r) {
                    if (!(rows >> r & 1)) continue;
                    const auto which = message.get<std::uint8_t>();
                    for (int w = 0; w < 8; ++w) {
                        const std::uint64_t word =
                            which >> w & 1 ? message.get<std::uint64_t>() : 0;
                        part.set.block[b].word[8 * r + w] = word;
                        if (takes && part.taken_from.rows[b] >> r & 1)
                            part.taken_from.block[b].word[8 * r + w] &= ~word;
                    }
                }
            }
        }
    }
}

}  // namespace mansuba::tablebase

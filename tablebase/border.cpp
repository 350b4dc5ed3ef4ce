#include "tablebase/border.hpp"

#include <algorithm>

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

bool can_share(const Index& index, int members) {
    const std::size_t grain = index.outer_axes() == 0 ? 16 : 1;
    return index.has_king_pairs() &&
           index.king_pairs().size() / grain >= static_cast<std::size_t>(members);
}

Border::Border(const Layout& layout, Team* team)
    : layout_(layout), team_(team), first_block_(0), last_block_(layout.blocks) {
    if (!team || team->size() == 1) return;
    const std::uint32_t pairs = layout.blocks / layout.blocks_per_pair;
    std::vector<int> owner(pairs);
    for (int m = 0; m < team->size(); ++m) {
        const Share share = share_of(*layout.index, m, team->size());
        std::fill(owner.begin() + share.first, owner.begin() + share.last, m);
        if (m != team->member()) {
            with_.push_back({m, {}, {}});
        } else {
            first_block_ = share.first * layout.blocks_per_pair;
            last_block_ = share.last * layout.blocks_per_pair;
        }
    }
    for (const Color king : {Color::White, Color::Black}) {
        const std::size_t k = side_of(king);
        std::vector<std::vector<std::uint8_t>> read(static_cast<std::size_t>(team->size()),
                                                    std::vector<std::uint8_t>(pairs));
        for (std::uint32_t p = 0; p < pairs; ++p)
            for (const Layout::Step& step : layout.steps(king, p))
                read[static_cast<std::size_t>(owner[p])][step.pair] = 1;
        const auto me = static_cast<std::size_t>(team->member());
        for (std::uint32_t p = 0; p < pairs; ++p) {
            if (owner[p] != team->member() && read[me][p]) beyond_[k].push_back(p);
            for (With& with : with_) {
                if (owner[p] == with.member && read[me][p]) with.takes[k].push_back(p);
                if (owner[p] == team->member() && read[static_cast<std::size_t>(with.member)][p])
                    with.gives[k].push_back(p);
            }
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

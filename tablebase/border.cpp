#include "tablebase/border.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

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

struct Grain {
    std::uint32_t first_pair;
    KingPair kings;
};

/// Halves what is to be shared, and the halves, by the one king's square and the other's in turn. White's goes
/// by files: symmetry leaves it four of them. Black's goes by its distance from a1, which is the same after
/// the reflection that a step of White's across the diagonal brings.
template <class Give>
void share_out(std::span<Grain> grains, Color by, int first, int members, const Give& give) {
    if (members == 1) {
        for (const Grain& g : grains) give(g.first_pair, first);
        return;
    }
    const auto place = [by](const Grain& g) {
        const Square white = g.kings.white, black = g.kings.black;
        const std::array at_white{file_of(white), rank_of(white)},
            at_black{std::max(file_of(black), rank_of(black)), static_cast<int>(black)};
        return by == Color::White ? std::tuple(at_white, at_black, g.first_pair)
                                  : std::tuple(at_black, at_white, g.first_pair);
    };
    std::sort(grains.begin(), grains.end(),
              [&](const Grain& a, const Grain& b) { return place(a) < place(b); });
    const int half = members / 2;
    const std::size_t cut =
        grains.size() * static_cast<std::size_t>(half) / static_cast<std::size_t>(members);
    share_out(grains.first(cut), ~by, first, half, give);
    share_out(grains.subspan(cut), ~by, first + half, members - half, give);
}

}  // namespace

bool can_share(const Index& index) { return index.has_king_pairs(); }

std::vector<int> owners(const Index& index, int members) {
    // Stored chunks belong to one share: where a block is a pair, a chunk has sixteen.
    const std::uint32_t grain = index.outer_axes() == 0 ? 16 : 1;
    std::vector<int> owner(index.king_pairs().size());
    std::vector<Grain> grains;
    for (std::uint32_t p = 0; p < owner.size(); p += grain)
        grains.push_back({p, index.king_pairs()[p]});
    share_out(std::span(grains), Color::White, 0, members, [&](std::uint32_t first, int member) {
        for (std::uint32_t p = first; p < std::min(first + grain, std::uint32_t(owner.size())); ++p)
            owner[p] = member;
    });
    return owner;
}

std::uint32_t largest_share(const Index& index, int members) {
    std::vector<std::uint32_t> pairs(static_cast<std::size_t>(members));
    for (const int owner : owners(index, members)) ++pairs[static_cast<std::size_t>(owner)];
    return *std::max_element(pairs.begin(), pairs.end());
}

std::vector<BlockRun> own_blocks(const Index& index, const Team* team) {
    const auto blocks = static_cast<std::uint32_t>(index.blocks_per_placement());
    if (!team || team->size() == 1) return {{0, blocks}};
    const std::vector<int> owner = owners(index, team->size());
    const auto per_pair = blocks / static_cast<std::uint32_t>(owner.size());
    std::vector<BlockRun> runs;
    for (std::uint32_t p = 0; p < owner.size(); ++p) {
        if (owner[p] != team->member()) continue;
        if (runs.empty() || runs.back().last != p * per_pair)
            runs.push_back({p * per_pair, p * per_pair});
        runs.back().last += per_pair;
    }
    return runs;
}

PairsRead pairs_read(const Layout& layout, int members) {
    PairsRead read;
    const std::vector<int> owner = owners(*layout.index, members);
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
    for (std::size_t m = 0; m < static_cast<std::size_t>(members); ++m)
        most = std::max(most, read[0][m].size() + read[1][m].size());
    return static_cast<std::uint32_t>(most);
}

Border::Border(const Layout& layout, Team* team)
    : layout_(layout), team_(team), own_(own_blocks(*layout.index, team)) {
    if (!team || team->size() == 1) return;
    const int me = team->member();
    const std::vector<int> owner = owners(*layout.index, team->size());
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

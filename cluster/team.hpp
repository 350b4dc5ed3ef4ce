// The ranks of a job as a team that builds one table.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <vector>

#include "cluster/transport.hpp"
#include "core/error.hpp"
#include "tablebase/team.hpp"

namespace mansuba::cluster {

/// Kinds of messages within a team; others must not have them.
enum TeamKind : int {
    kTeamPiece = 201,  // a message or a piece of one
    kTeamFailed,       // an Error
};

/// All ranks are members. Messages are cut into pieces that MPI can count. While it is at work nothing else may
/// use the transport.
class RankTeam final : public tablebase::Team {
public:
    /// `stop` may be null.
    RankTeam(Transport& transport, const std::atomic<bool>* stop);
    ~RankTeam() override;

    int member() const override { return transport_.rank(); }
    int size() const override { return transport_.size(); }
    void send(int to, std::span<const std::byte> bytes, Pack pack) override;
    /// Throws the error of another rank that called fail(), and Error(Interrupted) if the job is over.
    std::vector<std::byte> receive(int from) override;
    bool stopped() const override { return stop_ && stop_->load(std::memory_order_relaxed); }

    /// Ends the work of all others, unless another's failure has ended it.
    void fail(const Error& error);
    /// Messages that came meanwhile and are not the team's.
    std::deque<Message> take_others() { return std::move(others_); }

    /// No piece is larger.
    static constexpr std::size_t kMaxPieceBytes = std::size_t{1} << 30;

private:
    struct Packer;
    void take_in(Message message);

    Transport& transport_;
    const std::atomic<bool>* stop_;
    bool other_failed_ = false;
    std::vector<std::deque<std::vector<std::byte>>> pieces_;  // by sender
    std::deque<Message> others_;
    std::unique_ptr<Packer> packer_;
};

}  // namespace mansuba::cluster

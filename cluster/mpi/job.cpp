#include "cluster/mpi/job.hpp"

#include <chrono>
#include <cstdlib>
#include <list>
#include <thread>

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include "core/error.hpp"

namespace mansuba::cluster::mpi {
namespace {

class Ranks final : public Transport {
public:
    Ranks() {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &size_);
    }
    /// Whether all that was sent left within this time.
    bool flush(std::chrono::seconds limit) {
        const auto end = std::chrono::steady_clock::now() + limit;
        while (forget_what_has_left(), !sent_.empty()) {
            if (std::chrono::steady_clock::now() > end) return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return true;
    }

    int rank() const override { return rank_; }
    int size() const override { return size_; }

    void send(int to, int kind, std::span<const std::byte> bytes) override {
        forget_what_has_left();
        Sent& sent = sent_.emplace_back(Sent{{bytes.begin(), bytes.end()}, MPI_REQUEST_NULL});
        MPI_Isend(sent.bytes.data(), static_cast<int>(sent.bytes.size()), MPI_BYTE, to, kind,
                  MPI_COMM_WORLD, &sent.request);
    }

    std::optional<Message> receive() override {
        forget_what_has_left();
        int there = 0;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
        if (!there) return std::nullopt;
        int size = 0;
        MPI_Get_count(&status, MPI_BYTE, &size);
        Message message{status.MPI_SOURCE, status.MPI_TAG,
                        std::vector<std::byte>(static_cast<std::size_t>(size))};
        MPI_Recv(message.bytes.data(), size, MPI_BYTE, message.from, message.kind, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        return message;
    }

private:
    struct Sent {
        std::vector<std::byte> bytes;
        MPI_Request request;
    };

    void forget_what_has_left() {
        for (auto sent = sent_.begin(); sent != sent_.end();) {
            int left = 0;
            MPI_Test(&sent->request, &left, MPI_STATUS_IGNORE);
            sent = left ? sent_.erase(sent) : std::next(sent);
        }
    }

    int rank_ = 0, size_ = 1;
    std::list<Sent> sent_;
};

}  // namespace

bool is_launched() {
    // Open MPI's mpirun; srun --mpi=pmix; srun --mpi=pmi2 and MPICH's mpiexec.
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"})
        if (std::getenv(name)) return true;
    return false;
}

std::string library_version() {
#ifdef OMPI_MAJOR_VERSION
    return "Open MPI " + std::to_string(OMPI_MAJOR_VERSION) + "." +
           std::to_string(OMPI_MINOR_VERSION) + "." + std::to_string(OMPI_RELEASE_VERSION);
#else
    return "MPI " + std::to_string(MPI_VERSION) + "." + std::to_string(MPI_SUBVERSION);
#endif
}

Job::Job() {
    int provided = 0;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS ||
        provided < MPI_THREAD_SERIALIZED)
        throw Error(ErrorCode::Internal, "MPI cannot be started, or not with threads");
    transport_ = std::make_unique<Ranks>();
    MPI_Comm machine;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &local_ranks_);
    MPI_Comm_free(&machine);
}

Job::~Job() {
    // A rank that cannot be reached, after a failed connection say, must not hold up the job's end. What
    // another rank than 0 has not got rid of by now, nobody waits for.
    if (transport_->rank() == 0 &&
        !static_cast<Ranks&>(*transport_).flush(std::chrono::seconds(30)))
        MPI_Abort(MPI_COMM_WORLD, exit_code_);
    MPI_Finalize();
}

}  // namespace mansuba::cluster::mpi

// The ranks of a job that mpirun or srun started, if this process is one of them.
#pragma once

#include <memory>
#include <string>

#include "cluster/transport.hpp"

namespace mansuba::cli {

/// The whole time of the program. Started plain it does nothing; as a rank it starts MPI, gives each
/// rank of a machine its share of the threads, and silences all ranks but 0.
class Job {
public:
    Job();
    ~Job();
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    /// This rank's end; null if the program runs alone. Of the only job there is.
    static cluster::Transport* transport();
    static int ranks();
    /// Of this machine.
    static int local_ranks();
    /// Whether this rank only helps rank 0, which alone prints.
    static bool helps();
    /// Rank 0 tells the others its exit code; these wait for it. Returns the code of the job.
    int finish(int exit_code);
    /// For helpers that have heard it while they worked.
    static void finished_with(int exit_code);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// MPI's name and version, "" if the program is built without.
std::string mpi_version();

}  // namespace mansuba::cli

// This process as a rank of an MPI job. The only folder that knows MPI.
#pragma once

#include <memory>
#include <string>

#include "cluster/transport.hpp"

namespace mansuba::cluster::mpi {

/// Whether mpirun or srun started this process as one of several, by its environment: started
/// plain, no MPI function is called.
bool is_launched();

/// The library's name and version, as far as it can be told without starting it.
std::string library_version();

/// From MPI_Init to MPI_Finalize; one a process. Throws Error(Internal) if MPI cannot be started.
class Job {
public:
    Job();
    /// Rank 0 waits until all that it sent has left; if it does not within half a minute, aborts the job.
    ~Job();
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    Transport& transport() { return *transport_; }
    /// Ranks on this machine.
    int local_ranks() const { return local_ranks_; }

    /// What an abort at the end gives as the job's exit code.
    void set_exit_code(int exit_code) { exit_code_ = exit_code; }

private:
    std::unique_ptr<Transport> transport_;
    int exit_code_ = 1;
    int local_ranks_ = 1;
};

}  // namespace mansuba::cluster::mpi

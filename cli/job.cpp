#include "cli/job.hpp"

#include <algorithm>
#include <omp.h>
#include <optional>
#include <sched.h>
#include <thread>
#include <unistd.h>

#include <spdlog/spdlog.h>

#if MANSUBA_WITH_MPI
#include "cluster/mpi/job.hpp"
#endif

namespace mansuba::cli {
namespace {

cluster::Transport* the_transport = nullptr;
std::optional<int> heard;
int the_local_ranks = 1;

#if MANSUBA_WITH_MPI
/// A rank that is bound to some of the processors has these; others share all.
int threads_of_a_rank(int local_ranks) {
    cpu_set_t bound;
    const auto all = static_cast<int>(std::thread::hardware_concurrency());
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (sched_getaffinity(0, sizeof bound, &bound) == 0 && CPU_COUNT(&bound) < online)
        return CPU_COUNT(&bound);
    return std::max(1, all / std::max(1, local_ranks));
}
#endif

}  // namespace

#if MANSUBA_WITH_MPI
struct Job::Impl {
    cluster::mpi::Job job;
};

Job::Job() {
    if (!cluster::mpi::is_launched()) return;
    impl_ = std::make_unique<Impl>();
    the_transport = &impl_->job.transport();
    the_local_ranks = impl_->job.local_ranks();
    omp_set_num_threads(threads_of_a_rank(the_local_ranks));
    if (helps()) spdlog::set_level(spdlog::level::off);
}

std::string mpi_version() { return cluster::mpi::library_version(); }
#else
struct Job::Impl {};
Job::Job() = default;
std::string mpi_version() { return {}; }
#endif

Job::~Job() { the_transport = nullptr; }

cluster::Transport* Job::transport() { return the_transport; }
int Job::ranks() { return the_transport ? the_transport->size() : 1; }
int Job::local_ranks() { return the_local_ranks; }
bool Job::helps() { return the_transport && the_transport->rank() > 0; }
void Job::finished_with(int exit_code) { heard = exit_code; }

int Job::finish(int exit_code) {
    if (!the_transport) return exit_code;
    if (helps()) return heard ? *heard : cluster::await_finish(*the_transport);
#if MANSUBA_WITH_MPI
    impl_->job.set_exit_code(exit_code);
#endif
    cluster::finish(*the_transport, exit_code);
    return exit_code;
}

}  // namespace mansuba::cli

# shellcheck shell=bash
# What differs from site to site. Edit it; the batch scripts read it.

# module load gcc openmpi hdf5
MANSUBA=${MANSUBA:-mansuba}                # the program, or its path
LAUNCH=${LAUNCH:-srun --mpi=pmix --kill-on-bad-exit=1}
# A site without PMIx in its Slurm: LAUNCH="mpirun --map-by ppr:1:node:PE=$SLURM_CPUS_PER_TASK"

# One rank a node, or a NUMA domain of it, with a thread for each of its cores: what the batch scripts ask for.
export OMP_NUM_THREADS=${SLURM_CPUS_PER_TASK:-1}
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
# On one node, root and more ranks than cores are what tests are made of.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1

#!/usr/bin/env bash
# usage: scripts/local_slurm.sh up|down [DIRECTORY]
# A private Slurm with two "nodes" on this machine, for tests: munged, slurmctld and two slurmd as root, without systemd
# and cgroups. `up` prints the line that makes srun and sbatch use it. Needs the packages slurm-wlm and munge, and root.
set -euo pipefail

directory=${2:-/var/tmp/mansuba-slurm}
nodes=2
port=${LOCAL_SLURM_PORT:-17200}
export SLURM_CONF="$directory/slurm.conf"

die() { echo "local_slurm.sh: $*" >&2; exit 1; }

start() {  # NAME COMMAND...: in the background, remembered for `down`
  local name=$1
  shift
  "$@" >"$directory/log/$name.out" 2>&1 </dev/null &
  echo "$! $name" >>"$directory/started"
}

wait_for() {  # SECONDS COMMAND...
  local tries=$(($1 * 5))
  shift
  for ((; tries > 0; --tries)); do
    "$@" >/dev/null 2>&1 && return 0
    sleep 0.2
  done
  return 1
}

all_idle() { [[ $(sinfo -h -N -o %T | grep -c '^idle$') == "$nodes" ]]; }

configuration() {
  local host memory
  host=$(hostname -s)
  memory=$(($(awk '/^MemTotal/ {print $2}' /proc/meminfo) / 1024 / nodes * 4 / 5))
  cat <<CONF
ClusterName=mansuba
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
# A requeued job waits for its credential to expire.
AuthInfo=socket=$directory/munge/socket,cred_expire=5
StateSaveLocation=$directory/state
SlurmdSpoolDir=$directory/spool/%n
SlurmctldPidFile=$directory/slurmctld.pid
SlurmdPidFile=$directory/slurmd.%n.pid
SlurmctldLogFile=$directory/log/slurmctld.log
SlurmdLogFile=$directory/log/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=pmix
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=2,bf_interval=2
PropagateResourceLimits=NONE
ReturnToService=2
SlurmdTimeout=30
KillOnBadExit=1
KillWait=10
SlurmdParameters=config_overrides
# PMIx makes directories there that are named by the job alone.
TmpFS=$directory/tmp/%n
CONF
  local n
  for ((n = 1; n <= nodes; ++n)); do
    echo "NodeName=n$n NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + n)) CPUs=2 Boards=1 SocketsPerBoard=1 CoresPerSocket=2 ThreadsPerCore=1 RealMemory=$memory State=UNKNOWN"
  done
  echo "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE OverTimeLimit=0 State=UP"
}

up() {
  ((EUID == 0)) || die "needs root"
  local program
  for program in munged slurmctld slurmd sinfo unshare; do
    command -v "$program" >/dev/null || die "there is no $program; Debian: apt-get install slurm-wlm munge"
  done
  [[ -s $directory/started ]] && die "$directory is in use; scripts/local_slurm.sh down"
  mkdir -p "$directory"/{munge,state,spool,log}
  chmod 0755 "$directory" "$directory/munge"
  : >"$directory/started"
  [[ -s $directory/munge/key ]] || (umask 0377 && head -c 1024 /dev/urandom >"$directory/munge/key")
  start munged munged --foreground --force --key-file="$directory/munge/key" --socket="$directory/munge/socket" \
    --pid-file="$directory/munge/pid" --log-file="$directory/log/munged.log" --seed-file="$directory/munge/seed"
  wait_for 10 test -S "$directory/munge/socket" || die "munged did not start; see $directory/log"
  configuration >"$SLURM_CONF"
  start slurmctld slurmctld -D -c
  local n
  for ((n = 1; n <= nodes; ++n)); do
    mkdir -p "$directory/spool/n$n" "$directory/tmp/n$n"
    # A name and a /dev/shm of its own, or the shared memory of the ranks of two "nodes" would meet.
    # shellcheck disable=SC2016
    start "n$n" unshare --uts --mount sh -c \
      'hostname "$1" && mount -t tmpfs -o size=50% tmpfs /dev/shm && exec slurmd -D -N "$1"' sh "n$n"
  done
  wait_for 30 all_idle || die "the nodes did not come up; see $directory/log"
  echo "export SLURM_CONF=$SLURM_CONF"
}

down() {
  [[ -s $directory/started ]] || return 0
  timeout 10 scancel --user=root --quiet 2>/dev/null || true
  sleep 1
  local pid name
  while read -r pid name; do kill -TERM "$pid" 2>/dev/null && echo "local_slurm.sh: ended $name" >&2; done < <(tac "$directory/started")
  sleep 2
  while read -r pid name; do kill -KILL "$pid" 2>/dev/null || true; done <"$directory/started"
  : >"$directory/started"
}

case ${1:-} in
  up) up ;;
  down) down ;;
  *) die "usage: scripts/local_slurm.sh up|down [DIRECTORY]" ;;
esac

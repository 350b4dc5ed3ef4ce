# shellcheck shell=bash
# run COMMAND...: a job step that saves when time runs out, and goes on in the same job after a requeue. Sourced by the
# batch scripts, whose --signal=B:USR1@90 wakes this shell 90 seconds before the limit.

# shellcheck source=slurm/site.sh
source "${SLURM_SUBMIT_DIR:-.}/slurm/site.sh"

run() {
  echo "mansuba: job $SLURM_JOB_ID, start ${SLURM_RESTART_COUNT:-0}, $SLURM_NTASKS ranks of ${SLURM_CPUS_PER_TASK:-1} threads on $SLURM_JOB_NODELIST" >&2
  trap 'scancel --signal=USR1 "$SLURM_JOB_ID.0"' USR1 TERM
  # shellcheck disable=SC2086
  $LAUNCH "$MANSUBA" "$@" &
  local step=$! code
  # A trap ends wait; the step goes on until all is saved.
  while wait "$step"; code=$?; kill -0 "$step" 2>/dev/null; do :; done
  if ((code == 4)); then
    echo "mansuba: saved; requeued" >&2
    scontrol requeue "$SLURM_JOB_ID"
    sleep 60  # the requeue ends this shell
  fi
  return "$code"
}

"""Runs a count and a build on a Slurm of two "nodes" on this machine, through a time limit and a lost node.

usage: test_slurm.py ROOT PROGRAM       exit 77: Slurm or the rights to start it are missing
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT, PROGRAM = Path(sys.argv[1]), Path(sys.argv[2]).resolve()
SKIPPED = 77


def run(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


def submit(work, *arguments):
    return re.search(r"\d+", run("sbatch", *arguments, cwd=work))[0]


def state_of(job):
    return re.search(r"JobState=(\w+)", run("scontrol", "show", "job", job))[1]


def wait_for(what, seconds, holds):
    end = time.time() + seconds
    while time.time() < end:
        if holds():
            return
        time.sleep(0.5)
    raise SystemExit(f"test_slurm.py: waited in vain for {what}")


def answer_of(output):
    """The JSON document at the end of a job's output."""
    text = output.read_text()
    return json.loads(text[text.rindex("\n{\n") if "\n{\n" in text else text.index("{\n") :])


def check(value, expected, what):
    if value != expected:
        raise SystemExit(f"test_slurm.py: {what} is {value!r}, not {expected!r}")


def count(work):
    """A count too long for its time: it saves, is requeued, loses a node, and ends with the right total."""
    job = submit(work, "--time=1", "--signal=B:USR1@45", "--cpus-per-task=1", "slurm/perft.sbatch", "9", "--hash", "16M")
    output = work / f"mansuba-perft-{job}.out"
    wait_for("the first requeue", 120, lambda: output.exists() and "start 1" in output.read_text())
    time.sleep(4)
    run("scontrol", "update", "nodename=n2", "state=down", "reason=test")
    wait_for("the job to leave the lost node", 60, lambda: state_of(job) != "RUNNING")
    # A node that has come back by itself need not be told.
    subprocess.run(["scontrol", "update", "nodename=n2", "state=resume"], check=False, capture_output=True)
    wait_for("the count", 900, lambda: state_of(job) in ("COMPLETED", "FAILED", "TIMEOUT", "CANCELLED"))
    if state_of(job) != "COMPLETED":
        print(output.read_text(), run("scontrol", "show", "job", job))
    check(state_of(job), "COMPLETED", "the state of the count")
    text = output.read_text()
    answer = answer_of(output)
    check(answer["nodes"], "2439530234167", "the total")
    check(answer["ranks"], 2, "the number of ranks")
    check("saved; requeued" in text and "resumed_nodes" in answer, True, "that it was saved and resumed")


def build(work):
    job = submit(work, "--cpus-per-task=1", "slurm/build.sbatch", "KQvKR", "KPvK", "--out", str(work / "tables"))
    output = work / f"mansuba-build-{job}.out"
    wait_for("the build", 300, lambda: state_of(job) in ("COMPLETED", "FAILED", "TIMEOUT", "CANCELLED"))
    check(state_of(job), "COMPLETED", "the state of the build")
    check(answer_of(output)["ranks"], 2, "the number of ranks")
    run(str(PROGRAM), "build", "KQvKR", "KPvK", "--out", str(work / "alone"))
    for table in sorted((work / "alone").iterdir()):
        check((work / "tables" / table.name).read_bytes() == table.read_bytes(), True, f"{table.name} as built alone")


def main():
    if os.geteuid() != 0 or not all(map(shutil.which, ("sbatch", "munged", "slurmctld", "slurmd"))):
        print("needs root, and the packages slurm-wlm and munge")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="mansuba-slurm-") as directory:
        script, private = str(ROOT / "scripts/local_slurm.sh"), os.path.join(directory, "slurmd")
        work = Path(directory, "work")
        shutil.copytree(ROOT / "slurm", work / "slurm")
        os.environ["MANSUBA"] = str(PROGRAM)
        try:
            # Not captured: what it starts in the background would hold the pipe open.
            with open(work / "up", "w", encoding="utf-8") as log:
                subprocess.run([script, "up", private], check=True, stdout=log, stderr=log)
            os.environ["SLURM_CONF"] = os.path.join(private, "slurm.conf")
            count(work)
            build(work)
        finally:
            subprocess.run([script, "down", private], check=False)
    print("a count through a time limit and a lost node, and a build: as they should be")
    return 0


sys.exit(main())

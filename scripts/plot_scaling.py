#!/usr/bin/env python3
"""Draws how work scales with ranks, and prints the same as a table.

usage: plot_scaling.py FILE... [--out PLOT.png]

A FILE is what `mansuba perft --json` or `build --json` printed with some number of ranks (slurm/scaling.sbatch makes
one a run): their speed is drawn beside the ideal line; or the JSON output of bench_cluster: bytes and messages a ply by
simulated ranks. Several files of a kind come together. Without --out nothing is drawn, and matplotlib is not needed.
Exit 0; 2 on input that is neither, with one line that says what is wrong.
"""

import argparse
import json
import sys
from collections import defaultdict


class BadInput(Exception):
    pass


def load(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise BadInput(f"{path}: no JSON: {error}") from error


def collect(paths):
    """speed: what -> {ranks: seconds}; traffic: endgame -> {ranks: (bytes, messages, bytes a ply, messages a ply)}."""
    speed, traffic = defaultdict(dict), defaultdict(dict)
    for path in paths:
        report = load(path)
        try:
            if "benchmarks" in report:
                for run in report["benchmarks"]:
                    if run.get("error_occurred"):
                        raise BadInput(f"{path}: {run['name']} failed: {run.get('error_message', '')}")
                    _, endgame, *_ = run["name"].split("/")
                    traffic[endgame][int(run["ranks"])] = tuple(
                        run[key] for key in ("bytes", "messages", "bytes_per_ply", "messages_per_ply")
                    )
            elif "nps" in report:
                what = f"perft {report['depth']}, {report['threads']} thread(s) a rank"
                speed[what][int(report["ranks"])] = report["seconds"]
            elif "tables" in report:
                made = [t["material"] for t in report["tables"] if not t["skipped"]]
                what = f"build {made[-1] if made else 'nothing'}, {report['threads']} thread(s) a rank"
                speed[what][int(report["ranks"])] = report["seconds"]
            else:
                raise BadInput(f"{path}: neither a count, a build nor bench_cluster's output")
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise BadInput(f"{path}: neither a count, a build nor bench_cluster's output ({error!r})") from error
    return speed, traffic


def print_tables(speed, traffic):
    for what, by_ranks in sorted(speed.items()):
        least = min(by_ranks)
        print(f"\n{what}\n\n| ranks | seconds | speed-up | of ideal |\n|---|---|---|---|")
        for ranks, seconds in sorted(by_ranks.items()):
            gain = by_ranks[least] / seconds if seconds else float("nan")
            print(f"| {ranks} | {seconds:.2f} | {gain:.2f} | {gain * least / ranks:.0%} |")
    for endgame, by_ranks in sorted(traffic.items()):
        print(f"\n{endgame}\n\n| ranks | MB | messages | kB a ply | messages a ply |\n|---|---|---|---|---|")
        for ranks, (size, messages, size_a_ply, messages_a_ply) in sorted(by_ranks.items()):
            print(f"| {ranks} | {size / 1e6:.1f} | {messages:.0f} | {size_a_ply / 1e3:.1f} | {messages_a_ply:.1f} |")


def draw(speed, traffic, out):
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError as error:
        raise BadInput("drawing needs matplotlib (Debian: python3-matplotlib)") from error
    panels = []
    if speed:
        panels.append("speed")
    if traffic:
        panels += ["bytes", "messages"]
    figure, axes = pyplot.subplots(1, len(panels), figsize=(5 * len(panels), 4), squeeze=False)
    for axis, panel in zip(axes[0], panels):
        axis.set_xscale("log", base=2)
        axis.set_xlabel("ranks")
        if panel == "speed":
            most = max(max(by_ranks) for by_ranks in speed.values())
            axis.set_yscale("log", base=2)
            axis.plot([1, most], [1, most], color="grey", linestyle=":", label="ideal")
            for what, by_ranks in sorted(speed.items()):
                least = min(by_ranks)
                ranks = sorted(by_ranks)
                axis.plot(ranks, [least * by_ranks[least] / by_ranks[r] for r in ranks], marker="o", label=what)
            axis.set_ylabel("speed-up")
        else:
            index, scale = (2, 1e3) if panel == "bytes" else (3, 1)
            for endgame, by_ranks in sorted(traffic.items()):
                ranks = sorted(r for r in by_ranks if r > 1)
                axis.plot(ranks, [by_ranks[r][index] / scale for r in ranks], marker="o", label=endgame)
            axis.set_ylabel("kB a ply" if panel == "bytes" else "messages a ply")
            axis.set_ylim(bottom=0)
        axis.grid(alpha=0.3)
        axis.legend()
    figure.tight_layout()
    try:
        figure.savefig(out, dpi=100)
    except (OSError, ValueError) as error:
        raise BadInput(f"{out}: {error}") from error


def main():
    parser = argparse.ArgumentParser(description="Draws how work scales with ranks, and prints a table.")
    parser.add_argument("files", nargs="+", metavar="FILE", help="JSON of perft, build or bench_cluster")
    parser.add_argument("--out", help="the plot, as PNG")
    arguments = parser.parse_args()
    try:
        speed, traffic = collect(arguments.files)
        if not speed and not traffic:
            raise BadInput("nothing to draw")
        print_tables(speed, traffic)
        if arguments.out:
            draw(speed, traffic, arguments.out)
    except BadInput as error:
        print(f"plot_scaling.py: error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Compares two JSON files of Google Benchmark: how much faster is AFTER than BEFORE?

usage: compare_bench.py BEFORE.json AFTER.json

One line for each benchmark that both files hold, with the ratio of the medians: above 1 is faster. Where both sides
report a rate (items_per_second or another counter whose name ends in _per_second or /s) rates are compared, else real
times. The last line is the geometric mean. Warns on stderr where the two runs differ in what makes rates comparable.
Exit 0; 2 on input that is no such file, with one line that says what is wrong.
"""

import json
import math
import statistics
import sys

# What benchmarks/ records beside Google Benchmark's own context.
COMPARABLE = ("simd", "threads", "compiler", "cpu", "num_cpus", "host_name", "library_build_type")
TO_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


class BadInput(Exception):
    pass


def load(path):
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise BadInput(f"{path}: no JSON: {error}") from error
    if not isinstance(report, dict) or not isinstance(report.get("benchmarks"), list):
        raise BadInput(f"{path}: no output of Google Benchmark (no list 'benchmarks')")
    if not isinstance(report.get("context", {}), dict):
        raise BadInput(f"{path}: 'context' is no object")
    return report


def rates_of(run):
    return {
        key: value
        for key, value in run.items()
        if key.endswith(("_per_second", "/s")) and isinstance(value, (int, float)) and value > 0
    }


def medians(report, path):
    """name -> {measure: median}; a measure is "real_time" in seconds or the name of a rate."""
    runs, aggregates = {}, {}
    for run in report["benchmarks"]:
        try:
            if run.get("error_occurred"):
                raise BadInput(f"{path}: {run['name']} failed: {run.get('error_message', '')}")
            name = run.get("run_name", run["name"])
            values = {"real_time": run["real_time"] * TO_SECONDS[run["time_unit"]], **rates_of(run)}
            if run.get("run_type") != "aggregate":
                runs.setdefault(name, []).append(values)
            elif run["aggregate_name"] == "median":
                aggregates[name] = values
        except (AttributeError, KeyError, TypeError) as error:
            raise BadInput(f"{path}: no output of Google Benchmark (bad entry: {error!r})") from error
    for name, several in runs.items():
        shared = set.intersection(*(set(values) for values in several))
        aggregates[name] = {m: statistics.median(values[m] for values in several) for m in shared}
    if not aggregates:
        raise BadInput(f"{path}: holds no benchmark")
    return aggregates


def shared_rate(before, after):
    rates = sorted((before.keys() & after.keys()) - {"real_time"}, key=lambda m: (m != "items_per_second", m))
    return rates[0] if rates else None


def scaled(value, unit):
    if unit == "s":
        steps = ((1.0, ""), (1e-3, "m"), (1e-6, "u"), (0.0, "n"))
    else:
        steps = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (0.0, ""))
    size, prefix = next(step for step in steps if value >= step[0])
    return f"{value / (size or (1e-9 if unit == 's' else 1.0)):.4g} {prefix}{unit}"


def compare(before, after):
    """Rows (name, before, after, ratio) of the benchmarks that both have, in the order of `after`."""
    rows = []
    for name in (name for name in after if name in before):
        rate = shared_rate(before[name], after[name])
        old, new = before[name][rate or "real_time"], after[name][rate or "real_time"]
        if old <= 0 or new <= 0:
            raise BadInput(f"{name}: a time of zero cannot be compared")
        unit = "/s" if rate else "s"
        rows.append((name, scaled(old, unit), scaled(new, unit), new / old if rate else old / new))
    return rows


def warnings(before, after, only):
    old, new = before.get("context", {}), after.get("context", {})
    for key in COMPARABLE:
        if old.get(key) != new.get(key):
            yield f"{key} differs: {old.get(key, 'not recorded')} before, {new.get(key, 'not recorded')} after"
    for name in only:
        yield f"{name} stands in one file only"


def main(arguments):
    if len(arguments) != 2 or any(argument.startswith("-") for argument in arguments):
        print(__doc__, file=sys.stderr)
        return 0 if arguments in (["-h"], ["--help"]) else 2
    try:
        reports = [load(path) for path in arguments]
        before, after = (medians(report, path) for report, path in zip(reports, arguments))
        rows = compare(before, after)
        if not rows:
            raise BadInput("the two files have no benchmark in common")
    except BadInput as error:
        print(f"compare_bench.py: error: {error}", file=sys.stderr)
        return 2
    for warning in warnings(*reports, sorted(before.keys() ^ after.keys())):
        print(f"compare_bench.py: warning: {warning}", file=sys.stderr)
    mean = math.exp(statistics.fmean(math.log(ratio) for *_, ratio in rows))
    width = max(len("geometric mean"), *(len(row[0]) for row in rows))
    print(f"{'benchmark':<{width}}  {'before':>12}  {'after':>12}  {'speed-up':>8}")
    for name, old, new, ratio in rows:
        print(f"{name:<{width}}  {old:>12}  {new:>12}  {ratio:>8.3f}")
    print(f"{'geometric mean':<{width}}  {'':>12}  {'':>12}  {mean:>8.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

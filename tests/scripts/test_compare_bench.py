#!/usr/bin/env python3
"""scripts/compare_bench.py: medians, rates before times, warnings, and exit 2 with one line on bad input."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "compare_bench.py"


def report(runs, **context):
    return json.dumps({"context": context, "benchmarks": runs})


def run(name, time, unit="ms", **more):
    return {"name": name, "run_name": name, "run_type": "iteration", "real_time": time, "time_unit": unit, **more}


class CompareBench(unittest.TestCase):
    def compare(self, before, after):
        with tempfile.TemporaryDirectory() as directory:
            paths = [Path(directory) / "before.json", Path(directory) / "after.json"]
            for path, text in zip(paths, (before, after)):
                path.write_text(text, encoding="utf-8")
            return subprocess.run(
                [sys.executable, str(SCRIPT), *map(str, paths)], capture_output=True, text=True, check=False
            )

    def ratios(self, result):
        self.assertEqual(result.returncode, 0, result.stderr)
        return {line.rsplit(None, 1)[0].split("  ")[0]: line.split()[-1] for line in result.stdout.splitlines()[1:]}

    def test_times_across_units_by_their_median(self):
        before = report([run("a", 4), run("a", 4), run("a", 400), run("b", 1)])
        after = report([run("a", 2000, "us"), run("b", 2)])
        self.assertEqual(
            self.ratios(self.compare(before, after)), {"a": "2.000", "b": "0.500", "geometric mean": "1.000"}
        )

    def test_rates_go_before_times(self):
        before = report([run("a", 1, leaves_per_second=1e9)])
        after = report([run("a", 1, leaves_per_second=3e9)])
        self.assertEqual(self.ratios(self.compare(before, after))["a"], "3.000")

    def test_median_aggregates_alone_suffice(self):
        median = dict(run("a_median", 5), run_name="a", run_type="aggregate", aggregate_name="median")
        mean = dict(run("a_mean", 99), run_name="a", run_type="aggregate", aggregate_name="mean")
        self.assertEqual(self.ratios(self.compare(report([mean, median]), report([run("a", 10)])))["a"], "0.500")

    def test_warns_where_runs_are_not_comparable(self):
        result = self.compare(
            report([run("a", 1)], simd="avx2", threads="1"), report([run("a", 1), run("b", 1)], simd="avx512")
        )
        for words in ("simd differs: avx2 before, avx512 after", "threads differs", "b stands in one file only"):
            self.assertIn(words, result.stderr)

    def test_bad_input_is_one_line_and_exit_2(self):
        good = report([run("a", 1)])
        for bad in (
            "", "{", "[]", "{}", '{"benchmarks": []}', '{"benchmarks": [1]}', '{"benchmarks": [{"name": "a"}]}',
            report([run("other", 1)]), report([run("a", 0)]), report([run("a", 1, error_occurred=True)]),
        ):
            with self.subTest(bad=bad):
                result = self.compare(good, bad)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertRegex(result.stderr, r"\Acompare_bench\.py: error: [^\n]+\n\Z")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""scripts/plot_scaling.py: tables of speed and of traffic, a PNG where matplotlib is there, exit 2 on bad input."""

import importlib.util
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "plot_scaling.py"


def count(ranks, seconds):
    return {"depth": 8, "nps": 1e9, "threads": 2, "ranks": ranks, "seconds": seconds}


def traffic(ranks, size):
    run = {"name": f"together/KRBvKR/ranks:{ranks}/real_time", "ranks": ranks, "bytes": size, "messages": 10 * ranks}
    return {**run, "bytes_per_ply": size / 100, "messages_per_ply": ranks / 10}


class PlotScaling(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)

    def run_on(self, *reports, options=()):
        paths = []
        for number, report in enumerate(reports):
            paths.append(Path(self.directory.name) / f"{number}.json")
            paths[-1].write_text(report if isinstance(report, str) else json.dumps(report), encoding="utf-8")
        return subprocess.run(
            [sys.executable, str(SCRIPT), *map(str, paths), *options], capture_output=True, text=True, check=False
        )

    def test_speed_of_several_files(self):
        result = self.run_on(count(4, 3.0), count(1, 10.0))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("perft 8, 2 thread(s) a rank", result.stdout)
        self.assertIn("| 1 | 10.00 | 1.00 | 100% |", result.stdout)
        self.assertIn("| 4 | 3.00 | 3.33 | 83% |", result.stdout)

    def test_builds_are_named_by_the_last_table(self):
        tables = [{"material": "KRvK", "skipped": True}, {"material": "KRBvKR", "skipped": False}]
        result = self.run_on({"tables": tables, "threads": 1, "ranks": 2, "seconds": 5.0})
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("build KRBvKR, 1 thread(s) a rank", result.stdout)

    def test_traffic(self):
        result = self.run_on({"benchmarks": [traffic(4, 25_500_000), traffic(2, 10_000_000)]})
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("| 2 | 10.0 | 20 | 100.0 | 0.2 |\n| 4 | 25.5 | 40 | 255.0 | 0.4 |", result.stdout)

    def test_plot(self):
        out = Path(self.directory.name) / "plot.png"
        result = self.run_on(count(1, 2.0), {"benchmarks": [traffic(2, 1)]}, options=("--out", str(out)))
        if importlib.util.find_spec("matplotlib") is None:
            self.assertEqual(result.returncode, 2)
            self.assertIn("needs matplotlib", result.stderr)
            self.skipTest("no matplotlib")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(out.read_bytes().startswith(b"\x89PNG"))

    def test_bad_input_is_one_line_and_exit_2(self):
        failed = dict(traffic(2, 1), error_occurred=True)
        for bad in ("", "{", "[]", "{}", '{"benchmarks": []}', '{"benchmarks": [1]}', {"benchmarks": [failed]},
                    {"nps": 1}, {"tables": 3}):
            with self.subTest(bad=bad):
                result = self.run_on(bad)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertRegex(result.stderr, r"\Aplot_scaling\.py: error: [^\n]+\n\Z")


if __name__ == "__main__":
    unittest.main()

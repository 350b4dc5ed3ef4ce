#!/usr/bin/env python3
"""Installs a build, compiles the examples against what was installed, and lets them probe tables made by the installed
program.

usage: test_installed.py --cmake CMAKE --build DIRECTORY --cc CC --cxx CXX
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
options = argparse.Namespace()

# The longest win of queen against rook (tests/data/longest_mates.tsv), and of rook against king.
QUEEN_AGAINST_ROOK = "8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1"
ROOK = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
STRICT = ["-Wall", "-Wextra", "-pedantic", "-Werror"]


def run(*command, code=0, **more):
    result = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, **more)
    if code is not None and result.returncode != code:
        raise AssertionError(f"{command}: exit {result.returncode}\n{result.stdout}{result.stderr}")
    return result


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        root = Path(cls.temporary.name)
        cls.root, cls.prefix, cls.tables = root, root / "prefix", root / "tables"
        run(options.cmake, "--install", options.build, "--prefix", cls.prefix)
        run(cls.prefix / "bin" / "mansuba", "build", "KQvKR", "--quiet", "--out", cls.tables)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def installed_libraries(self):
        found = list(self.prefix.rglob("libmansuba.so"))
        self.assertEqual(len(found), 1)
        return found[0].parent

    def check_probe(self, program, **more):
        result = run(program, self.tables, QUEEN_AGAINST_ROOK, ROOK, **more)
        self.assertEqual(result.stdout, "wdl -2 dtz -62 dtm -70\nwdl 2 dtz 31 dtm 31\n")
        for fen, code, words in (
            ("8/8/8/8/8/2k5/1X6/K7 w - - 0 1", 2, "X"),
            ("8/8/8/8/8/2k5/P7/K7 w - - 0 1", 20, "needs KPvK"),
            ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", 21, "castling"),
        ):
            result = run(program, self.tables, fen, code=code, **more)
            self.assertEqual((result.stdout, words in result.stderr), ("", True), result.stderr)
        self.assertIn("nowhere", run(program, self.root / "nowhere", ROOK, code=3, **more).stderr)

        damaged = Path(tempfile.mkdtemp(dir=self.root))
        content = (self.tables / "KRvK.h5").read_bytes()
        (damaged / "KRvK.h5").write_bytes(content[:-10])
        self.assertIn("KRvK.h5", run(program, damaged, ROOK, code=3, **more).stderr)

    def test_by_find_package(self):
        build = self.root / "examples"
        run(
            options.cmake, "-S", EXAMPLES, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DCMAKE_C_COMPILER={options.cc}", f"-DCMAKE_CXX_COMPILER={options.cxx}",
            "-DCMAKE_C_FLAGS=" + " ".join(STRICT), "-DCMAKE_CXX_FLAGS=" + " ".join(STRICT),
        )  # fmt: skip
        run(options.cmake, "--build", build)
        self.check_probe(build / "probe")
        line = run(build / "best_line", self.tables, QUEEN_AGAINST_ROOK).stdout.split()
        self.assertEqual(len(line), 70)

    def test_the_static_libraries_by_find_package(self):
        source, build = self.root / "rooms", self.root / "rooms_build"
        source.mkdir()
        (source / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(rooms LANGUAGES C CXX)\n"
            "find_package(mansuba REQUIRED COMPONENTS probe tablebase_hdf5 perft)\n"
            "add_executable(rooms rooms.cpp)\ntarget_link_libraries(rooms mansuba::tablebase_hdf5 mansuba::perft)\n"
        )
        (source / "rooms.cpp").write_text(
            '#include <iostream>\n#include "core/fen.hpp"\n#include "perft/perft.hpp"\n'
            '#include "tablebase/hdf5/table_file.hpp"\n'
            "int main(int, char** argv) {\n"
            "    mansuba::tablebase::hdf5::TableFiles files(argv[1]);\n"
            "    std::cout << mansuba::tablebase::probe(mansuba::parse_fen(argv[2]), files.lookup()).dtm << ' '\n"
            "              << mansuba::to_string(mansuba::perft::count(mansuba::Position(), 3, {}).nodes);\n}\n"
        )
        run(
            options.cmake, "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DCMAKE_C_COMPILER={options.cc}", f"-DCMAKE_CXX_COMPILER={options.cxx}",
        )  # fmt: skip
        run(options.cmake, "--build", build)
        self.assertEqual(run(build / "rooms", self.tables, ROOK).stdout, "31 8902")

        (source / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(rooms LANGUAGES C CXX)\n"
            "find_package(mansuba REQUIRED COMPONENTS castles)\n"
        )
        result = run(options.cmake, "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}", code=None)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("no component castles", result.stderr)

    def test_by_pkg_config(self):
        tool = shutil.which("pkg-config")
        if not tool:
            self.skipTest("no pkg-config")
        libraries = self.installed_libraries()
        found = {**os.environ, "PKG_CONFIG_PATH": str(libraries / "pkgconfig")}
        flags = run(tool, "--cflags", "--libs", "mansuba", env=found).stdout.split()
        loading = {**os.environ, "LD_LIBRARY_PATH": str(libraries)}
        for number, command in enumerate(
            (
                [options.cc, "-std=c99", EXAMPLES / "probe.c"],
                [options.cxx, "-std=c++11", "-x", "c++", EXAMPLES / "probe.c", "-x", "none"],
            )
        ):
            program = self.root / f"by_pkg_config_{number}"
            run(*command, *STRICT, "-o", program, *flags)
            self.check_probe(program, env=loading)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for name in ("cmake", "build", "cc", "cxx"):
        parser.add_argument(f"--{name}", required=True)
    options, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])

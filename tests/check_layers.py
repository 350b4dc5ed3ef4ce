#!/usr/bin/env python3
"""Holds the sources to the arrows between the folders, by their #include lines and a few words.

usage: check_layers.py ROOT          exit 1 with one line a fault, 2 if ROOT holds no sources
       check_layers.py --self-test   a made-up tree full of faults must be refused, a clean one passed
"""

import re
import sys
import tempfile
from pathlib import Path

# Which folders' headers a folder may include. "mansuba" stands for the generated mansuba/version.hpp.
MAY_INCLUDE = {
    "core": {"core"},
    "perft": {"perft", "core", "mansuba"},
    "tablebase": {"tablebase", "core", "mansuba"},
    "cluster": {"cluster", "perft", "tablebase", "core", "mansuba"},
    "cli": {"cli", "cluster", "perft", "tablebase", "core", "mansuba"},
}
MAY_INCLUDE["benchmarks"] = MAY_INCLUDE["cli"] | {"benchmarks"}
MAY_INCLUDE["tests"] = MAY_INCLUDE["cli"] | {"tests"}

# Libraries report by values and errors: they neither print nor end the process.
LIBRARIES = {"core", "perft", "tablebase", "cluster"}

SUFFIXES = {".hpp", ".cpp", ".h", ".c", ".cc", ".inc"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
OPENMP = re.compile(r'^\s*#\s*pragma\s+omp\b|_Pragma\s*\(\s*"\s*omp\b')
PRINTING = re.compile(
    r"\bstd\s*::\s*(?:cout|cerr|clog|wcout|wcerr)\b"
    r"|\bv?printf\s*\(|\b(?:puts|putchar|perror)\s*\(|\bfmt\s*::\s*print(?:ln)?\b|\b(?:stdout|stderr)\b"
)
ENDING = re.compile(r"\b(?:exit|_exit|_Exit|quick_exit|abort)\s*\(")
STATEMENT_WORDS = {"return", "else", "do", "co_return"}

TOKENS = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)"""
    r"""|R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)\""""
    r"""|"(?:\\.|[^"\\\n])*\""""
    r"""|'(?:\\[^'\n]+|[^'\\\n])'""",
    re.DOTALL,
)


def blanked(text, strings):
    """The text without comments, and without string and character literals if `strings`; lines keep their numbers."""

    def blank(match):
        if match["comment"] is None and not strings:
            return match[0]
        return " " + "\n" * match[0].count("\n")

    return TOKENS.sub(blank, text)


def calls_an_ending(line):
    """Whether exit, abort or a relative of theirs is called: a member or a declaration of that name is fine."""
    for match in ENDING.finditer(line):
        before = line[: match.start()].rstrip()
        if before.endswith("::"):
            if re.search(r"(?:\bstd\s*|^|[^\w\s>])\s*::$", before):
                return True
            continue
        if before.endswith((".", "->", "&", "*")):
            continue
        word = re.search(r"[\w>]+$", before)
        if word is None or word[0] in STATEMENT_WORDS:
            return True
    return False


def include_fault(path, folder, bracket, header):
    target = header.split("/")[0] if "/" in header else None
    if bracket == '"':
        if target not in MAY_INCLUDE and target != "mansuba":
            return f'"{header}": includes start at the root of the repository'
    elif target in MAY_INCLUDE:
        return f'<{header}>: our own headers are included with "..."'
    if target in MAY_INCLUDE or target == "mansuba":
        if target not in MAY_INCLUDE[folder]:
            return f"{folder} must not include {target} ({header})"
        return None
    if header == "omp.h" and folder == "core":
        return "core must not know OpenMP (omp.h)"
    if header == "mpi.h" and path.parts[:2] != ("cluster", "mpi"):
        return "mpi.h is included in cluster/mpi only"
    if re.fullmatch(r"hdf5(_hl)?\.h|H5\w*\.h", header) and path.parts[:2] != ("tablebase", "hdf5"):
        return f"{header} is included in tablebase/hdf5 only"
    if header == "iostream" and folder in LIBRARIES:
        return "libraries do not print (iostream)"
    return None


def faults_of_file(path, text):
    """Yields (line number, fault); `path` is relative to the root."""
    folder = path.parts[0]
    with_strings = blanked(text, strings=False).split("\n")
    code_only = blanked(text, strings=True).split("\n")
    for number, (line, code) in enumerate(zip(with_strings, code_only), start=1):
        include = INCLUDE.match(line)
        if include:
            fault = include_fault(path, folder, include[1], include[2])
            if fault:
                yield number, fault
            continue
        if folder == "core" and OPENMP.search(line):
            yield number, "core must not know OpenMP (pragma)"
        if folder in LIBRARIES and PRINTING.search(code):
            yield number, "libraries do not print"
        if folder in LIBRARIES and calls_an_ending(code):
            yield number, "libraries do not end the process"


def sources(root):
    for folder in MAY_INCLUDE:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                yield path


def check(root):
    """All faults of the tree as lines, and the number of files read."""
    faults, count = [], 0
    for path in sources(root):
        count += 1
        relative = path.relative_to(root)
        text = path.read_text(encoding="utf-8", errors="replace")
        faults += [f"{relative}:{number}: {what}" for number, what in faults_of_file(relative, text)]
    return faults, count


# Each file has one fault, and the words that the message must hold.
BAD_TREE = {
    "core/a.hpp": ('#include "perft/a.hpp"\n', "core must not include perft"),
    "core/b.cpp": ("#include <omp.h>\n", "OpenMP"),
    "core/c.cpp": ("  #  pragma omp parallel for\n", "OpenMP"),
    "core/d.cpp": ('_Pragma("omp simd")\n', "OpenMP"),
    "core/e.cpp": ("void f() { std::cout << 1; }\n", "print"),
    "core/f.cpp": ('#include "f.hpp"\n', "root of the repository"),
    "core/g.hpp": ("#include <core/bits.hpp>\n", 'with "..."'),
    "core/h.hpp": ('#include "mansuba/version.hpp"\n', "core must not include mansuba"),
    "perft/a.cpp": ('#include "tablebase/a.hpp"\n', "perft must not include tablebase"),
    "perft/b.cpp": ("void f() { if (bad) std::exit(1); }\n", "end the process"),
    "perft/c.cpp": ('int f() { return printf("x"); }\n', "print"),
    "perft/f.cpp": ('void f() { std::fputs("x", stderr); }\n', "print"),
    "perft/d.cpp": ('#include "cluster/a.hpp"\n', "perft must not include cluster"),
    "perft/e.cpp": ("const char* s = \"//\"; void f() { ::abort(); }\n", "end the process"),
    "tablebase/a.cpp": ('#include "perft/a.hpp"\n', "tablebase must not include perft"),
    "tablebase/b.cpp": ("#include <hdf5.h>\n", "tablebase/hdf5 only"),
    "tablebase/hdf5/c.cpp": ("#include <mpi.h>\n", "cluster/mpi only"),
    "cluster/a.cpp": ("#include <mpi.h>\n", "cluster/mpi only"),
    "cluster/b.cpp": ('#include "cli/a.hpp"\n', "cluster must not include cli"),
    "cluster/mpi/c.cpp": ("void f() {\n  // why\n  abort();\n}\n", "end the process"),
    "cli/a.cpp": ('#include "tests/a.hpp"\n', "cli must not include tests"),
    "cli/b.cpp": ("#include <H5Cpp.h>\n", "tablebase/hdf5 only"),
    "benchmarks/a.cpp": ('#include "tests/a.hpp"\n', "benchmarks must not include tests"),
    "tests/core/a.cpp": ('#include "benchmarks/a.hpp"\n', "tests must not include benchmarks"),
}

GOOD_TREE = {
    "core/a.hpp": '#include <vector>\n#include "core/b.hpp"\n// std::cout, exit(1), #pragma omp\n',
    "core/b.cpp": 'auto s = R"(exit(1); std::cerr)"; auto t = "printf(1)"; int n = 1\'000\'000;\n'
    "int u = std::snprintf(buffer, size, format) + std::fprintf(file, format);\n/* #include <omp.h>\n   abort(); */\n",
    "perft/a.cpp": '#include <omp.h>\n#include "core/a.hpp"\n#pragma omp parallel\n',
    "tablebase/hdf5/a.cpp": '#include <hdf5.h>\n#include "tablebase/a.hpp"\n',
    "cluster/mpi/a.cpp": '#include <mpi.h>\n#include "perft/a.hpp"\n#include "tablebase/a.hpp"\n'
    "void Transport::abort(int code) { MPI_Abort(world, code); }\n"
    "void g(Transport& t) { t.abort(1); }\nvirtual void abort(int code) = 0;\n",
    "cli/a.cpp": '#include <iostream>\n#include "cluster/a.hpp"\n#include "mansuba/version.hpp"\n'
    "int main() { std::cout << 1; std::exit(2); }\n",
    "benchmarks/core/a.cpp": '#include "core/a.hpp"\n#include "benchmarks/a.hpp"\n',
    "tests/cli/a.cpp": '#include "cli/a.hpp"\n#include "tests/a.hpp"\n',
}


def check_tree(files):
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        return check(root)


def self_test():
    wrong = []
    found, _ = check_tree({name: text for name, (text, _) in BAD_TREE.items()})
    for name, (_, words) in BAD_TREE.items():
        mine = [fault for fault in found if fault.startswith(name + ":")]
        if len(mine) != 1 or words not in mine[0]:
            wrong.append(f"{name}: expected one fault with '{words}', found {mine}")
    found, count = check_tree(GOOD_TREE)
    wrong += [f"in the clean tree: {fault}" for fault in found]
    if count != len(GOOD_TREE):
        wrong.append(f"in the clean tree: {count} files read of {len(GOOD_TREE)}")
    return wrong


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    if arguments[0] == "--self-test":
        faults = self_test()
        summary = f"self-test: {len(BAD_TREE)} faults planted"
    else:
        faults, count = check(Path(arguments[0]))
        if count == 0:
            print(f"check_layers.py: no sources under {arguments[0]}", file=sys.stderr)
            return 2
        summary = f"{count} files"
    for fault in faults:
        print(fault)
    print(f"{summary}: {f'{len(faults)} faults' if faults else 'all in order'}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Reads FENs from standard input, one a line, and prints where scripts/read_table.py looks for each.

usage: read_table_cells.py

A line for each: the endgame, whether White is to move after colours were exchanged if need be (1 or 0), coordinates.
"""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import read_table  # noqa: E402

for fen in sys.stdin:
    name, men, white_moves = read_table.normal_form(*read_table.parse_fen(fen))
    print(name, int(white_moves), *read_table.coordinates(men))

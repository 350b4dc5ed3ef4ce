#!/usr/bin/python3
"""Reads values from endgame tables of mansuba, with h5py and what tablebase/FORMAT.md says, and no more.

usage: read_table.py DIR FEN...

DIR holds files like KRPvKR.h5. Prints a JSON object a line for each FEN, all for the side to move:
  wdl  2 win, 1 win that the 50-move rule takes, 0 draw, -1 loss that it saves, -2 loss
  dtz  plies to the next capture, pawn move or mate, negative where the side to move loses (-1 if it is mated
       already), 0 for draws; null if the file has no dtz
  dtm  plies to mate, signed alike, 0 for mate on the board; null for draws, or if the file has no dtm
and, if the file has them:
  wdl75, dtz75  wdl and dtz where only 75 moves draw
  dtm50         dtm where a draw is claimed as soon as it may be; null for a draw. It alone looks at the FEN's clock.
  winnable      for each side, whether some legal moves lead to its mating the other
  dth           for each side, the plies of the shortest such moves; null if there are none
A file knows neither castling nor en passant, so positions with such rights are refused.
Exit 0; 2 on wrong usage or input, 3 on a file that is missing or cannot be read, with one line that says what is wrong.

This is meant to be read by those who write a reader in another language: it is as plain as can be, not fast. With
four pawns or more it takes seconds, for it lists all placements of the pawns.
"""

import functools
import itertools
import json
import os
import sys

FORMAT_VERSION, INDEX_SCHEME, INDEX_VERSION = 2, "mansuba-squares", 1
NO_HELPMATE = 255  # as dth_white and dth_black have it


class BadInput(Exception):
    pass


class BadFile(Exception):
    pass


# ---- positions: a list of men, each (letter, square); upper case is White; a1 is 0, h1 7, h8 63


def parse_fen(fen):
    """The men and whether White is to move."""
    fields = fen.split()
    if len(fields) not in (4, 6):
        raise BadInput("a FEN has six fields, or four without the clocks")
    rows = fields[0].split("/")
    if len(rows) != 8:
        raise BadInput("the board has not eight ranks")
    men = []
    for rank, row in zip(range(7, -1, -1), rows):
        file = 0
        for c in row:
            if c in "12345678":
                file += int(c)
            elif c in "KQRBNPkqrbnp":
                men.append((c, 8 * rank + file))
                file += 1
            else:
                raise BadInput(f"{c!r} is no man")
        if file != 8:
            raise BadInput(f"rank {rank + 1} has not eight squares")
    if fields[1] not in ("w", "b"):
        raise BadInput("the side to move is neither w nor b")
    if fields[2] != "-":
        raise BadInput("castling rights: tables know positions without any")
    if fields[3] != "-":
        raise BadInput("an en passant square: tables know positions without such a right")
    letters = [c for c, _ in men]
    if letters.count("K") != 1 or letters.count("k") != 1:
        raise BadInput("not one king each")
    if any(c in "Pp" and not 8 <= s < 56 for c, s in men):
        raise BadInput("a pawn on the first or last rank")
    white_moves = fields[1] == "w"
    if in_check(men, white=not white_moves):
        raise BadInput("the side that is not to move is in check")
    return men, white_moves


def clock_of(fen):
    """Plies since the last capture or pawn move."""
    fields = fen.split()
    if len(fields) < 6:
        return 0
    if not fields[4].isdecimal():
        raise BadInput("the half-move clock is no number")
    return int(fields[4])


def in_check(men, white):
    """Cells without a legal position hold nothing that can be told from a value, so a reader has to look itself."""
    board = {s: c for c, s in men}
    king = next(s for c, s in men if c == ("K" if white else "k"))
    straight = [(1, 0), (-1, 0), (0, 1), (0, -1)]
    diagonal = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    forward = 1 if white else -1  # where pawns that attack this king stand
    kinds = [
        ("RQ", straight, 7),
        ("BQ", diagonal, 7),
        ("K", straight + diagonal, 1),
        ("N", [(a, b) for a in (-2, -1, 1, 2) for b in (-2, -1, 1, 2) if abs(a) != abs(b)], 1),
        ("P", [(-1, forward), (1, forward)], 1),
    ]
    for attackers, directions, reach in kinds:
        for df, dr in directions:
            for n in range(1, reach + 1):
                file, rank = king % 8 + n * df, king // 8 + n * dr
                if not (0 <= file < 8 and 0 <= rank < 8):
                    break
                man = board.get(8 * rank + file)
                if man:
                    if man.upper() in attackers and man.isupper() != white:
                        return True
                    break
    return False


# ---- materials


def strength(letters):
    """More men first, then the stronger men."""
    return [len(letters)] + [letters.count(c) for c in "QRBNP"]


def normal_form(men, white_moves):
    """White is the stronger side in every file: else colours are exchanged and the board is flipped."""
    sides = ["".join(c for c, _ in men if c.isupper()), "".join(c.upper() for c, _ in men if c.islower())]
    if strength(sides[0]) < strength(sides[1]):
        men = [(c.swapcase(), s ^ 56) for c, s in men]
        white_moves = not white_moves
        sides.reverse()
    name = "v".join("".join(sorted(side, key="KQRBNP".index)) for side in sides)
    return name, men, white_moves


# ---- the numbering: where in a dataset a position stands


def symmetric_images(men):
    """The board as it is, and as it looks with files mirrored, ranks flipped, files and ranks exchanged."""
    has_pawns = any(c in "Pp" for c, _ in men)
    for mirror, flip, exchange in itertools.product((0, 7), (0, 56), (False, True)):
        if has_pawns and (flip or exchange):
            continue

        def image(s):
            s ^= mirror ^ flip
            return s // 8 + 8 * (s % 8) if exchange else s

        yield [(c, image(s)) for c, s in men]


def adjacent_or_equal(a, b):
    return max(abs(a % 8 - b % 8), abs(a // 8 - b // 8)) <= 1


@functools.lru_cache(None)
def king_pairs(has_pawns):
    """White's king and Black's -> number: 3612 with pawns, 462 without."""

    def counts(w, b):
        if adjacent_or_equal(w, b):
            return False
        if has_pawns:
            return True
        if w % 8 > 3 or w // 8 > w % 8:  # White's king is in the triangle a1-d1-d4,
            return False
        return w // 8 < w % 8 or b // 8 <= b % 8  # and if on its diagonal, Black's not above that

    pairs = [(w, b) for w in range(64) for b in range(64) if counts(w, b)]
    return {pair: number for number, pair in enumerate(pairs)}


def on_files(pawns):
    return [sum(s % 8 == file for s in pawns) for file in range(8)]


def has_placement(white, black):
    """Of the two mirror images the one with more pawns on the outermost left file that tells them apart."""
    w, b = on_files(white), on_files(black)
    return (w, b) >= (w[::-1], b[::-1])


@functools.lru_cache(None)
def pawn_placements(white, black):
    """Squares of White's pawns and of Black's, each the highest first -> number."""

    def order(placement):
        w, b = placement
        steps_to_promotion = sum(7 - s // 8 for s in w) + sum(s // 8 for s in b)
        return steps_to_promotion, w, b

    squares = range(55, 7, -1)
    placements = [
        (w, b)
        for w in itertools.combinations(squares, white)
        for b in itertools.combinations([s for s in squares if s not in w], black)
        if has_placement(w, b)
    ]
    return {placement: number for number, placement in enumerate(sorted(placements, key=order))}


def coordinates(men):
    """Of the cell with the value of a position in normal form, the lowest that stands for it."""
    return min(c for c in map(coordinates_as_it_stands, symmetric_images(men)) if c is not None)


def coordinates_as_it_stands(men):
    """The same without symmetry; None if another image has to stand for it."""

    def squares(letter):
        return sorted(s for c, s in men if c == letter)

    kings = (squares("K")[0], squares("k")[0])
    pawns = tuple(squares("P")[::-1]), tuple(squares("p")[::-1])
    others = [s for letter in "nbrqNBRQ" for s in squares(letter)]  # like men in the order of their squares
    where = []
    if pawns != ((), ()):
        if not has_placement(*pawns):
            return None
        where.append(pawn_placements(len(pawns[0]), len(pawns[1]))[pawns])
    if len(others) < 2:
        return tuple(where + list(kings) + others)
    pair = king_pairs(pawns != ((), ())).get(kings)
    return None if pair is None else tuple(where + [pair] + others)


# ---- files


def text(attribute):
    """A string of fixed length, as h5py gives it."""
    return attribute.decode() if isinstance(attribute, bytes) else attribute


@functools.lru_cache(None)
def open_table(directory, name):
    try:
        import h5py
    except ImportError:
        raise BadFile("the Python module h5py is needed (Debian: python3-h5py)") from None
    path = os.path.join(directory, name + ".h5")
    if not os.path.exists(path):
        raise BadFile(f"{path}: no such table")
    try:
        file = h5py.File(path, "r")
        says = {key: text(file.attrs[key]) for key in ("format", "material", "index_scheme", "index_version")}
        version = file.attrs["format_version"]
    except (OSError, KeyError):
        raise BadFile(f"{path}: no endgame table, or damaged") from None
    wanted = ("mansuba table", name, INDEX_SCHEME, INDEX_VERSION)
    if version != FORMAT_VERSION or tuple(says.values()) != wanted:
        raise BadFile(f"{path}: written by another version, or of another endgame")
    return file


def stored(file, white_moves, metric, where):
    """What a dataset holds in a cell; None if the file has no such metric."""
    group = file["white" if white_moves else "black"]
    if metric not in group:
        return None
    try:
        return int(group[metric][where])
    except (OSError, ValueError):
        raise BadFile(f"{file.filename}: damaged") from None


def value(directory, fen):
    men, white_moves = parse_fen(fen)
    name, men, white_moves = normal_form(men, white_moves)
    if name == "KvK":  # always a draw, and so without a file
        return {"fen": fen, "material": name, "wdl": 0, "dtz": 0, "dtm": None}
    if len(men) > 7:
        raise BadInput(f"{len(men)} men: tables have at most 7")
    file = open_table(directory, name)
    where = coordinates(men)
    read = functools.partial(stored, file, white_moves, where=where)
    wdl, dtm = read("wdl"), read("dtm")
    if wdl is None:
        raise BadFile(f"{file.filename}: has no wdl, without which the others mean nothing")
    if dtm is not None:
        dtm = None if wdl == 0 else 2 * dtm - 1 if wdl > 0 else -2 * dtm
    result = {"fen": fen, "material": name, "wdl": wdl, "dtz": signed(wdl, read("dtz")), "dtm": dtm}

    result |= with_clock(file, white_moves, where, result, clock_of(fen))

    wdl75, winnable = read("wdl75"), read("winnable")
    if wdl75 is not None:
        result |= {"wdl75": wdl75, "dtz75": signed(wdl75, read("dtz75"))}
    # In the file White is the stronger side; here, who is White in the FEN.
    exchanged = white_moves != (parse_fen(fen)[1])
    sides = ("black", "white") if exchanged else ("white", "black")
    if winnable is not None:
        result["winnable"] = {side: bool(winnable >> bit & 1) for bit, side in enumerate(sides)}
    plies = [read("dth_white"), read("dth_black")]
    if None not in plies:
        result["dth"] = {side: None if n == NO_HELPMATE else n for side, n in zip(sides, plies)}
    return result


def with_clock(file, white_moves, where, result, clock):
    """dtm50 has a row of cells for each clock from first_clock to the limit; below, all are like the first."""
    dtm50 = file["white" if white_moves else "black"].get("dtm50")
    if dtm50 is None:
        return {}
    wdl, dtz, dtm = result["wdl"], result["dtz"], result["dtm"]
    first = int(dtm50.attrs["first_clock"])
    if dtm == 0:  # mate comes before any claim
        return {"dtm50": 0}
    if abs(wdl) < 2 or clock + abs(dtz) > first + len(dtm50):
        return {"dtm50": None}
    moves = stored(file, white_moves, "dtm50", (max(0, clock - first), *where))
    return {"dtm50": dtm + 2 * moves if dtm > 0 else dtm - 2 * moves}


def signed(wdl, plies):
    """A distance as a prober gives it."""
    if plies is None:
        return None
    return 0 if wdl == 0 else plies if wdl > 0 else -max(plies, 1)


def main():
    if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
        print("usage: read_table.py DIR FEN...", file=sys.stderr)
        return 2
    for fen in sys.argv[2:]:
        try:
            print(json.dumps(value(sys.argv[1], fen)))
        except BadInput as error:
            print(f"read_table.py: {fen!r}: {error}", file=sys.stderr)
            return 2
        except BadFile as error:
            print(f"read_table.py: {error}", file=sys.stderr)
            return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())

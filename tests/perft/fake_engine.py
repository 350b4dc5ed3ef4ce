#!/usr/bin/env python3
"""A UCI engine that knows perft and nothing else, right by default and wrong on request.

It is the test partner of perft/engine.cpp and perft/diff.cpp: a mailbox move generator that shares
nothing with ours, and switches for the faults of generators and for those of programs. Standard
chess only. Python's standard library is all it needs.
"""

import argparse
import os
import signal
import subprocess
import sys
import time

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
KNIGHT = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]
STRAIGHT = [(1, 0), (-1, 0), (0, 1), (0, -1)]
DIAGONAL = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
CORNER_RIGHT = {(0, 0): "Q", (7, 0): "K", (0, 7): "q", (7, 7): "k"}

BUGS = ["no-ep", "castle-through-check", "promote-queen-only", "wrong-count", "wrong-total",
        "pinned-knight", "move-twice"]


def name(square):
    return "abcdefgh"[square[0]] + str(square[1] + 1)


def is_white(man):
    return man.isupper()


class Position:
    """men: {(file, rank): letter}; castling: a set out of KQkq; ep: a square or None."""

    def __init__(self, men, white, castling, ep):
        self.men, self.white, self.castling, self.ep = men, white, castling, ep

    @staticmethod
    def from_fen(fen):
        fields = fen.split()
        men = {}
        for row, text in enumerate(fields[0].split("/")):
            file = 0
            for c in text:
                if c.isdigit():
                    file += int(c)
                else:
                    men[file, 7 - row] = c
                    file += 1
        ep = None if fields[3] == "-" else ("abcdefgh".index(fields[3][0]), int(fields[3][1]) - 1)
        return Position(men, fields[1] == "w", set(fields[2]) & set("KQkq"), ep)

    def attacked(self, square, by_white):
        men, (file, rank) = self.men, square

        def has(d, letters):
            man = men.get((file + d[0], rank + d[1]))
            return man is not None and is_white(man) == by_white and man.lower() in letters

        if any(has(d, "n") for d in KNIGHT) or any(has(d, "k") for d in STRAIGHT + DIAGONAL):
            return True
        if any(has((df, -1 if by_white else 1), "p") for df in (-1, 1)):
            return True
        for directions, letters in ((STRAIGHT, "rq"), (DIAGONAL, "bq")):
            for df, dr in directions:
                f, r = file + df, rank + dr
                while 0 <= f < 8 and 0 <= r < 8:
                    man = men.get((f, r))
                    if man is not None:
                        if is_white(man) == by_white and man.lower() in letters:
                            return True
                        break
                    f, r = f + df, r + dr
        return False

    def in_check(self, white):
        king = "K" if white else "k"
        return any(self.attacked(s, not white) for s, man in self.men.items() if man == king)

    def pseudo_moves(self, bug):
        """(from, to, promotion letter or "")"""
        for square, man in list(self.men.items()):
            if is_white(man) != self.white:
                continue
            kind = man.lower()
            if kind == "p":
                yield from self.pawn_moves(square, bug)
            elif kind in "nk":
                for d in KNIGHT if kind == "n" else STRAIGHT + DIAGONAL:
                    yield from self.step(square, d)
                if kind == "k":
                    yield from self.castling_moves(square, bug)
            else:
                directions = (STRAIGHT if kind in "rq" else []) + (DIAGONAL if kind in "bq" else [])
                for df, dr in directions:
                    for n in range(1, 8):
                        yield from self.step(square, (n * df, n * dr))
                        if (square[0] + n * df, square[1] + n * dr) in self.men:
                            break

    def step(self, square, d):
        to = square[0] + d[0], square[1] + d[1]
        if 0 <= to[0] < 8 and 0 <= to[1] < 8:
            man = self.men.get(to)
            if man is None or is_white(man) != self.white:
                yield square, to, ""

    def pawn_moves(self, square, bug):
        file, rank = square
        up = 1 if self.white else -1
        last = 7 if self.white else 0
        targets = []
        if (file, rank + up) not in self.men:
            targets.append((file, rank + up))
            if rank == (1 if self.white else 6) and (file, rank + 2 * up) not in self.men:
                targets.append((file, rank + 2 * up))
        for to in ((file - 1, rank + up), (file + 1, rank + up)):
            man = self.men.get(to)
            if man is not None and is_white(man) != self.white:
                targets.append(to)
            elif man is None and to == self.ep and bug != "no-ep":
                targets.append(to)
        for to in targets:
            if to[1] == last:
                for letter in "q" if bug == "promote-queen-only" else "nbrq":
                    yield square, to, letter
            else:
                yield square, to, ""

    def castling_moves(self, king, bug):
        rank = 0 if self.white else 7
        if king != (4, rank) or self.in_check(self.white):
            return
        for letter, way, passed in (("k", (5, 6), 5), ("q", (3, 2, 1), 3)):
            right = letter.upper() if self.white else letter
            if right not in self.castling or any((f, rank) in self.men for f in way):
                continue
            if bug != "castle-through-check" and self.attacked((passed, rank), not self.white):
                continue
            yield king, (6 if letter == "k" else 2, rank), ""

    def after(self, move):
        square, to, promotion = move
        men = dict(self.men)
        man = men.pop(square)
        ep = None
        if man.lower() == "p":
            if to == self.ep and to not in men:
                men.pop((to[0], square[1]), None)
            if abs(to[1] - square[1]) == 2:
                ep = to[0], (to[1] + square[1]) // 2
            if promotion:
                man = promotion.upper() if self.white else promotion
        castling = self.castling - {CORNER_RIGHT.get(square), CORNER_RIGHT.get(to)}
        if man.lower() == "k":
            castling = castling - (set("KQ") if self.white else set("kq"))
            if abs(to[0] - square[0]) == 2:
                rook = men.pop((7 if to[0] == 6 else 0, to[1]))
                men[5 if to[0] == 6 else 3, to[1]] = rook
        men[to] = man
        return Position(men, not self.white, castling, ep)

    def legal(self, bug):
        """[(UCI text, position after)], in UCI order."""
        knights_go = bug == "pinned-knight" and not self.in_check(self.white)
        out = []
        for move in self.pseudo_moves(bug):
            after = self.after(move)
            if not after.in_check(self.white) or (knights_go and self.men[move[0]] in "nN"):
                out.append((name(move[0]) + name(move[1]) + move[2], after))
        out.sort(key=lambda entry: entry[0])
        if bug == "move-twice" and out:
            out.append(out[0])
        return out


def perft(position, depth, bug):
    if depth == 0:
        return 1
    moves = position.legal(bug)
    if depth == 1:
        return len(moves)
    return sum(perft(after, depth - 1, bug) for _, after in moves)


class Engine:
    def __init__(self, options):
        self.options = options
        self.position = Position.from_fen(START)

    def say(self, text=""):
        time.sleep(self.options.slow_lines)
        print(text, flush=True)

    def set_position(self, words):
        bug = self.options.bug
        fen, _, moves = " ".join(words).partition(" moves ")
        self.position = Position.from_fen(START if fen == "startpos" else fen.removeprefix("fen "))
        for text in moves.split():
            self.position = dict(self.position.legal(bug))[text]

    def go_perft(self, depth):
        options = self.options
        if options.hang:
            time.sleep(3600)
        if options.exit_code is not None:
            print("cannot go on", flush=True)
            os._exit(options.exit_code)
        if options.crash:
            os.kill(os.getpid(), signal.SIGSEGV)
        if options.search:
            self.say("info depth 1 score cp 17 nodes 20 pv e2e4")
            self.say("bestmove e2e4")
            return
        if options.rubbish:
            for text in ("Segment\x07ation \"fault\" \xff", "e2e4 e7e5 20", "score: 17", "x" * 300):
                self.say(text)
            return
        counts = []
        for i, (text, after) in enumerate(self.position.legal(options.bug)):
            count = perft(after, depth - 1, options.bug)
            counts.append((text, count + (options.bug == "wrong-count" and depth > 1 and i == 0)))
        self.say("info string perft is coming")
        for i, (text, count) in enumerate(counts):
            shown = "many" if options.bad_count else str(count)
            number = f"{i + 1}. " if options.numbered else ""
            self.say(number + text + options.separator + shown)
        total = sum(count for _, count in counts) + (options.bug == "wrong-total" and depth > 1)
        if options.total:
            self.say()
            self.say(options.total.format(n=total, d=depth))
            self.say("Time: 5 ms, Total: 12 ms")

    def run(self):
        for line in sys.stdin:
            words = line.split()
            if not words:
                continue
            if words[0] == "uci":
                self.say("id name fake")
                self.say("option name UCI_Chess960 type check default false")
                if not self.options.no_uciok:
                    self.say("uciok")
                if self.options.die_after_uci:
                    return
            elif words[0] == "isready":
                self.say("readyok")
            elif words[0] == "position":
                self.set_position(words[1:])
            elif words[:2] == ["go", "perft"]:
                self.go_perft(int(words[2]))
            elif words[0] == "quit" and not self.options.stubborn:
                return
        while self.options.stubborn:
            time.sleep(3600)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bug", choices=BUGS)
    parser.add_argument("--separator", default=": ", help="between move and count")
    parser.add_argument("--numbered", action="store_true", help="`1. e2e4: 20`")
    parser.add_argument("--total", default="Nodes searched: {n}", help="empty: no total line")
    parser.add_argument("--hang", action="store_true", help="at go perft")
    parser.add_argument("--die-after-uci", action="store_true")
    parser.add_argument("--rubbish", action="store_true", help="instead of a divide")
    parser.add_argument("--bad-count", action="store_true", help="no numbers in the divide")
    parser.add_argument("--search", action="store_true", help="a bestmove instead of a divide")
    parser.add_argument("--no-uciok", action="store_true")
    parser.add_argument("--exit-code", type=int, help="exit with it at go perft")
    parser.add_argument("--crash", action="store_true", help="SIGSEGV at go perft")
    parser.add_argument("--slow-lines", type=float, default=0, help="seconds before each line")
    parser.add_argument("--stubborn", action="store_true", help="ignores quit, SIGTERM and EOF")
    parser.add_argument("--child", help="starts a child too; its process id goes to this file")
    options = parser.parse_args()
    sys.stdout.reconfigure(errors="surrogateescape", encoding="latin-1")
    if options.stubborn:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if options.child:
        child = subprocess.Popen(["sleep", "3600"])
        with open(options.child, "w") as file:
            file.write(str(child.pid))
    Engine(options).run()


if __name__ == "__main__":
    main()

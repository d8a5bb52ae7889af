#!/usr/bin/env python3
"""Simulates random models, with sites that move at random, and compares their histories with those of one node.

    random_models.py [--build build/dev] [--first NUMBER] [--count 1000] [--shard I/N] [WAY...]

The models are those of models.c, and the ways to simulate them are WAYS: so many nodes, conservative or
optimistic, without lookahead, with small messages. Each way draws moves and the first places of sites of its own.
The first number is made of today's date, unless it is given or SKEIN_FUZZ_SEED is set. A difference prints the
command that repeats the model alone.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS = 600  # for a piece
PIECE = 25     # models that one run simulates


class Way(NamedTuple):
    nodes: int
    undo_bytes: int = 0  # to undo events with; 0: conservative
    lookahead: int = 1   # 0: travels may take no time
    options: str = ""    # SKEIN_OPTIONS


WAYS = {
    "conservative-2": Way(2), "conservative-3": Way(3), "conservative-4": Way(4),
    "conservative-2-small": Way(2, options="steal_bytes=2000"),  # the threads of a site come in several messages
    "optimistic-2": Way(2, 1000000), "optimistic-3": Way(3, 1000000), "optimistic-4": Way(4, 5000),
    "optimistic-2-no-lookahead": Way(2, 1000000, 0),
}


class Models:
    def __init__(self, build, place):
        self.skein, self.program = os.path.join(build, "bin", "skein"), os.path.join(place, "models")
        source = os.path.join(HERE, "models.c")
        subprocess.run([os.path.join(build, "bin", "skeincc"), "-O2", "-Wno-skein-global", source, "-lm", "-o", self.program], check=True)

    def command(self, nodes, *arguments):
        return [self.skein, "run", "-n", str(nodes), "--timeout", str(SECONDS), self.program, *map(str, arguments)]

    def histories(self, command, options=""):
        """A line for each model, and how many sites moved. What went wrong is a last line."""
        options = ",".join(filter(None, (os.environ.get("SKEIN_OPTIONS"), options)))
        done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"SKEIN_OPTIONS": options})
        said = [line.split() for line in done.stderr.splitlines() if line.startswith("sites moved ")]
        lines = done.stdout.splitlines()
        if done.returncode or not said:
            lines.append(f"status {done.returncode}: {done.stderr[-500:]}")
        return lines, int(said[0][2].rstrip(",")) if said else 0


def compare(models, name, first, count, truths):
    """The number of models that differ, and that of moves."""
    way = WAYS[name]
    wrong = moved = 0
    for begin in range(first, first + count, PIECE):
        many = min(PIECE, first + count - begin)
        # placement, bytes to undo with, lookahead, the first one, the seed of moves
        arguments = (begin + 1, way.undo_bytes, way.lookahead, begin, begin + way.nodes)
        if (begin, way.lookahead) not in truths:
            alone = (0, 0 if way.lookahead else 1, way.lookahead, begin)  # without lookahead it has to be optimistic
            truths[begin, way.lookahead] = models.histories(models.command(1, many, *alone))[0]
        truth = truths[begin, way.lookahead]
        found, moves = models.histories(models.command(way.nodes, many, *arguments), way.options)
        moved += moves
        for index in range(many):
            if truth[index:index + 1] == found[index:index + 1] and index < len(truth):
                continue
            wrong += 1
            alone = models.command(way.nodes, 1, *arguments[:3], begin + index, begin + way.nodes)
            print(f"{name}: model {begin + index} differs: SKEIN_OPTIONS={way.options} {' '.join(alone)}\n  {truth[index:index + 1]}\n  {found[index:index + 1]}", flush=True)
            if len(found) <= index + 1:  # and it was the last one
                break
    return wrong, moved


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--build", default=os.path.join(HERE, "..", "..", "build", "dev"))
    arguments.add_argument("--first", type=int)
    arguments.add_argument("--count", type=int, default=1000)
    arguments.add_argument("--shard", default="1/1")
    arguments.add_argument("ways", nargs="*", metavar="WAY", help=", ".join(WAYS))
    chosen = arguments.parse_args()
    for way in chosen.ways:
        if way not in WAYS:
            arguments.error(f"there is no way {way}, only {', '.join(WAYS)}")
    first = chosen.first if chosen.first is not None else int(os.environ.get("SKEIN_FUZZ_SEED") or int(time.time() // 86400) * 1000)
    part, parts = map(int, chosen.shard.split("/"))
    begin, end = first + chosen.count * (part - 1) // parts, first + chosen.count * part // parts
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="skein-models-") as place:
        models = Models(os.path.abspath(chosen.build), place)
        truths = {}
        for way in chosen.ways or WAYS:
            differ, moved = compare(models, way, begin, end - begin, truths)
            print(f"{way}: models {begin} to {end - 1}, sites moved {moved} times, {differ} models differ", flush=True)
            wrong += differ
            if not moved:
                sys.exit(f"{way}: no site has moved")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

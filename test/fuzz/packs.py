#!/usr/bin/env python3
"""Packs random threads of random programs, and lets another process go on with them.

    packs.py [--build build/dev] [--first SEED] [--count N] [--threads N] [--kinds own,idioms] [--jobs 2] [KIND:SEED...]

Each program of generator.py (`own`) or idioms.py (`idioms`) is run by THREADS threads, which differ in what they begin with
and in where they pack themselves: at the entry of some function, after 1 to 256 of these. The images go to a file, and
another process of the same program, whose code and stacks lie elsewhere, makes threads of them. What each thread computes has
to be what it computes without interruption. A thread that may not be packed, or an image that cannot be unpacked, is refused
with a reason; these are counted. `--count 100 --threads 5000` are a million threads.

Levels rotate over O0 to O3 and Os, with a private heap and private globals, and every other program with stacks that grow.
A failure prints the command that repeats it alone. A program that fails before any thread has been packed is skipped: mostly it
is wrong itself, since its threads begin with other numbers than the generator has thought of, and fuzz.py looks for the rest.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
import time

import csmith
import fuzz

HERE = os.path.dirname(os.path.abspath(__file__))
INPUTS = os.path.join(HERE, "Inputs")
LEVELS = ["O0", "O1", "O2", "O3", "Os"]
SECONDS = 300
KINDS = {  # where each kind of program may be packed, and what its threads begin with
    "own": [(r"(\n    c->fuel--);  ", r"\1, pack_point();  "), (r"(struct ctx context = \{\d+, )0,", r"\1thread_number(),")],
    "idioms": [(r"(\(\*volatile hop\)\(void\) = )nothing;", r"\1pack_point;"),
               (r"(struct ctx c = \{)", r"\1.sum = thread_number(), ")],
}


class Result:
    def __init__(self):
        self.packed, self.resumed, self.skipped, self.wrong, self.reasons = 0, 0, 0, [], collections.Counter()

    def add(self, other):
        self.packed += other.packed
        self.resumed += other.resumed
        self.skipped += other.skipped
        self.wrong += other.wrong
        self.reasons += other.reasons


def program(kind, seed):
    text = fuzz.GENERATORS[kind].generate(seed)
    for before, after in KINDS[kind]:
        text, times = re.subn(before, after, text)
        if times != 1:
            sys.exit(f"packs.py: `{before}` is {times} times in {kind}:{seed}")
    head = ''.join(re.findall(r"^#include.*\n", text, re.M))
    return (head + f'#include "{INPUTS}/packs.h"\n#define main program_main\n'
            "#define printf note_sum\n" + text)


def run(kind, seed, threads, build):
    result = Result()
    how = f"test/fuzz/packs.py --threads {threads} {kind}:{seed}"
    flags = [f"-{LEVELS[seed % len(LEVELS)]}", *(["-fskein-stacks=growable"] if seed % 2 else [])]
    with tempfile.TemporaryDirectory(prefix="skein-packs-") as place:
        path = lambda name: os.path.join(place, name)
        with open(path("program.c"), "w") as file:
            file.write(program(kind, seed))
        skeincc = [os.path.join(build, "bin", "skeincc"), "-Wno-everything", *flags]
        steps = [("does not compile", [*skeincc, *csmith.COMPILE, "-fskein-heap=private", "-fskein-globals=private", "-c",
                                       path("program.c"), "-o", path("program.o")]),
                 ("does not link", [*skeincc, os.path.join(INPUTS, "packs.c"), path("program.o"), "-o", path("packs"), "-lm"]),
                 ("fails without packing", [path("packs"), "expect", str(threads), path("sums")]),
                 ("fails where it packs", [path("packs"), "pack", str(threads), path("sums"), path("images")]),
                 ("fails where it goes on", [path("packs"), "resume", str(threads), path("sums"), path("images")])]
        options = "pack_key=" + path("key") + ",workers=2"
        with open(os.open(path("key"), os.O_CREAT | os.O_WRONLY, 0o600), "wb") as key:
            key.write(os.urandom(16))
        for what, command in steps:
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, env=dict(os.environ, SKEIN_OPTIONS=options))
            except subprocess.TimeoutExpired:
                result.wrong.append(f"{kind}:{seed} takes more than {SECONDS} s: {' '.join(command)}\n    {how}")
                return result
            for times, reason in re.findall(r"^refused (\d+): (.*)$", done.stdout, re.M):
                result.reasons[re.sub(r"`[^`]*`( \([^)]*\))?", "...", reason)] += int(times)
            numbers = dict(re.findall(r"^(packed|resumed) (\d+)$", done.stdout, re.M))
            result.packed += int(numbers.get("packed", 0))
            result.resumed += int(numbers.get("resumed", 0))
            if done.returncode and "expect" in command:
                result.skipped = 1
                return result
            if done.returncode:
                shown = "".join("    " + line + "\n" for line in (done.stdout + done.stderr).splitlines()[:12])
                result.wrong.append(f"{kind}:{seed} {what} (status {done.returncode})\n    {how}\n{shown}")
                return result
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default="build/dev")
    parser.add_argument("--first", type=int, default=None)
    parser.add_argument("--count", type=int, default=10, help="programs of each kind")
    parser.add_argument("--threads", type=int, default=1000, help="of each program")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("cases", nargs="*", metavar="KIND:SEED")
    given = parser.parse_args()
    first = fuzz.first_seed() if given.first is None else given.first
    cases = [(kind, int(seed)) for kind, seed in (case.split(":") for case in given.cases)]
    cases = cases or [(kind, seed) for seed in range(first, first + given.count) for kind in given.kinds.split(",")]
    print(f"packs.py: {len(cases)} programs with {given.threads} threads each, from seed {cases[0][1]} on", flush=True)
    total, told = Result(), time.time()
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for done, result in enumerate(pool.map(lambda case: run(*case, given.threads, given.build), cases), 1):
            total.add(result)
            for wrong in result.wrong:
                print(wrong, flush=True)
            if time.time() - told > 60:
                told = time.time()
                print(f"packs.py: {done} of {len(cases)} programs, {total.packed} threads packed", flush=True)
    for reason, times in total.reasons.most_common():
        print(f"refused {times} times: {reason}")
    print(f"packs.py: {total.packed} threads packed, {total.resumed} went on in another process, {len(total.wrong)} wrong"
          + f"; {total.skipped} programs skipped" * (total.skipped > 0))
    return 1 if total.wrong or total.resumed == 0 or 20 * total.skipped > len(cases) else 0


if __name__ == "__main__":
    sys.exit(main())

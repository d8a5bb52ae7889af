#!/usr/bin/env python3
"""Compares 300 programs of csmith under relocation stress with clang.

    fuzz.py [--build build/dev] [--levels rotate|all|O0,O2] [--jobs 2] [--save FOLDER] [SEED...]

seeds.txt lists for each seed the checksum its program printed when compiled by `clang-22 -O2`, and a digest of the
program's text: another csmith makes other programs, and then the reference is compiled on the spot.

A *case* is (seed, form, level). Forms are plain and enclosed (random_program.py). Levels rotate from seed to seed, and
every other round adds -fno-inline so that calls stay calls; `--levels=all` runs each seed in every form at every level.
lit runs the rotation as one test per form and level (fuzz_format.py), named like `plain-O2`.

A case passes if the program ends with status 0 and prints the checksum. How often stacks moved and why moves were
refused is printed at the end: refusals are right answers here (csmith likes to keep addresses of locals in globals).
"""
import argparse
import collections
import concurrent.futures
import hashlib
import os
import re
import subprocess
import sys
import tempfile

import random_program

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
LEVELS = ["O0", "O1", "O2", "O3", "Os"]
SECONDS = 60

Case = collections.namedtuple("Case", "seed form level inline")


def seeds():
    """{seed: (digest, checksum)} in the order of the file."""
    with open(os.path.join(HERE, "seeds.txt")) as file:
        rows = [line.split() for line in file if not line.startswith("#")]
    return {int(seed): (digest, checksum) for seed, digest, checksum in rows}


def rotation():
    """One plain case per seed and an enclosed one for every third."""
    for index, seed in enumerate(seeds()):
        yield Case(seed, "plain", LEVELS[index % 5], index // 5 % 2 == 0)
        if index % 3 == 0:
            yield Case(seed, "enclosed", LEVELS[index // 3 % 5], index // 15 % 2 == 0)


def every(levels, only):
    return [Case(seed, form, level, True) for seed in only for form in random_program.FORMS for level in levels]


def checksum(output):
    found = re.fullmatch(rb"checksum = ([0-9A-F]+)\n", output)
    return found[1].decode() if found else f"no checksum but {output[:80]!r}"


def expected(seed, place):
    """The checksum of seeds.txt if this csmith makes the same program, else what clang-22 -O2 says."""
    text = random_program.generate(seed)
    digest, known = seeds().get(seed, (None, None))
    if hashlib.sha256(text.encode()).hexdigest()[:16] == digest:
        return known
    made = os.path.join(place, "reference")
    random_program.write(seed, "plain", made + ".c")
    subprocess.run(["clang-22", *random_program.COMPILE, "-O2", made + ".c", "-o", made], check=True, timeout=SECONDS)
    return checksum(subprocess.run([made], capture_output=True, timeout=SECONDS).stdout)


def command(case, build, source, made):
    return [os.path.join(build, "bin", "skeincc"), "-fskein-stress=calls", "-Werror=skein-unproved", "-Wno-skein-global",
            f"-{case.level}", *([] if case.inline else ["-fno-inline"]), *random_program.COMPILE, source, "-o", made]


class Result:
    """wrong: None or what is; moves; reasons: a Counter of refusals without their addresses and names."""

    def __init__(self, wrong=None, errors=b""):
        self.wrong, self.moves, self.reasons = wrong, 0, collections.Counter()
        text = errors.decode(errors="replace")
        for moves in re.findall(r"^skein: stress: (\d+) moves", text, re.M):
            self.moves += int(moves)
        for times, why in re.findall(r"^skein: stress: refused (\d+) times: (.*)$", text, re.M):
            self.reasons[re.sub(r"`[^`]*`( \([^)]*\))?|\(0x[0-9a-f]+\)", "...", why)] += int(times)


def run(case, build, save=None):
    how = f"seed {case.seed}, {case.form}, -{case.level}{'' if case.inline else ' -fno-inline'}"
    with tempfile.TemporaryDirectory(prefix="skein-fuzz-") as place:
        made = os.path.join(save or place, f"{case.seed}-{case.form}-{case.level}")
        random_program.write(case.seed, case.form, made + ".c")
        try:
            want = expected(case.seed, place)
            done = subprocess.run(command(case, build, made + ".c", made), capture_output=True, timeout=SECONDS)
            if done.returncode:
                return Result(f"{how}: skeincc failed\n{done.stderr.decode(errors='replace')[:2000]}")
            environment = dict(os.environ, SKEIN_OPTIONS="stress_report=1")
            done = subprocess.run([made], env=environment, capture_output=True, timeout=SECONDS)
        except subprocess.TimeoutExpired as late:
            return Result(f"{how}: hangs (more than {SECONDS} s): {' '.join(late.cmd)}")
    have = checksum(done.stdout)
    if done.returncode:
        return Result(f"{how}: exit status {done.returncode}\n{done.stderr.decode(errors='replace')[:2000]}", done.stderr)
    wrong = None if have == want else f"{how}: {have}, not {want}"
    return Result(wrong, done.stderr)


def run_all(cases, build, jobs, save=None, tell=lambda wrong: None):
    """(what went wrong, moves, refusals) of all cases. `tell` hears of each failure at once."""
    wrong, moves, reasons = [], 0, collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for result in pool.map(lambda case: run(case, build, save), cases):
            moves += result.moves
            reasons += result.reasons
            if result.wrong:
                wrong.append(result.wrong)
                tell(result.wrong)
    return wrong, moves, reasons


def summary(cases, wrong, moves, reasons):
    lines = [f"{len(cases) - len(wrong)} of {len(cases)} programs printed clang's checksum; {moves} moves, "
             f"{sum(reasons.values())} refused"]
    return "\n".join(lines + [f"    {times:8} {why}" for why, times in reasons.most_common()])


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--build", default=os.path.join(ROOT, "build", "dev"))
    arguments.add_argument("--levels", default="rotate")
    arguments.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments.add_argument("--save", help="keep sources and executables there")
    arguments.add_argument("seeds", nargs="*", type=int)
    chosen = arguments.parse_args()
    if chosen.save:
        os.makedirs(chosen.save, exist_ok=True)
    if chosen.levels == "rotate":
        cases = [case for case in rotation() if not chosen.seeds or case.seed in chosen.seeds]
    else:
        levels = LEVELS if chosen.levels == "all" else chosen.levels.split(",")
        cases = every(levels, chosen.seeds or list(seeds()))
    wrong, moves, reasons = run_all(cases, os.path.abspath(chosen.build), chosen.jobs, chosen.save,
                                    lambda what: print(what, flush=True))
    print(summary(cases, wrong, moves, reasons))
    sys.exit(1 if wrong or not moves else 0)


if __name__ == "__main__":
    main()

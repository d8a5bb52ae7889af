#!/usr/bin/env python3
"""Compares random programs under relocation stress with clang.

    fuzz.py [--build build/dev] [--first SEED] [--count N] [--kinds csmith,own,idioms] [--shard I/N] [--configurations rotate]
            [--jobs 2] [--save FOLDER] [KIND:SEED...]

Kinds are `csmith` and `enclosed` (csmith.py: as it is, and with its globals in a struct of main's), `own`
(generator.py) and `idioms` (idioms.py: addresses that are kept in other shapes). `--count 60` runs the seeds FIRST, FIRST + 1, ... of each kind; with `csmith`, every third is enclosed.

FIRST rotates: without --first it is SKEIN_FUZZ_SEED, or made from today's date (a thousand seeds a day). It is printed, and
each failure comes with the command that repeats it alone. Configurations (test/stress/variants.py) rotate from seed to
seed; `--configurations all` runs each program in all, `--configurations O2,O0-polls` in these.

A case is right if output and status are those of `clang-22 -O2`. Of a wrong one it is said whether the program itself is to
blame, by clang's sanitizers. How often stacks moved and why moves were refused is counted and printed at the end: a refusal is a
right answer here, and so is a call that the compiler could not prove (it pins the thread there). Programs that csmith makes and
that do not end in a second of the processor's time by themselves are skipped.
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
import generator
import idioms

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "test", "stress"))
import variants

KINDS = ["csmith", "enclosed", "own", "idioms"]
GENERATORS = {"own": generator, "idioms": idioms}
SECONDS = 120
REFERENCE_SECONDS = 1
PROGRESS_SECONDS = 120

Case = collections.namedtuple("Case", "kind seed configuration")


def first_seed():
    chosen = os.environ.get("SKEIN_FUZZ_SEED")
    return int(chosen) if chosen else int(time.time() // 86400) * 1000


def write(kind, seed, path):
    if kind in GENERATORS:
        with open(path, "w") as file:
            file.write(GENERATORS[kind].generate(seed))
    else:
        csmith.write(seed, "plain" if kind == "csmith" else kind, path)


def rotation(kinds, first, count, configurations):
    """The cases of a range of seeds, each with one configuration."""
    for kind in kinds:
        for seed in range(first, first + count):
            chosen = "enclosed" if kind == "csmith" and seed % 3 == 0 else kind
            yield Case(chosen, seed, configurations[seed % len(configurations)])


class Result:
    """wrong: None or what is; skipped; moves; unproved calls; reasons: a Counter of refusals without addresses and names."""

    def __init__(self, case, wrong=None, skipped=False):
        self.case, self.wrong, self.skipped = case, wrong, skipped
        self.moves, self.unproved, self.reasons = 0, 0, collections.Counter()

    def count(self, errors):
        text = errors.decode(errors="replace")
        for moves in re.findall(r"^skein: stress: (\d+) moves", text, re.M):
            self.moves += int(moves)
        for times, why in re.findall(r"^skein: stress: refused (\d+) times: (.*)$", text, re.M):
            self.reasons[re.sub(r"`[^`]*`( \([^)]*\))?", "...", why)] += int(times)


def limited(command, seconds, **more):
    """Under a limit of processor time, which a busy machine does not use up, and a generous one of real time."""
    return subprocess.run(["sh", "-c", f"ulimit -t {seconds}; exec \"$@\"", "sh", *command], capture_output=True,
                          timeout=20 * seconds, stdin=subprocess.DEVNULL, **more)


def blame(source, place):
    """What clang's sanitizers say of the program itself."""
    made = os.path.join(place, "sanitized")
    try:
        subprocess.run(["clang-22", *csmith.COMPILE, "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
                        "-fsanitize-address-use-after-return=always", source, "-o", made, "-lm"], check=True, timeout=3 * SECONDS)
        done = limited([made], 60, env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0"))
    except subprocess.TimeoutExpired:
        return " (clang's sanitizers take too long to say whether the program itself is wrong)"
    except subprocess.CalledProcessError:
        return " (clang does not compile it)"
    wrong = b"runtime error" in done.stderr or b"AddressSanitizer" in done.stderr
    return " (the program itself is wrong, say clang's sanitizers)" if wrong else ""


def clang_does_the_same(case, source, place, done):
    """At this level, too: it loops for ever where -O2 of clang ends, say, which may take a loop without effects for none."""
    made = os.path.join(place, "clang")
    flags = [flag for flag in case.configuration.flags if not flag.startswith("-fskein")]
    subprocess.run(["clang-22", *csmith.COMPILE, *flags, source, "-o", made, "-lm"], check=True, timeout=3 * SECONDS)
    other = limited([made], REFERENCE_SECONDS)
    return (other.returncode, other.stdout) == (done.returncode, done.stdout)


def run(case, build, save=None):
    result = Result(case)
    name = f"{case.kind}-{case.seed}-{case.configuration.name}"
    how = f"test/fuzz/fuzz.py --configurations {case.configuration.name} {case.kind}:{case.seed}"

    def failed(what, errors=b""):
        shown = "\n".join("    " + line for line in errors.decode(errors="replace").splitlines()[:20])
        result.wrong = f"{what}{blame(source, place)}\n    {how}\n{shown}"
        return result

    with tempfile.TemporaryDirectory(prefix="skein-fuzz-") as place:
        made = os.path.join(save or place, name)
        source = made + ".c"
        write(case.kind, case.seed, source)
        reference = os.path.join(place, "reference")
        try:
            subprocess.run(["clang-22", *csmith.COMPILE, "-O2", source, "-o", reference, "-lm"], check=True, timeout=3 * SECONDS)
            want = limited([reference], REFERENCE_SECONDS)
        except subprocess.TimeoutExpired:
            want = None
        except subprocess.CalledProcessError:
            return failed("no reference")
        if want is None or want.returncode:
            result.skipped = True
            return result
        try:
            command = [os.path.join(build, "bin", "skeincc"), "-fskein-stress=calls", "-Wno-skein-global", "-Wskein-unproved",
                       *case.configuration.flags, *csmith.COMPILE, source, "-o", made, "-lm"]
            done = limited(command, SECONDS)
            if done.returncode:
                return failed("skeincc failed", done.stderr)
            result.unproved = done.stderr.count(b"skein-unproved]")
            options = ",".join(["stress_report=1"] + case.configuration.options)
            done = limited([made], SECONDS, env=dict(os.environ, SKEIN_OPTIONS=options))
        except subprocess.TimeoutExpired as late:
            return failed(f"hangs: {' '.join(late.cmd)}")
        result.count(done.stderr)
        if (done.returncode, done.stdout) != (0, want.stdout) and clang_does_the_same(case, source, place, done):
            result.skipped = True
            return result
        if done.returncode:
            return failed(f"exit status {done.returncode}", done.stderr)
        if done.stdout != want.stdout:
            return failed(f"{done.stdout[-80:]!r}, not {want.stdout[-80:]!r}", done.stderr)
    return result


def run_all(cases, build, jobs, save=None, tell=lambda wrong: None):
    """The results of all cases. `tell` hears of each failure, and now and then how far it is."""
    results, told = [], time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for result in pool.map(lambda case: run(case, build, save), cases):
            results.append(result)
            if result.wrong:
                tell(result.wrong)
            if time.monotonic() - told > PROGRESS_SECONDS:
                told = time.monotonic()
                tell(f"fuzz: {len(results)} of {len(cases)} programs, {sum(1 for r in results if r.wrong)} wrong")
    return results


def acceptable(results):
    """Nothing wrong, and most of it did happen."""
    return (not any(r.wrong for r in results) and any(r.moves for r in results)
            and sum(r.skipped for r in results) * 2 < len(results) + 1)


def summary(results):
    wrong, skipped = sum(1 for r in results if r.wrong), sum(1 for r in results if r.skipped)
    reasons = sum((r.reasons for r in results), collections.Counter())
    unproved = [r for r in results if r.unproved]
    lines = [f"{len(results) - wrong - skipped} of {len(results)} programs did what clang's did, {skipped} have no certain result; "
             f"{sum(r.moves for r in results)} moves, {sum(reasons.values())} refused"]
    lines += [f"    {times:8} {why}" for why, times in reasons.most_common()]
    if unproved:
        lines.append(f"    {sum(r.unproved for r in unproved)} unproved calls in "
                     + ", ".join(f"{r.case.kind}:{r.case.seed} {r.case.configuration.name}" for r in unproved[:20]))
    return "\n".join(lines)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--build", default=os.path.join(ROOT, "build", "dev"))
    arguments.add_argument("--first", type=int, default=None)
    arguments.add_argument("--count", type=int, default=60)
    arguments.add_argument("--kinds", default="csmith,own")
    arguments.add_argument("--shard", default="1/1", help="e.g. 2/8: the second of eight parts")
    arguments.add_argument("--configurations", default="rotate")
    arguments.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments.add_argument("--save", help="keep sources and executables there")
    arguments.add_argument("programs", nargs="*", metavar="KIND:SEED")
    chosen = arguments.parse_args()
    if chosen.save:
        os.makedirs(chosen.save, exist_ok=True)
    build = os.path.abspath(chosen.build)
    configurations = variants.rotation()
    if chosen.configurations not in ("rotate", "all"):
        configurations = [variants.Configuration(name) for name in chosen.configurations.split(",")]
    if chosen.programs:
        named = [(kind, int(seed)) for kind, seed in (program.split(":") for program in chosen.programs)]
        if chosen.configurations == "rotate":
            cases = [Case(kind, seed, configurations[seed % len(configurations)]) for kind, seed in named]
        else:
            cases = [Case(kind, seed, configuration) for kind, seed in named for configuration in configurations]
    else:
        first = first_seed() if chosen.first is None else chosen.first
        part, parts = map(int, chosen.shard.split("/"))
        cases = list(rotation(chosen.kinds.split(","), first, chosen.count, configurations))
        if chosen.configurations != "rotate":
            cases = [Case(c.kind, c.seed, configuration) for c in cases for configuration in configurations]
        cases = cases[part - 1::parts]
        print(f"fuzz: seeds {first} to {first + chosen.count - 1} of {chosen.kinds}, shard {chosen.shard} (repeat: SKEIN_FUZZ_SEED={first})",
              flush=True)
    results = run_all(cases, build, chosen.jobs, chosen.save, lambda what: print(what, flush=True))
    print(summary(results))
    sys.exit(0 if acceptable(results) else 1)


if __name__ == "__main__":
    main()

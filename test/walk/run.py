#!/usr/bin/env python3
"""Lets programs walk at random between processes and compares them with clang.

    run.py [--build build/dev] [--nodes 2] [--walks 1000] [--seed S] [--flags=...] [--shard I/N] [--jobs 2] [PROGRAM...]

For a program (default: all of test/stress/programs): compiled by `skeincc -fskein-stress=calls`, run by `skein run -n 2` with
SKEIN_OPTIONS=walk=on, again and again with seeds S, S + 1, ... until it has walked --walks times. One that has few places to
walk from takes more of them; one whose head expects refusals (test/stress/program.py), or that cannot walk in most places, ends after
RUNS_IF_REFUSED runs. Each run must print what `clang-22 -O2` prints and end with the same status; a walk may be refused, and the
reasons are counted. Levels rotate from program to program. The seed is made of today's date, unless
it is given or SKEIN_FUZZ_SEED is set; each failure comes with the command that repeats it.
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

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "test", "stress"))
import run as stress
import variants

CONFIGURATIONS = ["O0-globals-heap", "O2-globals-heap", "Os-globals-heap", "O3-polls-globals-heap", "O1-globals-heap"]
RUNS_MOST = 500
RUNS_IF_REFUSED = 20
SECONDS = 120


class Result:
    def __init__(self, program):
        self.program, self.wrong, self.walks, self.refused, self.runs, self.seconds = program, None, 0, 0, 0, 0.0
        self.reasons = collections.Counter()

    def count(self, text):
        for walks, refused in re.findall(r"walk: node \d+: (\d+) walks, (\d+) of them refused", text):
            self.walks += int(walks) - int(refused)
            self.refused += int(refused)
        for times, why in re.findall(r"walk: refused (\d+) times: (.*)$", text, re.M):
            self.reasons[re.sub(r"`[^`]*`( \([^)]*\))?|node \d+", "...", why)] += int(times)


def walk(program, build, chosen, seed, configuration):
    """A Result."""
    result = Result(program)
    begin = time.monotonic()
    thinned = re.search(r"\bstress_every=(\d+)", program.said("options"))
    every = chosen.every * int(thinned[1] if thinned else 1)
    with tempfile.TemporaryDirectory(prefix="skein-walk-") as place:
        made, report = os.path.join(place, program.name), os.path.join(place, "report")
        try:
            status, output = stress.reference(program, build)
            command = stress.compile_stressed(program, configuration, build, made, chosen.flags.split())
            for result.runs in range(1, RUNS_MOST + 1):
                # Relocated in every other run; else as by default, where a stack keeps its address.
                relocated = ",stacks=relocate,image=any" if (seed + result.runs) % 2 else ""
                options = f"walk=on,walk_every={every},seed={seed + result.runs - 1}{relocated}"
                environment = dict(os.environ, SKEIN_OPTIONS=f"{options},report={report}")
                start = [os.path.join(build, "bin", "skein"), "run", "-n", str(chosen.nodes), made]
                have, shown, errors = stress.execute(start, environment, SECONDS)
                wrong = stress.differs((status, output), (have, shown))
                if wrong:
                    result.wrong = (f"{program.name} {configuration.name}: {wrong}\n    {' '.join(command)}\n"
                                    f"    SKEIN_OPTIONS={options} {' '.join(start)}\n{stress.text(errors)}")
                    break
                with open(report, errors="replace") as file:
                    result.count(file.read())
                os.remove(report)
                if result.walks >= chosen.walks or result.walks + result.refused == 0:
                    break
                if result.runs == RUNS_IF_REFUSED and (program.reasons(configuration) or result.refused > 3 * result.walks):
                    break
                if (result.walks + result.refused) * 20 < chosen.walks * result.runs:
                    every = max(every // 2, 2)
        except (stress.Failure, OSError) as failure:
            result.wrong = f"{program.name} {configuration.name}, seed {seed + max(result.runs - 1, 0)}: {failure}"
    result.seconds = time.monotonic() - begin
    return result


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--build", default=os.path.join(ROOT, "build", "dev"))
    arguments.add_argument("--nodes", type=int, default=2)
    arguments.add_argument("--walks", type=int, default=1000)
    arguments.add_argument("--every", type=int, default=3, help="walk_every")
    arguments.add_argument("--seed", type=int)
    arguments.add_argument("--flags", default="", help="more flags for skeincc")
    arguments.add_argument("--configuration", help="instead of the rotation, e.g. O2-globals-heap")
    arguments.add_argument("--shard", default="1/1")
    arguments.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 1) // 2), help="each uses several processes")
    arguments.add_argument("--verbose", action="store_true")
    arguments.add_argument("programs", nargs="*")
    chosen = arguments.parse_args()
    build = os.path.abspath(chosen.build)
    part, parts = map(int, chosen.shard.split("/"))
    programs = [stress.Program(path) for path in chosen.programs or stress.all_programs()]
    programs = [program for program in programs if not program.fails][part - 1::parts]
    seed = chosen.seed or int(os.environ.get("SKEIN_FUZZ_SEED") or int(time.time() // 86400) * 1000)
    print(f"walk: {len(programs)} programs, seed {seed}, shard {chosen.shard}", flush=True)
    configurations = [variants.Configuration(name) for name in ([chosen.configuration] if chosen.configuration else CONFIGURATIONS)]
    results = []
    with concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:
        jobs = [pool.submit(walk, program, build, chosen, seed, configurations[index % len(configurations)])
                for index, program in enumerate(programs)]
        for job in jobs:
            result = job.result()
            results.append(result)
            if result.wrong:
                print(result.wrong, flush=True)
            elif chosen.verbose:
                print(f"{result.program.name}: {result.runs} runs, {result.walks} walks, {result.refused} refused, {result.seconds:.1f} s", flush=True)
    failed = [r for r in results if r.wrong]
    short = [r for r in results if not r.wrong and r.walks < chosen.walks]
    print(f"{len(results) - len(failed)} of {len(results)} programs right; {sum(r.runs for r in results)} runs, "
          f"{sum(r.walks for r in results)} walks, {sum(r.refused for r in results)} refused; {len(short)} programs walked less "
          f"than {chosen.walks} times, {sum(1 for r in short if not r.walks)} never")
    for why, times in sum((r.reasons for r in results), collections.Counter()).most_common(20):
        print(f"    {times:8} {why}")
    sys.exit(1 if failed or not any(r.walks for r in results) else 0)


if __name__ == "__main__":
    main()

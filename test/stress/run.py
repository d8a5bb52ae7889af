#!/usr/bin/env python3
"""Runs programs under relocation stress and compares them with clang.

    run.py [--build build/dev] [--levels O0,O2-polls] [--flags=-march=native] [--jobs 2] [--save FOLDER] [PROGRAM...]

For a program (default: all in programs/) and each configuration (variants.py; default: each level in one of CONFIGURATIONS):

    expected   output and exit status of `clang-22 -O2`, compiled once and kept in the build tree
    actual     the same of `skeincc -fskein-stress=calls ...`: its stack moves at every call that may migrate
    report     what the runtime says at exit under SKEIN_OPTIONS=stress_report: moves, and moves refused with reasons

A program passes if output and status agree in all of them and the report is what the head of its file says (program.py).
At
level O2 it also runs once with stress_via=image: each move goes through the wire format. SKEIN_STRESS_SAVE or --save keeps the executables.

Rejected: comparing with `clang` at the same level (a program whose output depends on the level is a bad test, and the
comparison would hide it); one executable per level checked by FileCheck (192 files of expected output to maintain).
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

import building
import variants
from program import Failure, Program, REASONS, all_programs

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CONFIGURATIONS = ["O0-globals-heap", "O1-polls-globals-heap", "O2", "O3-growable-globals-heap-unwind", "Os-polls-growable"]
SECONDS = 30
RUNS_MOST = 3  # of a program in which a move is refused unexpectedly
MOVES_LEAST = 3  # one is for main's entry
FLAGS = []  # more of them for skeincc, from --flags
OPTIONS = []  # more of SKEIN_OPTIONS, from --options


def execute(command, environment=None, seconds=SECONDS):
    """(status, stdout, stderr); a program that hangs is a failure of its own."""
    try:
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds)
    except subprocess.TimeoutExpired as late:
        raise Failure(f"hangs (more than {seconds} s): {' '.join(command)}\n{text(late.stderr or b'')}")
    return done.returncode, done.stdout, done.stderr


def text(output, lines=20):
    shown = output.decode(errors="replace").splitlines()
    more = [f"... {len(shown) - lines} more lines"] if len(shown) > lines else []
    return "\n".join("    " + line for line in shown[:lines] + more)


def reference(program, build):
    """Output and status of the program as clang compiles it, made once per text of the program."""
    folder = os.path.join(build, "test", "stress", "reference")
    kept = os.path.join(folder, f"{program.name}-{program.digest}")
    if not os.path.exists(kept):
        os.makedirs(folder, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as place:
            made = os.path.join(place, program.name)
            compiler = ["clang++-22", "-std=c++20"] if program.cxx else ["clang-22"]
            flags = [flag for flag in program.said("flags").split() if not flag.startswith("-fskein")]
            status, errors, _ = building.build([*compiler, "-fuse-ld=lld", "-O2", "-w", *flags], program.files, made)
            if status:
                raise Failure(f"clang does not compile it\n{text(errors)}")
            status, output, _ = execute([made])
            if status < 0:
                raise Failure(f"as clang compiles it, signal {-status} ends it")
            with open(os.path.join(place, "kept"), "wb") as file:
                file.write(b"%d\n" % status + output)
            os.replace(file.name, kept)
    with open(kept, "rb") as file:
        status, output = file.read().split(b"\n", 1)
    return int(status), output


class Refused(Failure):
    """A move was refused for a reason that the head does not name. Where a number lies beside what an earlier frame has left, the
    two may together look like an address of the stack, wherever that lies in this run: rightly refused, and not met again."""


class Report:
    """What the runtime printed at exit, and everything else the program wrote to stderr."""

    def __init__(self, errors):
        lines = errors.decode(errors="replace").splitlines()
        own = re.compile(r"skein: (stress|maps|unwind): ")
        self.others = [line for line in lines if not own.match(line)]
        joined = "\n".join(lines)
        counts = re.search(r"^skein: stress: (\d+) moves, .* (\d+) moves refused", joined, re.M)
        if not counts:
            raise Failure("no report at exit (did anything call __skein_stress?)\n" + text(errors))
        self.moves, self.refused = map(int, counts.groups())
        self.reasons = re.findall(r"^skein: stress: refused (\d+) times: (.*)$", joined, re.M)

    def check(self, program, configuration):
        """The words of the reasons for which moves were refused; raises Failure if the head does not say so."""
        expected = program.reasons(configuration)
        met = set()
        for times, why in self.reasons:
            words = [word for word in expected if re.search(REASONS[word], why)]
            if not words:
                raise Refused(f"{times} moves were refused: {why}\n    ({self.moves} succeeded)")
            met.update(words)
        if self.moves < (1 if expected else MOVES_LEAST):
            raise Failure(f"its stack moved {self.moves} times, which tests nothing (is there a hop() at every level?)")
        if expected and not met:
            raise Failure(f"no move was refused; its head says {', '.join(expected)}")
        return met


def compile_stressed(program, configuration, build, made, flags=()):
    """The command, or None if the compiler rejected the program, as its head says."""
    compiler = ["bin/skein++", "-std=c++20"] if program.cxx else ["bin/skeincc"]
    compiler[0] = os.path.join(build, compiler[0])
    pinned = program.reasons(None, "pinned")
    strict = ["-Werror=skein-unproved"] if "unproved" not in pinned else []
    if not pinned:
        strict.append("-Werror=skein-pinned")
    compiler += ["-fskein-stress=calls", *strict, *configuration.flags, *program.said("flags").split(), *FLAGS, *flags,
                 "-Wno-skein-global"]
    status, errors, command = building.build(compiler, [program.path], made)
    rejected = program.said("rejected", configuration)
    if rejected and status and re.search(rf"error: .*{re.escape(rejected)}", errors.decode(errors="replace")):
        return None
    if status or rejected:
        wanted = f"it should have been rejected: {rejected}\n    " if rejected else ""
        raise Failure(f"{wanted}{' '.join(command)}\n{text(errors)}")
    return command


def differs(expected, actual):
    (status, output), (now, shown) = expected, actual
    if status != now:
        return f"exit status {now}, not {status}"
    want, have = output.splitlines(), shown.splitlines()
    for number, (left, right) in enumerate(zip(want, have), 1):
        if left != right:
            return f"line {number} is {right.decode(errors='replace')!r}, not {left.decode(errors='replace')!r}"
    return f"{len(have)} lines of output, not {len(want)}" if want != have else None


def run_one(program, configuration, build, made):
    """Compiles and runs in one configuration. Returns why moves were refused, in words; raises Failure."""
    command = compile_stressed(program, configuration, build, made)
    met = set()
    if not command:
        return met
    image = variants.Configuration(f"{configuration.name}-image")
    for way in [configuration, image] if configuration.level == "O2" else [configuration]:
        options = ",".join(filter(None, ["stress_report=1", program.said("options"), *way.options, *OPTIONS]))
        environment = dict(os.environ, SKEIN_OPTIONS=options)
        how = f"{' '.join(command)}\n    SKEIN_OPTIONS={options} {made}"
        for left in reversed(range(RUNS_MOST)):
            status, output, errors = execute([made], environment)
            wrong = differs(reference(program, build), (status, output))
            if wrong:
                raise Failure(f"{wrong}\n    {how}\n{text(errors)}")
            try:
                report = Report(errors)
                met |= report.check(program, way)
                if report.others:
                    raise Failure("wrote to stderr\n" + text(errors))
                break
            except Refused as refused:
                if not left:
                    raise Failure(f"{refused}\n    {how}")
            except Failure as failure:
                raise Failure(f"{failure}\n    {how}")
    return met


def run(program, build, names=None, save=None):
    """None if the program passes, else what went wrong, configuration by configuration."""
    wrong, met = [], set()
    names = names or CONFIGURATIONS
    with tempfile.TemporaryDirectory(prefix="skein-stress-") as place:
        for configuration in map(variants.Configuration, names):
            made = os.path.join(save or place, f"{program.name}-{configuration.name}")
            try:
                met |= run_one(program, configuration, build, made)
            except Failure as failure:
                wrong.append(f"{program.name} {configuration.name}: {failure}")
    never = [line.value for line in program.lines if line.reasons and not met.intersection(line.reasons)]
    if not wrong and names == CONFIGURATIONS and never:
        wrong.append(f"{program.name}: in no configuration was a move refused for what its head says: {'; '.join(never)}")
    return "\n".join(wrong) or None


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--build", default=os.path.join(ROOT, "build", "dev"))
    arguments.add_argument("--levels", default=",".join(CONFIGURATIONS))
    arguments.add_argument("--flags", default="", help="more flags for skeincc, e.g. --flags='-march=native -g'")
    arguments.add_argument("--options", default="", help="more SKEIN_OPTIONS")
    arguments.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments.add_argument("--save", default=os.environ.get("SKEIN_STRESS_SAVE"))
    arguments.add_argument("programs", nargs="*")
    chosen = arguments.parse_args()
    FLAGS.extend(chosen.flags.split())
    OPTIONS.extend(filter(None, chosen.options.split(",")))
    build = os.path.abspath(chosen.build)
    if not os.path.exists(os.path.join(build, "bin", "skeincc")):
        sys.exit(f"run.py: no bin/skeincc in {build}; build it first (./bootstrap build)")
    if chosen.save:
        os.makedirs(chosen.save, exist_ok=True)
    programs = [Program(path) for path in chosen.programs or all_programs()]
    failed = expected = 0
    with concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:
        levels = chosen.levels.split(",")
        results = pool.map(lambda program: run(program, build, levels, chosen.save), programs)
        for program, wrong in zip(programs, results):
            if program.fails and wrong:
                expected += 1
                print(f"{program.name}: fails as expected: {program.fails}", flush=True)
            elif program.fails or wrong:
                failed += 1
                print(wrong or f"{program.name}: passes; remove `fails:` from its head", flush=True)
    known = f", {expected} failed as expected" if expected else ""
    print(f"{len(programs) - failed - expected} of {len(programs)} programs passed{known}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"run.py: {failure}")

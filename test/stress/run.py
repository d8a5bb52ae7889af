#!/usr/bin/env python3
"""Runs programs under relocation stress and compares them with clang.

    run.py [--build build/dev] [--levels O0,O2-polls] [--flags=-march=native] [--jobs 2] [--save FOLDER] [PROGRAM...]

For a program (default: all in programs/) and each configuration (variants.py; default: each level in one of CONFIGURATIONS):

    expected   output and exit status of `clang-22 -O2`, compiled once and kept in the build tree
    actual     the same of `skeincc -fskein-stress=calls ...`: its stack moves at every call that may migrate
    report     what the runtime says at exit under SKEIN_OPTIONS=stress_report: moves, and moves refused with reasons

A program passes if output and status agree in all of them and the report is what the head of its file says:

    (nothing)                     every move succeeds, and there are some
    // refused: REASON, REASON    the runtime refuses moves, for these reasons only, and refuses some
    // pinned: REASON             the same, but the compiler decided it and warned at the call
    // fails: WHY                 a known bug of ours: the program must fail, until it is fixed and the line removed
    // options: KEY=VALUE,...     more SKEIN_OPTIONS, e.g. stress_every where frames are many or large
    // flags: FLAG ...            more flags for skeincc

The reasons are the keys of REASONS below. At level O2 the program also runs once with stress_via=image: each move goes
through the wire format. SKEIN_STRESS_SAVE or --save keeps the executables.

Rejected: comparing with `clang` at the same level (a program whose output depends on the level is a bad test, and the
comparison would hide it); one executable per level checked by FileCheck (192 files of expected output to maintain).
"""
import argparse
import concurrent.futures
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

import variants

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CONFIGURATIONS = ["O0", "O1-polls-heap", "O2", "O3-heap-unwind", "Os-polls"]
SECONDS = 30
FLAGS = []  # more of them for skeincc, from --flags
OPTIONS = []  # more of SKEIN_OPTIONS, from --options

# What a refused move says (runtime/migrate), by the word that heads of programs use.
REASONS = {
    "ambiguous": "may be a pointer or an integer",
    "foreign": "a foreign frame is on its stack",
    "global": "global `.*holds an address of its stack",
    "heap": "a heap block holds an address of its stack|stored in memory that stays behind",
    "heap-word": "on its private heap.* holds an address of its own stack",
    "library": "the C library keeps an address",
    "other-stack": "runs on a stack that is not its own",
    "number": "an address of its stack was made into a number",
    "deep": "runs on a deep stack, since its thread had no room",
    "not-compiled": "is in a call that was not compiled to migrate",
    # Decided by the compiler: pin_reason_text in runtime/migrate/walk.cpp.
    "unproved": "an address is live in a register or a place that the maps do not name",
    "returns-twice": "a function that returns twice and is not setjmp",
    "catch": "handles C\\+\\+ exceptions",
    "lost-local": "has no place the maps can name",
    "address-integer": "an integer computed from an address is live",
    "inline-asm": "inline assembly holds an address",
    "frame": "a shape that the maps cannot describe",
    "too-large": "more locals or calls than the maps can count",
}


class Failure(Exception):
    pass


class Program:
    """A source file and what its head says."""

    def __init__(self, path):
        self.path = os.path.abspath(path)
        self.name = os.path.splitext(os.path.basename(path))[0]
        self.cxx = path.endswith(".cpp")
        self.refused, self.pinned, self.options, self.flags, self.fails = [], [], "", "", None
        with open(path) as source:
            text = source.read()
        head = text[: text.find("#include")]
        for key, value in re.findall(r"^// (refused|pinned|options|fails|flags): (.*)$", head, re.M):
            if key in ("options", "fails", "flags"):
                setattr(self, key, value.strip())
                continue
            reasons = [reason.strip() for reason in value.split(",")]
            unknown = [reason for reason in reasons if reason not in REASONS]
            if unknown:
                raise Failure(f"{path}: unknown reason {unknown[0]}; known: {', '.join(REASONS)}")
            (self.refused if key == "refused" else self.pinned).extend(reasons)
        with open(os.path.join(HERE, "programs", "hop.h")) as header:
            self.digest = hashlib.sha256((text + header.read()).encode()).hexdigest()[:16]

    @property
    def reasons(self):
        return self.refused + self.pinned


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
        with tempfile.TemporaryDirectory() as place:
            made = os.path.join(place, program.name)
            compiler = ["clang++-22", "-std=c++20"] if program.cxx else ["clang-22"]
            status, _, errors = execute(compiler + ["-O2", "-w", program.path, "-o", made, "-lm"])
            if status:
                raise Failure(f"clang does not compile it\n{text(errors)}")
            status, output, _ = execute([made])
            with open(os.path.join(place, "kept"), "wb") as file:
                file.write(b"%d\n" % status + output)
            shutil.copy(os.path.join(place, "kept"), kept + f".{os.getpid()}")
            os.replace(kept + f".{os.getpid()}", kept)
    with open(kept, "rb") as file:
        status, output = file.read().split(b"\n", 1)
    return int(status), output


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

    def check(self, reasons):
        for times, why in self.reasons:
            if not any(re.search(REASONS[reason], why) for reason in reasons):
                raise Failure(f"{times} moves were refused: {why}\n    ({self.moves} succeeded)")
        if not reasons and not self.moves:
            raise Failure("its stack never moved")


def compile_stressed(program, configuration, build, made, flags=()):
    compiler = ["bin/skein++", "-std=c++20"] if program.cxx else ["bin/skeincc"]
    compiler[0] = os.path.join(build, compiler[0])
    strict = ["-Werror=skein-unproved"] if "unproved" not in program.pinned else []
    if not program.pinned and "setjmp" not in program.refused:
        strict.append("-Werror=skein-pinned")
    command = compiler + ["-fskein-stress=calls", *strict, *configuration.flags, *program.flags.split(), *FLAGS, *flags, "-Wno-skein-global", program.path,
                          "-o", made, "-lm"]
    status, _, errors = execute(command, seconds=60)
    if status:
        raise Failure(f"{' '.join(command)}\n{text(errors)}")
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
    """Compiles and runs in one configuration. Returns how many moves were refused, raises Failure."""
    command = compile_stressed(program, configuration, build, made)
    refused = 0
    for via in ["", "stress_via=image"] if configuration.level == "O2" else [""]:
        options = ",".join(filter(None, ["stress_report=1", program.options, *configuration.options, *OPTIONS, via]))
        environment = dict(os.environ, SKEIN_OPTIONS=options)
        how = f"{' '.join(command)}\n    SKEIN_OPTIONS={options} {made}"
        status, output, errors = execute([made], environment)
        wrong = differs(reference(program, build), (status, output))
        if wrong:
            raise Failure(f"{wrong}\n    {how}\n{text(errors)}")
        try:
            report = Report(errors)
            report.check(program.reasons)
            refused += report.refused
            if report.others:
                raise Failure("wrote to stderr\n" + text(errors))
        except Failure as failure:
            raise Failure(f"{failure}\n    {how}")
    return refused


def run(program, build, names=None, save=None):
    """None if the program passes, else what went wrong, configuration by configuration."""
    wrong, refused = [], 0
    names = names or CONFIGURATIONS
    with tempfile.TemporaryDirectory(prefix="skein-stress-") as place:
        for configuration in map(variants.Configuration, names):
            made = os.path.join(save or place, f"{program.name}-{configuration.name}")
            try:
                refused += run_one(program, configuration, build, made)
            except Failure as failure:
                wrong.append(f"{program.name} {configuration.name}: {failure}")
    if not wrong and names == CONFIGURATIONS and program.reasons and not refused:
        wrong.append(f"{program.name}: no move was refused; its head says {', '.join(program.reasons)}")
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
    folder = os.path.join(HERE, "programs")
    paths = chosen.programs or sorted(
        os.path.join(folder, name) for name in os.listdir(folder) if name.endswith((".c", ".cpp")))
    programs = [Program(path) for path in paths]
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

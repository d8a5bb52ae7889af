#!/usr/bin/env python3
"""Keeps the sanitizer builds alive: builds the presets asan and tsan and runs what there is for them.

    sanitizers.py [--build build/dev] [--seconds 60] [PRESET...]      PRESET: asan, tsan (default: both)

    asan    everything; the unit tests, and the soak's one-process part (four workers) with the runtime watched
    tsan    the targets of its build preset; their unit tests, and the soak's one-process part; the constructs suite's exceptions
            and jumps under relocation stress. Not for it are the medley, which uses shared memory, whose addresses compiled code
            knows and where this sanitizer lets nothing be mapped, and programs that start kernel threads of their own
"""
import argparse
import glob
import os
import subprocess
import sys

TESTS = {"asan": "^unit/", "tsan": "^unit/(base|base-alone|sched|sched-bundles|sync|sync-straight|thread)$"}
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# The sanitizer's qsort is not ours, and from its frames nobody moves.
THROWERS = sorted(program for program in glob.glob(f"{ROOT}/test/stress/programs/cxx-*.cpp") + glob.glob(f"{ROOT}/test/stress/programs/jump-*.c*")
                  if os.path.basename(program) not in ("cxx-kernel-threads.cpp", "jump-from-callback.c"))


def step(*command):
    print("sanitizers:", " ".join(command), flush=True)
    environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0")  # records of the runtime are never given back
    status = subprocess.run(command, cwd=ROOT, env=environment).returncode
    if status != 0:
        print(f"sanitizers: FAILED, status {status}: {' '.join(command)}", flush=True)
    return status == 0


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    arguments.add_argument("--build", help="as nightly/run gives it to all; unused, each preset has its own")
    arguments.add_argument("--seconds", type=float, default=60)
    arguments.add_argument("presets", nargs="*", metavar="PRESET")
    chosen = arguments.parse_args()
    right = True
    for preset in chosen.presets or ["asan", "tsan"]:
        build = os.path.join(ROOT, "build", preset)
        if not (step("cmake", "--preset", preset) and step("cmake", "--build", "--preset", preset, "-j2")):
            right = False
            continue
        right &= step("ctest", "--test-dir", build, "-R", TESTS[preset], "--output-on-failure", "--no-tests=error")
        right &= step(sys.executable, os.path.join("test", "soak", "run.py"), "--build", build, "--seconds", str(chosen.seconds),
                      "alone", "single")
        if preset == "tsan":
            right &= step(sys.executable, os.path.join("test", "stress", "run.py"), "--build", build, "--levels", "O1-globals-heap,O2",
                          *THROWERS)
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()

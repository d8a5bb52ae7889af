#!/usr/bin/env python3
"""order.py BUILD/test: tells lit in which order to run all tests, so that no core is idle.

Many tests wait most of the time, for nodes that start, for a death to be noticed, for a network that is cut; the others
compile and compute. Both kinds are mixed, so that some of each run at any time, and the long ones of each kind come first,
so that none is left when all others are over. lit begins with the test that took longest last time, so what is written
here into its file of times are places in the order; after the run lit writes the times of this run there.
"""
import os
import subprocess
import sys

WAITING = {"demo", "launch", "migrate", "monitor", "objects", "pack", "parking", "simulation", "soak", "trace", "walk"}
# Seconds of the longest ones on two cores, for a build tree in which no test has run.
LONGEST = {"simulation/models.c": 115, "fuzz/messages": 80, "fuzz/csmith-4": 60, "models/recovery.test": 60,
           "launch/hosts-back.test": 55, "simulation/theory.c": 55, "simulation/ahead.test": 50,
           "simulation/moved_models.test": 45, "fuzz/decoder": 45, "launch/draining-memory.c": 45,
           "soak/remembers.c": 40, "soak/channels.c": 40, "launch/hosts-disks.test": 40, "fuzz/csmith-2": 40,
           "launch/hosts-cut.test": 35, "launch/recovery.test": 35, "launch/bench-overhead.test": 30,
           "runtime/thread-cxx.cpp": 30, "fuzz/csmith-1": 30, "launch/hosts-poor.test": 30,
           "abi/frames-agree-with-objdump.c": 25, "launch/hosts.c": 25, "migrate/policy-affinity.test": 25,
           "fuzz/csmith-3": 25, "launch/checkpoint.c": 25, "docs/snippets.test": 20}
USUAL = 2


def known_times(path):
    """{test: seconds} of lit's file; a test that failed has negative ones."""
    if not os.path.exists(path):
        return LONGEST
    with open(path) as file:
        lines = [line.strip().split(maxsplit=1) for line in file]
    return {test: abs(float(seconds)) for seconds, test in lines}


def mixed(tests, seconds):
    """Of each kind the longest first, and from both at all times the same part of what they take."""
    waits = [test for test in tests if test.split("/")[0] in WAITING]
    kinds = [sorted(kind, key=lambda test: (-seconds(test), test)) for kind in (waits, sorted(set(tests) - set(waits)))]
    placed = []
    for kind in kinds:
        whole, before = sum(map(seconds, kind)) or 1, 0
        for test in kind:
            placed.append((before / whole, test))
            before += seconds(test)
    return [test for _, test in sorted(placed)]


def main():
    folder = sys.argv[1]
    times = os.path.join(folder, ".lit_test_times.txt")
    known = known_times(times)
    shown = subprocess.run(["lit-22", "--show-tests", folder], capture_output=True, text=True, check=True).stdout
    tests = [line.split(" :: ")[1] for line in shown.splitlines() if " :: " in line]
    order = mixed(tests, lambda test: known.get(test, USUAL))
    with open(times, "w") as file:
        file.writelines(f"{len(order) - place} {test}\n" for place, test in enumerate(order))


if __name__ == "__main__":
    main()

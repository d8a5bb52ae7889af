#!/usr/bin/env python3
"""Lets soak.c (random spawning, blocking, pushing and stealing on all nodes) or medley.c (the rest of the interface) run for a while:
every thread is accounted for in the end, none twice.

    run.py [--build build/dev] [--program soak] [--seconds 600] [--seed S] [CONFIGURATION...]

CONFIGURATIONs, each for so many seconds (default: relocate reserve):

    relocate   four nodes
    reserve    four nodes, stacks=reserve
    workers    two nodes of two workers
    delayed    four nodes, messages late and out of order
    alone      one node of four workers: for sanitizer builds, and for what has to do with other nodes not at all
    single     one node of one worker: what it does quickly because nobody else is there

The seed is made of today's date, unless it is given or SKEIN_FUZZ_SEED is set; printed with the command that repeats a failure.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

CONFIGURATIONS = {  # nodes, SKEIN_OPTIONS
    "relocate": (4, "steal=on"),
    "reserve": (4, "stacks=reserve"),
    "workers": (2, "workers=2"),
    "delayed": (4, "net_delay_us=300"),
    "alone": (1, "workers=4"),
    "single": (1, "workers=1"),
}
FLAGS = ["-O2", "-fskein-polls=loops", "-Wno-skein-global"]  # that each node has its own globals is what it wants
GRACE_S = 180  # until all have ended


def soak(build, program, name, seconds, seed):
    """True if all is well."""
    nodes, options = CONFIGURATIONS[name]
    options += f",seed={seed}"
    command = [os.path.join(build, "bin", "skein"), "run", "-n", str(nodes), program, str(seconds), str(seed)]
    print(f"soak: {name}: SKEIN_OPTIONS={options} {' '.join(command)}", flush=True)
    try:
        status = subprocess.run(command, env=dict(os.environ, SKEIN_OPTIONS=options), timeout=seconds + GRACE_S).returncode
    except subprocess.TimeoutExpired:
        status = f"none: it hangs ({GRACE_S} s after its end)"
    if status != 0:
        print(f"soak: {name}: FAILED, status {status}", flush=True)
    return status == 0


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    arguments.add_argument("--build", default=os.path.join(ROOT, "build", "dev"))
    arguments.add_argument("--program", default="soak", choices=["soak", "medley"])
    arguments.add_argument("--seconds", type=float, default=600)
    arguments.add_argument("--seed", type=int)
    arguments.add_argument("configurations", nargs="*", metavar="CONFIGURATION", help=", ".join(CONFIGURATIONS))
    chosen = arguments.parse_args()
    wanted = chosen.configurations or ["relocate", "reserve"]
    for name in wanted:
        if name not in CONFIGURATIONS:
            arguments.error(f"there is no configuration {name}, only {', '.join(CONFIGURATIONS)}")
    build = os.path.abspath(chosen.build)
    seed = chosen.seed or int(os.environ.get("SKEIN_FUZZ_SEED") or int(time.time() // 86400) * 1000)
    with tempfile.TemporaryDirectory(prefix="skein-soak-") as place:
        program = os.path.join(place, chosen.program)
        subprocess.run([os.path.join(build, "bin", "skeincc"), *FLAGS, os.path.join(HERE, chosen.program + ".c"), "-o", program], check=True)
        right = [soak(build, program, name, chosen.seconds, seed + index) for index, name in enumerate(wanted)]
    sys.exit(0 if all(right) else 1)


if __name__ == "__main__":
    main()

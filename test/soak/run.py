#!/usr/bin/env python3
"""Lets soak.c (random spawning, blocking, pushing and stealing on all nodes) medley.c (the rest of the interface) or channels.c run for a while:
every thread is accounted for in the end, none twice.

    run.py [--build build/dev] [--program soak] [--seconds 600] [--seed S] [CONFIGURATION...]

CONFIGURATIONs, each for so many seconds (default: auto relocate):

    auto       four nodes
    relocate   four nodes, stacks=relocate, image=any
    reserve    four nodes, stacks=reserve
    shared     four nodes that have one memory for stacks
    workers    two nodes of two workers
    parked     two nodes, and threads that wait are parked
    lent       three nodes, and every message over a channel and every thread that moves is copied from where it is
    delayed    four nodes, messages late and out of order
    lazy       four nodes of two workers, where moves leave memory behind
    growing    one node, to which three others come (channels.c: the others say at the start on which nodes they are)
    changing   three nodes, to which three others come, and of which four leave (channels.c)
    alone      one node of four workers: for sanitizer builds, and for what has to do with other nodes not at all
    single     one node of one worker: what it does quickly because nobody else is there
    random     runs of some seconds, one after the other, each with nodes, knobs and compiler options drawn from its seed; those of
               channels.c may grow and shrink

The seed is made of today's date, unless it is given or SKEIN_FUZZ_SEED is set; printed with the command that repeats a failure.
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

GROWS = "channels"  # the program whose runs can
CONFIGURATIONS = {  # nodes, SKEIN_OPTIONS, nodes that come later, nodes that leave
    "auto": (4, "steal=on"),
    "relocate": (4, "stacks=relocate,image=any,channel_patience=1"),
    "reserve": (4, "stacks=reserve"),
    "shared": (4, "stacks=shared,channel_patience=2"),
    "workers": (2, "workers=2"),
    "parked": (2, "workers=2,park=on,park_after=1"),
    "lent": (3, "lend_least=1,channel_patience=2"),
    "delayed": (4, "net_delay_us=300,channel_patience=2"),
    "lazy": (4, "workers=2,moves=lazy,lazy_least=4K"),
    "growing": (1, "workers=1", 3, 0),
    "changing": (3, "workers=1", 3, 4),
    "alone": (1, "workers=4"),
    "single": (1, "workers=1"),
    "random": None,
}
FLAGS = ["-Wno-skein-global"]  # that each node has its own globals is what it wants
USUAL = ("-O2", "-fskein-polls=loops")
VARIANTS = [USUAL, ("-O1",), USUAL + ("-fskein-stacks=growable",), USUAL + ("-flto",), USUAL + ("-fskein-heap=private",)]
KNOBS = {  # of `random`: what is drawn from, and how often
    "workers": ([1, 1, 2, 3], 1),
    "stacks": (["relocate", "relocate", "reserve", "shared"], 0.6),
    "image": (["any"], 0.4),
    "lend_least": ([1, "64K"], 0.4),
    "bundle": ("local fifo lifo priority stamp".split(), 0.6),
    "policy": ("random neighbour local_random global_random gradient bidding follow none".split(), 0.6),
    "steal": (["off"], 0.15),
    "steal_bytes": (["1K", "4K", "1M"], 0.4),
    "channel_patience": ([0, 1, 2, 5], 0.6),
    "slice_ms": ([0, 1, 3], 0.4),
    "stack": (["16K", "32K", "256K"], 0.3),
    "grow_first": (["1K", "2K"], 0.3),
    "net_delay_us": ([50, 300, 2000], 0.35),
    "message_credits": ([1, 2, 5], 0.4),
    "shared": (["remote"], 0.3),
    "shared_cache": (["64K", "1M"], 0.3),
    "check": (["pointers", "stress"], 0.3),
    "unwind_check": ([7, 50], 0.15),
    "moves": (["lazy"], 0.4),
    "lazy_least": (["4K", "64K"], 0.7),
    "park": (["on"], 0.4),
    "park_after": ([1, 4, 64], 0.6),
}
GRACE_S = 180  # until all have ended
GRACE_STRESS_S = 900  # the same where each thread that waits is relocated (check=stress): a round takes minutes then


class Programs:
    """The chosen program, compiled by the options that are asked for."""

    def __init__(self, build, source, place):
        self.build, self.source, self.place, self.made = build, source, place, {}
        self.grows = os.path.basename(source) == f"{GROWS}.c"

    def __call__(self, options):
        if options not in self.made:
            self.made[options] = os.path.join(self.place, f"{os.path.basename(self.source)[:-2]}-{len(self.made)}")
            subprocess.run([os.path.join(self.build, "bin", "skeincc"), *FLAGS, *options, self.source, "-o", self.made[options]], check=True)
        return self.made[options]


def soak(programs, name, seconds, seed):
    """True if all is well."""
    if name == "random":
        return soak_at_random(programs, seconds, seed)
    nodes, options, more, fewer = (*CONFIGURATIONS[name], 0, 0)[:4]
    return run(programs, name, USUAL, nodes, more, fewer, [], options, seconds, seed)


def soak_at_random(programs, seconds, seed):
    end, right, runs = time.monotonic() + seconds, True, 0
    while time.monotonic() < end:
        draw = random.Random(seed)
        options = ",".join(f"{knob}={draw.choice(values)}" for knob, (values, often) in KNOBS.items() if draw.random() < often)
        nodes, launch = draw.choice([1, 2, 2, 3, 4, 5]), ["--transport", draw.choice(["shm", "shm", "tcp"])]
        compiler_options, lasts = draw.choice(VARIANTS), draw.choice([1, 2, 4])
        more = draw.choice([0, 0, 1, 2, 3]) if programs.grows else 0
        fewer = draw.choice([0, 0, 1, nodes + more - 1]) if programs.grows and nodes + more > 1 else 0
        right &= run(programs, "random", compiler_options, nodes, more, fewer, launch, options, lasts, seed)
        seed, runs = seed + 1, runs + 1
    print(f"soak: random: {runs} runs", flush=True)
    return right


def run(programs, name, compiler_options, nodes, more, fewer, launch, options, seconds, seed):
    options += f",seed={seed}"
    skein = os.path.join(programs.build, "bin", "skein")
    launch = ["-n", str(nodes), *(["--max-nodes", str(nodes + more)] if more else []), *launch]
    changes = [str(more), str(fewer)] if more or fewer else []  # until then it goes on
    command = [skein, "run", *launch, programs(compiler_options), str(seconds), str(seed), *changes]
    print(f"soak: {name}, {' '.join(compiler_options)}: SKEIN_OPTIONS={options} {' '.join(command)}", flush=True)
    grace = GRACE_STRESS_S if "check=stress" in options else GRACE_S
    going = subprocess.Popen(command, env=dict(os.environ, SKEIN_OPTIONS=options))
    come, left = change(skein, going, nodes, more, fewer, seconds, random.Random(seed))
    try:
        if (come, left) != (more, fewer):
            going.terminate()  # it would wait for them
        status = going.wait(timeout=seconds + grace)
    except subprocess.TimeoutExpired:
        going.kill()
        status = f"none: it hangs ({grace} s after its end)"
    if (come, left) != (more, fewer):
        status = f"{status}: {come} of {more} nodes came, and {left} of {fewer} left"
    if status != 0:
        print(f"soak: {name}: FAILED, status {status}; seed {seed}", flush=True)
    return status == 0


def quietly(*command):
    """Its exit status."""
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode


def change(skein, going, nodes, more, fewer, seconds, draw):
    """Adds so many nodes to the run and has so many others leave, one after the other within the first half of its time.
    Returns how many came, and how many left."""
    there, come, left = list(range(nodes)), 0, 0
    changes = ["add"] * more + ["drain"] * fewer
    draw.shuffle(changes)
    while changes and quietly(skein, "status", str(going.pid)) != 0 and going.poll() is None:  # it has not begun
        time.sleep(0.01)
    for number, what in enumerate(changes):
        if what == "drain" and len(there) == 1:  # another one comes first
            later = changes.index("add", number)
            changes[later], what = what, "add"
        time.sleep(draw.uniform(0, seconds / 2 / len(changes)))
        which = "1" if what == "add" else str(draw.choice(there[1:]))
        status = quietly(skein, "node", what, "--timeout", "60", "--run", str(going.pid), which)
        if status == 0 and what == "add":
            there.append(nodes + come)
            come += 1
        elif status == 0:
            there.remove(int(which))
            left += 1
    return come, left


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    arguments.add_argument("--build", default=os.path.join(ROOT, "build", "dev"))
    arguments.add_argument("--program", default="soak", choices=["soak", "medley", "channels"])
    arguments.add_argument("--seconds", type=float, default=600)
    arguments.add_argument("--seed", type=int)
    arguments.add_argument("configurations", nargs="*", metavar="CONFIGURATION", help=", ".join(CONFIGURATIONS))
    chosen = arguments.parse_args()
    wanted = chosen.configurations or ["auto", "relocate"]
    for name in wanted:
        if name not in CONFIGURATIONS:
            arguments.error(f"there is no configuration {name}, only {', '.join(CONFIGURATIONS)}")
        if len(CONFIGURATIONS[name] or ()) > 2 and chosen.program != GROWS:
            arguments.error(f"{name}: only runs of {GROWS} do (--program {GROWS})")
    build = os.path.abspath(chosen.build)
    seed = chosen.seed or int(os.environ.get("SKEIN_FUZZ_SEED") or int(time.time() // 86400) * 1000)
    with tempfile.TemporaryDirectory(prefix="skein-soak-") as place:
        programs = Programs(build, os.path.join(HERE, chosen.program + ".c"), place)
        right = [soak(programs, name, chosen.seconds, seed + index) for index, name in enumerate(wanted)]
    sys.exit(0 if all(right) else 1)


if __name__ == "__main__":
    main()

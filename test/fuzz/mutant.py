#!/usr/bin/env python3
"""Runs programs of which one node sends messages that cannot be (SKEIN_OPTIONS=net_mutate=, runtime/net/wire/mutant.h).

    mutant.py [--build build/dev] [--runs 1000] [--seed S] [--jobs 1] [--deaths end|survive] [--one RUN]

Every run must end in time, whatever its status, and no node may end by a signal, but for the one that `skein run` kills because it
was named; that ends the run here, since the programs wait for threads that are lost with the node. Programs, nodes and knobs of a run are made of its number and the seed, which is today's date or SKEIN_FUZZ_SEED; a failure
is printed with the command that repeats it, as far as runs of several processes repeat.
"""
import argparse
import collections
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIMIT_S = 60  # a run lasts a second or two
KILLED_S = 120

PROGRAMS = {  # source, arguments
    "soak": ("test/soak/soak.c", ["1"]),
    "medley": ("test/soak/medley.c", ["1"]),
    "shared-operations": ("test/migrate/shared-operations.c", []),
    "shared-arrays": ("test/migrate/shared-arrays.c", []),
    "windows": ("test/migrate/windows.c", []),
    "active-messages": ("test/migrate/active-messages.c", []),
    "private-heap": ("test/migrate/private-heap.c", []),
}
FLAGS = {"private-heap": ["-fskein-heap=private"]}
# What else a program demands: the replies to a thread come to the node where it asked, and these wait where they believe to have been.
KNOBS = {"active-messages": {"steal": "off"}, "windows": {"steal": "off"}}
NAMED = re.compile(r"node (\d+) sent a malformed '([a-z ]+)' message: (.*?); the run treats it as dead")
SIGNAL = re.compile(r"node \d+ was killed by signal \d+ \(.*?\)|assertion|AddressSanitizer|runtime error")


def compile_all(build, folder):
    made = {}
    for name, (source, arguments) in PROGRAMS.items():
        path = os.path.join(folder, name)
        done = subprocess.run([os.path.join(build, "bin", "skeincc"), "-O2", "-fskein-polls=loops", "-Wno-skein-global", f"-I{ROOT}/test/migrate/Inputs", f"-I{ROOT}/runtime"] +
                              FLAGS.get(name, []) + [os.path.join(ROOT, source), "-o", path], capture_output=True, text=True, errors="replace")
        if done.returncode:
            sys.exit(f"mutant.py: {source} does not compile\n{done.stderr[-3000:]}")
        made[name] = [path] + arguments
    return made


def one(build, programs, seed, number, deaths=None):
    """(program, outcome, whom and what was named, what was run, output); an outcome in capitals is a failure."""
    dice = random.Random(seed * 1000003 + number)
    name = dice.choice(sorted(programs))
    nodes = dice.choice([2, 3, 4])
    knobs = {"net_mutate": dice.choice([3, 10, 30, 100, 300]), "seed": dice.randrange(1, 1 << 30),
             "shared": dice.choice(["mapped", "remote"]), "deaths": dice.choice(["end", "survive"])}
    knobs["deaths"] = deaths or knobs["deaths"]
    knobs.update(KNOBS.get(name, {}))
    transport = dice.choice(["shm", "tcp"])
    if dice.randrange(3) == 0:
        knobs["stacks"] = "reserve"
    if dice.randrange(4) == 0:
        knobs["net_delay_us"] = 300
    options = ",".join(f"{key}={value}" for key, value in knobs.items())
    command = [os.path.join(build, "bin", "skein"), "run", "-n", str(nodes), "--transport", transport, "--timeout", str(LIMIT_S)] + programs[name]
    shown = f"SKEIN_OPTIONS={options} {' '.join(command)}"
    try:
        done = subprocess.run(command, env=dict(os.environ, SKEIN_OPTIONS=options), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=KILLED_S)
    except subprocess.TimeoutExpired as late:
        return name, "HANGS, with its launcher", "", shown, (late.stdout or b"").decode(errors="replace")
    output = done.stdout.decode(errors="replace")
    named = sorted({f"{kind}" for _, kind, _ in NAMED.findall(output)})
    signals = [text for text in SIGNAL.findall(output)]
    if "the time limit of" in output:
        outcome = "STANDS STILL"
    elif signals:
        outcome = f"FALLS: {signals[0]}"
    elif named:
        outcome = "named, and buried"
    else:
        outcome = "ends well" if done.returncode == 0 else "ends with a status"
    return name, outcome, ", ".join(named), shown, output


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "dev"))
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("SKEIN_FUZZ_SEED") or time.time() // 86400))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--deaths", choices=["end", "survive"], help="in all runs")
    parser.add_argument("--one", type=int, help="only this run, with its output")
    chosen = parser.parse_args()
    build = os.path.abspath(chosen.build)
    outcomes, kinds, wrong = collections.Counter(), collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:
        programs = compile_all(build, folder)
        if chosen.one is not None:
            print("\n".join(one(build, programs, chosen.seed, chosen.one, chosen.deaths)))
            return
        for number, (name, outcome, named, shown, output) in enumerate(
                pool.map(lambda number: one(build, programs, chosen.seed, number, chosen.deaths), range(chosen.runs))):
            outcomes[outcome.split(":")[0]] += 1
            kinds.update(named.split(", ") if named else [])
            if outcome[0].isupper() and outcome[1].isupper():
                wrong += 1
                print(f"run {number}, {name}: {outcome}\n  mutant.py --seed {chosen.seed}{' --deaths ' + chosen.deaths if chosen.deaths else ''} --one {number}: {shown}\n{output[-3000:]}", flush=True)
    for kind, count in kinds.most_common():
        print(f"  {count} times a '{kind}' message")
    print(f"mutant: seed {chosen.seed}, {chosen.runs} runs: {', '.join(f'{count} {outcome}' for outcome, count in outcomes.most_common())}")
    if chosen.runs >= 50 and not kinds:
        sys.exit("mutant.py: nobody was ever named: nothing was changed, or nothing is checked")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()

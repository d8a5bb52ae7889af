#!/usr/bin/env python3
"""The litmus tests of shared memory (test/migrate/litmus.c) for long: litmus.py [--build build/dev] [--rounds 1500]

Every result that the memory model forbids is a failure, with delays and moves of several kinds.
"""
import argparse
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

RUNS = [  # nodes, options, one move in so many steps, how it is cached (SKEIN_CACHE_*), rounds in a thousand
    (4, "shared=remote", 0, 3, 1000),
    (4, "shared=remote", 3, 3, 1000),
    (3, "shared=remote,shared_cache=8K", 4, 3, 1000),
    (3, "shared=remote,net_delay_us=200,seed=3", 4, 3, 300),
    (4, "shared=remote,net_delay_us=1000,seed=5", 2, 3, 60),
    (4, "shared=remote", 3, 2, 1000),
    (3, "shared=remote", 3, 0, 1000),
    (3, "workers=2", 3, 3, 1000),
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build/dev")
    parser.add_argument("--rounds", type=int, default=1500)
    options = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "litmus")
        subprocess.run([f"{options.build}/bin/skeincc", "-O2", f"-I{ROOT}/runtime", f"-I{ROOT}/test/migrate/Inputs",
                        f"{ROOT}/test/migrate/litmus.c", "-o", program], check=True)
        for nodes, knobs, moves, mode, share in RUNS:
            rounds = max(1, options.rounds * share // 1000)
            done = subprocess.run(["env", f"SKEIN_OPTIONS={knobs}", f"{options.build}/bin/skein", "run", "-n", str(nodes),
                                   "--timeout", "1200", program, str(rounds), str(moves), str(mode)],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            last = done.stdout.decode(errors="replace").strip().split("\n")[-1]
            print(f"{nodes} nodes, {knobs}, moves {moves}, mode {mode}, {rounds} rounds: {last}", flush=True)
            if done.returncode or last != "forbidden results: 0":
                wrong += 1
                print(done.stdout.decode(errors="replace"))
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())

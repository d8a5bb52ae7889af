#!/usr/bin/env python3
"""Builds and runs the fuzzer of messages between nodes (node_messages.cpp).

    messages.py [--build build/dev] [--seconds 10] [--save FOLDER] [--node 0|1] [INPUT...]

As node 0 and as node 1 of two in turn, a minute each at most: memory that the peers' deaths leave adds up. At first some
15,000 messages a second, fewer with a grown corpus: 4 millions in eleven minutes on a machine with much else to do. Without address
randomisation, if the system permits; an input that crashed it is kept in FOLDER (default: <build>/test/fuzz) and given again:
`messages.py --node N INPUT`. The seed is today's date or SKEIN_FUZZ_SEED.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--build", default=os.path.join(ROOT, "build", "dev"))
    arguments.add_argument("--seconds", type=int, default=10)
    arguments.add_argument("--save")
    arguments.add_argument("--node", default="0", help="of the inputs that are given")
    arguments.add_argument("inputs", nargs="*")
    chosen = arguments.parse_args()
    build = os.path.abspath(chosen.build)
    made = subprocess.run(["ninja", "-C", build, "fuzz-node-messages"], capture_output=True, text=True, timeout=1200)
    if made.returncode:
        sys.exit(f"messages.py: it does not build\n{made.stdout[-4000:]}")
    save = os.path.abspath(chosen.save or os.path.join(build, "test", "fuzz"))
    os.makedirs(save, exist_ok=True)
    fixed = ["setarch", "-R"] if subprocess.run(["setarch", "-R", "true"], capture_output=True).returncode == 0 else []
    fuzzer = fixed + [os.path.join(build, "test", "fuzz", "fuzz-node-messages")]
    environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0")
    if chosen.inputs:
        sys.exit(subprocess.run(fuzzer + chosen.inputs, env=dict(environment, SKEIN_FUZZ_NODE=chosen.node)).returncode)
    seed = int(os.environ.get("SKEIN_FUZZ_SEED") or time.time() // 86400 * 1000)
    messages, coverage, part = 0, [0, 0], 0
    with tempfile.TemporaryDirectory() as folder:
        left = chosen.seconds
        while left > 0:
            node = str(part % 2)
            corpus = os.path.join(folder, node)
            os.makedirs(corpus, exist_ok=True)
            seconds = min(60, left if chosen.seconds > 60 else (chosen.seconds + 1) // 2)
            command = fuzzer + [f"-max_total_time={seconds}", "-max_len=4000", "-len_control=0", "-detect_leaks=0", f"-seed={seed + part}", "-rss_limit_mb=4000",
                                "-close_fd_mask=2", f"-artifact_prefix={save}/messages-", corpus]
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=seconds + 300,
                                  env=dict(environment, SKEIN_FUZZ_NODE=node))
            if done.returncode:
                print(f"SKEIN_FUZZ_NODE={node} {' '.join(command)}")
                print(done.stderr[-6000:])
                sys.exit(1)
            messages += int(re.search(r"messages: (\d+)", done.stdout)[1])
            coverage[part % 2] = max([coverage[part % 2]] + [int(edges) for edges in re.findall(r"cov: (\d+)", done.stderr)])
            left -= seconds
            part += 1
    if messages < 1000 or min(coverage) < 1000:
        sys.exit(f"messages.py: it hardly ran: {messages} messages, {coverage} edges")
    print(f"messages: seed {seed}, {messages} messages, {coverage[0]} edges covered as node 0, {coverage[1]} as node 1, no crash")


if __name__ == "__main__":
    main()

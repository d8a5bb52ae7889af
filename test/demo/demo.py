#!/usr/bin/env python3
"""What must hold of the demo, as commands that exit 0 if it does.

    demo.py BUILD identical   [options]   the sum has the same bits on 1 and 2 nodes under all strategies, and at
                                        least a quarter of the threads migrated
    demo.py BUILD speed-up    [options]   two nodes are at least 0.9 times as much faster than one as two independent copies side by
                                        side are; the median of 5 pairs
    demo.py BUILD kill NODE   [options]   after kill -9 of a node the run says within 5 s which node died and which threads
                                        were there, ends with a non-zero status, and leaves no process behind

BUILD is the build tree. Every run has one worker a node.
"""
import argparse
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import time

HANG_S = 300


def environment(strategy="auto"):
    image = "same" if strategy == "auto" else "any"
    return dict(os.environ, SKEIN_OPTIONS=f"workers=1,stacks={strategy},image={image}")


def command(options, nodes):
    return [str(options.build / "bin/skein"), "run", "-n", str(nodes), str(options.build / "examples/quadrature"), *options.arguments]


def run(options, nodes, strategy="auto"):
    """Output and wall seconds of one run; anything but success ends the test."""
    start = time.monotonic()
    done = subprocess.run(command(options, nodes), env=environment(strategy), capture_output=True, text=True,
                          timeout=HANG_S)
    elapsed = time.monotonic() - start
    if done.returncode != 0 or done.stderr:
        sys.exit(f"-n {nodes}, stacks={strategy}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout, elapsed


def found(pattern, text):
    match = re.search(pattern, text)
    if not match:
        sys.exit(f"no line like '{pattern}' in\n{text}")
    return match


def bits(output):
    return found(r"result\s+\S+\s+\((-?0x[0-9a-fp.+-]+)\)", output)[1]


def migrations(output):
    """Threads that arrived anywhere, and those that landed, started, at another stack address."""
    match = found(r"migrations (\d+) \((\d+) of started threads to another stack address\)", output)
    return int(match[1]), int(match[2])


def identical(options):
    threads = int(found(r"(\d+) threads on", run(options, 1)[0])[1])
    results = {}
    for strategy in ("relocate", "reserve", "auto"):
        for nodes in (1, 2):
            output, _ = run(options, nodes, strategy)
            results[nodes, strategy] = bits(output)
            moved, elsewhere = migrations(output)
            print(f"-n {nodes} stacks={strategy:8} sum {bits(output)}  {moved} migrations, {elsewhere} to another address")
            if nodes == 2 and moved < threads / 4:
                sys.exit(f"fewer than a quarter of the {threads} threads migrated")
            if nodes == 2 and strategy == "relocate" and elsewhere == 0:
                sys.exit("no started thread landed at another address: nothing was relocated")
            if strategy != "relocate" and elsewhere != 0:
                sys.exit(f"stacks={strategy}: a stack lies at another address")
    if len(set(results.values())) != 1:
        sys.exit("the sums differ")


def two_copies(options):
    """Wall seconds until two independent copies, started together, have both ended."""
    start = time.monotonic()
    copies = [subprocess.Popen(command(options, 1), env=environment(), stdout=subprocess.DEVNULL) for _ in range(2)]
    for copy in copies:
        if copy.wait(timeout=HANG_S) != 0:
            sys.exit("an independent copy failed")
    return time.monotonic() - start


def calibrate(options):
    """Choose the tolerance so that one node has enough to do."""
    tolerance = 1e-5
    given = options.arguments
    while True:
        options.arguments = [*given, "-t", f"{tolerance:g}"]
        seconds = run(options, 1)[1]
        if seconds >= options.seconds:
            print(f"-n 1 with {' '.join(options.arguments)}: {seconds:.2f} s", flush=True)
            return
        tolerance /= 2


def speed_up(options):
    """Work per second: two nodes do the work once, two copies do it twice."""
    calibrate(options)
    ratios = []
    for i in range(options.pairs):
        two, copies = run(options, 2)[1], two_copies(options)
        ratios.append(copies / (2 * two))
        print(f"pair {i + 1}: -n 2 {two:.2f} s, two copies {copies:.2f} s: ratio {ratios[-1]:.3f}", flush=True)
    median = statistics.median(ratios)
    print(f"median ratio {median:.3f} (at least {options.ratio} wanted)")
    if median < options.ratio:
        sys.exit(1)


def nodes_of(launcher, count):
    """Process ids of the nodes, in their order, once all run."""
    for _ in range(200):
        found_pids = {}
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                if parent == launcher and (entry / "exe").readlink().name == "quadrature":
                    found_pids[int(entry.name)] = True
            except (OSError, ValueError):
                continue
        if len(found_pids) == count:
            return sorted(found_pids)
        time.sleep(0.05)
    sys.exit("the nodes did not start")


def kill(options):
    process = subprocess.Popen(command(options, options.nodes), env=environment(), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    pids = nodes_of(process.pid, options.nodes)
    time.sleep(options.after)
    if process.poll() is not None:
        sys.exit("the run was over before the kill: choose a smaller tolerance")
    start = time.monotonic()
    os.kill(pids[options.node], signal.SIGKILL)
    try:
        _, errors = process.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()
        sys.exit("hung after the death of a node")
    elapsed = time.monotonic() - start
    print(f"status {process.returncode} after {elapsed:.3f} s; the survivors said:")
    for line in errors.splitlines()[:12]:
        print("  " + line[:200])
    if elapsed > 5:
        sys.exit("that took more than 5 s")
    if process.returncode == 0:
        sys.exit("the status is 0")
    if not re.search(rf"node {options.node} (was killed|died)", errors):
        sys.exit(f"nobody said that node {options.node} died")
    if not re.search(r"thread", errors):
        sys.exit("nobody said which threads were there")
    left = [pid for pid in pids if pathlib.Path(f"/proc/{pid}").exists()]
    if left:
        sys.exit(f"still there: {left}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("what", choices=["identical", "speed-up", "kill"])
    parser.add_argument("node", type=int, nargs="?", default=1, help="kill: which one")
    parser.add_argument("--nodes", type=int, default=2, help="kill: of how many")
    parser.add_argument("--after", type=float, default=1, help="kill: seconds after the start")
    parser.add_argument("--pairs", type=int, default=5, help="speed-up: how many")
    parser.add_argument("--ratio", type=float, default=0.9, help="speed-up: the least median")
    parser.add_argument("--seconds", type=float, default=5, help="speed-up: least time of -n 1")
    parser.add_argument("--arguments", default="", help="of the demo, e.g. '-f 3 -t 1e-9'")
    options = parser.parse_args()
    options.arguments = options.arguments.split()
    {"identical": identical, "speed-up": speed_up, "kill": kill}[options.what](options)


if __name__ == "__main__":
    main()

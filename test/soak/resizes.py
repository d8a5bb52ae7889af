#!/usr/bin/env python3
"""Has nodes come to runs of resized.c and leave them, in random order, while thousands of threads compute: none may be lost, none
may run twice, and the results are those of one node.

    resizes.py [--build build/dev] [--runs 100] [--threads 10000] [--seed S] [--minutes M] [--keep]

Each run is drawn from its seed: how many nodes it begins with, the transport, knobs, and how it changes. It has one to four nodes at
any time, and both one and four at least once:

    add N       `skein node add N`
    drain       `skein node drain`, of any nodes but node 0
    ask         the program asks for so many nodes (skein_nodes_request): those with the highest numbers leave

What a run must show: every change is done, status 0, the output of a run on one node that nobody changes, no process left. It may
take LIMIT_S; then all its nodes are made to tell which threads wait for what (SIGQUIT), and are killed. A failure prints the command
that repeats it (moments differ, though), and --keep leaves its folder.

What has been done so far is printed once a minute, and at the end, also if a signal or --minutes ends it. The seed is of today,
unless it is given or SKEIN_FUZZ_SEED is set.
"""
import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from kills import processes_of, send
from tries import Tries

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
NODES_MOST = 4
LIMIT_S = 300  # of a run
ROUNDS = 20
KNOBS = {  # what is drawn from, and how often
    "workers": ([1, 1, 2], 1),
    "stacks": (["relocate", "reserve", "shared"], 0.4),
    "image": (["any"], 0.3),
    "policy": ("neighbour local_random global_random gradient bidding".split(), 0.4),
    "bundle": ("fifo lifo".split(), 0.3),
    "steal": (["off"], 0.2),
    "steal_bytes": (["4K", "1M"], 0.3),
    "net_delay_us": ([50, 500], 0.25),
    "message_credits": ([1, 5], 0.2),
    "shared": (["remote"], 0.3),
    "moves": (["lazy"], 0.25),
    "lazy_least": (["4K"], 0.5),
    "park": (["on"], 0.25),
    "deaths": (["survive"], 0.3),
    "slice_ms": ([0, 1], 0.3),
}


class Plan:
    """How one run is started, and changed."""

    def __init__(self, seed):
        draw = self.draw = random.Random(seed)
        self.seed = seed
        self.transport = draw.choice(["shm", "tcp"])
        self.options = ",".join(f"{knob}={draw.choice(values)}" for knob, (values, often) in KNOBS.items() if draw.random() < often)
        self.sizes = [draw.randint(1, NODES_MOST)]
        while len(self.sizes) < 3 or not {1, NODES_MOST} <= set(self.sizes):
            self.sizes.append(draw.choice([size for size in range(1, NODES_MOST + 1) if size != self.sizes[-1]]))
        self.ways = [draw.choice(["command", "command", "ask"]) for _ in self.sizes[1:]]
        self.come = sum(max(0, size - before) for before, size in zip(self.sizes, self.sizes[1:]))  # numbers are not used again
        self.leave = sum(max(0, before - size) for before, size in zip(self.sizes, self.sizes[1:]))

    def __str__(self):
        return f"seed {self.seed}: {self.transport}, {self.options}: {' '.join(map(str, self.sizes))} nodes"


class Course:
    """One run while it goes on."""

    def __init__(self, plan, build, program, threads, place):
        self.plan, self.wrong = plan, []
        self.skein = os.path.join(build, "bin", "skein")
        self.folder = os.path.join(place, f"run-{plan.seed}")
        os.makedirs(self.folder)
        self.lines, self.output, self.words = (os.path.join(self.folder, name) for name in ("lines", "output", "words"))
        open(self.lines, "w").close()
        self.command = [program, str(threads), str(ROUNDS), self.lines]
        self.there, self.next, self.done = list(range(plan.sizes[0])), plan.sizes[0], 0
        self.end = time.monotonic() + LIMIT_S
        with open(self.output, "w") as output, open(self.words, "w") as words:
            self.run = subprocess.Popen([self.skein, "run", "-n", str(plan.sizes[0]), "--max-nodes",
                                         str(plan.sizes[0] + plan.come), "--transport", plan.transport, *self.command],
                                        stdin=subprocess.DEVNULL, stdout=output, stderr=words, start_new_session=True,
                                        env=dict(os.environ, SKEIN_OPTIONS=plan.options))

    def left_s(self):
        return max(1, self.end - time.monotonic())

    def tell(self, line):
        with open(self.lines, "a") as lines:
            lines.write(line + "\n")

    def node(self, *words):
        """`skein node` about this run: (status, its output). The run may not yet be one that can be asked."""
        no_such_run = status = 3
        text = ""
        while status == no_such_run and self.run.poll() is None and time.monotonic() < self.end:
            done = subprocess.run([self.skein, "node", words[0], "--run", str(self.run.pid), "--timeout", f"{self.left_s():.0f}",
                                   *words[1:]], capture_output=True, text=True)
            status, text = done.returncode, done.stdout + done.stderr
        return status, text

    def members(self):
        """Numbers of the nodes that are there; None if the run cannot be asked, or some of them come or leave."""
        status, text = self.node("list", "--json")
        states = {row["node"]: row["state"] for row in map(json.loads, text.splitlines()) if "node" in row} if status == 0 else {}
        there = sorted(node for node, state in states.items() if state == "goes on")
        return there if there and set(states.values()) <= {"goes on", "has left"} else None

    def change(self, size, way):
        """False if it is not done."""
        before, draw = len(self.there), self.plan.draw
        wanted = self.there + list(range(self.next, self.next + size - before))
        gone = draw.sample(self.there[1:], before - size) if size < before and way == "command" else self.there[size:]
        wanted = [number for number in wanted if number not in gone]
        if way == "ask":
            self.tell(f"nodes {size}")
            while self.members() != wanted and self.run.poll() is None and time.monotonic() < self.end:
                time.sleep(0.02)
        else:
            status, text = self.node("add", str(size - before)) if size > before else self.node("drain", *map(str, gone))
            if status:
                self.wrong.append(f"a change from {before} to {size} nodes ends with status {status}: {text}")
                return False
        found = self.members()
        self.next += max(0, size - before)
        self.there = wanted
        if found != wanted:
            self.wrong.append(f"after a change to {size} nodes there are {found}, and not {wanted}")
        return found == wanted

    def begin(self):
        """Waits until all threads are there."""
        while "threads compute" not in read(self.words) and self.run.poll() is None and time.monotonic() < self.end:
            time.sleep(0.005)

    def all(self):
        self.begin()
        for size, way in zip(self.plan.sizes[1:], self.plan.ways):
            time.sleep(self.plan.draw.choice([0, self.plan.draw.uniform(0, 0.3)]))
            if not self.change(size, way):
                break
            self.done += 1
        self.tell("over")
        try:
            if status := self.run.wait(timeout=self.left_s()):
                self.wrong.append(f"its status is {status}")
        except subprocess.TimeoutExpired:
            self.wrong.append(f"it has not ended after {LIMIT_S} s; it has {self.node('list')[1]}")
            for pid in processes_of(self.command[-1]):
                send(pid, signal.SIGQUIT)
            time.sleep(5)
        until = time.monotonic() + 5
        while self.run.poll() is not None and (left := processes_of(self.command[-1])):
            if time.monotonic() > until:
                self.wrong.append(f"processes are left: {left}")
                break
            time.sleep(0.02)

    def kill(self):
        """Whatever of it is left."""
        for pid in [*([self.run.pid] if self.run.poll() is None else []), *processes_of(self.command[-1])]:
            send(pid, signal.SIGKILL)
        self.run.wait()


def read(path):
    with open(path, errors="replace") as file:
        return file.read()


def expected_of(build, program, threads, place):
    lines = os.path.join(place, "over")
    with open(lines, "w") as file:
        file.write("over\n")
    return subprocess.run([os.path.join(build, "bin", "skein"), "run", "-n", "1", program, str(threads), str(ROUNDS), lines],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True, timeout=LIMIT_S).stdout


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    arguments.add_argument("--build", default=os.path.join(ROOT, "build", "dev"))
    arguments.add_argument("--runs", type=int, default=100)
    arguments.add_argument("--threads", type=int, default=10000)
    arguments.add_argument("--seed", type=int)
    arguments.add_argument("--minutes", type=float, help="end after so long, with what has been tried until then")
    arguments.add_argument("--keep", action="store_true", help="leave the folders of runs that fail")
    chosen = arguments.parse_args()
    build = os.path.abspath(chosen.build)
    seed = chosen.seed or int(os.environ.get("SKEIN_FUZZ_SEED") or int(time.time() // 86400) * 1000)
    place = tempfile.mkdtemp(prefix="resizes-")
    program = os.path.join(place, "resized")
    subprocess.run([os.path.join(build, "bin", "skeincc"), "-O2", "-Wno-skein-global", os.path.join(HERE, "resized.c"), "-o", program],
                   check=True)
    came = left = 0
    with Tries("resizes", lambda: f"{came} nodes came and {left} left", chosen.minutes) as tries:
        expected = expected_of(build, program, chosen.threads, place)
        while tries.tries < chosen.runs:
            plan = Plan(seed + tries.tries)
            print(plan, flush=True)
            course = Course(plan, build, program, chosen.threads, place)
            try:
                course.all()
            finally:
                course.kill()
            if (found := read(course.output)) != expected:
                course.wrong.append(f"its output is\n{found}and not\n{expected}")
            if course.wrong:
                print(f"{read(course.words)[-3000:]}resizes: FAILED: {'; '.join(course.wrong)}\n  again: {sys.argv[0]} --build {build} "
                      f"--threads {chosen.threads} --runs 1 --seed {plan.seed}" +
                      (f"; its folder is {course.folder}" if chosen.keep else ""), flush=True)
            else:
                came, left = came + plan.come, left + plan.leave
            if not (course.wrong and chosen.keep):
                shutil.rmtree(course.folder)
            tries.one_more(failed=bool(course.wrong))
    if not (tries.failures and chosen.keep):
        shutil.rmtree(place)
    sys.exit(tries.status)


if __name__ == "__main__":
    main()

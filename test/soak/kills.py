#!/usr/bin/env python3
"""Kills and stops nodes and launchers of runs of kills.c, at random moments from the first fork to the end, and demands what
`skein run` promises: the run is over in time, with no process left, no file of shared memory, and no death by a signal that
nobody sent.

    kills.py [--build build/dev] [--count 300] [--seed S] [--only WORD]

Each try is drawn from its seed: how many nodes, shared memory or TCP, deaths=end or survive, whose run it is (root's, if we are, or
another user's), who is hit, with which signal, and when. What is expected after

    SIGKILL, SIGTERM, SIGINT, SIGHUP to a node     deaths=end, or node 0: all is over within 5 s. Else: 5 s after main's time.
    the same to the launcher                       all is over within 5 s
    SIGSTOP to a node                              the others notice after 3 s (start_s before the begin), and then as above
    SIGSTOP to the launcher                        a run does not end without its launcher. With SIGCONT it goes on and ends well;
                                                   with SIGKILL all is over within 5 s: one of the two is drawn

The seed is of today, unless it is given or SKEIN_FUZZ_SEED is set; a failure prints the command that repeats it.
"""
import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
OTHER_USER = 54321  # nobody else has files of this one
START_S = 4  # what SKEIN_OPTIONS=start_s is set to
LIMIT_S = 5
SILENCE_S = 3 + 1.5
MOMENTS = {"start": (0.0, 0.05), "early": (0.0, 0.3), "middle": (0.1, 0.9), "end": (0.9, 1.2)}
ENDING = [signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP]


class Try:
    """One run, and what befalls it."""

    def __init__(self, seed):
        draw = random.Random(seed)
        self.seed = seed
        self.nodes = draw.choice([2, 3, 3, 4])
        self.transport = draw.choice(["shm", "shm", "tcp"])
        self.survive = draw.random() < 0.5
        self.user = draw.choice([0, OTHER_USER]) if os.getuid() == 0 else os.getuid()
        self.victim = draw.choice([-1] + list(range(self.nodes)))  # -1: the launcher
        self.signal = draw.choice(ENDING + [signal.SIGSTOP])
        self.moment = draw.choice(list(MOMENTS))
        self.after_s = draw.uniform(*MOMENTS[self.moment])
        self.then = draw.choice([signal.SIGCONT, signal.SIGKILL])  # of a launcher that was stopped
        self.options = draw.choice(["", "", "workers=2,", "shared=remote,", "message_credits=100000,", "stacks=reserve,",
                                    "stacks=shared,"])
        self.lasts_s = 1.0

    def __str__(self):
        who = "the launcher" if self.victim < 0 else f"node {self.victim}"
        deaths = "survive" if self.survive else "end"
        what = signal.Signals(self.signal).name + (f" and {signal.Signals(self.then).name}" if self.stops_launcher() else "")
        return (f"seed {self.seed}: -n {self.nodes} --transport {self.transport}, {self.options}deaths={deaths}, uid {self.user}: "
                f"{what} to {who} after {self.after_s * 1000:.0f} ms")

    def stops_launcher(self):
        return self.victim < 0 and self.signal == signal.SIGSTOP

    def may_take_s(self):
        """From the moment it happens."""
        rest = max(0, self.lasts_s - self.after_s)
        if self.victim < 0:
            return LIMIT_S + (rest if self.signal == signal.SIGSTOP and self.then == signal.SIGCONT else 0)
        stop = (max(SILENCE_S, START_S) if self.signal == signal.SIGSTOP else 0)
        # In the beginning a child of the launcher may be the process that forks the nodes, or starts the keeper of their
        # files: they start without it, and the run goes on.
        goes_on = self.survive and self.victim != 0 or self.moment in ("start", "early")
        return LIMIT_S + stop + (rest if goes_on else 0)


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def processes_of(marker):
    """Whoever was started with this word in the command line."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) != os.getpid():
            try:
                with open(f"/proc/{entry}/cmdline", "rb") as file:
                    if marker.encode() in file.read():
                        found.append(int(entry))
            except OSError:
                pass
    return found


def files_of(user, launcher):
    """A run has its files in a folder with its launcher's number; and of the other user all are ours."""
    found = []
    for folder in "/dev/shm", "/tmp":
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            try:
                owner = os.lstat(path).st_uid
            except OSError:
                continue
            if name.startswith(f"skein-{launcher}-") or (user == OTHER_USER and owner == OTHER_USER):
                found.append(path)
    return found


def send(pid, number):
    try:
        os.kill(pid, number)
        return True
    except ProcessLookupError:
        return False


def victim_of(test, run):
    """The process to hit, as soon as it is there; None: the run is over before."""
    if test.victim < 0:
        return run.pid
    while run.poll() is None:
        nodes = children(run.pid)
        if len(nodes) > test.victim:
            return nodes[test.victim]
        time.sleep(0.001)
    return None


def wait(run, seconds):
    try:
        run.wait(timeout=seconds)
        return True
    except subprocess.TimeoutExpired:
        return False


def reachable(path):
    """Whether any user may run what lies there: a tree in root's home is root's alone."""
    return path == "/" or (os.stat(path).st_mode & 0o001 and reachable(os.path.dirname(path)))


def attempt(test, skein, program, place):
    """What is wrong; empty: nothing."""
    options = f"{test.options}deaths={'survive' if test.survive else 'end'},start_s={START_S},seed={test.seed % 1000000}"
    command = [skein, "run", "-n", str(test.nodes), "--transport", test.transport, program, str(int(test.lasts_s * 1000)), str(test.seed)]
    if not reachable(os.path.realpath(skein)):
        test.user = os.getuid()
    identity = {"user": test.user, "group": test.user, "extra_groups": []} if os.getuid() == 0 and test.user else {}
    wrong = []
    marker = f"{program}\0{int(test.lasts_s * 1000)}\0{test.seed}"
    with open(os.path.join(place, "output"), "w+") as output:
        run = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
                               env=dict(os.environ, SKEIN_OPTIONS=options), **identity)
        time.sleep(test.after_s)
        pid = victim_of(test, run)
        nodes = children(run.pid)
        hit = pid is not None and send(pid, test.signal)
        hit_at = time.monotonic()
        if hit and test.stops_launcher():
            hit = not wait(run, 1.5)  # else it was about to end
            send(run.pid, test.then)
            hit_at = time.monotonic()
        limit = test.may_take_s() if hit else LIMIT_S
        if not wait(run, limit + 15):
            states = [f"{each} {state_of(each)}" for each in [run.pid, *nodes]]
            wrong.append(f"it is not over after {limit + 15:.0f} s: {states}")
        elif (took := time.monotonic() - hit_at) > limit:
            wrong.append(f"it took {took:.1f} s")
        for _ in range(100):
            left = processes_of(marker)
            files = [] if left else files_of(test.user, run.pid)
            if not left and not files:
                break
            time.sleep(0.02)
        else:
            wrong.append(f"processes left: {left}, files left: {files}")
        for each in left:
            send(each, signal.SIGKILL)
        run.wait()
        output.seek(0)
        text = output.read()
    wrong += complaints(test, run.returncode, text, hit)
    if wrong:
        print(text, end="")
    return wrong


def state_of(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "gone"


def complaints(test, status, text, hit):
    """Deaths that nobody sent; statuses that nothing explains."""
    wrong = []
    sent = {int(test.signal), int(signal.SIGKILL)} if hit else set()
    for number in set(map(int, re.findall(r"was killed by signal (\d+)", text))):
        if number not in sent:
            wrong.append(f"somebody died of signal {number}, which nobody sent")
    if "this should hold" in text or "ssert" in text:
        wrong.append("an assertion failed")
    number = status - 128 if status > 128 else -status
    allowed = {0, int(test.signal), int(signal.SIGKILL)}
    if test.victim < 0 and test.stops_launcher():
        allowed = {int(test.then), int(signal.SIGKILL)} if test.then == signal.SIGKILL else {0}
    # 70: before the begin, a node gave up with a message because of the death, or the launcher did because of the stop.
    if not (status in (0, 70) or number in allowed):
        wrong.append(f"status {status}")
    if not hit and status != 0:
        wrong.append(f"status {status} though nothing was done")
    return wrong


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    arguments.add_argument("--build", default=os.path.join(ROOT, "build", "dev"))
    arguments.add_argument("--count", type=int, default=300)
    arguments.add_argument("--seed", type=int)
    arguments.add_argument("--only", default="", help="a word of a try's description, such as tcp or SIGSTOP")
    chosen = arguments.parse_args()
    build = os.path.abspath(chosen.build)
    seed = chosen.seed or int(os.environ.get("SKEIN_FUZZ_SEED") or int(time.time() // 86400) * 1000)
    failures = 0
    with tempfile.TemporaryDirectory(prefix="kills-", dir="/tmp") as place:
        os.chmod(place, 0o755)
        program = os.path.join(place, "kills")
        subprocess.run([os.path.join(build, "bin", "skeincc"), "-O2", os.path.join(HERE, "kills.c"), "-o", program], check=True)
        done = 0
        while done < chosen.count:
            test, seed = Try(seed), seed + 1
            if chosen.only not in str(test):
                continue
            done += 1
            print(test, flush=True)
            wrong = attempt(test, os.path.join(build, "bin", "skein"), program, place)
            if wrong:
                failures += 1
                print(f"kills: FAILED: {'; '.join(wrong)}\n  again: {sys.argv[0]} --count 1 --seed {test.seed}", flush=True)
    print(f"kills: {done} kills and stops, {failures} failures", flush=True)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Kills nodes and launchers of runs that make checkpoints, at random moments, and demands what deaths=recover and `skein restart`
promise: the run ends well, and has written exactly what a run without deaths writes.

    checkpoint_kills.py [--build build/dev] [--kills 1000] [--seed S] [--only WORD] [--minutes M] [--keep]

Each try is a run, drawn from its seed: which program, how many nodes and workers, and some blows, one after the other:

    node        SIGKILL to any node, node 0 too, at any moment
    twice       the same, and once more while the run goes back to its checkpoint
    checkpoint  to a node, while a checkpoint is made: from its first file to some moments after its end
    writer      to a process that writes a node's copy; the checkpoint is given up
    join        to a node, while another one joins
    drain       to a node, while one leaves
    launcher    SIGKILL to the launcher; all nodes must end; then `skein restart`, whose output is appended

What a try must show: status 0; the output, and the file that the program has written, byte for byte those of a run of the same
program that nobody has disturbed; no process left; no file of a checkpoint that is not complete. `--kills` counts blows that have
hit. A failure prints the command that repeats it (moments differ, though), and --keep leaves its folder. What has been done so far is
printed once a minute, and at the end, also if a signal or --minutes ends it.
"""
import argparse
import dataclasses
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from kills import children, processes_of, send
from tries import Tries

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
LIMIT_S = 240  # of a try


@dataclasses.dataclass(frozen=True)
class Program:
    """`arguments` for a run of some seconds; FILE stands for a file that it writes. `grows`: what it writes does not depend on
    the number of nodes that come and go. `options` are those that it needs."""
    name: str
    arguments: tuple
    grows: bool = False
    options: str = ""
    hidden: str = r"(?!)"  # what differs from run to run

    def command(self, build, place, file):
        path = os.path.join(place, self.name) if os.path.exists(os.path.join(HERE, self.name + ".c")) else \
            os.path.join(build, "examples", self.name)
        return [path, *(file if word == "FILE" else word for word in self.arguments)]


PROGRAMS = [
    Program("remembers", ("700", "FILE"), options="steal=off,"),
    Program("remembers", ("700", "FILE"), options="steal=off,"),
    Program("pagerank", ("30000", "400"), hidden=r"\d+\.\d+ s"),
    Program("nbody", ("12", "40", "2"), hidden=r"\d+\.\d+ s"),
    Program("channels", ("6",), grows=True, hidden=r"\d+ (nodes|rounds|messages|of victims|pushes)"),
    Program("medley", ("6",), hidden=r"\d+ (rounds|threads acted|times)|acted \d+"),
]
BLOWS = ["node", "node", "node", "twice", "checkpoint", "checkpoint", "writer", "join", "drain", "launcher"]


class Try:
    def __init__(self, seed):
        draw = self.draw = random.Random(seed)
        self.seed = seed
        self.program = draw.choice(PROGRAMS)
        self.nodes = draw.choice([1, 2, 3, 3, 4])
        self.workers = draw.choice([1, 1, 2])
        allowed = [blow for blow in BLOWS if self.program.grows or blow not in ("join", "drain")]
        self.blows = [draw.choice(allowed) for _ in range(draw.randint(1, 5))]

    def __str__(self):
        return (f"seed {self.seed}: {' '.join([self.program.name, *self.program.arguments])}, -n {self.nodes}, "
                f"workers={self.workers}: {', '.join(self.blows)}")

    def options(self, deaths):
        return f"{self.program.options}workers={self.workers},deaths={deaths},seed={self.seed % 1000000}"


class Course:
    """One try while it goes on."""

    def __init__(self, test, build, place):
        self.test, self.build, self.place = test, build, place
        self.skein = os.path.join(build, "bin", "skein")
        self.folder = os.path.join(place, f"try-{test.seed}")
        os.makedirs(self.folder)
        self.checkpoints = os.path.join(self.folder, "checkpoints")
        self.file = os.path.join(self.folder, "file")
        self.output, self.words = os.path.join(self.folder, "output"), os.path.join(self.folder, "words")
        self.command = test.program.command(build, place, self.file)
        self.hits, self.anew, self.wrong, self.end = 0, 0, [], time.monotonic() + LIMIT_S
        self.start()

    def launch(self, arguments, append):
        with open(self.output, "a" if append else "w") as output, open(self.words, "a") as words:
            self.run = subprocess.Popen([self.skein, *arguments], stdin=subprocess.DEVNULL, stdout=output, stderr=words,
                                        start_new_session=True, env=dict(os.environ, SKEIN_OPTIONS=self.test.options("recover")))

    def start(self):
        shutil.rmtree(self.checkpoints, ignore_errors=True)
        more = ["--max-nodes", str(self.test.nodes + 4)] if self.test.program.grows else []
        self.launch(["run", "-n", str(self.test.nodes), *more, "--checkpoint", self.checkpoints, "--every", "1s", "--recoveries",
                     "20", *self.command], append=False)

    def restart(self):
        """After the launcher's death: its nodes end by themselves."""
        until = time.monotonic() + 10
        while left := processes_of(self.command[0] + "\0"):
            if time.monotonic() > until:
                self.wrong.append(f"the launcher is dead, and after 10 s there are processes of its nodes: {left}")
                return
            time.sleep(0.02)
        if self.complete():
            self.launch(["restart", self.checkpoints, "--recoveries", "20"], append=True)
        else:  # there was none yet
            self.start()
            self.anew += 1

    def sleep(self, seconds):
        """False if the run has ended meanwhile."""
        until = min(time.monotonic() + seconds, self.end)
        while self.run.poll() is None and time.monotonic() < until:
            time.sleep(min(0.02, max(0.0005, until - time.monotonic())))
        return self.run.poll() is None

    def hit(self, pids):
        draw = self.test.draw
        if self.run.poll() is None and pids and send(draw.choice(sorted(pids)), signal.SIGKILL):
            self.hits += 1

    def nodes(self):
        """Its processes that run the program, and, while they start, the one that forks them; not those that write copies."""
        return [pid for pid in children(self.run.pid) if runs(pid, self.command[0])]

    def writers(self):
        return [pid for node in self.nodes() for pid in children(node)]

    def wait_for(self, condition, seconds=3):
        until = min(time.monotonic() + seconds, self.end)
        while self.run.poll() is None and time.monotonic() < until:
            if found := condition():
                return found
            time.sleep(0.001)
        return None

    def names(self):
        try:
            return os.listdir(self.checkpoints)
        except OSError:
            return []

    def part(self):
        return [name for name in self.names() if name.endswith(".part")]

    def complete(self):
        return [name for name in self.names() if name.isdigit()]

    def change(self, *words):
        return subprocess.Popen([self.skein, "node", *words, "--run", str(self.run.pid)], stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)

    def blow(self, which):
        draw = self.test.draw
        if which == "launcher":
            self.hits += send(self.run.pid, signal.SIGKILL)
            self.run.wait()
            self.restart()
        elif which == "writer":
            self.hit(self.wait_for(self.writers))
        elif which == "checkpoint":
            self.wait_for(self.part)
            self.sleep(draw.choice([0, draw.uniform(0, 0.05), draw.uniform(0, 0.5)]))
            self.hit(self.nodes())
        elif which in ("join", "drain"):
            changes = self.change("add", "1") if which == "join" else self.change("drain", str(draw.randrange(self.test.nodes)))
            self.sleep(draw.uniform(0, 0.3))
            self.hit(self.nodes())
            changes.kill() if draw.random() < 0.3 else None
            changes.wait()
        else:
            self.hit(self.nodes())
            if which == "twice":
                self.sleep(draw.choice([draw.uniform(0, 0.05), draw.uniform(0, 0.4)]))
                self.hit(self.nodes())

    def all(self):
        for which in self.test.blows:
            if self.test.draw.random() < 0.7:  # else, perhaps, there is none to go back to
                self.wait_for(self.complete, 10)
            if not self.sleep(self.test.draw.uniform(0.02, 2.5)):
                break
            self.blow(which)
        try:
            status = self.run.wait(timeout=max(1, self.end - time.monotonic()))
        except subprocess.TimeoutExpired:
            states = subprocess.run(["ps", "-o", "pid,ppid,stat,wchan:20,args", "--forest", "-g", str(os.getpgid(self.run.pid))],
                                    capture_output=True, text=True).stdout
            self.wrong.append(f"it has not ended after {LIMIT_S} s\n{states}")
            status = None
            os.killpg(self.run.pid, signal.SIGKILL)
            self.run.wait()
        if status:
            self.wrong.append(f"its status is {status}")
        self.look_at_processes()
        if status is not None and self.part():
            self.wrong.append(f"half a checkpoint is left: {self.part()}")

    def kill(self):
        """Whatever of it is left."""
        for pid in [*([self.run.pid] if self.run.poll() is None else []), *processes_of(self.command[0] + "\0")]:
            send(pid, signal.SIGKILL)
        self.run.wait()

    def look_at_processes(self):
        until = time.monotonic() + 5
        while left := processes_of(self.command[0] + "\0"):
            if time.monotonic() > until:
                self.wrong.append(f"processes are left: {left}")
                for pid in left:
                    send(pid, signal.SIGKILL)
                return
            time.sleep(0.02)

    def compare(self, expected):
        for what, path, right in (("output", self.output, expected[0]), ("file", self.file, expected[1])):
            found = read(path)
            if what == "output":
                found = re.sub(self.test.program.hidden, "…", found)
            if found != right:
                self.wrong.append(f"its {what} differs: {first_difference(found, right)}")


def runs(pid, program):
    try:
        return os.path.samefile(f"/proc/{pid}/exe", program)
    except OSError:
        return False


def read(path):
    try:
        with open(path, errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def first_difference(found, right):
    one, other = found.splitlines(), right.splitlines()
    for number, (a, b) in enumerate(zip(one, other), 1):
        if a != b:
            return f"line {number} is '{a[:200]}', and not '{b[:200]}'"
    return f"it has {len(one)} lines, and not {len(other)}: '{(one or [''])[-1][:200]}'"


class Expectations:
    """What a program writes on so many nodes if nobody disturbs it; taken once each."""

    def __init__(self, build, place):
        self.build, self.place, self.known = build, place, {}

    def of(self, test):
        key = (test.program, test.nodes)
        if key not in self.known:
            file = os.path.join(self.place, "expected")
            if os.path.exists(file):
                os.remove(file)
            done = subprocess.run([os.path.join(self.build, "bin", "skein"), "run", "-n", str(test.nodes), "--transport", "tcp",
                                   *test.program.command(self.build, self.place, file)], capture_output=True, text=True,
                                  env=dict(os.environ, SKEIN_OPTIONS=test.options("end")), timeout=LIMIT_S)
            if done.returncode:
                sys.exit(f"checkpoint_kills: {test.program.name} fails by itself, with status {done.returncode}: {done.stderr}")
            self.known[key] = re.sub(test.program.hidden, "…", done.stdout), read(file)
        return self.known[key]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    arguments.add_argument("--build", default=os.path.join(ROOT, "build", "dev"))
    arguments.add_argument("--kills", type=int, default=1000)
    arguments.add_argument("--seed", type=int)
    arguments.add_argument("--only", default="", help="words of a try's description, such as 'remembers' or 'launcher', joined by commas")
    arguments.add_argument("--minutes", type=float, help="end after so long, with what has been tried until then")
    arguments.add_argument("--keep", action="store_true", help="leave the folders of tries that fail")
    chosen = arguments.parse_args()
    build = os.path.abspath(chosen.build)
    seed = chosen.seed or int(os.environ.get("SKEIN_FUZZ_SEED") or int(time.time() // 86400) * 1000)
    kills = backs = beginnings = 0
    place = tempfile.mkdtemp(prefix="checkpoint-kills-")
    for name in sorted({program.name for program in PROGRAMS}):
        if os.path.exists(source := os.path.join(HERE, name + ".c")):
            subprocess.run([os.path.join(build, "bin", "skeincc"), "-O2", "-Wno-skein-global", "-Wno-skein-held-lock", "-Wno-skein-pinned", source, "-o",
                            os.path.join(place, name)], check=True)
    expectations = Expectations(build, place)

    def summary():
        return f"{kills} kills, after which runs went back to a checkpoint {backs} times, and began anew {beginnings} times"

    with Tries("checkpoint_kills", summary, chosen.minutes) as tries:
        while kills < chosen.kills:
            test, seed = Try(seed), seed + 1
            if not all(word in str(test) for word in chosen.only.split(",")):
                continue
            expected = expectations.of(test)
            print(test, flush=True)
            course = Course(test, build, place)
            try:
                course.all()
            finally:
                course.kill()
            course.compare(expected)
            kills += course.hits
            words = read(course.words)
            backs += len(re.findall("the run goes (?:back to|on from) checkpoint", words))
            beginnings += words.count("starts again from its beginning") + course.anew
            if course.wrong:
                print(words[-3000:] + f"checkpoint_kills: FAILED: {'; '.join(course.wrong)}\n  again: {sys.argv[0]} --kills 1 "
                      f"--seed {test.seed}" + (f"; its folder is {course.folder}" if chosen.keep else ""), flush=True)
            if not (course.wrong and chosen.keep):
                shutil.rmtree(course.folder)
            tries.one_more(failed=bool(course.wrong))
    if not (tries.failures and chosen.keep):
        shutil.rmtree(place)
    if tries.status == 0 and backs < kills // 5:
        sys.exit("checkpoint_kills: too few of them had a checkpoint to go back to")
    sys.exit(tries.status)


if __name__ == "__main__":
    main()

"""checkpoint.py skein program folder scenario…: runs of a program that prints N lines, which are interrupted."""
import os
import random
import signal
import subprocess
import sys
import time

skein, program, folder, *scenarios = sys.argv[1:]


class Run:
    def __init__(self, name, numbers, *options, knobs=""):
        print(f"-- {name}", flush=True)
        self.numbers = numbers
        self.dir, self.out = f"{folder}/{name}", f"{folder}/{name}.out"
        self.start("run", "--checkpoint", self.dir, *options, program, str(numbers), knobs=knobs)

    def start(self, *words, knobs=""):
        with open(self.out, "a") as out:
            self.process = subprocess.Popen([skein, *words], stdout=out, env=dict(os.environ, SKEIN_OPTIONS=knobs))

    def ask(self, command, *words):
        done = subprocess.run([skein, command, str(self.process.pid), *words], capture_output=True, text=True)
        for line in done.stdout.splitlines():
            if "checkpoint" in line and "skein run" not in line and "skein restart" not in line:
                print(line if words else line.replace(self.dir, "DIR"), flush=True)

    def wait_until_it_answers(self):
        for _ in range(200):
            if subprocess.run([skein, "status", str(self.process.pid)], capture_output=True).returncode == 0:
                return
            time.sleep(0.05)
        sys.exit("the run does not answer")

    def kill(self):
        self.process.kill()
        self.process.wait()

    @staticmethod
    def children(parents, begins):
        """Those whose command line begins so."""
        found = []
        for name in os.listdir("/proc"):
            try:
                with open(f"/proc/{name}/stat") as stat, open(f"/proc/{name}/cmdline") as words:
                    if (int(stat.read().rsplit(")", 1)[1].split()[1]) in parents and
                            words.read().split("\0")[:len(begins)] == begins):
                        found.append(int(name))
            except (OSError, ValueError, IndexError):
                pass
        return found

    def nodes(self):
        """Those on the launcher's host."""
        return self.children([self.process.pid], [program])

    def agents(self):
        carriers = self.children([self.process.pid], [])
        return self.children([self.process.pid, *carriers], [os.path.realpath(skein), "agent"])

    def wait_for_checkpoint(self, number):
        for _ in range(400):
            if os.path.exists(f"{self.dir}/{number}/manifest.json"):
                return
            time.sleep(0.05)
        sys.exit(f"there is no checkpoint {number}")

    def end(self):
        status = self.process.wait(timeout=120)
        total, expected = 0, []
        for i in range(1, self.numbers + 1):
            total += sum(j * j for j in range(1, i + 1)) + sum(j * j for j in range(1, 2 * i + 1))
            expected.append(f"{i} {total}")
        with open(self.out) as out:
            lines = out.read().splitlines()
        print(f"status {status}, output", "whole and once" if lines == expected else lines, flush=True)


def by_hand():
    run = Run("by_hand", 60, "-n", "2", "--max-nodes", "4")
    run.wait_until_it_answers()
    run.ask("status")
    run.ask("checkpoint")
    run.ask("status")
    run.ask("status", "--json")
    time.sleep(0.5)
    run.kill()
    run.start("restart", run.dir, "-n", "4")
    run.wait_until_it_answers()
    run.ask("status")
    for _ in range(200):
        if len(run.nodes()) == 4:
            break
        time.sleep(0.02)
    print("nodes:", len(run.nodes()), flush=True)
    run.end()


def recovers():
    seed = random.randrange(1 << 30)
    print("seed", seed)
    chance = random.Random(seed)
    run = Run("recovers", 150, "-n", "3", "--every", "1s", "--recoveries", "100", "--timeout", "100", knobs="deaths=recover")
    until = time.monotonic() + 8
    while time.monotonic() < until:
        time.sleep(chance.random() * 2)
        if nodes := run.nodes():
            try:
                os.kill(chance.choice(nodes), signal.SIGKILL)
            except ProcessLookupError:
                pass
    run.end()


def hosts():
    """Nodes on several hosts, all of them this one (ssh_here.sh). A host is lost, too; then the run goes on without it."""
    ssh = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ssh_here.sh")
    run = Run("hosts", 120, "--ssh", ssh, "--network", "127.0.0.0/8", "--hosts", "localhost:1,one:1,two:1", "--every", "1s",
              "--timeout", "100", knobs="deaths=recover")
    run.wait_for_checkpoint(1)
    os.kill(run.nodes()[0], signal.SIGKILL)  # node 0
    run.wait_for_checkpoint(3)
    os.kill(run.agents()[0], signal.SIGKILL)
    run.wait_for_checkpoint(4)
    run.kill()
    run.start("restart", run.dir, "--hosts", "three:2,localhost:1", knobs="deaths=recover")
    run.end()


for scenario in scenarios:
    globals()[scenario]()

"""stopped.py skein program: stops nodes of runs, all runs at once, and prints for each how it ended and its last word on that."""
import os
import re
import signal
import subprocess
import sys
import threading
import time

skein, program = sys.argv[1:]


class Run:
    def __init__(self, nodes, options):
        # A group of its own, as a shell gives each job; in our session, since nobody can stop a group without a shell.
        self.process = subprocess.Popen([skein, "run", "-n", str(nodes), "--timeout", "40", program], text=True, process_group=0,
                                        env=dict(os.environ, SKEIN_OPTIONS=options), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.nodes, self.text = {}, ""
        while len(self.nodes) < nodes:
            self.read_line()

    def read_line(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"the run has ended: {self.text}")
        self.text += line
        if found := re.search(r"node (\d+): process (\d+)", line):
            self.nodes[int(found[1])] = int(found[2])

    def lose(self, node):
        os.kill(self.nodes[node], signal.SIGKILL)
        while f"skein run: node {node} was killed" not in self.text:
            self.read_line()

    def stop(self, *nodes):
        for node in nodes:
            os.kill(self.nodes[node], signal.SIGSTOP)

    def wake(self, *nodes):
        for node in nodes:
            os.kill(self.nodes[node], signal.SIGCONT)


def last(run):
    run.lose(1)
    run.stop(0)


def all_stop(run):
    run.stop(0, 1)


def sleeps(run):
    run.lose(1)


def job(run):
    """A shell's ^Z and fg, twice: what stands for less than the nodes' patience between two looks does not add up, either."""
    for seconds in 5, 2:
        os.killpg(run.process.pid, signal.SIGTSTP)
        time.sleep(seconds)
        os.killpg(run.process.pid, signal.SIGCONT)
        time.sleep(0.3)


def debugged(run):
    run.stop(0, 1)
    time.sleep(6)
    run.wake(0, 1)


def alone(run):
    run.stop(0)
    time.sleep(6)
    run.wake(0)


CASES = [("last", last, 2, "deaths=survive"), ("all", all_stop, 2, ""), ("sleeps", sleeps, 2, "deaths=survive"), ("job", job, 2, ""),
         ("debugged", debugged, 2, "heartbeat_ms=0"), ("alone", alone, 1, "")]
results = {}


def attempt(name, happens, nodes, options):
    run = Run(nodes, options)
    happens(run)
    rest, _ = run.process.communicate()
    words = [line for line in (run.text + rest).splitlines() if "is stopped, and" in line or "main is through" in line]
    results[name] = f"{name}: status {run.process.returncode}: {words[0] if words else run.text + rest}"


threads = [threading.Thread(target=attempt, args=case) for case in CASES]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for name, *_ in CASES:
    print(results.get(name, f"{name}: nothing"))

"""signals.py skein: signals sent to `skein run` reach every node, a second request to stop kills, and killing the launcher leaves no
node behind."""
import os
import signal
import subprocess
import sys
import time

skein = sys.argv[1]
SCRIPT = r"""
import os, signal, sys, time
def told(number, frame):
    os.write(1, f"node got {signal.Signals(number).name}\n".encode())
    if number == signal.SIGTERM and "stubborn" not in sys.argv: sys.exit(0)
for name in "SIGUSR1", "SIGUSR2", "SIGHUP", "SIGTERM": signal.signal(getattr(signal, name), told)
print("ready", os.getpid(), flush=True)
while True: time.sleep(0.05)
"""


def start(*arguments):
    run = subprocess.Popen([skein, "run", "-n", "2", sys.executable, "-c", SCRIPT, *arguments], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True,
                           process_group=0)  # of a session: in an orphaned group nobody stops
    return run, [int(run.stdout.readline().split()[1]) for _ in range(2)]


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def demand(condition, what):
    if not condition:
        sys.exit(what)


run, nodes = start()
for name in "SIGUSR1", "SIGUSR2":
    os.kill(run.pid, getattr(signal, name))
    lines = sorted(run.stdout.readline() for _ in range(2))
    demand(lines == [f"node got {name}\n"] * 2, f"{name}: {lines}")
os.kill(run.pid, signal.SIGTSTP)
for _ in range(100):  # on a busy machine it takes a while
    states = [open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0] for pid in [run.pid, *nodes]]
    if states == ["T"] * 3:
        break
    time.sleep(0.1)
demand(states == ["T"] * 3, f"not stopped: {states}")
os.kill(run.pid, signal.SIGCONT)
os.kill(run.pid, signal.SIGTERM)
lines = sorted(run.stdout.readline() for _ in range(2))
demand(lines == ["node got SIGTERM\n"] * 2, f"after SIGCONT: {lines}")
demand(run.wait(timeout=10) == 0, f"status {run.returncode}")

run, nodes = start("stubborn")
os.kill(run.pid, signal.SIGTERM)
time.sleep(0.3)
demand(run.poll() is None, "ended though the nodes went on")
os.kill(run.pid, signal.SIGTERM)
demand(run.wait(timeout=5) == 137, f"status {run.returncode} after the second request")

run, nodes = start()
os.kill(run.pid, signal.SIGKILL)
run.wait()
for _ in range(50):
    if not any(alive(pid) for pid in nodes):
        break
    time.sleep(0.1)
demand(not any(alive(pid) for pid in nodes), "orphans")

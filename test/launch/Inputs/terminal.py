"""terminal.py skein program: a run does not survive its terminal, neither as the leader of the session nor as the job of a shell,
and a node that gets a SIGHUP of its own dies of it; but whoever wants SIGHUP ignored (nohup) gets that."""
import os
import pty
import signal
import subprocess
import sys
import time

skein, program = sys.argv[1:]
RUN = [skein, "run", "-n", "3", program]
NODES = 3  # children of `skein run` once the processes that started them have ended


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(word) for word in file.read().split()]


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_for(condition, what, seconds=10):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            sys.exit(what)
        time.sleep(0.02)


def run_below(pid):
    """The process `skein run`, which may be `pid` or a child of it."""
    for candidate in [pid, *children(pid)]:
        with open(f"/proc/{candidate}/comm") as file:
            if file.read().strip() == "skein":
                return candidate
    return 0


def hang_up(command):
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp(command[0], command)
    output = b""
    while output.count(b"here") < 1:
        output += os.read(terminal, 4096)
    run = run_below(pid)
    wait_for(lambda: len(children(run)) == NODES, f"{command}: not only the nodes are there")
    processes = [pid, run, *children(run)]
    os.close(terminal)
    reaped = []
    def over():
        if not reaped and os.waitpid(pid, os.WNOHANG)[0]:
            reaped.append(pid)
        return reaped and not any(alive(process) for process in processes[1:])
    wait_for(over, f"{command}: survived its terminal")


hang_up(RUN)
hang_up(["bash", "-i", "-c", " ".join(RUN) + "; true"])

run = subprocess.Popen(RUN, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
run.stdout.readline()
wait_for(lambda: len(children(run.pid)) == NODES, "not only the nodes are there")
os.kill(children(run.pid)[1], signal.SIGHUP)
rest, _ = run.communicate(timeout=10)
if run.returncode != 128 + signal.SIGHUP or "node 1 was killed by signal 1" not in rest:
    sys.exit(f"status {run.returncode} after a hangup of node 1: {rest}")

run = subprocess.Popen(["nohup", *RUN], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
while "here" not in run.stdout.readline():
    pass
for _ in range(3):
    os.kill(run.pid, signal.SIGHUP)
    time.sleep(0.1)
if run.poll() is not None:
    sys.exit("nohup does not help")
run.terminate()
if run.wait(timeout=10) != 128 + signal.SIGTERM:
    sys.exit(f"status {run.returncode} after SIGTERM")

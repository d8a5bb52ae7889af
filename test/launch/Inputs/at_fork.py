"""at_fork.py skein program: kills and stops each process of a run at each moment of the start that others may depend on, with the
precision of a debugger: before its first instruction, and when it has forked another, before it can tell anybody. Prints what
becomes of the run, and demands that it is over in time, with no process and no file left.

    launcher -> between -> keeper (run_folder.h)
    launcher -> nursery -> node 0, node 1, node 2 (launch/start_fork.cpp)
"""
import ctypes
import glob
import multiprocessing
import os
import signal
import sys
import tempfile
import time

SEIZE, CONT, DETACH, MESSAGE = 0x4206, 7, 17, 0x4201
TRACE_FORKS, FORKED, STARTS = 2, 1, 128
ALL = 0x40000000
LIMIT_S = 24
FORKS = {"launcher": ["between", "nursery"], "between": ["keeper"], "nursery": ["node 0", "node 1", "node 2"]}

ptrace = ctypes.CDLL(None, use_errno=True).ptrace
ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


class Run:
    """`victim` gets the signal when it has forked for the `at`th time; 0: when it starts."""

    def __init__(self, victim, at, number, command, output):
        self.victim, self.at, self.number = victim, at, number
        self.status = self.hit_at = None
        self.forks, self.nameless = {}, set()
        go, gone = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
            os.close(gone)
            os.read(go, 1)
            os.execv(command[0], command)
        self.names = {self.pid: "launcher"}
        if ptrace(SEIZE, self.pid, None, TRACE_FORKS) != 0:
            os.kill(self.pid, signal.SIGKILL)
            sys.exit("ptrace is not permitted here")
        os.close(gone)
        os.close(go)

    def go_on(self, pid, at):
        """It goes on by itself once nothing of interest can come."""
        name = self.names[pid]
        hit = (name, at) == (self.victim, self.at)
        if hit:
            os.kill(pid, self.number)
            self.hit_at = time.monotonic()
        ptrace(DETACH if hit or at == len(FORKS.get(name, [])) else CONT, pid, None, None)

    def step(self):
        """False: nothing has happened."""
        while self.nameless and self.status is not None:  # its parent was killed with the news
            ptrace(DETACH, self.nameless.pop(), None, None)
        try:
            pid, status = os.waitpid(-1, ALL | os.WNOHANG)
        except ChildProcessError:
            return False
        if pid == 0:
            return False
        if not os.WIFSTOPPED(status):
            if pid == self.pid:
                self.status = os.waitstatus_to_exitcode(status)
        elif status >> 16 == STARTS:
            if pid in self.names:
                self.go_on(pid, 0)
            else:
                self.nameless.add(pid)  # its parent is about to tell us
        elif status >> 16 == FORKED:
            child = ctypes.c_ulong()
            if ptrace(MESSAGE, pid, None, ctypes.addressof(child)) != 0:
                return True  # it was killed meanwhile
            at = self.forks[pid] = self.forks.get(pid, 0) + 1
            self.names[child.value] = FORKS[self.names[pid]][at - 1]
            if child.value in self.nameless:
                self.nameless.remove(child.value)
                self.go_on(child.value, 0)
            self.go_on(pid, at)
        else:
            ptrace(CONT, pid, None, os.WSTOPSIG(status))
        return True


def processes_of(marker):
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


def state_of(pid):
    try:
        with open(f"/proc/{pid}/status") as file:
            return " ".join(line.split()[1] for line in file if line.startswith(("Name:", "State:", "TracerPid:")))
    except OSError:
        return "gone"


def leftovers(run, marker):
    return processes_of(marker) + glob.glob(f"/dev/shm/skein-{run.pid}-*") + glob.glob(f"/tmp/skein-{run.pid}-*")


def attempt(victim, at, number, skein, program):
    marker = f"at-fork-{os.getpid()}-{time.monotonic_ns()}"
    with tempfile.TemporaryFile("w+") as output:
        run = Run(victim, at, number, [skein, "run", "-n", "3", program, marker], output)
        limit = time.monotonic() + LIMIT_S
        while time.monotonic() < limit and (run.status is None or leftovers(run, marker)):
            while run.step():
                pass
            time.sleep(0.005)
        left = [f"{each} {state_of(each)}" if isinstance(each, int) else each for each in leftovers(run, marker)]
        for pid in processes_of(marker):
            os.kill(pid, signal.SIGKILL)
        if run.status is None:
            os.waitpid(run.pid, 0)
        output.seek(0)
        said = "; ".join(line.strip() for line in output)
    when = f"{victim} {f'at fork {at}' if at else 'at its start'} {signal.Signals(number).name}"
    missed = "" if run.hit_at else "; NOT HIT"
    return f"{when}: status {run.status}: {said}{f'; LEFT: {left}' if left else ''}{missed}"


def main():
    skein, program = sys.argv[1:]
    os.environ["SKEIN_OPTIONS"] = "deaths=survive,start_s=6"
    tries = []
    for victim in ["launcher", "between", "keeper", "nursery", "node 0", "node 1", "node 2"]:
        for at in range(len(FORKS.get(victim, [])) + 1):
            for number in [signal.SIGKILL] + ([signal.SIGSTOP] if victim != "launcher" else []):
                if (victim, at) != ("launcher", 0):  # nothing is there yet
                    tries.append((victim, at, number, skein, program))
    with multiprocessing.Pool(6) as pool:
        for became in pool.starmap(attempt, tries, chunksize=1):
            print(became)


if __name__ == "__main__":
    main()

"""files.py skein program: files of shared memory that nodes leave behind are removed with their run: when its nodes are killed, when
the launcher is, and when all of them are at once; and those of another run stay."""
import glob
import os
import signal
import subprocess
import sys
import time

skein, program = sys.argv[1:]


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(word) for word in file.read().split()]


def folder_of(run):
    folders = glob.glob(f"/dev/shm/skein-{run.pid}-*") + glob.glob(f"/tmp/skein-{run.pid}-*")
    if len(folders) != 1:
        sys.exit(f"the run has these folders: {folders}")
    return folders[0]


def start():
    """A run with a file that a node has left behind, as one that is killed while UCX makes its queue does."""
    run = subprocess.Popen([skein, "run", "-n", "3", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                           start_new_session=True)
    run.stdout.readline()
    folder = folder_of(run)
    with open(os.path.join(folder, "ucx_shm_posix_0"), "w") as file:
        file.write("left behind")
    return run, folder


def wait_for(condition, what):
    deadline = time.monotonic() + 10
    while not condition():
        if time.monotonic() > deadline:
            sys.exit(what)
        time.sleep(0.01)


other, others_folder = start()
for name, kill in {
        "a node": lambda run: os.kill(children(run.pid)[1], signal.SIGKILL),
        "the launcher": lambda run: os.kill(run.pid, signal.SIGKILL),
        "all of them": lambda run: os.killpg(run.pid, signal.SIGKILL),
}.items():
    run, folder = start()
    nodes = children(run.pid)
    kill(run)
    run.wait(timeout=10)
    wait_for(lambda: not os.path.exists(folder), f"{folder} is still there after a kill of {name}")
    wait_for(lambda: not any(os.path.exists(f"/proc/{node}") for node in nodes), f"nodes are still there after a kill of {name}")
if not os.path.exists(os.path.join(others_folder, "ucx_shm_posix_0")):
    sys.exit("the folder of another run has gone, too")
other.terminate()
other.wait(timeout=10)
wait_for(lambda: not os.path.exists(others_folder), f"{others_folder} is still there after the end")

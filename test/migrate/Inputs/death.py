"""death.py [--survive|--stands] command…: starts a run, kills the process of node 1 when the program says so, and demands
that everything is over within 5 s, with status 137 (0 with --survive, 70 with --stands) and no process left."""
import json
import os
import subprocess
import sys
import time


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(word) for word in file.read().split()]


statuses = {"--survive": 0, "--stands": 70}
status = statuses.get(sys.argv[1], 137)
run = subprocess.Popen(sys.argv[1 + (sys.argv[1] in statuses):], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
for line in run.stdout:
    print(line, end="")
    if line.startswith("kill node 1 now"):
        break
else:
    sys.exit("the program ended too early")
nodes = children(run.pid)
# The launcher has other children than nodes for a moment: the process that forks them, for one.
listed = subprocess.run([run.args[0], "node", "list", "--run", str(run.pid), "--json"], capture_output=True, text=True).stdout
os.kill([json.loads(line)["process"] for line in listed.splitlines()][1], 9)
killed = time.monotonic()
rest, _ = run.communicate(timeout=20)
print(rest, end="")
took = time.monotonic() - killed
if took > 5:
    sys.exit(f"it took {took:.1f} s")
left = [pid for pid in nodes if os.path.exists(f"/proc/{pid}")]
if run.returncode != status or left:
    sys.exit(f"status {run.returncode}, processes left: {left}")
print(f"status {status}, nothing left")

"""`skein run --bind`: the nodes' shares of the cores are disjoint, all of them together, and as large as each other."""
import os
import subprocess
import sys

skein, mine = sys.argv[1], sorted(os.sched_getaffinity(0))
show = [sys.executable, "-c", "import os; print(*sorted(os.sched_getaffinity(0)))"]


def shares(nodes, *options):
    text = subprocess.run([skein, "run", "-n", str(nodes), *options, *show], check=True, capture_output=True, text=True)
    return sorted([int(core) for core in line.split()] for line in text.stdout.splitlines())


assert shares(2) == [mine, mine]
for nodes in range(1, min(len(mine), 4) + 1):
    parts = shares(nodes, "--bind")
    assert len(parts) == nodes and sum(parts, []) == mine, parts
    assert max(map(len, parts)) - min(map(len, parts)) <= 1, parts
done = subprocess.run([skein, "run", "-n", str(len(mine) + 1), "--bind", *show], capture_output=True, text=True)
assert done.returncode == 2 and f"there are {len(mine)} cores for {len(mine) + 1} nodes" in done.stderr, done

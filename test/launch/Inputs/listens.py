"""listens.py PROGRAM RUN...: looks at what the nodes of `RUN -n 3 ... PROGRAM` listen on, over both transports, while they start
and while they run."""
import pathlib
import select
import socket
import subprocess
import sys

program, *run = sys.argv[1:]


def listening():
    """inode: address, of all TCP sockets that listen."""
    found = {}
    for family, name in (socket.AF_INET, "tcp"), (socket.AF_INET6, "tcp6"):
        path = pathlib.Path("/proc/net", name)
        for line in path.read_text().splitlines()[1:] if path.exists() else []:
            fields = line.split()
            if fields[3] == "0A":
                found[fields[9]] = fields[1].split(":")[0]
    return found


def children(process):
    below = []
    for task in pathlib.Path(f"/proc/{process}/task").glob("*/children"):
        for child in task.read_text().split():
            below += [child, *children(child)]
    return below


def sockets_of(processes):
    for process in processes:
        try:
            for entry in pathlib.Path(f"/proc/{process}/fd").iterdir():
                target = str(entry.readlink())
                if target.startswith("socket:["):
                    yield target[8:-1]
        except OSError:
            pass


def addresses(process):
    try:
        known = listening()
        return [known[inode] for inode in sockets_of([process, *children(process)]) if inode in known]
    except OSError:
        return []


# Nodes meet within milliseconds, and a look takes as long. One of them is late, so that the others listen meanwhile.
late = pathlib.Path(program + ".late")
script = pathlib.Path(program + ".sh")
script.write_text(f"#!/bin/sh\nrmdir {late} 2>/dev/null && sleep 1\nexec {program}\n")
script.chmod(0o755)

for transport in "shm", "tcp":
    seen = 0
    for turn in range(3):
        late.mkdir(exist_ok=True)
        process = subprocess.Popen([*run, "-n", "3", "--transport", transport, "--timeout", "60", script],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        while not select.select([process.stdout], [], [], 0)[0]:
            found = addresses(process.pid)
            assert all(address == "0100007F" for address in found), found  # 127.0.0.1
            assert transport == "tcp" or not found, found
            seen += len(found)
        assert process.stdout.readline() == "running\n"
        found = addresses(process.pid)
        assert not found, f"{transport}: a node listens on {found} though all have connected"
        process.stdin.close()
        assert process.wait() == 0
    assert transport == "shm" or seen, "nobody was seen to listen: this test looks at the wrong place"

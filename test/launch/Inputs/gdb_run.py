#!/usr/bin/env python3
"""Debugs a run of two nodes while its main waits, then node 0 alone, and lets the run end.

    gdb_run.py SKEIN PROGRAM
"""
import os
import re
import subprocess
import sys
import tempfile

skein, program = sys.argv[1:]


def debug(process, command):
    return subprocess.run([skein, "gdb", process, "-nx", "-batch", "-ex", command], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=80).stdout


with tempfile.TemporaryDirectory() as folder:
    seen = os.path.join(folder, "seen")
    run = subprocess.Popen([skein, "run", "-n", "2", "--timeout", "100", program], stdout=subprocess.PIPE,
                           env=os.environ | {"WAIT": seen, "SKEIN_OPTIONS": "workers=1,heartbeat_ms=0,steal=off"})
    for _ in range(3):  # "arrived" of main, and "there" of each of two threads that have gone to node 1
        run.stdout.readline()
    print(threads := debug(str(run.pid), "skein threads"))
    print(debug(re.search(r"node 0 \(process (\d+)\)", threads)[1], "skein bt 4"))
    open(seen, "w").close()
    print(f"ended with status {run.wait(50)}")

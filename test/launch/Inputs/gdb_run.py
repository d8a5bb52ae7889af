#!/usr/bin/env python3
"""Debugs a run of two nodes while its main waits, and lets it end.

    gdb_run.py SKEIN PROGRAM
"""
import os
import subprocess
import sys
import tempfile

skein, program = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    seen = os.path.join(folder, "seen")
    run = subprocess.Popen([skein, "run", "-n", "2", "--timeout", "100", program], stdout=subprocess.PIPE,
                           env=os.environ | {"WAIT": seen, "SKEIN_OPTIONS": "workers=1,heartbeat_ms=0"})
    run.stdout.readline()  # "arrived": both nodes have joined
    print(subprocess.run([skein, "gdb", str(run.pid), "-nx", "-batch", "-ex", "skein threads"], stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, text=True, timeout=80).stdout)
    open(seen, "w").close()
    print(f"ended with status {run.wait(50)}")

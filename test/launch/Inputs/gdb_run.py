#!/usr/bin/env python3
"""Debugs a run of two nodes while its main waits, and lets it end.

    gdb_run.py SKEIN PROGRAM
"""
import os
import subprocess
import sys

skein, program = sys.argv[1:]
run = subprocess.Popen([skein, "run", "-n", "2", "--timeout", "60", program], stdout=subprocess.PIPE,
                       env=os.environ | {"WAIT": "1", "SKEIN_OPTIONS": "workers=1"})
run.stdout.readline()  # "arrived": both nodes have joined
print(subprocess.run([skein, "gdb", str(run.pid), "-nx", "-batch", "-ex", "skein threads"], stdin=subprocess.DEVNULL,
                     stdout=subprocess.PIPE, text=True, timeout=50).stdout)
print(f"ended with status {run.wait(50)}")

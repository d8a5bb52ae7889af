#!/usr/bin/env python3
"""Runs with deaths=recover on three hosts: one direction between them is cut for long or for good, or each has a disk of its own
for checkpoints, and hosts come and are lost.

    networks.py [--build build/dev]

The hosts are network namespaces; where these are not permitted, nothing is tried, and that is said."""
import argparse
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INPUTS = os.path.join(ROOT, "test", "launch", "Inputs")
PARTS = ["one_way_nodes", "one_way_launcher", "own_disks_grow", "own_disks_blows"]

arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
arguments.add_argument("--build", default=os.path.join(ROOT, "build", "dev"))
build = os.path.abspath(arguments.parse_args().build)
if subprocess.run(["unshare", "--mount", "--net", "--uts", "--pid", "--fork", "ip", "netns"], capture_output=True).returncode != 0:
    print("networks: network namespaces cannot be made here; nothing is tried")
    sys.exit(0)
with tempfile.TemporaryDirectory(prefix="skein-networks-") as place:
    sys.exit(subprocess.run([sys.executable, os.path.join(INPUTS, "hosts.py"), sys.executable, os.path.join(INPUTS, "hosts_run.py"),
                             build, "pagerank", *PARTS], cwd=place).returncode)

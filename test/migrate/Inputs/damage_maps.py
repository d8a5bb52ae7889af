#!/usr/bin/env python3
"""Copies a program and gives its first frame map another version.

    damage_maps.py PROGRAM COPY
"""
import re
import shutil
import subprocess
import sys

VERSION = 24 + 12 + 1  # skein_function_map: six words, the saved registers, the flags, then this

program, copy = sys.argv[1:]
listed = subprocess.run(["llvm-readelf", "-S", "-W", program], capture_output=True, text=True, check=True).stdout
offset = int(re.search(r" skein_maps +\w+ +\w+ (\w+)", listed)[1], 16)
shutil.copy(program, copy)
with open(copy, "r+b") as file:
    file.seek(offset + VERSION)
    file.write(b"\xee")

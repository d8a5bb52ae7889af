#!/usr/bin/env python3
"""Sets the runtime's large tables apart from its other variables that begin as zeros.

    SetTablesApart.py --readelf READELF --object OBJECT --rename FILE

Writes arguments for objcopy: each section of OBJECT that holds one such variable (-fdata-sections) of at least a page becomes
one named skein_tables, which the linker puts behind .bss. So the variables that each start of a program touches lie side by
side in ten pages, and not between four megabytes of tables, of which most programs use little: a page costs a fault.
"""
import argparse
import re
import subprocess

PAGE = 4096


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("readelf", "object", "rename"):
        parser.add_argument("--" + option, required=True)
    given = parser.parse_args()
    command = [given.readelf, "--section-headers", "--wide", given.object]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    sections = re.findall(r"\] (\.bss\.\S+) +NOBITS +\S+ \S+ (\S+)", listed)
    with open(given.rename, "w") as out:
        for name in sorted({name for name, size in sections if int(size, 16) >= PAGE}):
            print(f"--rename-section={name}=skein_tables", file=out)


main()

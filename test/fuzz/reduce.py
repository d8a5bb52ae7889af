#!/usr/bin/env python3
"""Prepares the reduction of a failing program with cvise or creduce.

    reduce.py [--build build/dev] [--folder FOLDER] (KIND:SEED | FILE.c) CONFIGURATION

as fuzz.py prints them: `reduce.py own:1234 O2-polls`. Writes into FOLDER (default: reduce-<program>-<configuration>) the
program with its headers expanded, and `interesting.sh`, which says 0 as long as the program is free of undefined
behaviour, clang agrees with itself and gcc, and skeincc under relocation stress does not. Then it runs cvise or creduce on
them if one is installed, or prints the command.
"""
import argparse
import os
import shutil
import subprocess
import sys

import csmith
import fuzz

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

SCRIPT = """#!/bin/sh
# 0: the program is sound, and moving its stack changes what it does.
ulimit -t 20
run() {{ timeout 10 "$@" > "$out" 2> "$out.errors"; echo "status $?" >> "$out"; }}

# Sound: no warning that announces undefined behaviour, no sanitizer report, the same output everywhere.
clang-22 -fsyntax-only -Wall -Wno-unused -Werror=uninitialized -Werror=return-type -Werror=implicit-function-declaration \\
  -Werror=incompatible-pointer-types -Werror=int-conversion -Werror=array-bounds -Werror=format {source} 2> /dev/null || exit 1
clang-22 -w -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fsanitize-address-use-after-return=always \\
  {source} -o sanitized -lm 2> /dev/null || exit 1
out=a.sanitized run ./sanitized
clang-22 -w -O2 {source} -o optimised -lm 2> /dev/null || exit 1
out=a.optimised run ./optimised
cmp -s a.sanitized a.optimised || exit 1
if gcc -w -O1 {source} -o other -lm 2> /dev/null; then # headers expanded by clang are not always to gcc's taste
  out=a.other run ./other
  cmp -s a.other a.optimised || exit 1
fi

# Interesting: it compiles, and says something else when its stack moves.
{skeincc} -w -fskein-stress=calls {flags} {source} -o stressed -lm 2> /dev/null || exit 1
out=a.stressed SKEIN_OPTIONS={options} run ./stressed
cmp -s a.stressed a.optimised && exit 1
# ... and says the same when it does not.
out=a.still SKEIN_OPTIONS=stress_every=0 run ./stressed
cmp -s a.still a.optimised
"""


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--build", default=os.path.join(ROOT, "build", "dev"))
    arguments.add_argument("--folder")
    arguments.add_argument("program", help="KIND:SEED, or a C file")
    arguments.add_argument("configuration", help="a level and variants, e.g. O2 or O0-polls-heap")
    chosen = arguments.parse_args()
    configuration = fuzz.variants.Configuration(chosen.configuration)
    name = os.path.splitext(os.path.basename(chosen.program))[0].replace(":", "-")
    folder = os.path.abspath(chosen.folder or f"reduce-{name}-{configuration.name}")
    os.makedirs(folder, exist_ok=True)
    original = os.path.join(folder, "original.c")
    if os.path.exists(chosen.program):
        shutil.copy(chosen.program, original)
        includes = ["-I", os.path.dirname(os.path.abspath(chosen.program))]
    else:
        kind, seed = chosen.program.split(":")
        fuzz.write(kind, int(seed), original)
        includes = csmith.COMPILE
    source = "program.c"
    expanded = os.path.join(folder, source)
    subprocess.run(["clang-22", *includes, "-E", "-P", original, "-o", expanded], check=True)
    script = os.path.join(folder, "interesting.sh")
    with open(script, "w") as file:
        skeincc = os.path.join(os.path.abspath(chosen.build), "bin", "skeincc")
        file.write(SCRIPT.format(source=source, flags=" ".join(configuration.flags), skeincc=skeincc,
                                 options=",".join(configuration.options)))
    os.chmod(script, 0o755)

    if subprocess.run([script], cwd=folder).returncode:
        sys.exit(f"reduce.py: {name} at {configuration.name} is not interesting: sound and stressed runs agree, or it is not sound")
    reducer = shutil.which("cvise") or shutil.which("creduce")
    if not reducer:
        print(f"reduce.py: neither cvise nor creduce is installed; then:\n    cd {folder} && cvise interesting.sh {source}")
        return
    sys.exit(subprocess.run([reducer, "interesting.sh", source], cwd=folder).returncode)


if __name__ == "__main__":
    main()

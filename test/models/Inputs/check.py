"""check.py MODEL [--instance MACRO]... [--rule MACRO]...: searches all states of a Promela model with spin, once for each
instance (it has to hold), and once for each rule that is left out (it has to break). Status 1 if one of these is not so."""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

COMPILER = shutil.which("clang-22") or "cc"


def search(model, macro, place):
    """(states, whether an error was found)"""
    # -O0: the compiler would need longer than what it makes. NOCOMP: states are kept as they are, with a quarter of the time.
    for command in (["spin", f"-P{COMPILER} -E -x c", f"-D{macro}", "-a", model],
                    [COMPILER, "-O0", "-w", "-DSAFETY", "-DNOCOMP", "-DMEMLIM=4000", "-o", "pan", "pan.c"]):
        made = subprocess.run(command, cwd=place, capture_output=True, text=True)
        if made.returncode:
            sys.exit(f"{' '.join(command)}: {made.stdout}{made.stderr}")
    output = subprocess.run([os.path.join(place, "pan"), "-m200000"], cwd=place, capture_output=True, text=True).stdout
    errors, states = re.search(r"errors: (\d+)", output), re.search(r"(\d+) states, stored", output)
    if not errors or not states or "max search depth too small" in output or "out of memory" in output:
        sys.exit(f"{model}, {macro}: the search is not complete:\n{output}")
    return int(states[1]), int(errors[1]) > 0


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("model", type=os.path.abspath)
    arguments.add_argument("--instance", action="append", default=[])
    arguments.add_argument("--rule", action="append", default=[])
    chosen = arguments.parse_args()
    name, good = os.path.basename(chosen.model).removesuffix(".pml"), True
    with tempfile.TemporaryDirectory(prefix="skein-model-") as place:
        for macro in chosen.instance:
            states, broken = search(chosen.model, macro, place)
            print(f"{name}, instance {macro}: {'broken' if broken else f'holds in {states} states'}", flush=True)
            good &= not broken
        for macro in chosen.rule:
            _, broken = search(chosen.model, macro, place)
            print(f"{name}, without {macro}: {'broken' if broken else 'holds all the same'}", flush=True)
            good &= broken
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()

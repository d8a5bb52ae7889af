#!/usr/bin/env python3
"""Lists runs with `skein ps`, and looks at them with `skein status`.

    listing.py SKEIN PROGRAM
"""
import json
import os
import signal
import subprocess
import sys

from monitored import Run


def main():
    skein, program = sys.argv[1:]

    def call(*words):
        done = subprocess.run([skein, *words], capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    with Run(skein, 3, [program]) as run, Run(skein, 1, [program]) as other:
        names = {str(run.process.pid): "FIRST", str(other.process.pid): "SECOND"}
        status, text, _ = call("ps")
        listed = [line.split() for line in text.splitlines()[1:]]
        print(f"ps: status {status}", *sorted(
            f"{names[words[0]]} has {words[1]} nodes and {words[4]} threads" for words in listed if words[0] in names),
              sep="\n")
        runs = {str(line["run"]): line for line in map(json.loads, call("ps", "--json")[1].splitlines())}
        assert runs[str(run.process.pid)]["answering"] == 3 and runs[str(run.process.pid)]["folder"] == run.folder()
        assert 0 < runs[str(run.process.pid)]["age_s"] < 3600

        status, text, _ = call("status", str(run.process.pid))
        print(f"all answer: status {status}", text, sep="\n")
        nodes = [json.loads(line) for line in call("status", "--json", str(run.process.pid))[1].splitlines()]
        os.kill(nodes[2]["process"], signal.SIGSTOP)
        status, text, _ = call("status", str(run.process.pid))
        print(f"one is stopped: status {status}", text, sep="\n")
        status, text, _ = call("ps")
        print(*(line.split()[1:4] for line in text.splitlines() if line.split()[0] == str(run.process.pid)))
        os.kill(nodes[2]["process"], signal.SIGCONT)
        status, text, _ = call("status", other.folder())
        print(f"by its folder: status {status}")
        folder = other.folder()
    for which in str(run.process.pid), folder:
        status, text, error = call("status", which)
        assert "skein status: " in error and not text
        print(f"it is over: status {status}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""usage: skein bench NAME [options]

  overhead   CPU time of programs compiled by skeincc, beside the same compiled by clang
  compile    time to compile them, and sizes of their code and frame maps
  migrate    time of one migration between two processes, by parts, beside bare UCX and sockets
  channels   time of messages between threads of two nodes over channels, beside bare UCX
  drain      time until a node with many threads has left its run
  threads    time of operations on threads and locks, beside pthreads, Boost and Go
  forkjoin   time of recursions whose calls are tasks, beside oneTBB, OpenMP and Go
  heap       time of malloc and free of the private heap, beside mimalloc and the C library
  shared     time of loops over shared memory, beside plain C
  checkpoint  how fast memory gets to the disk and back, beside cp
  policies   grep and quadrature on several nodes, by policy: the seeds' figures, as tables and plots
  testbed    what messages and moves take, what measuring load costs, what the Testbed's balancer gains
  ariadne    threads and their moves beside Ariadne's tables, and what packing a thread takes
  simulation  events a second of a simulation by processes, on one node and two, beside a loop over structs
  dmi        the fifth seed's programs on one node and two, beside OpenMPI
  all        all of this, and the other figures of the seeds; writes docs/benchmarks.md if asked to

`skein bench NAME --help` lists the options.
"""
import os
import signal
import sys

import channels
import checkpoint
import compile
import drain
import forkjoin
import heap
import migrate
import overhead
import shared
import threads
from common import ROOT, Wrong

BENCHMARKS = {module.__name__: module.bench
              for module in (overhead, compile, migrate, channels, drain, threads, forkjoin, heap, shared, checkpoint)}
FIGURES = ["policies", "testbed", "ariadne", "simulation", "dmi", "all"]  # a program of its own, which also calls the others


def run_figures(arguments):
    """Never returns. Debian's Python has Debian's matplotlib."""
    python = "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else sys.executable
    os.execv(python, [python, str(ROOT / "share/skein/bench/figures/main.py"), str(ROOT), *arguments])


def bench(arguments):
    """The exit status."""
    known = ", ".join([*BENCHMARKS, *FIGURES])
    if not arguments:
        raise Wrong(f"which one? There are {known}; `skein bench --help` explains them")
    name, *rest = arguments
    if name in ("--help", "-h"):
        print(__doc__.rstrip())
        return 0
    if name in FIGURES:
        run_figures(arguments)
    if name not in BENCHMARKS:
        raise Wrong(f"there is no benchmark '{name}'; there are {known}")
    return BENCHMARKS[name](rest)


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.stdout.reconfigure(line_buffering=True)
    try:
        sys.exit(bench(sys.argv[1:]))
    except Wrong as wrong:
        print(f"skein bench: {wrong}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


if __name__ == "__main__":
    main()

"""`skein bench forkjoin`: what fork and join cost, beside oneTBB, OpenMP's tasks (clang's runtime, and gcc's) and Go.

The same recursions are written with each of them (test/bench/forkjoin): Fibonacci numbers, queens and Unbalanced Tree
Search, once with a task for every call, which measures tasks and little else, and once with a cutoff, as programs have
it. Each participant is a program (libexec/skein/forkjoin_*) that prints the result and the time from the first task to
the last; whatever a runtime needs to start is left out. All results of a task must be the same.

What has a cutoff Skein also runs on two nodes of one worker each, which is compared with what the others do with two
workers.
"""
import collections
import dataclasses
import statistics
import sys

from common import (Parser, Table, Wrong, execute_well, has_program, in_turn, median, number, numbers, program, ratios,
                    several, skein_options, write_csv)

SKEIN = "skein"
PEERS = {"tbb": "oneTBB", "libomp": "OpenMP, clang", "libgomp": "OpenMP, gcc", "go": "Go"}
PACKAGES = {"tbb": "libtbb-dev", "libomp": "libomp-22-dev", "libgomp": "gcc", "go": "golang-go"}
WORKERS = ["1", "2"]
NODES = "2 nodes"
TASKS = ["fib:22:0", "fib:36:22", "queens:10:10", "queens:13:3", "uts:9:9", "uts:11:5"]
DESCRIPTION = """\
Prints how long recursions take whose calls are tasks, in milliseconds, on one and two workers and on two nodes; and
the same with each peer that is installed, with the ratio (ours / theirs: below 1 we are faster). The results must be
the same."""
EPILOG = "Peers are built with Skein where they are installed: " + ", ".join(PACKAGES.values()) + "."


@dataclasses.dataclass(frozen=True)
class Task:
    name: str
    size: int
    cutoff: int  # of fib: what is less is no task; of queens and uts: what is as deep

    def __str__(self):
        return f"{self.name} {self.size}" + (f", cutoff {self.cutoff}" if self.has_cutoff() else "")

    def has_cutoff(self):
        return self.cutoff > 1 if self.name == "fib" else self.cutoff < self.size


@dataclasses.dataclass(frozen=True)
class Side:
    """Who computes, on how many workers."""
    who: str
    workers: str

    def __str__(self):
        return f"{self.who} {self.workers}"

    def measure(self, task):
        """(result, nanoseconds)"""
        argv = [program(f"forkjoin_{self.who}"), task.name, str(task.size), str(task.cutoff)]
        environment = {"OMP_NUM_THREADS": self.workers, "GOMAXPROCS": self.workers}
        if self.who == SKEIN:
            on_nodes = self.workers == NODES
            argv = [program("skein"), "run", "-n", "2", *argv] if on_nodes else argv
            environment = skein_options(f"workers={1 if on_nodes else self.workers}")
        result, ns = numbers(iter(execute_well(argv, environment).output.split()), 2)
        return int(result), ns


def parse(arguments):
    def tasks(text):
        chosen = []
        for word in text.split(","):
            name, *figures = word.split(":")
            if name not in ("fib", "queens", "uts") or len(figures) != 2 or not all(map(str.isdecimal, figures)):
                parser.error(f"--tasks: '{word}' is not fib, queens or uts, size and cutoff, as in queens:13:3")
            chosen.append(Task(name, *map(int, figures)))
        return chosen

    parser = Parser("forkjoin", DESCRIPTION, epilog=EPILOG)
    parser.option("--tasks", "LIST", "name:size:cutoff of each; name: fib, queens or uts", ",".join(TASKS), tasks)
    parser.option("--rounds", "N", "runs of each", 5, number(1, int))
    parser.option("--peers", "LIST", f"of {', '.join(PEERS)}; or none", list(PEERS), several([*PEERS, "none"]))
    parser.flag("--markdown", "print the table as docs/benchmarks.md has it")
    parser.option("--csv", "FILE", "write every run: task,participant,workers,bundle,round,ns")
    return parser.parse_args(arguments)


def measure(chosen, task, peers):
    """{side: ns by round}"""
    sides = [Side(SKEIN, workers) for workers in [*WORKERS, *[NODES] * task.has_cutoff()]]
    sides += [Side(peer, workers) for workers in WORKERS for peer in peers]
    measured = in_turn(chosen.rounds, sides, lambda side: side.measure(task))
    results = collections.defaultdict(list)
    for side, rounds in measured.items():
        for result, _ in rounds:
            results[result].append(str(side))
    if len(results) > 1:
        raise Wrong(f"{task}: not all results are the same\n" +
                    "\n".join(f"  {result}: {', '.join(sorted(set(who)))}" for result, who in results.items()))
    return {side: [ns for _, ns in rounds] for side, rounds in measured.items()}


def yardstick(side, peer):
    """What the figures of a side of Skein's are compared with."""
    return Side(peer, "2" if side.workers == NODES else side.workers)


def bench(arguments):
    chosen = parse(arguments)
    peers = [peer for peer in PEERS if peer in chosen.peers]
    for peer in [peer for peer in peers if not has_program(f"forkjoin_{peer}")]:
        print(f"{PEERS[peer]} is not here: {PACKAGES[peer]} was not there when Skein was built", file=sys.stderr)
        peers.remove(peer)
    print(f"Fork and join; ms, median of {chosen.rounds}; in parentheses ours / theirs\n")
    table = Table([("task", -21), ("workers", -7), ("Skein", 9),
                   *((PEERS[peer], 18) for peer in peers)], chosen.markdown)
    lines, all_ratios = [], collections.defaultdict(list)
    for task in chosen.tasks:
        ns = measure(chosen, task, peers)
        for side in ns:
            lines += [[task, side.who, side.workers, round_, f"{each:.0f}"]
                      for round_, each in enumerate(ns[side], 1)]
            if side.who != SKEIN:
                continue
            cells = []
            for peer in peers:
                theirs = ns[yardstick(side, peer)]
                ratio = median(ratios(ns[side], theirs))
                all_ratios[side.workers, peer].append(ratio)
                cells.append(f"{median(theirs) / 1e6:.2f} ({ratio:.2f})")
            table.row(str(task), side.workers, f"{median(ns[side]) / 1e6:.2f}", *cells)
    print()
    for workers in dict.fromkeys(workers for workers, _ in all_ratios):
        means = (f"{statistics.geometric_mean(all_ratios[workers, peer]):.2f} ({PEERS[peer]})" for peer in peers)
        where = workers if workers == NODES else f"{workers} worker{'s' * (workers != '1')}"
        print(f"{where}: geometric mean of ours / theirs {', '.join(means)}")
    write_csv(chosen.csv, ["task", "participant", "workers", "round", "ns"], lines)
    return 0

"""`skein bench drain`: how long a node takes to leave its run (`skein node drain`) that has many small threads.

The threads yield all the time, on all nodes, so the workers want the cores, too. The last of the nodes leaves, and its threads go to
the others in equal parts. Nothing is stolen meanwhile. With fewer cores than nodes it is the time that all of them need together.
"""
from common import (Parser, Table, median, number, numbers, program, progress, several, skein_options, words_of, write_csv)

TRANSPORTS = ["tcp", "shm"]
DESCRIPTION = """\
Prints seconds from the request until the last of some nodes has left, with so many threads on it that only yield: the
median of the rounds, between which two all lie, and microseconds a thread."""


def parse(arguments):
    parser = Parser("drain", DESCRIPTION)
    parser.option("--threads", "N", "on the node that leaves", 100000, number(1, int))
    parser.option("--nodes", "LIST", "of the run", ["2", "3"], several(["2", "3", "4", "5", "6", "7", "8"]))
    parser.option("--transports", "LIST", f"of {', '.join(TRANSPORTS)}", TRANSPORTS, several(TRANSPORTS))
    parser.option("--rounds", "N", "measurements of each", 7, number(1, int))
    parser.flag("--markdown", "print the table as docs/benchmarks.md has it")
    parser.option("--csv", "FILE", "write all measurements")
    return parser.parse_args(arguments)


def measure(threads, transport, nodes):
    """In seconds."""
    words = words_of([program("skein"), "run", "-n", nodes, "--transport", transport, program("drained"), str(threads)],
                     skein_options("workers=1", "steal=off"))
    [seconds] = numbers(words, 1)
    return seconds


def bench(arguments):
    chosen = parse(arguments)
    print(f"A node with {chosen.threads} small threads leaves; median of {chosen.rounds}\n")
    table = Table([("transport", -9), ("nodes", 5), ("s", 6), ("from", 6), ("to", 6), ("us a thread", 11)], chosen.markdown)
    sides = [(transport, nodes) for transport in chosen.transports for nodes in chosen.nodes]
    found = {side: [] for side in sides}
    for round_ in range(chosen.rounds):
        progress(f"round {round_ + 1} of {chosen.rounds}")
        for side in sides:
            found[side].append(measure(chosen.threads, *side))
    progress("")
    for (transport, nodes), seconds in found.items():
        table.row(transport, nodes, *(f"{value:.2f}" for value in (median(seconds), min(seconds), max(seconds))),
                  f"{median(seconds) * 1e6 / chosen.threads:.1f}")
    write_csv(chosen.csv, ["transport", "nodes", "round", "s"],
              [[*side, round_ + 1, value] for side, values in found.items() for round_, value in enumerate(values)])
    return 0

"""`skein bench threads`: what thread and synchronisation operations cost on one worker, beside kernel threads,
Boost.Context and Boost.Fiber, and Go, as far as they were there when Skein was built. The rows, and what they mean,
are those of Table 2 of TR-97-054 (its section 7.1); the figures it gives stand beside ours.

Each participant is a program (libexec/skein/threads_*) that prints a line a row.

With --waiting: what threads cost that wait, on their stacks or parked, beside goroutines.
"""
import os
import sys

from common import (Parser, Table, has_program, in_turn, median, number, program, ratios, several, skein_options,
                    words_of, write_csv)

# name: title, microseconds of an UltraSPARC-1 and of a Pentium Pro in Table 2.
ROWS = {
    "create": ("thread create", "1.3", "1.4"),
    "null": ("null thread", "5.6", "4.4"),
    "raw": ("switch, bare", "", ""),
    "switch": ("context switch", "1.7", "1.5"),
    "mutex": ("uncontested mutex", "0.4", "0.5"),
    "semaphore": ("uncontested semaphore", "0.4", "0.5"),
    "mutex-try": ("mutex try", "0.2", "0.2"),
    "semaphore-try": ("semaphore try", "0.2", "0.2"),
    "mutex-ping-pong": ("mutex ping-pong", "6.0", "3.4"),
    "semaphore-ping-pong": ("semaphore ping-pong", "6.0", "3.7"),
    "channel": ("message, channel", "", ""),
    "alternative": ("message, first of 8", "", ""),
}
SKEIN = "skein"
PEERS = {"pthread": "pthreads", "boost": "Boost", "go": "Go"}
DESCRIPTION = """\
Prints what operations on threads and locks cost on one worker, in nanoseconds, with the ratio to each peer that is
installed (ours / theirs: below 1 we are faster), and the seed's figures (Table 2 of TR-97-054)."""
EPILOG = "Peers are built with Skein where they are installed: libboost-context-dev, libboost-fiber-dev, golang-go."


def parse(arguments):
    parser = Parser("threads", DESCRIPTION, epilog=EPILOG)
    parser.option("--waiting", "LIST", "instead: so many threads that wait, on their stacks, parked, and of Go",
                  type=counts)
    parser.option("--rounds", "N", "runs of each participant", 5, number(1, int))
    parser.option("--peers", "LIST", f"of {', '.join(PEERS)}; or none", list(PEERS), several([*PEERS, "none"]))
    parser.flag("--markdown", "print the table as docs/benchmarks.md has it")
    parser.option("--csv", "FILE", "write every run: participant,row,round,ns")
    parser.option("--fail-ratio", "X",
                  "exit 1 if the ratio to Boost.Context or Boost.Fiber, or half of that to Go, is above X",
                  type=number(0))
    return parser.parse_args(arguments)


def measure(participant):
    """{row: ns}"""
    words = words_of([program(f"threads_{participant}")], skein_options("workers=1"))
    return {row: float(ns) for row, ns in zip(words, words)}


def promised(peer, row):
    """What the ratio to a peer counts in --fail-ratio."""
    if peer == "boost":
        return 1 if row in ("raw", "switch") else 0
    return 2 if peer == "go" and row != "null" else 0


def counts(text):
    """For --waiting: numbers with commas between them."""
    return [number(1, int)(word) for word in text.split(",")]


KEEPING, PARKED, GO = "on their stacks", "parked", "Go"
BYTES = {PARKED: 350, KEEPING: 5200, GO: 2900}  # that a thread takes, about
WAITING = {"bytes": "bytes", "create": "create and run up to the wait, ns", "wake": "wake, run and wait again, ns"}


def measure_waiting(participant, count):
    """{what: value}, of the names in WAITING."""
    argv = [program("threads_waiting_go" if participant == GO else "threads_waiting"), str(count),
            str(max(3, min(50, 2000000 // count)))]
    words = words_of(argv, skein_options("workers=1", "park=on" if participant == PARKED else "park=off"))
    return {what: float(value) for what, value in zip(words, words)}


def bench_waiting(chosen):
    peers = [GO] if GO.lower() in chosen.peers and has_program("threads_waiting_go") else []
    print(f"Threads that wait three frames deep, one worker; medians of {chosen.rounds}; in parentheses parked / these\n")
    table = Table([("threads", 10), ("", -16), *((title, 34) for title in WAITING.values())], chosen.markdown)
    rows, memory = [], os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for count in chosen.waiting:
        sides = [side for side in [PARKED, KEEPING, *peers] if count * BYTES[side] < memory / 2]
        of = in_turn(chosen.rounds, sides, lambda side: measure_waiting(side, count))
        for side in sides:
            cells = []
            for what in WAITING:
                values = [one[what] for one in of[side]]
                ratio = median(ratios([one[what] for one in of[PARKED]], values))
                cells.append(f"{median(values):.0f}" + (f" ({ratio:.2f})" if side != PARKED else ""))
            table.row(f"{count:,}" if side == PARKED else "", side, *cells)
            rows += [[count, side, what, round_, f"{one[what]:.1f}"] for round_, one in enumerate(of[side], 1)
                     for what in WAITING]
    write_csv(chosen.csv, ["threads", "participant", "what", "round", "value"], rows)
    return 0


class Measured:
    """Of all participants: ns by round of each row that they have."""

    def __init__(self, rounds, participants):
        self.ns = {who: {row: [of_round[row] for of_round in by_round] for row in by_round[0]}
                   for who, by_round in in_turn(rounds, participants, measure).items()}

    def ratio(self, peer, row):
        """Of ours to theirs."""
        return median(ratios(self.ns[SKEIN][row], self.ns[peer][row]))

    def cell(self, who, row):
        if row not in self.ns[who]:
            return ""
        ns = f"{median(self.ns[who][row]):.1f}"
        return ns if who == SKEIN or row not in self.ns[SKEIN] else f"{ns} ({self.ratio(who, row):.2f})"

    def worst(self):
        """(ratio, row, peer): the worst of the ratios that are promised."""
        return max((promised(peer, row) * self.ratio(peer, row), row, peer) for peer in self.ns if peer != SKEIN
                   for row in self.ns[peer] if row in self.ns[SKEIN])


def bench(arguments):
    chosen = parse(arguments)
    if chosen.waiting:
        return bench_waiting(chosen)
    peers = [peer for peer in PEERS if peer in chosen.peers]
    for peer in peers:
        if not has_program(f"threads_{peer}"):
            print(f"{PEERS[peer]} is not here: it was not installed when Skein was built", file=sys.stderr)
    peers = [peer for peer in peers if has_program(f"threads_{peer}")]
    measured = Measured(chosen.rounds, [SKEIN, *peers])
    print(f"One worker; ns, median of {chosen.rounds}; in parentheses ours / theirs. On the right Table 2 of "
          "TR-97-054, us\n")
    table = Table([("operation", -22), ("Skein", 18), *((PEERS[peer], 18) for peer in peers), ("UltraSPARC-1", 12),
                   ("Pentium Pro", 12)], chosen.markdown)
    for row, (title, *seed) in ROWS.items():
        table.row(title, *(measured.cell(who, row) for who in [SKEIN, *peers]), *seed)
    write_csv(chosen.csv, ["participant", "row", "round", "ns"],
              ([who, row, round_, f"{ns:.3f}"] for who, rows in measured.ns.items()
               for row, by_round in sorted(rows.items()) for round_, ns in enumerate(by_round, 1)))
    if chosen.fail_ratio and peers:
        ratio, row, peer = measured.worst()
        if ratio > chosen.fail_ratio:
            print(f"\n{ROWS[row][0]} beside {PEERS[peer]}: above {chosen.fail_ratio:.2f}")
            return 1
    return 0

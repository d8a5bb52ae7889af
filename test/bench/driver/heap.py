"""`skein bench heap`: what malloc, calloc, realloc and free of the private heap cost, beside mimalloc and the C library.

One source (test/bench/heap) is built three times: by skeincc with a private heap, by clang, and by clang with mimalloc
linked (libexec/skein/heap_*). A program is told a row and how many calls to make, and prints a number, which must be the
same for all, and CPU time in nanoseconds a call.
"""
import collections
import statistics

from common import (Parser, Table, Wrong, execute_well, has_program, in_turn, median, number, numbers, program, ratios,
                    several, skein_options, write_csv)

SKEIN = "skein"
PEERS = {"mimalloc": "mimalloc", "glibc": "C library"}
PACKAGE = "libmimalloc-dev"
ROWS = {  # calls of each
    "pairs": 10_000_000,
    "pairs-mixed": 6_000_000,
    "larson": 6_000_000,
    "larson-wide": 1_500_000,
    "cfrac": 6_000_000,
    "espresso": 3_000_000,
    "trees": 6_000_000,
    "calloc": 3_000_000,
    "realloc": 500_000,
    "realloc-steps": 500_000,
    "realloc-large": 100,
    "realloc-large-steps": 1_000,
    "large": 200,
}
DESCRIPTION = """\
Prints what a call of the allocator costs, in nanoseconds of CPU time, in programs with a private heap, and the same with
each peer that is installed, with the ratio (ours / theirs: below 1 we are faster). The rows:

  pairs        a block of 48 bytes is freed at once
  pairs-mixed  blocks of 8 bytes to 1 KiB, of which the last one but one is freed
  larson       of 5,000 blocks of up to 1,000 bytes one after another is replaced, in random order;
  larson-wide  of 100,000
  cfrac        numbers of some digits are multiplied and divided, each result is a new block
  espresso     families of sets of 64 bytes to 8 KiB, in arrays that grow; a family is freed as a whole
  trees        trees of half a million nodes are built and freed
  calloc       blocks of up to 4 KiB
  realloc      an array grows by half from 16 bytes to 1 MiB; -steps: by 1 KiB at a time;
               -large: by half from 1 to 64 MiB; -large-steps: by 64 KiB from 1 to 32 MiB
  large        blocks of 1 to 4 MiB, of which each page is written"""


def parse(arguments):
    parser = Parser("heap", DESCRIPTION, epilog=f"mimalloc is there if {PACKAGE} was when Skein was built.")
    parser.option("--rows", "LIST", "of them", list(ROWS), several(ROWS))
    parser.option("--rounds", "N", "runs of each", 7, number(1, int))
    parser.option("--scale", "X", "make X times as many calls", 1, number(0.000001))
    parser.option("--peers", "LIST", f"of {', '.join(PEERS)}; or none", list(PEERS), several([*PEERS, "none"]))
    parser.flag("--markdown", "print the table as docs/benchmarks.md has it")
    parser.option("--csv", "FILE", "write every run: row,allocator,round,ns")
    return parser.parse_args(arguments)


def measure(chosen, row, peers):
    """{allocator: ns by round}"""

    def run(who):
        argv = [program(f"heap_{who}"), row, str(max(1, int(ROWS[row] * chosen.scale)))]
        return numbers(iter(execute_well(argv, skein_options("workers=1") if who == SKEIN else {}).output.split()), 2)

    measured = in_turn(chosen.rounds, [SKEIN, *peers], run)
    results = {who: {int(result) for result, _ in rounds} for who, rounds in measured.items()}
    if len(set().union(*results.values())) > 1:
        raise Wrong(f"{row}: not all results are the same: " +
                    ", ".join(f"{who} {sorted(numbers)}" for who, numbers in results.items()))
    return {who: [ns for _, ns in rounds] for who, rounds in measured.items()}


def bench(arguments):
    chosen = parse(arguments)
    peers = [peer for peer in PEERS if peer in chosen.peers and has_program(f"heap_{peer}")]
    print(f"Allocators; ns a call, median of {chosen.rounds}; in parentheses ours / theirs\n")
    table = Table([("row", -20), ("Skein", 10), *((PEERS[peer], 20) for peer in peers)], chosen.markdown)
    lines, all_ratios = [], collections.defaultdict(list)
    for row in chosen.rows:
        ns = measure(chosen, row, peers)
        lines += [[row, who, round_, f"{each:.4f}"] for who in ns for round_, each in enumerate(ns[who], 1)]
        cells = []
        for peer in peers:
            ratio = median(ratios(ns[SKEIN], ns[peer]))
            all_ratios[peer].append(ratio)
            cells.append(f"{median(ns[peer]):.2f} ({ratio:.3f})")
        table.row(row, f"{median(ns[SKEIN]):.2f}", *cells)
    for peer in chosen.peers:
        if peer in PEERS and peer not in peers:
            print(f"\n{PEERS[peer]} is not here: {PACKAGE} was not there when Skein was built")
    if peers:
        means = (f"{statistics.geometric_mean(all_ratios[peer]):.3f} ({PEERS[peer]})" for peer in peers)
        print(f"\ngeometric mean of ours / theirs {', '.join(means)}")
    write_csv(chosen.csv, ["row", "allocator", "round", "ns"], lines)
    return 0

"""`skein bench migrate`: what one migration between two processes of this machine costs, and where the time goes.

A thread with a live stack of the given size pushes itself to and fro between two nodes (libexec/skein/ping_pong, run by
`skein run -n 2` with one worker each). Beside it stands a bare UCX active message of as many bytes as the thread's
image has (libexec/skein/ucx_pair), with the environment of the nodes. Both are half of a way to and fro; the parts of a
migration are from a series of their own, in which both nodes read the clock.

Both are measured in turns, in several rounds, and each process has a core of its own, if there are two. Each figure is
the median over the rounds of the median of one round; the ratio is the median of the rounds' ratios.
"""
import dataclasses
import os

from common import (ROOT, Parser, Table, Wrong, bare_ucx, in_turn, median, number, numbers, one_of, program, progress,
                    ratios, several, skein_options, words_of, write_csv)

PARTS = ["capture", "transfer", "relocation", "resume"]
STRATEGIES = ["relocate", "reserve", "auto", "shared"]
SIZES = ["0", "1", "2", "4", "16", "64", "256"]
DEPTHS = [10, 110, 510]  # frames; each beside the first
MESSAGES = ["8", "64", "1024", "4096", "16384", "65536", "1048576"]
ROUNDS = 7
DESCRIPTION = """\
Prints the median cost of one migration between two processes in microseconds, for live stacks of several sizes:
capture (call to complete image), transfer (until the other node has it), relocation (verified, relocated, known
there), resume (until the call returns); the whole, without reading the clock in between; and beside it a bare UCX
active message of the size of the image, one way, with both sides spinning and with both sleeping while they wait.
ratio: whole by UCX that spins, measured in turns.
Then the same of stacks of many small frames, each with two pointers into the stack: what a frame more takes.
With --transport tcp, then one message of several sizes one way, and MB a second of a stream of them: by bare
sockets, by bare UCX over TCP, which no run uses, and by Skein's transport with nothing above it, sealed and plain."""
COLUMNS = [
    "stacks", "kib", "image_bytes", *(f"{part}_us" for part in PARTS), "whole_us", "ucx_spinning_us", "ucx_sleeping_us",
    "ratio"
]
FRAME_COLUMNS = [
    "stacks", "frames", "image_bytes", "capture_us", "relocation_us", "capture_ns_a_frame", "relocation_ns_a_frame"
]


def parse(arguments):
    parser = Parser("migrate", DESCRIPTION)
    parser.option("--count", "N", "migrations for each size", 2000, number(1, int))
    parser.option("--sizes", "A,B,…", f"KiB of live stack, out of {', '.join(SIZES)}", SIZES,
                  several(SIZES, f"'{{}}' is not one of {', '.join(SIZES)}"))
    parser.option(
        "--stacks", "WHICH",
        "relocate or reserve, with the program wherever the kernel puts it (image=any); auto or shared, where "
        "no module changes its address (image=same); or all", "all", one_of([*STRATEGIES, "all"]))
    parser.option("--transport", "WHICH", "shm or tcp", "shm", one_of(["shm", "tcp"]))
    parser.option("--csv", "FILE", f"write {', '.join(COLUMNS)}")
    parser.option("--frames-csv", "FILE", f"write {', '.join(FRAME_COLUMNS)}")
    chosen = parser.parse_args(arguments)
    chosen.strategies = STRATEGIES if chosen.stacks == "all" else [chosen.stacks]
    chosen.of_round = -(-chosen.count // ROUNDS)
    return chosen


@dataclasses.dataclass
class Row:
    """Of one size in one round, or of all rounds: medians in ns."""
    image_bytes: int
    parts: list
    whole: float
    spinning: float = 0
    sleeping: float = 0

    def ratio(self):
        return self.whole / self.spinning


def measure_moves(chosen, strategy, sizes):
    """A row a size."""
    binding = ["--bind"] if len(os.sched_getaffinity(0)) >= 2 else []  # ucx_pair does the same
    image = "same" if strategy in ("auto", "shared") else "any"
    words = words_of([program("skein"), "run", "-n", "2", "--transport", chosen.transport, *binding,
                      program("ping_pong"), str(chosen.of_round), *sizes],
                     skein_options("workers=1", "steal=off", "stack=1M", f"stacks={strategy}", f"image={image}"))
    rows = []
    for size in sizes:
        if next(words, None) != size:
            raise Wrong("the migrating program printed something else than its figures")
        [image_bytes] = numbers(words, 1)
        whole = numbers(words, chosen.of_round)
        split = numbers(words, chosen.of_round * len(PARTS))
        if min(whole + split) < 0:
            raise Wrong("the migrating program printed a figure below zero: are the nodes' clocks apart?")
        parts = [median(split[part::len(PARTS)]) for part in range(len(PARTS))]
        rows.append(Row(int(image_bytes), parts, median(whole)))
    return rows


def measure_messages(chosen, sizes, rows):
    """Into the rows. The messages are as long as the images, or as the arrays where these stay in place."""
    lengths = [max(row.image_bytes, 1024 * int(size)) for size, row in zip(sizes, rows)]
    words = words_of([program("ucx_pair"), str(chosen.of_round), *map(str, lengths)], bare_ucx(chosen.transport))
    for length, row in zip(lengths, rows):
        message_bytes, row.spinning, row.sleeping = numbers(words, 3)
        if message_bytes != length:
            raise Wrong("the bare UCX programs failed")


def measure_sizes(chosen, strategy, sizes, messages):
    """Rounds of a row a size, by size."""
    by_round = []
    for round_ in range(ROUNDS):
        progress(f"{strategy}: round {round_ + 1} of {ROUNDS}")
        rows = measure_moves(chosen, strategy, sizes)
        if messages:
            measure_messages(chosen, sizes, rows)
        by_round.append(rows)
    progress("")
    return list(zip(*by_round))


def merged(rows):
    """The median over the rounds of each figure of a size."""
    of = lambda value: median([value(row) for row in rows])
    return Row(rows[0].image_bytes, [of(lambda row: row.parts[part]) for part in range(len(PARTS))],
               of(lambda row: row.whole), of(lambda row: row.spinning), of(lambda row: row.sleeping))


def sizes_report(chosen):
    print(f"One migration between two processes, medians of {ROUNDS * chosen.of_round} in {ROUNDS} rounds, in us; UCX: "
          "one bare active message one way\n")
    table = Table([("stacks", -9), ("KiB", 4), ("image B", 7), *((part, 10) for part in PARTS), ("whole", 10),
                   ("UCX spin", 9), ("UCX sleep", 9), ("ratio", 6)])
    lines = []
    for strategy in chosen.strategies:
        for size, rows in zip(chosen.sizes, measure_sizes(chosen, strategy, chosen.sizes, True)):
            row, ratio = merged(rows), median([row.ratio() for row in rows])
            us = [ns / 1000 for ns in (*row.parts, row.whole, row.spinning, row.sleeping)]
            table.row(strategy, size, str(row.image_bytes), *(f"{value:.2f}" for value in (*us, ratio)))
            lines.append([strategy, size, row.image_bytes, *(f"{value:.3f}" for value in (*us, ratio))])
    write_csv(chosen.csv, COLUMNS, lines)


def frames_report(chosen):
    """What a frame more takes, by the difference from a stack that has fewer."""
    print(f"\nThe same of many small frames; ns a frame: beside {DEPTHS[0]} frames\n")
    table = Table([("stacks", -9), ("frames", 6), ("image B", 7), ("capture", 12), ("ns a frame", 10),
                   ("relocation", 12), ("ns a frame", 10)])
    capture, relocation = PARTS.index("capture"), PARTS.index("relocation")
    lines = []
    for strategy in chosen.strategies:
        few, *others = map(merged, measure_sizes(chosen, strategy, [f"frames:{depth}" for depth in DEPTHS], False))
        for depth, row in zip(DEPTHS[1:], others):
            us = [row.parts[part] / 1000 for part in (capture, relocation)]
            more = [(row.parts[part] - few.parts[part]) / (depth - DEPTHS[0]) for part in (capture, relocation)]
            both = [f"{us[0]:.2f}", f"{more[0]:.1f}", f"{us[1]:.2f}", f"{more[1]:.1f}"]
            table.row(strategy, str(depth), str(row.image_bytes), *both)
            in_csv = [*(f"{value:.3f}" for value in us), *(f"{value:.2f}" for value in more)]
            lines.append([strategy, depth, row.image_bytes, *in_csv])
    write_csv(chosen.frames_csv, FRAME_COLUMNS, lines)


def ways_report(chosen):
    """One message by each of the ways that there are over TCP, in turns."""
    transport = [program("transport_pair"), str(ROOT / "lib/skein/libskein_tcp.so")]
    ways = {
        "sockets": ([program("socket_pair")], {}),
        "UCX": ([program("ucx_pair")], bare_ucx("tcp")),
        "sealed": ([*transport, "sealed"], {}),
        "plain": ([*transport, "plain"], {}),
    }

    def measure(way):
        """(us of one message, MB/s of a stream) by size."""
        argv, environment = ways[way]
        words = words_of([*argv, "--stream", str(chosen.of_round), *MESSAGES], environment)
        return [(spinning / 1000, rate) for _, spinning, rate in (numbers(words, 3) for _ in MESSAGES)]

    measured = in_turn(ROUNDS, ways, measure)
    print("\nOne message over TCP one way, both sides spinning, us, and to UCX over TCP; a stream of them, MB/s\n")
    table = Table([("B", 8), *((heading, width) for way in ways for heading, width in ((way, 9), ("to UCX", 6))),
                   *((way, 8) for way in ways)])
    for at, size in enumerate(MESSAGES):
        us, rate = ({way: [sizes[at][which] for sizes in rounds] for way, rounds in measured.items()}
                    for which in (0, 1))
        to_ucx = {way: median(ratios(us[way], us["UCX"])) for way in ways}
        table.row(size, *(cell for way in ways for cell in (f"{median(us[way]):.2f}", f"{to_ucx[way]:.2f}")),
                  *(f"{median(rate[way]):.0f}" for way in ways))


def bench(arguments):
    chosen = parse(arguments)
    sizes_report(chosen)
    frames_report(chosen)
    if chosen.transport == "tcp":
        ways_report(chosen)
    return 0

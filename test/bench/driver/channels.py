"""`skein bench channels`: what messages between threads of two nodes of this host cost over channels, beside bare UCX.

Two threads, on a node each, send each other messages of the given size in turn (libexec/skein/channel_pair); then one
sends a stream of them, of which each has to be confirmed before the next one leaves. Two processes do the same with
bare UCX active messages (libexec/skein/ucx_pair), with the environment of the nodes, in turns with the threads.
"""
import os

from common import (Parser, Table, bare_ucx, in_turn, median, number, numbers, program, ratios, skein_options, words_of,
                    write_csv)

SIZES = ["8", "1024", "65536", "1048576"]
DESCRIPTION = """\
Prints the median time of one message one way (half of a round trip) in microseconds, over channels and by bare UCX
active messages, and the ratio; and the MB a second of a stream of messages that go one way, and the ratio."""
COLUMNS = ["bytes", "channel_us", "ucx_us", "ratio", "channel_mb_s", "ucx_mb_s", "stream_ratio"]


def parse(arguments):
    parser = Parser("channels", DESCRIPTION)
    parser.option("--count", "N", "messages of each size in a round", 1000, number(1, int))
    parser.option("--rounds", "N", "what is shown are medians", 7, number(1, int))
    parser.flag("--markdown", "print the table as docs/benchmarks.md has it")
    parser.option("--csv", "FILE", f"write {', '.join(COLUMNS)}")
    return parser.parse_args(arguments)


def bench(arguments):
    chosen = parse(arguments)
    binding = ["--bind"] if len(os.sched_getaffinity(0)) >= 2 else []  # ucx_pair does the same
    size_words = [str(chosen.count), *SIZES]
    ways = {
        "channel": ([program("skein"), "run", "-n", "2", *binding, program("channel_pair"), *size_words],
                    skein_options("workers=1", "steal=off")),
        "UCX": ([program("ucx_pair"), "--stream", *size_words], bare_ucx("shm")),
    }

    def measure(way):
        """(us of one message, MB/s of a stream) by size."""
        argv, environment = ways[way]
        words = words_of(argv, environment)
        return [(ns / 1000, rate) for _, ns, rate in (numbers(words, 3) for _ in SIZES)]

    measured = in_turn(chosen.rounds, ways, measure)
    table = Table([("bytes", 8), ("channel, us", 11), ("UCX, us", 9), ("ratio", 6), ("channel, MB/s", 13),
                   ("UCX, MB/s", 9), ("ratio", 6)], chosen.markdown)
    lines = []
    for at, size in enumerate(SIZES):
        us, rate = ({way: [sizes[at][which] for sizes in rounds] for way, rounds in measured.items()}
                    for which in (0, 1))
        row = [*(median(us[way]) for way in ways), median(ratios(us["channel"], us["UCX"])),
               *(median(rate[way]) for way in ways), median(ratios(rate["channel"], rate["UCX"]))]
        table.row(size, *(f"{value:.{digits}f}" for value, digits in zip(row, (2, 2, 2, 0, 0, 2))))
        lines.append([size, *(f"{value:.3f}" for value in row)])
    write_csv(chosen.csv, COLUMNS, lines)
    return 0

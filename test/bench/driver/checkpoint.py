"""`skein bench checkpoint`: how fast the memory of a node gets into its file at a checkpoint, and back, beside cp.

One program (libexec/skein/checkpoint_rows) fills memory, writes it to a plain file, and in each round lets cp copy that
file to the disk, which begins with it in the page cache, then writes the memory itself (all, and again after a
hundredth of its pages has changed), and reads it back. Everything ends when it is on the disk. Disks have moods, so a
ratio is one of the same round.
"""
import os
import tempfile

from common import (ROOT, Parser, Table, Wrong, execute_well, median, number, numbers, program, progress, ratios, several,
                    write_csv)

KINDS = {"noise": "random bytes", "text": "words", "numbers": "sums of small steps, as doubles",
         "zeros": "a quarter words, else zeros"}
FIGURES = ["cp", "all", "changed", "read", "all_mib", "changed_mib"]
DESCRIPTION = """\
Prints GB of memory a second: by cp, by a first checkpoint, by one after a hundredth of the pages has changed, and back
again from that; and the sizes of the two files as shares of the memory. The ratio is (checkpoint / cp: above 1 we are
faster)."""


def parse(arguments):
    parser = Parser("checkpoint", DESCRIPTION,
                    epilog="Kinds of memory: " + "; ".join(f"{kind}: {what}" for kind, what in KINDS.items()) + ".")
    parser.option("--kinds", "LIST", f"of {', '.join(KINDS)}", list(KINDS), several(list(KINDS)))
    parser.option("--mib", "N", "size of the memory", 4096, number(1, int))
    parser.option("--level", "N", "of zstd", 1, number(-7, int))
    parser.option("--threads", "N", "that compress and read", os.cpu_count(), number(1, int))
    parser.flag("--sealed", "with a key")
    parser.option("--rounds", "N", "measurements of each", 5, number(1, int))
    parser.option("--folder", "DIR", "on the disk that is measured; three times the memory must fit", ".")
    parser.flag("--markdown", "print the table as docs/benchmarks.md has it")
    parser.option("--csv", "FILE", "write all measurements")
    return parser.parse_args(arguments)


def measure(chosen, kind, folder):
    """{figure: values by round}"""
    progress(f"{kind}: {chosen.rounds} rounds")
    argv = [program("checkpoint_rows"), str(ROOT / "lib/skein/libskein_checkpoint.so"), folder, kind, str(chosen.mib),
            str(chosen.level), str(chosen.threads), str(int(chosen.sealed)), str(chosen.rounds)]
    words = iter(execute_well(argv).output.split())
    rounds = [numbers(words, len(FIGURES)) for _ in range(chosen.rounds)]
    return dict(zip(FIGURES, map(list, zip(*rounds))))


def bench(arguments):
    chosen = parse(arguments)
    print(f"Memory of a node to the disk and back; {chosen.mib} MiB, level {chosen.level}, {chosen.threads} threads"
          f"{', sealed' if chosen.sealed else ''}, median of {chosen.rounds}\n")
    table = Table([("memory", -8), ("cp, GB/s", 9), ("all, GB/s", 10), ("ratio", 6), ("file", 6), ("changed, GB/s", 14),
                   ("file", 6), ("read, GB/s", 11)], chosen.markdown)
    rows = []
    try:
        with tempfile.TemporaryDirectory(prefix="skein-bench-", dir=chosen.folder) as folder:
            for kind in chosen.kinds:
                found = measure(chosen, kind, folder)
                rows += [[kind, round_ + 1, *figures] for round_, figures in enumerate(zip(*found.values()))]
                speed = {name: f"{chosen.mib * 2 ** 20 / 1e9 / median(found[name]):.2f}" for name in FIGURES[:4]}
                share = {name: f"{100 * median(found[name]) / chosen.mib:.0f} %" for name in FIGURES[4:]}
                table.row(kind, speed["cp"], speed["all"], f"{median(ratios(found['cp'], found['all'])):.2f}", share["all_mib"],
                          speed["changed"], share["changed_mib"], speed["read"])
    except OSError as error:
        raise Wrong(f"{error.filename}: {error.strerror}")
    progress("")
    write_csv(chosen.csv, ["memory", "round", *FIGURES], rows)
    return 0

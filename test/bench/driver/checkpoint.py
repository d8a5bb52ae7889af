"""`skein bench checkpoint`: how fast the memory of a node gets into its file at a checkpoint, and back, beside cp.

One program (libexec/skein/checkpoint_rows) fills memory, writes it to a plain file, and in each round lets cp copy that
file to the disk, which begins with it in the page cache, then writes the memory itself (all, and again after a
hundredth of its pages has changed), and reads it back. Everything ends when it is on the disk. Disks have moods, so a
ratio is one of the same round.

With --running: what a checkpoint costs the run that goes on. A thread writes to random words all the time
(libexec/skein/writes), and counts how often in each tenth of a second. What it has not written, compared with the
median of all tenths, is the time that it has lost.
"""
import json
import os
import pathlib
import tempfile

from common import (ROOT, Parser, Table, Wrong, execute_well, median, number, numbers, program, progress, ratios, several,
                    write_csv)

KINDS = {"noise": "random bytes", "text": "words", "numbers": "sums of small steps, as doubles",
         "zeros": "a quarter words, else zeros"}
FIGURES = ["cp", "all", "changed", "read", "all_mib", "changed_mib"]
DESCRIPTION = """\
Prints GB of memory a second: by cp, by a first checkpoint, by one after a hundredth of the pages has changed, and back
again from that; and the sizes of the two files as shares of the memory. The ratio is (checkpoint / cp: above 1 we are
faster). With --running: how long all nodes stand still for a checkpoint (largest and median), and how much time
a thread loses to it that writes to random words meanwhile."""
RUNNING = {"private": ("malloc's", 1), "shared": ("shared", 2)}  # kind: (name, nodes)


def parse(arguments):
    parser = Parser("checkpoint", DESCRIPTION,
                    epilog="Kinds of memory: " + "; ".join(f"{kind}: {what}" for kind, what in KINDS.items()) + ".")
    parser.option("--kinds", "LIST", f"of {', '.join(KINDS)}", list(KINDS), several(list(KINDS)))
    parser.option("--mib", "N", "size of the memory; without it 4096, or 1024", None, number(1, int))
    parser.option("--level", "N", "of zstd", 1, number(-7, int))
    parser.option("--threads", "N", "that compress and read", os.cpu_count(), number(1, int))
    parser.flag("--sealed", "with a key")
    parser.option("--rounds", "N", "measurements of each", 5, number(1, int))
    parser.flag("--running", "measure what checkpoints cost a running thread, with 1 GiB of memory unless --mib says otherwise")
    parser.option("--wide", "N", "MiB of its memory to which the thread writes", 128, number(1, int))
    parser.option("--seconds", "N", "for which it writes", 40, number(1, int))
    parser.option("--every", "N", "seconds there is a checkpoint", 5, number(1, int))
    parser.option("--folder", "DIR", "on the disk that is measured; three times the memory must fit", ".")
    parser.flag("--markdown", "print the table as docs/benchmarks.md has it")
    parser.option("--csv", "FILE", "write all measurements")
    chosen = parser.parse_args(arguments)
    chosen.mib = chosen.mib or (1024 if chosen.running else 4096)
    return chosen


def measure(chosen, kind, folder):
    """{figure: values by round}"""
    progress(f"{kind}: {chosen.rounds} rounds")
    argv = [program("checkpoint_rows"), str(ROOT / "lib/skein/libskein_checkpoint.so"), folder, kind, str(chosen.mib),
            str(chosen.level), str(chosen.threads), str(int(chosen.sealed)), str(chosen.rounds)]
    words = iter(execute_well(argv).output.split())
    rounds = [numbers(words, len(FIGURES)) for _ in range(chosen.rounds)]
    return dict(zip(FIGURES, map(list, zip(*rounds))))


def run_and_write(chosen, kind, folder):
    """(milliseconds of each pause, seconds that were lost to each checkpoint)"""
    nodes = RUNNING[kind][1]
    checkpoints = pathlib.Path(folder, kind)
    progress(f"{kind}: {chosen.seconds} s")
    output = execute_well([program("skein"), "run", "-n", str(nodes), "--checkpoint", str(checkpoints), "--every",
                           f"{chosen.every}s", "--keep", "100000", program("writes"), kind, str(chosen.mib), str(chosen.wide),
                           str(chosen.seconds)], {"SKEIN_OPTIONS": "steal=off"}).output
    tenths = [int(line) for line in output.split()]
    pauses = [json.loads(manifest.read_text())["pause_ms"] for manifest in checkpoints.glob("*/manifest.json")]
    if not pauses:
        raise Wrong(f"no checkpoint was complete within {chosen.seconds} s: --seconds and --every can be larger")
    return pauses, (len(tenths) - sum(tenths) / median(tenths)) / 10 / len(pauses)


def bench_running(chosen):
    print(f"What a checkpoint costs a thread that writes to {chosen.wide} of {chosen.mib} MiB; {chosen.seconds} s, every "
          f"{chosen.every} s\n")
    table = Table([("memory", -8), ("checkpoints", 11), ("longest pause, ms", 17), ("median, ms", 10), ("lost, s", 7),
                   ("at one in 30 s", 14)], chosen.markdown)
    rows = []
    with tempfile.TemporaryDirectory(prefix="skein-bench-", dir=chosen.folder) as folder:
        for kind, (name, _) in RUNNING.items():
            pauses, lost = run_and_write(chosen, kind, folder)
            rows += [[kind, i + 1, pause, lost] for i, pause in enumerate(pauses)]
            table.row(name, str(len(pauses)), str(max(pauses)), f"{median(pauses):.0f}", f"{lost:.2f}", f"{100 * lost / 30:.1f} %")
    progress("")
    write_csv(chosen.csv, ["memory", "checkpoint", "pause_ms", "lost_s"], rows)
    return 0


def bench(arguments):
    chosen = parse(arguments)
    try:
        return bench_running(chosen) if chosen.running else bench_files(chosen)
    except OSError as error:
        raise Wrong(f"{error.filename}: {error.strerror}")


def bench_files(chosen):
    print(f"Memory of a node to the disk and back; {chosen.mib} MiB, level {chosen.level}, {chosen.threads} threads"
          f"{', sealed' if chosen.sealed else ''}, median of {chosen.rounds}\n")
    table = Table([("memory", -8), ("cp, GB/s", 9), ("all, GB/s", 10), ("ratio", 6), ("file", 6), ("changed, GB/s", 14),
                   ("file", 6), ("read, GB/s", 11)], chosen.markdown)
    rows = []
    with tempfile.TemporaryDirectory(prefix="skein-bench-", dir=chosen.folder) as folder:
        for kind in chosen.kinds:
            found = measure(chosen, kind, folder)
            rows += [[kind, round_ + 1, *figures] for round_, figures in enumerate(zip(*found.values()))]
            speed = {name: f"{chosen.mib * 2 ** 20 / 1e9 / median(found[name]):.2f}" for name in FIGURES[:4]}
            share = {name: f"{100 * median(found[name]) / chosen.mib:.0f} %" for name in FIGURES[4:]}
            table.row(kind, speed["cp"], speed["all"], f"{median(ratios(found['cp'], found['all'])):.2f}", share["all_mib"],
                      speed["changed"], share["changed_mib"], speed["read"])
    progress("")
    write_csv(chosen.csv, ["memory", "round", *FIGURES], rows)
    return 0

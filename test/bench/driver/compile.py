"""`skein bench compile`: what it costs the compiler that threads can move. Each file is compiled by clang and, in
several variants, by skeincc with the same options, in turn, as in `skein bench overhead`. What counts is CPU time of
the compiler, what the driver starts included, and the sizes of the machine code and of the frame maps in the object
file.

The programs of `overhead` are small, and for them loading the plugin is most of what is added. A claim about large
files needs large files: name them.
"""
import os
import re
import tempfile

import comparison
from common import Parser, Table, Wrong, execute, execute_well, in_turn, median, middle_half, ratios, write_csv
from comparison import CLANG

DESCRIPTION = """\
Compiles C or C++ files (default: the programs of `skein bench overhead`) with clang and, in several variants, with
skeincc, and prints for each variant the CPU time as a ratio to clang's (median, middle half), the size of the
machine code as a ratio to clang's, and the size of the frame maps in KiB."""
MAPS_SECTION = "skein_maps"  # runtime/abi/frame_map.h


def parse(arguments):
    parser = Parser("compile", DESCRIPTION, "[options] [FILE...]")
    comparison.add_options(
        parser, 5, "plain,stress-all", "plain, polls, private (globals), heap (private), private-all (both), "
        "growable, stress, stress-all (with both private)", "file,variant,round,seconds,code,maps", "the times")
    parser.option("--clang", "PROGRAM", "the compiler to compare with (default clang-22, for C++ clang++-22)")
    parser.add_argument("files", nargs="*", metavar="FILE")
    chosen = parser.parse_args(arguments)
    for side in chosen.variants:
        if "lto" in side:
            parser.error(f"--variants: what {side} compiles is code only when it is linked")
    chosen.files = chosen.files or [
        str(comparison.PROGRAMS / f"{name}.c") for name in comparison.programs_in(comparison.PROGRAMS, chosen.filter)
    ]
    return chosen


def sizes(file):
    """Bytes of machine code and of frame maps."""
    listed = execute_well(["readelf", "-SW", file], {"LC_ALL": "C"}).output
    sections = re.findall(r"^ *\[ *\d+\] (\S+) +\S+ +[0-9a-f]{16} [0-9a-f]+ ([0-9a-f]+) [0-9a-f]+ +([A-Z]*A[A-Z]*) ",
                          listed, re.M)
    return (sum(int(size, 16) for _, size, flags in sections if "X" in flags),
            sum(int(size, 16) for name, size, flags in sections if "X" not in flags and name.startswith(MAPS_SECTION)))


class Result:
    """Of one file: CPU seconds by round, and sizes, of each side."""

    def __init__(self, chosen, scratch, file):
        made = os.path.join(scratch, "object.o")
        clang, ours = ("clang-22", "skeincc") if file.endswith(".c") else ("clang++-22", "skein++")
        self.name, self.code, self.maps = os.path.basename(file), {}, {}

        def seconds(side):
            argv = comparison.compiler_of(side, chosen.clang or clang, chosen.options, ours)
            execution = execute([*argv, "-w", "-c", file, "-o", made])
            if execution.status:
                raise Wrong(f"{argv[0]} could not compile {file}")
            self.code[side], self.maps[side] = sizes(made)
            return execution.cpu_seconds

        self.seconds = in_turn(chosen.rounds, [CLANG, *chosen.variants], seconds)

    def time_ratios(self, side):
        return ratios(self.seconds[side], self.seconds[CLANG])

    def code_ratio(self, side):
        return self.code[side] / self.code[CLANG]

    def cell(self, side):
        times = self.time_ratios(side)
        code, maps = f"{self.code_ratio(side):7.3f}", f"{self.maps[side] / 1024:9.1f}"
        return [f"{median(times):7.3f}", middle_half(times), code, maps]


def summarise(chosen, results, side):
    """Of one variant. False: above a limit."""
    names = [result.name for result in results]
    times = comparison.Figures(names, [median(result.time_ratios(side)) for result in results])
    codes = comparison.Figures(names, [result.code_ratio(side) for result in results])
    title = comparison.title(side)
    print(f"{title}: {len(results)} files, geometric mean of the times {times.mean:.3f}, of the code {codes.mean:.3f}, "
          f"worst time {times.worst()}")
    return times.is_within(chosen, title)


def bench(arguments):
    chosen = parse(arguments)
    print(f"clang against skeincc {chosen.options}, median of {chosen.rounds} rounds: CPU seconds and KiB of code of "
          "clang's, then ratios to them and KiB of maps\n")
    titles = [comparison.title(side) for side in chosen.variants]
    if chosen.markdown:
        of_variants = [([f"{title}: time", "", "code", "maps, KiB"], 0) for title in titles]
        table = Table([("file", 0), ("clang, s", 0), ("code, KiB", 0), *of_variants], True)
    else:
        table = Table([("file", -24), ("clang", 8), ("code", 9), *((f"  {title}", -39) for title in titles)])
    results = []
    with tempfile.TemporaryDirectory(prefix="skein-bench-") as scratch:
        for file in chosen.files:
            result = Result(chosen, scratch, file)
            results.append(result)
            table.row(result.name, f"{median(result.seconds[CLANG]):.3f}", f"{result.code[CLANG] / 1024:.1f}",
                      *map(result.cell, chosen.variants))
    print()
    good = all([summarise(chosen, results, side) for side in chosen.variants])
    write_csv(chosen.csv, ["file", "variant", "round", "seconds", "code", "maps"],
              ([result.name, side, round_, f"{seconds:.6f}", result.code[side], result.maps[side]] for result in results
               for side, of_side in result.seconds.items() for round_, seconds in enumerate(of_side)))
    return 0 if good else 1

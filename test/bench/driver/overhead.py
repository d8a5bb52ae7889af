"""`skein bench overhead`: what a program pays for being compiled so that its threads can move, while nothing moves.

Each program is compiled by clang and, in several *variants* (with -flto, with polls, ...), by skeincc with the same
options, and all run in turn. What counts is CPU time of the process (user and system, start-up of the runtime
included), which other load disturbs less than wall time. A program's figure is the median of the ratios of its rounds,
with the middle half of them as its spread; the headline is their geometric mean.

Times of short runs on shared machines scatter by several percent. Instructions do not: `--instructions` has valgrind
count them, once for each program and variant, in a copy of the program that makes fewer rounds (ROUNDS in its source).

All must print the same, or the benchmark fails: a fast wrong answer is no answer.

What nobody here chose is measured by `--outside`: programs of others (outside.py), on inputs of ours.
"""
import os
import pathlib
import re
import sys
import tempfile

import comparison
from common import (Parser, Table, Wrong, execute, execute_well, in_turn, median, middle_half, progress, ratios,
                    write_csv)
from comparison import CLANG

DESCRIPTION = """\
Compiles call- and pointer-heavy programs with clang and, in several variants, with skeincc, runs them in turn, and
prints the CPU time of clang's and the ratio of each variant to it: median, middle half, geometric mean, worst."""


def parse(arguments):
    parser = Parser("overhead", DESCRIPTION)
    comparison.add_options(
        parser, 11, "plain,lto,polls",
        "plain, lto, thinlto, polls, lto-polls, same (moves), private (globals), heap (private), private-all (both), "
        "growable",
        "program,variant,round,seconds,instructions", "the instructions if counted, else of the times")
    parser.flag("--instructions", "count instructions, too (valgrind; minutes)")
    parser.option("--skeincc-options", "TEXT", "options for skeincc only", "")
    parser.option("--clang", "PROGRAM", "the compiler to compare with", "clang-22")
    parser.flag("--outside", "instead programs that nobody here wrote: Debian's sources, fetched and built (a minute "
                "or two for each)")
    parser.option("--place", "DIR", "where sources of --outside are kept (default ~/.cache/skein-bench)",
                  type=pathlib.Path)
    parser.option("--dir", "DIR", "where the programs are, DIR/*.c (default share/skein/bench/overhead beside bin)",
                  type=pathlib.Path)
    return parser.parse_args(arguments)


class Program:
    """One of ours, a file. Those of others are outside.Program."""

    def __init__(self, name, directory):
        self.name, self.file = name, directory / f"{name}.c"

    def command(self, chosen, scratch, side, brief):
        """The words that run it, compiled. `brief`: for valgrind. A program that has many rounds makes a thirty-second
        of them."""
        made = os.path.join(scratch, f"{self.name}.{side}{'.brief' if brief else ''}")
        argv = comparison.compiler_of(side, chosen.clang, chosen.options)
        argv += ["-DROUNDS(n)=((n)/32+1)"] if brief else []
        argv += chosen.skeincc_options.split() if side != CLANG else []
        # Valgrind 3.19 gives up on clang's debugging information, which a runtime for developers has.
        argv += [str(self.file), "-o", made, "-lm", "-Wl,--strip-debug"]
        if execute(argv).status:
            raise Wrong(f"{argv[0]} could not compile {self.file.name}")
        return [made]


def count_instructions(scratch, command, folder):
    log = os.path.join(scratch, "valgrind.log")
    execute_well(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
                  f"--log-file={log}", *command], cwd=folder)
    found = re.search(r"I +refs: +([0-9,]+)", pathlib.Path(log).read_text())
    if not found:
        raise Wrong(f"valgrind did not say how many instructions {command[0]} executed")
    return int(found[1].replace(",", ""))


class Result:
    """Of one program: its CPU seconds by round and the instructions of each side."""

    def __init__(self, chosen, scratch, program, folder):
        sides = [CLANG, *chosen.variants]
        commands = {side: program.command(chosen, scratch, side, False) for side in sides}
        outputs = set()

        def seconds(side):
            execution = execute_well(commands[side], cwd=folder)
            outputs.add(execution.output)
            if len(outputs) > 1:
                raise Wrong(f"{program.name}: not all variants print the same\n  " +
                            "  ".join(output[:400] for output in outputs))
            return execution.cpu_seconds

        self.name, self.seconds, self.instructions = program.name, in_turn(chosen.rounds, sides, seconds), {}
        for side in sides if chosen.instructions else []:
            progress(f"{program.name}: counting instructions of {side}")
            brief = program.command(chosen, scratch, side, True)
            self.instructions[side] = count_instructions(scratch, brief, folder)
        progress("")

    def time_ratios(self, side):
        return ratios(self.seconds[side], self.seconds[CLANG])

    def instruction_ratio(self, side):
        return self.instructions[side] / self.instructions[CLANG]

    def cell(self, side, markdown):
        times = self.time_ratios(side)
        counted = [f"{self.instruction_ratio(side):.3f}"] if self.instructions else [] if markdown else ["    -"]
        return [f"{median(times):.3f}", middle_half(times), *counted]


def summarise(chosen, results, side):
    """Of one variant. False: above a limit."""
    names = [result.name for result in results]
    times = judged = comparison.Figures(names, [median(result.time_ratios(side)) for result in results])
    title = comparison.title(side)
    line = f"{title}: {len(results)} programs, geometric mean of the times {times.mean:.3f}"
    if chosen.instructions:
        judged = comparison.Figures(names, [result.instruction_ratio(side) for result in results])
        line += f", of the instructions {judged.mean:.3f}"
    print(f"{line}, worst {judged.worst()}")
    return judged.is_within(chosen, title)


def bench(arguments):
    chosen = parse(arguments)
    if chosen.outside:
        import outside  # brings test/real with it

        place = (chosen.place or pathlib.Path.home() / ".cache/skein-bench").absolute()
        programs, folder = outside.programs(place, chosen.filter), outside.prepare(place)
    else:
        directory = chosen.dir or comparison.PROGRAMS
        programs, folder = [Program(name, directory) for name in comparison.programs_in(directory, chosen.filter)], None
    print(f"{chosen.clang} {chosen.options} against skeincc {chosen.options}, median of {chosen.rounds} rounds: CPU "
          "seconds of clang's, then ratios to them (middle half)"
          f"{' and of instructions' if chosen.instructions else ''}\n")
    titles = [comparison.title(side) for side in chosen.variants]
    if chosen.markdown:
        of_variants = [([f"{title}: time", "", *["instructions"] * chosen.instructions], 0) for title in titles]
        table = Table([("program", 0), ("clang, s", 0), *of_variants], True)
    else:
        table = Table([("program", -13), ("clang", 7), *((title, -26) for title in titles)])
    results, failures = [], []
    with tempfile.TemporaryDirectory(prefix="skein-bench-") as scratch:
        for program in programs:
            try:
                result = Result(chosen, scratch, program, folder)
            except Wrong as wrong:  # the others are still worth knowing
                progress("")
                print(f"skein bench: {wrong}", file=sys.stderr)
                failures.append(program.name)
                continue
            results.append(result)
            table.row(program.name, f"{median(result.seconds[CLANG]):.3f}",
                      *(result.cell(side, chosen.markdown) for side in chosen.variants))
    if not results:
        return 1
    print()
    good = all([summarise(chosen, results, side) for side in chosen.variants])
    write_csv(chosen.csv, ["program", "variant", "round", "seconds", "instructions"],
              ([result.name, side, round_, f"{seconds:.6f}", result.instructions.get(side, 0)] for result in results
               for side, of_side in result.seconds.items() for round_, seconds in enumerate(of_side)))
    if failures:
        print(f"failed: {', '.join(failures)}")
    return 0 if good and not failures else 1

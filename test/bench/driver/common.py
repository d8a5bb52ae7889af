"""What all benchmarks share: the programs of this build, running one and measuring it, rounds in turn, medians and
quantiles, tables, CSV files, progress, and the command line.

A machine has moods: it speeds up and slows down over minutes, and two virtual cores may share a cache for some seconds
and not for the next ones. So whatever is compared runs in turn, in several rounds; a figure is the median over the
rounds, and a ratio the median of the ratios within the rounds.
"""
import argparse
import csv
import dataclasses
import os
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(os.environ.get("SKEIN_BENCH_ROOT", ""))  # of the build or install tree whose `skein bench` this is


class Wrong(Exception):
    """What is wrong with the command line, or with a program that was run, in words."""


def program(name):
    """The path of a program of bin, or of libexec/skein, where the measured ones are."""
    for directory in ("bin", "libexec/skein"):
        path = ROOT / directory / name
        if os.access(path, os.X_OK):
            return str(path)
    raise Wrong(f"{name} is not in {ROOT}/bin or libexec/skein")


def has_program(name):
    """Peers are built only where their libraries are installed."""
    return os.access(ROOT / "libexec/skein" / name, os.X_OK)


@dataclasses.dataclass
class Execution:
    status: int  # 128 + signal if it was killed
    cpu_seconds: float  # user + system, of the program and the children it waited for
    output: str  # standard output; standard error goes where ours goes


def execute(argv, environment={}, **more):
    """Runs argv[0] (searched in PATH) with `environment` added to ours, and waits. `more` is for Popen."""
    sys.stdout.flush()
    try:
        child = subprocess.Popen(argv, stdout=subprocess.PIPE, env=os.environ | environment, **more)
    except OSError as error:
        raise Wrong(f"cannot run {argv[0]}: {error.strerror}")
    with child:
        output = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    status = child.returncode if child.returncode >= 0 else 128 - child.returncode
    return Execution(status, usage.ru_utime + usage.ru_stime, output.decode(errors="surrogateescape"))


def execute_well(argv, environment={}, **more):
    """The same of a program that must end with status 0."""
    execution = execute(argv, environment, **more)
    if execution.status:
        raise Wrong(f"{argv[0]} ended with status {execution.status}")
    return execution


def words_of(argv, environment={}):
    """What such a program printed, as an iterator of words."""
    return iter(execute_well(argv, environment).output.split())


def numbers(words, count):
    """The next words as so many numbers."""
    try:
        return [float(next(words)) for _ in range(count)]
    except (StopIteration, ValueError):
        raise Wrong("a program printed something else than its figures, or too few")


def skein_options(*ours):
    """The environment with these at the end of SKEIN_OPTIONS: later ones win."""
    return {"SKEIN_OPTIONS": ",".join(filter(None, [os.environ.get("SKEIN_OPTIONS"), *ours]))}


def bare_ucx(transport):
    """The environment of yardsticks that are bare UCX, over "shm" as the nodes of a run have it (`skein bench` says how
    that is), or "tcp", which no run uses. What the user has set wins, but for UCX_TLS."""
    settings = dict(line.split("=", 1) for line in os.environ.get("SKEIN_BENCH_UCX", "").splitlines())
    ours = {"UCX_TLS": settings.pop("UCX_TLS", "posix,cma,self")}
    if transport == "tcp":
        settings.pop("UCX_MODULES", None)
        ours |= {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo", "UCX_MODULES": "none"}
    return {name: value for name, value in settings.items() if name not in os.environ} | ours


# Rounds and figures.


def in_turn(rounds, sides, measure):
    """{side: what measure(side) returned, by round}. Each round begins with another side, so that a machine that slows
    down or speeds up favours none."""
    sides = list(sides)
    measured = {side: [] for side in sides}
    for round_ in range(rounds):
        first = round_ % len(sides)
        for side in sides[first:] + sides[:first]:
            progress(f"round {round_ + 1} of {rounds}: {side}")
            measured[side].append(measure(side))
    progress("")
    return measured


def median(values):
    return statistics.median(values) if values else 0


def quantile(values, part):
    """The value a share `part` of the way through them, in order."""
    values = sorted(values)
    at = part * (len(values) - 1)
    below = int(at)
    above = min(below + 1, len(values) - 1)
    return values[below] + (at - below) * (values[above] - values[below])


def middle_half(values):
    return f"({quantile(values, 0.25):.3f}-{quantile(values, 0.75):.3f})"


def ratios(ours, theirs):
    """By round."""
    return [a / b for a, b in zip(ours, theirs)]


# What is printed and written.


def progress(text):
    """A line on stderr that the next one replaces, for who looks at a terminal; an empty one takes it away."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


class Table:
    """Rows as they come, below headings, for a terminal or as docs/benchmarks.md has them. `columns`: (heading, width),
    a width below zero for text that begins at the left. A heading or a cell that is a list is several columns in
    Markdown."""

    def __init__(self, columns, markdown=False):
        self.widths, self.markdown = [width for _, width in columns], markdown
        headings = [heading for heading, _ in columns]
        self.row(*headings)
        if markdown:
            print("|---|" + "---:|" * (len(self._flat(headings)) - 1))

    def row(self, *cells):
        if self.markdown:
            print("| " + " | ".join(self._flat(cells)) + " |")
            return
        texts = (" ".join(cell) if isinstance(cell, list) else cell for cell in cells)
        print("  ".join(
            text.ljust(-width) if width < 0 else text.rjust(width) for text, width in zip(texts, self.widths)).rstrip())

    @staticmethod
    def _flat(cells):
        return [part for cell in cells for part in (cell if isinstance(cell, list) else [cell])]


def write_csv(path, columns, rows):
    """Whole, or an error. Without a path nothing."""
    if not path:
        return
    try:
        with open(path, "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(columns)
            writer.writerows(rows)
    except OSError as error:
        raise Wrong(f"cannot write {path}: {error.strerror}")


# The command line.


class Parser(argparse.ArgumentParser):
    """Of `skein bench NAME`. What is wrong is a Wrong that names the option."""

    def __init__(self, name, description, usage="[options]", epilog=None):
        super().__init__(
            prog=f"skein bench {name}", usage=f"skein bench {name} {usage}", description=description, epilog=epilog,
            allow_abbrev=False,
            formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(prog, max_help_position=26, width=120))

    def flag(self, name, explanation):
        self.add_argument(name, action="store_true", help=explanation.replace("%", "%%"))

    def option(self, name, value, explanation, default=None, type=str):
        """With a value, in either form: `--name value`, also if the value looks like an option, or `--name=value`."""
        shown = f" (default {default if isinstance(default, (str, int)) else ','.join(default)})" if default else ""
        self.add_argument(name, metavar=value, default=default, type=type,
                          help=(explanation + shown).replace("%", "%%"))

    def parse_args(self, arguments):
        with_value = {name for name, action in self._option_string_actions.items() if action.nargs is None}
        joined, words = [], iter(arguments)
        for word in words:
            value = next(words, None) if word in with_value else None
            joined.append(word if value is None else f"{word}={value}")
        return super().parse_args(joined)

    def error(self, message):
        name = self.prog.removeprefix("skein bench ")
        raise Wrong(f"{name}: {message.removeprefix('argument ')}; `{self.prog} --help` lists the options")


def number(least, kind=float):
    """For Parser.option."""

    def convert(text):
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not value >= least:
            raise argparse.ArgumentTypeError(f"'{text}' is not a number of at least {least}")
        return value

    return convert


def several(known, complaint="'{}' is not {}"):
    """A list of these. `complaint` has room for one that is unknown, and for those that there are."""

    def convert(text):
        names = [name for name in text.split(",") if name]
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(complaint.format(name, either(known)))
        if not names:
            raise argparse.ArgumentTypeError("none given")
        return names

    return convert


def one_of(known):

    def convert(text):
        if text not in known:
            raise argparse.ArgumentTypeError(f"'{text}' is not {either(known)}")
        return text

    return convert


def either(names):
    *most, last = names
    return f"{', '.join(most)} or {last}"

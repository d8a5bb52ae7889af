"""What the figures share: programs of this build and how they are run, medians, tables, plots."""
import csv
import json
import os
import pathlib
import re
import resource
import statistics
import subprocess
import time


class Spread(float):
    """A median that knows the least and the greatest of what it was taken from."""

    def __new__(cls, value, low, high):
        self = super().__new__(cls, value)
        self.low, self.high = low, high
        return self

    def __truediv__(self, other):
        return Spread(float(self) / float(other), self.low / highest(other), self.high / lowest(other))

    def __rtruediv__(self, other):
        return Spread(other / float(self), other / self.high, other / self.low)


def lowest(value):
    return getattr(value, "low", value)


def highest(value):
    return getattr(value, "high", value)


def median(samples):
    samples = list(samples)
    return Spread(statistics.median(samples), min(samples), max(samples))


class Setting:
    """Where everything is, and how much time there is."""

    def __init__(self, root, out, quick, nodes, rounds):
        self.root, self.out, self.quick, self.nodes = pathlib.Path(root), pathlib.Path(out), quick, nodes
        self.rounds = 1 if quick else rounds

    def program(self, name):
        """Of bin, examples or libexec/skein."""
        for directory in ("bin", "examples", "libexec/skein"):
            if (self.root / directory / name).exists():
                return str(self.root / directory / name)
        raise SystemExit(f"{name} is not in {self.root}")


def command_of(setting, nodes, program, *arguments, bind=False):
    """The words of a run on so many nodes."""
    command = [setting.program(program), *map(str, arguments)]
    if nodes > 1:
        command = [setting.program("skein"), "run", "-n", str(nodes),
                   *(["--bind"] if bind and len(os.sched_getaffinity(0)) >= nodes else []), *command]
    return command


def run(setting, nodes, program, *arguments, options="", timeout=600, failure=0, bind=False):
    """Standard output and error of a run with one worker a node. `failure` is a status that is no failure here. `bind`:
    each node has a core of its own, if there are so many."""
    environment = dict(os.environ, LC_ALL="C")
    given = environment.get("SKEIN_OPTIONS")
    environment["SKEIN_OPTIONS"] = ",".join(filter(None, [given, "workers=1", options]))
    command = command_of(setting, nodes, program, *arguments, bind=bind)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=timeout)
    if done.returncode not in (0, failure):
        raise SystemExit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout[-600:]}{done.stderr[-600:]}")
    return done.stdout + done.stderr


def found(pattern, text):
    match = re.search(pattern, text)
    if not match:
        raise SystemExit(f"no '{pattern}' in\n{text[-600:]}")
    return match[1]


def wall_and_cpu_seconds(setting, runs, nodes, program, *arguments):
    """Until so many independent runs on so many nodes, started together, have ended, and of all their processes' cores.
    What they print goes nowhere."""
    environment = dict(os.environ, LC_ALL="C", SKEIN_OPTIONS="workers=1")
    begin, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    children = [subprocess.Popen(command_of(setting, nodes, program, *arguments), env=environment,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(runs)]
    if any([child.wait() for child in children]):
        raise SystemExit(f"a run of {program} failed")
    wall, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


# Okabe and Ito's colours, which people tell apart who do not see all colours; the markers differ, too.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00"]
MARKERS = "osD^v"


class Result:
    """A table, and perhaps a plot of it: column 0 against the others, or against those of `plotted`. `title` says what is
    shown, `plot` what the vertical axis is, with its unit; a Spread is shown with its range. A plot against nodes shows
    where there are more of them than cores, and with `ideal` what would be N times as fast."""

    measured = ""

    def __init__(self, name, title, columns, rows, note="", plot=None, log_x=False, log_y=False, plotted=None, ideal=False):
        self.name, self.title, self.columns, self.rows, self.note = name, title, columns, rows, note
        self.y_label, self.log_x, self.log_y, self.ideal = plot, log_x, log_y, ideal
        self.plotted = plotted or list(range(1, len(columns)))

    def text(self, markdown=False):
        cells = [[str(c) for c in self.columns]] + [[shown(c) for c in row] for row in self.rows]
        widths = [max(len(row[i]) for row in cells) for i in range(len(self.columns))]
        if markdown:
            lines = ["| " + " | ".join(row) + " |" for row in cells]
            lines.insert(1, "|---|" + "---:|" * (len(widths) - 1))
        else:
            lines = ["  ".join(cell.rjust(width) if i else cell.ljust(width)
                               for i, (cell, width) in enumerate(zip(row, widths))) for row in cells]
        return "\n".join(lines)

    def keep(self, directory, measured):
        """For a page that is written later, with what else was measured into this folder. `measured`: when, and so on."""
        self.measured = measured
        kept = {"name": self.name, "title": self.title, "note": self.note, "measured": measured,
                "table": self.text(markdown=True)}
        (directory / f"{self.name}.json").write_text(json.dumps(kept))

    def write(self, directory):
        with open(directory / f"{self.name}.csv", "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self.columns)
            writer.writerows(["" if c is None else c for c in row] for row in self.rows)
        return self.plot(directory / f"{self.name}.svg") if self.y_label else False

    def plot(self, path):
        try:
            import matplotlib
        except ImportError:
            return False
        matplotlib.use("svg")
        matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "skein", "font.size": 9})
        from matplotlib import pyplot, ticker
        figure, axes = pyplot.subplots(figsize=(6.2, 4))
        by_nodes = self.columns[0] == "nodes"
        for i, colour, marker in zip(self.plotted, COLOURS, MARKERS):
            points = [(row[0], row[i]) for row in self.rows if isinstance(row[i], (int, float))]
            if not points:
                continue
            x, y = zip(*points)
            reach = [[float(v) - lowest(v) for v in y], [highest(v) - float(v) for v in y]]
            axes.errorbar(x, [float(v) for v in y], yerr=reach if any(map(any, reach)) else None, color=colour, marker=marker,
                          markersize=4, linewidth=1.3, elinewidth=0.8, capsize=2.5, label=self.columns[i])
        if self.ideal:
            ends = [self.rows[0][0], self.rows[-1][0]]
            axes.plot(ends, ends, color="0.4", linewidth=1, linestyle="--", label="N nodes, N times as fast")
        if self.log_x:
            axes.set_xscale("log")
        elif all(isinstance(row[0], int) for row in self.rows):
            axes.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
        if self.log_y:
            axes.set_yscale("log")
        else:
            axes.set_ylim(bottom=0)
        cores = os.cpu_count()
        if by_nodes and self.rows[-1][0] > cores:
            axes.axvspan(cores + 0.5, self.rows[-1][0] + 0.15, color="0.92", zorder=0)
            axes.text(cores + 0.55, axes.get_ylim()[1] * 0.98, f"more nodes than the {cores} cores", fontsize=7, va="top",
                      color="0.3")
        axes.set(xlabel="number of nodes" if by_nodes else self.columns[0], ylabel=self.y_label)
        axes.set_title(self.title, fontsize=9, wrap=True)
        axes.grid(linewidth=0.3)
        # Below the plot, where it hides nothing.
        figure.legend(loc="lower center", ncols=3, fontsize=7.5, frameon=False)
        figure.tight_layout(rect=(0, 0.07 if len(self.plotted) + self.ideal <= 3 else 0.11, 1, 1))
        figure.savefig(path, metadata={"Date": None})
        pyplot.close(figure)
        return True


class Kept(Result):
    """One that was measured before."""

    def __init__(self, path):
        kept = json.loads(path.read_text())
        super().__init__(kept["name"], kept["title"], [], [], kept["note"])
        self.table, self.measured = kept["table"], kept["measured"]

    def text(self, markdown=False):
        return self.table


def shown(cell):
    if cell is None:
        return ""
    if not isinstance(cell, float):
        return str(cell)
    size = abs(cell)
    return f"{cell:.0f}" if size >= 1000 else f"{cell:.1f}" if size >= 100 else f"{cell:.2f}" if size >= 1 else f"{cell:.3f}"

#!/usr/bin/env python3
"""Draws what a run has recorded: ready threads, messages and moves over time. `skein trace FILE --plot OUT` starts it.

usage: plot.py --out FILE.svg|.png|.pdf < events.csv

The events come as `skein trace --csv` prints them. A thread that moves is a line from the row of the node that it
leaves, at that time, to the row of the node where it arrives, at that time (seed 3, section 4.3.1). Colours are those
of Okabe and Ito, which colour-blind people tell apart.
"""
import argparse
import collections
import csv
import importlib.util
import os
import re
import sys

COLOURS = ["#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442", "#000000"]
DASHES = ["-", "--", ":", "-."]
BINS = 300


def style(index):
    """Colour and line of the curve with that number; they repeat only after 32."""
    return {"color": COLOURS[index % len(COLOURS)], "linestyle": DASHES[index // len(COLOURS) % len(DASHES)]}


class Steps:
    """A figure that stays as it is until it changes: its mean in each of many equal times."""

    def __init__(self):
        self.changes = []

    def set(self, at, value):
        self.changes.append((at, value))

    def means(self, end, bins):
        width = end / bins
        sums = [0.0] * bins
        for (at, value), (until, _) in zip(self.changes, self.changes[1:] + [(end, 0)]):
            first, last = int(at / width), min(int(until / width), bins - 1)
            for index in range(first, last + 1):
                sums[index] += value * (min(until, (index + 1) * width) - max(at, index * width)) / width
        return sums


class Events:
    def __init__(self, lines):
        self.end = 1e-9
        self.ready = collections.defaultdict(Steps)     # by node, from queues
        self.sampled = collections.defaultdict(Steps)   # the same, from samples
        self.links = collections.defaultdict(list)      # times of messages, by pair of nodes
        self.moves = []                                 # time, node, time, node
        self.nodes = set()
        self.leaving = {}
        self.lengths = collections.Counter()
        self.incomplete = set()                         # nodes of which events are missing: their queues cannot be counted
        for row in csv.DictReader(lines):
            self.take(row)

    def take(self, row):
        at, node, event = int(row["ns"]) / 1e9, int(row["node"]), row["event"]
        self.end = max(self.end, at)
        self.nodes.add(node)
        if event == "queued" or event == "unqueued":
            self.lengths[node] += 1 if event == "queued" else -1
            self.ready[node].set(at, max(self.lengths[node], 0))
        elif event == "lost":
            self.incomplete.add(node)
        elif event == "sample" and row["words"].endswith("which=ready"):
            self.sampled[node].set(at, self.word(row, "value"))
        elif event == "message sent":
            other = self.word(row, "to")
            self.links[min(node, other), max(node, other)].append(at)
        elif event == "departs":
            self.leaving[row["thread"], self.word(row, "hop")] = (at, node)
        elif event == "arrives":
            begin = self.leaving.pop((row["thread"], self.word(row, "hop")), None)
            if begin:
                self.moves.append((*begin, at, node))

    @staticmethod
    def word(row, name):
        return int(re.search(rf"(?:^|;){name}=(-?\d+)", row["words"])[1])


def draw(events, out):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plot
    plot.rcParams.update({"font.size": 9, "svg.fonttype": "none", "axes.grid": True, "grid.alpha": 0.3})
    scale, unit = (1, "s") if events.end >= 2 else (1e3, "ms") if events.end >= 2e-3 else (1e6, "µs")
    times = [(index + 0.5) * events.end / BINS * scale for index in range(BINS)]
    panels = [panel for panel, there in ((draw_ready, events.ready or events.sampled), (draw_links, events.links),
                                         (draw_moves, events.moves)) if there]
    if not panels:
        sys.exit("there is nothing to draw: neither queues, messages nor moves were recorded")
    figure, axes = plot.subplots(len(panels), 1, figsize=(8, 2.6 * len(panels)), sharex=True, squeeze=False)
    for axis, panel in zip(axes[:, 0], panels):
        panel(axis, events, times, scale)
    axes[-1, 0].set_xlabel(f"time since the first event ({unit})")
    axes[-1, 0].set_xlim(0, events.end * scale)
    figure.tight_layout()
    figure.savefig(out, dpi=150)


def legend(axis, count):
    axis.legend(loc="upper left", bbox_to_anchor=(1.01, 1), fontsize=8, ncols=1 + (count > 10), frameon=False)


def draw_ready(axis, events, times, _):
    axis.set_title("Threads that are ready to run, on each node", loc="left")
    axis.set_ylabel("ready threads")
    for index, node in enumerate(sorted(events.nodes)):
        counted = node in events.ready and node not in events.incomplete
        steps, how = (events.ready[node], "") if counted else (events.sampled.get(node), " (samples)")
        if steps:
            axis.plot(times, steps.means(events.end, BINS), label=f"node {node}{how}", lw=1.2, **style(index))
    axis.set_ylim(bottom=0)
    legend(axis, len(events.nodes))


def draw_links(axis, events, times, _):
    axis.set_title("Messages between each two nodes", loc="left")
    axis.set_ylabel("messages a second")
    width = events.end / BINS
    for index, link in enumerate(sorted(events.links)):
        counts = [0] * BINS
        for at in events.links[link]:
            counts[min(int(at / width), BINS - 1)] += 1
        axis.plot(times, [count / width for count in counts], label=f"{link[0]} – {link[1]}", lw=1.2, **style(index))
    axis.set_ylim(bottom=0)
    legend(axis, len(events.links))


def draw_moves(axis, events, _, scale):
    axis.set_title(f"Threads that moved ({len(events.moves)}): from the node that each leaves to where it arrives", loc="left")
    axis.set_ylabel("node")
    axis.set_yticks(sorted(events.nodes))
    shortest = events.end / 150  # so that the slope shows the direction
    for left, source, came, target in events.moves:
        axis.plot([left * scale, max(came, left + shortest) * scale], [source, target], lw=0.9,
                  color=COLOURS[source % len(COLOURS)])
    axis.set_ylim(max(events.nodes) + 0.3, min(events.nodes) - 0.3)


def need_matplotlib():
    """The python3 that is found first need not be the system's, which has what apt-get installs."""
    if importlib.util.find_spec("matplotlib"):
        return
    systems = "/usr/bin/python3"
    if os.path.realpath(sys.executable) != os.path.realpath(systems) and os.path.exists(systems):
        os.execv(systems, [systems, *sys.argv])
    sys.exit("plots need matplotlib: apt-get install python3-matplotlib")


def main():
    need_matplotlib()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, metavar="FILE")
    draw(Events(sys.stdin), parser.parse_args().out)


if __name__ == "__main__":
    main()

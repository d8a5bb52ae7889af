#!/usr/bin/env python3
"""skein bench all | policies | testbed | ariadne | simulation | dmi: the seeds' tables and figures, measured here.

usage: skein bench all [options] [NAME...]         everything, or what is named (--list)
       skein bench policies [options]              the same for the group `policies`
       skein bench testbed [options]               the third seed's: messages, measures of load, its balancer
       skein bench ariadne [options]               the fourth seed's: threads, moves beside messages, packed threads
       skein bench simulation [options]            events a second of a simulation
       skein bench dmi [options]                   the fifth seed's programs, beside OpenMPI; copies between processes

  --out DIR       where CSV files, SVG plots, report.md and machine.txt go (default skein-bench-DATE)
  --quick         one round of everything, small: does it work?
  --nodes N       as many nodes at most (default 4; each has one worker)
  --rounds N      how often; figures are medians (default 5)
  --page FILE     write docs/benchmarks.md: the page around the figures is page.md beside this program; plots go to a
                  folder beside FILE, named as it. What is not measured now is taken from DIR, if it is there
  --list          the names, groups and about how many seconds each takes

Plots need matplotlib (apt-get install python3-matplotlib); without it there are the tables.
"""
import argparse
import importlib.util
import datetime
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import time

import applications
import ariadne
import dmi
import moves
import simulation
import tables
import testbed
from measure import Kept, Setting

# Name, group, function, about how many seconds it takes: in full, quick.
EXPERIMENTS = [
    ("overhead", "overhead", tables.overhead, 300, 10), ("compile", "overhead", tables.compile_cost, 60, 5),
    ("threads", "threads", tables.threads, 60, 12),
    ("waiting", "threads", tables.waiting, 300, 10), ("forkjoin", "threads", tables.forkjoin, 150, 10),
    ("heap", "heap", tables.heap, 120, 5),
    ("shared", "shared", tables.shared, 70, 15), ("channels", "shared", tables.channels, 20, 5), ("checkpoint", "checkpoint", tables.checkpoint, 400, 10), ("migrate", "migrate", tables.migrate, 15, 5), ("drain", "migrate", tables.drain, 60, 5), ("figure-4", "migrate", moves.figure_4, 25, 8),
    ("lazy", "migrate", moves.lazy, 150, 10),
    ("figures-19-21", "migrate", moves.figures_19_to_21, 12, 5), ("grep", "policies", applications.grep_figures, 90, 10),
    ("quadrature", "policies", applications.quadrature_figures, 150, 15), ("figure-26", "policies", applications.figure_26, 25, 3),
    ("skewed", "policies", applications.skewed, 25, 5), ("pairs", "policies", applications.pairs, 200, 15),
    ("table-6", "testbed", testbed.table_6, 5, 2), ("table-8", "testbed", testbed.table_8, 20, 5),
    ("table-9", "testbed", testbed.table_9, 150, 10), ("rings", "testbed", testbed.rings, 120, 10),
    ("makers", "testbed", testbed.makers, 120, 5), ("timelines", "testbed", testbed.timelines, 60, 25),
    ("recording", "testbed", testbed.recording, 600, 15), ("ariadne-table-2", "ariadne", ariadne.table_2, 5, 1),
    ("ariadne-table-3", "ariadne", ariadne.table_3, 10, 2), ("packing", "ariadne", ariadne.packing, 10, 1),
    ("phold", "simulation", simulation.phold, 60, 3),
    ("optimistic", "simulation", simulation.optimistic, 60, 5), ("hot-region", "simulation", simulation.hot_region, 60, 3),
    ("figure-12-nbody", "dmi", dmi.nbody, 110, 3),
    ("figure-15-pagerank", "dmi", dmi.pagerank, 60, 3), ("figure-20-fem", "dmi", dmi.fem, 90, 3),
    ("figures-7-8-copies", "dmi", dmi.copies, 210, 25),
]


def command_line():
    """How this was called, but for the folder of the results, which means nothing on another machine."""
    words = list(sys.argv[2:])
    for at, word in enumerate(words):
        if word == "--out" and at + 1 < len(words):
            words[at + 1] = "DIR"
        elif word.startswith("--out="):
            words[at] = "--out=DIR"
    return words


def machine(setting):
    """What a figure depends on."""
    def said(*command):
        try:
            return subprocess.run(command, capture_output=True, text=True).stdout.strip()
        except OSError:
            return ""
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    cache = (setting.root / "CMakeCache.txt")
    found = re.search(r"CMAKE_BUILD_TYPE:\w+=(\w+)", cache.read_text()) if cache.exists() else None
    source = re.search(r"CMAKE_HOME_DIRECTORY:\w+=(.*)", cache.read_text()) if cache.exists() else None
    commit = said("git", "-C", source[1], "describe", "--always", "--dirty") if source else ""
    return {"machine": f"{model[1] if model else platform.machine()}, {os.cpu_count()} cores",
            "system": platform.platform(), "commit": commit or "unknown", "build": found[1] if found else "unknown",
            "options": os.environ.get("SKEIN_OPTIONS", "") or "none", "command": "skein bench " + " ".join(command_line()),
            "date": datetime.datetime.now().strftime("%Y-%m-%d %H:%M"),
            "load at the start": " ".join(f"{load:.2f}" for load in os.getloadavg())}


def section(result, plots, folder):
    lines = [f"**{result.title}**", "", result.text(markdown=True), ""]
    lines += [f"{result.note} ({result.measured})".strip(), ""]
    if result.name in plots and folder:
        lines += [f"![{result.title}]({folder}/{result.name}.svg)", ""]
    return "\n".join(lines)


def write_page(path, plots, facts, out):
    """page.md has {{name}} where a result goes, {{facts}} for the machine."""
    template = (pathlib.Path(__file__).resolve().parent / "page.md").read_text()
    by_name = {path.stem: Kept(path) for path in out.glob("*.json")}
    plots = plots | {path.stem for path in out.glob("*.svg")}
    folder = path.with_suffix("")

    def fill(match):
        name = match[1]
        if name == "facts":
            return "\n".join(f"* {key}: {value}" for key, value in facts.items())
        if name not in by_name:
            raise SystemExit(f"{path} needs '{name}': measure everything to write it")
        if name in plots:
            folder.mkdir(exist_ok=True)
            shutil.copy(out / f"{name}.svg", folder)
        return section(by_name[name], plots, folder.name).rstrip()

    path.write_text(re.sub(r"\{\{([a-z0-9-]+)\}\}", fill, template))


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("root"), parser.add_argument("group", choices=["all", "policies", "testbed", "ariadne", "simulation", "dmi"])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--out"), parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--nodes", type=int, default=4), parser.add_argument("--rounds", type=int, default=5)
    for flag in ("--quick", "--list", "--help"):
        parser.add_argument(flag, action="store_true")
    options = parser.parse_intermixed_args()
    if options.help:
        print(__doc__.strip())
        return
    if options.list:
        for name, group, _, full, quick in EXPERIMENTS:
            print(f"{name:14} {group:9} {full:4} s, --quick {quick} s")
        return
    known = {name for experiment in EXPERIMENTS for name in experiment[:2]}
    for name in options.names:
        if name not in known:
            sys.exit(f"skein bench: there is no '{name}'; --list shows what there is")
    wanted = options.names or ([] if options.group == "all" else [options.group])
    chosen = [e for e in EXPERIMENTS if not wanted or e[0] in wanted or e[1] in wanted]
    out = pathlib.Path(options.out or f"skein-bench-{datetime.datetime.now():%Y%m%d-%H%M%S}").resolve()
    out.mkdir(parents=True, exist_ok=True)
    setting = Setting(options.root, out, options.quick, options.nodes, options.rounds)
    facts = machine(setting)
    left = sum(e[4 if options.quick else 3] for e in chosen)
    print(f"{len(chosen)} measurements, about {left // 60} min {left % 60} s; results go to {out}", flush=True)
    results, plots = [], set()
    for i, (name, _, measure, full, quick) in enumerate(chosen, 1):
        print(f"\n[{i}/{len(chosen)}] {name} (about {left} s left)", flush=True)
        begin, load = time.monotonic(), os.getloadavg()[0]
        for result in measure(setting):
            results.append(result)
            result.keep(out, f"{facts['date']}, {facts['commit']}, {setting.rounds} rounds, load {load:.1f}")
            if result.write(out):
                plots.add(result.name)
            print(f"\n{result.title}\n{result.text()}\n{result.note}", flush=True)
        left -= quick if options.quick else full
        print(f"({time.monotonic() - begin:.0f} s)", flush=True)
    (out / "machine.txt").write_text("".join(f"{key}: {value}\n" for key, value in facts.items()))
    (out / "report.md").write_text("# Measured by skein bench\n\n" + "\n".join(f"* {k}: {v}" for k, v in facts.items()) +
                                   "\n\n" + "\n".join(section(r, plots, ".") for r in results))
    if not importlib.util.find_spec("matplotlib"):
        print("\nno plots: matplotlib is not installed (apt-get install python3-matplotlib)")
    if options.page:
        write_page(options.page.resolve(), plots, facts, out)


if __name__ == "__main__":
    main()

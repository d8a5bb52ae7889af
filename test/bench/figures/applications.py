"""The seeds' applications: grep (TR-97-054, Figures 7 to 10) and adaptive quadrature (its Figures 11 and 12; Figures 23
to 26 of the first seed), and what balancing policies gain on a skewed load."""
import re
import tempfile
import pathlib

from measure import Result, found, median, run, wall_and_cpu_seconds

DELAY_US = 1000  # what it takes to open something of another node, where the figure is about that
PATTERN = "(mutex|lock)[(&a-z]+->"


def make_tree(directory, directories=48, files=8, kib=48):
    """Some 400 files in 50 directories, as the seed's; always the same. Names so that all owners get as many."""
    words = "int void struct thread mutex lock(&self->queue) return if while signal pthread_lock( node next".split()
    state = 12345
    for d in range(directories):
        folder = directory / f"d{d // 16}{d % 16 // 4}{d % 4}"
        folder.mkdir()
        for f in range(files):
            line, lines, size = [], [], 0
            while size < kib * 1024:
                state = (state * 1103515245 + 12345) & 0x7FFFFFFF
                line.append(words[state >> 16 & 15] if (state >> 16 & 15) < len(words) else "x")
                if len(line) == 12:
                    lines.append(" ".join(line))
                    size += len(lines[-1]) + 1
                    line = []
            (folder / f"file{f}.c").write_text("\n".join(lines) + "\n")


class Grep:
    def __init__(self, setting):
        self.setting = setting
        self.folder = tempfile.TemporaryDirectory()
        make_tree(pathlib.Path(self.folder.name), 12 if setting.quick else 48)

    def arguments(self, policy, *more):
        return [f"--policy={policy}", "--report", *more, "-rciE", PATTERN, self.folder.name]

    def seconds(self, nodes, policy, *more):
        return median(float(found(rf"{policy}: ([0-9.]+) s", run(self.setting, nodes, "grep",
                                                                  *self.arguments(policy, *more))))
                      for _ in range(self.setting.rounds))


def speed_ups(grep, policies, *more):
    alone = grep.seconds(1, "alone", *more)
    rows = [[nodes, *(alone / grep.seconds(nodes, policy, *more) for policy in policies)]
            for nodes in range(1, grep.setting.nodes + 1)]
    return alone, rows


def grep_figures(setting):
    grep = Grep(setting)
    stealing, pushing = ["steal-search", "steal-cascade"], ["push-turn", "push-load"]
    alone, rows_7 = speed_ups(grep, stealing)
    _, rows_8 = speed_ups(grep, pushing)
    far = [f"--foreign-delay={DELAY_US}", f"--owners={setting.nodes}"]
    alone_far, rows_9 = speed_ups(grep, ["steal-cascade", "local"], *far)
    lives = []
    for where, more in (("here", []), ("far", far)):
        text = run(setting, 1, "grep", *grep.arguments("alone", "--times", *more))
        lives.append({float(us): int(count) for us, count in re.findall(r"from (\S+) us: (\d+) threads", text)})
    buckets = sorted(set(lives[0]) | set(lives[1]))
    note = f"One node alone: {alone:.3f} s."
    return [Result("figure-7", "Figure 7: how much faster grep is when idle nodes steal its threads", ["nodes", *stealing],
                   rows_7, note, "speed-up over one node alone", ideal=True),
            Result("figure-8", "Figure 8: how much faster grep is when node 0 pushes threads to the others",
                   ["nodes", *pushing], rows_8, note + " On one node there is nobody to push to, on two all search threads go to the other one.",
                   "speed-up over one node alone", ideal=True),
            Result("figure-9", "Figure 9: how much faster grep is when directories belong to nodes",
                   ["nodes", "steal-cascade", "local"], rows_9,
                   f"Whoever opens a file or directory of another one of {setting.nodes} owners waits {DELAY_US} us, in "
                   f"the kernel. One node alone: {alone_far:.3f} s.", "speed-up over one node alone", ideal=True),
            Result("figure-10", "Figure 10: how long grep's threads live",
                   ["life, µs (from)", "files of this node", "files of other nodes"],
                   [[us, lives[0].get(us, 0), lives[1].get(us, 0)] for us in buckets],
                   "One node, far: three of four directories belong to others. The seed's medians: 3.98 and 9.97 ms.",
                   "number of threads", log_x=True)]


TOLERANCE = {1: 2e-7, 2: 5e-4, 3: 2e-5}
DEPTH = {1: 24, 2: 20, 3: 20}


def quadrature(setting, nodes, function, threads):
    arguments = ["-f", function, "-n", threads, "-t", TOLERANCE[function] * (100 if setting.quick else 1), "--depth-max",
                 DEPTH[function], "--gate", 0]
    return median(float(found(r"wall time +([0-9.]+) s", run(setting, nodes, "quadrature", *arguments)))
                  for _ in range(setting.rounds))


def quadrature_figures(setting):
    threads = [1, 10, 100, 1000] + ([] if setting.quick else [10000, 100000])
    names = {1: ("figure-12-23", "Figures 12 and 23: time to integrate 10 sin(1/(0.00001 + 1000 sin 20x))"),
             2: ("figure-24", "Figure 24: time to integrate 123 sin(1/x) - 134 sin(20/(x-2)) + 120 sin(3000x^2)"),
             3: ("figure-25", "Figure 25: time to integrate sin 20000x, where all threads have as much to do")}
    results, at_1000 = [], {}
    for function, (name, title) in names.items():
        rows = []
        for count in threads:
            seconds = {nodes: quadrature(setting, nodes, function, count) for nodes in (1, 2)}
            rows.append([count, seconds[1], seconds[2], seconds[1] / seconds[2]])
            if count == 1000:
                at_1000[function] = seconds
        results.append(Result(name, title, ["number of threads", "1 node, s", "2 nodes, s", "speed-up"], rows, "",
                              "time, s", log_x=True, log_y=True, plotted=[1, 2]))
    rows = [[nodes, *(at_1000[f][1] / (at_1000[f].get(nodes) or quadrature(setting, nodes, f, 1000)) for f in names)]
            for nodes in range(1, setting.nodes + 1)]
    return [Result("figure-11", "Figure 11: how much faster quadrature with 1000 threads is",
                   ["nodes", "needles (1)", "wild ends (2)", "even (3)"], rows, "", "speed-up over one node", ideal=True)] + results


def figure_26(setting):
    text = run(setting, 2, "quadrature", "-f", 3, "-t", 2e-3 if setting.quick else 2e-6, "--depth-max", 26, "--overhead", "--repeat",
               2 * setting.rounds - 1)
    rows = [[int(a), float(b), float(c), float(d)]
            for a, b, c, d in re.findall(r"^ +(\d+) +([0-9.]+) +([0-9.]+) +(-?[0-9.]+)$", text, re.M)]
    return [Result("figure-26", "Figure 26: a busy node that idle ones ask in vain",
                   ["steps between yields", "alone, s", "asked, s", "overhead, %"], rows,
                   "The seed: below 5 % from 100 steps on. Requests are handled by whoever drives the network, not by "
                   "the thread that works, so the number of steps hardly matters here.")]


def pairs(setting):
    """Two nodes beside two independent copies: what must hold."""
    grep = Grep(setting)
    programs = {"quadrature, 10,000 threads": ("quadrature", ["-f", 2, "-t", 2e-5 if setting.quick else 2e-6]),
                "quadrature, 100,000 threads": ("quadrature", ["-f", 2, "-n", 100000, "-t", 2e-5 if setting.quick else 2e-6]),
                "grep": ("grep", grep.arguments("steal-cascade") + ([] if setting.quick else [grep.folder.name] * 120))}
    rows = []
    for name, (program, arguments) in programs.items():
        ratios, two, half, idle = [], [], [], ([], [])
        for _ in range(setting.rounds):
            # Nodes before and after the copies: a machine that becomes slower meanwhile favours neither.
            nodes = [wall_and_cpu_seconds(setting, 1, 2, program, *arguments)]
            copies = wall_and_cpu_seconds(setting, 2, 1, program, *arguments)
            nodes.append(wall_and_cpu_seconds(setting, 1, 2, program, *arguments))
            two.append(sum(wall for wall, _ in nodes) / 2)
            half.append(copies[0] / 2)
            ratios.append(half[-1] / two[-1])
            for what, (wall, cpu) in [(0, node) for node in nodes] + [(1, copies)]:
                idle[what].append(100 * (1 - cpu / 2 / wall))
        rows.append([name, median(two), median(half), median(ratios), min(ratios), max(ratios), *map(median, idle)])
    return [Result("pairs", "Two nodes beside two independent copies",
                   ["program", "2 nodes, s", "half of 2 copies, s", "ratio", "least", "most", "nodes idle, %",
                    "copies idle, %"], rows,
                   "Whole programs; nodes, copies, nodes in turns. Ratio: half of the copies' time to the mean of the "
                   "nodes' times before and after them, the median of the rounds; 1: that threads move costs nothing. "
                   "Wanted: 0.95, with 100,000 threads 0.9. Idle: so much of two cores' time was not used, at the start, at the end and by "
                   "who waits for threads (or for a core, if others want it). What the ratio says besides is "
                   "how fast the cores were just then.")]


def skewed(setting):
    """Policies on the load of test/migrate/policies.c."""
    rows = []
    for policy in ("random", "neighbour", "local_random", "global_random", "gradient", "bidding"):
        share = median(int(found(r"balanced: (\d+)%", run(setting, 4, "skewed", options=f"policy={policy}",
                                                                  failure=1)))
                       for _ in range(setting.rounds))
        rows.append([policy, float(share)])
    return [Result("policies", "Balancing policies: a load that begins on one of four nodes",
                   ["policy", "% of the time without"], rows,
                   "64 threads that sleep 6 ms each on their worker; 25 % is what four nodes can do.")]

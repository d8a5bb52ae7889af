"""The Testbed's tables and figures: what messages and moves take (Table 6, Figures 9 to 17, 24 to 26), what measuring
load costs (Table 8, section 3.3.7), and what its balancer gains (Table 9, Figures 42 to 58). The seed's machine: 68010
processors of 1.2 MIPS, a network of its own."""
import csv
import io
import re
import resource
import statistics
import subprocess

from measure import Result, found, median, run

TRACE_OPTIONS = "trace_in={folder},trace={classes}"


class Timeline(Result):
    """A recorded run, drawn by `skein trace --plot`."""

    def __init__(self, name, title, rows, note, recording, skein):
        super().__init__(name, title, ["", "figure"], rows, note, plot="drawn by skein trace")
        self.recording, self.skein = recording, skein

    def plot(self, path):
        done = subprocess.run([self.skein, "trace", str(self.recording), "--plot", str(path)], capture_output=True, text=True)
        return done.returncode == 0 or path.exists()


def recorded(setting, name, nodes, program, *arguments, classes="all", options=""):
    """Runs a program while it is recorded; returns what it printed and the folder of the recording."""
    folder = setting.out / f"{name}.recording"
    subprocess.run(["rm", "-rf", str(folder)], check=True)
    words = ",".join(filter(None, [TRACE_OPTIONS.format(folder=folder, classes=classes), options]))
    return run(setting, nodes, program, *arguments, options=words), folder


def events_of(setting, folder):
    done = subprocess.run([setting.program("skein"), "trace", str(folder), "--csv"], capture_output=True, text=True)
    return list(csv.DictReader(io.StringIO(done.stdout)))


def line_through(points):
    """Slope and height of the least squares, and how far the farthest point lies above and below."""
    xs, ys = zip(*points)
    mean_x, mean_y = statistics.mean(xs), statistics.mean(ys)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x in xs)
    height = mean_y - slope * mean_x
    errors = [y - slope * x - height for x, y in points]
    return slope, height, max(errors), min(errors)


def table_6(setting):
    repetitions = 20 if setting.quick else 200
    us = {}
    for name, nodes in (("local", 1), ("remote", 2)):
        text = run(setting, nodes, f"testbed/{name}", repetitions)
        us[name] = {int(line.split(",")[0]): int(line.split(",")[1]) / 1000 for line in text.splitlines()[1:]}
    moves = [int(line) / 1000 for line in
             run(setting, 2, "testbed/migrate", 20 if setting.quick else 500, 0, bind=True).split()]
    rows = []
    for name, seed in (("local", "1.95 n + 1.025 (±0.275)"), ("remote", "2.77 n + 7.35 (±0.35)")):
        slope, height, above, below = line_through([(size / 1024, time) for size, time in us[name].items()])
        rows.append([f"{name} communication, n KiB", f"{seed} ms",
                     f"{slope:.3f} n + {height:.3f} (+{above:.3f} {below:.3f}) µs"])
    moves.sort()
    rows.append(["thread migration", "8.4 (±0.5) ms", f"{moves[len(moves) // 2]:.1f} ({moves[len(moves) // 20]:.1f} to "
                                                      f"{moves[-len(moves) // 20]:.1f}) µs"])
    table = Result("table-6", "Table 6: what messages and moves take", ["service", "the Testbed", "Skein"], rows,
                   "As the sender of a message sees it, median of each size; the line of least squares, and the farthest points. A "
                   "move: the median, and what 5 and 95 % of them take; the thread has 5 KiB on its stack. The Testbed fetched pages "
                   "afterwards (16.9 ms each), which here go along.")
    sizes = sorted(us["local"])[::5]
    latency = Result("figures-9-to-15", "Figures 9 to 15: how long a send takes", ["bytes of the message", "local, µs", "remote, µs"],
                     [[size, us["local"][size], us["remote"][size]] for size in sizes],
                     "Both threads wait until the message has passed. The Testbed's lines go from 1.3 to 11 ms, and from 7.5 to 21 ms.",
                     "time of a send, µs", log_y=True)
    return [table, latency]


def table_8(setting):
    text, folder = recorded(setting, "multi-phase", 5, "testbed/multi_phase", *((5, 10) if setting.quick else (100, 50)),
                            options="steal=off")
    rows = events_of(setting, folder)
    seconds = max(int(row["ns"]) for row in rows) / 1e9
    count = lambda *names: sum(row["event"] in names for row in rows) / seconds
    samples = sum(row["event"] == "sample" for row in rows) / seconds
    # Summaries are messages of the policy; those to the decision maker's own node are none.
    _, told = recorded(setting, "summaries", 5, "testbed/synthetic", "computing=20", "work=10" if setting.quick else "work=50",
                       classes="messages", options="policy=testbed")
    sent = events_of(setting, told)
    summaries = sum(row["event"] == "message sent" and "message=policy" in row["words"] for row in sent) / (max(int(row["ns"]) for row in sent) / 1e9)
    table = Result("table-8", "Table 8: how many events four measures of load take", ["measure", "Testbed: events a second", "ours", "kind"], [
        ["N-THREADS: threads on a node", 3, count("created", "ends", "departs", "arrives"), "at each change"],
        ["RQ-LENGTH: ready threads", 500, count("queued", "unqueued"), "at each change"],
        ["CPU-TIME: time that threads run", 615, count("runs", "blocks", "yields", "ends", "idle"), "at each change"],
        ["REM-COMM: messages on each link", 20, summaries, "summaries of five nodes (policy testbed)"],
        ["all of these, sampled", "", samples, "each node, 100 times a second (trace=load)"]],
        f"`multi_phase` on five nodes, {seconds:.1f} s (the Testbed: 33 s). An event takes 10 ns, so all of them cost less "
        "than 0.1 % of a core.")
    phases = [[f"phase {match[1]}", f"{int(match[2]) / 1000:.1f} ms"] for match in re.finditer(r"phase (.*): (\d+) us", text)]
    return [table, Timeline("figures-19-to-38", "Figures 19, 20, 33 to 38: eight phases of computing and communicating, on five nodes",
                            phases, "Ready threads and messages tell the phases apart; how many threads there are does not.", folder,
                            setting.program("skein"))]


def seconds_of(text):
    return int(found(r"(\d+) us", text)) / 1e6


def table_9(setting):
    size = 300 if setting.quick else 1200
    programs = [  # name, the seed's seconds, program, arguments, what places threads at random
        ("20 compute-bound threads", (54, 15, 21), "synthetic", ["computing=20", "work=5" if setting.quick else "work=100"], "random=1"),
        ("20 pairs of communication-bound threads", (72, 41, 35), "synthetic",
         ["pairs=20", "work=5000" if setting.quick else "work=300000"], "random=1"),
        ("20 pairs of mixed threads", None, "synthetic", ["mixed=20", "work=20" if setting.quick else "work=400"], "random=1"),
        ("adder", (93, 183, 126), "adder", ["200" if setting.quick else "10000", "0"], "1"),
        (f"wator, {size} × {size}", (None, 900, 550), "wator", [f"size={size}", "steps=40", "regions=16"], "random=1")]
    rows = []
    for name, seed, program, arguments, scattered in programs:
        time = lambda policy, *more: median(
            seconds_of(run(setting, 2, f"testbed/{program}", *arguments, *more, options=f"policy={policy}"))
            for _ in range(setting.rounds))
        seeds = [f"random {seed[1]}, balanced {seed[2]}" if seed else ""]
        alone, scattered_s, balanced = time("none"), time("none", scattered), time("testbed")
        stolen = time("random")
        rows.append([name, *seeds, alone, scattered_s, balanced, float(balanced) / float(scattered_s), stolen])
    return [Result("table-9", "Table 9: seconds on two nodes, by how threads are placed",
                   ["program", "the Testbed, five processors, s", "all on one, s", "at random, s", "policy testbed, s",
                    "testbed to random", "stealing, s"], rows,
                   "All on one: on the first of the two nodes, as the Testbed's sequential runs. Balanced and stolen ones begin there.")]


def rings(setting):
    """Threads that talk in rings, by policy. The policies take turns, so that all meet the same machine."""
    rows = []
    shape = ["rings=16", "size=6", "spread=1"]
    kinds = [("only talk", ["laps=3000" if setting.quick else "laps=15000"]),
             ("compute 20 µs before each message", ["work=20", "laps=300" if setting.quick else "laps=1000"])]
    for kind, arguments in kinds:
        for nodes in (2, 4):
            texts = {policy: [] for policy in ("none", "testbed", "affinity")}
            for _ in range(setting.rounds):
                for policy, said in texts.items():
                    said.append(run(setting, nodes, "testbed/rings", *shape, *arguments, options=f"policy={policy}"))
            times = {policy: median(map(seconds_of, said)) for policy, said in texts.items()}
            between = {policy: median(float(found(r"([\d.]+) % of the messages", text)) for text in said)
                       for policy, said in texts.items()}
            rows.append([f"{kind}, {nodes} nodes", *times.values(), float(times["affinity"]) / float(times["testbed"]),
                         *between.values()])
    return [Result("rings", "Rings of threads that talk, by policy",
                   ["16 rings of 6 threads", "none, s", "testbed, s", "affinity, s", "affinity to testbed",
                    "none: between nodes, %", "testbed, %", "affinity, %"], rows,
                   "The threads of each ring begin on one node after the other. On the right, which part of the messages of the last "
                   "quarter goes between nodes. Four nodes share two cores here.")]


def makers(setting):
    """Decision makers of up to ten thousand nodes, simulated with the policy's own code. Deterministic: one round."""
    seconds = 2 if setting.quick else 10
    rows, misplaced = [], []
    for nodes in (4, 16, 64) if setting.quick else (4, 16, 64, 256, 1024, 4096, 10000):
        steady = [nodes]
        for size in (0, 16, 32, 64):
            if size >= nodes:
                steady.append("")
                continue
            text = run(setting, 1, "makers", nodes, size, seconds)
            _, groups, _, after_1, after_5, later, requests, busy, late, _ = map(float, text.strip().split(","))
            steady.append(100 * later)
            rows.append([f"{nodes}, {f'groups of {size}' if size else 'one maker'}", int(groups), 100 * after_1, 100 * after_5,
                         100 * later, requests, 100 * busy, 1000 * late])
        misplaced.append(steady)
    table = Result("makers", "Decision makers of many nodes, simulated",
                   ["nodes", "makers", "misplaced after 1 s, %", "after 5 s, %", "from then on, %", "requests/s",
                    "the busiest maker's time, %", "a message waits for, ms"], rows,
                   "The part of all threads that would have to be on another node for equal loads. All begin on the first sixteenth "
                   "of the nodes (94 %, on four nodes 75 %); then threads begin on a sixteenth that changes every second. A maker is "
                   "taken to need 2 µs for a message, and 3 ns to look at a node.")
    figure = Result("makers-misplaced", "Threads that are on the wrong node, by how many nodes have a decision maker in common",
                    ["nodes", "all", "16", "32", "64"], misplaced, "Percent, from 5 s on.", "misplaced threads, %", log_x=True)
    return [table, figure]


def timelines(setting):
    quick = setting.quick
    skein = setting.program("skein")
    runs = [("figures-42-to-44", "Figures 42 to 44: 20 threads that compute, balanced over five nodes", "synthetic",
             ["computing=20", "work=5" if quick else "work=60"]),
            ("figures-45-to-47", "Figures 45 to 47: 20 pairs that communicate, balanced over five nodes", "synthetic",
             ["pairs=20", "work=500" if quick else "work=20000"]),
            ("figure-48", "Figure 48: 20 pairs that do both, balanced over five nodes", "synthetic",
             ["mixed=20", "work=10" if quick else "work=150"]),
            ("figures-50-to-52", "Figures 50 to 52: the adder, balanced over five nodes", "adder", ["20" if quick else "1000", "0"]),
            ("figures-56-to-58", "Figures 56 to 58: the ocean, balanced over five nodes", "wator",
             ["size=300", "regions=20", f"steps={10 if quick else 60}"])]
    results = []
    for name, title, program, arguments in runs:
        text, folder = recorded(setting, name, 5, f"testbed/{program}", *arguments, classes="ready+moves+messages+load",
                                options="policy=testbed,trace_ring=16M")
        results.append(Timeline(name, title, [["time", f"{seconds_of(text):.2f} s"]],
                                "Five nodes share two cores here, so this shows what is decided, not what it gains.", folder, skein))
    text, folder = recorded(setting, "figures-54-and-55", 5, "testbed/wator", "size=300", "regions=20", "random=1",
                            f"steps={10 if quick else 60}", classes="ready+moves+messages+load", options="policy=none,trace_ring=16M")
    results.append(Timeline("figures-54-and-55", "Figures 54 and 55: the ocean, at random", [["time", f"{seconds_of(text):.2f} s"]], "",
                            folder, skein))
    text = run(setting, 1, "testbed/wator", "print=1")
    steps = re.findall(r"step (\d+): (\d+) fish, (\d+) sharks; fish of regions ([\d ]+)", text)
    results.append(Result("figure-53", "Figure 53: how fish and sharks come and go", ["step", "fish", "sharks"],
                          [[int(step), int(fish), int(sharks)] for step, fish, sharks, _ in steps][:: 1 if quick else 4],
                          "100 × 100 cells, four regions; the same whatever moves.", "animals"))
    return results


def recording(setting):
    """What recording costs, and what it sustains."""
    rows = []
    for name, program, arguments in (
            ("synthetic, 20 compute", "testbed/synthetic", ["computing=20", "work=5" if setting.quick else "work=30"]),
            ("adder", "testbed/adder", ["200" if setting.quick else "5000"]),
            ("quadrature", "quadrature", [])):
        folder = setting.out / "cost.recording"
        options = TRACE_OPTIONS.format(folder=folder, classes="all")
        times = {"": [], options: []}
        for _ in range(max(setting.rounds, 1) * (1 if setting.quick else 3)):
            for given, samples in times.items():
                begin = resource.getrusage(resource.RUSAGE_CHILDREN)
                run(setting, 1, program, *arguments, options=given)
                end = resource.getrusage(resource.RUSAGE_CHILDREN)
                samples.append(end.ru_utime + end.ru_stime - begin.ru_utime - begin.ru_stime)
        off, on = (statistics.median(samples) for samples in times.values())
        rows.append([name, off, on, on / off])
    cost = Result("recording-cost", "What it costs to record everything, in CPU time", ["program", "off, s", "on, s", "ratio"], rows,
                  "One node, one worker; user and system time of the process, the recorder's own included.")
    rates = []
    for nodes in (1, 2):
        sustained = 0
        for pause in (20, 50, 100, 200, 400, 800, 1600):
            text, folder = recorded(setting, "overflow", nodes, "testbed/overflow", pause, 50 if setting.quick else 500,
                                    classes="program", options="steal=off")
            shown = subprocess.run([setting.program("skein"), "trace", str(folder)], capture_output=True, text=True)
            events = [(int(n), int(us)) for n, us in re.findall(r"(\d+) events in (\d+) us", text)]
            sustained = sum(n / us for n, us in events)
            if shown.returncode == 0:
                break
        rates.append([nodes, sustained / nodes, sustained])
    return [cost, Result("recording-rate", "Section 3.3.7: how many events can be recorded before some are lost",
                         ["nodes", "million events a second and node", "of all nodes"], rates,
                         "`overflow` with shorter and shorter pauses; the Testbed: 220 events a second and processor, 1100 in all.")]

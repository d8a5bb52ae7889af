"""The fifth seed's programs, beside the same by MPI (OpenMPI's mpirun, where it is installed). Both must find out the same."""
import os
import pathlib
import shutil
import subprocess

from measure import Result, found, median, run


def mpi(setting, ranks, name, *arguments):
    """What the program says on so many ranks, each on a core of its own if there are so many; None without OpenMPI."""
    program = setting.root / "libexec/skein" / name
    if not program.exists() or not shutil.which("mpirun"):
        return None
    where = [] if ranks <= (os.cpu_count() or 1) else ["--oversubscribe"]
    command = ["mpirun", "--allow-run-as-root", "-n", str(ranks), *where, str(program), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout[-600:]}{done.stderr[-600:]}")
    return done.stdout


def seconds_and_hash(text):
    return float(found(r": ([0-9.]+) s, hash", text)), found(r"hash (\w+)", text)


def beside(setting, program, *arguments, ours=()):
    """Rows of nodes, seconds, and how much longer that is than by MPI: a median of ratios of runs one after the other."""
    rows = []
    for nodes in [1, 2]:
        times, ratios = [], []
        for _ in range(setting.rounds):
            time, truth = seconds_and_hash(run(setting, nodes, program, *arguments, *ours, bind=True))
            times.append(time)
            text = mpi(setting, nodes, "mpi_" + program, *arguments)
            if text is None:
                continue
            time, other = seconds_and_hash(text)
            ratios.append(times[-1] / time)
            if other != truth:
                raise SystemExit(f"{program} on {nodes} nodes found {truth}, and by MPI {other}")
        rows.append([nodes, median(times), median(ratios) if ratios else "not installed"])
    return rows


COLUMNS = ["nodes", "Skein, s", "Skein to OpenMPI"]
NOTE = ("The last column is a median of ratios of runs one after the other. Both programs have the same arithmetic, and find the "
        "same to the last bit.")


def nbody(setting):
    edge, steps = (8, 10) if setting.quick else (24, 10)
    return [Result("figure-12-nbody", f"Figure 12: {edge ** 3} particles, {steps} steps, all to all", COLUMNS,
                   beside(setting, "nbody", edge, steps), NOTE)]


def pagerank(setting):
    vertices, steps = (20000, 5) if setting.quick else (500000, 10)
    return [Result("figure-15-pagerank", f"PageRank: {vertices} vertices, {steps} steps", COLUMNS,
                   beside(setting, "pagerank", vertices, steps, ours=["alone"]),
                   NOTE)]


def fem(setting):
    """As many subdomains on one node as on two, so that there is the same to compute."""
    edge, subdomains, overlap = (10, 2, 2) if setting.quick else (32, 2, 2)
    built = (setting.root / "examples/fem").exists()
    rows = beside(setting, "fem", edge, subdomains, overlap) if built else [[nodes, "no METIS", "no METIS"] for nodes in [1, 2]]
    title = f"Figure 20: finite elements, {edge}^3 of them, {3 * (edge - 1) ** 3} unknowns, {subdomains} subdomains"
    return [Result("figure-20-fem", title, COLUMNS, rows, NOTE)]


def processors():
    """[(title, name, reader's core, writer's core)]: a pair of one CPU, as in Figure 7, and of two, as in Figure 8, if there are."""
    cores = sorted(os.sched_getaffinity(0))
    package = {core: pathlib.Path(f"/sys/devices/system/cpu/cpu{core}/topology/physical_package_id").read_text().strip()
               for core in cores}
    pairs = []
    for name, title, same in [("figure-7-copies", "Figure 7, two cores of one CPU", True),
                              ("figure-8-copies", "Figure 8, cores of two CPUs", False)]:
        other = next((core for core in cores[1:] if (package[core] == package[cores[0]]) == same), None)
        if other is not None:
            pairs.append((name, title, cores[0], other))
    return pairs


# What the two programs call it: what it is. (The paper's names: socket, pipe, inter-process, dmread, doublecopy.)
KERNEL = {"socket": "socket", "pipe": "pipe", "shared": "read in shared memory", "vm-readv": "process_vm_readv",
          "double-copy": "double copy"}
OURS = {"pointer": "shared pointer", "get": "get", "put": "put", "peer-read": "skein_peer_read", "message-get": "get by message",
        "message-put": "put by message"}
FASTEST = ["pipe", "vm-readv", "double-copy", "get", "peer-read"]


def copies(setting):
    """Figures 7 and 8: what it takes until a process has summed up data of another one, and what the paper says of it."""
    sizes = [2 ** power for power in (range(6, 17, 5) if setting.quick else range(6, 27, 2))]
    times = 20 if setting.quick else 300
    results = []
    for name, title, reader, writer in processors():
        nanoseconds = {}
        for _ in range(setting.rounds):
            texts = [run(setting, 1, "process_copies", reader, writer, times, *sizes)]
            before = os.sched_getaffinity(0)
            os.sched_setaffinity(0, {reader, writer})
            try:
                texts += [run(setting, 2, "skein_copies", times, *sizes, options=options, bind=True)
                          for options in ("steal=off", "steal=off,shared=remote")]
            finally:
                os.sched_setaffinity(0, before)
            for way, size, ns in (line.split() for text in texts for line in text.splitlines()):
                nanoseconds.setdefault((way, int(size)), []).append(float(ns))
        least = {key: median(of) for key, of in nanoseconds.items()}
        note = ("From when the data lie with their writer until the reader has their sum: of each run the lowest decile, and of "
                "runs the median (bars: the least and the greatest).")
        for part, what, ways in [("", "by the kernel", KERNEL), ("-skein", "by Skein", OURS)]:
            shown_ways = [way for way in ways if way != "message-put"]
            columns = ["bytes passed on", *(f"{ways[way]}, µs" for way in ways)]
            results.append(Result(name + part, f"{title}: time to pass data on and sum them up, {what}", columns,
                                  [[size, *(least[way, size] / 1000 for way in ways)] for size in sizes], note,
                                  plot="time, µs", log_x=True, log_y=True,
                                  plotted=[1 + list(ways).index(way) for way in shown_ways]))
        both = KERNEL | OURS
        results.append(Result(name + "-bandwidth", f"{title}: data passed on and summed up in a second",
                              ["bytes passed on", *(f"{both[way]}, GB/s" for way in FASTEST)],
                              [[size, *(size / least[way, size] for way in FASTEST)] for size in sizes],
                              "The same measurements.", plot="bandwidth, GB/s", log_x=True))
        results.append(beside_paper(name, title, nanoseconds, sizes, least))
    return results


def beside_paper(name, title, nanoseconds, sizes, least):
    """The paper has its numbers in the text: ratios for 2^28 bytes, and where two curves cross."""
    most = sizes[-1]

    def ratio(slower, faster):
        return median(a / b for a, b in zip(nanoseconds[slower, most], nanoseconds[faster, most]))

    def crosses(slow, fast):
        """The least size at which `fast` is the faster one."""
        return next((size for size in sizes if least[fast, size] < least[slow, size]), f"more than {most}")

    one_cpu = name == "figure-7-copies"
    rows = [["socket to read in shared memory", "1.17 to 1.96", ratio("socket", "shared"), ratio("socket", "pointer")],
            ["pipe to read in shared memory", "1.17 to 1.96", ratio("pipe", "shared"), ratio("pipe", "pointer")],
            ["double copy to a read of the other process", "1.22" if one_cpu else "1.26", ratio("double-copy", "vm-readv"),
             ratio("double-copy", "peer-read")],
            ["such a read is faster than a double copy from, bytes", "65536" if one_cpu else "", crosses("double-copy", "vm-readv"),
             crosses("double-copy", "peer-read")]]
    return Result(name + "-ratios", f"{title}: the paper's claims", ["what", "paper, 2^28 bytes", f"kernel here, {most} bytes",
                                                                  f"Skein here, {most} bytes"], rows,
                  "Ratios of times: above 1, the second is faster. In the last column shared memory is read by a `skein_shared` "
                  "pointer, and the other process by `skein_peer_read`.")

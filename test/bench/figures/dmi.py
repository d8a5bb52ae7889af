"""The fifth seed's programs, beside the same by MPI (OpenMPI's mpirun, where it is installed). Both must find out the same."""
import os
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

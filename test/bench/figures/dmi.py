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


def nbody(setting):
    edge, steps = (8, 10) if setting.quick else (24, 10)
    rows = []
    for nodes in [1, 2]:
        ours, theirs = [], []
        for _ in range(setting.rounds):
            time, truth = seconds_and_hash(run(setting, nodes, "nbody", edge, steps, bind=True))
            ours.append(time)
            text = mpi(setting, nodes, "mpi_nbody", edge, steps)
            if text is None:
                continue
            time, other = seconds_and_hash(text)
            theirs.append(time / ours[-1])
            if other != truth:
                raise SystemExit(f"nbody on {nodes} nodes found {truth}, and by MPI {other}")
        rows.append([nodes, median(ours), 1 / median(theirs) if theirs else "not installed"])
    return [Result("figure-12-nbody", f"Figure 12: {edge ** 3} particles, {steps} steps, all to all",
                   ["nodes", "Skein, s", "Skein to OpenMPI"], rows,
                   "The last column is a median of ratios of runs one after the other. Both programs have the same arithmetic, and "
                   "find the same positions to the last bit.")]

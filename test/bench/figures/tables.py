"""The measurements that `skein bench overhead`, `compile`, `threads`, … make, taken over from their output."""
import subprocess

from measure import Result, median


def bench(setting, *arguments):
    command = [setting.program("skein"), "bench", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout[-600:]}{done.stderr[-600:]}")
    return done.stdout


class Verbatim(Result):
    """A table that another command made: its CSV, and what it printed for a page."""

    def __init__(self, name, title, markdown, note=""):
        super().__init__(name, title, [], [], note)
        self.markdown = markdown

    def text(self, markdown=False):
        return self.markdown

    def write(self, directory):
        return False  # the command wrote the CSV


def table_part(text):
    return "\n".join(line for line in text.splitlines() if line.startswith("|"))


def overhead(setting):
    text = bench(setting, "overhead", "--markdown", "--variants", "plain,lto,polls,private", "--rounds",
                 setting.rounds, "--csv", setting.out / "overhead.csv",
                 *(["--filter", "queens"] if setting.quick else []))
    mean = [line for line in text.splitlines() if "geometric mean" in line]
    return [Verbatim("overhead", "CPU time beside clang's", table_part(text), "\n".join(mean))]


def compile_cost(setting):
    text = bench(setting, "compile", "--markdown", "--variants", "plain,polls,private-all,stress-all", "--rounds",
                 setting.rounds, "--csv", setting.out / "compile.csv", *(["--filter", "queens"] if setting.quick else []))
    mean = [line for line in text.splitlines() if "geometric mean" in line]
    return [Verbatim("compile", "Time to compile, code and maps", table_part(text), "\n".join(mean))]


def threads(setting):
    text = bench(setting, "threads", "--markdown", "--rounds", setting.rounds, "--csv",
                 setting.out / "threads.csv")
    results = [Verbatim("table-2", "Table 2: threads and locks, ns", table_part(text),
                        "In parentheses ours / theirs; on the right the seed's microseconds.")]
    ours = {}
    for line in (setting.out / "threads.csv").read_text().splitlines()[1:]:
        who, row, _, ns = line.split(",")
        ours.setdefault((who, row), []).append(float(ns))
    us = lambda who, row: median(ours[who, row]) / 1000 if (who, row) in ours else None
    results.append(Result("thesis-table-3", "Figure 18, Table 3 of the first seed: us",
                          ["operation", "Solaris Threads", "Ariadne", "Active Threads", "pthreads here", "Skein", "ratio"],
                          [[title, *seed, us("pthread", row), us("skein", row),
                            us("skein", row) / us("pthread", row) if us("pthread", row) else None]
                           for title, row, seed in (("null thread", "null", (1715, 40, 14)),
                                                    ("thread create", "create", (1620, 35, 3.5)),
                                                    ("context switch", "switch", (30, 15, 5.5)))],
                          "SPARCstation 20. Ratio: Skein / pthreads here."))
    return results


def waiting(setting):
    text = bench(setting, "threads", "--markdown", "--waiting", "1000" if setting.quick else "1000,100000,1000000,10000000",
                 "--rounds", setting.rounds, "--csv", setting.out / "waiting.csv")
    return [Verbatim("waiting", "Threads that wait", table_part(text), "In parentheses parked / these.")]


def forkjoin(setting):
    text = bench(setting, "forkjoin", "--markdown", "--rounds", setting.rounds, "--csv", setting.out / "forkjoin.csv",
                 *(["--tasks", "fib:15:0,queens:8:3,uts:6:3"] if setting.quick else []))
    means = [line + "." for line in text.splitlines() if "geometric mean" in line]
    return [Verbatim("forkjoin", "Fork and join, ms", table_part(text),
                     "In parentheses ours / theirs. " + " ".join(means))]


def heap(setting):
    text = bench(setting, "heap", "--markdown", "--csv", setting.out / "heap.csv",
                 *(["--scale", "0.01", "--rounds", 1] if setting.quick else ["--rounds", max(setting.rounds, 7)]))
    means = [line[:1].upper() + line[1:] + "." for line in text.splitlines() if "geometric mean" in line]
    return [Verbatim("heap", "Private heap: a call of the allocator, ns", table_part(text),
                     "In parentheses ours / theirs. " + " ".join(means))]


def shared(setting):
    text = bench(setting, "shared", "--markdown", *(["--rounds", 1] if setting.quick else ["--rounds", setting.rounds]))
    remote = bench(setting, "shared", "--remote", "--markdown", "--rounds", 1 if setting.quick else setting.rounds)
    return [Verbatim("shared", "Shared memory beside plain C", table_part(text)),
            Verbatim("shared-remote", "Gets and puts of 8 bytes from and to another node", table_part(remote))]


def channels(setting):
    text = bench(setting, "channels", "--markdown", *(["--count", 100, "--rounds", 1] if setting.quick else ["--rounds", setting.rounds]))
    return [Verbatim("channels", "Messages over channels between two nodes of a host", table_part(text),
                     "One message one way, and a stream of them; ratio: to bare UCX, within the rounds.")]


def checkpoint(setting):
    text = bench(setting, "checkpoint", "--markdown", "--folder", setting.out, "--csv", setting.out / "checkpoint.csv",
                 *(["--mib", 16, "--rounds", 1] if setting.quick else ["--rounds", setting.rounds]))
    running = bench(setting, "checkpoint", "--running", "--markdown", "--folder", setting.out, "--csv",
                    setting.out / "checkpoint-running.csv",
                    *(["--mib", 16, "--wide", 4, "--seconds", 5, "--every", 1] if setting.quick else []))
    return [Verbatim("checkpoint", "Memory to the disk and back", table_part(text), "Ratio: checkpoint / cp, within the rounds."),
            Verbatim("checkpoint-running", "What a checkpoint costs a thread that writes all the time", table_part(running))]


def drain(setting):
    text = bench(setting, "drain", "--markdown", "--csv", setting.out / "drain.csv",
                 *(["--threads", 1000, "--rounds", 1] if setting.quick else ["--rounds", max(setting.rounds, 7)]))
    return [Verbatim("drain", "A node with 100,000 small threads leaves", table_part(text))]


def migrate(setting):
    """Also Table 4, which needs the time to create a thread: run `threads` first."""
    path = setting.out / "migrate.csv"
    frames = setting.out / "frames.csv"
    bench(setting, "migrate", "--count", 200 if setting.quick else 2000, "--csv", path, "--frames-csv", frames)
    lines = [line.split(",") for line in path.read_text().splitlines()[1:]]
    rows = [[f"{stacks}, {kib} KiB", int(image), *map(float, rest)]
            for stacks, kib, image, *rest in lines]
    results = [Result("migrate", "One migration, by parts", [
        "stacks", "image, bytes", "capture, us", "transfer, us", "relocation, us", "resume, us", "whole, us",
        "UCX spin, us", "UCX sleep, us", "ratio"], rows,
        "A bare UCX active message of as many bytes, one way; ratio: whole / UCX that spins.")]
    results.append(Result("frames", "A frame more", [
        "stacks", "frames", "image, bytes", "capture, us", "relocation, us", "capture, ns a frame", "relocation, ns a frame"],
        [[stacks, int(count), int(image), *map(float, rest)] for stacks, count, image, *rest in
         (line.split(",") for line in frames.read_text().splitlines()[1:])],
        "Small frames, each with two pointers into the stack; ns a frame: beside 10 frames. Wanted: at most 20 for relocation."))
    one = next(row for row in rows if row[0] == "relocate, 1 KiB")
    created = setting.out / "threads.csv"
    create = median(float(line.split(",")[3]) for line in created.read_text().splitlines()
                    if line.startswith("skein,create,")) / 1000 if created.exists() else None
    results.append(Result("thesis-table-4", "Table 4 of the first seed: migration and what belongs to it, us",
                          ["operation", "Active Threads", "Ariadne", "Solaris 2.5", "Skein"],
                          [["thread creation", 3.5, 11, 1620, create],
                           ["thread migration", 582, 11310, None, one[6]],
                           ["without transfer of the stack", 250, 510, None, one[2] + one[4] + one[5]]],
                          "Stack of 800 bytes (Active Threads, SPARCstation 10), 1432 (Ariadne, SPARCstation 5), 1 KiB "
                          "in one frame (Skein)."))
    return results

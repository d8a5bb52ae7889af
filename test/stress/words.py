#!/usr/bin/env python3
"""Runs programs that hide addresses, and says which of them are right, which stay put and which are silently wrong.

    words.py [--build build/dev] [--configurations rotate|all|O2-polls,...]
             [--ways stress,walk,walk-relocate,walk-reserve,walk-any,walk-any-relocate] [--shard I/N] [--jobs 2] [--list] [PROGRAM...]

A program of words/ keeps an address in a shape that is not a pointer (a hash, a tag, half of it, a double, a constant
of the program) or in a place that is hard to see, and finds its way back after calls. Its output depends on no address.
So whatever happens to its thread, only two things are right: the output is that of clang (run.py), or a move was
refused, with a message that says where, and the output is that of clang as well. Nobody says beforehand which of
the two (programs/ does): the analysis may learn to relocate more. What it may not do is this:

    WRONG    another output or status, and no message
    CRASH    a signal, and no message
    NAMED    the program was ended with a message that names the stale address: better, but the thread is lost
    HANGS    no end
    MUTE     a refusal whose message does not say where
    IDLE     neither moved nor refused: nothing was tested
    COMPILE  skeincc rejected or did not survive it

A configuration is one of variants.py; by default each program meets some of them (rotation). Ways to run: `stress`
moves the stack within one process at each call; `walk` lets the thread walk between two nodes at random, with several
seeds, `walk-relocate` and `walk-reserve` do so with that strategy for stacks, and with `walk-any` and `walk-any-relocate` the
program lies elsewhere on each node.

Not here is what docs/pitfalls.md says that nobody can notice: the address of a local in a block of the process heap
that came through a pointer, tables and orders by addresses of locals, addresses written as text or through a file, and
a call in the middle of a copy by hand.

words/known-silent.txt lists the programs that are known to go wrong, until that is mended: they may, the others may
not. A run of `--configurations all` fails if one of the list is right everywhere.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

import building
import run as stress
import variants
from program import Failure, Program

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
WORDS = os.path.join(HERE, "words")
KNOWN = os.path.join(WORDS, "known-silent.txt")
VARIANTS = ["", "-globals-heap", "-polls", "-growable", "-lto"]
CONFIGURATIONS = [level + variant for level in variants.LEVELS for variant in VARIANTS]
# Of a program that changes globals each node has its own, unless they are private; what belongs to the process stays there.
WAYS = {"stress": None, "walk": "", "walk-relocate": "stacks=relocate", "walk-reserve": "stacks=reserve",
        "walk-any": "image=any", "walk-any-relocate": "image=any,stacks=relocate"}
WALKS = [(2, 1), (2, 2), (3, 3)]  # walk_every and seed
RIGHT, REFUSED = "right", "refused"
SECONDS = 60
PER_PROGRAM = 2  # configurations that each program meets in every day's tests

Outcome = collections.namedtuple("Outcome", "program configuration way kind text moves refusals how")


def all_programs():
    return sorted(os.path.join(WORDS, name) for name in os.listdir(WORDS) if name.endswith((".c", ".cpp")))


def title(path):
    """Its file's name: there may be a program of one name in C and in C++."""
    return os.path.basename(path)


def rotation(number):
    """Configurations and ways of the program of that number: neighbours meet different ones. It walks in one of them."""
    chosen = [CONFIGURATIONS[(number * 7 + step * 11) % len(CONFIGURATIONS)] for step in range(PER_PROGRAM)]
    walk = [way for way in WAYS if way != "stress"][number % (len(WAYS) - 1)]
    return [(name, "stress") for name in chosen] + [(chosen[number % PER_PROGRAM], walk)]


def known():
    """The programs of KNOWN, with what is wrong there."""
    with open(KNOWN) as file:
        lines = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    return dict(line.split(": ", 1) for line in lines)


def can(program, name, way):
    """A program that walks must find its globals where it comes to, which only private ones do."""
    changes = program.said("changes")
    return way == "stress" or "process" not in changes and ("globals" not in changes or "-globals" in name)


def execute(command, options, seconds=SECONDS):
    """(status, output, messages), or None for a program without an end."""
    environment = dict(os.environ, SKEIN_OPTIONS=options)
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               start_new_session=True)
    try:
        output, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.communicate()
        return None
    return process.returncode, output, errors.decode(errors="replace")


class Words:
    def __init__(self, build, place):
        self.build, self.place = build, place

    def make(self, program, configuration, made):
        compiler = ["bin/skein++", "-std=c++20"] if program.cxx else ["bin/skeincc"]
        status, errors, command = building.build([os.path.join(self.build, compiler[0]), *compiler[1:], "-w", "-fskein-stress=calls",
                                                  *configuration.flags, *program.said("flags").split()], program.files, made)
        return f"{' '.join(command)}\n{errors.decode(errors='replace')}" if status else None

    def judge(self, program, configuration, way, made):
        """An Outcome; of several walks the worst one."""
        worst, moves, refusals = None, 0, collections.Counter()
        for every, seed in [(0, 0)] if way == "stress" else WALKS:
            options = ["stress_report=1", *configuration.options, program.said("options")]
            command = [made]
            if way != "stress":
                options = [f"walk=on,walk_every={every},seed={seed}", program.said("options"), WAYS[way]]
                command = [os.path.join(self.build, "bin", "skein"), "run", "-n", "2", made]
            options = ",".join(filter(None, options))
            done = execute(command, options)
            how = f"SKEIN_OPTIONS={options} {' '.join(command)}"
            kind, text, more, why = self.classify(program, way, done)
            moves += more
            refusals.update(why)
            if kind not in (RIGHT, REFUSED, "IDLE"):
                worst = Outcome(program, configuration.name, way, kind, text, moves, refusals, how)
                break
        if worst:
            return worst
        mute = [why for why in refusals if not re.search(r"`[^`]+`|\([^()]+:\d+\)|allocated at \S+:\d+", why)]
        kind = "MUTE" if mute else REFUSED if refusals else RIGHT if moves else "IDLE"
        return Outcome(program, configuration.name, way, kind, mute[0] if mute else "", moves, refusals, how)

    def classify(self, program, way, done):
        """(kind, what happened, moves, reasons of refusals)"""
        if done is None:
            return "HANGS", f"more than {SECONDS} s", 0, {}
        status, output, errors = done
        moves, refusals = 0, collections.Counter()
        if way == "stress":
            for times in re.findall(r"^skein: stress: (\d+) moves", errors, re.M):
                moves += int(times)
        else:
            for walks, refused in re.findall(r"walk: node \d+: (\d+) walks, (\d+) of them refused", errors):
                moves += int(walks) - int(refused)
        for times, why in re.findall(r"(?:stress|walk): refused (\d+) times: (.*)$", errors, re.M):
            refusals[why] += int(times)
        want = stress.reference(program, self.build)
        if (status, output) == want:
            return (REFUSED if refusals else RIGHT if moves else "IDLE"), "", moves, refusals
        said = [line for line in errors.splitlines() if not re.search(r"(stress|walk|maps): ", line)]
        words = "\n".join(said[:6])
        if re.search(r"thread \d+ in function|used address|holds an address", words):
            return "NAMED", words, moves, refusals
        different = stress.differs(want, (status, output))
        return ("CRASH" if status < 0 or status >= 128 else "WRONG"), f"{different}\n{words}", moves, refusals

    def run(self, program, name, ways):
        """The outcomes of one configuration."""
        configuration = variants.Configuration(name)
        made = os.path.join(self.place, f"{title(program.path)}-{name}")
        try:
            wrong = self.make(program, configuration, made)
            if wrong:
                return [Outcome(program, name, ways[0], "COMPILE", wrong, 0, {}, "")]
            return [self.judge(program, configuration, way, made) for way in ways]
        except Failure as failure:
            return [Outcome(program, name, ways[0], "COMPILE", str(failure), 0, {}, "")]
        finally:
            if os.path.exists(made):
                os.remove(made)


def jobs_of(path, configurations="rotate", only=()):
    """[(program, configuration, ways)]"""
    everything, program = all_programs(), Program(path)
    number = everything.index(path) if path in everything else 0
    if configurations == "rotate":
        wanted = rotation(number)
    else:
        names = CONFIGURATIONS if configurations == "all" else configurations.split(",")
        wanted = [(name, way) for name in names for way in WAYS]
    ways = collections.OrderedDict()
    for name, way in wanted:
        if (not only or way in only) and can(program, name, way):
            ways.setdefault(name, []).append(way)
    return [(program, name, ways[name]) for name in ways]


def shown(outcome):
    lines = [*outcome.text.splitlines(), *([] if outcome.kind in (RIGHT, REFUSED) else [outcome.how]), *outcome.refusals]
    return "\n".join([f"{outcome.kind:8}{title(outcome.program.path)} {outcome.configuration} {outcome.way}: {outcome.moves} moves, "
                      f"{sum(outcome.refusals.values())} refused"] + ["        " + line for line in lines])


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--build", default=os.path.join(ROOT, "build", "dev"))
    arguments.add_argument("--configurations", default="rotate")
    arguments.add_argument("--ways", default="")
    arguments.add_argument("--shard", default="1/1")
    arguments.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments.add_argument("--list", action="store_true", help="each outcome, the right ones too")
    arguments.add_argument("programs", nargs="*")
    chosen = arguments.parse_args()
    build = os.path.abspath(chosen.build)
    paths = [os.path.abspath(path) for path in chosen.programs] or all_programs()
    only = list(filter(None, chosen.ways.split(",")))
    part, parts = map(int, chosen.shard.split("/"))
    jobs = [job for path in paths[part - 1::parts] for job in jobs_of(path, chosen.configurations, only)]
    listed = known()
    counts, bad = collections.Counter(), set()
    with tempfile.TemporaryDirectory(prefix="skein-words-") as place, concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:
        words = Words(build, place)
        for outcomes in pool.map(lambda job: words.run(*job), jobs):
            for outcome in outcomes:
                counts[outcome.kind] += 1
                if outcome.kind not in (RIGHT, REFUSED):
                    bad.add(title(outcome.program.path))
                if chosen.list or outcome.kind not in (RIGHT, REFUSED):
                    print(shown(outcome), flush=True)
    print(", ".join(f"{count} {kind}" for kind, count in counts.most_common()))
    new = sorted(bad - set(listed))
    mended = sorted({title(path) for path in paths[part - 1::parts]} & set(listed) - bad) if chosen.configurations == "all" and not only else []
    print(f"{len(bad)} programs are wrong somewhere, {len(bad) - len(new)} of them as known")
    for name in new:
        print(f"    {name} is wrong and not in known-silent.txt")
    for name in mended:
        print(f"    {name} is right everywhere: remove it from known-silent.txt")
    sys.exit(1 if new or mended else 0)


if __name__ == "__main__":
    main()

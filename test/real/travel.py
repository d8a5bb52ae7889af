#!/usr/bin/env python3
"""Interpreters and a compiler, not ours, that walk at random between two nodes while they run their own scripts.

    travel.py [--build build/dev] [--place FOLDER] [--seeds 1,2] [--least 99] [--list] [NAME...]

Each program is fetched (by the checksum of its archive), built by clang and by skeincc with `-fskein-stress=calls` and
private globals and heap, and not changed. Then its scripts run under `skein run -n 2` as everybody would start them, with stacks and
program at the same address on both nodes (the defaults), but for `walk=on`. They must print what clang's build prints
and end with the same status, and of all moves that were tried at least 99 in 100 must be made. What refuses the rest is
printed: an open file while a script is read, a pointer to a `FILE` or to the environment.

What differs from run to run of clang's build (times, addresses, random numbers) is left out.
"""
import argparse
import collections
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
POOL = "http://deb.debian.org/debian/pool/main"
FLAGS = "-O2 -w"
OURS = "-fskein-stress=calls -fskein-globals=private -fskein-heap=private"
SECONDS = 300
ADDRESS = re.compile(rb"0x[0-9a-f]{6,}|\b[0-9a-f]{8,16}\b")


class Program:
    """folder: in the archive, where everything happens. make: a shell command that makes `made`. scripts: pairs of a name and
    the arguments that run it; `{made}` is a file that the program writes, instead of which its output is compared. every: walk_every,
    so that a run walks some thousand times."""

    def __init__(self, name, address, checksum, folder, make, made, scripts, every):
        self.name, self.address, self.checksum, self.folder = name, address, checksum, folder
        self.make, self.made, self.scripts, self.every = make, made, scripts, every


def files(pattern, arguments, without=(), each=1):
    """A script for each file of the pattern, or for one in so many."""
    def listed(folder):
        names = sorted(os.path.relpath(path, folder) for path in glob.glob(os.path.join(folder, pattern)))
        names = [name for name in names if not any(word in name for word in without)][::each]
        return [(name, [a.format(name=name, made="{made}") for a in arguments]) for name in names]
    return listed


def together(pattern, arguments, at_once, without=()):
    """The same, some of them in one run."""
    def listed(folder):
        names = [name for name, _ in files(pattern, [], without)(folder)]
        return [(f"{names[i]}, ...", arguments + names[i:i + at_once]) for i in range(0, len(names), at_once)]
    return listed


PROGRAMS = [
    Program("lua", f"{POOL}/l/lua5.5/lua5.5_5.5.1.orig.tar.gz", "1c4b4068d67061f2a2231ad2b5422e77acea1487ea9890f6320af614f4373dce",
            "lua-5.5.1/src", "$CC $FLAGS -DLUA_USE_POSIX -o lua $(ls l*.c | grep -v luac.c) -lm", "lua",
            lambda _: [(f"check.lua, {rounds} times", ["-e", f'local check = assert(loadfile("{HERE}/check.lua")) for i = 1, {rounds} do check() end'])
                       for rounds in (10, 20)], 1500),
    # Of those without, one sleeps and the others start threads of the system's.
    Program("quickjs-ng", "https://static.crates.io/crates/libquickjs-ng-sys/libquickjs-ng-sys-0.14.0.crate",
            "9c81e864c33a1d1543f2f651d7622de0e8fb9b8e0c50b808eee606c056dd02e2", "libquickjs-ng-sys-0.14.0/embed/quickjs",
            "$CC $FLAGS -D_GNU_SOURCE -DQUICKJS_NG_BUILD -DNDEBUG -I. -o qjs qjs.c quickjs.c quickjs-libc.c dtoa.c libregexp.c libunicode.c "
            "gen/repl.c gen/standalone.c -lm -lpthread", "qjs",
            files("tests/*.js", ["{name}"], ("microbench", "worker", "fixture", "test_std", "str-pad-leak", "atomics")), 200),
    # Its extended assembly writes beyond a block of its heap, which is noticed, and then main stays where it is.
    # It writes behind the end of a block of its heap while it reads issue151.c, as the address sanitizer says.
    Program("chibicc", f"{POOL}/c/chibicc/chibicc_0+git20240328+ds.orig.tar.xz",
            "0aa0be1ebd9b884aa8acd9617d7917cecc9a0323fb7e81e3180e7346303fca91", "chibicc-0+git20240328+ds",
            "$CC $FLAGS -std=c11 -o chibicc *.c", "chibicc",
            files("test/*.c", ["-Iinclude", "-Itest", "-cc1", "-cc1-input", "{name}", "-cc1-output", "{made}", "{name}"], ("asm", "issue151"), 4), 3000),
    # Threads of the system's are left out: with them it keeps the number of the one it began on.
    Program("micropython", f"{POOL}/m/micropython/micropython_1.26.1+ds.orig.tar.xz",
            "f5ad2ec89d3e921f753d448955af98b6005655f84ba26087dde6ba0e8d062f34", "micropython-1.26.1",
            "make -s -C ports/unix CC=\"$CC\" CWARN= CFLAGS_EXTRA=\"$FLAGS\" FROZEN_MANIFEST= MICROPY_PY_FFI=0 MICROPY_PY_SSL=0 "
            "MICROPY_PY_BTREE=0 MICROPY_PY_THREAD=0", "ports/unix/build-standard/micropython",
            together("tests/basics/*.py", [f"{HERE}/check.py"], 20, ("sys_exit", "io_", "stress")), 2000),
]


class Failure(Exception):
    pass


def fetched(program, place):
    path = os.path.join(place, os.path.basename(program.address))
    if not os.path.exists(path):
        with urllib.request.urlopen(program.address, timeout=300) as answer, open(path + ".part", "wb") as to:
            shutil.copyfileobj(answer, to)
        os.rename(path + ".part", path)
    with open(path, "rb") as file:
        have = hashlib.sha256(file.read()).hexdigest()
    if have != program.checksum:
        raise Failure(f"{program.address} has another checksum: {have}")
    return path


def built(program, archive, place, compiler, flags):
    """The folder and the program in it, made of a fresh copy of the source."""
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place)
    subprocess.run(["tar", "xf", archive, "-C", place], check=True)
    folder = os.path.join(place, program.folder)
    done = subprocess.run(["sh", "-c", program.make], cwd=folder, env=dict(os.environ, CC=compiler, FLAGS=flags), stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise Failure(f"it does not compile: {(done.stdout + done.stderr)[-800:]}")
    return folder, os.path.join(folder, program.made)


def execute(command, folder, written, options=""):
    """(status, output, messages); the output is that in the file `written`, if any."""
    if os.path.exists(written):
        os.remove(written)
    process = subprocess.Popen(command, cwd=folder, env=dict(os.environ, SKEIN_OPTIONS=options), stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    try:
        output, messages = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.communicate()
        return "no end", b"", b""
    if os.path.exists(written):
        with open(written, "rb") as file:
            output += file.read()
    return process.returncode, ADDRESS.sub(b"ADDRESS", output), messages


def travel(program, chosen):
    """Whether it is as it should be."""
    place = os.path.join(os.path.abspath(chosen.place), "travel-" + program.name)
    os.makedirs(place, exist_ok=True)
    build = os.path.abspath(chosen.build)
    archive = fetched(program, os.path.abspath(chosen.place))
    folder, reference = built(program, archive, os.path.join(place, "clang"), "clang-22", FLAGS)
    _, ours = built(program, archive, os.path.join(place, "skein"), os.path.join(build, "bin", "skeincc"), f"{FLAGS} {OURS}")
    report, written = os.path.join(place, "report"), os.path.join(place, "written")
    walks = refused = left_out = wrong = 0
    reasons = collections.Counter()
    scripts = program.scripts(folder)
    for name, arguments in scripts:
        arguments = [argument.format(made=written) for argument in arguments]
        want, again = (execute([reference, *arguments], folder, written)[:2] for _ in range(2))
        if want != again or want[0] == "no end":
            left_out += 1
            continue
        for seed in chosen.seeds.split(","):
            if os.path.exists(report):
                os.remove(report)
            options = f"walk=on,walk_every={program.every},seed={seed},report={report}"
            command = [os.path.join(build, "bin", "skein"), "run", "-n", "2", ours, *arguments]
            status, output, messages = execute(command, folder, written, options)
            if (status, output) != want:
                wrong += 1
                print(f"    {name}: status {status} instead of {want[0]}, or another output: cd {folder} && SKEIN_OPTIONS={options} "
                      f"{' '.join(command)}\n{messages.decode(errors='replace')[:600]}", flush=True)
            with open(report, errors="replace") as file:
                text = file.read()
            for tried, why in re.findall(r"walk: node \d+: (\d+) walks, (\d+) of them refused", text):
                walks, refused = walks + int(tried), refused + int(why)
            for times, why in re.findall(r"walk: refused (\d+) times: (.*)$", text, re.M):
                reasons[why] += int(times)
    made = 100 * (walks - refused) / walks if walks else 0
    good = not wrong and made >= chosen.least and left_out < len(scripts) / 4
    print(f"{program.name}: {'' if good else 'FAILED: '}{len(scripts) - left_out} scripts, {left_out} left out, {wrong} runs wrong, {walks} moves tried, "
          f"{made:.2f} % made", flush=True)
    for why, times in reasons.most_common(12):
        print(f"    {times:8} {why}", flush=True)
    return good


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--build", default=os.path.join(ROOT, "build", "dev"))
    arguments.add_argument("--place", default=os.path.join(ROOT, "build", "real"))
    arguments.add_argument("--seeds", default="1,2", help="of the walks of each script")
    arguments.add_argument("--least", type=float, default=99, help="of a hundred moves so many must be made")
    arguments.add_argument("--list", action="store_true")
    arguments.add_argument("names", nargs="*")
    chosen = arguments.parse_args()
    if chosen.list:
        print("\n".join(program.name for program in PROGRAMS))
        return
    known = {program.name: program for program in PROGRAMS}
    for name in chosen.names:
        if name not in known:
            sys.exit(f"travel.py: no program {name}; there are {', '.join(known)}")
    good = True
    for program in [known[name] for name in chosen.names] or PROGRAMS:
        try:
            good &= travel(program, chosen)
        except Failure as failure:
            print(f"{program.name}: FAILED: {failure}", flush=True)
            good = False
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()

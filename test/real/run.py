#!/usr/bin/env python3
"""Real programs, not ours, under relocation stress: fetched from Debian, built by skeincc, running their own tests.

    run.py [--build build/dev] [--place FOLDER] [--every K] [--flags=...] [--list] [NAME...]

For each program (default: those marked `required`): `apt-get source` from Debian's archive, with lists and sources in FOLDER
(default: build/real) and nothing of the system's configuration; configure and make with CC=skeincc and
`-fskein-stress=calls`; then its tests, while its stack moves at every K-th migration point on average. Their answer is the
answer. Sources are not changed. What the table PROGRAMS adds to a plain `./configure && make && make check` stands there with its
reason.

Moves and refusals of all processes that ran are collected (the runtime appends its reports to the file named by
SKEIN_OPTIONS=report=...) and printed. A program whose stack never moved has failed.
"""
import argparse
import collections
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

SOURCES = """\
deb-src http://deb.debian.org/debian bookworm main
deb-src http://deb.debian.org/debian-security bookworm-security main
"""

# Code of the last century declares functions by calling them, which clang-22 takes for an error.
OLD_C = "-Wno-implicit-function-declaration -Wno-implicit-int -Wno-deprecated-non-prototype"


class Program:
    """configure, make, test: shell commands in the source folder, with $CC, $CXX, $CFLAGS set. flags: added to $CFLAGS.
    every: stress_every, so that the tests end in minutes. needs: commands without which it is skipped."""

    def __init__(self, name, test, configure="./configure", make="make", source=None, flags="", every=1000, required=False,
                 needs=()):
        self.name, self.test, self.configure, self.make = name, test, configure, make
        self.source, self.flags, self.every, self.required, self.needs = source or name, flags, every, required, needs


PROGRAMS = [
    Program("mawk", "make check", required=True, every=100),
    # Its Test folder has programs and no answers: those of the same program built by clang are right.
    Program("bc", f"sh {HERE}/bc.sh", required=True, every=2000, flags=OLD_C + " -funsigned-char", needs=("flex", "bison"),
            make="make AUTOMAKE=: ACLOCAL=: AUTOCONF=: AUTOHEADER=: MAKEINFO=:"),  # made by another automake
    # Debian's tarball has no configure. Its regular expressions are a library's (oniguruma), which is left out with its test.
    # Under valgrind, its tests would run valgrind; mantest needs ruby.
    Program("jq", "make check TESTS='tests/jqtest tests/shtest'", required=True, every=1000000,
            configure="autoreconf -fi && ./configure --without-oniguruma --disable-docs --disable-valgrind --disable-shared "
            "--enable-static --disable-maintainer-mode", needs=("autoreconf", "libtoolize")),
    # Programs it does not have to know about.
    Program("gzip", "make check", every=1000),
    Program("sed", "make check", every=1000),
    Program("grep", "make check", every=1000),
    # Its Makefile links to a shared library of its own, and Debian's Makefile of Lua wants libtool.
    Program("bzip2", "make -o bzip2 -o bzip2recover test", configure="true", every=5000,
            make="make libbz2.a bzip2.o CC=\"$CC\" CFLAGS=\"$CFLAGS\" && $CC $CFLAGS -o bzip2 bzip2.o libbz2.a"),
    Program("zlib", "make test", configure="chmod +x configure && ./configure --static", every=200),
    Program("lua5.4", f"sh {HERE}/lua.sh", configure="true", every=5000,
            make="cd src && echo '#define DEB_HOST_MULTIARCH' >lua5.4-deb-multiarch.h && $CC $CFLAGS -DLUA_USE_POSIX -o lua $(ls l*.c | grep -v luac.c) -lm"),
    Program("dash", f"sh {HERE}/dash.sh", configure="autoreconf -fi && ./configure", every=500, needs=("autoreconf",)),
    Program("sqlite3", f"sh {HERE}/sqlite.sh", make="make sqlite3", every=20000,
            configure="./configure --disable-tcl --disable-readline --disable-shared"),
    # Its manual is not in Debian's tarball. Tests of other locales and extensions are left out.
    Program("gawk", "make -C test basic unix-tests pass-fail", every=2000, make="make -C support && make gawk",
            configure="./configure --disable-mpfr --disable-extensions --disable-pma"),
    # A value of its stack is a union of numbers and pointers. Its tests run what it has compiled in its own process.
    Program("tcc", "make -C tests/tests2", every=10000, configure="./configure --cc=\"$CC\" --extra-cflags=\"$CFLAGS\"",
            make="make tcc libtcc1.a"),
]


class Failure(Exception):
    pass


def apt(place, *arguments, **more):
    """apt-get with lists, cache and sources of our own; the system's keys."""
    own = os.path.join(place, "apt")
    os.makedirs(os.path.join(own, "lists", "partial"), exist_ok=True)
    os.makedirs(os.path.join(own, "cache", "archives", "partial"), exist_ok=True)
    sources = os.path.join(own, "sources.list")
    if not os.path.exists(sources):
        with open(sources, "w") as file:
            file.write(SOURCES)
    options = {"Dir::State::lists": own + "/lists", "Dir::Cache": own + "/cache", "Dir::Etc::sourcelist": sources,
               "Dir::Etc::sourceparts": "/dev/null", "APT::Sandbox::User": "root"}
    command = ["apt-get", "-q"] + [f"-o{key}={value}" for key, value in options.items()] + list(arguments)
    return subprocess.run(command, capture_output=True, text=True, timeout=600, **more)


def fetch(program, place, folder):
    """Unpacks the program's source, with Debian's patches, into `folder`."""
    fetched = os.path.join(place, "sources", program.name)
    if not glob.glob(fetched + "/*.dsc"):
        os.makedirs(fetched, exist_ok=True)
        if not glob.glob(os.path.join(place, "apt", "lists", "*Sources*")):
            updated = apt(place, "update")
            if updated.returncode:
                raise Failure(f"apt-get update: {updated.stderr[-500:]}")
        done = apt(place, "source", "--download-only", program.source, cwd=fetched)
        if not glob.glob(fetched + "/*.dsc") or done.returncode:  # a mirror need not have the newest version yet
            for version in versions(place, program.source):
                shutil.rmtree(fetched)
                os.makedirs(fetched)
                done = apt(place, "source", "--download-only", f"{program.source}={version}", cwd=fetched)
                if done.returncode == 0:
                    break
            else:
                shutil.rmtree(fetched)
                raise Failure(f"apt-get source {program.source}: {done.stderr[-500:]}")
    shutil.rmtree(folder, ignore_errors=True)
    done = subprocess.run(["dpkg-source", "-x", glob.glob(fetched + "/*.dsc")[0], folder], capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"dpkg-source: {done.stderr[-500:]}")
    # What autoconf and automake made is up to date, whatever the times say that patches have left.
    for generated in ("aclocal.m4", "Makefile.in", "config.h.in", "config.hin", "configure"):
        for path in glob.glob(f"{folder}/**/{generated}", recursive=True):
            os.utime(path)


def versions(place, source):
    """Of the source package, as the lists have them."""
    found = []
    for name in glob.glob(os.path.join(place, "apt", "lists", "*Sources*")):
        reader = ["lz4", "-dc"] if name.endswith(".lz4") else ["xzcat", "-f"] if name.endswith(".xz") else ["cat"]
        text = subprocess.run(reader + [name], capture_output=True, text=True).stdout
        for paragraph in text.split("\n\n"):
            if re.match(rf"Package: {re.escape(source)}\n", paragraph):
                found += re.findall(r"^Version: (.*)$", paragraph, re.M)
    return found


def step(name, command, folder, environment, log, seconds):
    log.write(f"=== {name}: {command}\n".encode())
    log.flush()
    try:
        done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=log,
                              stderr=subprocess.STDOUT, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise Failure(f"{name} takes more than {seconds} s")
    if done.returncode:
        raise Failure(f"{name} failed with status {done.returncode}: {command}")


def reports(path):
    """(moves, refused, reasons) of what the runtimes of all processes appended to the file."""
    moves = refused = 0
    reasons = collections.Counter()
    if os.path.exists(path):
        with open(path, errors="replace") as file:
            for line in file:
                if found := re.match(r"skein: stress: (\d+) moves, .* (\d+) moves refused", line):
                    moves, refused = moves + int(found[1]), refused + int(found[2])
                elif found := re.match(r"skein: stress: refused (\d+) times: (.*)", line):
                    reasons[re.sub(r"\(0x[0-9a-f]+\)", "(...)", found[2])] += int(found[1])
    return moves, refused, reasons


def run(program, chosen):
    missing = [command for command in program.needs if not shutil.which(command)]
    if missing:
        print(f"{program.name}: skipped, since there is no {', '.join(missing)} here", flush=True)
        return not program.required
    begin = time.monotonic()
    place = os.path.abspath(chosen.place)
    folder, report = os.path.join(place, program.name), os.path.join(place, program.name + ".report")
    log = os.path.join(place, program.name + ".log")
    os.makedirs(place, exist_ok=True)
    if os.path.exists(report):
        os.remove(report)
    build = os.path.abspath(chosen.build)
    flags = f"-O2 -fskein-stress=calls {chosen.flags} {program.flags}".strip()
    environment = dict(os.environ, CC=os.path.join(build, "bin", "skeincc"), CXX=os.path.join(build, "bin", "skein++"),
                       CFLAGS=flags, CXXFLAGS=flags, LC_ALL="C", SKEIN_OPTIONS="stress_every=0")
    # A stack that was left stays readable: tests that start thousands of processes would spend their time in mprotect.
    moving = (f"stress_every={chosen.every or program.every},stress_protect=off,stress_report=on,report={report},"
              f"{chosen.options}")
    try:
        with open(log, "wb") as file:
            fetch(program, place, folder)
            step("configure", program.configure, folder, environment, file, 1800)
            step("make", program.make, folder, environment, file, 1800)
            environment["SKEIN_OPTIONS"] = moving.rstrip(",")
            step("its tests", program.test, folder, environment, file, 3600)
        wrong = None
    except Failure as failure:
        wrong = str(failure)
    moves, refused, reasons = reports(report)
    if not wrong and not moves:
        wrong = "its stack never moved"
    verdict = f"FAILED: {wrong} (see {log})" if wrong else "its tests pass"
    with open(log, errors="replace") as file:
        unproved = len({line for line in file if line.rstrip().endswith("[-Wskein-unproved]")})
    print(f"{program.name}: {verdict}; {moves} moves, {refused} refused, {unproved} unproved calls, {time.monotonic() - begin:.0f} s", flush=True)
    for why, times in reasons.most_common(12):
        print(f"    {times:8} {why}", flush=True)
    return not wrong


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--build", default=os.path.join(ROOT, "build", "dev"))
    arguments.add_argument("--place", default=os.path.join(ROOT, "build", "real"))
    arguments.add_argument("--every", type=int, help="stress_every, instead of what the table says")
    arguments.add_argument("--options", default="", help="more SKEIN_OPTIONS for the tests")
    arguments.add_argument("--flags", default="", help="more flags, e.g. --flags='-fskein-globals=private -fskein-heap=private'")
    arguments.add_argument("--list", action="store_true")
    arguments.add_argument("names", nargs="*")
    chosen = arguments.parse_args()
    if chosen.list:
        print("\n".join(p.name + (" (required)" if p.required else "") for p in PROGRAMS))
        return
    known = {program.name: program for program in PROGRAMS}
    for name in chosen.names:
        if name not in known:
            sys.exit(f"run.py: no program {name}; there are {', '.join(known)}")
    programs = [known[name] for name in chosen.names] or [p for p in PROGRAMS if p.required]
    good = [run(program, chosen) for program in programs]
    print(f"{sum(good)} of {len(good)} programs pass their own tests")
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()

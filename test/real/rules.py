#!/usr/bin/env python3
"""What the rules say of programs that nobody here chose, and how long that takes.

    rules.py [--build build/dev] [--place FOLDER] [--rounds N] [--pedantic] [--list] [NAME...]

The packages are those of large.py, fetched from Debian and not changed; by default three of them, some 400,000 lines. Each of
their files is checked by `skein-check` with the rules that are on by default, beside `clang-22 -fsyntax-only` in turn. A
finding must be in JUDGED, where a person has looked at it and says whether it is right; docs/rules.md sums them up. They are
compiled as if they included <skein/skein.h>, since nothing is certain in a file that does not. It fails if there is another one, if false ones come to one in 10,000 lines, or if the check of all files takes more than 1.5
times clang's time (user mode; the least of N rounds of each). With --pedantic all rules are applied; findings and time
are only told.
"""
import argparse
import collections
import os
import re
import resource
import subprocess
import sys

import large
import run

MOST = 1.5            # times clang
MOST_FALSE = 1e-4     # findings per line
BY_DEFAULT = ["sqlite3", "pcre2", "libxml2"]
FINDING = re.compile(r"^(.*?):(\d+):\d+: (?:warning|error): (.*) \[skein-([a-z-]+)(?:, pedantic)?\]$")

READ_ONLY = "it is lent through a pointer that could write, and does not"
# {package: ({what is found for good reason}, {what is not: why})}. A finding is known by the variable that it names.
JUDGED = {
    # Settings, lists, caches, random numbers, locks of what stands beside them, modules with a link to the next one.
    "sqlite3": ("""Argv0 aAlterTableFuncs aBuiltinFunc aDateTimeFuncs aJsonFunc aSyscall aVfs aWindowFuncs apnd_vfs azTempDirs
                   bail_on_error clockVfs continuePrompt enableTimer globalDb home_dir iBegin inodeList mainPrompt mem0 memdb_g
                   memdb_vfs memtraceBase memtraceOut nCall pcache1_g randomnessPid sBegin savedSelectTrace savedWhereTrace
                   seenInterrupt sqlite3Autoext sqlite3BuiltinFunctions sqlite3Config sqlite3Hooks sqlite3PendingByte
                   sqlite3Prng sqlite3SavedPrng sqlite3SharedCacheList sqlite3Stat sqlite3TreeTrace sqlite3WhereTrace
                   sqlite3_data_directory sqlite3_temp_directory staticMutexes stdin_is_interactive stdout_is_console
                   unixBigLock vfsList zStmtSql""",
                dict.fromkeys("aCacheMode aOpenMode dummy ersaztMethods fakeCursor jsonEachModule jsonTreeModule nullElement "
                              "sqlite3OomStr sqlite3StdType".split(), READ_ONLY)),
    # What the first compilation finds out about the processor, and memory for code.
    "pcre2": ("""allocated_size allocator_lock compiler_initialized cpu_feature_list executable_allocator_is_working free_blocks
                 sljit_page_align sse2_buffer sse2_data total_size""", {"pso_list": READ_ONLY}),
    # Set by the first call, or by the program.
    "libxml2": ("xmlEntityRefFunc xmlParserInitialized xmlXPathNAN xmlXPathNINF xmlXPathPINF", {}),
}


def lines_of(command, folder):
    """How many lines of the package itself a file comes to, with what it includes."""
    text = subprocess.run([*command, "-E"], cwd=folder, capture_output=True, text=True, errors="replace").stdout
    count, own = 0, False
    seen = set()
    for line in text.splitlines():
        marker = re.match(r'# (\d+) "(.*?)"', line)
        if marker:
            own = not marker[2].startswith(("/usr/", "<"))
            if own:
                seen.add(marker[2])
    for name in seen:
        path = os.path.join(folder, name)
        if os.path.exists(path):  # what a generator was given may be gone
            with open(path, errors="replace") as source:
                count += sum(1 for _ in source)
    return count


def user_time(command, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, done


def check(package, folder, checker, include, rounds):
    """(lines, findings, user time of the check, of clang) of all files of a package."""
    lines, findings, checked, compiled = 0, [], 0.0, 0.0
    for file in package.files.values():
        flags = ["-D_GNU_SOURCE", "-I" + include, "-include", "skein/skein.h", *package.flags.split()]
        clang = ["clang++-22" if file.endswith((".cc", ".cpp")) else "clang-22", "-w", "-fsyntax-only", *flags, file]
        times = []
        for _ in range(rounds):
            ours, done = user_time([*checker, "--quiet", "-j", "1", file, "--", *flags], folder)
            theirs, plain = user_time(clang, folder)
            if plain.returncode:
                raise run.Failure(f"{file}: clang: {plain.stderr[-300:]}")
            if done.returncode not in (0, 1):
                raise run.Failure(f"{file}: skein-check: status {done.returncode}: {(done.stdout + done.stderr)[-400:]}")
            times.append((ours, theirs))
        checked += min(ours for ours, _ in times)
        compiled += min(theirs for _, theirs in times)
        lines += lines_of(clang, folder)
        for line in done.stdout.splitlines():
            if found := FINDING.match(line):
                findings.append((os.path.relpath(found[1], folder) if os.path.isabs(found[1]) else found[1], found[2], found[4], found[3]))
    return lines, sorted(set(findings)), checked, compiled


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--build", default=os.path.join(run.ROOT, "build", "dev"))
    parser.add_argument("--place", default=os.path.join(run.ROOT, "build", "real"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pedantic", action="store_true")
    parser.add_argument("--list", action="store_true")
    given = parser.parse_args()
    packages = {package.name: package for package in large.PACKAGES}
    if given.list:
        print("\n".join(packages))
        return 0
    if unknown := [name for name in given.names if name not in packages]:
        parser.error(f"no such package: {', '.join(unknown)} (--list shows them)")
    place, build = os.path.abspath(given.place), os.path.abspath(given.build)
    checker, include = [os.path.join(build, "bin", "skein-check")], os.path.join(build, "include")
    if given.pedantic:
        checker.append("--pedantic")
    os.makedirs(place, exist_ok=True)
    total, wrong, false, checked, compiled = 0, 0, 0, 0.0, 0.0
    for name in given.names or BY_DEFAULT:
        package = packages[name]
        if missing := [command for command in package.needs if not large.shutil.which(command)]:
            print(f"{name:12} skipped: it needs {', '.join(missing)}")
            continue
        try:
            lines, findings, ours, theirs = check(package, large.make_ready(package, place), checker, include, given.rounds)
        except run.Failure as failure:
            print(f"{name:12} FAILED: {failure}")
            wrong += 1
            continue
        total, checked, compiled = total + lines, checked + ours, compiled + theirs
        print(f"{name:12} {lines:7} lines, {len(findings)} findings, {ours:.2f} s, clang {theirs:.2f} s: {ours / theirs:.2f}", flush=True)
        if given.pedantic:
            print("    " + ", ".join(f"{rule} {n}" for rule, n in collections.Counter(rule for _, _, rule, _ in findings).most_common()))
            continue
        right, not_right = JUDGED.get(name, ("", {}))
        wrongly = collections.Counter()
        for file, line, rule, text in findings:
            variable = (re.search(r"(?:global|variable) '([^']*)'", text) or [None, text])[1]
            if variable in not_right:
                wrongly[variable] += 1
            elif variable not in right.split():
                print(f"    {file}:{line}: {text} [{rule}]: nobody has judged this")
                wrong += 1
        for variable, count in wrongly.items():
            print(f"    false: {variable}, {count} times: {not_right[variable]}")
        false += wrongly.total()
    if not total:
        print("nothing was checked")
        return 1
    judged = "" if given.pedantic else f"{false} false findings, {1e4 * false / total:.2f} in 10,000 lines; "
    print(f"{total} lines: {judged}{checked / compiled:.2f} times clang -fsyntax-only")
    return 1 if wrong or false >= MOST_FALSE * total or (checked > MOST * compiled and not given.pedantic) else 0


if __name__ == "__main__":
    sys.exit(main())

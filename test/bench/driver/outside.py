"""Programs of `skein bench overhead --outside`: nobody here wrote them, and nobody made anything to make them fast.

They are source packages of Debian, fetched and configured as test/real/run.py does, once, with a compiler `cc` that is
whatever BENCH_CC says; then built for each side from the same configured folder, at the same place. What they run is
below; its input is made here and is always the same. No run starts other processes, which valgrind would not count.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

import comparison
from common import ROOT, Wrong, execute, progress

sys.path.insert(0, str(ROOT / "share/skein/bench/real"))
import run as real

AWK = """\
{ for (i = 1; i <= NF; i++) { count[$i]++; letters += length($i) } gsub(/lo[ck]+/, "key"); found += index($0, "key") }
END { for (word in count) total += count[word]; print total, letters, found; printf "%.6f\\n", exp(sin(total)) }
"""
BC = """\
scale = 200
4 * a(1)
define f(n) { if (n < 2) return (n); return (f(n - 1) + f(n - 2)); }
f(19)
2 ^ 4000 % 1000007
quit
"""
JQ = """\
[.[] | select(.id % 3 != 0) | {name, sum: (.values | add)}] | group_by(.name) |
map({name: .[0].name, sum: map(.sum) | add})
"""
LUA = """\
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local words, object = {}, setmetatable({}, {__index = function(_, key) return key .. "!" end})
for i = 1, 20000 do words[i] = string.format("%05d", i * 7919 % 20011) .. object[i % 10] end
table.sort(words, function(a, b) return a > b end)
local text = table.concat(words, " "):gsub("%d(%d)%d", "%1"):upper()
local ok, message = pcall(error, "oh")
print(fib(22), words[1], words[#words], #text, ok, message)
"""
SHELL = """\
count() { total=$((total + $1 % 7)); case $1 in *00) hundreds="$hundreds.$1";; *[13579]) odd=$((odd + 1));; esac; }
i=0; total=0; odd=0; hundreds=
while [ $i -lt 15000 ]; do i=$((i + 1)); count $i; name=${i#1}; [ "$name" = "${name%5}" ] || total=$((total + 1)); done
echo $total $odd ${#hundreds}
"""
SQL = """\
create table thing (id integer primary key, name text, size real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 12000)
insert into thing select i, 'thing ' || (i * 7919 % 10007), i * 0.37 from n;
create index thing_name on thing (name);
select count(*), sum(size), max(name) from thing where name like '%9%';
select substr(name, 7, 1) as first, avg(size), count(*) from thing group by first order by 2 desc;
select count(*) from thing a join thing b on a.name = b.name and a.id < b.id;
update thing set size = size + 1 where id % 3 = 0;
delete from thing where name between 'thing 2' and 'thing 4';
select count(*), total(size) from thing;
"""
# Not words.sort(), which chooses its pivots by the time of day: the same run took 1.01 or 1.07 of clang's instructions.
JS = """\
function Point(x, y) { this.x = x; this.y = y; }
Point.prototype.plus = function (other) { return new Point(this.x + other.x, this.y + other.y); };
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
var sum = new Point(0, 0), words = [];
for (var i = 0; i < 10000; i++) { sum = sum.plus(new Point(i, i * 0.5)); words.push('w' + (i * 7919) % 10007); }
function sorted(list) {
  if (list.length < 2) return list;
  var half = list.length >> 1, a = sorted(list.slice(0, half)), b = sorted(list.slice(half)), both = [];
  for (var i = 0, j = 0; i < a.length || j < b.length;)
    both.push(j == b.length || (i < a.length && a[i] <= b[j]) ? a[i++] : b[j++]);
  return both;
}
words = sorted(words);
var text = words.join(' ').replace(/w(\\d)/g, '$1-'), copy = JSON.parse(JSON.stringify({list: words, sum: sum}));
print(fib(19), sum.x, sum.y, text.length, copy.list[77], copy.sum.y);
"""


def make_text(kib=384):
    """Lines that look like a program's, always the same."""
    words = "int void struct thread mutex lock(&self->queue) return if while signal pthread_lock( node next x".split()
    state, lines, size = 12345, [], 0
    while size < kib * 1024:
        line = []
        for _ in range(12):
            state = (state * 1103515245 + 12345) & 0x7FFFFFFF
            line.append(words[(state >> 16) % len(words)] + ("" if state & 0x7000 else str(state >> 20)))
        lines.append(" ".join(line))
        size += len(lines[-1]) + 1
    return "\n".join(lines) + "\n"


def make_json(records=4000):
    return json.dumps([{"id": i, "name": f"n{i * 7919 % 97}", "values": [i * 31 % 1009, 1.5, i],
                        "nested": {"empty": [], "text": "a\u00e9\n"}} for i in range(records)])


INPUTS = {"text": make_text(), "list.json": make_json(), "words.awk": AWK, "pi.bc": BC, "some.lua": LUA,
          "loop.sh": SHELL, "some.sql": SQL, "some.js": JS}

MORE = [  # beside those of test/real/run.py
    real.Program("duktape", None, configure="true",
                 flags="-std=c99 -Isrc -Iextras/print-alert -DDUK_CMDLINE_PRINTALERT_SUPPORT",
                 make="$CC $CFLAGS -o duk src/duktape.c examples/cmdline/duk_cmdline.c "
                 "extras/print-alert/duk_print_alert.c -lm"),
    real.Program("lz4", None, configure="true", flags="-Ilib -DXXH_NAMESPACE=LZ4_",
                 make="$CC $CFLAGS -o lz4-alone lib/*.c programs/*.c"),
]
# name: the program in its folder, and its arguments, in the folder of the inputs.
RUNS = {
    "bc": ("bc/bc", ["-l", "pi.bc"]),
    "bzip2": ("bzip2", ["-9", "-c", "text"]),
    "dash": ("src/dash", ["loop.sh"]),
    "duktape": ("duk", ["some.js"]),
    "grep": ("src/grep", ["-ciE", "(mutex|lock)[(&a-z]+->.*(int|void) ([a-z]+ )*\\3", "text"]),
    "gzip": ("gzip", ["-9", "-n", "-c", "text"]),
    "jq": ("jq", ["-c", JQ, "list.json"]),
    "lua5.4": ("src/lua", ["some.lua"]),
    "lz4": ("lz4-alone", ["-9", "-c", "text"]),
    "mawk": ("mawk", ["-f", "words.awk", "text"]),
    "sed": ("sed/sed", ["-E", "s/([a-z]+) ([a-z]+)/\\2 \\1/g; s/mutex/lock/g; /node$/d", "text"]),
    "sqlite3": ("sqlite3", [":memory:", ".read some.sql"]),
    "zlib": ("minigzip", ["-9", "-c", "text"]),
}


class Program:
    """One of them. `place` is the folder that keeps sources and what is made of them."""

    def __init__(self, name, place):
        self.name, self.place = name, place
        self.real = next(each for each in [*real.PROGRAMS, *MORE] if each.name == name)
        self.made, self.arguments = RUNS[name]
        self.folder, self.configured = place / name, place / f"{name}.configured"

    def missing(self):
        """Commands without which it cannot be built."""
        return [command for command in ("apt-get", "dpkg-source", *self.real.needs) if not shutil.which(command)]

    def step(self, what, command, compiler, flags):
        environment = dict(os.environ, PATH=f"{self.place / 'tools'}:{os.environ['PATH']}", BENCH_CC=compiler, CC="cc",
                           MAKEFLAGS=f"-j{len(os.sched_getaffinity(0))}", CFLAGS=f"{flags} -w {self.real.flags}",
                           LC_ALL="C")
        with open(self.place / f"{self.name}.log", "ab") as log:
            try:
                real.step(what, command, self.folder, environment, log, 1800)
            except real.Failure as failure:
                raise Wrong(f"{self.name}: {failure} (see {log.name})")

    def configure(self, compiler):
        """Once and for all sides, by clang."""
        if self.configured.exists():
            return
        progress(f"{self.name}: fetching and configuring")
        try:
            real.fetch(self.real, str(self.place), str(self.folder))
        except real.Failure as failure:
            raise Wrong(f"{self.name}: {failure}")
        self.step("configure", self.real.configure, compiler, "-O2")
        self.folder.rename(self.configured)

    def command(self, chosen, scratch, side, brief):
        """The words that run it. There is no brief copy: its input is small."""
        built = pathlib.Path(scratch) / f"{self.name}.{side}"
        if not built.exists():
            self.configure(chosen.clang)
            progress(f"{self.name}: building for {side}")
            shutil.rmtree(self.folder, ignore_errors=True)
            subprocess.run(["cp", "-a", self.configured, self.folder], check=True)
            compiler = comparison.compiler_of(side, chosen.clang, "")
            compiler += chosen.skeincc_options.split() if side != comparison.CLANG else []
            self.step("make", self.real.make, " ".join(compiler), chosen.options)
            # Valgrind 3.19 gives up on clang's debugging information.
            if execute(["strip", "--strip-debug", str(self.folder / self.made), "-o", str(built)]).status:
                raise Wrong(f"{self.name}: there is no {self.made} after make")
            shutil.rmtree(self.folder)
        return [str(built), *self.arguments]


def prepare(place):
    """Inputs, and the tools that all builds use: with -flto archives hold what only LLVM's can read, and no manual is
    wanted. The folder of the inputs."""
    for folder in ("inputs", "tools"):
        (place / folder).mkdir(parents=True, exist_ok=True)
    for name, text in INPUTS.items():
        (place / "inputs" / name).write_text(text)
    tools = {"cc": "$BENCH_CC", "makeinfo": "true"} | {name: f"llvm-{name}-22" for name in ("ar", "nm", "ranlib")}
    for name, command in tools.items():
        (place / "tools" / name).write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        (place / "tools" / name).chmod(0o755)
    return place / "inputs"


def programs(place, text):
    """Those whose name contains `text` and that can be built here."""
    named = [Program(name, place) for name in RUNS if text in name]
    if not named:
        raise Wrong(f"none of {', '.join(RUNS)} has a name with '{text}'")
    for each in named:
        if each.missing():
            print(f"{each.name} is left out: there is no {', '.join(each.missing())} here", file=sys.stderr)
    return [each for each in named if not each.missing()]

#!/usr/bin/env python3
"""Binds the runtime to libc's functions, whatever the program defines (runtime/libc/next.cpp says why).

    BindToLibc.py --nm NM --object skein.o --libc libc.so.6 --own own.o --rename FILE --next FILE.S --direct FILE.S

Of the functions that the object needs, those that libc.so defines get names of the runtime's own, `__skein_libc_NAME`.
Writes

    --rename   arguments for objcopy: NAME is __skein_libc_NAME, and __skein_program_NAME is NAME (base/program_heap.h)
    --next     for dynamic programs: a jump through a slot each, and the tables of names, of where they begin and of their hashes
               that next.cpp fills the slots by
    --direct   for static programs and unit tests: a jump to NAME each, unless own.o defines it; 0 comes back from what a
               program lacks that defines malloc, since libc has all of that in one object

With --none (sanitizers, which mean to be met) only the second kind of names is given.

Refuses an object in which a variable of a function is initialised by code at the first call: nothing keeps two kernel threads
that come at once from doing so both (-fno-threadsafe-statics, as the C++ library is not there to wait for each other).
"""
import argparse
import subprocess
import sys

OURS = "__skein_libc_"
PROGRAMS = "__skein_program_"
KEPT = {"dlsym"}  # by which next.cpp finds the others
WITH_MALLOC = {"mallopt"}  # in libc's object of malloc, and not what those define who define malloc


def symbols(nm, arguments, kinds):
    out = subprocess.run([nm, "--format=posix", *arguments], check=True, capture_output=True, text=True).stdout
    fields = [line.split() for line in out.splitlines()]
    # NAME@@VERSION is what a program means by NAME; NAME@VERSION is there for programs of the past.
    versions = (f[0].split("@") for f in fields if len(f) > 1 and f[1] in kinds)
    return {v[0] for v in versions if len(v) != 2}


def function(name, *body):
    return [f".globl {name}", f".hidden {name}", f".type {name}, @function", f"{name}:", *("    " + b for b in body)]


def write(path, lines):
    with open(path, "w") as out:
        out.write("".join(line + "\n" for line in lines))


def gnu_hash(name):
    """By which the loader's tables of symbols are sorted (DT_GNU_HASH)."""
    value = 5381
    for byte in name.encode():
        value = (value * 33 + byte) & 0xffffffff
    return value


def next_of(names):
    lines = [".text"]
    for name in names:
        lines += function(OURS + name, f"jmp *.Lslot_{name}(%rip)")
        lines += [f".Lfirst_{name}:", f"    leaq .Lslot_{name}(%rip), %r11", "    jmp __skein_libc_first"]
    lines += [".data", ".balign 8", ".globl skein_libc_slots", ".hidden skein_libc_slots", "skein_libc_slots:"]
    lines += [f".Lslot_{name}: .quad .Lfirst_{name}" for name in names]
    lines += [".section .rodata", ".balign 4", ".globl skein_libc_hashes", ".hidden skein_libc_hashes",
              "skein_libc_hashes:"]
    lines += [f"    .long {gnu_hash(name)}" for name in names]
    lines += [".globl skein_libc_offsets", ".hidden skein_libc_offsets", "skein_libc_offsets:"]
    lines += [f"    .long .Lname_{name} - skein_libc_names" for name in names + [""]]
    lines += [".globl skein_libc_names", ".hidden skein_libc_names", "skein_libc_names:"]
    lines += [f'.Lname_{name}: .asciz "{name}"' for name in names + [""]]
    return lines + [ '.section .note.GNU-stack,"",@progbits']


def direct(names):
    lines = [".text"]
    for name in names:
        if name in WITH_MALLOC:
            lines += [f".weak {name}"]
            lines += function(OURS + name, f"movq {name}@GOTPCREL(%rip), %rax", "testq %rax, %rax", "je 1f", "jmp *%rax",
                              "1: ret")
        else:
            lines += function(OURS + name, f"jmp {name}@PLT")
    return lines + ['.section .note.GNU-stack,"",@progbits']


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("nm", "object", "libc", "own", "rename", "next", "direct"):
        parser.add_argument("--" + option, required=True)
    parser.add_argument("--none", action="store_true")
    given = parser.parse_args()
    guarded = symbols(given.nm, ["--defined-only", given.object], set("bBdDvV"))
    if guards := sorted(name for name in guarded if name.startswith("_ZGV")):
        sys.exit("A static variable of a function is initialised at the first call, by code that two kernel threads may run at "
                 "once; use Once (base/once.h), or a constant: " + " ".join(guards))
    needed = symbols(given.nm, ["--undefined-only", given.object], {"U"})
    functions = symbols(given.nm, ["--dynamic", "--defined-only", given.libc], set("TWi"))
    own = {name.removeprefix(OURS) for name in symbols(given.nm, ["--defined-only", given.own], {"T"})}
    names = sorted(set() if given.none else (needed & functions) - KEPT)
    weak = symbols(given.nm, ["--undefined-only", given.object], {"w"})
    programs = sorted(n.removeprefix(PROGRAMS) for n in needed | weak if n.startswith(PROGRAMS))
    write(given.rename, [f"--redefine-sym={n}={OURS}{n}" for n in names] +
          [f"--redefine-sym={PROGRAMS}{n}={n}" for n in programs])
    write(given.next, next_of(names))
    write(given.direct, direct([n for n in names if n not in own]))


main()

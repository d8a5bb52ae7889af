#!/usr/bin/env python3
"""Says whether functions of two objects are the same instructions.

    same_code.py OBJECT OTHER FUNCTION...

Compared is what the disassembler shows, without addresses, and the relocations; those that tie a function to its map
change no byte (R_X86_64_NONE). Exits with 1 and the first difference if a function differs, or is missing.
"""
import re
import subprocess
import sys


def functions_of(file):
    """The lines of each function, without addresses."""
    shown = subprocess.run(["objdump", "-dr", "--no-show-raw-insn", file], capture_output=True, text=True, check=True)
    found, lines = {}, []
    for line in shown.stdout.splitlines():
        if begin := re.match(r"[0-9a-f]+ <(\w+)>:", line):
            lines, first = found.setdefault(begin[1], []), int(line.split()[0], 16)
        elif "R_X86_64_NONE" in line:
            continue
        elif relocation := re.match(r"\s+[0-9a-f]+: (R_X86_64_\S+)\s+(\S+)", line):
            lines.append(" ".join(("", *without_place(relocation.groups()))))
        elif instruction := re.match(r"\s+[0-9a-f]+:\t(.*)", line):
            lines.append(re.sub(r"\b[0-9a-f]+ <\w+(\+0x[0-9a-f]+)?>", lambda m: m[1] or "begin", instruction[1]).strip())
    for lines in found.values():
        while lines and re.match(r"(nop|cs nop|xchg +%ax,%ax|data16)", lines[-1]):
            lines.pop()
    return found


def without_place(relocation):
    """Sections of constants are laid out anew in each object."""
    kind, target = relocation
    return kind, re.sub(r"^\.(rodata|text|bss|data)\S*", r".\1", target)


def main():
    ours, theirs = functions_of(sys.argv[1]), functions_of(sys.argv[2])
    for name in sys.argv[3:]:
        if name not in ours or name not in theirs or not ours[name]:
            print(f"{name} is missing")
            return 1
        if ours[name] != theirs[name]:
            at = next((i for i, (a, b) in enumerate(zip(ours[name], theirs[name])) if a != b),
                      min(len(ours[name]), len(theirs[name])))
            print(f"{name} differs at instruction {at}: {ours[name][at:at + 2]} here, {theirs[name][at:at + 2]} there")
            return 1
    return 0


sys.exit(main())

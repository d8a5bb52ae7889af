#!/usr/bin/env python3
"""manual.py --version V PROGRAM PAGE    a manual page that says what the program says when asked for help

PROGRAM is skein, each of whose commands becomes a section, skein-check or skeincc. The name of the page is that of PAGE's file.
"""
import argparse
import pathlib
import re
import subprocess

SUMMARY = {"skein": "run, measure and look into programs whose threads move", "skeincc": "compile C whose threads move",
           "skein++": "compile C++ whose threads move",
           "skein-check": "find what goes wrong in C and C++ when a thread moves"}


def said(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def as_it_is(text):
    """Lines that roff neither fills nor takes for its own."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return ".nf\n" + re.sub(r"(?m)^(?=[.'])", r"\\&", escaped).rstrip() + "\n.fi\n"


def page(name, program, version):
    yield f'.TH {name.upper()} 1 "" "Skein {version}"\n.SH NAME\n{name} \\- {SUMMARY[name]}\n'
    if name == "skein-check":
        yield ".SH DESCRIPTION\n" + as_it_is(said(program, "--help")) + ".SH RULES\n" + as_it_is(said(program, "--list-rules"))
    elif name != "skein":
        yield ".SH DESCRIPTION\n" + as_it_is(said(program, "--skein-help"))
    else:
        overview = said(program, "help")
        yield ".SH SYNOPSIS\n" + as_it_is(overview)
        for command in re.findall(r"(?m)^  ([a-z]+) ", overview):
            yield f".SH SKEIN {command.upper()}\n" + as_it_is(said(program, "help", command))
    yield ".SH SEE ALSO\n" + ",\n".join(f".BR {other} (1)" for other in SUMMARY if other != name) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--version", required=True)
    chosen = parser.parse_args()
    chosen.page.write_text("".join(page(chosen.page.stem, chosen.program, chosen.version)))


if __name__ == "__main__":
    main()

"""Compares bytes with an annotated dump in a page of the documentation.

    golden.py PAGE NAME FILE

The dump follows the line `<!-- golden: NAME -->` of PAGE: lines `OFFSET  XX XX ...  | words`, where `??` is a byte that the
linker decides. FILE must begin with those bytes.
"""
import re
import sys


def golden(page, name):
    text = open(page).read()
    block = re.search(r"<!-- golden: %s -->\n```\n(.*?)\n```" % re.escape(name), text, re.S)
    if not block:
        sys.exit(f"{page} has no golden dump {name}")
    expected = []
    for line in block.group(1).splitlines():
        offset, *fields = line.split("|")[0].split()
        if int(offset, 16) != len(expected):
            sys.exit(f"{page}: offset {offset} should be {len(expected):04x}")
        expected += fields
    return expected


def main():
    page, name, path = sys.argv[1:]
    expected = golden(page, name)
    found = open(path, "rb").read()
    if len(found) < len(expected):
        sys.exit(f"only {len(found)} bytes, {len(expected)} expected")
    wrong = [i for i, byte in enumerate(expected) if byte != "??" and int(byte, 16) != found[i]]
    for i in wrong:
        print(f"{i:04x}: {page} says {expected[i]}, the bytes are {found[i]:02x}")
    print(f"{len(expected)} bytes, {len(wrong)} differ")
    sys.exit(bool(wrong))


main()

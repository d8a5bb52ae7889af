"""Decoder of section skein_maps, written from docs/abi.md alone, so that it does not share the compiler's mistakes.

As a program: prints the maps of a linked file, one line a function, local and site, for FileCheck.
With --sizes: bytes of map per call site."""
import struct
import sys
from dataclasses import dataclass, field

from elf_image import Elf

SAVED = ["rbx", "rbp", "r12", "r13", "r14", "r15"]
KINDS = ["pointer", "ambiguous", "dynamic-pointer", "dynamic-ambiguous"]
BASES = ["cfa", "sp", "bp"]
PINS = [None, "unproved", "returns-twice", "catch", "lost-local", "address-integer", "inline-asm",
        "frame", "too-large"]
FP, BP, VARIADIC = 1, 2, 4
HEADER, LOCAL, SITE = "<iIIIii6hBBBBiHHI", "<iIHBB", "<IIHHBBH"


@dataclass
class Local:
    offset: int
    count: int
    stride: int
    kind: str
    base: str


@dataclass
class Site:
    address: int
    line: int
    pin: str | None
    va_pointers: int
    locals: list


@dataclass
class FunctionMap:
    entry: int
    size: int
    code_size: int
    frame_size: int
    name: str
    file: str
    saved: dict
    flags: int
    alignment: int
    va_save: tuple | None
    locals: list = field(default_factory=list)
    sites: list = field(default_factory=list)


def decode_one(elf, address, data):
    """The map whose bytes start at `address`."""
    fields = struct.unpack_from(HEADER, data)
    entry, size, code_size, frame_size, name, file = fields[:6]
    saved, (flags, version, alignment, va_base, va_offset, locals_, sites, indices) = fields[6:12], fields[12:]
    assert version == 5, f"version {version}"
    m = FunctionMap(address + entry, size, code_size, frame_size, elf.string(address + 16 + name),
                    elf.string(address + 20 + file) if file else "", {r: s for r, s in zip(SAVED, saved) if s}, flags,
                    1 << alignment, (BASES[va_base], va_offset) if flags & VARIADIC else None)
    at = struct.calcsize(HEADER)
    for _ in range(locals_):
        offset, count, stride, kind, base = struct.unpack_from(LOCAL, data, at)
        m.locals.append(Local(offset, count, stride, KINDS[kind], BASES[base]))
        at += struct.calcsize(LOCAL)
    table = at + sites * struct.calcsize(SITE)
    index = struct.unpack_from(f"<{indices}H", data, table)
    for _ in range(sites):
        offset, line, first, count, site_flags, va_pointers, zero = struct.unpack_from(SITE, data, at)
        assert site_flags & ~1 == 0 and zero == 0
        pinned = bool(site_flags & 1)
        assert not pinned or count == 0
        m.sites.append(Site(m.entry + offset, line, PINS[first] if pinned else None, va_pointers,
                            [] if pinned else [m.locals[i] for i in index[first : first + count]]))
        assert pinned or len(m.sites[-1].locals) == count, "a site's indices run out of the table"
        at += struct.calcsize(SITE)
    used = table + 2 * indices
    assert size % 8 == 0 and used <= size < used + 8, f"size {size}, used {used}"
    assert [s.address for s in m.sites] == sorted(s.address for s in m.sites), "sites are not in order"
    return m


def decode(elf):
    """All maps of a linked file."""
    address, data = elf.section("skein_maps")
    at, maps = 0, []
    while at < len(data):
        maps.append(decode_one(elf, address + at, data[at:]))
        at += maps[-1].size
    return maps


def describe(local):
    return f"{local.kind} {local.base}{local.offset:+d} count {local.count} stride {local.stride}"


def main():
    arguments = [a for a in sys.argv[1:] if a != "--sizes"]
    maps = decode(Elf(arguments[0]))
    if len(arguments) < len(sys.argv) - 1:
        sites = sum(len(m.sites) for m in maps)
        total = sum(m.size for m in maps)
        print(f"{len(maps)} functions, {sites} sites, {total} bytes, {total / max(sites, 1):.1f} bytes per site")
        return
    for m in maps:
        saved = " ".join(f"{r}@cfa-{8 * s}" for r, s in m.saved.items())
        flags = "".join(name for bit, name in ((FP, " fp"), (BP, " bp"), (VARIADIC, " variadic")) if m.flags & bit)
        print(f"function {m.name} of {m.file}: frame {m.frame_size} alignment {m.alignment}{flags} saved [{saved}]")
        if m.va_save:
            print(f"  save area {m.va_save[0]}{m.va_save[1]:+d}")
        for i, local in enumerate(m.locals):
            print(f"  local {i}: {describe(local)}")
        for s in m.sites:
            what = f"pinned {s.pin}" if s.pin else "live [" + ", ".join(str(m.locals.index(l)) for l in s.locals) + "]"
            print(f"  site line {s.line}: {what}" + (f" va {s.va_pointers:#x}" if s.va_pointers else ""))


if __name__ == "__main__":
    main()

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
FP, BP, VARIADIC, LARGE, BLOCKS = 1, 2, 4, 8, 16
SAVE_AREA = 4
HEADER, LONG, SHORT, SPECIAL = "<iIIIii6BHHHBBBBHH", "<iIHBB", "<hBB", "<HHHH"


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


class Reader:
    """Takes one record after the other."""
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        fields = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return fields

    def step(self):
        """A difference in zigzag LEB128."""
        value = shift = 0
        while True:
            (byte,) = self.take("<B")
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value >> 1 if value % 2 == 0 else -(value >> 1) - 1


def decode_one(elf, address, data):
    """The map whose bytes start at `address`."""
    read = Reader(data)
    fields = read.take(HEADER)
    entry, size, code_size, frame_size, name, file = fields[:6]
    saved, (shorts, longs, sites, flags, version, alignment, zero, rows, specials) = fields[6:12], fields[12:]
    assert version == 6, f"version {version}"
    assert zero == 0 and flags < 32
    m = FunctionMap(address + entry, size, code_size, frame_size, elf.string(address + 16 + name),
                    elf.string(address + 20 + file) if file else "", {r: s for r, s in zip(SAVED, saved) if s}, flags,
                    1 << alignment, None)
    long_locals = []
    for i in range(longs):
        offset, count, stride, kind, base = read.take(LONG)
        assert (kind == SAVE_AREA) == (i == 0 and bool(flags & VARIADIC))
        if kind == SAVE_AREA:
            m.va_save = (BASES[base], offset)
        long_locals.append(Local(offset, count, stride, "save-area" if kind == SAVE_AREA else KINDS[kind], BASES[base]))
    for _ in range(shorts):
        offset, count, kind_base = read.take(SHORT)
        assert kind_base & 15 < 2
        m.locals.append(Local(8 * offset, count, 8, KINDS[kind_base & 15], BASES[kind_base >> 4]))
    m.locals += long_locals
    assert any(l.kind.startswith("dynamic") for l in m.locals) == bool(flags & BLOCKS)
    large = flags & LARGE
    offsets = read.take(f"<{sites}{'I' if large else 'H'}")
    special = [read.take(SPECIAL) for _ in range(specials)]
    row_of = read.take(f"<{sites}{'H' if large else 'B'}")
    row_bytes = (shorts + longs + 7) // 8
    live = [int.from_bytes(read.take(f"<{row_bytes}B"), "little") for _ in range(rows)]
    line = 0
    for offset, row in zip(offsets, row_of):
        line += read.step()
        pin, va_pointers = 0, 0
        if row >= rows:
            pin, arguments, row, va_pointers = special[row - rows]
            assert pin or not arguments
        names = [] if pin else [l for i, l in enumerate(m.locals) if live[row] >> i & 1]
        assert pin or live[row] < 1 << len(m.locals), "a row names a local that is not there"
        assert all(l.kind != "save-area" for l in names)
        m.sites.append(Site(m.entry + offset, line, PINS[pin], va_pointers, names))
    assert size % 4 == 0 and read.at <= size < read.at + 4, f"size {size}, used {read.at}"
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
            if local.kind != "save-area":
                print(f"  local {i}: {describe(local)}")
        for s in m.sites:
            what = f"pinned {s.pin}" if s.pin else "live [" + ", ".join(str(m.locals.index(l)) for l in s.locals) + "]"
            print(f"  site line {s.line}: {what}" + (f" va {s.va_pointers:#x}" if s.va_pointers else ""))


if __name__ == "__main__":
    main()

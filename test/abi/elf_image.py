"""The parts of a linked x86-64 ELF file that the tests of the frame maps need: sections, symbols and bytes by address."""
import struct


class Elf:
    """One executable or shared object."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        assert self.data[:4] == b"\x7fELF" and self.data[4] == 2, f"{path}: not a 64-bit ELF file"
        table, = struct.unpack_from("<Q", self.data, 0x28)
        entry, count, names = struct.unpack_from("<HHH", self.data, 0x3A)
        headers = [struct.unpack_from("<IIQQQQIIQQ", self.data, table + i * entry) for i in range(count)]
        strings = headers[names][4]
        self.sections = [(self._string(strings + h[0]), h) for h in headers]

    def _string(self, at):
        return self.data[at : self.data.index(b"\0", at)].decode()

    def section(self, name):
        """(address, bytes) of a section; (0, b"") if there is none."""
        for found, (_, kind, _, address, offset, size, *_) in self.sections:
            if found == name and kind != 8:
                return address, self.data[offset : offset + size]
        return 0, b""

    def string(self, address):
        """The NUL-terminated string at an address."""
        for _, (_, kind, flags, start, offset, size, *_) in self.sections:
            if flags & 2 and kind != 8 and start <= address < start + size:
                return self._string(offset + address - start)
        raise ValueError(f"no section holds address {address:#x}")

    def functions(self):
        """{address: name} of the functions in the symbol table."""
        found = {}
        for _, (_, kind, _, _, offset, size, link, _, _, entry) in self.sections:
            if kind != 2:
                continue
            strings = self.sections[link][1][4]
            for at in range(offset, offset + size, entry):
                name, info, _, where, value, _ = struct.unpack_from("<IBBHQQ", self.data, at)
                if info & 15 == 2 and where:
                    found[value] = self._string(strings + name)
        return found

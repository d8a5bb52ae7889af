"""Compares each frame map of a linked file with the frame that the code really builds.

The code is what objdump prints. It is executed on one abstract value, the distance between the CFA and the stack pointer,
along all jumps of a function. That yields, without looking at any map:

  * which instructions are calls, and how deep the stack is there      -> return addresses, frame_size
  * where callee-saved registers are pushed                            -> saved[]
  * whether rbp holds CFA - 16 at the calls, rbx an aligned stack      -> the FP and BP flags
  * which words of the frame are addressed, from rsp, rbp and rbx      -> each mapped local must be among them, or
                                                                          above the start of an array

Exit status 1 and a list of differences if they disagree. --corrupt=frame|local|saved|site changes the maps first, to show
that the check notices."""
import bisect
import re
import subprocess
import sys

import frame_maps
from elf_image import Elf

LINE = re.compile(r"^\s*([0-9a-f]+):\s+(?:\{[^}]*\}\s*)?(?:addr32\s+)?(\S+)\s*(.*?)\s*(?:#.*|<.*)?$")
MEMORY = re.compile(r"(-?0x[0-9a-f]+|-?[0-9]+)?\(%(rsp|rbp|rbx)(,[^)]*)?\)")
CALLEE_SAVED = {"rbx", "rbp", "r12", "r13", "r14", "r15"}
UNKNOWN = None


def disassemble(path, first, end):
    """[(address, mnemonic, operands)] of what lies between these addresses, in their order."""
    text = subprocess.run(["llvm-objdump-22", "-d", "--no-show-raw-insn", "--no-leading-headers", f"--start-address={first:#x}",
                           f"--stop-address={end:#x}", path], check=True, capture_output=True, text=True).stdout
    return [(int(m[1], 16), m[2], m[3]) for m in map(LINE.match, text.splitlines()) if m]


class Frame:
    """What the code of one function says."""

    def __init__(self, code):
        self.code = code
        self.index = {address: i for i, (address, _, _) in enumerate(code)}
        self.calls = {}  # return address -> (depth or None, rbp is the frame pointer)
        self.saved = {}  # register -> set of slots
        self.touched = set()  # (base, offset)
        self.arrays = set()  # (base, offset) of what is indexed, or whose address is taken
        self.problems = []
        self.run()

    def jump_tables(self):
        """Targets of indirect jumps are unknown here: every instruction after an unconditional jump may be one."""
        return [self.code[i + 1][0] for i, (_, op, _) in enumerate(self.code[:-1]) if op.startswith("jmp")]

    def run(self):
        # State: depth = CFA - rsp; fp = rbp holds CFA - 16; the depth right after an alignment is unknown.
        states = {}
        work = [(self.code[0][0], (8, False))]
        indirect = any(op == "jmpq" and args.startswith("*") for _, op, args in self.code)
        while work:
            address, state = work.pop()
            if address not in self.index:
                continue  # a tail call, or a cold part elsewhere
            if address in states and states[address] != state:
                if not (state[1] and states[address][1]):
                    self.problems.append(f"{address:#x}: two stack depths meet: {states[address]} and {state}")
                    continue
                state = (UNKNOWN, True)  # a variable-sized object, or a loop that probes one
            if states.get(address) == state:
                continue
            states[address] = state
            i = self.index[address]
            _, op, args = self.code[i]
            after = self.step(i, state)
            if op == "jne" and self.code[i - 1][1:] == ("cmpq", "%r11, %rsp"):
                # The prologue touches a large frame page by page; the loop ends when rsp is what r11 was set to.
                copy, less = next((c, self.code[k + 1]) for k, c in enumerate(self.code) if c[2] == "%rsp, %r11")
                depth = states[copy[0]][0] + int(less[2].split(",")[0].lstrip("$"), 0)
                work.append((self.code[i + 1][0], (depth, after[1])))
                continue
            if op.startswith("j") or op in ("loop", "jrcxz"):
                target = re.match(r"0x([0-9a-f]+)", args)
                if target:
                    work.append((int(target[1], 16), after))
                elif indirect:
                    work += [(a, after) for a in self.jump_tables() if a not in states]
            if not op.startswith(("ret", "jmp", "ud2", "hlt")) and i + 1 < len(self.code):
                work.append((self.code[i + 1][0], after))

    def step(self, i, state):
        depth, fp = state
        address, op, args = self.code[i]
        for displacement, base, index in MEMORY.findall(args):
            offset = int(displacement or "0", 0)
            places = []
            if base == "rsp":
                places.append(("sp", offset))
                if depth is not UNKNOWN:
                    places.append(("cfa", offset - depth))
            elif base == "rbp" and fp:
                places.append(("cfa", offset - 16))
            elif base == "rbx":
                places.append(("bp", offset))
            self.touched.update(places)
            if index or op.startswith("lea"):
                self.arrays.update(places)
        if op == "movq" and args.startswith("%rsp, "):
            places = [("sp", 0)] + ([] if depth is UNKNOWN else [("cfa", -depth)])
            self.touched.update(places)
            self.arrays.update(places)
        registers = re.findall(r"%(\w+)", args)
        if op.startswith("push"):
            if depth is not UNKNOWN:
                depth += 8
                if registers and registers[0] in CALLEE_SAVED:
                    self.saved.setdefault(registers[0], set()).add(depth // 8)
        elif op.startswith("pop"):
            if depth is not UNKNOWN:
                depth -= 8
            if registers and registers[0] == "rbp":
                fp = False
        elif op.startswith("call"):
            following = self.code[i + 1][0] if i + 1 < len(self.code) else None
            self.calls[following] = (depth, fp)  # the last visit knows least
        elif op in ("subq", "addq") and registers[-1:] == ["rsp"]:
            amount = re.match(r"\$(-?0x[0-9a-f]+|-?\d+)", args)
            if amount and depth is not UNKNOWN:
                depth += int(amount[1], 0) * (1 if op == "subq" else -1)
            else:
                depth = UNKNOWN
        elif op == "movq" and args == "%rsp, %rbp":
            fp = depth == 16
        elif op == "movq" and args == "%rbp, %rsp" and fp:
            depth = 16
        elif op == "leaq" and registers == ["rbp", "rsp"] and fp:
            depth = 16 - int(MEMORY.search(args)[1] or "0", 0)
        elif op == "leave" and fp:
            depth, fp = 8, False
        elif registers[-1:] == ["rsp"] and not op.startswith(("cmp", "test")) and not args.endswith(")"):
            depth = UNKNOWN
        elif registers[-1:] == ["rbp"] and not op.startswith(("cmp", "test", "push")) and not args.endswith(")"):
            fp = False
        return depth, fp


def compare(m, frame, where):
    """The differences between one map and its frame."""
    wrong = list(frame.problems)
    is_fp = bool(m.flags & frame_maps.FP)
    for site in m.sites:
        if site.address not in frame.calls:
            wrong.append(f"site {site.address:#x}: no call returns there")
            continue
        depth, fp = frame.calls[site.address]
        if fp != is_fp:
            wrong.append(f"site {site.address:#x}: rbp {'is' if fp else 'is not'} the frame pointer")
        if depth is UNKNOWN and not is_fp:
            wrong.append(f"site {site.address:#x}: neither a constant depth nor a frame pointer")
        if m.frame_size and depth is not UNKNOWN and depth != m.frame_size:
            wrong.append(f"site {site.address:#x}: frame_size {m.frame_size}, the code has {depth}")
    real = {r: next(iter(s)) for r, s in frame.saved.items() if len(s) == 1}
    if real != m.saved:
        wrong.append(f"saved: map {m.saved}, code {real}")
    used = {(l.base, l.offset, l.count, l.stride) for s in m.sites for l in s.locals if l.kind in ("pointer", "ambiguous")}
    for base, offset, count, stride in used:
        end = offset + stride * (count - 1) + 8
        exact = any(b == base and offset <= o < end for b, o in frame.touched)
        if not exact and not any(b == base and o < offset for b, o in frame.arrays):
            wrong.append(f"local {base}{offset:+d}: no instruction addresses it")
        if base == "cfa" and m.frame_size and not -m.frame_size <= offset < 4096:
            wrong.append(f"local {base}{offset:+d}: outside the frame of {m.frame_size}")
    return [f"{where}: {w}" for w in wrong]


def corrupt(m, what):
    if what == "frame" and m.frame_size:
        m.frame_size += 8
    elif what == "local":
        for local in m.locals:
            local.offset -= 8 * local.count + 4096
    elif what == "saved":
        m.saved = {r: s + 1 for r, s in m.saved.items()}
    elif what == "site":
        for site in m.sites:
            site.address += 1


def main():
    elf = Elf(sys.argv[1])
    maps = frame_maps.decode(elf)
    for option in sys.argv[2:]:
        for m in maps:
            corrupt(m, option.removeprefix("--corrupt="))
    code = disassemble(sys.argv[1], min((m.entry for m in maps), default=0),
                       max((m.entry + m.code_size for m in maps), default=0))
    names = elf.functions()
    wrong, sites = [], 0
    for m in maps:
        part = code[bisect.bisect_left(code, (m.entry,)):bisect.bisect_left(code, (m.entry + m.code_size,))]
        if not part or part[0][0] != m.entry:
            wrong.append(f"{m.name}: no code at {m.entry:#x}")
            continue
        if m.entry not in names:
            wrong.append(f"{m.name}: no function starts at {m.entry:#x}")
        # The call may be the last instruction: its return address is the end.
        frame = Frame(part)
        if None in frame.calls:
            frame.calls[m.entry + m.code_size] = frame.calls.pop(None)
        wrong += compare(m, frame, m.name)
        sites += len(m.sites)
    for w in wrong:
        print(w)
    print(f"{len(maps)} functions, {sites} sites, {len(wrong)} differences")
    sys.exit(bool(wrong) or not maps)


if __name__ == "__main__":
    main()

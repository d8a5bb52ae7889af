"""Threads of Skein in gdb: `skein threads`, `skein thread ID`, `skein bt`.

A suspended thread has no kernel thread, so gdb does not see it. This file finds it in the table of the process
(runtime/abi/debugger.h, whose fields stand in FIELDS in the same order), and shows its frames behind the innermost
frame of the kernel thread that is selected: as if that frame had been called by the thread. So all commands of gdb that
look at frames work, in a core file as well, and nothing of the process changes.
"""
import struct

import gdb
from gdb.unwinder import Unwinder

VERSION = 2
FIELDS = """version table chains workers worker_most worker_bytes worker_current worker_kernel_thread node id_node_shift
            thread_id thread_next thread_state thread_sp thread_stack thread_function thread_name thread_moves
            thread_worker thread_reason thread_object state_names state_count saved_registers saved_return away away_mask
            away_bytes away_node""".split()
SAVED = ("r15", "r14", "r13", "r12", "rbx", "rbp")


def read(address, size):
    return gdb.selected_inferior().read_memory(address, size).tobytes()


def number(address, size=8):
    return int.from_bytes(read(address, size), "little")


def text(address, most=160):
    """The text there, which may end at a page that is not mapped."""
    found = bytearray()
    while address and len(found) < most:
        byte = read(address + len(found), 1)
        if byte == b"\0":
            break
        found += byte
    return found.decode(errors="replace")


class Process:
    """What the selected process says about itself. It raises gdb.GdbError if that has no threads of Skein."""

    def __init__(self):
        try:
            symbol = gdb.parse_and_eval("(unsigned long)&skein_threads_for_debugger")
        except gdb.error:
            raise gdb.GdbError("this program was not linked by skeincc, or is not loaded yet")
        try:
            raw = read(int(symbol), 8 * len(FIELDS))
        except gdb.MemoryError:
            raise gdb.GdbError("the program does not run yet")
        for name, value in zip(FIELDS, struct.unpack(f"<{len(FIELDS)}Q", raw)):
            setattr(self, name, value)
        if self.version == 0:
            raise gdb.GdbError("the program has not begun yet: its threads exist from main on")
        if self.version != VERSION:
            raise gdb.GdbError(f"the program's runtime has version {self.version} of what debuggers read, this file "
                               f"{VERSION}: source the skein.py of the same release")

    def states(self):
        return [text(number(self.state_names + 8 * n)) for n in range(self.state_count)]

    def number_of_node(self):
        return number(self.node, 4)

    def name_of(self, thread_id):
        """7, or 7@2 for a thread that node 2 has made."""
        made_by = thread_id >> self.id_node_shift
        own = thread_id & ((1 << self.id_node_shift) - 1)
        return f"{own}@{made_by}" if made_by else str(own)

    def id_of(self, name):
        own, _, made_by = name.partition("@")
        try:
            return int(own) + (int(made_by or 0) << self.id_node_shift)
        except ValueError:
            raise gdb.GdbError(f"'{name}' is no thread: `skein threads` lists them, as 7 or as 7@2 (made by node 2)")

    def threads(self):
        """All of this node, by id."""
        first, size = number(self.table), 8
        found = []
        if first == 0:
            return found
        chunk = 1 << 16  # chains
        for begin in range(0, self.chains, chunk):
            raw = read(first + begin * size, chunk * size)
            if not any(raw):
                continue
            for record in struct.unpack(f"<{chunk}Q", raw):
                while record and len(found) < 10_000_000:
                    found.append(Thread(self, record))
                    record = number(record + self.thread_next)
        return sorted(found, key=lambda thread: thread.id)

    def threads_away(self):
        """The ids of the threads that this node knows to be elsewhere, by the number of the node where they went last."""
        first = number(self.away) if self.away else 0
        if first == 0:
            return {}
        entries, size = number(self.away_mask) + 1, self.away_bytes
        here = {thread.id for thread in self.threads()}  # among them what is about to leave, or has just come back
        raw, found = read(first, entries * size), {}
        for begin in range(0, entries * size, size):
            thread_id = int.from_bytes(raw[begin:begin + 8], "little")
            if thread_id and thread_id not in here:
                node = begin + self.away_node
                found.setdefault(int.from_bytes(raw[node:node + 4], "little"), []).append(thread_id)
        return {node: sorted(ids) for node, ids in sorted(found.items())}

    def names_of(self, ids):
        """2, 5-20, 44"""
        ranges = []
        for thread_id in ids:
            if ranges and thread_id == ranges[-1][1] + 1:
                ranges[-1][1] = thread_id
            else:
                ranges.append([thread_id, thread_id])
        return ", ".join(self.name_of(first) + (f"-{self.name_of(last)}" if last != first else "")
                         for first, last in ranges)

    def thread(self, name):
        wanted = self.id_of(name)
        for thread in self.threads():
            if thread.id == wanted:
                return thread
        for node, ids in self.threads_away().items():
            if wanted in ids:
                raise gdb.GdbError(f"thread {name} is not on node {self.number_of_node()}: it went to node {node}")
        raise gdb.GdbError(f"there is no thread {name} on node {self.number_of_node()}: "
                           "`skein threads` lists those that are here")

    def kernel_thread_of(self, record):
        """gdb's thread of the worker that runs it; None if there is none."""
        workers = number(self.workers)
        for index in range(self.worker_most):
            worker = workers + index * self.worker_bytes
            handle = number(worker + self.worker_kernel_thread)
            if not handle:
                break
            if number(worker + self.worker_current) == record:
                for thread in gdb.selected_inferior().threads():
                    try:
                        if int.from_bytes(thread.handle(), "little") == handle:
                            return thread
                    except gdb.error:  # libthread_db is not there
                        return None
        return None


class Thread:
    """One record."""

    def __init__(self, process, record):
        self.process, self.record = process, record
        self.id = number(record + process.thread_id)

    def state(self):
        return self.process.states()[number(self.record + self.process.thread_state, 1)]

    def is_suspended(self):
        has_stack = number(self.record + self.process.thread_stack) != 0
        return has_stack and self.state() in ("ready", "blocked", "in flight")

    def registers(self):
        """What the registers are when its suspended call returns."""
        process, sp = self.process, number(self.record + self.process.thread_sp)
        values = dict(zip(SAVED, struct.unpack("<6Q", read(sp + process.saved_registers, 48))))
        values["rip"] = number(sp + process.saved_return)
        values["rsp"] = sp + process.saved_return + 8
        return values

    def describe(self):
        """Where it is, and why."""
        process, state = self.process, self.state()
        function = place(number(self.record + process.thread_function), line=False)
        if state == "running":
            kernel = process.kernel_thread_of(self.record)
            where = f"on worker {number(self.record + process.thread_worker, 4)}"
            return where + (f", gdb's thread {kernel.num}" if kernel else "")
        if not self.is_suspended():
            return f"to begin with {function}"
        where = f"in {place(self.registers()['rip'])}"
        if state == "blocked":
            where = f"in {text(number(self.record + process.thread_reason)) or 'an unknown call'}, {where}"
        return where

    def row(self):
        process = self.process
        name = read(self.record + process.thread_name, 16).split(b"\0")[0].decode(errors="replace")
        moves = number(self.record + process.thread_moves, 2)
        return (process.name_of(self.id), self.state(), name, str(moves), self.describe())


def place(pc, line=True):
    """`function` (file:line), as far as it is known. A return address lies behind its call."""
    block_pc = pc - 1 if line else pc
    symbol = gdb.execute(f"info symbol {block_pc:#x}", to_string=True)
    name = symbol.split()[0] if " in section " in symbol or " + " in symbol else f"{pc:#x}"
    found = gdb.find_pc_line(block_pc) if line else None
    return f"`{name}` ({found.symtab.filename}:{found.line})" if found and found.symtab else f"`{name}`"


class FrameId:
    """How gdb tells frames apart."""

    def __init__(self, sp, pc):
        self.sp, self.pc = word(sp), word(pc)


def word(value):
    return gdb.Value(value).cast(gdb.lookup_type("unsigned long"))


class SuspendedThread(Unwinder):
    """Makes the selected kernel thread's innermost frame look as if it had been called by a suspended thread."""

    def __init__(self):
        super().__init__("skein")
        self.stop()

    def show(self, thread):
        self.stop()
        gdb.newest_frame()
        self.at = {name: int(gdb.parse_and_eval(f"(unsigned long)${name}")) for name in ("rip", "rsp")}
        self.inferior, self.kernel = gdb.selected_inferior().num, gdb.selected_thread().num
        self.registers = thread.registers()
        gdb.invalidate_cached_frames()

    def stop(self):
        self.registers = None
        gdb.invalidate_cached_frames()

    def __call__(self, pending):
        if self.registers is None or gdb.selected_inferior().num != self.inferior:
            return None
        # Only the innermost frame of this kernel thread, which stands where it stood.
        if any(int(pending.read_register(name)) & (1 << 64) - 1 != self.at[name] for name in self.at):
            return None

        # A frame lies below its caller, so this one pretends to.
        info = pending.create_unwind_info(FrameId(self.registers["rsp"] - 8, self.at["rip"]))
        for name, value in self.registers.items():
            info.add_saved_register(name, word(value))
        return info


shown = SuspendedThread()
gdb.unwinder.register_unwinder(None, shown, replace=True)


def forget(_):
    """The process goes on, so nothing is suspended where it was."""
    shown.registers = None


gdb.events.cont.connect(forget)
gdb.events.exited.connect(forget)


def select(inferior):
    """Selects a process, without a word (the command `inferior` writes some)."""
    min(inferior.threads(), key=lambda thread: thread.num).switch()


def inferiors():
    """Selects one process after the other, and at last what was selected before."""
    before = gdb.selected_thread()
    live = sorted((inferior for inferior in gdb.inferiors() if inferior.threads()), key=lambda inferior: inferior.num)
    if not live:
        raise gdb.GdbError("no process: `run`, `attach` or `core-file` first")
    for inferior in live:
        if inferior != gdb.selected_inferior():
            select(inferior)
        yield inferior
    if before is not None and before.is_valid():
        before.switch()


def print_frames(thread, most=""):
    """The frames of a suspended thread, without the one in front of them."""
    shown.show(thread)
    try:
        lines = gdb.execute(f"backtrace {most}", to_string=True).splitlines()
    finally:
        shown.stop()
    numbers = 0
    for at, line in enumerate(lines):
        if line.startswith("#1 "):
            for line in lines[at:]:
                if line.startswith("#"):
                    line = f"#{numbers:<3}{line.split(None, 1)[1]}"
                    numbers += 1
                print(line)
            return
    print("    no frame is known: " + place(thread.registers()["rip"]))


class Prefix(gdb.Command):
    """Threads of Skein, also those that no kernel thread runs now.

skein threads         list the threads of all processes that are debugged
skein thread ID       look at a suspended thread: backtrace, up, print and so on show its frames
skein thread          look at the kernel thread again
skein bt ID|all       print the frames of one thread, or of all that are suspended
skein attach PID...   attach to processes as well, such as the nodes of a run"""

    def __init__(self):
        super().__init__("skein", gdb.COMMAND_STACK, prefix=True)


class Threads(gdb.Command):
    """List the threads of Skein: id, state, name, how often it moved, where it is and what it waits in.

Below those of a node stand, by their ids alone, the threads that were made there and are on other nodes, as far as the
node knows: a thread that has just moved on may still be listed where it was."""

    def __init__(self):
        super().__init__("skein threads", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        for inferior in inferiors():
            process = Process()
            rows = [thread.row() for thread in process.threads()]
            print(f"node {process.number_of_node()} (process {inferior.pid}): "
                  f"{len(rows)} thread{'s' * (len(rows) != 1)}")
            widths = [max((len(row[n]) for row in rows), default=0) for n in range(4)]
            for row in rows:
                moved = f"moved {row[3]:>{widths[3]}}" if any(other[3] != "0" for other in rows) else ""
                named = f"{row[2]:<{widths[2]}}" if widths[2] else ""
                cells = [f"{row[0]:>{widths[0]}}", f"{row[1]:<{widths[1]}}", named, moved, row[4]]
                print("  " + "  ".join(cell for cell in cells if cell))
            for node, ids in process.threads_away().items():
                print(f"  away, on node {node}: {process.names_of(ids)}")


def find(name):
    """The thread in the selected process, or in the first other one that has it, which is selected then."""
    selected = gdb.selected_thread()
    if selected is None:
        raise gdb.GdbError("no process: `run`, `attach` or `core-file` first")
    try:
        return Process().thread(name)
    except gdb.GdbError as missing:
        for inferior in gdb.inferiors():
            if inferior != gdb.selected_inferior() and inferior.threads():
                select(inferior)
                try:
                    return Process().thread(name)
                except gdb.GdbError:
                    selected.switch()
        raise missing


class One(gdb.Command):
    """Look at a suspended thread of Skein, by its id; without one, at the kernel thread again.

Its frames follow frame 0, which is still that of the kernel thread; frame 1 is selected."""

    def __init__(self):
        super().__init__("skein thread", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        if not argument:
            shown.stop()
            gdb.execute("frame 0")
            return
        thread = find(argument)
        if thread.state() == "running":
            kernel = thread.process.kernel_thread_of(thread.record)
            shown.stop()
            if kernel is None:
                raise gdb.GdbError(f"thread {argument} runs: `info threads` has the workers")
            kernel.switch()
            gdb.execute("frame")
            return
        if not thread.is_suspended():
            raise gdb.GdbError(f"thread {argument} has not run yet, so it has no frames: it is {thread.describe()}")
        shown.show(thread)
        gdb.execute("frame 1")


class Backtrace(gdb.Command):
    """Print the frames of a thread of Skein, or with `all` of every one that is suspended."""

    def __init__(self):
        super().__init__("skein bt", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        if argument == "all":
            for _ in inferiors():
                process = Process()
                for thread in process.threads():
                    name, node = process.name_of(thread.id), process.number_of_node()
                    print(f"\nThread {name} of node {node} ({thread.state()}):")
                    if thread.is_suspended():
                        print_frames(thread)
                    elif (kernel := thread.process.kernel_thread_of(thread.record)) is not None:
                        kernel.switch()
                        gdb.execute("backtrace")
                    else:
                        print("    " + thread.describe())
            return
        if not argument:
            raise gdb.GdbError("skein bt ID, or skein bt all")
        thread = find(argument)
        if thread.is_suspended():
            print_frames(thread)
        elif (kernel := thread.process.kernel_thread_of(thread.record)) is not None:
            kernel.switch()
            gdb.execute("backtrace")
        else:
            print(f"thread {argument} is {thread.state()} {thread.describe()}")


class Attach(gdb.Command):
    """Attach to processes, each as an inferior of its own."""

    def __init__(self):
        super().__init__("skein attach", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        for pid in argument.split():
            if not pid.isdigit():
                raise gdb.GdbError(f"'{pid}' is no process id")
            if gdb.selected_inferior().pid:
                made = gdb.execute("add-inferior", to_string=True)
                number_of = made.split("Added inferior ")[1].split()[0].rstrip(".")
                gdb.execute(f"inferior {number_of}", to_string=True)
            gdb.execute(f"attach {pid}", to_string=True)
        print(f"{len([one for one in gdb.inferiors() if one.pid])} processes; `skein threads` lists their threads")


Prefix()
Threads()
One()
Backtrace()
Attach()

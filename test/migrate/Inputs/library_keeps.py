#!/usr/bin/env python3
"""Writes a program that tries each line of compiler/passes/ir/LibraryKeeps.def, and says what it shall print.

Each function of the list is called by the name that the compiler looks for, and nothing else of it: the object file's
references are bent to functions that do nothing, so that no call can fail, wait or change the process. For each line one
thread makes the call with an address of a local where the line says that it is kept, and asks to move: it has to stay,
and be told the function. Another one makes it with an address of a static variable, or with the line's condition not
met, and has to move.

    library_keeps.py LibraryKeeps.def program.c names.txt expected.txt
"""
import re
import sys

LINE = re.compile(r"^(KEEPS|KERNEL)\((\w+), (.*)\)( //.*)?$")
HEADERS = ("aio.h signal.h stddef.h linux/aio_abi.h linux/kvm.h linux/usbdevice_fs.h linux/userfaultfd.h netdb.h "
           "sys/epoll.h sys/ioctl.h sys/prctl.h sys/profil.h sys/socket.h sys/syscall.h sys/uio.h skein/skein.h stdio.h "
           "stdlib.h string.h").split()
TYPES = {"prof", "sigevent", "epoll_event", "usbdevfs_urb", "uffdio_register", "kvm_userspace_memory_region", "iocb",
         "iovec", "gaicb", "aiocb"}
PRELUDE = """#define _GNU_SOURCE 1
%s
#define ALL_BITS ~0UL
#define GUARD_INSTALL 102
#define REGISTER_BUFFERS 0
#define AIO_WORDS offsetof(struct aiocb, aio_buf), offsetof(struct aiocb, aio_sigevent.sigev_value)
#ifndef SYS_mseal
#define SYS_mseal 462
#endif

static int elsewhere; /* no thread's */
static char objects[2][512];
static void put(size_t at, void *address) { memcpy(objects[1] + at, &address, sizeof address); }
static void ask(const char *line) {
  int code = skein_push_self(1);
  printf("%%s: %%s\\n", line, code ? skein_error_text() : "moves");
  fflush(stdout);
}
"""


def statements(text):
    """The lines of the list, those that go on joined."""
    joined = ""
    for line in text.splitlines():
        line = line.strip()
        if joined or line.startswith(("KEEPS(", "KERNEL(")):
            joined = f"{joined} {line}".strip()
            if joined.split("//")[0].count("(") == joined.split("//")[0].count(")"):
                yield joined
                joined = ""


def split(arguments):
    """At the commas that are not inside of brackets."""
    parts, depth = [""], 0
    for character in arguments:
        depth += (character == "(") - (character == ")")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


class Line:
    def __init__(self, text):
        macro, self.name, fact, _ = LINE.match(text).groups()
        self.kernel = macro == "KERNEL"
        self.kind, rest = re.match(r"(\w+)\((.*)$", fact).groups()
        for struct in TYPES:
            rest = re.sub(rf"(offsetof\(|sizeof\(){struct}\b", rf"\1struct {struct}", rest)
        arguments, tail = self.cut(rest)
        self.numbers = split(arguments)
        when = re.search(r"\.when\((.*)\)", tail)
        self.when = split(when.group(1)) if when else None
        self.integers = set()
        if self.kind in ("each", "rows"):
            self.integers.add(int(self.numbers[1]))
        if self.when:
            self.integers.add(int(self.when[0]))

    @staticmethod
    def cut(rest):
        depth = 1
        for end, character in enumerate(rest):
            depth += (character == "(") - (character == ")")
            if not depth:
                return rest[:end], rest[end + 1:]
        raise ValueError(rest)

    def call(self, integers, address, place, meets=True):
        """The statements of a call with `address` where it is kept."""
        arguments = ["0"] * 8
        before = []
        n = int(self.numbers[0]) if self.numbers else 0
        if self.kind in ("argument", "pages", "stored"):
            arguments[n] = address
            if self.kind == "stored":
                arguments[int(self.numbers[1])] = place
        elif self.kind != "frame":
            offsets = self.numbers[{"words": 1, "each": 2, "rows": 3}[self.kind]:]
            shift = f"+ 2 * ({self.numbers[2]})" if self.kind == "rows" else ""
            last = "AIO_LAST" if offsets == ["AIO_WORDS"] else offsets[-1]
            before.append(f"memset(objects, 0, sizeof objects); put({last} {shift}, {address});")
            arguments[n] = "objects[1]"
            if self.kind == "each":
                before.append("void *each[3] = {0, objects[0], objects[1]}; __asm__(\"\" ::\"r\"(each) : \"memory\");")
                arguments[n] = "each"
            if self.kind in ("each", "rows"):
                arguments[int(self.numbers[1])] = "3"
        if self.when:
            asked, bits, value = self.when
            arguments[int(asked)] = value if meets else f"({value}) ^ (({bits}) & -({bits}))"
        for i in range(8):
            if i in integers:
                arguments[i] = f"(long)({arguments[i]})"
            else:
                arguments[i] = f"(void *)({arguments[i]})"
        function = f"syscall_(SYS_{self.name}, " if self.kernel else f"call_{self.name}("
        return " ".join(before) + f" {function}{', '.join(arguments)});"


def main():
    listed, program, names, expected = sys.argv[1:]
    with open(listed) as file:
        lines = [Line(text) for text in statements(file.read())]
    functions = {}
    for line in lines:
        if not line.kernel:
            functions.setdefault(line.name, set()).update(line.integers)
    out = [PRELUDE % "\n".join(f"#include <{header}>" for header in HEADERS),
           "#define AIO_LAST offsetof(struct aiocb, aio_sigevent.sigev_value)",
           'long syscall_(long, ...) __asm__("syscall");']
    fakes = ["long kept_syscall(void) { return 0; }"]
    for name, integers in functions.items():
        types = ", ".join("long" if i in integers else "void *" for i in range(8))
        out.append(f'long call_{name}({types}) __asm__("{name}");')
        fakes.append(f"long kept_{name}(void) {{ return 0; }}")
    shown, threads, wanted = 0, [], []
    for line in lines:
        integers = line.integers if line.kernel else functions[line.name]
        reported = f"syscall(SYS_{line.name})" if line.kernel else line.name
        told = ("pages of its own stack or heap were changed by " if line.kind == "pages" else
                "the C library keeps an address of its stack, given to ") + reported
        cases = [("&local", "malloc(64)", True, f"skein_push_self: {told}")]
        if line.kind != "frame":
            cases.append(("&elsewhere", "malloc(64)", True, "moves"))
        if line.kind == "stored":
            cases.append(("&local", "&place", True, "moves"))
        if line.when:
            cases.append(("&local", "malloc(64)", False, "moves"))
        for address, place, meets, answer in cases:
            label = f"{shown} {reported}"
            shown += 1
            # What the call leaves in its memory is nobody's business here, but `objects` is searched as any global.
            out.append(f"static void try_{shown}(void) {{ int local = {shown}; void *place = 0; "
                       f'__asm__("" ::"r"(&local), "r"(&place) : "memory"); '
                       f"{{ {line.call(integers, address, place, meets)} }} memset(objects, 0, sizeof objects); "
                       f'ask("{label}"); if (local != {shown}) abort(); }}')
            threads.append(f"skein_join(skein_spawn(try_{shown}));")
            wanted.append(f"{label}: {answer}")
    out.append("int main(void) { " + "\n".join(threads) + " return 0; }")
    with open(program, "w") as file:
        file.write("\n".join(out) + "\n")
    with open(program.replace(".c", ".fakes.c"), "w") as file:
        file.write("\n".join(fakes) + "\n")
    with open(names, "w") as file:
        file.writelines(f"{name} kept_{name}\n" for name in [*functions, "syscall"])
    with open(expected, "w") as file:
        file.writelines(f"{text}\n" for text in wanted)


if __name__ == "__main__":
    main()

"""A program of programs/ and what the head of its file promises, for all suites that run them.

Before its first #include a program says where it differs from the rule, which is: in every configuration some moves succeed and
none is refused.

    // refused: REASON, REASON         the runtime refuses moves, for these reasons and no others
    // refused (WHERE): REASON         the same, in these configurations only
    // pinned: REASON                  the same, but the compiler decided it and warned at the call
    // rejected (WHERE): TEXT          the compiler says so in an error
    // fails: WHY                      a known bug of ours: the program must fail, until it is fixed and the line removed
    // options: KEY=VALUE,...          more SKEIN_OPTIONS, e.g. stress_every where frames are many or large
    // flags: FLAG ...                 more flags for skeincc, and for clang those that it knows
    // changes: globals, process       it changes globals (each node has its own), or what belongs to the process (words.py)

WHERE is made of the words of a configuration (variants.py), levels and variants, or such a word after `not`: with several, and
commas between them, all must hold. So `globals` means private globals, `not heap` the heap of the process, `not O0` that the
program was optimised. Reasons are the keys of REASONS.

A head is exact. In each configuration for which it names reasons some move is refused, in all others none is: a refusal that
should not be there fails, and so does a line that is no longer true. Each line is met in some of CI's configurations.
"""
import hashlib
import os
import re

import variants

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")

# What a refused move says (runtime/migrate), by the word that heads of programs use.
REASONS = {
    "ambiguous": "may be a pointer or an integer",
    "foreign": "a foreign frame is on its stack",
    "global": "the global `.*holds an address of its stack",
    "global-word": "its private global `.*in a word that is no pointer.*holds an address of its own stack",
    "heap": "a heap block holds an address of its stack|stored in memory that stays behind",
    "heap-word": "on its private heap.* holds an address of its own stack",
    "library": "the C library keeps an address",
    "other-stack": "runs on a stack that is not its own",
    "kernel-thread": "a kernel thread that it started still runs",
    "thread-local": "a thread-local variable of .* holds an address of its stack",
    "pages": "pages of (its own stack or heap were changed by|the heap were protected or unmapped)",
    "number": "an address of its stack was made into a number",
    "part": "an address of its stack was taken apart",
    "deep": "runs on a deep stack, since its thread had no room",
    "not-compiled": "is in a call that was not compiled to migrate",
    # Decided by the compiler: pin_reason_text in runtime/migrate/walk.cpp.
    "unproved": "an address is live in a register or a place that the maps do not name",
    "returns-twice": "a function that returns twice and is not setjmp",
    "catch": "handles C\\+\\+ exceptions",
    "lost-local": "has no place the maps can name",
    "address-integer": "an integer computed from an address is live",
    "inline-asm": "inline assembly holds an address",
    "frame": "a shape that the maps cannot describe",
    "too-large": "more locals or calls than the maps can count",
}


LINE = r"(refused|pinned|rejected|fails|options|flags|changes)(?: \((.*?)\))?"


class Failure(Exception):
    pass


class Line:
    """`// KEY (WHERE): VALUE`."""

    def __init__(self, key, where, value):
        self.key, self.value = key, value.strip()
        self.where = {word.strip() for word in (where or "").split(",")} - {""}
        self.reasons = [reason.strip() for reason in value.split(",")] if key in ("refused", "pinned") else []

    def holds(self, configuration):
        words = {configuration.level, *configuration.variants}
        return all((word.removeprefix("not ") in words) != word.startswith("not ") for word in self.where)


class Program:
    """A source file and the lines of its head."""

    def __init__(self, path):
        self.path = os.path.abspath(path)
        self.name, ending = os.path.splitext(os.path.basename(path))
        self.cxx = ending == ".cpp"
        # Some have a part that the compiler must not see together with the rest.
        other = os.path.join(os.path.dirname(self.path), "Inputs", f"{self.name}-other{ending}")
        self.files = [self.path] + ([other] if os.path.exists(other) else [])
        with open(path) as source:
            text = source.read()
        head = text[: text.find("#include")]
        self.lines = [Line(*line) for line in re.findall(rf"^// {LINE}: (.*)$", head, re.M)]
        if len(self.lines) != len(re.findall(rf"//.* {LINE}: ", head)):
            raise Failure(f"{path}: a line of its head is inside another (the formatter joins what is too long)")
        for word in set().union(*(line.where for line in self.lines)):
            if word.removeprefix("not ") not in [*variants.LEVELS, *variants.VARIANTS]:
                raise Failure(f"{path}: unknown word {word} of a configuration")
        for reason in self.reasons(None):
            if reason not in REASONS:
                raise Failure(f"{path}: unknown reason {reason}; known: {', '.join(REASONS)}")
        digest = hashlib.sha256()
        for file in [*self.files, os.path.join(PROGRAMS, "hop.h")]:
            with open(file, "rb") as part:
                digest.update(part.read())
        self.digest = digest.hexdigest()[:16]

    def reasons(self, configuration, *keys):
        """Those for which moves may be refused there (None: anywhere)."""
        return [reason for line in self.lines if configuration is None or line.holds(configuration)
                for reason in line.reasons if not keys or line.key in keys]

    def said(self, key, configuration=None):
        """The values of the lines of this kind, with a blank between them."""
        return " ".join(line.value for line in self.lines if line.key == key and (configuration is None or line.holds(configuration)))

    @property
    def fails(self):
        return self.said("fails")


def all_programs():
    """The paths of all of them."""
    return sorted(os.path.join(PROGRAMS, name) for name in os.listdir(PROGRAMS) if name.endswith((".c", ".cpp")))

"""The ways in which a program is compiled and run under relocation stress, for all suites that do so.

A *configuration* is a level and the variants of VARIANTS that are added to it, written `O1-polls-heap`. A suite that has
many programs gives each some of ROTATION, so that all of them are met and none costs time for every program.
"""
import collections

LEVELS = ["O0", "O1", "O2", "O3", "Os"]

Variant = collections.namedtuple("Variant", "flags options")  # of skeincc, and in SKEIN_OPTIONS
VARIANTS = {  # growable ones with debug information, which must be right about the block in front, too
    "polls": Variant(["-fskein-polls=loops"], ""),
    "lto": Variant(["-flto"], ""),
    "thinlto": Variant(["-flto=thin"], ""),
    "globals": Variant(["-fskein-globals=private"], ""),
    "heap": Variant(["-fskein-heap=private"], ""),
    "growable": Variant(["-fskein-stacks=growable", "-g"], "grow_first=1K"),  # full early: most programs grow
    "image": Variant([], "stress_via=image"),
    "calls": Variant(["-fno-inline"], ""),
    "unwind": Variant([], "unwind_check=20"),
}

ROTATION = ["O0-globals-heap", "O1-polls-globals-heap", "O2-globals-heap", "O3-growable-globals-heap-unwind", "Os-polls-growable", "O2-image-globals-heap",
            "O1-image", "O0-polls-growable-globals-heap", "O3-calls-globals-heap", "O2-polls-calls-globals-heap", "O0", "Os-globals-heap-image",
            "O2-growable-globals-heap", "O3-polls", "O2-lto-polls", "O1-thinlto-globals-heap"]


class Configuration:
    def __init__(self, name):
        self.name = name
        self.level, *self.variants = name.split("-")
        unknown = [v for v in self.variants if v not in VARIANTS]
        if self.level not in LEVELS or unknown:
            raise ValueError(f"{name}: a level ({', '.join(LEVELS)}) and variants ({', '.join(VARIANTS)}), joined by '-'")

    @property
    def flags(self):
        return [f"-{self.level}"] + [flag for v in self.variants for flag in VARIANTS[v].flags]

    @property
    def options(self):
        return [VARIANTS[v].options for v in self.variants if VARIANTS[v].options]


def rotation():
    return [Configuration(name) for name in ROTATION]

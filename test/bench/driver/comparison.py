"""What the benchmarks that compare skeincc with clang share: variants of skeincc, the programs, limits."""
import dataclasses
import statistics

from common import ROOT, Wrong, number, program, several

# name: options, title.
VARIANTS = {
    "plain": ("", "skeincc"),
    "lto": ("-flto", "-flto"),
    "thinlto": ("-flto=thin", "-flto=thin"),
    "polls": ("-fskein-polls=loops", "polls"),
    "lto-polls": ("-flto -fskein-polls=loops", "-flto, polls"),
    "private": ("-fskein-globals=private", "private globals"),
    "heap": ("-fskein-heap=private", "private heap"),
    "private-all": ("-fskein-globals=private -fskein-heap=private", "private globals and heap"),
    "same": ("-fskein-moves=same", "moves=same"),
    "growable": ("-fskein-stacks=growable", "growable stacks"),
    "stress": ("-fskein-stress=calls", "stress"),
    "stress-all": ("-fskein-stress=calls -fskein-globals=private -fskein-heap=private", "stress, all private"),
}
CLANG = "clang"  # the side that all variants are compared with
PROGRAMS = ROOT / "share/skein/bench/overhead"


def add_options(parser, rounds, variants, listed, csv, judged):
    """To the parser of such a benchmark. `listed`: which variants make sense; `judged`: what the limits are for."""
    parser.option("--rounds", "N", "runs of each", rounds, number(1, int))
    parser.option("--filter", "TEXT", "only programs whose name contains TEXT", "")
    parser.option("--variants", "LIST", f"of {listed}", variants.split(","),
                  several(VARIANTS, f"there is no '{{}}'; `{parser.prog} --help` lists them"))
    parser.option("--options", "TEXT", "options for both compilers, such as -I DIR", "-O2")
    parser.flag("--markdown", "print the tables as docs/benchmarks.md has them")
    parser.option("--csv", "FILE", f"write every run: {csv}")
    parser.option("--fail-mean", "X", f"exit 1 if a geometric mean of {judged} is above X", type=number(0))
    parser.option("--fail-worst", "X", "exit 1 if a worst ratio is above X", type=number(0))


def title(side):
    return VARIANTS[side][1]


def compiler_of(side, clang, options, ours="skeincc"):
    """The words of the compiler of a side, with the options of both compilers and of the variant."""
    if side == CLANG:
        return [clang, *options.split()]
    return [program(ours), *options.split(), *VARIANTS[side][0].split()]


def programs_in(directory, text):
    """Names, without .c and in order, of the programs of a directory whose name contains `text`."""
    names = sorted(path.stem for path in directory.glob("*.c") if text in path.stem)
    if not names:
        raise Wrong(f"no program in {directory} has a name with '{text}'")
    return names


@dataclasses.dataclass
class Figures:
    """A ratio of each program, or file."""
    names: list
    values: list

    @property
    def mean(self):
        return statistics.geometric_mean(self.values)

    def worst(self):
        value, name = max(zip(self.values, self.names))
        return f"{value:.3f} ({name})"

    def is_within(self, chosen, title):
        """Whether mean and worst are within the limits. Says which is not."""
        above = [(what, limit) for what, value, limit in (("mean", self.mean, chosen.fail_mean),
                                                          ("worst", max(self.values), chosen.fail_worst))
                 if limit and value > limit]
        for what, limit in above:
            print(f"{title}: the {what} is above {limit:.3f}")
        return not above

"""`skein bench shared`: what loops over shared memory that can be addressed cost, beside the same loops of plain C: in
the node's own memory, and in that of another node of this host. libexec/skein/shared_rows measures. `--remote`: what
gets and puts by messages cost, as between hosts, beside bare UCX, bare sockets and OpenMPI's one-sided operations,
all run in turn (libexec/skein/remote_rows, ucx_gets, socket_gets, mpi_gets).
"""
import collections

from common import (Parser, Table, bare_ucx, execute_well, has_program, in_turn, median, number, numbers, program,
                    ratios, skein_options, words_of)

ROWS = {
    "triad-cache": "triad, 190 KB",
    "triad-memory": "triad, 50 MB",
    "chase-cache": "list, 256 KB",
    "chase-memory": "list, 33 MB",
}
DESCRIPTION = """\
Prints nanoseconds an element of STREAM's triad and of a walk along a list in random order, in the cache and beyond,
over shared memory of the own node and of another node of this host, and the ratio to plain C in malloc's memory."""


def parse(arguments):
    parser = Parser("shared", DESCRIPTION)
    parser.flag(
        "--remote",
        "gets and puts of 8 bytes by messages instead: nanoseconds one by one, millions a second by 64 threads, or by "
        "one that starts 64 and waits for all (`started`), beside bare UCX's, over TCP also bare sockets' and those of "
        "connections that are not sealed (tcp=plain), and, where it is installed, OpenMPI's one-sided operations, of "
        "which one starts 64, too")
    parser.option("--rounds", "N", "what is shown are medians", 5, number(1, int))
    parser.flag("--markdown", "print the table as docs/benchmarks.md has it")
    parser.option("--fail-ratio", "X", "exit 1 if a ratio of the own node's memory is above X", type=number(0))
    return parser.parse_args(arguments)


def participants(transport):
    """title: (words, environment, title of the rates of one thread that starts 64, if it prints them, too)."""
    rows = [program("skein"), "run", "-n", "2", "--transport", transport, program("remote_rows")]
    all_ = {"bare UCX": ([program("ucx_gets"), "20000"], bare_ucx(transport), "")}
    if transport == "tcp":
        all_["bare sockets"] = ([program("socket_gets"), "20000"], {}, "")
    all_["Skein"] = (rows, skein_options("shared=remote", "workers=1"), "Skein, started")
    if transport == "tcp":
        all_["Skein, tcp=plain"] = (rows, skein_options("shared=remote", "workers=1", "tcp=plain"), "plain, started")
    else:
        all_["Skein, mapped"] = (rows, skein_options("workers=1"), "")
    if has_program("mpi_gets"):
        # Its other transports use the host's shared memory all the same.
        only_tcp = "--mca pml ob1 --mca btl tcp,self --mca btl_tcp_if_include lo --mca osc pt2pt" * (transport == "tcp")
        mpi = ["mpirun", *"--allow-run-as-root --oversubscribe -n 2".split(), *only_tcp.split(), program("mpi_gets")]
        all_["OpenMPI"] = (mpi, {"TMPDIR": "/tmp"}, "")
    return all_


def measure_remote(transport, chosen, table):
    sides = participants(transport)

    def measure(side):
        """{title: [(ns or None, millions a second) of gets, of puts]}"""
        argv, environment, started = sides[side]
        words = words_of(argv, environment)
        both = [numbers(words, 2) for _ in range(2)]
        measured = {side: [(ns, rate / 1e6) for ns, rate in both]}
        if started:
            measured[started] = [(None, rate / 1e6) for rate in numbers(words, 2)]
        return measured

    figures = collections.defaultdict(list)
    for rounds in in_turn(chosen.rounds, sides, measure).values():
        for measured in rounds:
            for title, both in measured.items():
                figures[title].append(both)
    of = lambda title, access, which: median([both[access][which] for both in figures[title]])
    for title in figures:
        for access, name in enumerate(["get", "put"]):
            one_by_one = ["", ""]
            if figures[title][0][access][0] is not None:
                ns = of(title, access, 0)
                one_by_one = [f"{ns:.0f}", f"{ns / of('bare UCX', access, 0):.2f}"]
            rate = of(title, access, 1)
            table.row(transport, name, title, *one_by_one, f"{rate:.3f}", f"{rate / of('bare UCX', access, 1):.2f}")


def remote(chosen):
    many = "64 at a time, M/s" if chosen.markdown else "64, M/s"
    table = Table([("transport", -10), ("access", -6), ("by", -16), ("ns", 9), ("to UCX", 9), (many, 9), ("to UCX", 9)],
                  chosen.markdown)
    for transport in ("shm", "tcp"):
        measure_remote(transport, chosen, table)
    return 0


def bench(arguments):
    chosen = parse(arguments)
    if chosen.remote:
        return remote(chosen)
    rows = [program("shared_rows"), str(chosen.rounds)]
    output = execute_well([program("skein"), "run", "-n", "2", *rows], skein_options("workers=1")).output
    plain, shared = collections.defaultdict(list), collections.defaultdict(list)
    for row, node, plain_ns, shared_ns in (line.split() for line in output.splitlines()):
        plain[row, node].append(float(plain_ns))
        shared[row, node].append(float(shared_ns))
    table = Table([("loop", -16), ("memory", -22), ("plain ns", 9), ("shared ns", 9), ("ratio", 9)], chosen.markdown)
    failed = False
    for name, title in ROWS.items():
        for node, memory in (("0", "own"), ("1", "of another node here")):
            ratio = median(ratios(shared[name, node], plain[name, node]))
            table.row(title, memory,
                      *(f"{value:.2f}" for value in (median(plain[name, node]), median(shared[name, node]), ratio)))
            failed |= bool(chosen.fail_ratio) and node == "0" and ratio > chosen.fail_ratio
    return 1 if failed else 0

"""What moving threads costs: Figure 4 and Table 3 of TR-97-054, Figures 19 to 21 and Table 4 of the first seed."""
from measure import Result, run

KIB = [0, 1, 2, 4, 8, 16]
# What the seeds give (SPARCstation 10, Myrinet); us by KiB of stack.
SEED_PUSH, SEED_PUSH_OVERHEAD = {0: 150, 1: 630, 2: 1100}, {0: 40, 1: 52, 2: 68}


def measured(setting, operation, threads, nodes=2):
    """ns by KiB. Bound: else the kernel may put the thread that answers a thief onto the thief's core, where it was woken,
    though its own is free, and two nodes take turns on one core for some rounds."""
    text = run(setting, nodes, "moves", operation, threads, *KIB, options="steal=off",
               bind=True)
    return {int(kib): float(ns) for kib, ns in (line.split() for line in text.splitlines())}


def figure_4(setting):
    many, few = (10, 10) if setting.quick else (1000, 500)
    ns = {operation: measured(setting, operation, many if operation == "push" else few, 3 if operation == "prefetch" else 2)
          for operation in ("push", "steal", "push-start", "steal-start", "push-many", "steal-many", "prefetch")}
    us = lambda operation, kib: ns[operation][kib] / 1000
    rate = lambda operation, kib: 1e9 / ns[operation][kib]
    time = Result("figure-4-time", "Figure 4: time to move one thread to another node",
                  ["KiB of stack", "push, µs", "steal, µs", "the seed's push, µs"],
                  [[kib, us("push", kib), us("steal", kib), SEED_PUSH.get(kib)] for kib in KIB],
                  "A thread pushes itself to and fro; a stolen thread steals the next one.", "time, µs")
    overhead = Result("figure-4-overhead", "Figure 4: time of the processor that begins a move",
                      ["KiB of stack", "push, µs", "steal, µs", "the seed's push, µs", "the seed's steal, µs"],
                      [[kib, us("push-start", kib), us("steal-start", kib), SEED_PUSH_OVERHEAD.get(kib), 8]
                       for kib in KIB], "From the call of `skein_push_start`, `skein_steal_any_from_start`, until it "
                      "returns.", "time, µs")
    throughput = Result("figure-4-throughput", "Figure 4: threads that move to another node in a second",
                        ["KiB of stack", "push", "steal, one source", "steal, two sources"],
                        [[kib, rate("push-many", kib), rate("steal-many", kib), rate("prefetch", kib)] for kib in KIB],
                        "All pushed by `skein_push_any`; stolen 64 at a time with two raids under way, from one node, from two at once.",
                        "threads per second", log_y=True)
    table_3 = Result("table-3", "Table 3: migration by stack size, µs", ["system", "null", "1K", "2K"], [
        ["Ariadne (SS5, Ethernet)", None, 11000, 14000], ["Millipede (Pentium, fast Ethernet)", 2000, None, 70000],
        ["PM2 (Alpha, 1 processor)", None, None, 2200], ["Active Threads, overhead", 40, 52, 68],
        ["Active Threads, whole", 150, 630, 1100],
        ["Skein, overhead", *(us("push-start", kib) for kib in (0, 1, 2))],
        ["Skein, whole", *(us("push", kib) for kib in (0, 1, 2))]], "Other systems as the seed quotes them.")
    return [time, overhead, throughput, table_3]


def figures_19_to_21(setting):
    count = 10 if setting.quick else 1000
    put, get = measured(setting, "put", count), measured(setting, "get", count)
    steal, ring = measured(setting, "steal", min(count, 500)), measured(setting, "push", count, 3)
    column = lambda ns: [ns[kib] / 1000 for kib in KIB]
    rows = lambda *columns: [list(row) for row in zip(KIB, *map(column, columns))]
    return [Result("figure-19", "Figure 19: time to copy memory between two nodes", ["KiB copied", "put, µs", "get, µs"], rows(put, get),
                   "0 KiB: 8 bytes. The seed's Myrinet: 20 µs and more.", "time, µs"),
            Result("figure-20", "Figure 20: time to get a thread, or as many bytes, from another node", ["KiB of stack", "steal, µs", "get, µs"],
                   rows(steal, get), "", "time, µs"),
            Result("figure-21", "Figure 21: time of a move of a running thread round three nodes, and of a copy",
                   ["KiB of stack", "push_self, µs", "put, µs"], rows(ring, put), "", "time, µs")]


def lazy(setting):
    """Moves of a thread with a large heap, eager and lazy (seed 3, section 3.3.4)."""
    sizes, rounds = ([16], 1) if setting.quick else ([16, 256, 1024], 5)

    def one(mib, moves, seconds):
        text = run(setting, 2, "lazy", mib, seconds, rounds, options=f"steal=off,moves={moves}", bind=True)
        return [float(ns) for ns in text.split()]

    rows = []
    for mib in sizes:
        looked = 1 + mib // 128 # a GiB takes 3 s where nobody else wants the cores
        for name, moves, seconds in (("eager", "eager", 0), ("lazy", "lazy", looked), ("lazy, at once", "lazy", 0)):
            running, fault, whole = one(mib, moves, seconds)
            rows.append([f"{mib} MiB, {name}", running / 1e6, fault / 1000 if moves == "lazy" else None, whole / 1e6])
    return [Result("lazy", "A thread with a large heap moves to another node", [
        "private heap, move", "running there, ms", "access to a missing page, µs", "nothing left behind, ms"], rows,
        "Medians. *At once*: the thread leaves as soon as it has filled its heap, before the runtime has looked through it. "
        "A missing page cost the third seed's Testbed 12 ms and more, of which 4.5 to locate and pack it.")]

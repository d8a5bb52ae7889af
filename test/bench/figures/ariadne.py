"""Ariadne's tables: what threads take (Table II), what a move takes beside a message of the same bytes (Table III); and what
packing a thread takes in place. The paper's machines are of 1992 to 1994: the columns are those of its fastest."""
from measure import Result, run


def rows_of(text):
    """{name: (bytes of the image, nanoseconds)}"""
    return {name: (int(size), float(ns)) for name, size, ns in (line.split() for line in text.splitlines())}


def table_2(setting):
    ours = rows_of(run(setting, 1, "packs", "basics", 2000 if setting.quick else 100000, bind=True))
    table = [("null thread: created, run, joined", "null-thread", 40, 90), ("create a thread", "create", 35, 20),
             ("switch between two threads", "switch", 15, 14), ("setjmp and longjmp", "setjmp-longjmp", 3, 5),
             ("synchronise: wait and signal", "synchronise", 20, 45)]
    return [Result("ariadne-table-2", "Ariadne's Table II: what threads take",
                   ["operation", "SPARCstation 20, µs", "RS/6000, µs", "Skein, ns"],
                   [[what, sparc, rs6000, ours[name][1]] for what, name, sparc, rs6000 in table],
                   "One worker. A jump restores the registers that the calling convention keeps, from the thread's own table.")]


def table_3(setting):
    sizes = [256, 512, 1024, 2048]
    # of the paper, in ms: migrate, transmit
    sparc = {256: (11.31, 10.80), 512: (11.11, 10.69), 1024: (13.98, 13.75), 2048: (16.07, 15.10)}
    ours = rows_of(run(setting, 2, "packs", "trips", 200 if setting.quick else 5000, *sizes, options="steal=off", bind=True))
    rows = []
    for size in sizes:
        us = {kind: ours[f"{kind}-{size}"][1] / 1000 for kind in ("thread", "packed", "message")}
        rows.append([size, f"{sparc[size][0]} / {sparc[size][1]}", ours[f"message-{size}"][0], us["thread"], us["packed"],
                     us["message"], us["thread"] / us["message"]])
    return [Result("ariadne-table-3", "Ariadne's Table III: to another process and back",
                   ["bytes more on the stack", "SPARCstation 5, ms: thread / message", "bytes of the image", "pushed thread, µs",
                    "packed thread, µs", "message of these bytes, µs", "thread to message"], rows,
                   "Two nodes. A pushed thread: `skein_push_self` there and back. A packed one: as in Figure 10, by `skein_pack`, a "
                   "message of the program, and `skein_unpack` in a thread of its handler. The message is a `skein_call` that "
                   "returns what it is sent.")]


def packing(setting):
    sizes = [0, 1024, 4096, 16384]
    ours = rows_of(run(setting, 1, "packs", "packing", 500 if setting.quick else 20000, *sizes, bind=True))
    rows = [[size, ours[f"pack-{size}"][0], *(ours[f"{kind}-{size}"][1] for kind in ("pack", "unpack", "roll-back"))]
            for size in sizes]
    return [Result("packing", "Packing in place: nanoseconds by what is on the stack",
                   ["bytes more on the stack", "bytes of the image", "pack and free, ns", "unpack, run to the end, join, ns",
                    "pack and roll back, ns"], rows,
                   "One worker, no private memory. An image is copied, encrypted and sealed, and the other way round.")]

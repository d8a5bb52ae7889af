#!/usr/bin/env python3
"""A launcher that only halts runs: starts nodes of a program, and again and again has all of them halt, counts until no message is
under way, and lets them go on.

    halting.py [--every MS] [--reborn] [--give-up] [--kill] [--figures] [--words] BUILD NODES PROGRAM ARGUMENT...

    --every MS    so long between two checkpoints (default 20)
    --reborn      at each cut every node throws its connections away and begins again, as if it were made of a copy: with a new token,
                  new addresses, and new memory files with the same contents. Needs SKEIN_OPTIONS=fault=reborn
    --give-up     lets the nodes go on before all have halted, every second time
    --kill        kills the last node when all have halted for the third time, and tells the others
    --figures     print how long the pauses were
    --words       print what nodes have said of what keeps them from halting

Exit status: the program's, that of a run that a death has ended, or 3 if something was wrong with what the nodes said.
"""
import argparse
import array
import os
import select
import socket
import struct
import subprocess
import sys
import time

TYPES = ("none welcome address peer start met begin finish end done leave exiting suspect quit died fork forked misses ping "
         "alive rejects admit admitted withdrawn request drain draining drained "
         "part handed_over departed wish halt halting halted count cut copied go_on written kept").split()
MAGIC, VERSION = 0x53424B53, 10
FIXED, RESTORED = 1, 8
PATIENCE_S = 120

arguments = argparse.ArgumentParser()
arguments.add_argument("build")
arguments.add_argument("nodes", type=int)
arguments.add_argument("--every", type=float, default=20)
arguments.add_argument("--reborn", action="store_true")
arguments.add_argument("--give-up", action="store_true")
arguments.add_argument("--kill", action="store_true")
arguments.add_argument("--figures", action="store_true")
arguments.add_argument("--words", action="store_true")
arguments.add_argument("command", nargs=argparse.REMAINDER)
chosen = arguments.parse_args()
count = chosen.nodes
alive = set(range(count))


def wrong(*words):
    print("halting:", *words, flush=True)
    for process in processes:
        process.kill()
    sys.exit(3)


class Over(Exception):
    """main has returned, or the program has called exit()."""


channels, processes = [], []
# As the launcher's: each node's slice of shared memory, the same files for all.
files = [os.memfd_create(f"slice-{node}") for node in range(count)]


def say(node, kind, about, status=0, data=b""):
    try:
        channels[node].send(struct.pack("<IHHii", MAGIC, VERSION, TYPES.index(kind), about, status) + data)
    except BrokenPipeError:
        pass  # hear() finds out


def welcome(node, flags):
    packet = struct.pack("<IHHii", MAGIC, VERSION, TYPES.index("welcome"), node, 0)
    packet += struct.pack("<iiI", count, count, flags) + token + struct.pack("<IQ", 0, seed)
    channels[node].sendmsg([packet], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))])


def hear(until):
    """The next packet of any node: number, kind, what it is about, status, data. None when it is time."""
    ready = select.select([channels[node] for node in alive], [], [], max(0, until - time.monotonic()))[0]
    if not ready:
        return None
    try:
        packet = ready[0].recv(5000)
    except ConnectionResetError:  # it has not read everything; this is said once, before its last packets
        packet = ready[0].recv(5000)
    node = channels.index(ready[0])
    if not packet:
        if len(alive) < count and processes[node].wait() == 70:
            print(f"the death of a node has ended node {node}", flush=True)
            alive.discard(node)
            if not alive:
                sys.exit(70)
            return hear(until)
        wrong(f"node {node} is gone, status {processes[node].wait()}")
    magic, version, kind, about, status = struct.unpack_from("<IHHii", packet)
    assert (magic, version) == (MAGIC, VERSION)
    kind, data = TYPES[kind], packet[16:]
    if kind in ("suspect", "rejects", "misses"):
        wrong(f"node {node} {kind} {about}: {data.decode()}")
    if kind in ("finish", "exiting"):
        raise Over(status)
    return node, kind, about, status, data


def all_say(kind, number=None):
    """Waits until each node has said it. Returns the data, by node."""
    said, deadline = {}, time.monotonic() + PATIENCE_S
    while len(said) < len(alive):
        heard = hear(deadline)
        if heard is None:
            wrong(f"nodes {sorted(alive - set(said))} have not said {kind}")
        node, what, about, status, data = heard
        if what == kind and (number is None or about == number):
            said[node] = data
        elif what == "halting":
            words.append(f"node {node} {data.decode()}")
    return [said[node] for node in sorted(alive)]


def begin(flags):
    for node in range(count):
        welcome(node, flags)
    addresses = all_say("address")
    for node in range(count):
        for peer in range(count):
            if peer != node:
                say(node, "peer", peer, 0, addresses[peer])
        say(node, "start", 0)
    all_say("met")
    for node in range(count):
        say(node, "begin", 0)


def tell_all(kind, about, status=0, data=b""):
    for node in sorted(alive):
        say(node, kind, about, status, data)


def counted(number):
    counts = [struct.unpack("<QQ", data) for data in all_say("halted", number)]
    return sum(sent for sent, handled in counts), sum(handled for sent, handled in counts)


def count_until_quiet(number):
    """Until all that was sent by the end of one round had been handled in the one before. Returns the rounds."""
    began = time.monotonic()
    _, handled_before = counted(number)
    halts.append(time.monotonic() - began)
    for round in range(2, 10000):
        tell_all("count", number)
        sent, handled = counted(number)
        if sent == handled_before:
            return round
        handled_before = handled
    wrong("the counts never meet: sent", sent, "handled", handled)


def checkpoint(number):
    global token
    began = time.monotonic()
    tell_all("halt", number)
    if chosen.give_up and number % 2:
        time.sleep(number % 7 / 3000)
        tell_all("go_on", number)
        return
    rounds.append(count_until_quiet(number))
    if chosen.kill and len(pauses) == 2:
        processes[-1].kill()
        processes[-1].wait()
        alive.discard(count - 1)
        tell_all("died", count - 1, 0, b"was killed")
        tell_all("count", number)
        count_until_quiet(number)
    # Nothing happens any more, so the counts are what they were.
    tell_all("count", number)
    before = counted(number)
    if before[0] != before[1]:
        wrong(f"{before[0]} messages were sent and {before[1]} handled, in silence")
    if chosen.reborn:
        token = os.urandom(16)
        tell_all("cut", number, 0, b"nowhere")
        begin(FIXED | RESTORED)
    tell_all("go_on", number)
    pauses.append(time.monotonic() - began)


token, seed = os.urandom(16), int.from_bytes(os.urandom(8), "little")
rounds, halts, pauses, words = [], [], [], []
library = f"{chosen.build}/lib/skein/libskein_tcp.so"
for node in range(count):
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    channels.append(ours)
    environment = os.environ | {"SKEIN_BOOTSTRAP": str(theirs.fileno()), "SKEIN_TRANSPORT": library, "SKEIN_MONITOR": "none"}
    # The nodes' programs lie at the same addresses.
    processes.append(subprocess.Popen(["setarch", "x86_64", "-R", *chosen.command], env=environment, pass_fds=[theirs.fileno()]))
    theirs.close()
status = 0
try:
    begin(FIXED)
    for number in range(1, 1 << 30):
        until = time.monotonic() + chosen.every / 1000
        while heard := hear(until):
            if heard[1] not in ("halting", "halted", "alive"):
                wrong(f"node {heard[0]} says {heard[1]}")
        checkpoint(number)
except Over as over:
    status = over.args[0]
tell_all("end", 0, status)
deadline = time.monotonic() + PATIENCE_S
done = set()
while len(done) < len(alive) and (heard := hear(deadline)):
    if heard[1] == "done":
        done.add(heard[0])
tell_all("leave", 0)
for node in alive:
    if processes[node].wait(PATIENCE_S) != (status if node == 0 else 0):
        wrong(f"node {node} has ended with status {processes[node].returncode}")
if chosen.figures:
    def milliseconds(times):
        times.sort()
        return f"{times[len(times) // 2] * 1000:.1f} ms, at most {times[-1] * 1000:.1f} ms"

    print(f"{len(pauses)} checkpoints; all have halted after {milliseconds(halts)}; {sum(rounds) / len(rounds):.1f} rounds, at most "
          f"{max(rounds)}; pause {milliseconds(pauses)}")
if chosen.words:
    for word in dict.fromkeys(words):
        print("said:", word)
print("halted often enough" if len(pauses) >= 3 else f"halted {len(pauses)} times", flush=True)
sys.exit(status)

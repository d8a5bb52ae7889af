"""Speaks as a node of a run with `skein run`, and is none: it says what net/wire/bootstrap.h has nodes say, so that the
launcher's side of nodes that come and leave can be seen alone.

    as_members.py [word…]    node 0 ends the run when a file `end` appears in the folder $STAGE, and asks for so many
                             nodes as a file `want` says

Each node appends to $STAGE/node-K what it hears. Words are for nodes that come late:
    silent=K    node K never says where it is      dies=K      it ends with status 3 instead
    shy=K       it never says that it has met all  slow=K      it does so after half a second
    tells=K     it rejects node 0
for nodes that are to leave:
    keeps=K     something always keeps it          parts=K     it never hands over what it has kept
    fails=K     it ends with status 3              stays=K     it does not end
for checkpoints:
    runs=K      it never halts                     busy=K      it counts messages that arrive late
    uncopied=K  it cannot make a copy              unwritten=K its copy cannot be written
    damaged=K   its copy is a file that looks like one and is none
    slow_copy=K its copy takes half a second       dies_at=WHAT:K it kills itself when it hears that for the first time
    dies_always=WHAT:K  it kills itself whenever it hears that
    broken=K    it cannot go on from its copy      never_copies=K it does not answer `cut`
    hangs=K:N   made of its copy, it hangs before it says where it is, the first N times
    stops=K:N   it is stopped instead, when it has    falls=K:N  it kills itself instead
and for others:
    mute=K      it never says that one has departed
    counts=K:N  it prints the numbers to N, a line each, and then ends the run if it is node 0. It stops while it stands,
                and its copy has the number that is next

When a file `wish` appears in $STAGE, node 0 asks for a checkpoint.
"""
import os
import re
import select
import signal
import socket
import struct
import sys
import time

TYPES = ("none welcome address peer start met begin finish end done leave exiting suspect quit died fork forked misses ping "
         "alive rejects admit admitted withdrawn request drain draining drained "
         "part handed_over departed wish halt halting halted count cut copied go_on written kept").split()
MAGIC, VERSION = 0x53424B53, 10
stage = os.environ["STAGE"]
channel = socket.socket(fileno=int(os.environ["SKEIN_BOOTSTRAP"]))


def say(kind, node, status=0, text=b""):
    channel.send(struct.pack("<IHHii", MAGIC, VERSION, TYPES.index(kind), node, status) + text)


def hear():
    packet, files, *_ = socket.recv_fds(channel, 5000, 250)
    for file in files:
        os.close(file)
    if not packet:
        os._exit(0)
    magic, version, kind, node, status = struct.unpack_from("<IHHii", packet)
    assert (magic, version) == (MAGIC, VERSION)
    return TYPES[kind], node, status, packet[16:], len(files)


def note(*words):
    with open(f"{stage}/node-{self}", "a") as file:
        print(*words, file=file)


def traits_with_more(beginning):
    return [word[len(beginning):] for word in sys.argv[1:] if word.startswith(beginning)]


kind, self, _, rest, files = hear()
count, founders, flags = struct.unpack_from("<iiI", rest)
note("welcome", count, founders, flags, files)
with open(f"{stage}/process-{self}", "w") as file:
    print(os.getpid(), file=file)
traits = [word for word in sys.argv[1:] if word.endswith(f"={self}")]
if f"dies={self}" in traits:
    sys.exit(3)
if f"silent={self}" in traits:
    time.sleep(60)
next_number, end_number, standing, sent, rounds, begun = 1, 0, False, 1000 * self, 0, False
for word in traits_with_more(f"counts={self}:"):
    end_number = int(word)
if flags & 8:
    with open(os.environ["SKEIN_RESTORE"]) as file:
        copy = file.read()
    note("restored", copy.strip())
    if f"broken={self}" in traits:
        print("this node cannot go on: its copy is damaged", file=sys.stderr)
        sys.exit(70)
    next_number = int(re.search("next ([0-9]+)", copy)[1])
    standing = True


def fails_to_begin(how):
    """Whether it is to, this time."""
    for times in traits_with_more(f"{how}={self}:") if flags & 8 else ():
        note(how)
        with open(f"{stage}/node-{self}") as file:
            return file.read().split("\n").count(how) <= int(times)


if fails_to_begin("falls"):
    os.kill(os.getpid(), signal.SIGKILL)
if fails_to_begin("hangs"):
    time.sleep(60)
say("address", self, text=b"here is %d" % self)
if fails_to_begin("stops"):
    os.kill(os.getpid(), signal.SIGSTOP)
while True:
    if self == 0 and os.path.exists(f"{stage}/end"):
        os.remove(f"{stage}/end")
        say("finish", 0)
    if self == 0 and os.path.exists(f"{stage}/want"):
        with open(f"{stage}/want") as file:
            say("request", 0, int(file.read()))
        os.remove(f"{stage}/want")
    if self == 0 and os.path.exists(f"{stage}/wish"):
        os.remove(f"{stage}/wish")
        say("wish", 0)
    if begun and not standing and 0 < next_number <= end_number:
        print(f"node {self}: {next_number}", flush=True)
        next_number += 1
        if next_number > end_number and self == 0:
            say("finish", 0)
    if not select.select([channel], [], [], 0.02)[0]:
        continue
    kind, node, status, text, _ = hear()
    note(kind, node, status, text.decode(errors="replace"))
    if f"dies_always={kind}:{self}" in sys.argv:
        os.kill(os.getpid(), signal.SIGKILL)
    if f"dies_at={kind}:{self}" in sys.argv and not os.path.exists(f"{stage}/died"):
        open(f"{stage}/died", "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    if kind == "start" and f"tells={self}" in traits:
        say("rejects", 0, 0, b"does not look right")
    elif kind == "start" and f"shy={self}" not in traits:
        time.sleep(0.5 if f"slow={self}" in traits else 0)
        say("met", self)
    elif kind == "admit" and self == 0:
        say("admitted", node)
    elif kind == "drain" and node == self and status:
        say("draining", self, 2, b"has 2 windows that are open")
        note("has said what keeps it")
        if f"keeps={self}" not in traits:
            say("drained", self)
            if f"parts={self}" not in traits:
                say("handed_over", self)
    elif kind == "departed" and f"mute={self}" not in traits:
        say("departed", node)
    elif kind == "begin":
        begun = True
        standing = False
    elif kind == "halt" and f"runs={self}" in traits:
        say("halting", node, 0, b"its thread 7 computes")
    elif kind in ("halt", "count"):
        standing = True
        rounds = 0 if kind == "halt" else rounds + 1
        # Node 0 has sent something that another one handles late.
        late = f"busy={self}" in traits and rounds < 6
        say("halted", node, 0, struct.pack("<QQ", sent, sent - late))
    elif kind == "cut" and f"uncopied={self}" in traits:
        say("copied", node, 1, b"it has a kernel thread of its own")
    elif kind == "cut" and f"never_copies={self}" not in traits:
        if os.fork() == 0:  # the copy
            if f"slow_copy={self}" in traits:
                time.sleep(0.5)
            if f"unwritten={self}" in traits:
                say("written", node, 1, b"no space left on the device")
            else:
                try:
                    with open(f"{text.decode()}/node-{self}", "w") as file:
                        print("SKEINCKP" if f"damaged={self}" in traits else "", end="", file=file)
                        print(f"node {self} of {count}, next {next_number}", file=file)
                    say("written", node)
                except OSError:  # the checkpoint was given up
                    say("written", node, 1, b"the folder has gone")
            os._exit(0)
        os.wait() if f"slow_copy={self}" not in traits else None
        say("copied", node)
    elif kind == "go_on":
        standing = False
    elif kind == "ping":
        say("alive", self)
    elif kind == "died" and "survive" not in os.environ["SKEIN_OPTIONS"]:
        sys.exit(1)
    elif kind == "end":
        say("done", self)
    elif kind in ("leave", "quit"):
        while f"stays={self}" in traits:
            time.sleep(1)
        sys.exit(3 if f"fails={self}" in traits else 0)

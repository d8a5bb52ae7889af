"""as_node.py N stop|kill|instead OTHER -- program...: starts the program, but on node N is stopped, or killed, before; or starts OTHER
instead. `skein run` gives each node's number in the first packet on its socket (docs/wire-format.md)."""
import os
import signal
import socket
import struct
import sys

node, action, at = int(sys.argv[1]), sys.argv[2], sys.argv.index("--")
launcher = socket.socket(fileno=int(os.environ["SKEIN_BOOTSTRAP"]))
_, _, _, number = struct.unpack_from("<IHHi", launcher.recv(64, socket.MSG_PEEK))
os.set_inheritable(launcher.fileno(), True)
program = sys.argv[at + 1:]
if number == node:
    if action == "instead":
        program = [sys.argv[3]]
    else:
        os.kill(os.getpid(), signal.SIGSTOP if action == "stop" else signal.SIGKILL)
os.execv(program[0], program)

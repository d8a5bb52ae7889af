"""Runs that are looked at, for the tests of this folder."""
import contextlib
import glob
import json
import os
import socket
import subprocess
import time

PATIENCE_S = 30


class Run:
    """`skein run` with these arguments, all of whose nodes answer; it ends with the `with`."""

    def __init__(self, skein, nodes, arguments, options="steal=off", **process):
        self.process = subprocess.Popen([skein, "run", "-n", str(nodes), *arguments], text=True,
                                        env=dict(os.environ, SKEIN_OPTIONS=options), **process)
        self.nodes = nodes
        end = time.monotonic() + PATIENCE_S
        while not self.folder() or any(not self.answers(node) for node in range(nodes)):
            assert time.monotonic() < end and self.process.poll() is None, "the nodes do not answer"
            time.sleep(0.02)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(ProcessLookupError):
            self.process.terminate()
        self.process.wait(PATIENCE_S)

    def folder(self):
        found = [path for parent in ("/dev/shm", "/tmp") for path in glob.glob(f"{parent}/skein-{self.process.pid}-*")]
        return found[0] if found else None

    def connect(self, node):
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(PATIENCE_S)
        connection.connect(f"{self.folder()}/node-{node}")
        return connection

    def answers(self, node):
        try:
            return "node" in self.ask(node, "figures")
        except OSError:
            return False

    def ask(self, node, request):
        with self.connect(node) as connection:
            connection.sendall(request.encode() + b"\n")
            return json.loads(connection.makefile().readline())

    def until(self, what, holds):
        """Waits until that holds."""
        end = time.monotonic() + PATIENCE_S
        while not holds():
            assert time.monotonic() < end, what
            time.sleep(0.02)

#!/usr/bin/env python3
"""Looks at runs with `skein top`, on a terminal and without.

    terminal.py SKEIN PROGRAM
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

import pyte

from monitored import PATIENCE_S, Run


class Terminal:
    """A program on a terminal of 120 by 40, and what is to be seen there."""

    def __init__(self, command):
        self.screen = pyte.Screen(120, 40)
        self.stream = pyte.ByteStream(self.screen)
        self.process, self.end = pty.fork()
        if self.process == 0:
            os.environ["TERM"] = "linux"  # which pyte is
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
            os.execvp(command[0], command)

    def look(self, seconds):
        """False: the program has closed the terminal."""
        if select.select([self.end], [], [], seconds)[0]:
            try:
                self.stream.feed(os.read(self.end, 65536))
            except OSError:
                return False
        return True

    def expect(self, pattern):
        end = time.monotonic() + PATIENCE_S
        while not re.search(pattern, text := "\n".join(self.screen.display)):
            assert time.monotonic() < end, f"{pattern} does not come:\n{text}"
            assert self.look(0.1), f"the program has ended before {pattern}:\n{text}"

    def press(self, keys):
        os.write(self.end, keys.encode())

    def status(self):
        end = time.monotonic() + PATIENCE_S
        while True:
            self.look(0.05)
            done, status = os.waitpid(self.process, os.WNOHANG)
            if done:
                return os.waitstatus_to_exitcode(status)
            assert time.monotonic() < end, "it does not end"


def on_terminal(skein, run):
    terminal = Terminal([skein, "top", str(run.process.pid), "-d", "0.2"])
    terminal.expect(r"skein top: \S+, 3 nodes, policy random \(off\)")
    terminal.expect(r"threads by function")
    terminal.expect(r"computes")
    terminal.press("l")
    terminal.expect(r"state +function")
    terminal.expect(r"skein_channel_receive")
    waiting = next(thread for thread in run.ask(0, "threads")["threads"] if thread["function"] == "waits")
    terminal.press("p")
    terminal.expect("Push which thread")
    terminal.press(f"{waiting['id']} 1\n")
    terminal.expect("goes from node 0 to node 1")
    run.until("it arrives", lambda: any(thread["id"] == waiting["id"] for thread in run.ask(1, "threads")["threads"]))
    terminal.press("p")
    terminal.expect("Push which thread")
    terminal.press("seven\n")
    terminal.expect("'seven' is not an id and a node")
    terminal.press("b")
    terminal.expect("Balancing is on")
    run.until("balancing is on", lambda: run.ask(2, "figures")["balancing"])
    terminal.press("o+-cq")
    print("on a terminal: status", terminal.status())


def main():
    skein, program = sys.argv[1:]

    def top(*arguments):
        done = subprocess.run([skein, "top", *arguments], capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout, done.stderr

    with Run(skein, 3, [program]) as run:
        status, out, _ = top(str(run.process.pid), "--once", "-d", "0.3")
        print(out, "status", status, sep="")
        status, out, _ = top(run.folder(), "--json")
        print("json:", len(out.splitlines()), "nodes, status", status)
        print("no terminal:", top(str(run.process.pid))[2].strip())
        on_terminal(skein, run)
        with Run(skein, 1, [program]) as other:
            status, _, error = top("--once")
            print("two runs:", error.replace(str(run.process.pid), "FIRST").replace(str(other.process.pid), "SECOND"), end="")
        watching = Terminal([skein, "top", str(run.process.pid), "-d", "0.2"])
        watching.expect("threads by function")
        run.process.send_signal(signal.SIGTERM)
        print("the run ends: status", watching.status())
    print("no such run:", top("999999999", "--once")[2], end="")
    print("no such folder:", top("/nowhere", "--once")[2], end="")


if __name__ == "__main__":
    main()

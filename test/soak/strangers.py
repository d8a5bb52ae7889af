#!/usr/bin/env python3
"""Another user of the host against runs with --transport tcp.

    strangers.py [--packets 1000000] [--runs 300] [--build build/dev]

First the transport alone, in the unit test: 1,000 crafted packets and so many random ones at a node that listens all the time, while
it talks to another one (--packets 0: not). Then whole runs: while each starts and goes on, three processes of user nobody send random
packets, beginnings of TLS and silence to whatever listens on the run's address. Every run must end with status 0 and its usual output,
and nobody may hear anything but a TLS alert. Not as root: as the same user.
"""
import argparse
import encodings.idna  # which socket wants, and nobody may not be able to read
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ADDRESS = f"127.{os.getpid() % 200 + 20}.{os.getpid() // 200 % 200}.77"  # nobody else's
HEX = "".join(f"{int(part):02X}" for part in reversed(ADDRESS.split(".")))
HELLO = bytes.fromhex("16030100c8010000c40303") + bytes(range(32)) + bytes.fromhex("00000213010100009900")


def listening():
    ports = []
    with open("/proc/net/tcp") as table:
        for line in table:
            fields = line.split()
            if len(fields) > 3 and fields[3] == "0A" and fields[1].startswith(HEX):
                ports.append(int(fields[1].split(":")[1], 16))
    return ports


def attack(seed, pipe):
    """For ever; a count of packets goes to the pipe when we are told to stop, -1 if somebody said something else than he may."""
    if os.getuid() == 0:
        os.setgid(65534)
        os.setuid(65534)
    draw = random.Random(seed)
    sent, over, held = 0, [], []
    signal.signal(signal.SIGTERM, lambda *_: over.append(1))
    while not over:
        for port in listening():
            for _ in range(20):
                kind = draw.randrange(4)
                packet = [draw.randbytes(draw.randrange(1, 300)), HELLO, HELLO[:draw.randrange(1, len(HELLO))], b""][kind]
                try:
                    with socket.create_connection((ADDRESS, port), timeout=1) as stranger:
                        stranger.sendall(packet)
                        sent += 1
                        stranger.settimeout(0.002)
                        heard = stranger.recv(100)
                        if heard and heard[0] != 0x15:
                            sent, over = -1, [1]
                except OSError:
                    pass
    os.write(pipe, f"{sent}\n".encode())
    os._exit(0)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--packets", type=int, default=1000000)
    arguments.add_argument("--runs", type=int, default=300)
    arguments.add_argument("--build", default=os.path.join(ROOT, "build", "dev"))
    chosen = arguments.parse_args()
    if chosen.packets:
        subprocess.run([os.path.join(chosen.build, "test/unit/test-tcp"), "--gtest_filter=Attack.*"], check=True,
                       env={**os.environ, "SKEIN_TCP_PACKETS": str(chosen.packets)})
    with tempfile.TemporaryDirectory() as scratch:
        program = os.path.join(scratch, "hello")
        subprocess.run([os.path.join(chosen.build, "bin/skeincc"), "-O2", os.path.join(ROOT, "examples/hello.c"), "-o", program],
                       check=True)
        ends = os.pipe()
        attackers = []
        for seed in range(3):
            child = os.fork()
            if child == 0:
                try:
                    attack(seed, ends[1])
                finally:
                    os._exit(1)
            attackers.append(child)
        bad = 0
        try:
            for run in range(chosen.runs):
                nodes = (2, 3, 5, 8)[run % 4]
                done = subprocess.run([os.path.join(chosen.build, "bin/skein"), "run", "-n", str(nodes), "--transport", "tcp", "--timeout",
                                       "60", program], capture_output=True, text=True,
                                      env={**os.environ, "SKEIN_OPTIONS": f"tcp_listen={ADDRESS}"})
                lines = done.stdout.splitlines()
                odd = [line for line in done.stderr.splitlines() if "a connection from outside was refused" not in line]
                if done.returncode or odd or len(lines) != 2 * nodes or any(not line.startswith("node ") for line in lines):
                    bad += 1
                    print(f"run {run} of {nodes} nodes: status {done.returncode}\n{done.stdout}{done.stderr}")
        finally:
            for attacker in attackers:
                os.kill(attacker, signal.SIGTERM)
            for attacker in attackers:
                os.waitpid(attacker, 0)
    os.close(ends[1])
    counts = [int(count) for count in os.read(ends[0], 1000).split()]
    print(f"{chosen.runs} runs, {bad} bad; {sum(counts)} packets sent while they started")
    if len(counts) < 3:
        sys.exit("an attacker has failed")
    if min(counts) < 0 or sum(counts) == 0:
        sys.exit("a stranger was answered" if min(counts) < 0 else "nobody was seen to listen: this looks at the wrong place")
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()

"""hosts_trace.py skein program folder: a trace of nodes on several hosts that share its folder, or do not."""
import os
import signal
import subprocess
import sys
import time

skein, program, folder = sys.argv[1:]
inputs = os.path.dirname(os.path.abspath(__file__))


def recordings_of_agents():
    return {entry for entry in os.listdir("/tmp") if entry.startswith("skein-trace-")}


class Traced:
    def __init__(self, name, ssh, *arguments):
        print(f"-- {name}", flush=True)
        self.folder = f"{folder}/{name}"
        self.before = recordings_of_agents()
        os.makedirs(self.folder)
        self.run = subprocess.Popen([skein, "run", "--ssh", f"{inputs}/{ssh}", "--network", "127.0.0.0/8", "--hosts",
                                     "localhost:1,one:2,two:1", "--timeout", "60", "--trace", f"{self.folder}/run.pftrace",
                                     program, *arguments],
                                    env=dict(os.environ, HOSTS_OWN=self.folder), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                    text=True)

    def end(self):
        output, _ = self.run.communicate(timeout=90)
        print("status", self.run.returncode, output, flush=True)
        summary = subprocess.run([skein, "trace", f"{self.folder}/run.pftrace"], capture_output=True, text=True)
        print(summary.stdout, summary.stderr, flush=True)
        end = time.monotonic() + 5
        while (left := recordings_of_agents() - self.before) and time.monotonic() < end:
            time.sleep(0.05)
        print("left behind:", sorted(os.listdir(self.folder)), sorted(left), flush=True)


def agents(of):
    """Those of a run, which it carries to other hosts by a command."""
    found, parents = [], {of.pid}
    for _ in range(4):
        for name in os.listdir("/proc"):
            try:
                with open(f"/proc/{name}/stat") as stat, open(f"/proc/{name}/cmdline") as words:
                    if int(stat.read().rsplit(")", 1)[1].split()[1]) in parents:
                        parents.add(int(name))
                        if words.read().split("\0")[1:2] == ["agent"]:
                            found.append(int(name))
            except (OSError, ValueError, IndexError):
                pass
    return set(found)


Traced("shared", "ssh_here.sh").end()
Traced("own", "ssh_elsewhere.sh").end()
killed = Traced("killed", "ssh_elsewhere.sh", "for long")
deadline = time.monotonic() + 20
while len(recordings_of_agents() - killed.before) < 2 and time.monotonic() < deadline:
    time.sleep(0.05)
time.sleep(0.5)
for agent in agents(killed.run):
    os.kill(agent, signal.SIGKILL)
killed.end()

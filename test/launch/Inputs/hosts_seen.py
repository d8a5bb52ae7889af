"""hosts_seen.py skein program: what can be seen of a run on several hosts, all of them this one (ssh_here.sh)."""
import json
import os
import signal
import subprocess
import sys
import time

skein, program = sys.argv[1:]
ssh = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ssh_here.sh")
run = subprocess.Popen([skein, "run", "--ssh", ssh, "--network", "127.0.0.0/8", "--hosts", "localhost:1,one:1,two:2",
                        "--timeout", "60", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(*words):
    return subprocess.run([skein, *words], capture_output=True, text=True)


try:
    run.stdout.readline()  # the nodes compute
    for _ in range(100):
        status = ask("status", "--json", str(run.pid))
        nodes = [json.loads(line) for line in status.stdout.splitlines()]
        if status.returncode == 0 and len(nodes) == 4:
            break
        time.sleep(0.1)
    print("status", status.returncode, [(node["node"], node.get("host"), node["state"]) for node in nodes], flush=True)
    print(ask("status", str(run.pid)).stdout.splitlines()[1])
    print(ask("top", "--once", "--interval", "0.2", str(run.pid)).stdout, flush=True)
    print(ask("node", "list", "--run", str(run.pid)).stdout, flush=True)
    victim = next(node["process"] for node in nodes if node.get("host") == "one")
    os.kill(victim, signal.SIGSTOP)
    while open(f"/proc/{victim}/stat").read().rsplit(")", 1)[1].split()[0] != "T":
        time.sleep(0.01)
    stopped = ask("status", "--json", str(run.pid))
    print("stopped", stopped.returncode, [json.loads(line)["state"] for line in stopped.stdout.splitlines()][1], flush=True)
    os.kill(victim, signal.SIGCONT)
    run.communicate("go on\n", timeout=30)
    print("the run:", run.returncode)
finally:
    run.kill()

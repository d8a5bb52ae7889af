"""instructions_a_thread.py PROGRAM FEW MANY: runs PROGRAM with one worker and FEW, 2 * FEW and MANY threads, and demands
that each of many costs at most a quarter more instructions than each of few. Counted by valgrind."""
import re
import subprocess
import sys

program, few, many = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])


def instructions(threads):
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", program, str(threads)]
    run = subprocess.run(command, stderr=subprocess.PIPE, text=True, env={"SKEIN_OPTIONS": "workers=1", "PATH": "/usr/bin:/bin"})
    count = re.search(r"I\s+refs:\s+([0-9,]+)", run.stderr)
    if run.returncode or not count:
        sys.exit(f"{' '.join(command)}: status {run.returncode}\n{run.stderr}")
    return int(count[1].replace(",", ""))


base = instructions(few)
of_few = (instructions(2 * few) - base) / few
of_many = (instructions(many) - base) / (many - few)
print(f"instructions a thread: {of_few:.0f} of {few} more, {of_many:.0f} of {many - few} more")
sys.exit(of_many > 1.25 * of_few)

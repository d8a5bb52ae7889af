"""best_of.py N text command…: runs a command up to N times, until its output contains the text; every run must end well."""
import subprocess
import sys

for attempt in range(int(sys.argv[1])):
    run = subprocess.run(sys.argv[3:], stdout=subprocess.PIPE, text=True)
    print(run.stdout, end="")
    if run.returncode != 0:
        sys.exit(f"status {run.returncode}")
    if sys.argv[2] in run.stdout:
        sys.exit(0)
sys.exit(f"'{sys.argv[2]}' was never said")

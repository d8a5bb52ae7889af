"""status.py N command…: runs a command and demands that it ends with status N."""
import subprocess
import sys

status = subprocess.run(sys.argv[2:]).returncode
if status != int(sys.argv[1]):
    sys.exit(f"status {status}, not {sys.argv[1]}: {' '.join(sys.argv[2:])}")

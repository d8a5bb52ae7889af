"""reader_leaves.py skein program: `skein run program writes | head -1` says nothing about SIGPIPE, with and without --prefix."""
import subprocess
import sys

skein, program = sys.argv[1:]
for options in [], ["--prefix"]:
    with subprocess.Popen([skein, "run", "-n", "3", *options, program, "writes"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as run:
        run.stdout.readline()
        run.stdout.close()
        said = run.stderr.read()
        status = run.wait(timeout=10)
    if said or status != 141:
        sys.exit(f"{options}: status {status}, and it says: {said}")

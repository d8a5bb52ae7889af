"""ends_at_once.py RUN... : the program's ways to end at once, some times each, on 2 and 4 nodes over both transports; the
command is RUN, then the options of `skein run`, then PROGRAM, the last word of RUN."""
import subprocess
import sys

*run, program = sys.argv[1:]
for turn in range(6):
    for nodes in "2", "4":
        for transport in "shm", "tcp":
            for how in "exit", "far-exit", "return":
                command = [*run, "-n", nodes, "--transport", transport, "--timeout", "20", program, how]
                done = subprocess.run(command, capture_output=True, text=True)
                more = [line for line in (done.stdout + done.stderr).splitlines()
                        if not line.endswith("ended the run with status 7")]
                if done.returncode != 7 or more:
                    sys.exit(f"turn {turn}: {' '.join(command)}: status {done.returncode}\n" + "\n".join(more))

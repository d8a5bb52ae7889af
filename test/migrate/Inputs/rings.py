"""rings.py LOG PERCENT MOVES: reads what `rings` prints, and the policy's log. At most so many percent of the last messages
may have gone between nodes, and at most so many threads may have been moved in the whole run."""
import re
import sys

text = sys.stdin.read()  # to its end, which is that of the run; then the log is whole
log, percent, most = open(sys.argv[1]).read(), float(sys.argv[2]), int(sys.argv[3])
print(text, end="")
share = re.search(r"in the end ([\d.]+) % of the messages go between nodes", text)
if not share:
    sys.exit("the program did not end well")
pushed = sum(int(n) for row in re.findall(r"pushed threads: (.*)", log) for n in re.findall(r"(\d+) to \d+", row))
print(f"{pushed} threads were pushed")
if float(share[1]) > percent:
    print(f"more than {percent:g} % of the messages go between nodes")
    sys.exit(1)
if not pushed or pushed > most:
    sys.exit(f"at least one thread should have moved, and at most {most}")

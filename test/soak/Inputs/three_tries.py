"""Three tries that are over at once, or that `end` in the middle of the second one, by a signal of their own or by their time limit:

    three_tries.py all|fails|SIGTERM|SIGINT|limit
"""
import os
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tries import Tries  # noqa: E402

how, done = sys.argv[1], 0
Tries.every_s = 0
with Tries("three", lambda: f"{done} done", 0.01 if how == "limit" else 10) as tries:
    while tries.tries < 3:
        try:
            if done == 1 and how.startswith("SIG"):
                os.kill(os.getpid(), signal.Signals[how])
            if done == 1 and how == "limit":
                time.sleep(10)
        finally:
            print(f"{done} is cleared away", flush=True)
        done += 1
        tries.one_more(failed=how == "fails" and done == 2)
sys.exit(tries.status)

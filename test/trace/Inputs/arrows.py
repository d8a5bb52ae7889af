"""Checks that each thread arrives after it has left, as CSV says it. Half a microsecond is allowed for what a clock and
its comparison may err by, where a move takes two and more."""
import csv
import re
import sys

left, moves = {}, 0
for row in csv.DictReader(sys.stdin):
    if row["event"] in ("departs", "arrives"):
        key = row["thread"], re.search(r"hop=(\d+)", row["words"])[1]
        left.setdefault(key, {})[row["event"]] = int(row["ns"])
for key, times in left.items():
    assert len(times) == 2, f"thread {key[0]} is lost in its move {key[1]}"
    assert times["arrives"] - times["departs"] > -500, f"thread {key[0]} arrives before it left: {times}"
    assert times["arrives"] - times["departs"] < 1e9, f"a move took a second: {times}"
    moves += 1
print(moves, "moves, of which none arrives before it began")

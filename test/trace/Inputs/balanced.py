"""Reads events as CSV and checks that those of each thread fit together: it is created once, ends once and last, is in a
queue before it leaves one, and after it has departed it arrives or stays."""
import collections
import csv
import sys

events = collections.defaultdict(list)
for row in csv.DictReader(sys.stdin):
    if row["class"] in ("scheduling", "ready", "moves") and row["thread"] != "0":
        events[row["thread"]].append(row["event"])


def wrong(sequence, thread):
    if sequence.count("created") != (thread != "1") or sequence.count("ends") != 1 or sequence[-1] != "ends":
        return "it is not created once, or does not end once and last"
    queue = [event for event in sequence if event in ("queued", "unqueued")]
    if queue != ["queued", "unqueued"] * (len(queue) // 2):
        return "it leaves a queue in which it is not, or is in two"
    moves = [event for event in sequence if event in ("departs", "arrives", "stays")]
    for first, then in zip(moves, moves[1:] + ["departs"]):
        if (first == "departs") == (then == "departs"):
            return "it departs and is nowhere, or arrives without having left"
    if "runs" not in sequence:
        return "it never runs"
    return ""


for thread, sequence in events.items():
    if why := wrong(sequence, thread):
        sys.exit(f"thread {thread}: {why}: {' '.join(sequence)}")
print(f"{len(events)} threads, each from its beginning to its end")

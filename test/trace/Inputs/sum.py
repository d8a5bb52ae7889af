"""Checks that the events of lost.c, as CSV, and those that are said to be missing make up the whole."""
import csv
import re
import sys

with open(sys.argv[1]) as said:
    missing = sum(int(number) for number in re.findall(r"(\d+) events are missing", said.read()))
numbers = [int(re.search(r"value=(\d+)", row["words"])[1]) for row in csv.DictReader(sys.stdin) if row["event"] == "mark"]
assert numbers == sorted(set(numbers)), "an event is there twice, or out of order"
print(len(numbers) + missing, "events,", "some" if missing else "none", "of them missing, in order")

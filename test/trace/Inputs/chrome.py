"""Reads Chrome's trace event format and checks that intervals nest on each row, and that each arrow has both ends."""
import collections
import json
import sys

rows, arrows, names, begins = collections.Counter(), collections.Counter(), [], 0
for event in json.load(sys.stdin)["traceEvents"]:
    row = event["pid"], event["tid"]
    if event["ph"] == "M":
        names += [event["args"]["name"]] if event["name"] == "process_name" else []
    elif event["ph"] in "BE":
        rows[row] += 1 if event["ph"] == "B" else -1
        begins += event["ph"] == "B"
        assert rows[row] >= 0, f"an interval ends on {row} that did not begin"
    elif event["ph"] in "sf":
        arrows[event["id"]] += 1 if event["ph"] == "s" else -1
assert not any(rows.values()), "an interval does not end"
assert not any(arrows.values()), "an arrow has one end"
print(f"{begins} begins, as many ends; processes: {', '.join(sorted(names))}")

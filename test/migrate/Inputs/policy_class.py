#!/usr/bin/env python3
"""What a balancing policy did, as its nodes report it (policy_report=on), shows its class: policy_class.py CLASS NAME < REPORT

    initiative   senders push and nobody steals; receivers steal and nobody pushes. Bidders ask by telling, and are pushed to
    decision     on local knowledge (LD): nobody is told anything, except that who asked in vain is told when it may try again;
                 on global knowledge (GD): whoever gets threads has told the others
    migration    among neighbours of the ring (LM), or beyond (GM)

CLASS is as in skein/policy.h, such as "LDGM, sender"; the report must claim it, and what was done must be of it and of no other.
"""
import re
import sys


def numbers(text):
    """{node: number} of what the report lists: '6 of 5 asked from 0' (with the second number), '3 to 2', 'none'."""
    return {int(node): int(count) for count, node in re.findall(r"(\d+)(?: asked from| to) (\d+)", text)}


def moved(text):
    return {int(node) for count, node in re.findall(r"(\d+)(?: of \d+ asked from| to) (\d+)", text) if count != "0"}


def shown(report, claimed):
    """The classes that the nodes' deeds allow."""
    pushed, stolen, asked, told = {}, {}, {}, {}
    for node, what, rest in re.findall(r"node (\d+): (pushed|stole) threads: (.*)", report):
        (pushed if what == "pushed" else stolen)[int(node)] = moved(rest)
        if what == "stole":
            asked[int(node)] = numbers(rest)
    for node, times in re.findall(r"node (\d+): told the others (\d+) times", report):
        told[int(node)] = int(times)
    nodes = sorted(told)
    if not nodes or sorted(pushed) != nodes or sorted(stolen) != nodes:
        return f"no full report of {nodes}"
    ways = {(node, to) for node in nodes for to in pushed[node]} | {(source, node) for node in nodes for source in stolen[node]}
    far = any(min((a - b) % len(nodes), (b - a) % len(nodes)) > 1 for a, b in ways)
    thieves, senders = any(asked.values()), any(pushed.values())
    receivers = {to for _, to in ways}
    if thieves == senders:
        return f"{'both' if senders else 'neither'} pushed and stole"
    if thieves:
        knows = any(told[node] > sum(asked[thief].get(node, 0) for thief in nodes) for node in nodes)
        initiative = "receiver"
    else:
        knows = any(told.values())
        initiative = claimed.rpartition(" ")[2] if knows else "sender"  # who tells that it is low may call it a bid
    if knows and not all(told[node] for node in receivers):
        return f"nodes {sorted(node for node in receivers if not told[node])} got threads and told nothing"
    return f"{'GD' if knows else 'LD'}{'GM' if far else 'LM'}, {initiative}"


def main():
    wanted, name = sys.argv[1:]
    report = sys.stdin.read()
    print(report, end="")
    right = report.count(f"policy {name} ({wanted}): ")
    if not right or "it was worth it\n" not in report:
        sys.exit(f"this is no report of {name} ({wanted}) that was worth it")
    found = shown(report, wanted)
    if found != wanted:
        sys.exit(f"{name} is said to be {wanted}; what it did is: {found}")


if __name__ == "__main__":
    main()

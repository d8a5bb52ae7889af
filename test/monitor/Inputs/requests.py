#!/usr/bin/env python3
"""Asks the monitors of a run directly, and badly.

    requests.py SKEIN PROGRAM
"""
import contextlib
import socket
import sys

from monitored import Run


def functions_of(run, node):
    return {group["function"]: group for group in run.ask(node, "threads 0")["functions"]}


def push(run):
    """A ready thread and a waiting one are sent elsewhere by their ids."""
    for function, state in (("computes", "ready"), ("waits", "blocked")):
        there = len([1 for thread in run.ask(2, "threads")["threads"] if thread["function"] == function])
        answer = {}
        while "ok" not in answer or answer.get("error", "").endswith("is running"):  # it became so meanwhile
            one = next(thread for thread in run.ask(1, "threads")["threads"]
                       if (thread["function"], thread["state"]) == (function, state))
            answer = run.ask(1, f"push {one['id']} 2")
        assert answer == {"ok": True}, answer
        run.until("the thread arrives", lambda: any(
            thread["id"] == one["id"] and thread["moves"] == one["moves"] + 1 for thread in run.ask(2, "threads")["threads"]))
        now = len([1 for thread in run.ask(2, "threads")["threads"] if thread["function"] == function])
        assert now == there + 1, (there, now)
        print(f"a thread that is {state} was pushed")
    figures = run.ask(1, "figures 0")
    assert [(move["function"], move["to"]) for move in figures["moves"]] == [("computes", 2), ("waits", 2)], figures
    assert [link["threads"] for link in figures["links"]] == [0, 2], figures
    assert run.ask(1, "figures 1")["moves"][0]["function"] == "waits"
    assert run.ask(1, "figures")["moves"] == []


def errors(run):
    for request in ("push", "push 1", "push 1 9", "push 1 0", "push 77777 2", "push x y", "balancing maybe", "policy", "fly", "", "push 1 2 3"):
        answer = run.ask(0, request)
        assert answer["ok"] is False and answer["error"], (request, answer)
        print(f"'{request}': {answer['error']}")


def policies(run):
    """Another policy is put in force in the whole run, and each time it begins anew."""
    print(run.ask(0, "policy best")["error"])
    names = "gradient bidding neighbour testbed follow local_random global_random random none".split()
    for name in 2 * names:
        assert run.ask(len(name) % 3, f"policy {name}") == {"ok": True}
        run.until(f"all nodes have {name}", lambda name=name: all(run.ask(node, "figures")["policy"] == name for node in range(3)))

    def push_all():
        for thread in run.ask(1, "threads")["threads"]:
            if thread["function"] == "computes":
                run.ask(1, f"push {thread['id']} 2")
        return functions_of(run, 1).get("computes") is None

    run.until("node 1 has nothing to do", push_all)
    before = run.ask(1, "figures")["threads_stolen"]
    assert run.ask(2, "policy random") == {"ok": True}
    run.until("node 1 steals", lambda: run.ask(1, "figures")["threads_stolen"] > before)
    print("nothing moved without a policy, and threads are stolen with the next one")


def hostile(run):
    """The run goes on, and answers others."""
    crowd = []
    try:
        for _ in range(60):  # more than are served
            crowd.append(run.connect(0))
    except BlockingIOError:
        pass  # more than can wait
    for connection in crowd:
        connection.close()
    run.until("there is room again", lambda: run.answers(0))
    with run.connect(0) as connection, contextlib.suppress(ConnectionResetError):
        connection.sendall(b"x" * 5000)
        assert connection.recv(1) == b"", "a request without an end is answered"
    with run.connect(0) as connection:
        connection.sendall(b"fig\0ures\nfigures\n")
        answers = connection.makefile()
        assert "no such request" in answers.readline() and '"node":0' in answers.readline()
    with run.connect(0) as reader:  # which does not read
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        reader.settimeout(5)
        try:
            for _ in range(5000):
                reader.sendall(b"threads\nfigures 0\n")
        except OSError:
            pass  # it was hung up on
    run.until("it answers others again", lambda: run.answers(0))
    assert functions_of(run, 0)["computes"]["running"] == 1
    print("nobody was disturbed")


def main():
    skein, program = sys.argv[1:]
    with Run(skein, 3, [program]) as run:
        for node in range(3):
            run.until("all threads are there", lambda node=node: {
                name: group["waiting"] for name, group in functions_of(run, node).items() if name == "waits"} == {"waits": 3})
        push(run)
        errors(run)
        assert run.ask(2, "figures")["balancing"] is False
        assert run.ask(0, "balancing on") == {"ok": True}
        run.until("all nodes balance", lambda: all(run.ask(node, "figures")["balancing"] for node in range(3)))
        print("balancing was switched on everywhere")
        policies(run)
        hostile(run)
    assert run.folder() is None, "the folder is still there"
    with Run(skein, 1, [program]) as run:
        print(run.ask(0, "balancing on")["error"])
        print(run.ask(0, "figures")["threads_living"], "threads of one node")


if __name__ == "__main__":
    main()

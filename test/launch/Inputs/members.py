"""members.py skein folder scenario…: runs whose nodes are as_members.py, and what `skein node` says of them."""
import os
import shutil
import signal
import subprocess
import sys
import time

skein, folder, *scenarios = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))


class Run:
    def __init__(self, name, nodes, *words, options=(), knobs="", output=None):
        self.stage = os.path.join(folder, name)
        shutil.rmtree(self.stage, ignore_errors=True)
        os.makedirs(self.stage)
        print(f"-- {name}")
        self.process = subprocess.Popen([skein, "run", "-n", str(nodes), "--timeout", "50", *options, sys.executable,
                                         os.path.join(here, "as_members.py"), *words], text=True,
                                        env=dict(os.environ, STAGE=self.stage, SKEIN_OPTIONS=knobs), stdout=output or subprocess.PIPE,
                                        stderr=subprocess.PIPE if output else subprocess.STDOUT)
        self.wait_for("begin", *range(nodes))

    def heard(self, node):
        try:
            with open(f"{self.stage}/node-{node}") as file:
                return file.read().splitlines()
        except FileNotFoundError:
            return []

    def wait_for(self, words, *nodes, times=1):
        for _ in range(400):
            if all(sum(line.startswith(words) for line in self.heard(node)) >= times for node in nodes):
                return
            time.sleep(0.05)
        sys.exit(f"{words}: not heard by all of {nodes}")

    def command(self, *words):
        return [skein, "node", words[0], "--run", str(self.process.pid), *words[1:]]

    def ask(self, *words):
        done = subprocess.run(self.command(*words), capture_output=True, text=True)
        print(f"{' '.join(words)}: status {done.returncode}")
        for line in (done.stderr + done.stdout).splitlines():
            print("  " + line)

    def start_asking(self, *words):
        return subprocess.Popen(self.command(*words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def tell_what_was_heard(self, *nodes):
        for node in nodes:
            heard = self.heard(node)
            print(f"node {node} heard: " + ", ".join(line.strip() for line in heard if line.split()[0] in
                                                     "admit withdrawn begin died end leave drain part departed".split()))

    def kill(self, node, how=signal.SIGKILL):
        with open(f"{self.stage}/process-{node}") as file:
            os.kill(int(file.read()), how)

    def wants(self, nodes):
        with open(f"{self.stage}/wanted", "w") as file:
            file.write(str(nodes))
        os.rename(f"{self.stage}/wanted", f"{self.stage}/want")

    def finish(self):
        open(f"{self.stage}/end", "w").close()
        self.end()

    def end(self):
        text = "".join(part for part in self.process.communicate() if part)
        print(f"the run: status {self.process.returncode}")
        for line in text.splitlines():
            print("  " + line)


def comes():
    run = Run("comes", 2, options=["--max-nodes", "4"])
    run.ask("list")
    run.ask("add", "2")
    run.ask("list", "--json")
    run.ask("add", "1")
    run.wait_for("admit 3", 0, 1, 2)
    run.wait_for("begin", 3)
    run.tell_what_was_heard(0, 1, 2, 3)
    run.finish()


def alone():
    """A run that begins with one node, and that a signal ends."""
    run = Run("alone", 1, options=["--max-nodes", "2"])
    run.ask("add", "--json", "1")
    run.process.terminate()
    run.end()


def fixed():
    run = Run("fixed", 2)
    run.ask("add", "1")
    run.ask("add", "elsewhere:2")
    run.finish()


def does_not_come():
    """Nodes 2 to 4 do not come in three ways, node 5 does."""
    run = Run("does_not_come", 2, "dies=2", "silent=3", "tells=4", options=["--max-nodes", "6"], knobs="start_s=2")
    for _ in range(4):
        run.ask("add", "1")
    run.wait_for("admit 5", 0, 1)
    run.wait_for("begin", 5)
    run.tell_what_was_heard(0, 1, 5)
    run.ask("list")
    run.finish()


def is_not_wanted():
    """Who has asked has gone, or waits no longer, while a node is coming; then one is killed in the middle."""
    run = Run("is_not_wanted", 2, "shy=2", "shy=3", "shy=4", options=["--max-nodes", "5"])
    asking = run.start_asking("add", "2")
    run.wait_for("start", 2)
    asking.terminate()  # as ^C would
    asking.wait()
    run.wait_for("withdrawn 2", 0, 1)
    run.ask("add", "--timeout", "1", "1")
    run.wait_for("withdrawn 3", 0, 1)
    asking = run.start_asking("add", "1")
    run.wait_for("start", 4)
    run.kill(4)
    print(f"killed: status {asking.wait()}")
    run.finish()


def another_dies():
    """A founder dies while a node is coming: with deaths=survive it comes all the same, and knows."""
    run = Run("another_dies", 3, "slow=3", options=["--max-nodes", "4"], knobs="deaths=survive")
    asking = run.start_asking("add", "1")
    run.wait_for("start", 3)
    run.kill(1)
    run.wait_for("died 1", 3)
    print(f"comes: status {asking.wait()}")
    run.wait_for("admit 3", 0, 2)
    run.wait_for("begin", 3)
    run.tell_what_was_heard(0, 2, 3)
    run.finish()


def ends():
    """The run ends while a node is coming."""
    run = Run("ends", 2, "shy=2", options=["--max-nodes", "4"])
    asking = run.start_asking("add", "2")
    run.wait_for("start", 2)
    run.finish()
    print(f"add: status {asking.wait()}")
    run.ask("list")


def leave():
    """Two of four leave a run that cannot grow, one of them not well; others cannot."""
    run = Run("leave", 4, "fails=1")
    run.ask("drain", "3", "1")
    run.ask("list")
    run.ask("drain", "--json", "2")
    for refused in "0", "4", "3":
        run.ask("drain", refused)
    run.tell_what_was_heard(0, 1, 2, 3)
    run.finish()


def stay():
    """A node that something keeps is wanted in vain, twice; one that comes when another one has left hears of it."""
    run = Run("stay", 3, "keeps=1", options=["--max-nodes", "5"])
    run.ask("drain", "--timeout", "2", "1")
    asking = run.start_asking("drain", "1", "2")
    run.wait_for("has said what keeps it", 1, times=2)
    run.ask("list", "--json")
    run.ask("add", "--timeout", "2", "1")
    asking.terminate()
    asking.wait()
    run.wait_for("drain 1 0", 0, 1, 2, times=2)
    run.ask("drain", "2")
    run.ask("add", "1")
    run.wait_for("admit 3", 0, 1)
    run.wait_for("begin", 3)
    run.tell_what_was_heard(0, 1, 2, 3)
    asking = run.start_asking("drain", "1")
    run.wait_for("drain 1 1", 3)
    run.process.terminate()
    print(f"asking: status {asking.wait()}")
    run.end()


def die_leaving():
    """With deaths=survive: nodes die, are stopped, or do not end while they leave; so does another one."""
    run = Run("die_leaving", 6, "parts=1", "parts=2", "mute=3", "stays=4", "keeps=5", knobs="deaths=survive")
    for node, how in (1, signal.SIGKILL), (2, signal.SIGSTOP):
        asking = run.start_asking("drain", str(node))
        run.wait_for(f"part {node}", 0)
        run.kill(node, how)
        print(f"drain {node}: status {asking.wait()}")
    asking = run.start_asking("drain", "4")
    run.wait_for("departed 4", 3)
    run.kill(3)
    print(f"drain 4: status {asking.wait()}")
    asking = run.start_asking("drain", "5")
    run.wait_for("drain 5 1", 5)
    run.kill(5)
    print(f"drain 5: status {asking.wait()}")
    run.ask("list")
    run.tell_what_was_heard(0)
    run.finish()


def die():
    """With deaths=end the death of a node that leaves is the end of the run."""
    run = Run("die", 3, "parts=2")
    asking = run.start_asking("drain", "2")
    run.wait_for("part 2", 0)
    run.kill(2)
    print(f"drain: status {asking.wait()}")
    run.end()


def end_leaving():
    """The run ends while a node leaves, and does not wait for it."""
    run = Run("end_leaving", 3, "parts=2")
    asking = run.start_asking("drain", "2")
    run.wait_for("part 2", 0)
    run.finish()
    print(f"drain: status {asking.wait()}")


def wanted():
    """The program wants fewer nodes, more, and more than it can have."""
    run = Run("wanted", 3, options=["--max-nodes", "5"])
    run.wants(1)
    run.wait_for("departed 1", 0)
    run.wait_for("leave", 1, 2)
    run.wants(3)
    run.wait_for("admit 4", 0, 3)
    run.wait_for("begin", 4)
    for _ in range(2):
        run.wants(4)
        while os.path.exists(f"{run.stage}/want"):
            time.sleep(0.05)
    run.ask("list")
    run.tell_what_was_heard(0, 3, 4)
    run.finish()


if __name__ == "__main__":
    for scenario in scenarios:
        globals()[scenario]()

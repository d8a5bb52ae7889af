"""checkpoints.py skein folder scenario…: runs whose nodes are as_members.py and that make checkpoints, what `skein checkpoint`
and `skein restart` say, and what lies in the folder."""
import json
import os
import signal
import subprocess
import sys
import time

from members import Run, folder, scenarios, skein

HEARD = "welcome restored begin halt count cut go_on kept died drain end".split()


class Checkpointed(Run):
    """A run with checkpoints in the folder DIR of its stage."""

    def __init__(self, name, nodes, *words, options=(), knobs="", output=None):
        self.dir = os.path.join(folder, name, "DIR")
        super().__init__(name, nodes, *words, options=["--checkpoint", self.dir, *options], knobs=knobs, output=output)

    def checkpoint(self, *words):
        done = subprocess.run([skein, "checkpoint", str(self.process.pid), *words], capture_output=True, text=True)
        print(f"checkpoint: status {done.returncode}")
        for line in (done.stderr + done.stdout).splitlines():
            print("  " + line)

    def tell_heard(self, *nodes):
        for node in nodes:
            heard = [line.replace(self.dir, "DIR").strip() for line in self.heard(node)]
            print(f"node {node} heard: " + ", ".join(line for line in heard if line.split()[0] in HEARD))

    def tell_folder(self):
        for name in sorted(os.listdir(self.dir), key=lambda name: (len(name), name)):
            path = os.path.join(self.dir, name)
            print(f"DIR/{name}" + (": " + " ".join(sorted(os.listdir(path))) if os.path.isdir(path) else ""))

    def manifest(self, number):
        with open(f"{self.dir}/{number}/manifest.json") as file:
            return json.load(file)

    def wait_for_file(self, name):
        for _ in range(400):
            if os.path.exists(f"{self.dir}/{name}"):
                return
            time.sleep(0.05)
        sys.exit(f"{name}: is not there")

    def restart(self, *options, knobs="", output=subprocess.PIPE):
        self.process = subprocess.Popen([skein, "restart", self.dir, "--timeout", "50", *options], text=True,
                                        env=dict(os.environ, STAGE=self.stage, SKEIN_OPTIONS=knobs), stdout=output,
                                        stderr=subprocess.STDOUT if output == subprocess.PIPE else subprocess.PIPE)

    def finish_and_restart(self, *options, knobs=""):
        self.process.kill()
        self.process.wait()
        self.restart(*options, knobs=knobs)


def asked():
    """Checkpoints by command and by the program; the last two are kept."""
    run = Checkpointed("asked", 3, options=["--keep", "2"])
    run.checkpoint()
    run.checkpoint("--json")
    open(f"{run.stage}/wish", "w").close()
    run.wait_for_file("3")
    run.wait_for("kept 3", 0, 1, 2)
    run.tell_heard(0, 1)
    run.tell_folder()
    manifest = run.manifest(3)
    print("manifest:", *(manifest[key] for key in ("number", "numbers", "founders", "several_hosts")),
          *(node["state"] for node in manifest["nodes"]))
    run.finish()


def late_messages():
    """Nodes are cut only when nothing is under way."""
    run = Checkpointed("late_messages", 2, "busy=1")
    run.checkpoint()
    run.tell_heard(1)
    run.finish()


def every():
    run = Checkpointed("every", 2, options=["--every", "1s"])
    run.wait_for_file("3")
    run.tell_folder()
    run.finish()


def given_up():
    """Checkpoints that cannot be made change nothing."""
    for word, options in (("runs=1", ["--checkpoint-patience", "1"]), ("uncopied=1", []), ("unwritten=1", []),
                          ("never_copies=1", ["--checkpoint-patience", "1"])):
        run = Checkpointed("given_up_" + word[:-2], 2, word, options=options)
        run.checkpoint()
        run.wait_for("kept 1", 0)
        run.tell_heard(0)
        run.tell_folder()
        run.finish()


def restart():
    """From the last checkpoint, and from an earlier one."""
    run = Checkpointed("restart", 3)
    run.checkpoint()
    run.checkpoint()
    run.wait_for("kept 2", 0, 1, 2)
    run.finish_and_restart()
    run.wait_for("begin", 0, 1, 2, times=2)
    run.checkpoint()
    run.wait_for("kept 3", 0, 1, 2)
    run.tell_heard(0, 2)
    run.finish()
    run.restart("--number", "2")
    run.wait_for("begin", 0, 1, 2, times=3)
    run.tell_folder()
    run.finish()


def tell_output(path, numbers):
    """Whether it is what a run without deaths writes: of each node, as many lines as `numbers` says, in their order."""
    with open(path) as file:
        lines = file.read().splitlines()
    whole = len(lines) == sum(numbers.values()) and all(
        [line for line in lines if line.startswith(f"node {node}:")] == [f"node {node}: {i}" for i in range(1, last + 1)]
        for node, last in numbers.items())
    print("output:", "whole and once" if whole else lines)


class Recovering(Checkpointed):
    """A run with deaths=recover. Nodes print numbers, and node 0 ends the run behind its last."""

    def __init__(self, name, *words, numbers=60, options=(), nodes=2, knobs="start_s=60"):
        self.numbers = numbers
        self.path = os.path.join(folder, name + ".out")
        os.makedirs(folder, exist_ok=True)
        with open(self.path, "w") as output:
            super().__init__(name, nodes, f"counts=0:{numbers}", *words, options=options, knobs="deaths=recover," + knobs,
                             output=output)

    def end(self):
        super().end()
        tell_output(self.path, {0: self.numbers})


def recover():
    """Nodes are killed, before the first checkpoint and after it; the last is node 0."""
    run = Recovering("recover")
    time.sleep(0.3)
    run.kill(1)
    run.wait_for("begin", 0, 1, times=2)
    time.sleep(0.3)
    run.checkpoint()
    time.sleep(0.3)
    run.kill(1)
    run.wait_for("begin", 0, 1, times=3)
    time.sleep(0.3)
    run.kill(0)
    run.end()


def recover_at():
    """A node kills itself at each step of a checkpoint; or when it begins, before there is one."""
    for what in "begin:1 halt:1 count:0 cut:1 go_on:0 kept:1 end:1".split():
        kind, node = what.split(":")
        run = Recovering("recover_at_" + kind, f"dies_at={what}", options=["--every", "1s"], numbers=70)
        run.end()


def recover_stops():
    """A run that always dies is given up; one that is asked to end does not go back."""
    run = Recovering("recover_stops", "dies_always=begin:1", options=["--recoveries", "2"], numbers=0)
    run.end()
    run = Recovering("recover_asked_to_end", numbers=10000)
    time.sleep(0.3)
    run.checkpoint()
    run.process.terminate()
    Run.end(run)


def recover_again():
    """Nodes that are made of a checkpoint fail before the run has begun again, each in another way; and one always does."""
    for name, *words in ("falls_and_hangs", "falls=1:2", "hangs=1:1"), ("stops", "stops=0:1"):
        run = Recovering("recover_when_it_" + name, *words, knobs="start_s=2")
        run.checkpoint()
        run.kill(1)
        run.end()
    run = Recovering("recover_in_vain", "hangs=1:9", options=["--recoveries", "2"], knobs="start_s=1", numbers=0)
    run.checkpoint()
    run.kill(1)
    run.end()


def restart_again():
    """The same in a restart, also without deaths=recover; and then it goes on as any run does."""
    run = Checkpointed("restart_again", 2, "falls=1:1", "hangs=1:1")
    run.checkpoint()
    run.finish_and_restart(knobs="start_s=2")
    run.wait_for("begin", 0, 1, times=2)
    run.kill(1)
    run.end()
    run = Checkpointed("restart_in_vain", 2, "hangs=0:9", options=["--recoveries", "1"])
    run.checkpoint()
    run.finish_and_restart(knobs="start_s=1")
    run.end()


def launcher_dies():
    """The launcher is killed, and the run restarted by hand, with its output appended to the same file."""
    run = Recovering("launcher_dies", options=["--every", "1s"], numbers=100)
    for _ in range(2):
        time.sleep(1.4)
        run.process.kill()
        run.process.wait()
        with open(run.path, "a") as output:
            output.write("this was written by somebody else meanwhile\n")
        with open(run.path, "a") as output:
            run.restart(knobs="deaths=recover", output=output)
    run.end()


def not_held():
    """Without deaths=recover output is given out at once, and a restart cuts it where the checkpoint was."""
    name = "not_held"
    path = os.path.join(folder, name + ".out")
    os.makedirs(folder, exist_ok=True)
    with open(path, "w") as output:
        run = Checkpointed(name, 2, "counts=0:80", "counts=1:20", output=output)
    time.sleep(0.8)
    run.checkpoint()
    time.sleep(0.4)
    run.process.kill()
    run.process.wait()
    with open(path, "a") as output:
        run.restart(output=output)
    run.end()
    tell_output(path, {0: 80, 1: 20})


def other_number():
    """A run is restarted with fewer nodes, and with more; then those that have left are no nodes any more."""
    run = Checkpointed("other_number", 3, options=["--max-nodes", "5"])
    run.checkpoint()
    run.finish_and_restart("-n", "2")
    run.wait_for("departed 2", 0, 1)
    run.wait_for("leave", 2)
    run.ask("list")
    run.checkpoint()
    print("manifest:", *(node["state"] for node in run.manifest(2)["nodes"]))
    run.finish_and_restart("-n", "3")
    run.wait_for("admit 3", 0, 1)
    run.wait_for("begin", 3)
    run.ask("list")
    print("node 3 heard:", *(line.split()[0] + " " + line.split()[1] for line in run.heard(3)))
    run.finish()
    run.restart("-n", "6")
    run.end()


def changes_wait():
    """A checkpoint waits for a node that leaves, and a node that is to come waits for a checkpoint."""
    run = Checkpointed("changes_wait", 3, "keeps=2", "slow_copy=1", options=["--max-nodes", "4"])
    draining = run.start_asking("drain", "2")
    run.wait_for("drain 2 1", 0, 1, 2)
    asking = subprocess.Popen([skein, "checkpoint", str(run.process.pid)], stderr=subprocess.PIPE, text=True)
    print(asking.stderr.readline().strip())
    draining.terminate()
    run.wait_for("cut 1", 0)
    run.ask("add", "1")
    print(f"checkpoint: status {asking.wait()}")
    run.tell_what_was_heard(0)
    run.finish()


def survive():
    """With deaths=survive the checkpoint that a death interrupts is given up, and the next one is without that node."""
    run = Checkpointed("survive", 3, "dies_at=cut:1", knobs="deaths=survive")
    run.checkpoint()
    run.checkpoint()
    run.wait_for("kept 2", 0)
    run.tell_heard(0)
    print("manifest:", *(node["state"] for node in run.manifest(2)["nodes"]))
    run.finish_and_restart()
    run.wait_for("begin", 0, 2, times=2)
    run.finish()


def refused():
    run = Checkpointed("refused", 2)
    run.checkpoint()

    def attempt(*command, **variables):
        done = subprocess.run([skein, *command], capture_output=True, text=True, env=dict(os.environ, STAGE=run.stage, **variables))
        print(f"status {done.returncode}: {done.stderr.splitlines()[0].replace(run.dir, 'DIR')}")

    attempt("run", "-n", "1", "--checkpoint", run.dir, "/bin/true")
    attempt("restart", run.dir)
    run.finish()
    attempt("run", "-n", "1", "--checkpoint", run.dir, "/bin/true")
    attempt("run", "-n", "2", "--checkpoint", run.dir, "--transport", "ucx:posix", "/bin/true")
    attempt("run", "-n", "2", "--every", "1s", "/bin/true")
    attempt("run", "-n", "2", "/bin/true", SKEIN_OPTIONS="deaths=recover")
    attempt("run", "-n", "2", "--checkpoint", run.dir + "/no/such", "/bin/true")
    attempt("restart", run.dir, "--number", "7")
    attempt("restart", run.dir + "/1")
    attempt("restart", run.dir, "-n", "3")
    attempt("restart", run.dir, "--hosts", "elsewhere:2")
    for key, value in (("skein", "0.1"), ("build_id", "1234"), ("kernel", "2.4"), ("processor", "x87"), ("format", 3), ("nodes", [])):
        manifest = run.manifest(1)
        manifest[key] = value
        with open(f"{run.dir}/1/manifest.json") as file:
            before = file.read()
        with open(f"{run.dir}/1/manifest.json", "w") as file:
            json.dump(manifest, file)
        attempt("restart", run.dir)
        with open(f"{run.dir}/1/manifest.json", "w") as file:
            file.write(before)
    os.makedirs(f"{run.dir}/5.part")
    run.restart()
    run.wait_for("begin", 0, 1, times=2)
    run.tell_folder()
    run.checkpoint()
    run.finish()
    run = Run("without", 2)
    done = subprocess.run([skein, "checkpoint", str(run.process.pid)], capture_output=True, text=True)
    print(f"status {done.returncode}: {done.stderr.strip()}")
    open(f"{run.stage}/wish", "w").close()
    run.wait_for("kept 0 1", 0)
    print(run.heard(0)[-1])
    run.finish()


def not_removed():
    """Nothing is removed while it cannot be found out which files the last checkpoint needs."""
    run = Checkpointed("not_removed", 2, "damaged=1", options=["--keep", "1"])
    run.checkpoint()
    run.checkpoint()
    run.tell_folder()
    run.finish()


def broken():
    """A node that cannot be restored ends the restart, and says why."""
    run = Checkpointed("broken", 2, "broken=1")
    run.checkpoint()
    run.finish_and_restart()
    run.end()


for scenario in scenarios:
    globals()[scenario]()

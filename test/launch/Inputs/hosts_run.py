#!/usr/bin/env python3
"""On host a of hosts.py: what `skein run --hosts` promises.

    hosts_run.py BUILD WAITS PART…     WAITS is a program whose nodes compute until they are ended"""
import glob
import os
import random
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time

BUILD, WAITS = sys.argv[1:3]
SKEIN, EXAMPLES = BUILD + "/bin/skein", BUILD + "/examples"
SSH = os.environ["HOSTS_SSH"]
THREE = ["--hosts", "localhost:1,b:1,c:1"]


def run(*arguments, ssh=SSH, limit=60, **more):
    return subprocess.run([SKEIN, "run", "--ssh", ssh, "--timeout", str(limit), *arguments], capture_output=True, text=True,
                          timeout=90, **more)


def check(true, what, result=None):
    if not true:
        text = f": status {result.returncode}\n{result.stdout}{result.stderr}" if result else ""
        sys.exit(f"not so: {what}{text}")
    print("so:", what, flush=True)


def left():
    """Processes of the program. All of the hosts share a namespace of their own, so there are no others; those that wait
    for a parent which does not ask for their status have ended."""
    found = subprocess.run(["pgrep", "-x", "-r", "R,S,D,T,t", os.path.basename(WAITS)[:15]], capture_output=True, text=True)
    return found.stdout.split()


def kill_an_agent():
    """Not its keeper, which has the same command line."""
    for name in os.listdir("/proc"):
        try:
            if (open(f"/proc/{name}/comm").read() == "skein\n" and
                    open(f"/proc/{name}/cmdline").read().split("\0")[1:2] == ["agent"]):
                os.kill(int(name), signal.SIGKILL)
                return
        except (OSError, ValueError):
            pass
    sys.exit("no agent was found")


def gone_within(seconds):
    end = time.monotonic() + seconds
    while left() and time.monotonic() < end:
        time.sleep(0.05)
    return not left()


def started(*arguments, env=None, program=(WAITS,), meanwhile=lambda: None):
    child = subprocess.Popen([SKEIN, "run", "--ssh", SSH, *arguments, *program], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, env=dict(os.environ, **(env or {})),
                             preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) # the caller may ignore it
    meanwhile()
    for line in child.stdout:
        if "begun" in line:
            return child
    sys.exit("the run did not begin: " + child.stderr.read())


def ended(child, seconds):
    out, err = child.communicate(timeout=seconds)
    return subprocess.CompletedProcess([], child.returncode, out, err)


def link(name, state):
    subprocess.run(["ip", "netns", "exec", name, "ip", "link", "set", "eth0", state], check=True)


def same_results():
    one = run("-n", "3", "--transport", "tcp", EXAMPLES + "/pagerank", "2000", "10")
    for hosts in (THREE, ["--hosts", "b:2,c:1"], ["--hosts", "b:2,localhost:3", "-n", "3"]):
        result = run(*hosts, EXAMPLES + "/pagerank", "2000", "10")
        check(result.returncode == 0 and re.findall("hash .*", result.stdout) == re.findall("hash .*", one.stdout) != [],
              f"{' '.join(hosts)}: the same result as on one host", result)
    result = run(*THREE, EXAMPLES + "/hello")
    check(all(f"node {node}: " in result.stdout for node in range(3)), "a thread visits all hosts", result)


def files_and_output():
    folder = os.getcwd()
    with open(folder + "/hosts", "w") as file:
        file.write("# three hosts\nlocalhost slots=2\nb:1 # the second\nc\n")
    result = run("--hostfile", folder + "/hosts", "--prefix", "sh", "-c", "echo out; echo err >&2; hostname", cwd=folder)
    check(sorted(result.stdout.split("\n")) == sorted(["[0] out", "[0] a", "[1] out", "[1] a", "[2] out", "[2] b",
          "[3] out", "[3] c", ""]) and result.stderr.count("] err") == 4, "nodes are where the file says", result)
    result = run(*THREE, "sh", "-c", "exit 4")
    check(result.returncode == 4, "the exit status of a node is that of the run", result)
    os.environ["COLOUR"] = "red"
    result = run(*THREE, "--env", "COLOUR", "--env", "SHAPE=round one", "sh", "-c", 'echo "$COLOUR $SHAPE $PWD"', cwd=folder)
    check(result.stdout == f"red round one {folder}\n" * 3, "variables and the folder are the same", result)


def mistakes():
    for arguments, words in (
            (["--hosts", "localhost:1,nowhere:1"], "no agent could be started on host nowhere"),
            (["--hosts", "b:0"], "the number of nodes must be"),
            (["--hosts", "b,b"], "host b is named twice"),
            (["--hosts", "b:1,c:1", "-n", "3"], "3 nodes are more than the hosts' 2 places"),
            (["--hosts", "b:1,c:1", "--transport", "shm"], "nodes on several hosts talk over tcp"),
            (["--hosts", "b:1,c:1", "--network", "10.99.0.0/16"], "no interface of this host"),
            (["--hosts", "-oProxyCommand=x:1"], "names no host")):
        result = run(*arguments, "true")
        check(result.returncode == 2 and words in result.stderr, f"{' '.join(arguments)}: {words}", result)
    result = run(*THREE, "true", ssh="echo")
    check(re.search("no agent could be started on host [bc]: the connection to it ended", result.stderr),
          "what answers is no agent",
          result)
    result = run(*THREE, "true", ssh="tail -f /dev/null", limit=1)
    check(result.returncode == 124, "a host that does not answer delays no end", result)
    result = run(*THREE, "--network", "10.77.0.0/24", EXAMPLES + "/fibonacci", "20")
    check(result.returncode == 0, "the network can be named", result)
    result = run(*THREE, "--network", "eth0", EXAMPLES + "/fibonacci", "20")
    check(result.returncode == 0, "by its interface, too", result)


def deaths():
    child = started(*THREE)
    check(len(left()) == 3, "three nodes run")
    kill_an_agent()
    result = ended(child, 10)
    check(result.returncode == 137 and re.search("node [12] was lost with host [bc]", result.stderr) and gone_within(2),
          "an agent that dies takes its nodes along, and the run ends", result)
    for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)):
        child = started(*THREE)
        child.send_signal(number)
        result = ended(child, 10)
        check(result.returncode == status and gone_within(2), f"nothing is left after {number.name}", result)
    child = started(*THREE, env={"SKEIN_OPTIONS": "deaths=survive"})
    kill_an_agent()
    time.sleep(1)
    check(child.poll() is None and len(left()) == 2, "with deaths=survive the others go on")
    child.send_signal(signal.SIGTERM)
    ended(child, 10)
    result = run(*THREE, WAITS, limit=4)
    check(result.returncode == 124 and gone_within(2), "a time limit holds on all hosts", result)


def grows():
    """Nodes come on a host that has some, on this one, and on one that has none yet; and not on one that is not there."""
    child = started("--hosts", "localhost:1,b:1", "--max-nodes", "6", program=(WAITS, "busy"))
    result = subprocess.run([SKEIN, "node", "add", "--run", str(child.pid), "nowhere"], capture_output=True, text=True)
    check(result.returncode == 1 and "no agent could be started on host nowhere" in result.stderr,
          "a host that cannot be reached is given up, and the run goes on", result)
    for what in ("b:1", "1", "c:2"):
        result = subprocess.run([SKEIN, "node", "add", "--timeout", "40", "--run", str(child.pid), what], capture_output=True, text=True)
        check(result.returncode == 0, f"skein node add {what}: {' '.join(result.stdout.split())}", result)
    check(len(left()) == 6, "six nodes run")
    result = subprocess.run([SKEIN, "node", "list", "--run", str(child.pid)], capture_output=True, text=True)
    check(result.stdout.count("goes on") == 6, "skein node list shows them", result)
    child.send_signal(signal.SIGTERM)
    result = ended(child, 10)
    check(result.returncode == 143 and gone_within(2), "nothing is left of them after SIGTERM", result)
    child = started("--hosts", "b:1,c:1", "--max-nodes", "3", program=(WAITS, "busy"))
    result = subprocess.run([SKEIN, "node", "add", "--timeout", "40", "--run", str(child.pid), "b:1"], capture_output=True, text=True)
    check(result.returncode == 0, "a run without nodes on this host can be asked, too", result)
    child.send_signal(signal.SIGTERM)
    result = ended(child, 10)
    check(result.returncode == 143 and not glob.glob(f"/*/skein-{child.pid}-*") + glob.glob(f"/dev/shm/skein-{child.pid}-*"),
          "its folder is gone with it", result)


def shrinks():
    """The only node of a host leaves, and another one comes there; nothing is left when the run ends."""
    child = started("--hosts", "localhost:1,b:1", "--max-nodes", "3", program=(WAITS, "alone"))

    def node(*words):
        return subprocess.run([SKEIN, "node", words[0], "--timeout", "20", "--run", str(child.pid), *words[1:]], capture_output=True,
                              text=True)

    for words in ("drain", "1"), ("add", "b:1"), ("drain", "2"):
        result = node(*words)
        check(result.returncode == 0, " ".join(words) + ": " + result.stdout.strip(), result)
    result = node("list")
    check(result.stdout.count("goes on") == 1 and result.stdout.count("has left") == 2 and len(left()) == 1, "one node is left", result)
    child.send_signal(signal.SIGTERM)
    result = ended(child, 10)
    check(result.returncode == 143 and gone_within(2), "nothing is left of them after SIGTERM", result)


def cuts():
    child = started(*THREE, program=(WAITS, "busy"))
    for seconds in (3, 6): # the others miss a node after 3 s
        link("b", "down")
        time.sleep(seconds)
        link("b", "up")
        time.sleep(3)
        check(child.poll() is None and len(left()) == 3, f"a link that is down for {seconds} s changes nothing",
              child.poll() is not None and ended(child, 1))
    child.send_signal(signal.SIGTERM)
    ended(child, 10)
    child = started(*THREE, env={"SKEIN_OPTIONS": "deaths=survive"})
    link("b", "down")
    begin = time.monotonic()
    while len(left()) == 3 and time.monotonic() < begin + 20:
        time.sleep(0.1)
    check(len(left()) == 2 and child.poll() is None and time.monotonic() - begin < 13,
          "the node that is cut off ends before it is given up")
    while time.monotonic() < begin + 18:
        time.sleep(0.1)
    check(child.poll() is None, "the others go on without it", child.poll() is not None and ended(child, 1))
    link("b", "up")
    child.send_signal(signal.SIGTERM)
    result = ended(child, 10)
    check("nothing has been heard of it for 15 s" in result.stderr, "why is said", result)


def goes_back():
    program = [EXAMPLES + "/pagerank", "30000", "500"]
    one = run("-n", "3", "--transport", "tcp", *program)
    folder = os.path.abspath("checkpoints")
    complete = lambda: {int(name) for name in os.listdir(folder) if name.isdigit()} if os.path.isdir(folder) else set()
    environment = dict(os.environ, SKEIN_OPTIONS="deaths=recover")
    child = subprocess.Popen([SKEIN, "run", "--ssh", SSH, *THREE, "--checkpoint", folder, "--every", "1s", *program],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    for death in range(2):
        before = max(complete(), default=0)
        while child.poll() is None and max(complete(), default=0) == before:
            time.sleep(0.02)
        nodes = subprocess.run(["pgrep", "-x", "pagerank"], capture_output=True, text=True).stdout.split()
        if nodes:
            os.kill(int(nodes[death]), signal.SIGKILL)
    result = ended(child, 60)
    same = lambda result: result.returncode == 0 and re.findall("hash .*", result.stdout) == re.findall("hash .*", one.stdout)
    check(same(result) and "goes back to checkpoint" in result.stderr, "a run on three hosts goes back to a checkpoint", result)
    result = subprocess.run([SKEIN, "restart", "--hosts", "c:1,b:2", folder], capture_output=True, text=True, timeout=60)
    check(same(result), "a run goes on from a checkpoint on other hosts", result)


def cut_back():
    program = [EXAMPLES + "/pagerank", "30000", "500"]
    one = run("-n", "3", "--transport", "tcp", *program)
    folder = os.path.abspath("cut")
    child = subprocess.Popen([SKEIN, "run", "--ssh", SSH, *THREE, "--checkpoint", folder, "--every", "1s", *program],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             env=dict(os.environ, SKEIN_OPTIONS="deaths=recover"))
    while child.poll() is None and not os.path.isdir(folder + "/1"):
        time.sleep(0.02)
    link("b", "down")
    result = ended(child, 80)
    link("b", "up")
    check(result.returncode == 0 and re.findall("hash .*", result.stdout) == re.findall("hash .*", one.stdout) and
          "goes back to checkpoint" in result.stderr, "a run whose host is cut off goes back to a checkpoint without it", result)


class Recovering:
    """A run on three hosts with deaths=recover, whose result has to be that of a run on one host."""
    alone = {}

    def __init__(self, name, *program, options="", hosts=THREE, patience=60, deaths="recover",
                 nodes="3"):
        if program not in self.alone:
            self.alone[program] = self.found(run("-n", nodes, "--transport", "tcp", *program))
        self.one = self.alone[program]
        self.folder = os.path.abspath(name)
        self.child = subprocess.Popen([SKEIN, "run", "--ssh", SSH, *hosts, "--checkpoint", self.folder, "--every", "1s",
                                       "--checkpoint-patience", str(patience), *program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                      env=dict(os.environ, SKEIN_OPTIONS=f"deaths={deaths}{options}"))
        self.wait_for_checkpoint(1)

    @staticmethod
    def found(result):
        check(result.returncode == 0, "the program ends well", result)
        return re.findall("hash .*", result.stdout)

    @staticmethod
    def nodes():
        """On all hosts; no processes that write copies."""
        found = subprocess.run(["pgrep", "-x", "-r", "R,S,D,T,t", "pagerank"], capture_output=True, text=True).stdout.split()
        writers = subprocess.run(["pgrep", "-x", "-P", ",".join(found), "pagerank"], capture_output=True, text=True).stdout.split()
        return [int(one) for one in found if one not in writers]

    def last(self):
        return max((int(name) for name in os.listdir(self.folder) if name.isdigit()), default=0) if os.path.isdir(self.folder) else 0

    def wait_for_checkpoint(self, number):
        end = time.monotonic() + 60
        while self.child.poll() is None and self.last() < number and time.monotonic() < end:
            time.sleep(0.02)
        check(self.last() >= number, f"checkpoint {number} is complete", self.child.poll() is not None and ended(self.child, 1))

    def end(self, what, goes_back):
        result = ended(self.child, 180)
        times = result.stderr.count("the run goes back to checkpoint")
        check(self.found(result) == self.one and times in goes_back, f"{what}: the same result; went back {times} times", result)
        return result


def on_host(host, *words):
    return subprocess.run([*SSH.split(), host, *words], capture_output=True, text=True, timeout=120)


def kept_on(host, story, number):
    """What host b or c has of a checkpoint, or this one."""
    path = f"{story.folder}/{number}"
    here = os.listdir(path) if os.path.isdir(path) else []
    return sorted(on_host(host, "ls", path).stdout.split() if host else here)


def own_disks():
    """Each host has a folder of its own for checkpoints. A node dies; a host is lost with its disk; then the launcher and its
    host are, and the run is restarted on another one."""
    folder = os.environ["HOSTS_OWN"]
    program = [EXAMPLES + "/pagerank", "30000", "500"]
    story = Recovering(folder + "/dies", *program)
    both = ["manifest.json", "output"]
    wanted = [both[:1] + nodes + both[1:] for nodes in (["node-0", "node-2"], ["node-0", "node-1"], ["node-1", "node-2"])]
    for _ in range(5):  # on a busy machine the next checkpoints may be there, and this one gone, before all hosts are asked
        last = story.last()
        found = [kept_on(host, story, last) for host in (None, "b", "c")]
        if found == wanted:
            break
        time.sleep(0.2)
    check(found == wanted, f"each host has the files of its node, and of a neighbour's: {found}")
    os.kill(story.nodes()[1], signal.SIGKILL)
    result = story.end("a node dies", {1})
    check("on its own disk" in result.stderr, "which form it is is said", result)
    complete = [on_host(host, f"cd {story.folder}; ls */manifest.json").stdout.split() for host in "bc"]
    check(all(len(one) <= 3 and f"{story.last()}/manifest.json" in one for one in complete),
          f"old checkpoints are removed everywhere: {complete}")

    story = Recovering(folder + "/lost", *program)
    kill_an_agent()
    result = story.end("a host is lost with its disk", {1})
    check("was lost with host" in result.stderr, "it was lost", result)

    story = Recovering(folder + "/restart", *program, deaths="end")
    story.child.kill()
    ended(story.child, 10)
    number = story.last()
    result = on_host("c", SKEIN, "restart", "--hosts", "localhost:2,b:1", story.folder)
    check(Recovering.found(result) == story.one, "a run is restarted without the host of its launcher", result)
    check(f"goes on from checkpoint {number}" in result.stderr or f"goes on from checkpoint {number + 1}" in result.stderr,
          "from the last checkpoint", result)
    result = subprocess.run([SKEIN, "restart", "--hosts", "localhost:3", story.folder, "--number", str(number)], capture_output=True, text=True)
    check(result.returncode == 2 and "the copy of node 1 of checkpoint" in result.stderr and "is on none of the run's hosts" in result.stderr,
          "a file that no host has is named", result)

    result = subprocess.run([SKEIN, "restart", "--hosts", "localhost:1,b:1,c:1", "--timeout", "3", story.folder, "--number", str(number)],
                            capture_output=True, text=True)
    check("has checkpoints that this host does not have" in result.stderr, "what other hosts have gone on with is put aside", result)

    result = run(*THREE, "--checkpoint", os.environ["HOSTS_MIXED"] + "/mixed", *program)
    check(result.returncode == 2 and "checkpoints need one folder that all hosts share" in result.stderr, "half of it is refused", result)


def own_disks_grow():
    """A host comes to a run whose other hosts keep checkpoints on their own disks, and another one is lost then."""
    story = Recovering(os.environ["HOSTS_OWN"] + "/grows", EXAMPLES + "/pagerank", "30000", "1000", nodes="2",
                       hosts=["--hosts", "localhost:1,b:1", "--max-nodes", "3"])
    result = subprocess.run([SKEIN, "node", "add", "--timeout", "40", "--run", str(story.child.pid), "c:1"], capture_output=True,
                            text=True)
    check(result.returncode == 0, "a host comes", result)
    story.wait_for_checkpoint(story.last() + 2)
    found = [kept_on(host, story, story.last() - 1) for host in (None, "b", "c")]
    check(all(f"node-{node}" in found[host] for node, host in ((0, 0), (0, 1), (1, 1), (1, 2), (2, 2), (2, 0))),
          f"its node's files are there and on this host: {found}")
    kill_an_agent()
    story.end("another one is lost", {1})


def own_disks_blows(tries=10):
    """At any moment, while files are on their way, too: a node dies, a host is lost, or the launcher is with its host."""
    seed = int(os.environ.get("SEED", random.randrange(1 << 30)))
    print("SEED", seed, flush=True)
    chance = random.Random(seed)
    for number in range(tries):
        story = Recovering(f"{os.environ['HOSTS_OWN']}/blow-{number}", EXAMPLES + "/pagerank", "30000", "700")
        time.sleep(1.5 * chance.random())
        blow = chance.choice(("node", "host", "launcher"))
        if blow == "node":
            os.kill(chance.choice(story.nodes()), signal.SIGKILL)
        elif blow == "host":
            kill_an_agent()
        if blow != "launcher":
            story.end(f"{number}, a {blow} is lost", {1})
            continue
        story.child.kill()
        ended(story.child, 10)
        host, other = chance.choice(("bc", "cb"))
        before = story.last()
        result = on_host(host, SKEIN, "restart", "--hosts", f"localhost:2,{other}:1", story.folder)
        again = int(re.search("from checkpoint ([0-9]+)", result.stderr + "from checkpoint 0")[1])
        check(Recovering.found(result) == story.one and again >= before,
              f"{number}, the launcher is lost: the same result, from checkpoint {again} of {before}", result)


class OneWay:
    """Nothing that one host sends reaches another one; the other direction works. Frames go to an address that nobody has."""

    def __init__(self, sender, to):
        self.command = ["ip", "netns", "exec", sender, "ip", "neigh"]
        self.where = [f"10.77.0.{'abc'.index(to) + 1}", "dev", "eth0"]

    def __enter__(self):
        subprocess.run([*self.command, "replace", *self.where, "lladdr", "02:00:00:00:00:99", "nud", "permanent"], check=True)

    def __exit__(self, *_):
        subprocess.run([*self.command, "del", *self.where], check=True)


def steady(steps):
    return [EXAMPLES + "/pagerank", "30000", str(steps)]


def delayed_back():
    """Every message is up to 100 ms late, and overtaken by others; a node dies."""
    story = Recovering("delayed", EXAMPLES + "/pagerank", "60", "20", options=",net_delay_us=100000")
    os.kill(story.nodes()[0], signal.SIGKILL)
    story.end("messages are up to 100 ms late", {1})


def one_way():
    """One direction between two nodes for three seconds: nothing happens, checkpoints included."""
    story = Recovering("one-way", *steady(500))
    before = story.last()
    with OneWay("b", "c"):
        time.sleep(3)
    story.wait_for_checkpoint(before + 2)
    story.end("one direction is cut for 3 s", {0})


def one_way_nodes():
    """One direction between two nodes for long: a checkpoint that waits for messages between them is given up, then one of the
    nodes is, and the run starts again when they can meet."""
    story = Recovering("one-way-nodes", *steady(3000), patience=5)
    with OneWay("b", "c"):
        time.sleep(40)
    result = story.end("one direction between nodes is cut for 40 s", {1})
    check(re.search("node (1|2) has given no sign of life, says node (2|1): it answers `skein run`, but nothing of it reaches",
                    result.stderr), "why is said", result)


def one_way_launcher():
    """One direction between the launcher and a host, for good: the run goes on without the host."""
    for sender, to in ("b", "a"), ("a", "b"):
        story = Recovering(f"one-way-{sender}-{to}", *steady(1500))
        with OneWay(sender, to):
            result = story.end(f"nothing gets from {sender} to {to}", {1})
            check("nothing has been heard of it for 15 s" in result.stderr, "why is said", result)


def key(name, mode=0o600):
    with open(name, "wb") as file:
        file.write(os.urandom(16))
    os.chmod(name, mode)
    return os.path.abspath(name)


def listening(port, joins, key_file, *program, nodes="1"):
    child = subprocess.Popen([SKEIN, "run", "--timeout", "60", "-n", nodes, "--listen", f"10.77.0.1:{port}", "--joins", str(joins),
                              "--key-file", key_file, *program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    first = child.stderr.readline()
    if "waits for" not in first:
        sys.exit("nobody listens: " + first + child.stderr.read())
    return child


def join(host, port, key_file, *more, at="10.77.0.1", **options):
    return subprocess.Popen(["ip", "netns", "exec", host, SKEIN, "join", f"{at}:{port}", "--key-file", key_file, *more],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def nodes_that_go_on(child, wanted, patience=30):
    """Whether so many nodes belong to the run soon."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        result = subprocess.run([SKEIN, "node", "list", "--run", str(child.pid)], capture_output=True, text=True)
        if result.stdout.count("goes on") == wanted:
            return True
        time.sleep(0.1)
    return False


def joins_late():
    """Hosts join a run that has begun, as long as it has numbers left."""
    right = key("late")
    child = started("-n", "1", "--max-nodes", "5", "--listen", "10.77.0.1:7011", "--joins", "1", "--key-file", right, program=(WAITS, "busy"),
                    meanwhile=lambda: guests.append(join("b", 7011, right)))
    check(nodes_that_go_on(child, 2), "the run has begun with two nodes")
    guests.append(join("c", 7011, right, "-n", "2"))
    check(nodes_that_go_on(child, 4), "a host has joined with two more")
    guests.append(join("b", 7011, right, "-n", "3"))
    check(nodes_that_go_on(child, 5), "another one with as many as there are numbers for")
    try:
        socket.create_connection(("10.77.0.1", 7011), 5)
        sys.exit("not so: then nobody listens any more")
    except ConnectionRefusedError:
        print("so: then nobody listens any more", flush=True)
    child.send_signal(signal.SIGTERM)
    result = ended(child, 10)
    ends = [ended(guest, 10) for guest in guests]
    check(result.returncode == 143 and gone_within(3), "nothing is left after SIGTERM", result)


guests = []


class Recorder(threading.Thread):
    """Passes one connection on, and keeps what the side that connects has sent."""

    def __init__(self, port, to):
        super().__init__(daemon=True)
        self.listener = socket.create_server(("10.77.0.1", port))
        self.to, self.sent = to, b""
        self.start()

    def run(self):
        ours, _ = self.listener.accept()
        theirs = socket.create_connection(("10.77.0.1", self.to))
        while True:
            for one in select.select([ours, theirs], [], [])[0]:
                data = one.recv(65536)
                if not data:
                    ours.close(), theirs.close()
                    return
                if one is ours:
                    self.sent += data
                (theirs if one is ours else ours).sendall(data)


def joins():
    right = key("key")
    program = [EXAMPLES + "/pagerank", "2000", "10"]
    one = run("-n", "5", "--transport", "tcp", *program)
    child = listening(7001, 3, right, *program, nodes="2")
    os.makedirs("elsewhere", exist_ok=True)
    guests = [join("b", 7001, right), join("c", 7001, right, "-n", "2", "--", EXAMPLES + "/pagerank", cwd="elsewhere")]
    result, ends = ended(child, 60), [ended(guest, 10) for guest in guests]
    check(result.returncode == 0 and re.findall("hash .*", result.stdout) == re.findall("hash .*", one.stdout) != [] and
          all(end.returncode == 0 for end in ends), "hosts that join: the same result as on one host", result)

    open_to_all = key("open", 0o644)
    result = ended(join("b", 7001, open_to_all), 10)
    check(result.returncode == 1 and "may be read or written by others" in result.stderr, "a key that others can read is none",
          result)

    child = listening(7002, 2, right, *program)
    stranger = socket.create_connection(("10.77.0.1", 7002))
    stranger.sendall(os.urandom(100000))
    half_open = [socket.create_connection(("10.77.0.1", 7002)) for _ in range(1000)]
    result = ended(join("b", 7002, key("stale")), 10)
    check(result.returncode == 1 and "is the file of the key the same" in result.stderr, "another key does not open", result)
    recorder = Recorder(7003, 7002)
    first = join("b", 7003, right, "--network", "eth0")
    while "has joined" not in child.stderr.readline():
        pass
    again = socket.create_connection(("10.77.0.1", 7002))
    again.sendall(recorder.sent)
    again.settimeout(10)
    answer = b"x"
    while answer: # TLS's own: a hello of the server, then an alert
        try:
            answer = again.recv(65536)
        except ConnectionError:
            break
    check(child.poll() is None, "a recorded beginning is of no use")
    gone = join("c", 7002, right)
    while "has joined" not in child.stderr.readline():
        pass
    result, end = ended(child, 60), ended(first, 10)
    ended(gone, 10)
    check(result.returncode == 0 and end.returncode == 0 and len(half_open) == 1000,
          "1,000 half-open connections and garbage do not keep a run from beginning", result)

    child = listening(7004, 2, right, *program)
    leaves = join("b", 7004, right)
    while "has joined" not in child.stderr.readline():
        pass
    leaves.kill()
    while "has gone again" not in child.stderr.readline():
        pass
    guests = [join("b", 7004, right), join("c", 7004, right)]
    result, ends = ended(child, 60), [ended(guest, 10) for guest in guests]
    check(result.returncode == 0 and all(end.returncode == 0 for end in ends), "a host that leaves early is replaced", result)


def mpi():
    os.environ["PATH"] = BUILD + "/bin:" + os.environ["PATH"]
    command = ["mpirun", "--allow-run-as-root", "--mca", "plm_rsh_agent", SSH, "--mca", "oob_tcp_if_include", "eth0", "-x", "PATH",
               "-H", "localhost:1,b:1,c:2", "-n", "4"]
    result = subprocess.run([*command, EXAMPLES + "/hello"], capture_output=True, text=True, timeout=60)
    check(result.returncode == 0 and all(f"node {node}: " in result.stdout for node in range(4)),
          "ranks of mpirun on three hosts are nodes of one run", result)


for part in sys.argv[3:]:
    globals()[part]()

#!/usr/bin/env python3
"""Network namespaces as hosts: a bridge, and behind it hosts a, b and c, each with an address, a name, and an sshd of its own.

    hosts.py COMMAND…       runs COMMAND on host a, with HOSTS_SSH set to a command for --ssh, in namespaces of their own

The hosts share files, but for the folder HOSTS_OWN, which each has for itself, and HOSTS_MIXED, which a and c share. Everything is gone when COMMAND has ended. COMMAND may call `ip netns exec b …`."""
import os
import subprocess
import sys
import tempfile
import time

NAMES = "abc"


def sh(line):
    subprocess.run(line, shell=True, check=True)


def address(name):
    return f"10.77.0.{NAMES.index(name) + 1}"


def make_network():
    sh("mount -t tmpfs none /run && mkdir -p /run/sshd /run/netns")
    sh("ip link set lo up && ip link add bridge type bridge && ip link set bridge up")
    for name in NAMES:
        sh(f"ip netns add {name} && ip link add to-{name} type veth peer name eth0 netns {name}")
        sh(f"ip link set to-{name} master bridge up")
        sh(f"ip -n {name} addr add {address(name)}/24 dev eth0 && ip -n {name} link set eth0 up && ip -n {name} link set lo up")


def start_sshd(name, folder):
    with open(f"{folder}/sshd", "w") as conf:
        conf.write(f"""HostKey {folder}/host_key
AuthorizedKeysFile {folder}/key.pub
PidFile none
StrictModes no
UsePAM no
PermitRootLogin yes
MaxStartups 100
""")
    return subprocess.Popen(["ip", "netns", "exec", name, "unshare", "-u", "sh", "-c",
                             f"hostname {name}; mount -t tmpfs none {folder}/own; "
                             f"{f'mount -t tmpfs none {folder}/mixed; ' if name == 'b' else ''}"
                             f"exec /usr/sbin/sshd -D -e -o ListenAddress={address(name)} -f {folder}/sshd"],
                            stderr=open(f"{folder}/log-{name}", "w"))


def wait_for_sshd(command):
    for _ in range(100):
        tried = subprocess.run(["ip", "netns", "exec", "a", *command, "c", "true"], capture_output=True, text=True)
        if tried.returncode == 0:
            return
        time.sleep(0.05)
    sys.exit("no sshd answers: " + tried.stderr)


def main():
    if os.environ.get("HOSTS_INSIDE") != "1":
        os.environ["HOSTS_INSIDE"] = "1"
        os.execvp("unshare", ["unshare", "--mount", "--net", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc",
                              sys.executable, *sys.argv])
    with tempfile.TemporaryDirectory(prefix="skein-hosts-") as folder:
        make_network()
        for own in "own", "mixed":
            os.mkdir(f"{folder}/{own}")
            os.environ["HOSTS_" + own.upper()] = f"{folder}/{own}"
        for key in ("host_key", "key"):
            sh(f"ssh-keygen -q -t ed25519 -N '' -f {folder}/{key}")
        with open(f"{folder}/ssh", "w") as conf:
            conf.write(f"IdentityFile {folder}/key\nIdentitiesOnly yes\nStrictHostKeyChecking no\n"
                       "UserKnownHostsFile /dev/null\nLogLevel ERROR\nBatchMode yes\nUser root\n")
            for name in NAMES:
                conf.write(f"Host {name}\n  HostName {address(name)}\n")
        command = ["ssh", "-F", f"{folder}/ssh"]
        for name in "bc":
            start_sshd(name, folder)
        wait_for_sshd(command)
        sh("hostname a")
        os.environ["HOSTS_SSH"] = " ".join(command)
        sys.exit(subprocess.run(["ip", "netns", "exec", "a", *sys.argv[1:]]).returncode)


main()

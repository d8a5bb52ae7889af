#!/usr/bin/env python3
"""grep.py BUILD POLICY... -- TREE    our grep against GNU's: lines (sorted), errors and status.

Each policy is tried on one node and on two. The options take turns, so that all of them are tried on TREE, those that
find little also on /usr/include, and a folder of odd files with everything.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

OPTIONS = [
    ["-rn", "mutex"], ["-rc", r"int.*("], ["-rl", r"^#include <[a-z]*\.h>"], ["-rvc", "[a-z]"], ["-rhF", "a[i]"],
    ["-riEn", r"(struct|union) +[a-z]+_t\b"], ["-riF", "einval"], ["-rE", "-e", r"\s\w{20,}\s*$", "-e", "signal"],
    ["-rnH", r"x\(.\)\1"], ["-rq", "mutex"], ["-rs", "no such thing"], ["-rnv", "......"], ["-r", "[[:space:]]$"],
]
FEW = [["-rn", "pthread_mutex_trylock"], ["-rlE", "^typedef.*(wchar|wint)_t;"]]


def write(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def odd_files(root):
    lines = b"".join(b"line %d\n" % i for i in range(20000))  # more than two of GNU's buffers
    write(root / "binary", b"abc\0def\nabc\n")
    write(root / "late-binary", b"abc\n" + lines + b"abc\nx\0y abc\n")
    write(root / "no-utf8", b"abc\n\xff abc\nabc\n" + lines + b"abc\n")
    write(root / "no-newline", b"abc\nABC abc")
    write(root / "long-line", b"x" * 300000 + b"abc\nabc\n")
    write(root / "empty", b"")
    write(root / "sub" / "dir" / "blank lines", b"\n\nabc\n \n")
    with open(root / "hole", "wb") as file:
        file.write(b"abc\n" + lines)
        file.truncate(500000)
    (root / "link").symlink_to("sub")
    (root / "broken").symlink_to("nowhere")
    os.mkfifo(root / "pipe")


def run(command, directory, **more):
    """Output and errors go to files: of two nodes that write to one pipe, lines of more than PIPE_BUF bytes would mix."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        done = subprocess.run(command, cwd=directory, stdout=output, stderr=errors, stdin=subprocess.DEVNULL,
                              timeout=100, **more)
        lines = []
        for file in (output, errors):
            file.seek(0)
            lines.append(sorted(file.read().splitlines()))
    return *lines, done.returncode


def compare(build, policy, nodes, arguments, directory, locale):
    environment = dict(os.environ, LC_ALL=locale, SKEIN_OPTIONS="workers=1")
    wanted = run(["grep", *arguments], directory, env=environment)
    ours = run([str(build / "bin/skein"), "run", "-n", str(nodes), str(build / "examples/grep"),
                f"--policy={policy}", *arguments], directory, env=environment)
    for what, theirs, mine in zip(("output", "errors", "status"), wanted, ours):
        if theirs != mine:
            sys.exit(f"-n {nodes} --policy={policy} {' '.join(arguments)} (LC_ALL={locale}): {what} differs\n"
                     f"GNU's {str(theirs)[:600]}\nours  {str(mine)[:600]}")
    return len(wanted[0])


def main():
    build, split = pathlib.Path(sys.argv[1]), sys.argv.index("--")
    policies, tree = sys.argv[2:split], sys.argv[split + 1]
    parts = [f"{tree}/{part}" for part in ("runtime", "examples", "docs")]
    lines = runs = 0
    with tempfile.TemporaryDirectory() as folder:
        odd_files(pathlib.Path(folder))
        for turn, (policy, nodes) in enumerate((policy, nodes) for policy in policies for nodes in (1, 2)):
            locale = "C" if turn % 3 == 0 else "C.UTF-8"
            lines += compare(build, policy, nodes, [*OPTIONS[turn % len(OPTIONS)], *parts], "/", locale)
            odd = (["-rn", "abc"], ["-rci", "[^x]abc*"], ["-rv", "l*n"])[turn // 2 % 3]
            lines += compare(build, policy, nodes, odd, folder, locale)
            runs += 2
        for operands in (["abc", "binary", "sub", "nosuch"], ["-r", "abc", "sub//"], ["-c", "^$", "sub/dir/blank lines"],
                         ["-n", "", "no-newline"], ["-r", "abc", "./", "binary"], ["-h", "abc", "/dev/null", "binary"],
                         ["-c", "abc", "sub", "empty"], ["-vc", "abc", "sub"], ["-n", "ab**c", "no-newline"]):
            lines += compare(build, "steal-search", 1, operands, folder, "C.UTF-8")
    for policy, options in (("steal-search", FEW[0]), ("steal-cascade", FEW[1])):
        lines += compare(build, policy, 2, [*options, "/usr/include"], "/", "C")
    if lines < 5000:
        sys.exit(f"only {lines} lines were compared: what was searched?")
    print(f"{runs} runs, {lines} lines")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Compiles, and where it says so runs, every C and C++ program in the documentation.

    snippets.py SKEINCC SKEIN FILE...

A fenced block counts if its language is `c` or `cpp`. Words after the language say what must hold:

    c                     compiles without a warning
    c run=N               compiles, links, and runs on N nodes with status 0, relocated and with addresses kept
    c prints="TEXT"       with run=N: the output contains TEXT
    c warns=FLAG          compiles with a warning that ends in [-Wskein-FLAG]
    c flags=FLAGS         with more flags
    c options=OPTIONS     with run=N: with these SKEIN_OPTIONS, too
    c rejects="TEXT"      does not compile, and the error contains TEXT
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(c|cpp)(?:[ \t]+([^\n]*))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WORD = re.compile(r'(\w+)=("[^"]*"|\S+)')


def blocks(path):
    """(line, language, {word: value}, source) of each block."""
    text = path.read_text()
    for match in BLOCK.finditer(text):
        words = {name: value.strip('"') for name, value in WORD.findall(match[2] or "")}
        leftover = re.sub(WORD, "", match[2] or "").strip()
        line = text.count("\n", 0, match.start()) + 1
        if leftover or set(words) - {"run", "prints", "warns", "rejects", "flags", "options"}:
            sys.exit(f"{path}:{line}: what does '{match[2]}' mean?")
        yield line, match[1], words, match[3]


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **more)


def check(skeincc, skein, language, words, source, folder):
    """What is wrong with one block, or None."""
    file, program = folder / f"snippet.{language}", folder / "snippet"
    file.write_text(source)
    compiler = str(pathlib.Path(skeincc).with_name("skein++")) if language == "cpp" else skeincc
    command = [compiler, "-O2", "-g1", "-Wall", "-Wextra", *words.get("flags", "").split(), str(file)]
    command += ["-o", str(program), "-lm"] if "run" in words else ["-c", "-o", str(folder / "snippet.o")]
    done = run(command)
    if "rejects" in words:
        return None if done.returncode != 0 and words["rejects"] in done.stderr else f"not rejected so:\n{done.stderr}"
    if done.returncode != 0:
        return f"does not compile:\n{done.stderr}"
    if "warns" in words:
        return None if f"[-Wskein-{words['warns']}]" in done.stderr else f"no such warning:\n{done.stderr}"
    if done.stderr:
        return f"compiles with warnings:\n{done.stderr}"
    if "run" not in words:
        return None
    more = f",{words['options']}" if "options" in words else ""
    for strategy in ("relocate,image=any", "auto"):
        done = run([skein, "run", "-n", words["run"], str(program)], env=dict(os.environ, SKEIN_OPTIONS=f"stacks={strategy}{more}"))
        if done.returncode != 0 or done.stderr:
            return f"stacks={strategy}: status {done.returncode}\n{done.stdout}{done.stderr}"
        if words.get("prints", "") not in done.stdout:
            return f"stacks={strategy}: does not print '{words['prints']}', but\n{done.stdout}"
    return None


def main():
    skeincc, skein, *files = sys.argv[1:]
    failures = checked = 0
    for path in map(pathlib.Path, files):
        for line, language, words, source in blocks(path):
            checked += 1
            with tempfile.TemporaryDirectory() as folder:
                wrong = check(skeincc, skein, language, words, source, pathlib.Path(folder))
            if wrong:
                failures += 1
                print(f"{path}:{line}: {wrong}")
    print(f"{checked} programs in {len(files)} files, {failures} of them not as the text says")
    sys.exit(1 if failures or not checked else 0)


if __name__ == "__main__":
    main()

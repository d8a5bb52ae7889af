"""Compiles and links programs, thousands in a day's tests, in as few processes as that takes.

A compiler that is asked to compile and link starts itself once more to compile, and to load all of LLVM takes as long
as a small program does. So it compiles only, which it does itself, and the linker is started by what the compiler
would start it with, which is asked for (-###) once for each list of options.
"""
import os
import shlex
import subprocess

from program import Failure

SECONDS = 300  # a busy machine needs many times the half second
LIBRARIES = ["-lm"]

links = {}  # (compiler and options, number of objects): the words of the linker, with those of the program as indices


def execute(command):
    """(status, messages)"""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired as late:
        said = (late.stderr or b"").decode(errors="replace")
        raise Failure(f"hangs (more than {SECONDS} s): {' '.join(command)}\n{said}")
    return done.returncode, done.stderr


def link(compiler, objects, made):
    """The linker's command."""
    own = [*objects, made]
    key = (*compiler, len(objects))
    if key not in links:
        command = [*compiler, "-###", *objects, "-o", made, *LIBRARIES]
        status, said = execute(command)
        words = shlex.split(said.decode().splitlines()[-1]) if not status else []
        if any(words.count(word) != 1 for word in own):
            raise Failure(f"how does it link? {' '.join(command)}\n{said.decode(errors='replace')}")
        links[key] = [own.index(word) if word in own else word for word in words]
    return [own[word] if isinstance(word, int) else word for word in links[key]]


def build(compiler, files, made):
    """(status, messages) of a compiler, with its options, that makes a program; and the command that does the same."""
    objects = [f"{made}-{number}.o" for number in range(len(files))]
    shown = [*compiler, *files, "-o", made, *LIBRARIES]
    try:
        for file, made_of_it in zip(files, objects):
            status, messages = execute([*compiler, "-c", file, "-o", made_of_it])
            if status:
                return status, messages, shown
        return *execute(link(compiler, objects, made)), shown
    finally:
        for made_of_it in filter(os.path.exists, objects):
            os.remove(made_of_it)

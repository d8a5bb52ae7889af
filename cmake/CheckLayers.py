#!/usr/bin/env python3
"""Checks that no include runs uphill.

    CheckLayers.py [root]         exit status 1 and a line per arrow that is not in the table
    CheckLayers.py --self-test    plants one violation of each kind in a scratch tree and demands that it is found

The table below is the architecture (docs/hacking.md draws it). A room may include itself and what its line names; every room
of the runtime may include `abi` (the contract with the compiler) and `api` (the public headers). Lower rooms reach upper ones
only by function pointers that the upper ones register.

Only the text of #include is read, not what the preprocessor makes of it, so that a violation behind #ifdef counts too.
"""
import pathlib
import re
import sys
import tempfile

BELOW_MIGRATE = ["sched", "sync", "private", "trace", "thread", "arch", "os", "base"]

ROOMS = {
    # room: (folder, rooms it may include)
    "abi": ("runtime/abi", []),
    "api": ("runtime/include", []),
    "base": ("runtime/base", ["abi", "api"]),
    "libc": ("runtime/libc", []),
    "os": ("runtime/os", ["abi", "api", "base"]),
    "arch": ("runtime/arch", ["abi", "api", "base"]),
    "thread": ("runtime/thread", ["abi", "api", "arch", "os", "base"]),
    "trace": ("runtime/trace", ["abi", "api", "thread", "arch", "os", "base"]),
    "dlmalloc": ("third_party/dlmalloc", []),
    "private": ("runtime/private", ["dlmalloc", "abi", "api", "trace", "thread", "arch", "os", "base"]),
    "sched": ("runtime/sched", ["abi", "api", "private", "trace", "thread", "arch", "os", "base"]),
    "sync": ("runtime/sync", ["abi", "api", "sched", "private", "trace", "thread", "arch", "os", "base"]),
    "migrate": ("runtime/migrate", ["abi", "api"] + BELOW_MIGRATE),
    # A room in a room comes before it.
    "wire": ("runtime/net/wire", ["abi", "api", "migrate"] + BELOW_MIGRATE),
    "net": ("runtime/net", ["abi", "api", "wire", "migrate"] + BELOW_MIGRATE),
    "dsm": ("runtime/dsm", ["abi", "api", "library-api", "wire", "net", "migrate"] + BELOW_MIGRATE),
    "channels": ("runtime/channels", ["abi", "api", "wire", "net", "migrate"] + BELOW_MIGRATE),
    "pack": ("runtime/pack", ["abi", "api", "wire", "net", "migrate"] + BELOW_MIGRATE),
    "store": ("runtime/checkpoint/store", ["checkpoint", "wire", "base"]),
    "balance": ("runtime/balance", ["abi", "api", "wire", "net", "migrate"] + BELOW_MIGRATE),
    "checkpoint": ("runtime/checkpoint", ["abi", "api", "pack", "wire", "net", "dsm", "migrate"] + BELOW_MIGRATE),
    "monitor": ("runtime/monitor", ["abi", "api", "balance", "wire", "net", "migrate"] + BELOW_MIGRATE),
    "traces": ("runtime/launch/traces", ["abi", "api", "wire", "trace", "migrate"] + BELOW_MIGRATE),
    "monitors": ("runtime/launch/monitors", []),
    "launch": ("runtime/launch",
               ["abi", "api", "library-api", "traces", "checkpoint", "monitor", "wire", "net", "dsm", "channels", "pack", "balance", "migrate"] + BELOW_MIGRATE),
    # The C declarations of shared memory are public with the library; the runtime implements them.
    "library-api": ("stdlib/include", ["api"]),
    # Compiled by skeincc, it may call what compiled code calls.
    "library": ("stdlib/src", ["abi", "api", "library-api"]),
    "rules": ("compiler/rules", ["abi", "api"]), # api: in the programs that explain a rule
    "passes": ("compiler/passes", ["rules", "abi"]),
    "frontend": ("compiler/frontend", ["passes", "rules", "abi"]),
    "checker": ("compiler/checker", ["rules", "abi"]),
    "driver": ("compiler/driver", ["rules", "abi"]),
    "examples": ("examples", ["api", "library-api"]),
}

# What a room has in a thread's record, plain data, is declared in its file of this name: room thread includes them all.
IN_THREAD = "in_thread.h"
IN_THREAD_MAY_INCLUDE = ["base"]

# Foreign libraries, by the beginning of the header's name, and the folders that may use them.
FOREIGN = {
    "llvm/": ["compiler"],
    "llvm-c/": ["compiler"],
    "clang/": ["compiler/rules", "compiler/frontend", "compiler/checker", "compiler/driver"],
    "ucp/": ["runtime/net"],
    "ucs/": ["runtime/net"],
    "uct/": ["runtime/net"],
    "openssl/": ["runtime/net/wire/tcp"],
    "zstd.h": ["runtime/checkpoint/store"],
    "httplib.h": ["runtime/launch/monitors"],
    "nlohmann/": ["runtime/launch/monitors", "runtime/launch/run"],
    "curses.h": ["runtime/launch/monitors"],
    "libunwind": ["runtime/migrate"],
    "gtest/": ["test"],
    "benchmark/": ["test"],
}

# Where a header's name is looked up, after the folder of the file that includes it.
INCLUDE_PATH = ["runtime", "runtime/include", "stdlib/include", "compiler"]

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
SUFFIXES = {".c", ".cc", ".cpp", ".h", ".hpp", ".inc", ".def", ".S"}


def room_of(path):
    """The room whose folder holds this path (relative to the root), or None."""
    if path.name == IN_THREAD:
        return IN_THREAD
    for room, (folder, _) in ROOMS.items():
        if path.is_relative_to(folder):
            return room
    return None


def resolve(root, including, name):
    """The file of the house that `name` means, relative to the root, or None: the system's."""
    for folder in [including.parent, *INCLUDE_PATH]:
        candidate = root / folder / name
        if candidate.is_file():
            resolved = candidate.resolve()
            return resolved.relative_to(root.resolve()) if resolved.is_relative_to(root.resolve()) else None
    return None


def violation(root, including, name):
    """What is wrong with this include, or None."""
    for prefix, folders in FOREIGN.items():
        if name.startswith(prefix) and not any(including.is_relative_to(f) for f in folders):
            return f"<{prefix}...> belongs to {', '.join(folders)}"
    here = room_of(including)
    included = resolve(root, including, name)
    if here is None or included is None:
        return None
    there = room_of(included)
    if there is None:
        return f"{included} is in no room"
    may_include = IN_THREAD_MAY_INCLUDE if here == IN_THREAD else [*ROOMS[here][1], IN_THREAD]
    if there != here and there not in may_include:
        return f"'{here}' may not include '{there}'"
    return None


def sources(root):
    for folder in ["runtime", "stdlib", "compiler", "examples"]:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                yield path.relative_to(root)


def check(root):
    """All complaints, and the number of includes read."""
    complaints, read = [], 0
    for path in sources(root):
        if room_of(path) is None:
            complaints.append(f"{path}: in no room; add its folder to {pathlib.Path(__file__).name}")
        for number, line in enumerate((root / path).read_text(errors="replace").splitlines(), 1):
            found = INCLUDE.match(line)
            if found:
                read += 1
                why = violation(root, path, found[1] or found[2])
                if why:
                    complaints.append(f"{path}:{number}: {why}: {line.strip()}")
    return complaints, read


def self_test():
    """Each planted file must be found, and the clean tree must not be."""
    clean = {
        "runtime/base/log.h": "",
        "runtime/thread/thread.h": '#include "base/log.h"\n#include "sched/in_thread.h"\n',
        "runtime/sched/in_thread.h": '#include "base/log.h"\n',
        "runtime/sched/sched.h": '#include "thread/thread.h"\n#include <skein/skein.h>\n',
        "runtime/include/skein/skein.h": "#include <stdint.h>\n",
        "compiler/passes/Pipeline.h": "",
    }
    planted = {
        "runtime/base/uphill.cpp": '#include "sched/sched.h"\n',
        "runtime/sync/in_thread.h": '#include "thread/thread.h"\n',
        "runtime/thread/near.cpp": '#  include "../sched/sched.h"\n',
        "runtime/thread/hidden.cpp": '#ifdef NEVER\n#include "sched/sched.h"\n#endif\n',
        "runtime/sched/foreign.cpp": "#include <llvm/ADT/StringRef.h>\n",
        "runtime/sched/transport.cpp": "#include <ucp/api/ucp.h>\n",
        "compiler/passes/Runtime.cpp": '#include "base/log.h"\n',
        "examples/inner.c": '#include "thread/thread.h"\n',
        "runtime/cellar/orphan.cpp": "int x;\n",
    }
    failures = []
    for name in [None, *planted]:
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch)
            for path, text in {**clean, **({name: planted[name]} if name else {})}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            complaints, _ = check(root)
            if bool(complaints) != (name is not None):
                failures.append(f"{name or 'clean tree'}: {complaints or 'not found'}")
    return failures


def main():
    if sys.argv[1:] == ["--self-test"]:
        failures = self_test()
        print("\n".join(failures) or "every planted violation was found")
        return bool(failures)
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    complaints, read = check(root)
    print("\n".join(complaints) or f"{read} includes, none uphill")
    return bool(complaints) or read == 0


if __name__ == "__main__":
    sys.exit(main())

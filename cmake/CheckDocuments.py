#!/usr/bin/env python3
"""Whether what the documents list is what there is.

    CheckDocuments.py ROOT      complaints about the tree ROOT; status 1 if there are any
    CheckDocuments.py --self-test

    passes      each pass has a row in docs/design.md and a folder in test/passes, and each folder there is that of a
                pass or of another file of compiler/passes
    entries     each function and variable that runtime/abi declares for compiled code is named in docs/abi.md
    rooms       each room of CheckLayers.py is a folder, each folder of compiler and runtime is in a room, and
                docs/hacking.md names those of compiler/passes
    names       no two sources of compiler and runtime have one name, but what each room has, and public headers
    knobs       the knobs of a room are in the order of the alphabet
    reasons     a reason in runtime/abi/pin_reasons.def stands in docs/pitfalls.md, and its text in no other source
    paths       "Three paths" in docs/design.md names functions that exist, and counts them
    formats     docs/wire-format.md has the versions of the formats, and a row for each kind of message and packet
    links       a link within the tree leads to a file that is there, and to a heading of its page
    commands    what a block of code names of the tree's folders is there
    machines    no page names a folder of the machine that it was made on
    width       no line of prose is longer than 120 characters, but on pages that a program prints

A list that nobody checks is true on the day it is written.
"""
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import CheckLayers

PASS_NAME = re.compile(r'(?:StringRef name\(\) \{ return |RegisterPass<\w+> \w+\(\s*|SKEIN_(?:MACHINE|IR)_PASS\(\w+, \w+,\s*)'
                       r'"([a-z-]+)"(?!.*is_analysis)')
ENTRY = re.compile(r"\b(__skein_\w+)\s*(?:\(|;|\[)")
# Passes that stand in another one's row and folder, as one that undoes what the other did.
BESIDE = {"show-migrating": "hide-migrating"}


def text_of(path):
    return path.read_text(errors="replace") if path.is_file() else ""


def source_files(root):
    return [path for folder in ("compiler", "runtime") for path in sorted((root / folder).rglob("*.*"))
            if path.suffix in (".h", ".cpp", ".S", ".def")]


def passes(root):
    found = set()
    for path in sorted((root / "compiler/passes").rglob("*")):
        if path.suffix in (".h", ".cpp"):
            found |= set(PASS_NAME.findall(text_of(path)))
    return {BESIDE.get(name, name) for name in found}


def check_passes(root):
    names = passes(root)
    lines = text_of(root / "docs/design.md").splitlines()
    rows = "\n".join(line.split("|")[1] for line in lines if line.startswith("|"))
    for name in sorted(names):
        if f"`{name}`" not in rows:
            yield f"docs/design.md: the pass {name} has no row in the table"
        if not (root / "test/passes" / name).is_dir():
            yield f"test/passes/{name}: there is no such folder, though there is the pass"
    files = {re.sub(r"(?<!^)(?=[A-Z])", "-", path.stem).lower() for path in (root / "compiler/passes").rglob("*.h")}
    folder = root / "test/passes"
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        if path.is_dir() and path.name != "Inputs" and path.name not in names | files:
            yield f"test/passes/{path.name}: there is no such pass or file"


def check_entries(root):
    page = text_of(root / "docs/abi.md")
    for path in sorted((root / "runtime/abi").glob("*.h")):
        code = re.sub(r"/\*.*?\*/|//[^\n]*", "", text_of(path), flags=re.S)
        for name in sorted(set(ENTRY.findall(code))):
            if f"`{name}`" not in page:
                yield f"docs/abi.md: {name} of {path.relative_to(root)} is not named"


def check_rooms(root, rooms):
    for name, (folder, _) in rooms.items():
        if not (root / folder).is_dir():
            yield f"cmake/CheckLayers.py: the room {name} has no folder {folder}"
    folders = [root / folder for folder, _ in rooms.values()]
    for part in ("compiler", "runtime"):
        for path in sorted((root / part).glob("*/")):
            if any(path.rglob("*.h")) and not any(path == room or path in room.parents for room in folders):
                yield f"cmake/CheckLayers.py: {path.relative_to(root)} is in no room"
    page = text_of(root / "docs/hacking.md")
    for path in sorted((root / "compiler/passes").glob("*/")):
        if any(path.glob("*.h")) and not re.search(rf"(^|\s){path.name}/", page):
            yield f"docs/hacking.md: {path.relative_to(root)} is not named"


# Each room may have these, and a room may have the name of the public header that it implements.
OF_EACH_ROOM = {"in_thread.h", "stubs.S"}


def check_names(root):
    seen = {}
    for path in source_files(root):
        if path.name in OF_EACH_ROOM or path.is_relative_to(root / "runtime/include"):
            continue
        if (first := seen.setdefault(path.name, path)) != path:
            yield f"{path.relative_to(root)}: {first.relative_to(root)} has the same name"


def check_knobs(root):
    last = ""
    for number, line in enumerate(text_of(root / "runtime/base/knobs.def").splitlines(), 1):
        if re.match(r"// [a-z]", line):
            last = ""
        elif knob := re.match(r"KNOB_\w+\((\w+)", line):
            if knob[1] < last:
                yield f"runtime/base/knobs.def:{number}: {knob[1]} stands behind {last}"
            last = knob[1]


def check_reasons(root):
    page = text_of(root / "docs/pitfalls.md")
    reasons = root / "runtime/abi/pin_reasons.def"
    sources = {path: text_of(path) for path in source_files(root) if path != reasons}
    for name, text in re.findall(r'^SKEIN_PIN_REASON\((\w+), "?(.*?)"?\)$', text_of(reasons), flags=re.M):
        if f"`SKEIN_PIN_{name}`" not in page:
            yield f"docs/pitfalls.md: the reason SKEIN_PIN_{name} is not explained"
        for path in (path for path, code in sources.items() if f'"{text}' in code):
            yield f"{path.relative_to(root)}: the text of SKEIN_PIN_{name} stands there again"


def check_paths(root):
    """A path begins with its title in bold and "(N functions)", and goes on to the next one."""
    section = re.search(r"^## Three paths$(.*?)(?=^## |\Z)", text_of(root / "docs/design.md"), flags=re.M | re.S)
    if not section:
        return
    code = "".join(map(text_of, source_files(root)))
    for count, text in re.findall(r"\((\d+)\s+functions\)(.*?)(?=^\*\*|\Z)", section[1], flags=re.M | re.S):
        names = set(re.findall(r"`([A-Za-z_]\w+)`", text))
        for name in sorted(names):
            if not re.search(rf"\b{name}\b", code):
                yield f"docs/design.md: {name} is on one of the three paths, and does not exist"
        if len(names) != int(count):
            yield f"docs/design.md: a path has {len(names)} functions, and {count} are counted"


FORMATS = [  # number of its part in docs/wire-format.md, header, constant of its version, enumeration of its kinds
    (1, "runtime/migrate/image.h", "image_wire_version", None),
    (2, "runtime/net/wire/messages.h", "message_version", "MessageType"),
    (3, "runtime/net/wire/bootstrap.h", "version", "Type"),
    (8, "runtime/checkpoint/store/store_format.h", "store_version", "Coding"),
]


def enumerators(text, name):
    """The names and numbers of an enumeration, without those that stand for another one."""
    body = re.search(rf"enum class {name}\b[^{{]*{{(.*?)}}", text, flags=re.S)[1]
    number = -1
    for enumerator, value in re.findall(r"(\w+)(?:\s*=\s*(\w+))?\s*,", re.sub(r"//[^\n]*", "", body)):
        if value and not value.isdigit():
            continue
        number = int(value) if value else number + 1
        yield enumerator, number


def check_formats(root):
    page = text_of(root / "docs/wire-format.md")
    for part, header, constant, kinds in FORMATS:
        section = re.search(rf"^## {part}\. .*?(?=^## |\Z)", page, flags=re.M | re.S)
        if not section:
            continue
        code = text_of(root / header)
        version = re.search(rf"\b{constant} = (\d+);", code)[1]
        said = re.findall(r"[Vv]ersion (\d+)[.;]|`(?:wire_)?version` \| (\d+) \|", section[0])
        for one in {a or b for a, b in said} - {version}:
            yield f"docs/wire-format.md: part {part} says version {one}, {header} {version}"
        rows = {(name.replace(" ", "_"), int(number))
                for number, name in re.findall(r"^\| (\d+) ([a-z][\w ]*) \|", section[0], flags=re.M)}
        there = set(enumerators(code, kinds)) if kinds else rows
        for name, number in sorted(rows ^ there):
            where = "is not in " + header if (name, number) in rows else "has no row"
            yield f"docs/wire-format.md: part {part}: {number} {name} {where}"


def check_machines(root):
    for path in pages(root):
        for number, line in enumerate(text_of(path).splitlines(), 1):
            if place := re.search(r"(?<![\w./$])/(home|root|work|tmp)/\w+", line):
                yield f"{path.relative_to(root)}:{number}: {place[0]} is a folder of one machine"


def pages(root):
    return [*sorted(root.glob("*.md")), *sorted((root / "docs").glob("*.md"))]


def anchors(page):
    """Of the headings of a page, as they are shown on the web: small letters, hyphens for spaces, nothing else."""
    text = re.sub(r"^```.*?^```", "", text_of(page), flags=re.M | re.S)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
            for heading in re.findall(r"^#+ (.*?)\s*$", text, flags=re.M)}


def check_links(root):
    for path in pages(root):
        for number, line in enumerate(text_of(path).splitlines(), 1):
            for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
                if re.match(r"[a-z]+:", target):
                    continue
                name, _, anchor = target.partition("#")
                to = path.parent / name if name else path
                if not to.exists():
                    yield f"{path.relative_to(root)}:{number}: the link to {target} leads nowhere"
                elif anchor and to.suffix == ".md" and anchor not in anchors(to):
                    yield f"{path.relative_to(root)}:{number}: {target}: no heading has that name"


def check_commands(root):
    """Names with *, ? and [] are patterns, as a shell has them."""
    folders = "|".join(re.escape(path.name) for path in root.iterdir() if path.is_dir() and path.name != "build")
    named = re.compile(rf"(?<![\w./$<-])(?:{folders})/[\w.*?\[\]/-]*")
    for path in pages(root):
        in_code = False
        for number, line in enumerate(text_of(path).splitlines(), 1):
            if line.startswith("```"):
                in_code = not in_code
            for name in named.findall(line) if in_code else []:
                if not any(root.glob(name.rstrip("/."))):
                    yield f"{path.relative_to(root)}:{number}: there is no {name}"


def check_width(root):
    for path in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        if path.name in ("benchmarks.md", "knobs.md"):
            continue
        in_code = False
        for number, line in enumerate(text_of(path).splitlines(), 1):
            in_code ^= line.startswith("```")
            if len(line) > 120 and not in_code and not line.startswith(("|", "    ")):
                yield f"{path.relative_to(root)}:{number}: a line of {len(line)} characters"


def check(root, rooms):
    return [*check_passes(root), *check_entries(root), *check_rooms(root, rooms), *check_names(root),
            *check_knobs(root), *check_reasons(root), *check_paths(root), *check_formats(root),
            *check_links(root), *check_commands(root), *check_machines(root), *check_width(root)]


def self_test():
    """Each planted mistake must be found, and the clean tree must have none."""
    clean = {
        "compiler/passes/Passes.h": 'SKEIN_IR_PASS(SomePass, Module, "some-pass");\nvoid name();\n',
        "docs/design.md": "| `some-pass` | IR | something |\n## Three paths\n**One** (1 functions): `name`.\n",
        "test/passes/some-pass/some.ll": "",
        "runtime/abi/entry_points.h": "void __skein_some(void); /* unlike __skein_other() */\n",
        "docs/abi.md": "`__skein_some`\n",
        "runtime/base/knobs.def": "// base\nKNOB_TEXT(b, )\n// thread\nKNOB_TEXT(a, )\nKNOB_TEXT(c, )\n",
        "runtime/abi/pin_reasons.def": 'SKEIN_PIN_REASON(SOME, "x")\n',
        "docs/pitfalls.md": "`SKEIN_PIN_SOME`\n## What nobody can `see`\n",
        "README.md": "[a](docs/pitfalls.md#what-nobody-can-see), [b](docs) and [c](https://example.org/x)\n",
        "docs/wire-format.md": "## 2. Messages\nMessage version 7. As ever.\n| 0 | 1 | `version` | 7 |\n| 1 hello | 8 |\n",
        "runtime/net/wire/messages.h": "enum class MessageType { hello = 1, // first\n last = hello, };\n"
                                       "constexpr int message_version = 7;\n",
    }
    planted = [
        ("compiler/passes/ir/Other.cpp", 'RegisterPass<Other> Registered(\n    "other-pass", "Other");\n', 2),
        ("test/passes/ghost/ghost.ll", "", 1),
        ("runtime/abi/more.h", "extern unsigned __skein_more;\n", 1),
        ("runtime/base/knobs.def", "// base\nKNOB_TEXT(b, )\nKNOB_TEXT(a, )\n", 1),
        ("runtime/abi/pin_reasons.def", 'SKEIN_PIN_REASON(SOME, "x")\nSKEIN_PIN_REASON(OTHER, "y")\n', 1),
        ("compiler/driver/main.cpp", 'say("x");\n', 1),
        ("compiler/passes/attic/Old.h", "", 1),
        ("runtime/net/entry_points.h", "", 1),
        ("runtime/attic/old.h", "", 1),
        ("docs/language.md", 121 * "w" + "\n", 1),
        ("docs/design.md", "| `some-pass` |\n## Three paths\n**One** (3 functions): `name`, `other`.\n## More\n", 2),
        ("docs/wire-format.md", "## 2. Messages\nMessage version 6.\n| 0 | 1 | `version` | 7 |\n| 2 hullo | 8 |\n", 3),
        ("docs/hacking.md", "[a](abi.md#other) and [b](../docs/ghost.md), but `[c](x)`\n", 2),
        ("docs/glossary.md", "```\ndocs/d*.md docs/abi.md x/docs/y docs/ghost.c\n```\n", 1),
        ("docs/benchmarks.md", "skein bench all --out /home/somebody/bench\n", 1),
        ("docs/layers.md", "", 1),  # with a room that has no folder
    ]
    failures = []
    for path, text, expected in [("", "", 0), *planted]:
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch)
            for name, content in {**clean, **({path: text} if path else {})}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(content)
            rooms = {name: (folder, []) for name, folder in
                     (("passes", "compiler/passes"), ("abi", "runtime/abi"), ("net", "runtime/net"))}
            rooms |= {"cellar": ("runtime/cellar", [])} if path == "docs/layers.md" else {}
            if len(found := check(root, rooms)) != expected:
                failures.append(f"{path or 'clean tree'}: {found}")
    return failures


def main():
    if sys.argv[1:] == ["--self-test"]:
        complaints = self_test()
    elif len(sys.argv) == 2:
        complaints = check(pathlib.Path(sys.argv[1]), CheckLayers.ROOMS)
    else:
        sys.exit(__doc__)
    print("\n".join(complaints) or "the documents list what there is")
    sys.exit(bool(complaints))


main()

#!/usr/bin/env python3
"""Checks docs/pitfalls.md and the table of messages in docs/wire-format.md against the sources.

    messages.py ROOT

* Each message it explains (a paragraph that begins in bold, or a warning's beginning in the table) is in the sources,
  its words in capitals and dots being what the program fills in.
* Each reason of the ABI for pinning a call (SKEIN_PIN_*) is explained, with the text that the runtime gives, each
  warning of the compiler (docs/rules.md has those that the source decides), and each fault of an image.
* For each of these messages some test expects four words of it in a row, or all of it if it is shorter, so none is
  explained that no program is seen to print. UNSEEN has those for which that takes more than a test can do.
* Each type of message between nodes has its number and its name in the table, and no other.
"""
import pathlib
import re
import sys

PLACEHOLDER = re.compile(r"\b[A-Z]+\b|'[A-Z]'|`NAME`|…|0x…|=…")


UNSEEN = {
    "node N is late: … It is waited for": "the machine must be overloaded for seconds",
}
SHORT = 12  # letters; less is no evidence


def runs_of_words(message):
    """All runs of four words of the fragments of a message, or the whole ones if all are shorter."""
    parts = [part.split() for part in fragments(message)]
    runs = [" ".join(words[at:at + 4]) for words in parts for at in range(max(1, len(words) - 3))]
    return [run for run in runs if len(run) >= SHORT] or runs


def expectations(root):
    """All text of the tests but for those of the documents, with string literals that continue on the next line joined."""
    files = [path for path in sorted((root / "test").rglob("*"))
             if path.suffix in (".c", ".cpp", ".h", ".ll", ".S", ".test", ".py", ".txt") and "docs" not in path.parts]
    text = re.sub(r'"\s*\n\s*"', "", "\n".join(path.read_text() for path in files).replace('\\"', '"'))
    return " ".join(text.split())


def sources(root):
    """All text of the programs, with string literals that continue on the next line joined."""
    files = [path for folder in ("runtime", "compiler") for path in sorted((root / folder).rglob("*"))
             if path.suffix in (".cpp", ".h", ".c")]
    text = "\n".join(path.read_text() for path in files)
    text = re.sub(r'"\s*\n\s*"', "", text)
    return text.replace('\\"', '"')


def fragments(message):
    for part in PLACEHOLDER.split(message):
        part = part.strip(" ,:;()")
        if len(part) >= 6:
            yield part


def main():
    root = pathlib.Path(sys.argv[1])
    page, code = (root / "docs/pitfalls.md").read_text(), sources(root)
    wrong = []

    messages = [" ".join(found.split()) for found in re.findall(r"^\*\*(.+?)\*\*", page, re.MULTILINE | re.DOTALL)]
    warnings = re.findall(r"^\| `-Wskein-[a-z-]+` \| (.*?) \|", page, re.MULTILINE)
    messages += [text for cell in warnings for text in cell.split("; ")]
    for message in messages:
        for part in fragments(message):
            if part not in code:
                wrong.append(f"no program says '{part}' (of '{message}')")

    listed = re.findall(r'^SKEIN_PIN_REASON\(\w+, "(.*?)"\)', (root / "runtime/abi/pin_reasons.def").read_text(), re.MULTILINE)
    expected = expectations(root)
    for message in messages + listed:
        seen = any(run in expected for run in runs_of_words(message))
        if seen == (message in UNSEEN):
            wrong.append(f"a test expects '{message}', which is UNSEEN" if seen else f"no test expects '{message}'")

    reasons = dict((name, text) for text, name in re.findall(r"^\| (.*?) \| `(SKEIN_PIN_\w+)` \|", page, re.MULTILINE))
    listed = re.findall(r'^SKEIN_PIN_REASON\((\w+), "(.*?)"\)', (root / "runtime/abi/pin_reasons.def").read_text(), re.MULTILINE)
    for name, text in ((f"SKEIN_PIN_{name}", text) for name, text in listed):
        if reasons.get(name) != text:
            wrong.append(f"{name} is explained as '{reasons.get(name)}', but the runtime says '{text}'")
    if len(listed) != len(reasons):
        wrong.append(f"{len(reasons)} reasons are explained, but there are {len(listed)}")
    rows = (root / "compiler/rules/Warnings.def").read_text()
    rules = (root / "docs/rules.md").read_text()
    for kind, name in re.findall(r'^SKEIN_(WARNING|RULE)\(\w+, "([a-z-]+)"', rows, re.MULTILINE):
        if (f"`-Wskein-{name}`" not in page) if kind == "WARNING" else (f"\n## {name}\n" not in rules):
            wrong.append(f"-Wskein-{name} is not explained")
    faults = re.search(r"const char \*image_fault_name.*?^}", (root / "runtime/migrate/image_check.cpp").read_text(), re.MULTILINE | re.DOTALL)
    for name in re.findall(r'return "(.*?)"', faults[0]):
        if name not in ("none", "?") and f"`{name}`" not in page:
            wrong.append(f"the fault '{name}' of an image is not explained")

    text = re.sub(r"//.*", "", (root / "runtime/net/wire/messages.h").read_text())
    listed, number = {}, 0
    for name, given in re.findall(r"^ +(\w+)(?: = (\w+))?,", re.search(r"enum class MessageType.*?};", text, re.DOTALL)[0], re.MULTILINE):
        number = int(given) if given.isdigit() else number + 1
        if name != "last":
            listed[number] = name.replace("_", " ")
    table = (root / "docs/wire-format.md").read_text().split("## 2. Messages between nodes")[1].split("## 3.")[0]
    rows = {int(number): name for number, name in re.findall(r"^\| (\d+) ([a-z ]+?) \|", table, re.MULTILINE)}
    for number in sorted(listed.keys() | rows.keys()):
        if listed.get(number) != rows.get(number):
            wrong.append(f"message {number} is '{listed.get(number)}' in messages.h and '{rows.get(number)}' in wire-format.md")

    print("\n".join(wrong))
    print(f"{len(messages)} messages, {len(reasons)} reasons; {len(wrong)} complaints")
    sys.exit(1 if wrong or not messages or not reasons else 0)


if __name__ == "__main__":
    main()

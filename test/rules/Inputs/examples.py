"""Checks that docs/rules.md tells the truth: of each rule, the wrong program is found by it, and the right one by no rule
that is on by default, nor by this rule at all; and both compile.

    examples.py skein-check skeincc
"""
import subprocess
import sys
import tempfile

check, compiler = sys.argv[1:3]


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


rules = [line.split()[0] for line in output(check, "--list-rules").stdout.splitlines()]
assert len(rules) > 10, rules
bad = 0
with tempfile.TemporaryDirectory() as folder:
    for rule in rules:
        for which in ("wrong", "right"):
            path = f"{folder}/{which}-{rule}.c"
            with open(path, "w") as file:
                file.write(output(check, f"--example={which}:{rule}").stdout)
            compiled = output(compiler, "-c", "-Wno-skein", "-Wno-unused-result", "-o", "/dev/null", path)
            own = output(check, "--quiet", "--pedantic", f"--rules={rule}", path, "--")
            others = output(check, "--quiet", path, "--")
            problems = []
            if compiled.returncode or compiled.stdout:
                problems.append("does not compile without a warning:\n" + compiled.stdout)
            if which == "wrong" and (own.returncode != 1 or f"[skein-{rule}" not in own.stdout):
                problems.append("is not found:\n" + own.stdout)
            if which == "right" and (own.returncode or others.returncode):
                problems.append("is found:\n" + own.stdout + others.stdout)
            for problem in problems:
                print(f"the {which} program of {rule} {problem}")
                bad += 1
print(f"{len(rules)} rules, {bad} bad examples")
sys.exit(bad != 0)

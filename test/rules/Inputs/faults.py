"""Programs that are wrong in one way each: which of them their rule finds.

    faults.py skein-check skeincc faults.txt
"""
import concurrent.futures
import os
import subprocess
import sys
import tempfile

check, compiler, list_file = sys.argv[1:4]
sections = open(list_file).read().split("\n== ")[1:]
headers = sections[0].split("\n", 1)[1]
faults = [(*section.split("\n", 1)[0].split(": ", 1), section.split("\n", 1)[1]) for section in sections[1:]]


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def judge(number):
    rule, what, text = faults[number]
    path = f"{folder}/{number}.c"
    with open(path, "w") as file:
        file.write(headers + text + "\n")
    compiled = output(compiler, "-c", "-Wno-skein", "-w", "-o", "/dev/null", path)
    if compiled.returncode:
        return f"does not compile: {rule}: {what}\n{compiled.stdout}"
    found = output(check, "--quiet", "--pedantic", f"--rules={rule}", path, "--")
    return None if f"[skein-{rule}" in found.stdout else f"not found: {rule}: {what}\n{found.stdout}"


with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    problems = [problem for problem in pool.map(judge, range(len(faults))) if problem]
for problem in problems:
    print(problem)
print(f"{len(faults)} faults, {len(faults) - len(problems)} found")

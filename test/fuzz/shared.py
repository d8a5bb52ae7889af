#!/usr/bin/env python3
"""Random programs over shared memory, without data races: the same results on one node, two and four.

    shared.py [--build build/dev] [--first SEED] [--count N] [--shard I/N] [--save FOLDER]

A program has a few threads that go through phases between barriers. In each phase each block (on some node, or a distributed
array; cached in some way) has a role, which says who may touch what, so that results do not depend on who comes first:

    mine      element i belongs to one thread; others have its neighbours
    read      nobody writes, all read
    locked    any element, under a mutex over nodes, by sums
    atomic    any element, by atomic additions
    handed    the threads take turns, by semaphores over nodes

Between any two statements a thread may move to a random node, yield, call a function that does so, or spawn a child and join it.
Each program is run alone, on two nodes with mapped slices, on four by messages with delays, with copies of 16 KiB, and at one
of four optimisation levels. Seeds rotate as in fuzz.py; a failure comes with the command that repeats it.
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

PROLOGUE = """
#include "abi/entry_points.h"
#include <skein/global.h>
#include <skein/shared_array.h>
#include <skein/shared_cache.h>
#include <stdio.h>
#include <stdlib.h>

typedef unsigned long word;
struct pair { unsigned char small; unsigned short half; word whole; };
typedef skein_shared struct shape shape;

static void go(int to) {
  skein_push_self(to % skein_nodes()); /* or stays: a refusal is a right answer */
}
static word mix(word a, word b) { return (a ^ (b >> 7)) * 0x9e3779b97f4a7c15ul + b; }
static word walk(word value, int depth, int to) { /* pointers to the stack, in several frames, while it moves */
  word kept[3] = {value, value * 3, (word)depth}, *inner = &kept[depth % 3];
  if (depth == 2)
    go(to);
  if (depth > 0)
    *inner = mix(*inner, walk(value + (word)depth, depth - 1, to));
  return kept[0] ^ kept[1] ^ kept[2];
}
"""

TYPES = ["unsigned char", "unsigned short", "unsigned", "word", "struct pair"]
ROLES = ["mine", "mine", "read", "locked", "atomic", "handed"]


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.threads = self.random.randint(2, 4)
        self.phases = self.random.randint(2, 3)
        self.blocks = []
        for i in range(self.random.randint(2, 3)):
            self.blocks.append({
                "type": self.random.choice(TYPES), "count": self.random.choice([1, 7, 40, 150]),
                "node": self.random.randint(0, 3), "mode": self.random.choice([0, 2, 3, 3]),
                "array": self.random.choice([None, None, None, 0, 1, 5]), "name": f"b{i}"})
        self.out = []

    def say(self, depth, text):
        self.out.append("  " * depth + text)

    # --- expressions and elements ----------------------------------------------------------------------------------

    def at(self, block, index):
        if block["array"] is None:
            return f"s->{block['name']}[{index}]"
        return f"(*(skein_shared {block['type']} *)skein_array_at(&a_{block['name']}, {index}))"

    def value(self, block, index):
        element = self.at(block, index)
        if block["type"] != "struct pair":
            return f"(word){element}"
        return f"({element}.small + {element}.half * 3ul + {element}.whole)"

    def assign(self, depth, block, index, value):
        element = self.at(block, index)
        if block["type"] != "struct pair":
            self.say(depth, f"{element} = ({block['type']})({value});")
        elif self.random.random() < 0.5:
            self.say(depth, f"{{ struct pair copy = {element}; copy.small++; copy.half ^= 5; copy.whole = {value}; {element} = copy; }}")
        else:
            self.say(depth, f"{element}.{self.random.choice(['small', 'half', 'whole'])} += {value};")

    # --- statements ------------------------------------------------------------------------------------------------

    def wander(self, depth):
        choice = self.random.random()
        if choice < 0.35:
            self.say(depth, f"go({self.random.randint(0, 3)});")
        elif choice < 0.5:
            self.say(depth, f"local = mix(local, walk(local, {self.random.randint(0, 5)}, {self.random.randint(0, 3)}));")
        elif choice < 0.6:
            self.say(depth, "skein_yield();")
        elif choice < 0.65:
            self.say(depth, f"{{ int hint = {self.random.randint(0, 3)}; if (skein_node() != hint % skein_nodes()) go(hint); }}")

    def statement(self, depth, block, role, thread, child):
        count, r = block["count"], self.random
        if role == "mine":
            self.say(depth, f"for (int i = {thread}; i < {count}; i += {self.threads}) {{")
            if r.random() < 0.15:
                self.say(depth + 1, f"if (i % {r.randint(20, 90)} == {thread}) go(i);")
            self.assign(depth + 1, block, "i", f"mix({self.value(block, 'i')}, local + (word)i)")
            self.say(depth, "}")
            self.say(depth, f"if ({thread} < {count}) local += {self.value(block, thread)};" if count > thread else ";")
        elif role == "read":
            step = r.randint(1, 1 + count // 20)
            self.say(depth, f"for (int i = {r.randint(0, count - 1)}; i < {count}; i += {step})")
            self.say(depth + 1, f"local = mix(local, {self.value(block, 'i')});")
        elif role == "locked":
            self.say(depth, "if (skein_global_mutex_lock(s->mutex)) exit(4);")
            for _ in range(r.randint(1, 3)):
                index = r.randint(0, count - 1)
                element = self.at(block, index) + (".whole" if block["type"] == "struct pair" else "")
                self.say(depth, f"{element} += {r.randint(1, 1000)};")
                if r.random() < 0.3:
                    self.wander(depth)
            self.say(depth, "if (skein_global_mutex_unlock(s->mutex)) exit(4);")
        elif role == "atomic":
            size = f"sizeof({block['type']})"
            for _ in range(r.randint(1, 4)):
                index = r.randint(0, count - 1)
                address = f"&{self.at(block, index)}" + (".whole" if block["type"] == "struct pair" else "")
                size = "8" if block["type"] == "struct pair" else size
                order = r.choice(["__ATOMIC_RELAXED", "__ATOMIC_SEQ_CST", "__ATOMIC_ACQ_REL"])
                self.say(depth, f"__skein_shared_atomic((uint64_t)({address}), {r.randint(1, 1000)}, 0, "
                                f"SKEIN_ATOMIC_ADD | {size} << 8 | {order} << 16);")
        del child

    def phase(self, phase):
        roles = {block["name"]: self.random.choice(ROLES) for block in self.blocks}
        if sum(role == "handed" for role in roles.values()) > 1:  # one chain of semaphores
            first = True
            for name, role in roles.items():
                if role == "handed" and not first:
                    roles[name] = "mine"
                first = first and role != "handed"
        for thread in range(self.threads):
            child = self.random.random() < 0.4
            if child:  # a part of what the thread does, done by a child
                self.say(0, f"static void child_{phase}_{thread}(shape *s) {{")
                self.say(1, "word local = 5;")
                self.views(1)
                self.body(phase, thread, roles, only=["mine", "locked", "atomic"], most=2)
                self.say(1, "(void)local;")
                self.say(0, "}")
            self.say(0, f"static word phase_{phase}_{thread}(shape *s, word local) {{")
            self.views(1)
            if child:
                self.say(1, f"skein_thread_t born = skein_spawn(child_{phase}_{thread}, s);")
                self.say(1, "if (skein_join(born)) exit(5);")
            self.body(phase, thread, roles)
            self.say(1, "return local;")
            self.say(0, "}")

    def views(self, depth):
        for block in self.blocks:
            if block["array"] is not None:
                self.say(depth, f"skein_array_t a_{block['name']} = s->{block['name']};")
                self.say(depth, f"(void)a_{block['name']};")

    def body(self, phase, thread, roles, only=None, most=None):
        chosen = [b for b in self.blocks if not only or roles[b["name"]] in only]
        statements = [self.random.choice(chosen) for _ in range(self.random.randint(1, most or 6))] if chosen else []
        if not only:
            handed = [b for b in self.blocks if roles[b["name"]] == "handed"]
            statements = [b for b in statements if roles[b["name"]] != "handed"]
            for block in handed:
                statements.insert(self.random.randint(0, len(statements)), block)
        for block in statements:
            if roles[block["name"]] == "handed":
                if thread:
                    self.say(1, f"if (skein_semaphore_wait(s->turn[{phase * self.threads + thread}])) exit(6);")
                for _ in range(3):
                    index, other = (self.random.randint(0, block["count"] - 1) for _ in range(2))
                    self.assign(1, block, index, f"mix({self.value(block, other)}, {thread + 1})")
                    if self.random.random() < 0.3:
                        self.wander(1)
                if thread + 1 < self.threads:
                    self.say(1, f"if (skein_semaphore_signal(s->turn[{phase * self.threads + thread + 1}])) exit(6);")
            else:
                self.statement(1, block, roles[block["name"]], thread, only is not None)
            self.wander(1)

    def generate(self):
        for phase in range(self.phases):
            self.phase(phase)
        functions, self.out = self.out, []
        self.say(0, "struct shape {")
        for block in self.blocks:
            if block["array"] is None:
                self.say(1, f"skein_shared {block['type']} *{block['name']};")
            else:
                self.say(1, f"skein_array_t {block['name']};")
        self.say(1, "skein_global_mutex_t mutex; skein_global_barrier_t barrier;")
        self.say(1, f"skein_semaphore_t turn[{self.phases * self.threads}]; word results[{self.threads}];")
        self.say(0, "};")
        self.out += functions
        for thread in range(self.threads):
            self.say(0, f"static void thread_{thread}(shape *s) {{")
            self.say(1, f"word local = {self.random.randint(1, 9999)};")
            for phase in range(self.phases):
                self.say(1, f"local = phase_{phase}_{thread}(s, local);")
                self.say(1, "if (skein_global_barrier_wait(s->barrier)) exit(7);")
            self.say(1, f"s->results[{thread}] = local;")
            self.say(0, "}")
        self.say(0, "int main(void) {")
        self.say(1, f"shape *s = skein_shared_alloc({self.random.randint(0, 3)} % skein_nodes(), sizeof(struct shape));")
        for block in self.blocks:
            name, bytes_ = block["name"], f"{block['count']} * sizeof({block['type']})"
            if block["array"] is None:
                self.say(1, f"s->{name} = skein_shared_alloc({block['node']} % skein_nodes(), {bytes_});")
                if block["mode"]:
                    self.say(1, f"if (skein_shared_cache(s->{name}, {bytes_}, (enum skein_cache){block['mode']})) exit(8);")
            else:
                self.say(1, f"{{ skein_array_t a; if (skein_array_create(&a, {block['count']}, sizeof({block['type']}), {block['array']})) exit(9);")
                if block["mode"]:
                    self.say(2, f"for (size_t i = 0; i < a.count; i += skein_array_run(&a, i))")
                    self.say(3, f"if (skein_shared_cache(skein_array_at(&a, i), skein_array_run(&a, i) * a.bytes, (enum skein_cache){block['mode']})) exit(8);")
                self.say(2, f"s->{name} = a; }}")
        self.say(1, f"s->mutex = skein_global_mutex_create({self.random.randint(0, 3)} % skein_nodes());")
        self.say(1, f"s->barrier = skein_global_barrier_create({self.random.randint(0, 3)} % skein_nodes(), {self.threads});")
        self.say(1, f"for (int i = 0; i < {self.phases * self.threads}; i++) s->turn[i] = skein_semaphore_create(0);")
        self.say(1, f"skein_thread_t threads[{self.threads}];")
        for thread in range(self.threads):
            self.say(1, f"threads[{thread}] = skein_spawn(thread_{thread}, s);")
        self.say(1, f"for (int i = 0; i < {self.threads}; i++) if (skein_join(threads[i])) exit(10);")
        self.say(1, f"for (int i = 0; i < {self.threads}; i++) printf(\"thread %d: %lx\\n\", i, s->results[i]);")
        self.views(1)
        for block in self.blocks:
            self.say(1, f"{{ word sum = 0; for (int i = 0; i < {block['count']}; i++) sum = mix(sum, {self.value(block, 'i')});")
            self.say(2, f"printf(\"{block['name']}: %lx\\n\", sum); }}")
        self.say(1, "return 0;")
        self.say(0, "}")
        return PROLOGUE + "\n".join(self.out) + "\n"


SECONDS = 150  # of a compilation or a run
RUNS = [
    (2, "steal=on"),
    (2, "shared=remote,shared_cache=16K"),
    (4, "shared=remote,net_delay_us=60"),
]


def command(build, nodes, options, program):
    return ["env", f"SKEIN_OPTIONS={options}", f"{build}/bin/skein", "run", "-n", str(nodes), "--timeout", "60", program]


def run(command_line):
    try:
        done = subprocess.run(command_line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return 124, f"no end after {SECONDS} s\n"
    return done.returncode, done.stdout.decode(errors="replace")


def check(seed, build, folder):
    """None, or what is wrong."""
    source, program = os.path.join(folder, f"shared-{seed}.c"), os.path.join(folder, f"shared-{seed}")
    with open(source, "w") as file:
        file.write(Program(seed).generate())
    level = ["-O0", "-O1", "-O2", "-O3"][seed % 4]
    code, text = run([f"{build}/bin/skeincc", level, "-w", f"-I{ROOT}/runtime", source, "-o", program])
    if code:
        return f"does not compile:\n{text}"
    wanted_code, wanted = run(command(build, 1, "steal=on", program))
    if wanted_code:
        return f"status {wanted_code} on one node:\n{wanted}"
    for nodes, options in RUNS:
        code, text = run(command(build, nodes, options, program))
        if (code, text) != (0, wanted):
            return f"{level}, {nodes} nodes, {options}: status {code}\n{text}instead of\n{wanted}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build/dev")
    chosen = os.environ.get("SKEIN_FUZZ_SEED")
    parser.add_argument("--first", type=int, default=int(chosen) if chosen else int(time.time() // 86400) * 1000)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--shard", default="1/1")
    parser.add_argument("--save", help="keep programs that fail here")
    parser.add_argument("--print", type=int, help="print the program of a seed")
    options = parser.parse_args()
    if options.print is not None:
        print(Program(options.print).generate())
        return 0
    part, parts = map(int, options.shard.split("/"))
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.first + part - 1, options.first + options.count, parts):
            problem = check(seed, os.path.abspath(options.build), options.save or folder)
            if problem:
                wrong += 1
                print(f"seed {seed}: {problem}\nagain: {sys.argv[0]} --first {seed} --count 1 --save .", flush=True)
    print(f"{options.count} programs from seed {options.first}, {wrong} wrong")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())

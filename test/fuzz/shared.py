#!/usr/bin/env python3
"""Random programs over shared memory, without data races: the same results on one node, two and four.

    shared.py [--build build/dev] [--first SEED] [--count N] [--shard I/N] [--save FOLDER]

A program has a few threads that go through phases between barriers. In each phase each block (on some node, or a distributed
array; cached in some way) has a role, which says who may touch what, so that results do not depend on who comes first:

    mine      element i belongs to one thread; others have its neighbours
    slab      so does a piece of neighbours: copied as a whole, filled, moved, put and waited for, in loops that vectorise
    read      nobody writes, all read
    locked    any element, under a mutex over nodes, by sums
    atomic    any element, by atomic additions
    handed    the threads take turns, by semaphores over nodes

Between any two statements a thread may move to a random node, follow data, prefetch some, yield, call a function that does so, or
spawn a child and join it. Phases end in a barrier, a reduction, a broadcast or a latch. A list winds through all nodes. Each program is
run alone, on two nodes with mapped slices, on four by messages with delays, with copies of 16 KiB, with threads that follow data by
themselves, and compiled at one of four levels of optimisation, with and without polls. Seeds rotate as in fuzz.py; a failure comes with the command that repeats it.
"""
import argparse
import glob
import os
import random
import shutil
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
#include <skein/shared_copy.h>
#include <skein/shared_follow.h>
#include <stdio.h>
#include <stdlib.h>

typedef unsigned long word;
struct pair { unsigned char small; unsigned short half; word whole; };
struct bits { unsigned five : 5, eleven : 11; long forty : 40; _Bool odd; signed char tail; };
struct nest { char text[7]; struct pair in[2]; union { float real; unsigned bits; } either; };
struct link { word value; skein_shared struct link *next; };
typedef skein_shared struct shape shape;

static void go(int to) {
  skein_push_self(to % skein_nodes()); /* or stays: a refusal is a right answer */
}
static word mix(word a, word b) { return (a ^ (b >> 7)) * 0x9e3779b97f4a7c15ul + b; }
static word along(skein_shared struct link *list, int every, int to) {
  word sum = 1;
  for (int i = 0; list; list = list->next, i++) {
    sum = mix(sum, list->value);
    if (every && i % every == every - 1)
      go(to + i);
  }
  return sum;
}
static word walk(word value, int depth, int to) { /* pointers to the stack, in several frames, while it moves */
  word kept[3] = {value, value * 3, (word)depth}, *inner = &kept[depth % 3];
  if (depth == 2)
    go(to);
  if (depth > 0)
    *inner = mix(*inner, walk(value + (word)depth, depth - 1, to));
  return kept[0] ^ kept[1] ^ kept[2];
}
"""

# What a type's value is, what may be set in it, its word for sums, and whether that can be an atomic one.
STRUCTS = {
    "struct pair": ("{0}.small + {0}.half * 3ul + {0}.whole", ["small", "half", "whole"], "whole", True),
    "struct bits": ("{0}.five + {0}.eleven * 3ul + (word){0}.forty * 5ul + {0}.odd + (word){0}.tail", ["five", "eleven", "forty", "tail"],
                    "eleven", False),
    "struct nest": ("(word){0}.text[5] + {0}.in[0].half * 3ul + {0}.in[1].whole + {0}.either.bits",
                    ["text[5]", "in[0].half", "in[1].whole", "either.bits"], "in[1].whole", True),
}
TYPES = ["unsigned char", "unsigned short", "unsigned", "word", *STRUCTS]
ROLES = ["mine", "slab", "slab", "read", "locked", "atomic", "handed"]


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
        if block["type"] in STRUCTS:
            return "(" + STRUCTS[block["type"]][0].format(element) + ")"
        return f"(word){element}"

    def summed(self, block, index):
        """What of an element sums are made of."""
        element = self.at(block, index)
        return f"{element}.{STRUCTS[block['type']][2]}" if block["type"] in STRUCTS else element

    def assign(self, depth, block, index, value):
        element, kind = self.at(block, index), block["type"]
        if kind not in STRUCTS:
            self.say(depth, f"{element} = ({kind})({value});")
            return
        fields = STRUCTS[kind][1]
        if self.random.random() < 0.5:
            self.say(depth, f"{{ {kind} copy = {element}; copy.{fields[0]}++; copy.{fields[1]} ^= 5; copy.{fields[-1]} = {value}; {element} = copy; }}")
        else:
            self.say(depth, f"{element}.{self.random.choice(fields)} += {value};")

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
        elif choice < 0.8:
            block = self.random.choice(self.blocks)
            self.hint(depth, block, self.random.randint(0, block["count"] - 1))

    def hint(self, depth, block, index):
        place = f"&{self.at(block, index)}"
        if self.random.random() < 0.5:
            self.say(depth, f"skein_follow({place}, {self.random.choice([0, 8, 5000])});")
        else:
            self.say(depth, f"skein_shared_prefetch({place}, sizeof({block['type']}));")

    def slab(self, depth, block, thread):
        r, kind, count = self.random, block["type"], block["count"]
        begin, end = count * thread // self.threads, count * (thread + 1) // self.threads
        if begin == end:
            return
        form = r.choice(["loop", "loop", "copy", "fill", "shift", "put", "sum"])
        if block["array"] is not None or (kind in STRUCTS and form in ("loop", "put")):
            self.say(depth, f"for (int i = {begin}; i < {end}; i++) {{")
            self.assign(depth + 1, block, "i", f"mix({self.value(block, 'i')}, local * (word)i)")
            self.say(depth, "}")
            return
        here, bytes_ = f"(s->{block['name']} + {begin})", f"{end - begin} * sizeof({kind})"
        if form == "loop":  # as the vectoriser likes it
            self.say(depth, f"{{ skein_shared {kind} *p = {here}; {kind} by = ({kind})local;")
            self.say(depth + 1, f"for (int i = 0; i < {end - begin}; i++) p[i] = ({kind})(p[i] * {r.randint(2, 9)} + by); }}")
        elif form == "copy":
            self.say(depth, f"{{ {kind} mine[{end - begin}]; memcpy(mine, {here}, {bytes_});")
            self.wander(depth + 1)
            self.say(depth + 1, f"for (int i = 1; i < {end - begin}; i += 2) {{ {kind} was = mine[i]; mine[i] = mine[i - 1]; mine[i - 1] = was; }}")
            self.say(depth + 1, f"memcpy({here}, mine, {bytes_}); }}")
        elif form == "fill":
            self.say(depth, f"memset({here}, {r.choice([0, 1])}, {bytes_});")
        elif form == "shift":
            self.say(depth, f"memmove({here} + 1, {here}, {end - begin - 1} * sizeof({kind}));")
        elif form == "put":
            self.say(depth, f"{{ {kind} mine[{end - begin}]; for (int i = 0; i < {end - begin}; i++) mine[i] = ({kind})(local + (word)i);")
            self.say(depth + 1, f"skein_pending_t put = skein_shared_put_start({here}, mine, {bytes_});")
            self.wander(depth + 1)
            self.say(depth + 1, "if (skein_pending_wait(put)) exit(11); }")
        else:
            self.say(depth, f"for (int i = {begin}; i < {end}; i++) local += {self.value(block, 'i')};")

    def statement(self, depth, block, role, thread, child):
        count, r = block["count"], self.random
        if role == "mine":
            self.say(depth, f"for (int i = {thread}; i < {count}; i += {self.threads}) {{")
            if r.random() < 0.15:
                self.say(depth + 1, f"if (i % {r.randint(20, 90)} == {thread}) go(i);")
            self.assign(depth + 1, block, "i", f"mix({self.value(block, 'i')}, local + (word)i)")
            self.say(depth, "}")
            self.say(depth, f"if ({thread} < {count}) local += {self.value(block, thread)};" if count > thread else ";")
        elif role == "slab":
            self.slab(depth, block, thread)
        elif role == "read":
            step = r.randint(1, 1 + count // 20)
            self.say(depth, f"for (int i = {r.randint(0, count - 1)}; i < {count}; i += {step})")
            self.say(depth + 1, f"local = mix(local, {self.value(block, 'i')});")
        elif role == "locked":
            self.say(depth, "if (skein_global_mutex_lock(s->mutex)) exit(4);")
            for _ in range(r.randint(1, 3)):
                index = r.randint(0, count - 1)
                self.say(depth, f"{self.summed(block, index)} += {r.randint(1, 1000)};")
                if r.random() < 0.3:
                    self.wander(depth)
            self.say(depth, "if (skein_global_mutex_unlock(s->mutex)) exit(4);")
        elif role == "atomic":
            size = "8" if block["type"] in STRUCTS else f"sizeof({block['type']})"
            word = "word" if block["type"] in STRUCTS else block["type"]
            for _ in range(r.randint(1, 4)):
                address = f"&{self.summed(block, r.randint(0, count - 1))}"
                order = r.choice(["__ATOMIC_RELAXED", "__ATOMIC_SEQ_CST", "__ATOMIC_ACQ_REL"])
                number = r.randint(1, 1000)
                self.say(depth, r.choice([
                    f"__skein_shared_atomic((uint64_t)({address}), {number}, 0, SKEIN_ATOMIC_ADD | {size} << 8 | {order} << 16);",
                    f"__atomic_fetch_add({address}, ({word}){number}, {order});",
                    f"*(skein_shared _Atomic({word}) *){address} += ({word}){number};",
                    f"{{ {word} was = __atomic_load_n({address}, __ATOMIC_RELAXED); while (!__atomic_compare_exchange_n({address}, &was, ({word})(was + {number}), 0, "
                    f"__ATOMIC_SEQ_CST, __ATOMIC_RELAXED)); }}"]))
        del child

    def phase(self, phase):
        roles = {block["name"]: self.random.choice(ROLES) for block in self.blocks}
        for block in self.blocks:
            if roles[block["name"]] == "atomic" and block["type"] in STRUCTS and not STRUCTS[block["type"]][3]:
                roles[block["name"]] = "locked"
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
                self.body(phase, thread, roles, only=["locked", "atomic"], most=2)
                self.say(1, "(void)local;")
                self.say(0, "}")
            self.say(0, f"static word phase_{phase}_{thread}(shape *s, word local) {{")
            self.views(1)
            if child:
                self.say(1, f"skein_thread_t born = skein_spawn(child_{phase}_{thread}, s);")
                self.say(1, "if (skein_join(born)) exit(5);")
            self.body(phase, thread, roles)
            if self.random.random() < 0.4:
                self.say(1, f"local += along(s->list, {self.random.choice([0, 3, 10])}, {self.random.randint(0, 3)});")
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

    def meet(self, phase, thread):
        """The end of a phase: nobody goes on before all are here."""
        how = self.meetings[phase]
        if how == "barrier":
            self.say(1, "if (skein_global_barrier_wait(s->meeting)) exit(7);")
        elif how in ("sum", "max"):
            self.say(1, f"{{ int64_t all = (int64_t)(local & 0xffffff); if (skein_reduce_int64(s->meeting, "
                        f"SKEIN_REDUCE_{'ADD' if how == 'sum' else 'MAX'}, &all, 1)) exit(7); local = mix(local, (word)all); }}")
        elif how == "send":
            sender = phase % self.threads
            call = "skein_broadcast_send" if thread == sender else "skein_broadcast_receive"
            self.say(1, f"{{ word news[3] = {{local, 1, 2}}; if ({call}(s->meeting, news, sizeof news)) exit(7); local = mix(local, news[0]); }}")
        else:
            self.say(1, f"if (skein_global_latch_down(s->latch[{phase}], 1) || skein_global_latch_wait(s->latch[{phase}])) exit(7);")

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
        self.say(1, "skein_global_mutex_t mutex; skein_reduction_t meeting; skein_shared struct link *list;")
        self.say(1, f"skein_global_latch_t latch[{self.phases}];")
        self.say(1, f"skein_semaphore_t turn[{self.phases * self.threads}]; word results[{self.threads}];")
        self.say(0, "};")
        self.out += functions
        self.meetings = [self.random.choice(["barrier", "sum", "max", "send", "latch"]) for _ in range(self.phases)]
        for thread in range(self.threads):
            self.say(0, f"static void thread_{thread}(shape *s) {{")
            self.say(1, f"word local = {self.random.randint(1, 9999)};")
            for phase in range(self.phases):
                self.say(1, f"local = phase_{phase}_{thread}(s, local);")
                self.meet(phase, thread)
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
        self.say(1, f"s->meeting = skein_reduction_create({self.random.randint(0, 3)} % skein_nodes(), {self.threads});")
        self.say(1, f"for (int i = 0; i < {self.phases}; i++) s->latch[i] = skein_global_latch_create(i % skein_nodes(), {self.threads});")
        self.say(1, f"for (int i = 0; i < {self.random.choice([5, 60])}; i++) {{")
        self.say(2, f"skein_shared struct link *one = skein_shared_alloc(i / {self.random.choice([1, 7])} % skein_nodes(), sizeof *one);")
        self.say(2, "one->value = (word)i * 77;")
        self.say(2, "one->next = s->list;")
        self.say(2, "s->list = one;")
        self.say(1, "}")
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
    (3, "shared=remote,policy=follow"),
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
    polls = ["-fskein-polls=loops"] if seed % 3 == 1 else []
    code, text = run([f"{build}/bin/skeincc", level, *polls, "-w", f"-I{ROOT}/runtime", source, "-o", program])
    if code:
        return f"does not compile:\n{text}"
    wanted_code, wanted = run(command(build, 1, "steal=on", program))
    if wanted_code:
        return f"status {wanted_code} on one node:\n{wanted}"
    for nodes, options in RUNS:
        code, text = run(command(build, nodes, options, program))
        if (code, text) != (0, wanted):
            return f"{' '.join([level, *polls])}, {nodes} nodes, {options}: status {code}\n{text}instead of\n{wanted}"
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
    if options.save:
        os.makedirs(options.save, exist_ok=True)
    part, parts = map(int, options.shard.split("/"))
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.first + part - 1, options.first + options.count, parts):
            problem = check(seed, os.path.abspath(options.build), folder)
            for made in glob.glob(os.path.join(folder, "*")):
                if problem and options.save:
                    shutil.move(made, os.path.join(options.save, os.path.basename(made)))
                else:
                    os.remove(made)
            if problem:
                wrong += 1
                print(f"seed {seed}: {problem}\nagain: {sys.argv[0]} --first {seed} --count 1 --save .", flush=True)
    print(f"{options.count} programs from seed {options.first}, {wrong} wrong")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Programs for relocation stress that csmith does not make: `generator.py SEED` prints one.

A program is a handful of functions that call each other, and themselves, until their fuel is used up, and hand each other
addresses of their locals in every way that C has. It prints a checksum of all it computed. Each seed switches a random
subset of FEATURES on (swarm testing): with all of them in each program, the one that pins threads would hide the others.

Free of undefined behaviour by construction:

* Numbers are computed in uint64_t; divisors are odd, shift counts masked, doubles kept small.
* A pointer always leads to a living object. Every place has a *level*: GLOBAL < PARAMETER (what a parameter leads to) <
  LOCAL (the function's outermost block) < deeper blocks. A pointer at level n may be given an address of a level <= n.
* Where a pointer to a local goes further out (the slots and chains of `struct ctx` and of the globals), the function puts
  back what was there before it returns; a function that catches a longjmp puts back all of them.
* No output depends on an address: pointers are only compared, subtracted within an array and dereferenced.

Every function begins with ENTER, which returns when the fuel is used up, so that a program ends after some hundred calls.
"""
import sys

from expressions import GLOBAL, INTEGERS, LOCAL, PARAMETER, Struct, Variable
from statements import Statements

HEAD = """\
#include <alloca.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t u64;
typedef unsigned vec __attribute__((vector_size(16)));

struct link { /* a list whose nodes are locals of the functions that are active */
  struct link *up;
  u64 *value;
  u64 own;
};

struct ctx { /* main's; every function is handed its address */
  int fuel;
  u64 sum;
  u64 *slot[4];
  struct link *chain;
  jmp_buf *handler;
  void **builtin_handler;
};

static u64 global_number[4] = {3, 1, 4, 1};
static u64 *global_slot[4] = {&global_number[0], &global_number[1], &global_number[2], &global_number[3]};
static struct link *global_chain, *global_list;

#define ENTER(otherwise)                                                                                               \\
  do {                                                                                                                 \\
    if (c->fuel <= 0)                                                                                                  \\
      return otherwise;                                                                                                \\
    c->fuel--;                                                                                                         \\
  } while (0)

typedef u64 (*action)(struct ctx *c, u64 x, u64 *p);

static void mix(struct ctx *c, u64 value) { c->sum = (c->sum ^ value) * 0x9E3779B97F4A7C15u + (c->sum >> 29); }

static double small(double d) { return d > -1e6 && d < 1e6 ? d : 1.5; }

__attribute__((noinline)) static u64 walk_chain(struct ctx *c, struct link *from) {
  u64 all = 0;
  for (int i = 0; from && i < 6; from = from->up, i++)
    all = all * 31 + *from->value + from->own;
  mix(c, all);
  return all;
}

/* In no function that calls __builtin_setjmp, as that demands. */
__attribute__((noinline, noreturn)) static void throw_builtin(struct ctx *c) { __builtin_longjmp(c->builtin_handler, 1); }

static int compare_numbers(const void *a, const void *b) {
  u64 x = *(const u64 *)a, y = *(const u64 *)b;
  return (x > y) - (x < y);
}

static int compare_targets(const void *a, const void *b) { return compare_numbers(*(u64 *const *)a, *(u64 *const *)b); }
"""


class Function:
    """A function to be: its kind decides the signature.

        action    u64 fN(struct ctx *, u64, u64 *)
        record    u64 fN(struct ctx *, u64, struct sK *, u64 *)       gets a struct by address
        value     u64 fN(struct ctx *, u64, struct sK)                gets a struct by value
        maker     struct sK fN(struct ctx *, u64, struct sK *)        returns one
        picker    u64 *fN(struct ctx *, u64, u64 *, u64 *)            returns one of its pointers
        variadic  u64 fN(struct ctx *, u64, ...)                      number of pairs (int, pointer or integer)
        catcher   u64 fN(struct ctx *, u64, u64 *)                    an action that catches longjmp
    """

    def __init__(self, name, kind, struct=None):
        self.name, self.kind, self.struct = name, kind, struct

    @property
    def head(self):
        s = self.struct.type if self.struct else ""
        return {
            "action": f"u64 {self.name}(struct ctx *c, u64 x, u64 *p)",
            "catcher": f"u64 {self.name}(struct ctx *c, u64 x, u64 *p)",
            "record": f"u64 {self.name}(struct ctx *c, u64 x, {s} *r, u64 *p)",
            "value": f"u64 {self.name}(struct ctx *c, u64 x, {s} v)",
            "maker": f"{s} {self.name}(struct ctx *c, u64 x, {s} *r)",
            "picker": f"u64 *{self.name}(struct ctx *c, u64 x, u64 *p, u64 *q)",
            "variadic": f"u64 {self.name}(struct ctx *c, u64 x, ...)",
        }[self.kind]


class Generator(Statements):
    def __init__(self, seed):
        super().__init__(seed)
        if self.features & {"setjmp", "builtin-setjmp"}:
            self.features.discard("static-pointers")  # a longjmp does not put them back
        self.structs = [Struct(self, i) for i in range(self.random.randint(1, 3))]
        if self.on("global-structs"):
            self.globals = [Variable(f"global_s{i}", struct.type, GLOBAL) for i, struct in enumerate(self.structs)]
        self.functions = self.signatures()

    def signatures(self):
        functions = [Function(f"f{i}", "action") for i in range(self.random.randint(2, 4))]
        kinds = ["record"]
        kinds += ["value"] if self.on("struct-by-value") else []
        kinds += ["maker"] if self.on("struct-result") else []
        kinds += ["picker"] if self.on("pointer-result") else []
        kinds += ["variadic"] if self.on("varargs") else []
        kinds += ["catcher"] if self.on("setjmp") or self.on("builtin-setjmp") else []
        for kind in kinds:
            struct = self.random.choice(self.structs) if kind in ("record", "value", "maker") else None
            functions.append(Function(f"{kind}{len(functions)}", kind, struct))
        return functions

    def body(self, function):
        self.scopes, self.cleanups, self.nesting = [[]], [], 0
        self.parameters = {
            "action": [Variable("p", "u64 *", PARAMETER)],
            "catcher": [Variable("p", "u64 *", PARAMETER)],
            "record": [Variable("r", function.struct.type + " *", PARAMETER) if function.struct else None,
                       Variable("p", "u64 *", PARAMETER)],
            "value": [Variable("v", function.struct.type, PARAMETER) if function.struct else None],
            "maker": [Variable("r", function.struct.type + " *", PARAMETER) if function.struct else None],
            "picker": [Variable("p", "u64 *", PARAMETER), Variable("q", "u64 *", PARAMETER)],
            "variadic": [],
        }[function.kind]
        if function.kind == "value":  # itself a local, what it leads to lives longer
            self.parameters[0].level = LOCAL
            self.scopes[0].append(self.parameters.pop())
        fallback = {"picker": "p", "maker": "*r"}.get(function.kind, "x")
        noinline = "__attribute__((noinline)) " if self.chance(0.5) else ""
        self.open(f"{noinline}static {function.head}")
        self.line(f"ENTER({fallback});")
        self.returning = {"picker": lambda: self.address(PARAMETER), "maker": lambda: "*r"}.get(
            function.kind, lambda: self.number())
        for i in range(self.random.randint(1, 3)):
            name = self.name("x")
            type = self.random.choice(["u64", "u64", self.random.choice(INTEGERS)])
            self.line(f"{type} {name} = {self.number(1)};")
            self.declare(name, type)
        if function.kind == "variadic":
            self.variadic_part()
        if function.kind == "catcher":
            self.catcher_part()
        else:
            for _ in range(self.random.randint(3, 8)):
                self.statement(deep=True)
        result = self.name("result")
        type = {"picker": "u64 *", "maker": f"{function.struct.type if function.struct else ''} "}.get(function.kind, "u64 ")
        self.line(f"{type}{result} = {self.returning()};")
        if function.kind == "maker":  # its numbers change, its pointers are those it was given
            self.line(f"{result}.{self.random.choice(function.struct.numbers)} += {self.number(1)};")
        for cleanup in reversed(self.cleanups):
            self.line(cleanup)
        self.line(f"return {result};")
        self.close()
        self.line("")

    def constant_initializer(self, struct, variable):
        """Of a global: pointers to globals and into itself."""
        target = lambda: f"&global_number[{self.random.randrange(4)}]"
        parts = [f".{name} = {self.random.randrange(100)}" for name in struct.numbers]
        parts += [f".{name} = {target()}" for name in struct.pointers]
        parts += [f".self = &{variable.name}" for _ in struct.selves]
        parts += [f".a = {{{', '.join(target() for _ in range(n))}}}" for _, n in struct.arrays]
        return "{" + ", ".join(parts + ([f".un.u = {target()}"] if struct.union else [])) + "}"

    def variadic_part(self):
        self.line("va_list list;")
        self.line("va_start(list, x);")
        copied = self.on("va-copy")
        if copied:
            self.line("va_list again;")
            self.line("va_copy(again, list);")
        self.line("mix(c, take(c, x, list));")
        self.line("va_end(list);")
        self.say_call()
        if copied:
            self.line("mix(c, take(c, x, again));")
            self.line("va_end(again);")

    def catcher_part(self):
        """Nothing that changes between setjmp and longjmp is an automatic variable that is not volatile."""
        builtin = self.on("builtin-setjmp") and (not self.on("setjmp") or self.chance(0.4))
        called = self.pick("action").name
        self.line(f"void *buffer[5];" if builtin else "jmp_buf here;")
        self.line("volatile u64 tries = 0;")
        self.line(f"u64 *volatile kept = {self.address(LOCAL)};")
        self.line("const struct ctx saved = *c;")
        self.line("u64 *const saved_slots[4] = {global_slot[0], global_slot[1], global_slot[2], global_slot[3]};")
        self.line("struct link *const saved_chain = global_chain;")
        self.open(f"if ({'__builtin_setjmp(buffer)' if builtin else self.random.choice(['setjmp(here)', '_setjmp(here)'])} == 0)")
        self.line("tries = tries + 1;")
        self.line("c->builtin_handler = buffer;" if builtin else "c->handler = &here;")
        self.line(f"mix(c, {called}(c, {self.number(1)}, p));")
        self.line(f"tries = tries + {called}(c, x, kept) % 5;")
        self.close("} else {")
        self.indent += 1
        self.line("mix(c, 77 + tries + *kept);")
        self.close()
        self.open("for (int i = 0; i < 4; i++)")
        self.line("global_slot[i] = saved_slots[i], c->slot[i] = saved.slot[i];")
        self.close()
        self.line("global_chain = saved_chain, c->chain = saved.chain;")
        self.line("c->handler = saved.handler, c->builtin_handler = saved.builtin_handler;")
        self.line("mix(c, tries + *kept);")

    def program(self):
        wanted = ", ".join(sorted(self.features))
        text = [f"/* Made by test/fuzz/generator.py. Features: {wanted}. */\n", HEAD, "\nstruct flex { int n; u64 *p[]; };\n"]
        text += ["\n" + struct.text for struct in self.structs]
        text += [f"\nstatic {v.type} {v.name} = {self.constant_initializer(struct, v)};\n" for v, struct in zip(self.globals, self.structs)]
        text.append("\n" + "".join(f"static {function.head};\n" for function in self.functions))
        actions = [f.name for f in self.functions if f.kind in ("action", "catcher")]
        text.append(f"\nstatic action const actions[] = {{{', '.join(actions)}}};\n#define ACTIONS (sizeof actions / sizeof *actions)\n")
        text.append("""
__attribute__((noinline)) static u64 each(struct ctx *c, action f, u64 n, u64 *p) {
  u64 all = n;
  for (u64 i = 0; i < n; i++)
    all = all * 7 + f(c, i, p);
  return all;
}

/* The arguments of a variadic function: pairs of a kind and a value. */
__attribute__((noinline)) static u64 take(struct ctx *c, u64 pairs, va_list list) {
  u64 all = 0;
  for (u64 i = 0; i < pairs; i++) {
    u64 value = 0;
    switch (va_arg(list, int)) {
    case 0: value = va_arg(list, u64); break;
    case 1: value = *va_arg(list, u64 *); break;
    case 2: value = (u64)va_arg(list, double); break;
    case 3: {
      struct link l = va_arg(list, struct link);
      value = *l.value + l.own;
      break;
    }
    }
    all = all * 3 + value + (value & 1 ? f0(c, value, &all) : 0);
  }
  return all;
}
""")
        for function in self.functions:
            self.body(function)
        text.append("\n" + "\n".join(self.lines))
        fuel = self.random.choice([60, 150, 300])
        text.append(f"""
int main(void) {{
  u64 numbers[4] = {{2, 7, 1, 8}}, result = 0;
  struct ctx context = {{{fuel}, 0, {{&numbers[0], &numbers[1], &numbers[2], &numbers[3]}}, NULL, NULL, NULL}}, *c = &context;
  for (u64 i = 0; c->fuel > 0 && i < 100; i++) {{
    int share = c->fuel / 4 + 8, rest = c->fuel - share; /* so that the first call does not use it all */
    if (rest < 0) share = c->fuel, rest = 0;
    c->fuel = share;
    result += actions[i % ACTIONS](c, i, &result);
    c->fuel = rest;
    mix(c, result);
  }}
  for (int i = 0; i < 4; i++)
    mix(c, numbers[i] + global_number[i]);
  printf("checksum = %016llx\\n", (unsigned long long)c->sum);
  return 0;
}}
""")
        return "".join(text)


def generate(seed):
    """The text of the seed's program."""
    return Generator(seed).program()


if __name__ == "__main__":
    print(generate(int(sys.argv[1])))

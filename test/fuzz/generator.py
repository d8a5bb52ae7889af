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
import random
import sys

GLOBAL, PARAMETER, LOCAL = 0, 1, 2

FEATURES = [
    "alloca", "array-of-pointers", "atomic", "bit-fields", "builtin-setjmp", "callback", "chain", "char-buffer", "complex",
    "computed-goto", "doubles", "escape-context", "escape-global", "flexible", "function-pointers", "goto", "heap",
    "heap-stack-pointers", "int128", "interior", "long-double", "memcpy", "packed", "pointer-result", "pointer-walk", "printf",
    "qsort", "setjmp", "static-pointers", "struct-by-value", "struct-result", "switch", "tagged", "union-of-pointers",
    "union-with-integer", "va-copy", "varargs", "vector", "vla", "volatile-pointers",
]

INTEGERS = ["uint8_t", "uint16_t", "uint32_t", "uint64_t", "int8_t", "int16_t", "int32_t", "int64_t"]

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
static struct link *global_chain;

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


class Variable:
    """A place of the program: C expression, type, level. `fields` of a struct by kind are in Struct."""

    def __init__(self, name, type, level, length=0):
        self.name, self.type, self.level, self.length = name, type, level, length


class Struct:
    """struct sN: numbers (name, type), pointers to u64, pointers to itself, arrays of pointers (name, length)."""

    def __init__(self, generator, index):
        pick, on = generator.random, generator.on
        self.type = f"struct s{index}"
        self.numbers, self.pointers, self.selves, self.arrays, lines = [], [], [], [], []
        for i in range(pick.randint(1, 4)):
            if on("bit-fields") and pick.random() < 0.4:
                self.numbers.append(f"b{i}")
                lines.append(f"unsigned b{i} : {pick.randint(1, 31)};")
            else:
                self.numbers.append(f"n{i}")
                lines.append(f"{pick.choice(INTEGERS)} n{i};")
        if on("doubles") and pick.random() < 0.5:
            lines.append("double d;")
        for i in range(pick.randint(1, 2)):
            self.pointers.append(f"p{i}")
            volatile = "volatile " if on("volatile-pointers") and pick.random() < 0.3 else ""
            lines.append(f"u64 *{volatile}p{i};")
        if pick.random() < 0.6:
            self.selves.append("self")
            lines.append(f"{self.type} *self;")
        if on("array-of-pointers") and pick.random() < 0.5:
            self.arrays.append(("a", pick.randint(2, 4)))
            lines.append(f"u64 *a[{self.arrays[0][1]}];")
        self.union = None
        if on("union-of-pointers") and pick.random() < 0.5:
            self.union = "pointers"
            lines.append(f"union {{ u64 *u; {self.type} *s; void *v; }} un;")
        elif on("union-with-integer") and pick.random() < 0.5:
            self.union = "integer"
            lines.append("union { u64 *u; u64 i; } un;")
        pick.shuffle(lines)
        attribute = "__attribute__((packed)) " if on("packed") and pick.random() < 0.4 else ""
        self.packed = bool(attribute)
        body = "".join(f"  {line}\n" for line in lines)
        self.text = f"struct {attribute}{self.type.split()[1]} {{\n{body}}};\n"


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


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.features = {name for name in FEATURES if self.random.random() < 0.45}
        if self.features & {"setjmp", "builtin-setjmp"}:
            self.features.discard("static-pointers")  # a longjmp does not put them back
        self.structs = [Struct(self, i) for i in range(self.random.randint(1, 3))]
        self.functions = self.signatures()
        self.lines, self.indent, self.names = [], 0, 0

    def on(self, feature):
        return feature in self.features

    # The text --------------------------------------------------------------------------------------------------------

    def line(self, text):
        self.lines.append("  " * self.indent + text)

    def open(self, text):
        self.line(text + " {")
        self.indent += 1

    def close(self, text="}"):
        self.indent -= 1
        self.line(text)

    def name(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    def chance(self, probability):
        return self.random.random() < probability

    # A function's variables, by scopes -------------------------------------------------------------------------------

    @property
    def level(self):
        return PARAMETER + len(self.scopes)

    def declare(self, name, type, length=0):
        self.scopes[-1].append(Variable(name, type, self.level, length))

    def visible(self, type, most):
        """Variables of this type whose level is at most `most`."""
        return [v for scope in [self.parameters, *self.scopes] for v in scope if v.type == type and v.level <= most]

    # Expressions -----------------------------------------------------------------------------------------------------

    def constant(self):
        return self.random.choice(["0u", "1u", "2u", "7u", f"{self.random.randrange(256)}u", f"{self.random.randrange(1 << 32)}u",
                                   f"0x{self.random.randrange(1 << 64):x}u"])

    def struct_expressions(self, most):
        """(struct, prefix of a field, level) of what can be reached."""
        for struct in self.structs:
            for v in self.visible(struct.type, most):
                yield struct, v.name + ".", v.level
            for v in self.visible(struct.type + " *", most):
                yield struct, v.name + "->", v.level

    def atom(self):
        """A number that is read somewhere."""
        choices = [self.constant, lambda: "x", lambda: "c->sum", lambda: f"global_number[{self.random.randrange(4)}]"]
        numbers = [v.name for type in INTEGERS + ["u64", "counter"] for v in self.visible(type, self.level)]
        if numbers:
            choices += [lambda: f"(u64){self.random.choice(numbers)}"] * 3
        choices += [lambda: f"*{self.address(self.level)}"] * 2
        structs = list(self.struct_expressions(self.level))
        if structs:
            def field():
                struct, prefix, _ = self.random.choice(structs)
                return f"(u64){prefix}{self.random.choice(struct.numbers)}"

            def through():
                struct, prefix, _ = self.random.choice(structs)
                return f"*{prefix}{self.random.choice(struct.pointers)}"

            def deeper():
                struct, prefix, _ = self.random.choice(structs)
                if not struct.selves:
                    return field()
                inner = self.random.choice(struct.numbers + [f"p0"])
                return f"{'*' if inner == 'p0' else '(u64)'}{prefix}self->{inner}"

            choices += [field, through, deeper]
        pointers = [v for v in self.visible("u64 *", self.level)]
        if len(pointers) > 1:
            choices.append(lambda: "(u64)({} == {})".format(*(v.name for v in self.random.sample(pointers, 2))))
        arrays = self.visible("u64[]", self.level)
        if arrays:
            def element():
                v = self.random.choice(arrays)
                return f"{v.name}[{self.number(1)} % {v.length}]"
            choices += [element, element]
        return self.random.choice(choices)()

    def number(self, depth=2):
        """An expression of type u64 (or one that is converted to it)."""
        if depth == 0 or self.chance(0.25):
            return self.atom()
        a, b = self.number(depth - 1), self.number(depth - 1)
        return self.random.choice([
            f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} ^ {b})", f"({a} & {b})", f"({a} | {b})",
            f"((u64)({a}) >> (({b}) & 63))", f"((u64)({a}) << (({b}) & 63))", f"((u64)({a}) / (({b}) | 1))",
            f"((u64)({a}) % (({b}) | 1))", f"({a} < {b} ? {b} : {a})", f"(u64)({a} == {b})", f"(~(u64)({a}))",
        ])

    def address(self, most, depth=1):
        """An expression of type u64 * whose target lives at a level of at most `most`."""
        choices = [lambda: f"&global_number[{self.random.randrange(4)}]"]
        numbers = self.visible("u64", most)
        if numbers:
            choices += [lambda: f"&{self.random.choice(numbers).name}"] * 3
        pointers = self.visible("u64 *", most)
        if pointers:
            choices += [lambda: self.random.choice(pointers).name] * 4
        for v in self.visible("u64[]", most):
            choices.append(lambda v=v: f"&{v.name}[{self.number(1)} % {v.length}]")
        for v in self.visible("u64 *[]", most):
            choices.append(lambda v=v: f"{v.name}[{self.number(1)} % {v.length}]")
        structs = list(self.struct_expressions(most))
        if structs:
            def field():
                struct, prefix, _ = self.random.choice(structs)
                return prefix + self.random.choice(struct.pointers)

            def array():
                struct, prefix, _ = self.random.choice(structs)
                return f"{prefix}a[{self.number(1)} % {struct.arrays[0][1]}]" if struct.arrays else field()

            def union():
                struct, prefix, _ = self.random.choice(structs)
                return f"{prefix}un.u" if struct.union else field()

            choices += [field, array, union]
        if most >= LOCAL and self.on("escape-context"):
            choices.append(lambda: f"c->slot[{self.random.randrange(4)}]")
        if most >= LOCAL and self.on("escape-global"):
            choices.append(lambda: f"global_slot[{self.random.randrange(4)}]")
        if depth:
            choices.append(lambda: f"({self.number(1)} & 1 ? {self.address(most, 0)} : {self.address(most, 0)})")
        return self.random.choice(choices)()

    def record(self, struct, most):
        """An expression of type struct sK *, or None if there is none of this type."""
        choices = [lambda v=v: f"&{v.name}" for v in self.visible(struct.type, most)]
        choices += [lambda v=v: v.name for v in self.visible(struct.type + " *", most)]
        if struct.selves:
            choices += [lambda v=v: f"{v.name}->self" for v in self.visible(struct.type + " *", most)]
        return self.random.choice(choices)() if choices else None

    def initializer(self, struct, level, self_address):
        """Values for all fields of a struct at this level."""
        parts = [f".{name} = {self.number(1)}" for name in struct.numbers]
        parts += [f".{name} = {self.address(level)}" for name in struct.pointers]
        parts += [f".self = {self.record(struct, level) or self_address}" for _ in struct.selves]
        parts += [f".a = {{{', '.join(self.address(level) for _ in range(n))}}}" for _, n in struct.arrays]
        if struct.union:
            parts.append(f".un.u = {self.address(level)}")
        return "{" + ", ".join(parts) + "}"

    # Calls -----------------------------------------------------------------------------------------------------------

    def pick(self, *kinds, struct=None):
        found = [f for f in self.functions if f.kind in kinds and (struct is None or f.struct is struct)]
        return self.random.choice(found) if found else None

    def call(self):
        """An expression of type u64 that calls a function."""
        kinds = ["action", "record", "value", "variadic", "catcher"]
        function = self.pick(self.random.choice(kinds)) or self.pick("action")
        if function.kind in ("action", "catcher"):
            pointer = self.address(self.level)
            if self.chance(0.25) and self.on("function-pointers"):
                table = self.visible("action[]", self.level)
                if table:
                    v = self.random.choice(table)
                    return f"{v.name}[{self.number(1)} % {v.length}](c, {self.number()}, {pointer})"
                return f"actions[{self.number(1)} % ACTIONS](c, {self.number()}, {pointer})"
            return f"{function.name}(c, {self.number()}, {pointer})"
        if function.kind == "variadic":
            return self.variadic_call(function)
        r = self.record(function.struct, self.level)
        if r is None:
            return f"{self.pick('action').name}(c, {self.number()}, {self.address(self.level)})"
        if function.kind == "record":
            return f"{function.name}(c, {self.number()}, {r}, {self.address(self.level)})"
        return f"{function.name}(c, {self.number()}, *({r}))"

    def variadic_call(self, function):
        """Pairs (0, u64), (1, u64 *), (2, double), (3, struct link by value), (4, u64 **)."""
        pairs = []
        for _ in range(self.random.randint(1, 5)):
            kind = self.random.choice([0, 1, 1, 1, 2, 3])
            value = [lambda: f"(u64)({self.number(1)})", lambda: f"{self.address(self.level)}",
                     lambda: f"{self.random.randrange(100)}.5",
                     lambda: f"(struct link){{0, {self.address(self.level)}, {self.number(1)}}}"][kind]()
            pairs.append(f"{kind}, {value}")
        return f"{function.name}(c, {len(pairs)}, {', '.join(pairs)})"

    # Statements ------------------------------------------------------------------------------------------------------

    def target(self):
        """A number that can be assigned."""
        choices = [lambda: f"*{self.address(self.level)}"]
        numbers = [v.name for type in INTEGERS + ["u64"] for v in self.visible(type, self.level)]
        if numbers:
            choices += [lambda: self.random.choice(numbers)] * 2
        structs = list(self.struct_expressions(self.level))
        if structs:
            def field():
                struct, prefix, _ = self.random.choice(structs)
                return prefix + self.random.choice(struct.numbers)
            choices.append(field)
        return self.random.choice(choices)()

    def say_assign(self):
        operator = self.random.choice(["=", "+=", "^=", "-="])
        self.line(f"{self.target()} {operator} {self.number()};")

    def say_call(self):
        self.line(f"{self.target()} {self.random.choice(['=', '+=', '^='])} {self.call()};")

    def say_mix(self):
        self.line(f"mix(c, {self.number()});")

    def say_expression_with_call(self):
        name = self.name("t")
        self.line(f"u64 {name} = {self.number()};")
        self.line(f"{name} += {self.call()} + {name};")
        self.declare(name, "u64")

    def say_point(self):
        pointers = self.visible("u64 *", self.level)
        pointers = [v for v in pointers if v.level >= LOCAL]
        if not pointers or self.chance(0.4):
            name = self.name("p")
            volatile = "volatile " if self.on("volatile-pointers") and self.chance(0.2) else ""
            self.line(f"u64 *{volatile}{name} = {self.address(self.level)};")
            self.declare(name, "u64 *")
        else:
            v = self.random.choice(pointers)
            self.line(f"{v.name} = {self.address(v.level)};")

    def say_picked(self):
        function = self.pick("picker")
        if not function:
            return self.say_point()
        name = self.name("p")
        self.line(f"u64 *{name} = {function.name}(c, {self.number()}, {self.address(self.level)}, {self.address(self.level)});")
        self.declare(name, "u64 *")

    def say_if(self):
        self.open(f"if ({self.number()} & 1)")
        self.block(2)
        if self.chance(0.5):
            self.close("} else {")
            self.indent += 1
            self.block(2)
        self.close()

    def say_loop(self):
        name = self.name("i")
        times = self.random.randint(1, 4)
        if self.chance(0.6):
            self.open(f"for (u64 {name} = 0; {name} < {times}; {name}++)")
        else:
            self.line(f"u64 {name} = {times};")
            self.open(f"while ({name}-- > 0)")
        self.scopes.append([])
        self.declare(name, "counter")  # which nothing may assign
        self.block(2)
        if self.chance(0.2):
            self.line(f"if ({self.number(1)} & 1) {self.random.choice(['break', 'continue'])};")
        self.scopes.pop()
        self.close()

    def say_struct(self):
        struct = self.random.choice(self.structs)
        name = self.name("r")
        maker = self.pick("maker", struct=struct)
        if maker and self.chance(0.4):
            r = self.record(struct, self.level)
            if r:
                self.line(f"{struct.type} {name} = {maker.name}(c, {self.number()}, {r});")
                self.declare(name, struct.type)
                return
        self.line(f"{struct.type} {name} = {self.initializer(struct, self.level, '&' + name)};")
        self.declare(name, struct.type)

    def say_struct_copy(self):
        struct = self.random.choice(self.structs)
        source = self.record(struct, self.level)
        if not source:
            return self.say_struct()
        name = self.name("r")
        if self.on("memcpy") and self.chance(0.5):
            self.line(f"{struct.type} {name};")
            self.line(f"memcpy(&{name}, {source}, sizeof {name});")
        else:
            self.line(f"{struct.type} {name} = *({source});")
        self.declare(name, struct.type)

    def say_record_pointer(self):
        struct = self.random.choice(self.structs)
        source = self.record(struct, self.level)
        if not source:
            return self.say_struct()
        name = self.name("q")
        self.line(f"{struct.type} *{name} = {source};")
        self.declare(name, struct.type + " *")

    def say_field_point(self):
        """A pointer field of a struct variable; a struct behind a pointer may live longer, so it only gets its own."""
        struct = self.random.choice(self.structs)
        places = [v for v in self.visible(struct.type, self.level)]
        behind = self.visible(struct.type + " *", self.level)
        if places and self.chance(0.7):
            v = self.random.choice(places)
            field = self.random.choice(struct.pointers + (["un.u"] if struct.union else []))
            self.line(f"{v.name}.{field} = {self.address(v.level)};")
        elif behind:
            v = self.random.choice(behind)
            fields = struct.pointers + (["un.u"] if struct.union else []) + [f"a[{i}]" for _, n in struct.arrays for i in range(n)]
            self.line(f"{v.name}->{self.random.choice(fields)} = {v.name}->{self.random.choice(fields)};")
        else:
            self.say_struct()

    def say_interior(self):
        """A pointer into the middle of a local array, and its distance."""
        if not self.on("interior"):
            return self.say_assign()
        array, pointer, n = self.name("m"), self.name("p"), self.random.randint(2, 9)
        self.line(f"u64 {array}[{n}] = {{{self.number(1)}}};")
        self.line(f"u64 *{pointer} = {array} + {self.number(1)} % {n};")
        self.declare(array, "u64[]", n)
        self.declare(pointer, "u64 *")
        self.line(f"{self.target()} += {self.call()};")
        self.line(f"mix(c, (u64)({pointer} - {array}) + ({pointer} < {array} + {n // 2}) + *{pointer});")

    def say_pointer_walk(self):
        if not self.on("pointer-walk"):
            return self.say_interior()
        arrays = [v for v in self.visible("u64[]", self.level)]
        if not arrays:
            return self.say_interior()
        v, name = self.random.choice(arrays), self.name("w")
        if self.chance(0.5):
            self.open(f"for (u64 *{name} = {v.name}; {name} < {v.name} + {v.length}; {name}++)")
        else:
            self.open(f"for (u64 *{name} = {v.name} + {v.length}; {name}-- > {v.name};)")
        self.scopes.append([])
        self.line(f"*{name} += {self.call() if self.chance(0.7) else self.number()};")
        self.line(f"mix(c, *{name} + (u64)({name} - {v.name}));")
        self.scopes.pop()
        self.close()

    def say_array_of_pointers(self):
        if not self.on("array-of-pointers"):
            return self.say_point()
        name, n = self.name("a"), self.random.randint(2, 6)
        self.line(f"u64 *{name}[{n}] = {{{', '.join(self.address(self.level) for _ in range(n))}}};")
        self.declare(name, "u64 *[]", n)
        if self.chance(0.5):
            outer = self.name("pp")
            self.line(f"u64 **{outer} = &{name}[{self.number(1)} % {n}];")
            self.line(f"mix(c, {self.call()});")
            self.line(f"*{outer} = {self.address(self.level)};")
            self.line(f"mix(c, **{outer} + (u64)({outer} - {name}));")

    def say_function_table(self):
        if not self.on("function-pointers"):
            return self.say_call()
        name, n = self.name("f"), self.random.randint(2, 4)
        self.line(f"action {name}[{n}] = {{{', '.join(self.pick('action', 'catcher').name for _ in range(n))}}};")
        self.declare(name, "action[]", n)
        self.line(f"mix(c, {name}[{self.number(1)} % {n}](c, {self.number()}, {self.address(self.level)}));")

    def say_switch(self):
        if not self.on("switch"):
            return self.say_if()
        self.open(f"switch ({self.number()} % {self.random.randint(3, 9)})")
        for value in self.random.sample(range(9), self.random.randint(2, 5)):
            self.open(f"case {value}:")
            self.block(2)
            self.close("}" if self.chance(0.2) else "} break;")
        self.open("default:")
        self.block(1)
        self.close()
        self.close()

    def say_goto(self):
        """Backwards, a bounded number of times, over calls."""
        if not self.on("goto"):
            return self.say_loop()
        label, times = self.name("again"), self.name("n")
        self.line(f"u64 {times} = 0;")
        self.line(f"{label}:")
        self.open("")
        self.block(2)
        self.close()
        self.line(f"if (++{times} < {self.random.randint(2, 4)}) goto {label};")

    def say_computed_goto(self):
        if not self.on("computed-goto") or self.on("vla"):  # an indirect goto must not enter the scope of a VLA
            return self.say_switch()
        table, state, n = self.name("table"), self.name("state"), self.random.randint(2, 4)
        labels = [self.name("l") for _ in range(n)]
        done = self.name("done")
        static = self.random.choice(["static const ", ""])
        self.line(f"{'static ' if static else ''}void *{'const ' if static else ''}{table}[{n}] = "
                  f"{{{', '.join('&&' + label for label in labels)}}};")
        self.line(f"u64 {state} = {self.number()}, steps{state} = 0;")
        self.line(f"goto *{table}[{state} % {n}];")
        for label in labels:
            self.open(f"{label}:")
            self.block(2)
            self.line(f"if (++steps{state} > 5) goto {done};")
            self.line(f"{state} = {state} * 5 + {self.number(1)};")
            self.line(f"goto *{table}[{state} % {n}];")
            self.close()
        self.line(f"{done}:;")

    def say_vla(self):
        if not self.on("vla"):
            return self.say_interior()
        n, name = self.name("n"), self.name("vla")
        most = self.random.randint(2, 12)
        self.line(f"u64 {n} = {self.number(1)} % {most} + 1;")
        self.line(f"u64 {name}[{n}];")
        self.line(f"for (u64 i = 0; i < {n}; i++) {name}[i] = i * {self.random.randrange(99)};")
        if self.chance(0.5):
            pointers = self.name("vlp")
            self.line(f"u64 *{pointers}[{n}];")
            self.line(f"for (u64 i = 0; i < {n}; i++) {pointers}[i] = i & 1 ? &{name}[i] : {self.address(self.level)};")
            self.line(f"mix(c, {self.call()});")
            self.line(f"for (u64 i = 0; i < {n}; i++) mix(c, *{pointers}[i]);")
        self.line(f"mix(c, {self.call()} + {name}[{n} - 1]);")
        pointer = self.name("p")
        self.line(f"u64 *{pointer} = &{name}[{n} / 2];")
        self.declare(pointer, "u64 *")

    def say_alloca(self):
        if not self.on("alloca") or self.level != LOCAL:
            return self.say_vla()
        name, n = self.name("al"), self.random.randint(1, 5)
        if self.chance(0.5):
            struct = self.random.choice(self.structs)
            self.line(f"{struct.type} *{name} = alloca(sizeof *{name});")
            self.line(f"*{name} = ({struct.type}){self.initializer(struct, self.level, name)};")
            self.declare(name, struct.type + " *")
        else:
            self.line(f"u64 **{name} = alloca(sizeof(u64 *) * {n});")
            self.line(f"for (u64 i = 0; i < {n}; i++) {name}[i] = {self.address(self.level)};")
            self.declare(name, "u64 *[]", n)
        self.say_call()

    def say_tagged(self):
        if not self.on("tagged"):
            return self.say_point()
        name = self.name("tag")
        self.line(f"uintptr_t {name} = (uintptr_t)({self.address(self.level)}) | {self.random.randint(1, 7)};")
        self.say_call()
        self.line(f"mix(c, ({name} & 7) + *(u64 *)({name} & ~(uintptr_t)7));")

    def say_union_integer(self):
        """The member that was stored last is read."""
        if not self.on("union-with-integer"):
            return self.say_field_point()
        name = self.name("un")
        self.line(f"union {{ u64 *u; u64 i; double d; }} {name};")
        self.line(f"{name}.u = {self.address(self.level)};")
        self.say_call()
        self.line(f"mix(c, *{name}.u);")
        self.line(f"{name}.i = {self.number()};")
        self.say_call()
        self.line(f"mix(c, {name}.i);")

    def say_union_pointers(self):
        if not self.on("union-of-pointers"):
            return self.say_point()
        struct = self.random.choice(self.structs)
        r = self.record(struct, self.level)
        name = self.name("un")
        self.line(f"union {{ u64 *u; {struct.type} *s; char *t; }} {name};")
        self.line(f"{name}.u = {self.address(self.level)};")
        self.say_call()
        self.line(f"mix(c, *{name}.u);")
        if r:
            self.line(f"{name}.s = {r};")
            self.say_call()
            self.line(f"mix(c, (u64){name}.s->{self.random.choice(struct.numbers)});")

    def say_heap(self):
        """A block of the heap; whether it holds addresses of locals is a feature of its own."""
        if not self.on("heap") or self.level != LOCAL:
            return self.say_struct()
        level = LOCAL if self.on("heap-stack-pointers") else GLOBAL
        struct = self.random.choice(self.structs)
        name = self.name("h")
        how = self.random.choice([f"malloc(sizeof *{name})", f"calloc(1, sizeof *{name})", f"malloc(sizeof({struct.type}))",
                                  f"realloc(NULL, sizeof *{name})"])
        scopes, parameters = self.scopes, self.parameters
        if level == GLOBAL:
            self.scopes, self.parameters = [], []
        value = self.initializer(struct, level, name)
        self.scopes, self.parameters = scopes, parameters
        self.line(f"{struct.type} *{name} = {how};")
        self.line(f"*{name} = ({struct.type}){value};")
        self.declare(name, struct.type + " *")
        self.cleanups.append(f"free({name});")
        self.say_call()

    def say_flexible(self):
        if not self.on("flexible") or self.level != LOCAL:
            return self.say_heap()
        name, n = self.name("fl"), self.random.randint(1, 4)
        level = LOCAL if self.on("heap-stack-pointers") else GLOBAL
        self.line(f"struct flex *{name} = malloc(sizeof *{name} + {n} * sizeof(u64 *));")
        self.line(f"{name}->n = {n};")
        for i in range(n):
            self.line(f"{name}->p[{i}] = {self.address(level) if level == LOCAL else f'&global_number[{i}]'};")
        self.say_call()
        self.line(f"for (int i = 0; i < {name}->n; i++) mix(c, *{name}->p[i]);")
        self.cleanups.append(f"free({name});")

    def say_chain(self):
        if not self.on("chain") or self.level != LOCAL:
            return self.say_call()
        name = self.name("link")
        head = "c->chain" if self.chance(0.5) or not self.on("escape-global") else "global_chain"
        self.line(f"struct link {name} = {{{head}, {self.address(LOCAL)}, {self.number(1)}}};")
        self.line(f"{head} = &{name};")
        self.cleanups.append(f"{head} = {name}.up;")
        self.say_call()
        self.line(f"mix(c, walk_chain(c, {head}));")

    def say_escape(self):
        if self.level != LOCAL or not (self.on("escape-context") or self.on("escape-global")):
            return self.say_point()
        places = ["c->slot"] * self.on("escape-context") + ["global_slot"] * self.on("escape-global")
        place = f"{self.random.choice(places)}[{self.random.randrange(4)}]"
        saved = self.name("saved")
        self.line(f"u64 *{saved} = {place};")
        self.line(f"{place} = {self.address(LOCAL)};")
        self.cleanups.append(f"{place} = {saved};")
        self.say_call()

    def say_static_pointer(self):
        if not self.on("static-pointers") or self.level != LOCAL:
            return self.say_assign()
        name, saved = self.name("st"), self.name("saved")
        self.line(f"static u64 *{name} = &global_number[{self.random.randrange(4)}], count{name};")
        self.line(f"u64 *{saved} = {name};")
        self.line(f"{name} = {self.address(LOCAL)};")
        self.line(f"count{name}++;")
        self.say_call()
        self.line(f"mix(c, *{name} + count{name});")
        self.line(f"{name} = {saved};")

    def say_qsort(self):
        if not self.on("qsort"):
            return self.say_array_of_pointers()
        name, n = self.name("a"), self.random.randint(2, 9)
        if self.chance(0.5):
            self.line(f"u64 {name}[{n}] = {{{', '.join(self.number(1) for _ in range(n))}}};")
            self.line(f"qsort({name}, {n}, sizeof *{name}, compare_numbers);")
            key = self.name("k")
            self.line(f"u64 {key} = {name}[{self.random.randrange(n)}];")
            self.line(f"u64 *{key}p = bsearch(&{key}, {name}, {n}, sizeof *{name}, compare_numbers);")
            self.say_call()
            self.line(f"mix(c, *{key}p);")
            self.declare(name, "u64[]", n)
        else:
            self.line(f"u64 *{name}[{n}] = {{{', '.join(self.address(self.level) for _ in range(n))}}};")
            self.line(f"qsort({name}, {n}, sizeof *{name}, compare_targets);")
            self.declare(name, "u64 *[]", n)
            self.line(f"for (int i = 0; i < {n}; i++) mix(c, *{name}[i]);")

    def say_callback(self):
        if not self.on("callback"):
            return self.say_call()
        action = self.pick("action", "catcher").name
        pointer = self.random.choice([action, "&" + action, f"(action){action}"])
        self.line(f"mix(c, each(c, {pointer}, {self.number(1)} % 4, {self.address(self.level)}));")

    def say_doubles(self):
        if not self.on("doubles"):
            return self.say_assign()
        name = self.name("d")
        self.line(f"double {name} = (double)({self.number(1)} % 1000) * 0.25;")
        self.line(f"u64 {name}n = {self.call()};")
        self.line(f"{name} = small({name} * 1.5 + (double)({name}n % 100));")
        self.say_call()
        self.line(f"mix(c, (u64)(int64_t)({name} * 16));")
        self.declare(name + "n", "u64")

    def say_wide(self):
        """Values that are no plain registers, alive across a call."""
        kinds = [kind for kind in ["complex", "int128", "long-double", "vector"] if self.on(kind)]
        if not kinds:
            return self.say_expression_with_call()
        kind, name = self.random.choice(kinds), self.name("w")
        number = f"({self.number(1)} % 1000)"
        declaration, back = {
            "complex": (f"_Complex double {name} = (double){number} + {self.random.randrange(9)}.5i;",
                        f"(u64)(int64_t)(__real__ {name} * 4 + __imag__ {name})"),
            "int128": (f"unsigned __int128 {name} = (unsigned __int128){self.number(1)} << 40;", f"(u64)({name} >> 33)"),
            "long-double": (f"long double {name} = (long double){number} / 8;", f"(u64)({name} * 8)"),
            "vector": (f"vec {name} = {{(unsigned){self.number(1)}, 2, 3, (unsigned){self.number(1)}}};",
                       f"{name}[0] + {name}[1] * 3 + {name}[2] * 5 + {name}[3]"),
        }[kind]
        self.line(declaration)
        self.say_call()
        self.line(f"{name} = {name} + {name};")
        self.say_call()
        self.line(f"mix(c, {back});")

    def say_atomic(self):
        if not self.on("atomic"):
            return self.say_point()
        name, old = self.name("at"), self.name("old")
        self.line(f"_Atomic(u64 *) {name} = {self.address(self.level)};")
        self.say_call()
        self.line(f"u64 *{old} = atomic_exchange(&{name}, {self.address(self.level)});")
        self.say_call()
        self.line(f"mix(c, *{old} + *atomic_load(&{name}));")
        self.line(f"mix(c, (u64)atomic_compare_exchange_strong(&{name}, &{old}, {self.address(self.level)}));")
        self.declare(old, "u64 *")

    def say_char_buffer(self):
        """A pointer that lives in bytes, and a text."""
        if not self.on("char-buffer"):
            return self.say_assign()
        name = self.name("buf")
        if self.chance(0.5):
            back = self.name("p")
            self.line(f"char {name}[24] = {{0}};")
            self.line(f"u64 *{back} = {self.address(self.level)};")
            self.line(f"memcpy({name} + {self.random.choice([0, 8, 16, 3])}, &{back}, sizeof {back});")
            offset = self.lines[-1].split("+ ")[1].split(",")[0]
            self.say_call()
            self.line(f"memcpy(&{back}, {name} + {offset}, sizeof {back});")
            self.line(f"mix(c, *{back});")
        else:
            self.line(f"char {name}[64], *{name}end;")
            self.line(f"snprintf({name}, sizeof {name}, \"%llu %x\", (unsigned long long)({self.number(1)}), "
                      f"(unsigned)({self.number(1)}));")
            self.line(f"u64 {name}n = strtoull({name}, &{name}end, 10);")
            self.say_call()
            self.line(f"mix(c, {name}n + strlen({name}end) + (u64)({name}end - {name}));")

    def say_throw(self):
        if self.on("builtin-setjmp") and self.chance(0.3):
            self.line(f"if (c->builtin_handler && ({self.number()} & 7) == 3) throw_builtin(c);")
        elif self.on("setjmp"):
            self.line(f"if (c->handler && ({self.number()} & 7) == 3) longjmp(*c->handler, {self.random.randint(1, 9)});")
        else:
            self.say_mix()

    def say_print(self):
        if not self.on("printf"):
            return self.say_mix()
        self.line(f"if (c->fuel % 16 == 5) printf(\"%llx %d\\n\", (unsigned long long)({self.number()}), c->fuel);")

    def say_return(self):
        """Early, with what must be put back."""
        if self.chance(0.5) or self.returning is None:
            return self.say_mix()
        self.open(f"if (({self.number()} & 15) == 1)")
        for cleanup in reversed(self.cleanups):
            self.line(cleanup)
        self.line(f"return {self.returning()};")
        self.close()

    def statement(self, deep):
        flat = [(6, self.say_assign), (8, self.say_call), (2, self.say_mix), (3, self.say_expression_with_call),
                (4, self.say_point), (2, self.say_picked), (3, self.say_struct), (2, self.say_struct_copy),
                (2, self.say_record_pointer), (2, self.say_field_point), (2, self.say_interior), (2, self.say_pointer_walk),
                (2, self.say_array_of_pointers), (1, self.say_function_table), (2, self.say_tagged),
                (2, self.say_union_integer), (2, self.say_union_pointers), (2, self.say_heap), (1, self.say_flexible),
                (3, self.say_chain), (2, self.say_escape), (2, self.say_static_pointer), (2, self.say_qsort),
                (2, self.say_callback), (2, self.say_doubles), (3, self.say_wide), (2, self.say_atomic),
                (2, self.say_char_buffer), (2, self.say_throw), (1, self.say_print), (1, self.say_return),
                (2, self.say_vla), (2, self.say_alloca)]
        nested = [(3, self.say_if), (3, self.say_loop), (2, self.say_switch), (1, self.say_goto), (1, self.say_computed_goto)]
        choices = flat + (nested if deep else [])
        self.random.choices([say for _, say in choices], [weight for weight, _ in choices])[0]()

    def block(self, most):
        """Some statements in a scope of their own."""
        self.scopes.append([])
        self.nesting += 1
        for _ in range(self.random.randint(1, most)):
            self.statement(deep=self.nesting < 3)
        self.nesting -= 1
        self.scopes.pop()

    # Functions -------------------------------------------------------------------------------------------------------

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

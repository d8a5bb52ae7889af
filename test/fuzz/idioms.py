#!/usr/bin/env python3
"""Programs that keep addresses in what is no pointer, as real ones do: `idioms.py SEED` prints one.

test/stress/words has an idiom a program; here they are mixed, so that the optimiser meets them next to each other, inlined,
in loops and on some paths only. A program is a handful of functions that call each other. Each keeps addresses of its locals
and of what its parameter leads to in *stores* (a word, a double, two halves, bytes at odd places, an atomic, a vector, a
global, a block of the heap, ...), in the shape that a *codec* gives them (a chain of operations that can be undone), over
*events* (calls, loops, jumps, recursion). Then it finds its way back and adds what it finds to a checksum. Beside that it keeps
hashes and comparisons of addresses and compares them with what they are when computed again, walks arrays with
biased indices, and threads its locals on lists whose links are hidden.

Each seed uses few kinds of stores and operations (swarm testing): one that the analysis refuses for good would hide the others.

Free of undefined behaviour by construction, and of results that depend on an address: an address is only kept while what it
leads to lives, is only compared with itself, and what is kept in globals has a place for each depth of calls.
"""
import random
import sys

HEAD = """\
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t u64;
typedef unsigned __int128 u128;
typedef u64 vec2 __attribute__((vector_size(16)));
typedef u64 vec4 __attribute__((vector_size(32)));
#define OWN static __attribute__((noinline, unused))
#define SOME static __attribute__((unused))

union word { long *p; u64 u; double d; unsigned char b[8]; uint32_t h[2]; };
struct halves { uint32_t low, high; };
struct pair { u64 word; long number; };
struct wide { unsigned char before[3]; union word word; char after; union word more; };
struct handle { long *to; };
struct node { u64 link; long value; };
struct ctx { int fuel, depth; long n; u64 sum; u64 list; };
struct loop { struct ctx *c; u64 *word; struct handle *handle; long steps; jmp_buf out; };

static volatile u64 key_in_memory = 0x5bd1e995a7c3f00d;
static volatile long number_in_memory = 7;
static u64 global_word[16];
static double global_real[16];
static unsigned char global_bytes[16][11];
static union word global_union[16];

OWN void nothing(void) {}
OWN u64 same(u64 v) { return v; }
OWN void set(u64 *to, u64 v) { *to = v; }
OWN void set_double(double *to, u64 v) { memcpy(to, &v, 8); }
OWN struct pair make_pair(u64 v) { return (struct pair){v, 1}; }
OWN struct wide pass_wide(struct wide w) { return w; }
OWN union word pass_union(union word w) { return w; }
OWN double pass_double(double d) { return d; }
OWN u64 second(int n, ...) {
  va_list list;
  va_start(list, n);
  u64 v = 0;
  while (n-- > 0)
    v = va_arg(list, u64);
  va_end(list);
  return v;
}
OWN u64 out_of_struct(int n, ...) {
  va_list list;
  va_start(list, n);
  struct wide w = va_arg(list, struct wide);
  w = va_arg(list, struct wide);
  va_end(list);
  return w.more.u;
}
static void (*volatile hop)(void) = nothing;
static u64 (*volatile pass)(u64) = same;
static void (*volatile set_it)(u64 *, u64) = set;
static void (*volatile set_double_it)(double *, u64) = set_double;
static struct pair (*volatile make_pair_of)(u64) = make_pair;
static struct wide (*volatile wide_of)(struct wide) = pass_wide;
static union word (*volatile union_of)(union word) = pass_union;
static double (*volatile double_of)(double) = pass_double;
static u64 (*volatile second_of)(int, ...) = second;
static u64 (*volatile out_of)(int, ...) = out_of_struct;
OWN u64 key(void) { return key_in_memory; }
OWN long number(void) { return number_in_memory; }
static double u2d(u64 v) { double d; memcpy(&d, &v, 8); return d; }
static u64 d2u(double d) { u64 v; memcpy(&v, &d, 8); return v; }
OWN void put_bytes(unsigned char *to, u64 v) {
  for (int i = 0; i < 8; i++)
    to[i] = (unsigned char)(v >> 8 * i);
}
OWN u64 get_bytes(const unsigned char *from) {
  u64 v = 0;
  for (int i = 0; i < 8; i++)
    v |= (u64)from[i] << 8 * i;
  return v;
}
static void mix(struct ctx *c, u64 value) { c->sum = (c->sum ^ value) * 0x9E3779B97F4A7C15u + (c->sum >> 29); }
OWN void jump(jmp_buf *to) {
  hop();
  longjmp(*to, 1);
}
"""


class Store:
    """Something that keeps 64 bits: its declaration, how to put `v` there and how to get it."""

    def __init__(self, name, declare, put, get, narrow=False, after=""):
        self.name, self.declare, self.put, self.get, self.narrow, self.after = name, declare, put, get, narrow, after


# @ is the variable's name, $ the value, # a number from 0 to 2. Narrow ones take only what an address itself can be, 47 bits.
STORES = [
    Store("word", "u64 @;", "@ = $;", "@"),
    Store("volatile", "volatile u64 @;", "@ = $;", "@"),
    Store("array", "u64 @[3];", "@[#] = $;", "@[#]"),
    # Another function may change c->n, and only one of the three words is ever written.
    Store("index", "u64 @[3]; long @i = c->n % 3;", "@[@i] = $;", "@[@i]"),
    Store("double", "double @;", "@ = u2d($);", "d2u(@)"),
    Store("doubles", "double @[3];", "@[#] = u2d($);", "d2u(@[#])"),
    Store("halves", "struct halves @;", "@ = (struct halves){(uint32_t)($), (uint32_t)(($) >> 32)};", "((u64)@.high << 32 | @.low)"),
    Store("two-ints", "uint32_t @l, @h;", "@l = (uint32_t)($); @h = (uint32_t)(($) >> 32);", "((u64)@h << 32 | @l)"),
    Store("floats", "float @[2];", "{ u64 v = $; memcpy(@, &v, 8); }", "({ u64 v; memcpy(&v, @, 8); v; })"),
    Store("shorts", "uint16_t @[4];", "for (int i = 0; i < 4; i++) @[i] = (uint16_t)(($) >> 16 * i);",
          "({ u64 v = 0; for (int i = 0; i < 4; i++) v |= (u64)@[i] << 16 * i; v; })"),
    Store("bytes", "unsigned char @[16];", "put_bytes(@ + 2 * #, $);", "get_bytes(@ + 2 * #)"),
    Store("bytes-copied", "unsigned char @[16];", "{ u64 v = $; memcpy(@ + 3 * #, &v, 8); }", "({ u64 v; memcpy(&v, @ + 3 * #, 8); v; })"),
    Store("packed", "struct __attribute__((packed)) { char kind; u64 word; } @;", "@.kind = 1; @.word = $;", "@.word"),
    Store("bit-field", "struct { u64 word : 48, tag : 16; } @;", "@.word = $; @.tag = 5;", "(u64)@.word", narrow=True),
    Store("real", "double @;", "@ = (double)($);", "(u64)@", narrow=True),
    Store("long-double", "long double @;", "@ = (long double)($);", "(u64)@"),
    Store("wide", "u128 @;", "@ = (u128)($) << 19 * # | (u128)key() << 110;", "(u64)(@ >> 19 * #)"),
    Store("vector", "vec2 @;", "@ = (vec2){$, (u64)c->n};", "@[0]"),
    Store("vector-mixed", "vec2 @;", "@ = (vec2){(u64)c->n, $} ^ key();", "(@ ^ key())[1]"),
    Store("vector-four", "vec4 @;", "@ = (vec4){1, $, 2, $}; @ = __builtin_shufflevector(@, @, 3, 2, 1, 0);", "@[2]"),
    Store("atomic", "_Atomic(u64) @;", "atomic_store(&@, $);", "atomic_fetch_add(&@, 0)"),
    Store("atomic-pointer", "long *_Atomic @;", "atomic_exchange(&@, (long *)($));", "(u64)atomic_load(&@)", narrow=True),
    Store("pointer", "long *@;", "@ = (long *)($);", "(u64)@", narrow=True),
    Store("handle", "struct handle @;", "{ struct handle h = {(long *)($)}; memcpy(&@, &h, sizeof h); }", "(u64)@.to", narrow=True),
    Store("union", "union word @;", "@.u = $;", "@.u"),
    Store("union-double", "union word @;", "@.d = u2d($);", "@.u"),
    Store("union-halves", "union word @;", "@.h[1] = (uint32_t)(($) >> 32); @.h[0] = (uint32_t)($);", "@.u"),
    Store("union-passed", "union word @;", "@ = union_of((union word){.u = $});", "@.u"),
    Store("union-pointer", "union word @;", "@.p = (long *)($); @.u ^= key();", "(@.u ^ key())", narrow=True),
    Store("pair", "struct pair @;", "@ = make_pair_of($);", "@.word"),
    Store("wide-struct", "struct wide @;", "@ = wide_of((struct wide){.more.u = $});", "@.more.u"),
    Store("double-passed", "double @;", "@ = double_of(u2d($));", "d2u(@)"),
    Store("variadic", "u64 @;", "@ = second_of(1 + 3 * #, $, $, $, $, $, $, $);", "@"),
    Store("variadic-struct", "u64 @;",
          "@ = out_of(2, (struct wide){.word.u = 1}, (struct wide){.more.u = $});", "@"),
    Store("set-outside", "u64 @;", "set_it(&@, $);", "@"),
    Store("set-double-outside", "double @;", "set_double_it(&@, $);", "d2u(@)"),
    Store("set-in-room", "double @[2];", "set_it((u64 *)(void *)(@ + 1), $);", "({ u64 v; memcpy(&v, @ + 1, 8); v; })"),
    Store("vla", "u64 @[number() - 4];", "@[#] = $;", "@[#]"),
    Store("large", "u64 @[600];", "@[# * 290] = $;", "@[# * 290]"),
    Store("heap", "u64 *@ = malloc(24);", "@[#] = $;", "@[#]", after="free(@);"),
    Store("heap-real", "double *@ = malloc(24);", "@[#] = u2d($);", "d2u(@[#])", after="free(@);"),
    Store("heap-bytes", "unsigned char *@ = malloc(24);", "put_bytes(@ + 3, $);", "get_bytes(@ + 3)", after="free(@);"),
    Store("global", "", "global_word[c->depth] = $;", "global_word[c->depth]"),
    Store("global-real", "", "global_real[c->depth] = u2d($);", "d2u(global_real[c->depth])"),
    Store("global-bytes", "", "put_bytes(global_bytes[c->depth] + #, $);", "get_bytes(global_bytes[c->depth] + #)"),
    Store("global-union", "", "global_union[c->depth].u = $;", "global_union[c->depth].u"),
    Store("relative", "u64 @;", "@ = ($) - (u64)global_word;", "(@ + (u64)global_word)"),
    Store("either", "u64 @;", "@ = c->n & 1 ? $ : 12345; if (!(c->n & 1)) @ = ~($);", "(c->n & 1 ? @ : ~@)"),
    Store("laundered", "u64 @;", "@ = $; __asm__(\"\" : \"+r\"(@));", "@"),
    Store("register", "double @;", "__asm__(\"movq %1, %0\" : \"=x\"(@) : \"r\"($));", "d2u(@)"),
]

# How to hide a word and how to find it again: pairs of expressions of v.
OPERATIONS = [
    ("v ^ UINT64_C(0x123456789abcdef0)",) * 2,
    ("v ^ key()",) * 2,
    ("v + key()", "v - key()"),
    ("v + (UINT64_C(1) << 50)", "v - (UINT64_C(1) << 50)"),
    ("v + 40", "v - 40"),
    ("key() - v",) * 2,
    ("-v",) * 2,
    ("~v",) * 2,
    ("v << 17 | v >> 47", "v >> 17 | v << 47"),
    ("v << number() | v >> (64 - number())", "v >> number() | v << (64 - number())"),
    ("v * UINT64_C(0x9e3779b97f4a7c15)", "v * UINT64_C(0xf1de83e19937733d)"),
    ("__builtin_bswap64(v)",) * 2,
    ("__builtin_bitreverse64(v)",) * 2,
    ("v << 32 | v >> 32",) * 2,
    ("v ^ v >> 33",) * 2,
    ("v + (u64)global_word", "v - (u64)global_word"),
    ("pass(v)", "v"),
    ("same(v)", "v"),
]
# Only on an address itself.
FIRST = [("v | 5", "v & ~UINT64_C(7)"), ("v | (u64)number() << 48", "v << 16 >> 16"), ("v >> 3", "v << 3"), ("v << 16", "v >> 16"),
         ("v << 1 | 1", "v >> 1")]
HASHES = ["v >> 20 & 0xff", "(uint16_t)(v ^ v >> 20)", "v * UINT64_C(0x9e3779b97f4a7c15) >> 48", "v % 1009", "v / 24", "(uint32_t)v",
          "(v ^ v >> 31) % 256", "v & 0xffff", "(u64)__builtin_popcountll(v)", "(v ^ key()) < (v * 3)", "v >> 21 & 1",
          "(u64)(double)(v >> 9)", "v - (u64)global_word"]
EVENTS = ["hop", "hop", "hop", "loop", "call", "call", "jump", "list", "endless"]


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        choose = self.random.sample
        self.stores = choose(STORES, self.random.randint(1, 4))
        self.operations = choose(OPERATIONS, self.random.randint(1, 4))
        self.first = choose(FIRST, self.random.randint(0, 2))
        self.hashes = choose(HASHES, self.random.randint(0, 2))
        self.events = [event for event in EVENTS if event in ("hop", "call") or self.random.random() < 0.3]
        self.helpers = self.random.choice(["SOME", "SOME", "OWN"])
        self.biased = self.random.random() < 0.3
        self.lengths = self.random.choice([[0], [0, 1], [1], [0, 1, 1, 2, 3]])
        self.count, self.functions = 0, self.random.randint(2, 5)

    def name(self):
        self.count += 1
        return f"v{self.count}"

    def codec(self, narrow):
        """(functions that hide and find, their definitions)"""
        name = self.name()
        steps = []
        if not narrow:
            if self.first and self.random.random() < 0.4:
                steps.append(self.random.choice(self.first))
            steps += [self.random.choice(self.operations) for _ in range(self.random.choice(self.lengths))]
        kind = self.random.choice(["SOME", self.helpers])
        hide = "".join(f"  v = {there};\n" for there, _ in steps)
        find = "".join(f"  v = {back};\n" for _, back in reversed(steps))
        self.codecs += (f"{kind} u64 hide_{name}(long *p) {{\n  u64 v = (u64)p;\n{hide}  return v;\n}}\n"
                        f"{kind} long *find_{name}(u64 v) {{\n{find}  return (long *)v;\n}}\n")
        return f"hide_{name}", f"find_{name}"

    def event(self, index):
        kind = self.random.choice(self.events)
        if kind == "loop":
            return f"  for (int i = 0; i < {self.random.randint(1, 3)}; i++) {{\n    hop();\n    mix(c, (u64)i);\n  }}\n"
        if kind == "call":
            callee = self.random.randrange(self.functions)
            return f"  mix(c, f{callee}(c, {self.pointer()}));\n"
        if kind == "jump":
            return "  {\n    jmp_buf back;\n    if (setjmp(back) == 0)\n      jump(&back);\n  }\n"
        if kind == "list":
            return "  mix(c, walk(c));\n"
        if kind == "endless":
            return f"  {{\n    struct loop l = {{.c = c}};\n    if (setjmp(l.out) == 0)\n      endless(&l, {self.pointer()});\n  }}\n"
        return "  hop();\n"

    def pointer(self):
        return self.random.choice(["p", "p", "x", "x + 1", "x + 2", "x + c->n % 3"])

    def function(self, index):
        declare, body, after, live = "", [], "", []  # live: (store, statement that checks it)
        for _ in range(self.random.randint(2, 6)):
            what = self.random.random()
            if what < 0.65:
                store = self.random.choice(self.stores)
                hide, find = self.codec(store.narrow)
                name, number = self.name(), str(self.random.randrange(3))

                def fill(text, value=""):
                    return text.replace("@", name).replace("#", number).replace("$", value)

                if any(other is store and not store.declare for other, _ in live):
                    continue  # one place of a global a function
                declare += f"  {fill(store.declare)}\n" if store.declare else ""
                after += f"  {fill(store.after)}\n" if store.after else ""
                put = f"  {fill(store.put, f'{hide}({self.pointer()})')}\n"
                if self.random.random() < 0.3:
                    put += f"  if (c->n % 3 == 1) {{\n    {fill(store.put, f'{hide}({self.pointer()})')}\n  }}\n"
                live.append((store, f"  mix(c, (u64)*{find}({fill(store.get)}));\n"))
                body.append(put)
            elif what < 0.8 and self.hashes:
                name, pointer = self.name(), self.random.choice(["p", "x + 1"])
                expression = self.random.choice(self.hashes)
                body.append(f"  u64 {name} = ({{ u64 v = (u64)({pointer}); {expression}; }});\n")
                live.append((None, f"  mix(c, {name} == ({{ u64 v = (u64)({pointer}); (u64)({expression}); }}));\n"))
            elif self.biased:
                low = self.random.choice(["(u64)number() << 20", "(u64)c->n * 100000", "-(u64)number()", "(u64)number() << 40"])
                name = self.name()
                body.append(f"  u64 {name} = {low};\n  for (u64 i = {name}; i != {name} + 3; i++) {{\n    hop();\n"
                            f"    mix(c, (u64)x[{name} + 2 - i]);\n  }}\n")
            for _ in range(self.random.randint(0, 2)):
                body.append(self.event(index))
            if live and self.random.random() < 0.5:
                body.append(self.random.choice(live)[1])
        body.append(self.event(index))
        body += [check for _, check in live]
        push = pop = ""
        if "list" in self.events:
            push = f"  struct node mine = {{c->list ^ {self.link}, x[1]}};\n  c->list = (u64)&mine;\n"
            pop = f"  c->list = mine.link ^ {self.link};\n"
        return (f"OWN u64 f{index}(struct ctx *c, long *p) {{\n  if (c->fuel-- <= 0 || c->depth >= 15)\n    return (u64)*p;\n"
                f"  c->depth++;\n  c->n = (c->n * 5 + {index}) % 1000;\n  long x[3] = {{c->n, *p + 1, {index}}};\n{declare}{push}"
                + "".join(body) + f"{pop}{after}  c->depth--;\n  return (u64)x[c->n % 3];\n}}\n")

    def generate(self):
        self.codecs = ""
        self.link = self.random.choice(["0", "key()", "UINT64_C(0xff00ff00ff00ff00)"])
        hide, find = self.codec(False)
        walk = (f"OWN u64 walk(struct ctx *c) {{\n  u64 all = 0;\n  int i = 0;\n"
                f"  for (struct node *n = (struct node *)c->list; n && i < 5; n = (struct node *)(n->link ^ {self.link}), i++) {{\n"
                "    hop();\n    all = all * 31 + (u64)n->value;\n  }\n  return all;\n}\n")
        endless = (f"OWN void step(struct loop *l) {{\n  hop();\n  mix(l->c, (u64)*{find}(*l->word) + (u64)*l->handle->to);\n"
                   "  hop();\n  if (++l->steps == 3)\n    longjmp(l->out, 1);\n}\n"
                   "OWN void keep(struct loop *l, u64 *word, struct handle *handle) {\n  l->word = word;\n  l->handle = handle;\n}\n"
                   "OWN __attribute__((noreturn)) void endless(struct loop *l, long *p) {\n"
                   f"  u64 word = {hide}(p);\n  struct handle handle = {{p}};\n  keep(l, &word, &handle);\n"
                   "  for (;;)\n    step(l);\n}\n")
        declarations = "".join(f"OWN u64 f{i}(struct ctx *c, long *p);\n" for i in range(self.functions))
        functions = "".join(self.function(i) for i in range(self.functions))
        main = ("int main(void) {\n  struct ctx c = {.fuel = 25, .n = number()};\n  long start = 3;\n  for (int i = 0; i < 3; i++) {\n"
                "    c.fuel += 5;\n    mix(&c, f0(&c, &start));\n  }\n  printf(\"%016llx\\n\", (unsigned long long)c.sum);\n}\n")
        return HEAD + self.codecs + walk + endless + declarations + functions + main


def generate(seed):
    return Program(seed).generate()


if __name__ == "__main__":
    print(generate(int(sys.argv[1])), end="")

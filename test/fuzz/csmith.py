"""Programs that csmith generates, and the forms in which they are compiled.

A seed's program comes in two forms:

    plain     as generated; its globals are globals
    enclosed  all its globals are fields of one struct in main's frame, and every function is handed its address

csmith's programs live in their globals, so in the plain form most pointers are addresses of the image, and one that
leads to a local often ends in a global, which pins the thread. In the enclosed form every pointer is an address in the
moving stack, and nothing pins it; the checksum must be the same, which checks the rewriting as well.
"""
import re
import subprocess
import tempfile

INCLUDE = "/usr/include/csmith"
OPTIONS = ["--max-funcs", "8", "--max-block-depth", "4", "--max-pointer-depth", "3", "--max-array-dim", "2",
           "--max-array-len-per-dim", "6", "--max-struct-fields", "6", "--no-hash-value-printf", "--no-argc"]
FORMS = ["plain", "enclosed"]

# What every program here is compiled with. Not -w, which would silence what the compiler could not prove, too; and
# csmith's safe arithmetic as macros: as functions they would be nine tenths of all calls and hide the others.
COMPILE = ["-Wno-everything", f"-I{INCLUDE}", "-DUSE_MATH_MACROS"]


def generate(seed):
    """The text of the seed's program, without the head that repeats csmith's version."""
    with tempfile.TemporaryDirectory() as place:  # csmith leaves a platform.info where it runs
        done = subprocess.run(["csmith", "--seed", str(seed), *OPTIONS], cwd=place, capture_output=True, text=True,
                              timeout=60, check=True)
    return done.stdout[done.stdout.index('#include "csmith.h"'):]


def write(seed, form, path):
    text = generate(seed)
    with open(path, "w") as file:
        file.write(enclose(text) if form == "enclosed" else text)


def enclose(text):
    """Moves every global variable into a struct in main's frame.

        static int32_t *g_5 = &g_2;         struct state { int32_t *g_5; ... };
        static int32_t  func_1(void);  -->  static int32_t  func_1(struct state *self);
        ... g_5 ... func_2(3) ...           ... self->g_5 ... func_2(self, 3) ...
                                            int main (void) { struct state state = {.g_5 = &state.g_2, ...}, *self = &state;
    """
    head, rest = text.split("/* --- GLOBAL VARIABLES --- */\n")
    variables, rest = rest.split("/* --- FORWARD DECLARATIONS --- */\n")
    fields, values = [], []
    for line in variables.splitlines():
        match = re.match(r"static (.*?\b(g_\d+)((?:\[\d+\])*)) = (.*);(/\*.*\*/)?$", line)
        if match:
            fields.append(f"   {match[1]};\n")
            values.append(f"   .{match[2]} = {rename(match[4], 'state.')},\n")
        elif line.strip():
            raise ValueError(f"not a variable as csmith writes it: {line}")
    rest = re.sub(r"^(static .*\bfunc_\d+\()void\)", r"\1struct state *self)", rest, flags=re.M)
    rest = re.sub(r"^(static .*\bfunc_\d+\()(?!struct state)", r"\1struct state *self, ", rest, flags=re.M)
    lines = []
    for line in rest.splitlines(keepends=True):
        if not line.startswith("static "):
            line = re.sub(r"\b(func_\d+)\(\)", r"\1(self)", line)
            line = re.sub(r"\b(func_\d+)\((?!self\))", r"\1(self, ", line)
        lines.append(rename(line, "self->"))
    body = "".join(lines)
    state = "   struct state state = {\n" + "".join("   " + value for value in values) + "   }, *self = &state;\n"
    body, count = re.subn(r"^int main \(void\)\n\{\n", lambda m: m[0] + state, body, flags=re.M)
    if count != 1:
        raise ValueError("no main as csmith writes it")
    return f"{head}struct state {{\n{''.join(fields)}}};\n\n{body}"


def rename(text, prefix):
    """g_5 with a prefix, except inside string literals."""
    parts = re.split(r'("(?:[^"\\]|\\.)*")', text)
    return "".join(part if part.startswith('"') else re.sub(r"\b(g_\d+)\b", prefix + r"\1", part) for part in parts)

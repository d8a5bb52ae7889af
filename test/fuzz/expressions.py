"""Numbers, addresses and calls for generator.py: expressions that are right where they stand."""
import random

GLOBAL, PARAMETER, LOCAL = 0, 1, 2

INTEGERS = ["uint8_t", "uint16_t", "uint32_t", "uint64_t", "int8_t", "int16_t", "int32_t", "int64_t"]


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


class Expressions:
    """The text so far, the variables that are visible where it ends, and what can be computed from them."""

    def __init__(self, seed, features):
        self.random = random.Random(seed)
        self.features = {name for name in features if self.random.random() < 0.45}
        self.globals, self.parameters, self.scopes = [], [], []
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
        return [v for scope in [self.globals, self.parameters, *self.scopes] for v in scope if v.type == type and v.level <= most]

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

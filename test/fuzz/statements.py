"""Statements for generator.py, one method for each way to use pointers. A statement whose feature is off becomes another one."""
from expressions import GLOBAL, INTEGERS, LOCAL, Expressions

FEATURES = [
    "alloca", "array-of-pointers", "atomic", "bit-fields", "builtin-setjmp", "callback", "chain", "char-buffer", "complex",
    "computed-goto", "doubles", "escape-context", "escape-global", "flexible", "function-pointers", "global-lists",
    "global-structs", "goto", "heap", "heap-lists", "heap-stack-pointers", "int128", "interior", "long-double", "memcpy",
    "packed", "pointer-result", "pointer-walk", "printf", "qsort", "setjmp", "static-pointers", "struct-by-value",
    "struct-result", "switch", "tagged", "union-of-pointers", "union-with-integer", "va-copy", "varargs", "vector", "vla",
    "volatile-pointers",
]


class Statements(Expressions):
    def __init__(self, seed):
        super().__init__(seed, FEATURES)

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
        name, n = self.name("ft"), self.random.randint(2, 4)
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

    def say_heap_list(self):
        """A list and a growing array of pointers, both of heap blocks."""
        if not self.on("heap-lists") or self.level != LOCAL:
            return self.say_heap()
        level = LOCAL if self.on("heap-stack-pointers") else GLOBAL
        n = self.random.randint(1, 5)
        if self.chance(0.5):
            name, node = self.name("list"), self.name("node")
            self.line(f"struct link *{name} = NULL;")
            self.open(f"for (u64 i = 0; i < {n}; i++)")
            self.line(f"struct link *{node} = {self.random.choice(['malloc(sizeof *' + node + ')', 'calloc(1, sizeof(struct link))'])};")
            self.line(f"*{node} = (struct link){{{name}, {self.outer_address(level)}, i}};")
            self.line(f"{name} = {node};")
            self.close()
            self.cleanups.append(f"while ({name}) {{ struct link *up = {name}->up; free({name}); {name} = up; }}")
            self.say_call()
            self.line(f"mix(c, walk_chain(c, {name}));")
        else:
            name = self.name("grown")
            self.line(f"u64 **{name} = malloc({n} * sizeof *{name});")
            self.line(f"for (u64 i = 0; i < {n}; i++) {name}[i] = {self.outer_address(level)};")
            self.say_call()
            self.line(f"{name} = realloc({name}, {3 * n} * sizeof *{name});")
            self.line(f"for (u64 i = {n}; i < {3 * n}; i++) {name}[i] = {self.outer_address(level)};")
            self.cleanups.append(f"free({name});")
            self.say_call()
            self.line(f"for (u64 i = 0; i < {3 * n}; i++) mix(c, *{name}[i]);")

    def outer_address(self, level):
        """An address that heap blocks may hold: of a local, or only of a global."""
        return self.address(level) if level == LOCAL else f"&global_number[{self.number(1)} % 4]"

    def say_global_list(self):
        """A heap block that outlives the function, on a global list; its pointer leads into itself or to a global."""
        if not self.on("global-lists"):
            return self.say_call()
        name = self.name("node")
        self.line(f"struct link *{name} = malloc(sizeof *{name});")
        target = self.random.choice([f"&{name}->own", f"&global_number[{self.random.randrange(4)}]",
                                     "global_list ? &global_list->own : &global_number[0]"])
        self.line(f"*{name} = (struct link){{global_list, {target}, {self.number(1)}}};")
        self.line(f"global_list = {name};")
        self.say_call()
        self.line("mix(c, walk_chain(c, global_list));")

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
        """Early, with what must be put back; the value is computed before that, since it may read what is freed."""
        if self.chance(0.5) or self.returning is None:
            return self.say_mix()
        self.open(f"if (({self.number()} & 15) == 1)")
        self.line(f"__auto_type early = {self.returning()};")
        for cleanup in reversed(self.cleanups):
            self.line(cleanup)
        self.line("return early;")
        self.close()

    def statement(self, deep):
        flat = [(6, self.say_assign), (8, self.say_call), (2, self.say_mix), (3, self.say_expression_with_call),
                (4, self.say_point), (2, self.say_picked), (3, self.say_struct), (2, self.say_struct_copy),
                (2, self.say_record_pointer), (2, self.say_field_point), (2, self.say_interior), (2, self.say_pointer_walk),
                (2, self.say_array_of_pointers), (1, self.say_function_table), (2, self.say_tagged),
                (2, self.say_union_integer), (2, self.say_union_pointers), (2, self.say_heap), (1, self.say_flexible),
                (2, self.say_heap_list), (1, self.say_global_list),
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

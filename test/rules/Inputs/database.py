"""database.py FOLDER COMPILER: a compile_commands.json of the three files of command-line.test."""
import json
import sys

folder, compiler = sys.argv[1:3]
options = {"one.c": [], "two.c": ["-O2"], "own.c": ["-fskein-globals=private", "-Wno-skein"]}
json.dump([{"directory": folder, "file": name, "arguments": [compiler, *more, "-c", name, "-o", name + ".o"]}
           for name, more in options.items()], open(folder + "/compile_commands.json", "w"))

# Runs the scripts that are named four times, each with the globals of a fresh module, and none of them from an open file.
import sys

for name in sys.argv[1:]:
    with open(name) as file:
        text = file.read()
    for _ in range(4):
        try:
            exec(text, {"__name__": "__main__"})
        except BaseException as error:
            print(name, type(error))

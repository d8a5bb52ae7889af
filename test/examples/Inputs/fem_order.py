"""Of what `fem` printed for a cube, and for one of half as large elements: did the errors fall with the square of the size?

    fem_order.py COARSE FINE
"""
import pathlib
import re
import sys


def errors(path):
    text = pathlib.Path(path).read_text()
    found = re.search(r"error of displacements (\S+), of stresses (\S+)", text)
    if not found:
        raise SystemExit(f"{path} has no errors:\n{text}")
    return {"displacements": float(found[1]), "stresses": float(found[2])}


coarse, fine = map(errors, sys.argv[1:])
for of, error in coarse.items():
    fell = error / fine[of]
    print(f"the error of {of} fell to 1 in {fell:.2f}")
    if not 3.4 < fell < 4.6:
        raise SystemExit(f"from {error} to {fine[of]}: that is not 1 in 4")

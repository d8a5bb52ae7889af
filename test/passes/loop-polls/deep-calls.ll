; A chain of functions that call each other is followed only as far as the stack certainly reaches.
; RUN: %python %root/test/passes/pointer-homing/Inputs/deep.py calls 20000 %opt -passes=loop-polls -disable-output

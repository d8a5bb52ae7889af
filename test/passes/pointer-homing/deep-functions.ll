; No pass recurses as deep as a function is long.
; RUN: %python %S/Inputs/deep.py sum 20000 %opt -passes=escaping-addresses,pointer-homing -disable-output
; RUN: %python %S/Inputs/deep.py merge 5000 %opt -passes=escaping-addresses,pointer-homing -disable-output
; RUN: %python %S/Inputs/deep.py offsets 1000 %opt -passes=escaping-addresses,pointer-homing -disable-output

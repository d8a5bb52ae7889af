#!/usr/bin/env python3
"""Runs a command on a module whose size is its only difficulty, with little stack: deep.py SHAPE SIZE COMMAND...

    sum       an integer that is made of an address and numbers, in SIZE steps
    merge     SIZE blocks one after the other, each with phis of a pointer, of a number and of a callee
    offsets   pointers that are computed in SIZE steps
    calls     SIZE functions, of which each calls the next one in a short loop

How deep a pass recurses must not hang on the size of a function, or of a module. The command gets the module on its
standard input, and STACK bytes of stack.
"""
import contextlib
import io
import resource
import subprocess
import sys

STACK = 512 << 10

HEAD = """target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
declare void @g()
declare void @use(ptr)
declare void @use64(i64)
declare void @h1()
declare void @h2()
"""


def sums(size):
    print("define i64 @f(ptr %p, i64 %n) {\nentry:\n  %a = ptrtoint ptr %p to i64\n  %x0 = mul i64 %a, 3")
    for n in range(size):
        print(f"  %x{n + 1} = add i64 %x{n}, %n")
    print(f"  %x = sub i64 %x{size}, %a\n  call void @g()\n  ret i64 %x\n}}")


def merge(size):
    print("define void @f(ptr %p, i64 %n, i1 %c, ptr %q) {\nentry:\n  %local = alloca ptr\n  br label %b0")
    for n in range(size):
        p, i, f = (f"%p{n - 1}", f"%i{n - 1}", f"%f{n - 1}") if n else ("%p", "%n", "@h1")
        print(f"b{n}:\n  %c{n} = icmp eq ptr {p}, %q\n  br i1 %c{n}, label %t{n}, label %m{n}")
        print(f"t{n}:\n  %k{n} = add i64 {i}, {n}")
        if n % 100 == 0:
            print("  call void @g()")
        print(f"  br label %m{n}")
        other = "%local" if n % 2 else "%q"
        print(f"m{n}:\n  %p{n} = phi ptr [ {p}, %b{n} ], [ {other}, %t{n} ]")
        print(f"  %i{n} = phi i64 [ {i}, %b{n} ], [ %k{n}, %t{n} ]\n  %f{n} = phi ptr [ {f}, %b{n} ], [ @h2, %t{n} ]")
        print(f"  br label %{f'b{n + 1}' if n + 1 < size else 'end'}")
    last = size - 1
    print(f"end:\n  call void %f{last}()\n  call void @use(ptr %p{last})\n  call void @use64(i64 %i{last})\n  ret void\n}}")


def offsets(size):
    print("define void @f(ptr %p, i64 %n) {\nentry:\n  %local = alloca [64 x i64]")
    at, other = "%local", "%p"
    for n in range(size):
        print(f"  %a{n} = getelementptr inbounds i8, ptr {at}, i64 1\n  %b{n} = getelementptr i8, ptr {other}, i64 %n")
        at, other = f"%a{n}", f"%b{n}"
    print(f"  call void @g()\n  call void @use(ptr {at})\n  call void @use(ptr {other})\n  ret void\n}}")


def calls(size):
    for n in range(size):
        print(f'define void @f{n}(i64 %n) "skein-polls"="loops" {{\nentry:\n  br label %loop')
        print("loop:\n  %i = phi i64 [ 0, %entry ], [ %j, %loop ]")
        print(f"  call void @f{n + 1}(i64 %i)\n  %j = add nuw i64 %i, 1\n  %more = icmp ult i64 %j, 1\n"
              "  br i1 %more, label %loop, label %end\nend:\n  ret void\n}")
    print(f"define void @f{size}(i64 %n) {{\n  call void @g()\n  ret void\n}}")


MODULE = io.StringIO()
with contextlib.redirect_stdout(MODULE):
    print(HEAD)
    {"sum": sums, "merge": merge, "offsets": offsets, "calls": calls}[sys.argv[1]](int(sys.argv[2]))
done = subprocess.run(sys.argv[3:], input=MODULE.getvalue(), text=True,
                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (STACK, STACK)))
sys.exit(1 if done.returncode else 0)

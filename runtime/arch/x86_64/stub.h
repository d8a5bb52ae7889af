/* clang-format off */
/* How API calls that may block or migrate are declared, in a .S file of any room:
 *
 *     #include "arch/x86_64/stub.h"
 *     SKEIN_STUB skein_yield, yield_call            // skein_yield() suspends the caller and runs yield_call on the worker's stack
 *     SKEIN_STUB_OUTSIDE __skein_stress, stress_call, skein_outside_nothing
 *
 * The implementation is `extern "C" Thread *yield_call(Thread *self, uint64_t a0 … a3)`; see sched/sched.h. On a kernel thread that runs
 * no Skein thread (before main, in a pthread of the program) a SKEIN_STUB ends the program with a message that names the function
 * (or `called`, by which the program knows it); SKEIN_STUB_OUTSIDE jumps, with the arguments untouched, to a function of the same signature:
 *     skein_outside_nothing   returns 0
 *     skein_outside_error     returns SKEIN_ETHREAD
 *
 * Files end with SKEIN_STUBS_END (marks the stack non-executable). */
#ifndef SKEIN_ARCH_X86_64_STUB_H
#define SKEIN_ARCH_X86_64_STUB_H

#include "abi/growable_mark.h"
#include "arch/x86_64/offsets.h"

/* A stub needs next to no room on the stack of its caller: it may be called on a small one. */
.macro SKEIN_MARK
        .p2align 4
        .skip   12, 0xcc
        .long   SKEIN_GROWABLE_MARK
.endm

/* Libraries that the runtime calls, and libc, may call functions that the program defines (malloc, memcpy), and those are compiled
 * with stress calls and polls: jumps to `label` if this is the worker's own stack, where nobody can be suspended. Changes `scratch`. */
#define SKEIN_RUNTIME_DEPTH_MAX 0x100000 /* of the worker's stack that the runtime may use */
.macro SKEIN_STAYS_ON_WORKER scratch, label
        movq    %fs:skein_processor@tpoff, \scratch
        testq   \scratch, \scratch
        jz      1f
        movq    SKEIN_PROCESSOR_STACK_TOP(\scratch), \scratch
        subq    %rsp, \scratch
        cmpq    $SKEIN_RUNTIME_DEPTH_MAX, \scratch
        jb      \label
1:
.endm

/* Pushes the registers that a function keeps for its caller. From r15 up they lie as in JumpRegisters (thread/jumps.h). */
.macro SKEIN_PUSH_KEPT
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        pushq   %rbx
        .cfi_adjust_cfa_offset 8
        pushq   %r12
        .cfi_adjust_cfa_offset 8
        pushq   %r13
        .cfi_adjust_cfa_offset 8
        pushq   %r14
        .cfi_adjust_cfa_offset 8
        pushq   %r15
        .cfi_adjust_cfa_offset 8
.endm

/* rdi, rsi, rdx, rcx become a0 … a3; r11 and rax are free. The common tail, skein_switch, expects the implementation in r11. */
.macro SKEIN_STUB_OUTSIDE name, implementation, outside
        .text
        .globl  \name
        .type   \name, @function
        SKEIN_MARK
\name:
        .cfi_startproc
        leaq    \implementation(%rip), %r11
        movq    %fs:skein_processor@tpoff, %rax
        testq   %rax, %rax
        jnz     skein_switch
        jmp     \outside
        .cfi_endproc
        .size   \name, . - \name
.endm

.macro SKEIN_STUB name, implementation, called
        .section .rodata.str1.1, "aMS", @progbits, 1
.Lname_\name:
        .ifb    \called
        .asciz  "\name"
        .else
        .asciz  "\called"
        .endif
        .text
        .globl  \name
        .type   \name, @function
        SKEIN_MARK
\name:
        .cfi_startproc
        leaq    \implementation(%rip), %r11
        movq    %fs:skein_processor@tpoff, %rax
        testq   %rax, %rax
        jnz     skein_switch
        leaq    .Lname_\name(%rip), %rdi
        jmp     skein_outside_fatal
        .cfi_endproc
        .size   \name, . - \name
.endm

.macro SKEIN_STUBS_END
        .section .note.GNU-stack, "", @progbits
.endm

#endif

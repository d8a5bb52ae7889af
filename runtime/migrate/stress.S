/* The entry of the relocation stress. Called some 10^7 times a second with stress_every=1000, so what does not move does
 * not switch either: a count per kernel thread, and only when it reaches 0 the thread is suspended. */
#include "arch/x86_64/stub.h"

#define RUNTIME_DEPTH_MAX 0x100000 /* of the worker's stack that the runtime may use */

        .text
        .globl  __skein_stress
        .type   __skein_stress, @function
        .p2align 4
__skein_stress:
        .cfi_startproc
        movq    skein_stress_left@gottpoff(%rip), %rax
        decq    %fs:(%rax)
        jz      .Lmove
        ret
        .cfi_endproc
        .size   __skein_stress, . - __skein_stress
.Lmove:
/* A program may define functions that the runtime calls by their names (malloc, memcpy, …). On the worker's stack they stay. */
        movq    skein_processor@gottpoff(%rip), %r10
        movq    %fs:(%r10), %r10
        testq   %r10, %r10
        jz      .Lsuspend
        movq    SKEIN_PROCESSOR_STACK_TOP(%r10), %r10
        subq    %rsp, %r10
        cmpq    $RUNTIME_DEPTH_MAX, %r10
        jb      .Lstays
.Lsuspend:
        jmp     skein_stress_move
.Lstays:
        movq    $1, %fs:(%rax)
        ret

SKEIN_STUB_OUTSIDE skein_stress_move, skein_stress_call, skein_stress_outside

SKEIN_STUBS_END

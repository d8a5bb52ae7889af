/* The entry of the relocation stress. Compiled code calls it some 10^7 times a second with stress_every=1000, so a call
 * that moves nothing must not switch stacks either: it decreases a count of its kernel thread, and only when that
 * reaches 0 the thread is suspended. */
#include "arch/x86_64/stub.h"

        .text
        .globl  __skein_stress
        .type   __skein_stress, @function
        .p2align 4
__skein_stress:
        .cfi_startproc
        decq    %fs:skein_stress_left@tpoff
        jz      .Lmove
        ret
        .cfi_endproc
        .size   __skein_stress, . - __skein_stress
.Lmove:
        SKEIN_STAYS_ON_WORKER %r10, .Lstays
        jmp     skein_stress_move
.Lstays:
        movq    $1, %fs:skein_stress_left@tpoff
        ret

SKEIN_STUB_OUTSIDE skein_stress_move, skein_stress_call, skein_stress_outside

SKEIN_STUBS_END

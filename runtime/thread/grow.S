/* Where a prologue asks for room (growable.h). The function has not begun: its arguments are in registers, its return address
 * lies where the prologue found it. What its arguments are in is kept on the thread's stack, in the headroom below the limit:
 *
 *     xmm0 ... xmm7, rdi rsi rdx rcx r8 r9, rax, r10              KEPT_BYTES
 *     return address into the prologue
 *     return address of the function, arguments in memory
 */
#include "arch/x86_64/stub.h"

#define VECTORS 0
#define INTEGERS 128
#define RAX 176
#define CHAIN 184
#define KEPT_BYTES 192                  /* with r10 */

.macro EACH_VECTOR do
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7
        \do     %xmm\n, VECTORS+16*\n(%rsp)
        .endr
.endm
.macro EACH_INTEGER do
        \do     %rdi, INTEGERS(%rsp)
        \do     %rsi, INTEGERS+8(%rsp)
        \do     %rdx, INTEGERS+16(%rsp)
        \do     %rcx, INTEGERS+24(%rsp)
        \do     %r8, INTEGERS+32(%rsp)
        \do     %r9, INTEGERS+40(%rsp)
        \do     %rax, RAX(%rsp)
.endm
.macro KEEP_VECTOR register, at
        movups  \register, \at
.endm
.macro GIVE_VECTOR register, at
        movups  \at, \register
.endm
.macro KEEP_INTEGER register, at
        movq    \register, \at
.endm
.macro GIVE_INTEGER register, at
        movq    \at, \register
.endm

        .text
        .globl  __skein_grow
        .type   __skein_grow, @function
        .p2align 4
__skein_grow:
        .cfi_startproc
        pushq   %r10
        .cfi_adjust_cfa_offset 8
        movq    %rsp, %r10
        subq    skein_growable_begin(%rip), %r10
        cmpq    skein_growable_bytes(%rip), %r10
        jae     9f                      /* a signal stack, say: this thread's limit means nothing there */
        subq    $CHAIN, %rsp
        .cfi_adjust_cfa_offset CHAIN
        EACH_VECTOR KEEP_VECTOR
        EACH_INTEGER KEEP_INTEGER
        leaq    KEPT_BYTES+8(%rsp), %rdi /* rsp at the function's entry */
        movq    %r11, %rsi
        movq    KEPT_BYTES(%rsp), %rdx  /* the place in its prologue */
        callq   skein_grow_suspend
        EACH_VECTOR GIVE_VECTOR
        EACH_INTEGER GIVE_INTEGER
        addq    $CHAIN, %rsp
        .cfi_adjust_cfa_offset -CHAIN
9:      popq    %r10
        .cfi_adjust_cfa_offset -8
        retq
        .cfi_endproc
        .size   __skein_grow, . - __skein_grow

SKEIN_STUB skein_grow_suspend, skein_grow_call

/* The same of a function with arguments in vector registers wider than 128 bits, whose upper parts the runtime may change. */
#define VECTOR_STATE 0xe6               /* SSE, AVX, and the three parts of AVX-512 */
#define VECTOR_STATE_BYTES 2752         /* as far as the last of them reaches, in the standard format */
        .globl  __skein_grow_wide
        .type   __skein_grow_wide, @function
        .globl  skein_grow_wide_return
        .hidden skein_grow_wide_return
        .p2align 4
__skein_grow_wide:
        .cfi_startproc
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbp, 0
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        pushq   %rax
        pushq   %rdx
        subq    $VECTOR_STATE_BYTES, %rsp
        andq    $-64, %rsp
        xorl    %edx, %edx
        .irp    at, 512, 520, 528, 536, 544, 552, 560, 568
        movq    %rdx, \at(%rsp)         /* the header that xrstor checks */
        .endr
        movl    $VECTOR_STATE, %eax
        xsave64 (%rsp)
        subq    $64, %rsp
        movq    8(%rbp), %rax
        movq    %rax, (%rsp)            /* for messages: which function asks */
        movq    -8(%rbp), %rax
        movq    -16(%rbp), %rdx
        callq   __skein_grow
skein_grow_wide_return:
        addq    $64, %rsp
        movl    $VECTOR_STATE, %eax
        xorl    %edx, %edx
        xrstor64 (%rsp)
        movq    -8(%rbp), %rax
        movq    -16(%rbp), %rdx
        movq    %rbp, %rsp
        popq    %rbp
        .cfi_def_cfa %rsp, 8
        .cfi_restore %rbp
        retq
        .cfi_endproc
        .size   __skein_grow_wide, . - __skein_grow_wide

/* void __skein_reserve(size_t bytes): mostly there is room. */
        .globl  __skein_reserve
        .type   __skein_reserve, @function
        .p2align 4
__skein_reserve:
        .cfi_startproc
        movq    %rsp, %rax
        subq    %rdi, %rax
        jb      1f
        cmpq    %fs:0x70, %rax
        jb      1f
        retq
1:      movq    %rsp, %rax
        subq    skein_growable_begin(%rip), %rax
        cmpq    skein_growable_bytes(%rip), %rax
        jb      skein_reserve_suspend
        retq                            /* elsewhere the guard zone decides */
        .cfi_endproc
        .size   __skein_reserve, . - __skein_reserve

SKEIN_STUB skein_reserve_suspend, skein_reserve_call

SKEIN_STUBS_END

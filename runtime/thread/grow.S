/* Where a prologue asks for room (growable.h). The function has not begun: its arguments are in registers, its return address
 * lies where the prologue found it. What its arguments are in is kept on the thread's stack, in the headroom below the limit:
 *
 *     xmm0 ... xmm7, rdi rsi rdx rcx r8 r9, rax, r11, r10         SKEIN_ENTRY_BYTES
 *     return address into the prologue
 *     return address of the function, arguments in memory
 */
#include "abi/growable_mark.h"
#include "arch/x86_64/stub.h"

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
        subq    $SKEIN_ENTRY_CHAIN, %rsp
        .cfi_adjust_cfa_offset SKEIN_ENTRY_CHAIN
        movups  %xmm0, SKEIN_ENTRY_VECTORS(%rsp)
        movups  %xmm1, SKEIN_ENTRY_VECTORS+16(%rsp)
        movups  %xmm2, SKEIN_ENTRY_VECTORS+32(%rsp)
        movups  %xmm3, SKEIN_ENTRY_VECTORS+48(%rsp)
        movups  %xmm4, SKEIN_ENTRY_VECTORS+64(%rsp)
        movups  %xmm5, SKEIN_ENTRY_VECTORS+80(%rsp)
        movups  %xmm6, SKEIN_ENTRY_VECTORS+96(%rsp)
        movups  %xmm7, SKEIN_ENTRY_VECTORS+112(%rsp)
        movq    %rdi, SKEIN_ENTRY_INTEGERS(%rsp)
        movq    %rsi, SKEIN_ENTRY_INTEGERS+8(%rsp)
        movq    %rdx, SKEIN_ENTRY_INTEGERS+16(%rsp)
        movq    %rcx, SKEIN_ENTRY_INTEGERS+24(%rsp)
        movq    %r8, SKEIN_ENTRY_INTEGERS+32(%rsp)
        movq    %r9, SKEIN_ENTRY_INTEGERS+40(%rsp)
        movq    %rax, SKEIN_ENTRY_RAX(%rsp)
        movq    %r11, SKEIN_ENTRY_NEED(%rsp)
        movq    %rsp, %rdi
        callq   skein_grow_suspend
        movups  SKEIN_ENTRY_VECTORS(%rsp), %xmm0
        movups  SKEIN_ENTRY_VECTORS+16(%rsp), %xmm1
        movups  SKEIN_ENTRY_VECTORS+32(%rsp), %xmm2
        movups  SKEIN_ENTRY_VECTORS+48(%rsp), %xmm3
        movups  SKEIN_ENTRY_VECTORS+64(%rsp), %xmm4
        movups  SKEIN_ENTRY_VECTORS+80(%rsp), %xmm5
        movups  SKEIN_ENTRY_VECTORS+96(%rsp), %xmm6
        movups  SKEIN_ENTRY_VECTORS+112(%rsp), %xmm7
        movq    SKEIN_ENTRY_INTEGERS(%rsp), %rdi
        movq    SKEIN_ENTRY_INTEGERS+8(%rsp), %rsi
        movq    SKEIN_ENTRY_INTEGERS+16(%rsp), %rdx
        movq    SKEIN_ENTRY_INTEGERS+24(%rsp), %rcx
        movq    SKEIN_ENTRY_INTEGERS+32(%rsp), %r8
        movq    SKEIN_ENTRY_INTEGERS+40(%rsp), %r9
        movq    SKEIN_ENTRY_RAX(%rsp), %rax
        addq    $SKEIN_ENTRY_CHAIN, %rsp
        .cfi_adjust_cfa_offset -SKEIN_ENTRY_CHAIN
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

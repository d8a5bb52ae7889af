/* Calls that leave a growable stack for the worker's deep stack (thread/deep.h), and come back.
 *
 *     thread's stack                              deep stack
 *     ...                                         top - 8   who was called
 *     stack arguments                             top - 16  rbp: caller's frame, below
 *     return address                              stack arguments, copied
 *     caller's rbp      <- rbp                    return address into here
 *                                                 foreign frames
 *
 * rbp holds the way back, since the callee restores it; so an unwinder finds its way, too. On any other stack (a deep one, the
 * system's, one of fixed size) there is nothing to leave: the callee is jumped to.
 *
 * All argument registers pass through, rax (how many vector registers) and r10 (static chain) with them, except where r10 is
 * said to hold something else. */
#include "abi/growable_mark.h"
#include "arch/x86_64/offsets.h"

#include <asm/errno.h>
#include <sys/syscall.h>

/* Flags "below" if rsp lies on a growable stack. */
.macro ON_GROWABLE scratch
        movq    %rsp, \scratch
        subq    skein_growable_begin(%rip), \scratch
        cmpq    skein_growable_bytes(%rip), \scratch
.endm

.macro DEEP_TOP to
        movq    %fs:skein_processor@tpoff, \to
        movq    SKEIN_PROCESSOR_DEEP(\to), \to
.endm

/* Goes to r11 if it has the mark, else to `foreign`. Code that a program makes at run time may begin where readable
 * memory begins: in front of a page the mark is only read if it can be. */
.macro CALL_BY_MARK foreign bind=0
        testl   $0xfff, %r11d
        jz      2f
1:      cmpl    $SKEIN_GROWABLE_MARK, -4(%r11)
        jne     \foreign
.if \bind
        pushq   %rax
        .cfi_adjust_cfa_offset 8
        movq    8(%rsp), %rax
        movq    %r11, (%rax)
        popq    %rax
        .cfi_adjust_cfa_offset -8
        leaq    8(%rsp), %rsp
        .cfi_adjust_cfa_offset -8
.endif
        jmpq    *%r11
.if \bind
        .cfi_adjust_cfa_offset 8
.endif
2:      callq   mark_is_readable
        jne     1b
        jmp     \foreign
.endm

/* Enters the callee of the cell r11, after writing its address into the first word of the cell if it has the mark. */
.macro BIND_CALLEE foreign
        .cfi_startproc
        pushq   %r11
        .cfi_adjust_cfa_offset 8
        movq    8(%r11), %r11
        CALL_BY_MARK 3f, bind=1
3:      leaq    8(%rsp), %rsp
        .cfi_adjust_cfa_offset -8
        jmp     \foreign
        .cfi_endproc
.endm

        .text

/* Flags "equal" if the word in front of r11, which is the address of a page, cannot be read. No register changes. In the
 * program it can: a function of ours has its mark in the same section. Elsewhere the kernel is asked by a call that
 * reads eight bytes before it finds that there is nothing to do. */
        .type   mark_is_readable, @function
        .p2align 4
mark_is_readable:
        .cfi_startproc
        pushq   %rax
        .cfi_adjust_cfa_offset 8
        pushq   %rcx
        .cfi_adjust_cfa_offset 8
        leaq    __executable_start(%rip), %rcx
        leaq    etext(%rip), %rax
        subq    %rcx, %rax
        negq    %rcx
        addq    %r11, %rcx
        cmpq    %rax, %rcx
        jae     1f
        orl     $1, %ecx                /* "not equal" */
        jmp     2f
1:      pushq   %rdx
        .cfi_adjust_cfa_offset 8
        pushq   %rsi
        .cfi_adjust_cfa_offset 8
        pushq   %rdi
        .cfi_adjust_cfa_offset 8
        pushq   %r10
        .cfi_adjust_cfa_offset 8
        pushq   %r11
        .cfi_adjust_cfa_offset 8
        movl    $SYS_rt_sigprocmask, %eax
        movl    $-1, %edi               /* no way to change a signal mask */
        leaq    -8(%r11), %rsi
        xorl    %edx, %edx
        movl    $8, %r10d
        syscall
        popq    %r11
        .cfi_adjust_cfa_offset -8
        popq    %r10
        .cfi_adjust_cfa_offset -8
        popq    %rdi
        .cfi_adjust_cfa_offset -8
        popq    %rsi
        .cfi_adjust_cfa_offset -8
        popq    %rdx
        .cfi_adjust_cfa_offset -8
        cmpl    $-EFAULT, %eax
2:      popq    %rcx
        .cfi_adjust_cfa_offset -8
        popq    %rax
        .cfi_adjust_cfa_offset -8
        retq
        .cfi_endproc
        .size   mark_is_readable, . - mark_is_readable

/* Call r11, which may be compiled for growable stacks or not: its mark tells. */
        .globl  __skein_call
        .type   __skein_call, @function
        .p2align 4
__skein_call:
        .cfi_startproc
        CALL_BY_MARK __skein_foreign_call
        .cfi_endproc
        .size   __skein_call, . - __skein_call

/* The first call through a cell of the program, whose address is in r11 and whose second word is the callee. From the
 * next call on the cell leads to a callee with the mark directly (passes/ir/CalleeBinding.cpp). Threads that do this at
 * once write the same. */
        .globl  __skein_bind
        .type   __skein_bind, @function
        .p2align 4
__skein_bind:
        BIND_CALLEE __skein_foreign_call
        .size   __skein_bind, . - __skein_bind

/* Call r11, foreign code whose arguments are all in registers; it has no use for r10. */
        .globl  __skein_foreign_call
        .type   __skein_foreign_call, @function
        .p2align 4
__skein_foreign_call:
        .cfi_startproc
        ON_GROWABLE %r10
        jae     1f
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbp, 0
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        DEEP_TOP %r10
        movq    %r10, %rsp
        pushq   %r11
        pushq   %rbp
        callq   *%r11
        .globl  __skein_foreign_return
        .hidden __skein_foreign_return
__skein_foreign_return: /* sync/interpose/libc_calls.h finds the caller by it */
        movq    %rbp, %rsp
        popq    %rbp
        .cfi_def_cfa %rsp, 8
        .cfi_restore %rbp
        retq
1:      jmpq    *%r11
        .cfi_endproc
        .size   __skein_foreign_call, . - __skein_foreign_call

/* The same three for a call with r10 bytes of arguments in memory, a multiple of 16. */
        .globl  __skein_call_memory
        .type   __skein_call_memory, @function
        .p2align 4
__skein_call_memory:
        .cfi_startproc
        CALL_BY_MARK __skein_foreign_call_memory
        .cfi_endproc
        .size   __skein_call_memory, . - __skein_call_memory

        .globl  __skein_bind_memory
        .type   __skein_bind_memory, @function
        .p2align 4
__skein_bind_memory:
        BIND_CALLEE __skein_foreign_call_memory
        .size   __skein_bind_memory, . - __skein_bind_memory

        .globl  __skein_foreign_call_memory
        .type   __skein_foreign_call_memory, @function
        .p2align 4
__skein_foreign_call_memory:
        .cfi_startproc
        pushq   %r10
        .cfi_adjust_cfa_offset 8
        ON_GROWABLE %r10
        popq    %r10
        .cfi_adjust_cfa_offset -8
        jae     1f
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbp, 0
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        pushq   %r11
        DEEP_TOP %r11
        movq    %r11, %rsp
        movq    -8(%rbp), %r11
        pushq   %r11
        pushq   %rbp
        testq   %r10, %r10
        jz      3f
2:      pushq   8(%rbp,%r10)            /* the last word first */
        subq    $8, %r10
        jnz     2b
3:      callq   *%r11
        movq    %rbp, %rsp
        popq    %rbp
        .cfi_def_cfa %rsp, 8
        .cfi_restore %rbp
        retq
1:      jmpq    *%r11
        .cfi_endproc
        .size   __skein_foreign_call_memory, . - __skein_foreign_call_memory

        .section .note.GNU-stack, "", @progbits

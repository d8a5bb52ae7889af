// The two ends of a copied process (checkpoint/copy.h, checkpoint/restore.h): where it is saved, and the last steps of the
// process that becomes it.
#include "arch/x86_64/rebirth.h"

        .text

// int skein_rebirth_save(struct RebirthContext *to): saves where the caller is, and returns 0. In a process that is made of
// a copy it returns 1.
        .globl  skein_rebirth_save
        .hidden skein_rebirth_save
        .type   skein_rebirth_save, @function
skein_rebirth_save:
        movq    (%rsp), %rax
        movq    %rax, SKEIN_REBIRTH_RIP(%rdi)
        leaq    8(%rsp), %rax
        movq    %rax, SKEIN_REBIRTH_RSP(%rdi)
        movq    %rbx, SKEIN_REBIRTH_RBX(%rdi)
        movq    %rbp, SKEIN_REBIRTH_RBP(%rdi)
        movq    %r12, SKEIN_REBIRTH_R12(%rdi)
        movq    %r13, SKEIN_REBIRTH_R13(%rdi)
        movq    %r14, SKEIN_REBIRTH_R14(%rdi)
        movq    %r15, SKEIN_REBIRTH_R15(%rdi)
        stmxcsr SKEIN_REBIRTH_MXCSR(%rdi)
        fnstcw  SKEIN_REBIRTH_X87(%rdi)
        xorl    %eax, %eax
        ret
        .size   skein_rebirth_save, .-skein_rebirth_save

// void skein_rebirth_call(void (*function)(void *), void *argument, void *top): calls the function on another stack.
        .globl  skein_rebirth_call
        .hidden skein_rebirth_call
        .type   skein_rebirth_call, @function
skein_rebirth_call:
        pushq   %rbp
        movq    %rsp, %rbp
        movq    %rdi, %rax
        movq    %rsi, %rdi
        movq    %rdx, %rsp
        callq   *%rax
        movq    %rbp, %rsp
        popq    %rbp
        ret
        .size   skein_rebirth_call, .-skein_rebirth_call

// void skein_last_steps(const struct LastSteps *steps): makes the system calls of the list, one after the other, then jumps
// to the saved context. It runs in a copy of itself, which lies where neither of the two processes has anything, on no
// stack: the calls unmap all that this process was. So it uses nothing but registers and the list.
        .globl  skein_last_steps, skein_last_steps_end
        .hidden skein_last_steps, skein_last_steps_end
        .type   skein_last_steps, @function
skein_last_steps:
        movq    %rdi, %rbx
        movq    SKEIN_STEPS_CALLS(%rbx), %rbp
        movq    SKEIN_STEPS_COUNT(%rbx), %r12
1:      testq   %r12, %r12
        je      3f
        movq    SKEIN_CALL_NUMBER(%rbp), %rax
        movq    SKEIN_CALL_ARGUMENTS(%rbp), %rdi
        movq    SKEIN_CALL_ARGUMENTS+8(%rbp), %rsi
        movq    SKEIN_CALL_ARGUMENTS+16(%rbp), %rdx
        movq    SKEIN_CALL_ARGUMENTS+24(%rbp), %r10
        movq    SKEIN_CALL_ARGUMENTS+32(%rbp), %r8
        xorl    %r9d, %r9d
        syscall
        cmpq    $-4095, %rax
        jb      2f
        cmpq    $0, SKEIN_CALL_MAY_FAIL(%rbp)
        je      4f
2:      addq    $SKEIN_CALL_BYTES, %rbp
        decq    %r12
        jmp     1b
3:      movq    SKEIN_STEPS_CONTEXT(%rbx), %rdi
        ldmxcsr SKEIN_REBIRTH_MXCSR(%rdi)
        fldcw   SKEIN_REBIRTH_X87(%rdi)
        movq    SKEIN_REBIRTH_RBX(%rdi), %rbx
        movq    SKEIN_REBIRTH_RBP(%rdi), %rbp
        movq    SKEIN_REBIRTH_R12(%rdi), %r12
        movq    SKEIN_REBIRTH_R13(%rdi), %r13
        movq    SKEIN_REBIRTH_R14(%rdi), %r14
        movq    SKEIN_REBIRTH_R15(%rdi), %r15
        movq    SKEIN_REBIRTH_RSP(%rdi), %rsp
        movl    $1, %eax
        jmp     *SKEIN_REBIRTH_RIP(%rdi)
4:      movl    $1, %eax                // write(2, text)
        movl    $2, %edi
        movq    SKEIN_STEPS_FAILED(%rbx), %rsi
        movq    SKEIN_STEPS_FAILED_BYTES(%rbx), %rdx
        syscall
        movl    $231, %eax              // exit_group
        movl    $SKEIN_STEPS_STATUS, %edi
        syscall
        hlt
skein_last_steps_end:
        .size   skein_last_steps, .-skein_last_steps

        .section .note.GNU-stack, "", @progbits

/* API calls of room sched that leave the thread's stack. */
#include "arch/x86_64/stub.h"

SKEIN_STUB_OUTSIDE skein_yield_slow, skein_yield_call, skein_outside_yield

        .globl  skein_yield
        .type   skein_yield, @function
        SKEIN_MARK
skein_yield:
        .cfi_startproc
        jmp     skein_yield_quick
        .cfi_endproc
        .size   skein_yield, . - skein_yield

SKEIN_STUB skein_yield_to, skein_yield_to_call
SKEIN_STUB skein_start, skein_start_call
SKEIN_STUB skein_spawn_with_now, skein_spawn_with_call
SKEIN_STUB skein_limit_wait, skein_limit_wait_call

/* skein_spawn_with_quick (api.cpp) waits where a limit is reached, and ends in a jump to skein_spawn_with_now. */
        .globl  __skein_spawn_with
        .type   __skein_spawn_with, @function
        SKEIN_MARK
__skein_spawn_with:
        .cfi_startproc
        jmp     skein_spawn_with_quick
        .cfi_endproc
        .size   __skein_spawn_with, . - __skein_spawn_with

SKEIN_STUB_OUTSIDE skein_poll_suspended, skein_poll_call, skein_outside_nothing
SKEIN_STUB skein_thread_exit_slow, skein_thread_exit_call
SKEIN_STUB skein_workers_begin, skein_workers_begin_call

        .globl  __skein_poll
        .type   __skein_poll, @function
        SKEIN_MARK
__skein_poll:
        .cfi_startproc
        SKEIN_STAYS_ON_WORKER %r11, skein_outside_nothing
        jmp     skein_poll_suspended
        .cfi_endproc
        .size   __skein_poll, . - __skein_poll

/* set_and_long_jumps.cpp. Outside of a Skein thread libc's own functions serve, except for __builtin_setjmp, whose buffer has no
 * room for what libc's setjmp saves. */
SKEIN_STUB_OUTSIDE skein_setjmp_slow, skein_setjmp_call, __sigsetjmp
SKEIN_STUB_OUTSIDE skein_builtin_setjmp_slow, skein_builtin_setjmp_call, skein_outside_builtin_setjmp

/* setjmp saves its registers on the stack, in the order of JumpRegisters (thread/jumps.h), and has them copied without leaving
 * that stack. What the quick way does not do goes by `slow`, with the arguments as they were. rax: the Processor, or null. */
.macro SETJMP_QUICK slow
        testq   %rax, %rax
        jz      \slow
        SKEIN_PUSH_KEPT
        movq    %rsp, %rdx
        pushq   %rdi
        .cfi_adjust_cfa_offset 8
        movq    %rax, %rsi
        callq   skein_setjmp_quick
        popq    %rdi
        .cfi_adjust_cfa_offset -8
        addq    $48, %rsp
        .cfi_adjust_cfa_offset -48
        testl   %eax, %eax
        jnz     1f
        ret
1:      xorl    %esi, %esi
        jmp     \slow
.endm

        .globl  __skein_setjmp
        .type   __skein_setjmp, @function
        SKEIN_MARK
__skein_setjmp:
        .cfi_startproc
        testl   %esi, %esi /* the signal mask is asked of the kernel */
        jnz     skein_setjmp_slow
        movq    %fs:skein_processor@tpoff, %rax
        SETJMP_QUICK skein_setjmp_slow
        .cfi_endproc
        .size   __skein_setjmp, . - __skein_setjmp

        .globl  __skein_builtin_setjmp
        .type   __skein_builtin_setjmp, @function
        SKEIN_MARK
__skein_builtin_setjmp:
        .cfi_startproc
        movq    %fs:skein_processor@tpoff, %rax
        SETJMP_QUICK skein_builtin_setjmp_slow
        .cfi_endproc
        .size   __skein_builtin_setjmp, . - __skein_builtin_setjmp

SKEIN_STUB_OUTSIDE __skein_builtin_longjmp, skein_longjmp_call, skein_outside_builtin_longjmp

SKEIN_STUB_OUTSIDE skein_longjmp_own, skein_longjmp_call, skein_outside_longjmp

/* A buffer that libc's setjmp filled goes to libc's longjmp from the stack of the caller: on the worker's stack the thread
 * would be suspended, and libc does not know how to resume it. */
.macro LONGJMP name
        .globl  \name
        .type   \name, @function
        SKEIN_MARK
\name:
        .cfi_startproc
        pushq   %rdi
        .cfi_adjust_cfa_offset 8
        pushq   %rsi
        .cfi_adjust_cfa_offset 8
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        callq   skein_longjmp_is_ours
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %rsi
        .cfi_adjust_cfa_offset -8
        popq    %rdi
        .cfi_adjust_cfa_offset -8
        testl   %eax, %eax
        jz      skein_longjmp_by_library
        jmp     skein_longjmp_own
        .cfi_endproc
        .size   \name, . - \name
.endm
LONGJMP longjmp
LONGJMP _longjmp
LONGJMP siglongjmp
LONGJMP __longjmp_chk

/* longjmp resumes its thread here: the stack pointer and the return address of setjmp lie on the stack, rax has the
 * value. */
        .globl  skein_jump_landing
        .hidden skein_jump_landing
        .type   skein_jump_landing, @function
        .p2align 4
skein_jump_landing:
        .cfi_startproc
        .cfi_undefined %rip
        movq    8(%rsp), %rcx
        movq    (%rsp), %rsp
        jmpq    *%rcx
        .cfi_endproc
        .size   skein_jump_landing, . - skein_jump_landing

/* int skein_outside_builtin_setjmp(void **buffer, uint64_t *scratch) saves the registers in the scratch words, which
 * lie in the frame of the caller, and their address in the buffer. Nothing moves outside of a Skein thread. */
        .globl  skein_outside_builtin_setjmp
        .hidden skein_outside_builtin_setjmp
        .type   skein_outside_builtin_setjmp, @function
        .p2align 4
skein_outside_builtin_setjmp:
        .cfi_startproc
        movq    %rsi, (%rdi)
        movq    %rbx, (%rsi)
        movq    %rbp, 8(%rsi)
        movq    %r12, 16(%rsi)
        movq    %r13, 24(%rsi)
        movq    %r14, 32(%rsi)
        movq    %r15, 40(%rsi)
        leaq    8(%rsp), %rax
        movq    %rax, 48(%rsi)
        movq    (%rsp), %rax
        movq    %rax, 56(%rsi)
        xorl    %eax, %eax
        ret
        .cfi_endproc
        .size   skein_outside_builtin_setjmp, . - skein_outside_builtin_setjmp

/* void skein_outside_builtin_longjmp(void **buffer) */
        .globl  skein_outside_builtin_longjmp
        .hidden skein_outside_builtin_longjmp
        .type   skein_outside_builtin_longjmp, @function
        .p2align 4
skein_outside_builtin_longjmp:
        .cfi_startproc
        movq    (%rdi), %rsi
        movq    (%rsi), %rbx
        movq    8(%rsi), %rbp
        movq    16(%rsi), %r12
        movq    24(%rsi), %r13
        movq    32(%rsi), %r14
        movq    40(%rsi), %r15
        movq    48(%rsi), %rsp
        movl    $1, %eax
        jmpq    *56(%rsi)
        .cfi_endproc
        .size   skein_outside_builtin_longjmp, . - skein_outside_builtin_longjmp

SKEIN_STUBS_END

/* The context switch: suspending a caller, calling an implementation on the worker's stack, resuming a thread.
 *
 * A stub (stub.h) jumps to skein_switch with the worker's Processor in rax and the implementation in r11.
 * Callee-saved registers, the control words and errno go on the thread's stack (offsets.h); everything else the caller has given
 * up by calling. The implementation runs on the worker's stack and returns the thread to resume, or null to leave the worker.
 *
 *     thread's stack                          worker's stack
 *     caller
 *       skein_yield:  push registers
 *                     current->sp = rsp
 *                     rsp = stack_top  ---->  call implementation(current, a0, a1, a2, a3)
 *                     rsp = next->sp   <----  returns next
 *                     pop registers
 *                     rax = next->result
 *       caller goes on (next's caller)
 *
 * gs leads to the thread's private globals; it is set only where it differs from what this kernel thread has (segment.h).
 *
 * Control words are loaded only if they differ: ldmxcsr and fldcw cost more than the comparison (but for ldmxcsr in skein_swap, on
 * some processors: control_words.h). mxcsr mostly differs in the exceptions that were raised, which are a thread's own, too. What the
 * kernel thread has of x87's is what the last thread to be suspended on it had, since runtime code leaves it alone, as all functions
 * must; but the runtime's own arithmetic raises exceptions, so mxcsr is read again where runtime code has run.
 *
 * Exceptions that the x87 has raised (long double, feraiseexcept) are gathered in the mxcsr that is saved, and cleared in the x87: who
 * asks for exceptions looks at both. That is done only in programs that do ask (libc/float_exceptions.cpp), since it costs a nanosecond or more.
 *
 * skein_swap is the short way from a thread to the next one, for quick ways (sched/quick.h) that know it without leaving the caller's
 * stack; skein_go is the same from a thread that is over.
 *
 * Another thread than the caller is resumed by a jump and not by a return: the processor predicts returns from the calls it saw, and
 * would be wrong each time. */
#include "arch/x86_64/stub.h"

        .text

/* While the implementation runs, rbx holds the Processor. An unwinder on the worker's stack finds the caller by
 * CFA = processor->current->sp + SKEIN_SAVED_BYTES:  DW_CFA_def_cfa_expression { breg3 CURRENT; deref; plus_uconst SP, in two
 * bytes; deref; plus_uconst SAVED_BYTES }. */
#define CFA_THROUGH_PROCESSOR .cfi_escape 0x0f, 9, 0x73, SKEIN_PROCESSOR_CURRENT, 0x06, 0x23, SKEIN_THREAD_SP & 0x7f | 0x80, SKEIN_THREAD_SP >> 7, 0x06, 0x23, SKEIN_SAVED_BYTES

/* rsp is a suspended thread's sp: back to its registers. */
.macro LOAD_REGISTERS
        movq    SKEIN_SAVED_REGISTERS+0(%rsp), %r15
        .cfi_restore %r15
        movq    SKEIN_SAVED_REGISTERS+8(%rsp), %r14
        .cfi_restore %r14
        movq    SKEIN_SAVED_REGISTERS+16(%rsp), %r13
        .cfi_restore %r13
        movq    SKEIN_SAVED_REGISTERS+24(%rsp), %r12
        .cfi_restore %r12
        movq    SKEIN_SAVED_REGISTERS+32(%rsp), %rbx
        .cfi_restore %rbx
        movq    SKEIN_SAVED_REGISTERS+40(%rsp), %rbp
        .cfi_restore %rbp
.endm

/* And its return address in rdx. */
.macro LOAD_SAVED
        LOAD_REGISTERS
        movq    SKEIN_SAVED_RETURN(%rsp), %rdx
        addq    $SKEIN_SAVED_BYTES, %rsp
        .cfi_def_cfa %rsp, 0
        .cfi_register %rip, %rdx
.endm

/* As the stub's caller made it, on the way in: what a thread keeps while it is suspended; its errno is in r10. */
.macro PUSH_SAVED
        leaq    -SKEIN_SAVED_RETURN(%rsp), %rsp
        .cfi_adjust_cfa_offset SKEIN_SAVED_RETURN
        movl    $0, SKEIN_SAVED_X87CW(%rsp)
        fnstcw  SKEIN_SAVED_X87CW(%rsp)
        movq    %r10, SKEIN_SAVED_ERRNO(%rsp)
        movq    %r15, SKEIN_SAVED_REGISTERS+0(%rsp)
        .cfi_rel_offset %r15, SKEIN_SAVED_REGISTERS+0
        movq    %r14, SKEIN_SAVED_REGISTERS+8(%rsp)
        .cfi_rel_offset %r14, SKEIN_SAVED_REGISTERS+8
        movq    %r13, SKEIN_SAVED_REGISTERS+16(%rsp)
        .cfi_rel_offset %r13, SKEIN_SAVED_REGISTERS+16
        movq    %r12, SKEIN_SAVED_REGISTERS+24(%rsp)
        .cfi_rel_offset %r12, SKEIN_SAVED_REGISTERS+24
        movq    %rbx, SKEIN_SAVED_REGISTERS+32(%rsp)
        .cfi_rel_offset %rbx, SKEIN_SAVED_REGISTERS+32
        movq    %rbp, SKEIN_SAVED_REGISTERS+40(%rsp)
        .cfi_rel_offset %rbp, SKEIN_SAVED_REGISTERS+40
        stmxcsr SKEIN_SAVED_MXCSR(%rsp) /* last: it waits for what came before, but nothing else waits for it */
        cmpb    $0, skein_x87_observed(%rip)
        je      .Lgathered_\@
        fnstsw  SKEIN_SAVED_ERRNO+4(%rsp)
        movl    SKEIN_SAVED_ERRNO+4(%rsp), %r10d
        movl    $0, SKEIN_SAVED_ERRNO+4(%rsp)
        andl    $SKEIN_EXCEPTIONS, %r10d
        jz      .Lgathered_\@
        orl     %r10d, SKEIN_SAVED_MXCSR(%rsp)
        fnclex
.Lgathered_\@:
.endm

/* For the short ways: `next` in rdi is current on the Processor in rsi, with its stack, its errno (r9: where it lies) and its control
 * words, of which this kernel thread has r10d and r11w; the result is in rax. LOAD_CONTROL: what of it is rare. */
.macro LOAD_NEXT
        orl     skein_mxcsr_load_always(%rip), %r10d /* ones: no mxcsr is equal to that */
        movq    %rdi, SKEIN_PROCESSOR_CURRENT(%rsi)
        movq    SKEIN_THREAD_SP(%rdi), %rsp
        movq    SKEIN_THREAD_RESULT(%rdi), %rax
        testq   %rsp, %rsp
        jz      skein_begin
        movl    SKEIN_SAVED_ERRNO(%rsp), %ecx
        movl    %ecx, (%r9)
        cmpl    SKEIN_SAVED_MXCSR(%rsp), %r10d
        jne     1f
2:      cmpw    SKEIN_SAVED_X87CW(%rsp), %r11w
        jne     3f
4:      movq    $0, SKEIN_SAVED_MXCSR(%rsp)
.endm
.macro LOAD_CONTROL
1:      ldmxcsr SKEIN_SAVED_MXCSR(%rsp)
        jmp     2b
3:      fldcw   SKEIN_SAVED_X87CW(%rsp)
        jmp     4b
.endm

        .globl  skein_switch
        .hidden skein_switch
        .type   skein_switch, @function
        .p2align 6
skein_switch:
        .cfi_startproc
        movq    SKEIN_PROCESSOR_ERRNO(%rax), %r10
        movl    (%r10), %r10d
        PUSH_SAVED
        movq    %rax, %rbx
        movzwl  SKEIN_SAVED_X87CW(%rsp), %eax
        movl    %eax, SKEIN_PROCESSOR_X87CW(%rbx)
        movq    SKEIN_PROCESSOR_CURRENT(%rbx), %rax
        .globl  skein_switch_suspends
        .hidden skein_switch_suspends
skein_switch_suspends:                  /* the first access to the thread: a crash here tells that there is none */
        movq    %rsp, SKEIN_THREAD_SP(%rax)
        CFA_THROUGH_PROCESSOR
        movq    %rsp, %r10              /* suspended in a callback from foreign code? */
        subq    skein_deep_begin(%rip), %r10
        cmpq    skein_deep_bytes(%rip), %r10
        jb      .Lkeep_deep
.Lkept_deep:
#ifdef SKEIN_FIBERS
        movq    %rdi, %r12
        movq    %rsi, %r13
        movq    %rdx, %r14
        movq    %rcx, %r15
        movq    %r11, %rbp
        movq    %rbx, %rdi
        subq    $8, %rsp                /* calls want 16-byte alignment */
        call    skein_sanitizer_leave_thread
        movq    SKEIN_PROCESSOR_STACK_TOP(%rbx), %rsp
        movq    %rbx, %rdi
        call    skein_sanitizer_on_worker
        movq    %rbp, %r11
        movq    %r12, %rdi
        movq    %r13, %rsi
        movq    %r14, %rdx
        movq    %r15, %rcx
        movq    SKEIN_PROCESSOR_CURRENT(%rbx), %rax
#endif
        movq    SKEIN_PROCESSOR_STACK_TOP(%rbx), %rsp
        movq    %rcx, %r8
        movq    %rdx, %rcx
        movq    %rsi, %rdx
        movq    %rdi, %rsi
        movq    %rax, %rdi
        callq   *%r11

/* rax: the thread to resume, or null; rbx: the Processor; rsp: the worker's stack_top. */
        .globl  skein_resume
        .hidden skein_resume
skein_resume:
        testq   %rax, %rax
        jz      skein_leave
#ifdef SKEIN_FIBERS
        movq    %rax, %r12
        movq    %rbx, %rdi
        movq    %rax, %rsi
        call    skein_sanitizer_leave_worker
        movq    %r12, %rax
#endif
        movq    SKEIN_THREAD_LIMIT(%rax), %rcx
        movq    %rcx, %fs:0x70          /* glibc's tcbhead_t keeps this word for split stacks */
        testq   %rcx, %rcx
        jnz     .Lhas_deep
.Lresume_on_its_stack:
        xorl    %r13d, %r13d            /* 1: whoever called goes on */
        cmpq    %rax, SKEIN_PROCESSOR_CURRENT(%rbx)
        sete    %r13b
        movq    %rax, SKEIN_PROCESSOR_CURRENT(%rbx)
        .cfi_remember_state
        movq    SKEIN_THREAD_SEGMENT(%rax), %rsi
        cmpq    SKEIN_PROCESSOR_SEGMENT(%rbx), %rsi
        jne     .Lother_segment
.Lsegment_is_right:
        movq    SKEIN_THREAD_SP(%rax), %rsp
        .cfi_def_cfa %rsp, SKEIN_SAVED_BYTES
        .cfi_rel_offset %r15, 16
        .cfi_rel_offset %r14, 24
        .cfi_rel_offset %r13, 32
        .cfi_rel_offset %r12, 40
        .cfi_rel_offset %rbx, 48
        .cfi_rel_offset %rbp, 56
#ifdef SKEIN_FIBERS
        movq    %rbx, %rdi
        subq    $8, %rsp
        call    skein_sanitizer_on_thread
        addq    $8, %rsp
        movq    SKEIN_PROCESSOR_CURRENT(%rbx), %rax
#endif
        movq    SKEIN_THREAD_RESULT(%rax), %rax
        movq    SKEIN_PROCESSOR_ERRNO(%rbx), %rdx
        movl    SKEIN_SAVED_ERRNO(%rsp), %ecx
        movl    %ecx, (%rdx)
        stmxcsr SKEIN_PROCESSOR_MXCSR(%rbx)
        movl    SKEIN_SAVED_MXCSR(%rsp), %ecx
        movzwl  SKEIN_SAVED_X87CW(%rsp), %edx
        cmpl    SKEIN_PROCESSOR_MXCSR(%rbx), %ecx
        jne     .Lother_mxcsr
.Lmxcsr_is_right:
        cmpl    SKEIN_PROCESSOR_X87CW(%rbx), %edx
        jne     .Lother_x87cw
        /* Control words that stay behind below the stack pointer would look like a pointer to nowhere in a local that has them as its
         * first, uninitialised contents, and keep the thread here. */
.Lx87cw_is_right:
        movq    $0, SKEIN_SAVED_MXCSR(%rsp)
        testl   %r13d, %r13d
        jz      .Lby_jump
        .cfi_remember_state
        LOAD_REGISTERS
        addq    $SKEIN_SAVED_RETURN, %rsp
        .cfi_adjust_cfa_offset -SKEIN_SAVED_RETURN
        retq
        .cfi_restore_state
.Lby_jump:
        .cfi_remember_state
        LOAD_SAVED
        jmpq    *%rdx
        .cfi_restore_state
.Lother_mxcsr:
        ldmxcsr SKEIN_SAVED_MXCSR(%rsp)
        jmp     .Lmxcsr_is_right
.Lother_x87cw:
        fldcw   SKEIN_SAVED_X87CW(%rsp)
        jmp     .Lx87cw_is_right

        /* Growable stacks (thread/growable.h). A thread that is suspended on a deep stack keeps it; one that is resumed brings its
         * own, or finds the worker's. */
.Lkeep_deep:
        CFA_THROUGH_PROCESSOR
        movq    SKEIN_PROCESSOR_DEEP(%rbx), %r10
        movq    %r10, SKEIN_THREAD_DEEP(%rax)
        movq    $0, SKEIN_PROCESSOR_DEEP(%rbx)
        jmp     .Lkept_deep
.Lhas_deep:
        cmpq    $0, SKEIN_THREAD_DEEP(%rax)
        jne     3f
        cmpq    $0, SKEIN_PROCESSOR_DEEP(%rbx)
        jne     .Lresume_on_its_stack
3:      movq    %rbx, %rdi
        movq    %rax, %rsi
        callq   skein_deep_change
        jmp     .Lresume_on_its_stack
        .cfi_restore_state
/* Still on the worker's stack: the thread's private globals are not those that gs leads to. */
.Lother_segment:
        movq    %rsi, SKEIN_PROCESSOR_SEGMENT(%rbx)
        cmpb    $0, skein_segment_by_instruction(%rip)
        je      .Lsegment_by_call
        wrgsbase %rsi
        jmp     .Lsegment_is_right
.Lsegment_by_call:
        movq    %rax, %r12
        movq    %rsi, %rdi
        callq   skein_segment_load
        movq    %r12, %rax
        jmp     .Lsegment_is_right
        .cfi_endproc
        .size   skein_switch, . - skein_switch

#ifndef SKEIN_FIBERS
/* uint64_t skein_swap(Thread *next, Processor *processor, atomic<bool> *until_saved): the caller of the stub that ended in a jump here is
 * suspended, and `next` goes on. The kernel thread holds a lock and lets go of it here, when the caller's context is saved: from then on
 * others may find it. Neither stack grows, and both threads have the same gs. */
        .globl  skein_swap
        .hidden skein_swap
        .type   skein_swap, @function
        .p2align 6
skein_swap:
        .cfi_startproc
        movq    SKEIN_PROCESSOR_ERRNO(%rsi), %r9
        movq    SKEIN_PROCESSOR_CURRENT(%rsi), %rax
        movl    (%r9), %r10d
        PUSH_SAVED
        movq    %rsp, SKEIN_THREAD_SP(%rax)
        movzwl  SKEIN_SAVED_X87CW(%rsp), %r11d
        movl    SKEIN_SAVED_MXCSR(%rsp), %r10d
        movb    $0, (%rdx)              /* from here on nothing is read from this stack: the thread may be elsewhere */
        LOAD_NEXT
        .cfi_remember_state
        LOAD_SAVED
        jmpq    *%rdx
        .cfi_restore_state
        LOAD_CONTROL
        .cfi_endproc
        .size   skein_swap, . - skein_swap

/* void skein_go(Thread *next, Processor *processor): the same without a caller, who is no more. Mostly `next` has called skein_join and
 * swapped to the one that is over, so here the processor expects a return to it. */
        .globl  skein_go
        .hidden skein_go
        .type   skein_go, @function
        .p2align 6
skein_go:
        .cfi_startproc
        .cfi_undefined %rip
        movq    SKEIN_PROCESSOR_ERRNO(%rsi), %r9
        stmxcsr -8(%rsp)
        fnstcw  -16(%rsp)
        cmpb    $0, skein_x87_observed(%rip)
        je      .Lgo
        fnclex
.Lgo:   movl    -8(%rsp), %r10d
        movzwl  -16(%rsp), %r11d
        LOAD_NEXT
        .cfi_remember_state
        LOAD_REGISTERS
        addq    $SKEIN_SAVED_RETURN, %rsp
        .cfi_def_cfa %rsp, 8
        retq
        .cfi_restore_state
        LOAD_CONTROL
        .cfi_endproc
        .size   skein_go, . - skein_go

/* The thread in rdi begins, which has a stack but no context: all of its arguments are words in registers for integers. The rest
 * is as LOAD_NEXT has it. */
skein_begin:
        .cfi_startproc
        .cfi_undefined %rip
        movq    SKEIN_THREAD_STACK_HIGH(%rdi), %rsp
        movl    $0, (%r9)
        cmpl    SKEIN_THREAD_MXCSR(%rdi), %r10d
        jne     1f
2:      cmpw    SKEIN_THREAD_X87CW(%rdi), %r11w
        jne     3f
4:      movq    %rdi, %rax
        pushq   $0
        pushq   $0
        movq    SKEIN_THREAD_WORDS+0(%rax), %rdi
        movq    SKEIN_THREAD_WORDS+8(%rax), %rsi
        movq    SKEIN_THREAD_WORDS+16(%rax), %rdx
        movq    SKEIN_THREAD_WORDS+24(%rax), %rcx
        movq    SKEIN_THREAD_WORDS+32(%rax), %r8
        movq    SKEIN_THREAD_WORDS+40(%rax), %r9
        movq    SKEIN_THREAD_FUNCTION(%rax), %r11
        xorl    %eax, %eax              /* what a variadic function is told: no argument is a double */
        jmp     .Lcall_function
1:      ldmxcsr SKEIN_THREAD_MXCSR(%rdi)
        jmp     2b
3:      fldcw   SKEIN_THREAD_X87CW(%rdi)
        jmp     4b
        .cfi_endproc
        .size   skein_begin, . - skein_begin
#endif

/* void skein_worker_enter(Processor *, Thread *first): from here on this kernel thread is a worker. Its stack below this
 * frame is the worker's; returns when an implementation returns null. */
        .globl  skein_worker_enter
        .hidden skein_worker_enter
        .type   skein_worker_enter, @function
        .p2align 4
skein_worker_enter:
        .cfi_startproc
        SKEIN_PUSH_KEPT
        pushq   $0
        .cfi_adjust_cfa_offset 8
        stmxcsr (%rsp)
        fnstcw  4(%rsp)
        stmxcsr SKEIN_PROCESSOR_MXCSR(%rdi)
        movl    $0, SKEIN_PROCESSOR_X87CW(%rdi)
        fnstcw  SKEIN_PROCESSOR_X87CW(%rdi)
        movq    %rsp, SKEIN_PROCESSOR_STACK_TOP(%rdi)
        movq    %rdi, %rbx
        movq    %rsi, %rax
        jmp     skein_resume
skein_leave:
        movq    SKEIN_PROCESSOR_STACK_TOP(%rbx), %rsp
        ldmxcsr (%rsp)
        fldcw   4(%rsp)
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %r15
        .cfi_adjust_cfa_offset -8
        popq    %r14
        .cfi_adjust_cfa_offset -8
        popq    %r13
        .cfi_adjust_cfa_offset -8
        popq    %r12
        .cfi_adjust_cfa_offset -8
        popq    %rbx
        .cfi_adjust_cfa_offset -8
        popq    %rbp
        .cfi_adjust_cfa_offset -8
        retq
        .cfi_endproc
        .size   skein_worker_enter, . - skein_worker_enter

/* First instructions of a thread, "returned" to by skein_resume or a short way; rsp points at the words that thread_prepare laid out. The call
 * leaves the return address skein_thread_bottom, where walks and unwinders end. */
        .globl  skein_thread_begin
        .hidden skein_thread_begin
        .globl  skein_thread_bottom
        .hidden skein_thread_bottom
        .type   skein_thread_begin, @function
        .p2align 4
skein_thread_begin:
        .cfi_startproc
        .cfi_undefined %rip
        movq    0(%rsp), %rdi
        movq    8(%rsp), %rsi
        movq    16(%rsp), %rdx
        movq    24(%rsp), %rcx
        movq    32(%rsp), %r8
        movq    40(%rsp), %r9
        movsd   48(%rsp), %xmm0
        movsd   56(%rsp), %xmm1
        movsd   64(%rsp), %xmm2
        movsd   72(%rsp), %xmm3
        movsd   80(%rsp), %xmm4
        movsd   88(%rsp), %xmm5
        movsd   96(%rsp), %xmm6
        movsd   104(%rsp), %xmm7
        movq    112(%rsp), %r11
        addq    $120, %rsp
        movl    $8, %eax                /* a variadic function may look at all eight */
.Lcall_function:
        callq   *%r11
skein_thread_bottom:
        movq    %rax, %rbx
        movq    %xmm0, %r12
        callq   skein_thread_finish
#ifdef SKEIN_FIBERS
        callq   skein_sanitizer_ending
#endif
        movq    %rbx, %rdi
        movq    %r12, %rsi
        leaq    .Lover(%rip), %rax      /* a call that the processor does not expect to return: see skein_go */
        pushq   %rax
        .cfi_adjust_cfa_offset 8
        jmp     skein_thread_exit
.Lover: ud2
        .cfi_endproc
        .size   skein_thread_begin, . - skein_thread_begin

/* void skein_thread_end(uint64_t result): this thread's function has returned, whatever is on its stack. */
        .globl  skein_thread_end
        .hidden skein_thread_end
        .type   skein_thread_end, @function
        .p2align 4
skein_thread_end:
        .cfi_startproc
        .cfi_undefined %rip
        movq    %fs:skein_processor@tpoff, %rax
        movq    SKEIN_PROCESSOR_CURRENT(%rax), %rax
        movq    SKEIN_THREAD_STACK_HIGH(%rax), %rsp
        subq    $16, %rsp
        movq    %rdi, %rax
        jmp     skein_thread_bottom
        .cfi_endproc
        .size   skein_thread_end, . - skein_thread_end

SKEIN_STUBS_END

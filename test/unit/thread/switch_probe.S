/* int probe_registers(void (*call)(void), uint64_t seed): gives all callee-saved registers values made of the seed, calls, and
 * returns how many of them have changed. So it sees what C code could not. */
        .text
        .globl  probe_registers
        .type   probe_registers, @function
probe_registers:
        pushq   %rbp
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        subq    $24, %rsp
        movq    %rsi, 8(%rsp)
        leaq    1(%rsi), %rbx
        leaq    2(%rsi), %rbp
        leaq    3(%rsi), %r12
        leaq    4(%rsi), %r13
        leaq    5(%rsi), %r14
        leaq    6(%rsi), %r15
        callq   *%rdi
        movq    8(%rsp), %rsi
        xorl    %eax, %eax
        .macro check register, offset
        leaq    \offset(%rsi), %rdi
        cmpq    %rdi, \register
        je      1f
        incl    %eax
1:
        .endm
        check   %rbx, 1
        check   %rbp, 2
        check   %r12, 3
        check   %r13, 4
        check   %r14, 5
        check   %r15, 6
        addq    $24, %rsp
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        retq
        .size   probe_registers, . - probe_registers

/* void probe_entry(…): a thread's first function; hands rsp, and the return address it will use, to probe_entered. */
        .globl  probe_entry
        .type   probe_entry, @function
probe_entry:
        movq    %rsp, %rdi
        movq    (%rsp), %rsi
        jmp     probe_entered
        .size   probe_entry, . - probe_entry
        .section .note.GNU-stack, "", @progbits

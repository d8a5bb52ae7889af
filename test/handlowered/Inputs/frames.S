/* Functions as the passes would lower them, with their maps. Each is given in C first; `!` stands for a call of
 * __skein_stress, which moves the stack. The C side (the *.c beside this folder) spawns them as threads and checks what
 * they computed. Frames are drawn with the CFA on top. */
#include "lowered.h"

FILE "frames.S"

/* void sum(long n, long *out) { long mine; if (n == 0) { *out = 0; return; } !; sum(n - 1, &mine); !; *out = mine + n; }
 *
 *      CFA - 8   return address
 *      CFA - 16  saved rbx              n lives in rbx: an integer may
 *      CFA - 24  home slot of out
 *      CFA - 32  mine                   no pointer in it */
FUNCTION sum, 32, rbx=2
        pushq   %rbx
        .cfi_def_cfa_offset 16
        .cfi_offset %rbx, -16
        subq    $16, %rsp
        .cfi_def_cfa_offset 32
        movq    %rdi, %rbx
        movq    %rsi, 8(%rsp)
        testq   %rbx, %rbx
        jnz     1f
        movq    $0, (%rsi)
        jmp     2f
1:      CALL    __skein_stress, sum, 1
        leaq    -1(%rbx), %rdi
        movq    %rsp, %rsi
        CALL    sum, sum, 2
        CALL    __skein_stress, sum, 3
        movq    8(%rsp), %rsi
        addq    (%rsp), %rbx
        movq    %rbx, (%rsi)
2:      addq    $16, %rsp
        .cfi_def_cfa_offset 16
        popq    %rbx
        .cfi_def_cfa_offset 8
        ret
END_FUNCTION sum
LOCALS sum
        LOCAL -24
SITES sum, 1, 2, 3
ROWS_OF_SITES sum, 0, 0, 0
ROWS sum, 1
LINES sum, 11, 1, 1
END_MAP sum

/* struct node { struct node *next; long value; };
 * long chain(long n, struct node *above) {
 *   struct node mine = {above, n};
 *   if (n > 0) { !; return chain(n - 1, &mine); }
 *   !; long s = 0; for (struct node *p = &mine; p; p = p->next) s += p->value; return s; }
 *
 *      CFA - 8   return address
 *      CFA - 16  mine.value
 *      CFA - 24  mine.next              typed local
 *      CFA - 32  (padding) */
FUNCTION chain, 32
        subq    $24, %rsp
        .cfi_def_cfa_offset 32
        movq    %rsi, 8(%rsp)
        movq    %rdi, 16(%rsp)
        CALL    __skein_stress, chain, 1
        movq    16(%rsp), %rdi
        testq   %rdi, %rdi
        jle     1f
        decq    %rdi
        leaq    8(%rsp), %rsi
        CALL    chain, chain, 2
        jmp     3f
1:      leaq    8(%rsp), %rcx
        xorl    %eax, %eax
2:      addq    8(%rcx), %rax
        movq    (%rcx), %rcx
        testq   %rcx, %rcx
        jnz     2b
3:      addq    $24, %rsp
        .cfi_def_cfa_offset 8
        ret
END_FUNCTION chain
LOCALS chain
        LOCAL -24
SITES chain, 1, 2
ROWS_OF_SITES chain, 0, 0
ROWS chain, 1
LINES chain, 21, 1
END_MAP chain

/* long vla(long n) { long *p[n]; long x[n]; for (i) { x[i] = i; p[i] = &x[i]; } !; !; long s = 0; for (i) s += *p[i]; return s; }
 *
 *      CFA - 8   return address
 *      CFA - 16  saved rbp              rbp = CFA - 16
 *      CFA - 24  saved rbx              n
 *      CFA - 32  home slot of p
 *      CFA - 40  head of the chain of p's blocks
 *      CFA - 48  home slot of x
 *      ...       {null, bytes} p[n], x[n]   the frame has no constant size */
FUNCTION vla, 0, flags=MAP_FP+MAP_BLOCKS, rbp=2, rbx=3
        pushq   %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset %rbp, -16
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        pushq   %rbx
        .cfi_offset %rbx, -24
        subq    $24, %rsp
        movq    %rdi, %rbx
        leaq    31(,%rbx,8), %rax
        andq    $-16, %rax
        subq    %rax, %rsp
        movq    $0, (%rsp)
        leaq    16(,%rbx,8), %rcx
        movq    %rcx, 8(%rsp)
        movq    %rsp, -24(%rbp)
        leaq    16(%rsp), %rdx
        movq    %rdx, -16(%rbp)
        subq    %rax, %rsp
        movq    %rsp, -32(%rbp)
        xorl    %ecx, %ecx
1:      leaq    (%rsp,%rcx,8), %rax
        movq    %rcx, (%rax)
        movq    %rax, (%rdx,%rcx,8)
        incq    %rcx
        cmpq    %rbx, %rcx
        jl      1b
        CALL    __skein_stress, vla, 1
        CALL    __skein_stress, vla, 2
        movq    -16(%rbp), %rdx
        xorl    %ecx, %ecx
        xorl    %eax, %eax
2:      movq    (%rdx,%rcx,8), %rsi
        addq    (%rsi), %rax
        incq    %rcx
        cmpq    %rbx, %rcx
        jl      2b
        leaq    -8(%rbp), %rsp
        popq    %rbx
        popq    %rbp
        .cfi_def_cfa %rsp, 8
        ret
END_FUNCTION vla
LONG_LOCALS vla
        LONG_LOCAL -40, count=16, kind=DYNAMIC_POINTER
        LONG_LOCAL -40, count=0, stride=0, kind=DYNAMIC_POINTER
LOCALS vla
        LOCAL -32
        LOCAL -40
        LOCAL -48
SITES vla, 1, 2
ROWS_OF_SITES vla, 0, 0
ROWS vla, 31
LINES vla, 31, 1
END_MAP vla

/* void keep(void): saves rbx and rbp, uses both, moves in between. Between the frames of based() and a move. */
FUNCTION keep, 32, rbp=2, rbx=3
        pushq   %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset %rbp, -16
        pushq   %rbx
        .cfi_def_cfa_offset 24
        .cfi_offset %rbx, -24
        subq    $8, %rsp
        .cfi_def_cfa_offset 32
        movq    $12345, %rbx
        leaq    1(%rbx), %rbp
        CALL    __skein_stress, keep, 1
        CALL    __skein_stress, keep, 2
        cmpq    $12345, %rbx
        je      1f
        ud2
1:      cmpq    $12346, %rbp
        je      2f
        ud2
2:      addq    $8, %rsp
        popq    %rbx
        popq    %rbp
        .cfi_def_cfa_offset 8
        ret
END_FUNCTION keep
LOCALS keep
SITES keep, 1, 2
ROWS_OF_SITES keep, 0, 0
EMPTY_ROW keep
LINES keep, 41, 1
END_MAP keep

/* long based(long n) { _Alignas(64) struct { long *p; long x; } a; char c[n]; a.x = n; a.p = &a.x; c[0] = 7; !; keep(); !;
 *                      return ((uintptr_t)&a % 64 == 0) * (*a.p + c[0]); }
 * A VLA and over-alignment: rbp finds the caller, rbx the locals, rsp the VLA.
 *
 *      CFA - 8   return address
 *      CFA - 16  saved rbp              rbp = CFA - 16
 *      CFA - 24  saved rbx
 *      (gap)
 *      rbx + 16  home slot of c
 *      rbx + 8   a.x
 *      rbx + 0   a.p                    rbx is a multiple of 64
 *      ...       c[n] */
FUNCTION based, 0, flags=MAP_FP+MAP_BP, rbp=2, rbx=3
        pushq   %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset %rbp, -16
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        pushq   %rbx
        .cfi_offset %rbx, -24
        subq    $64, %rsp
        andq    $-64, %rsp
        movq    %rsp, %rbx
        movq    %rdi, 8(%rbx)
        leaq    8(%rbx), %rax
        movq    %rax, (%rbx)
        addq    $15, %rdi
        andq    $-16, %rdi
        subq    %rdi, %rsp
        movq    %rsp, 16(%rbx)
        movb    $7, (%rsp)
        CALL    __skein_stress, based, 1
        CALL    keep, based, 2
        CALL    __skein_stress, based, 3
        movq    (%rbx), %rax
        movq    (%rax), %rax
        movq    16(%rbx), %rcx
        movsbq  (%rcx), %rcx
        addq    %rcx, %rax
        testb   $63, %bl
        jz      1f
        xorl    %eax, %eax
1:      leaq    -8(%rbp), %rsp
        popq    %rbx
        popq    %rbp
        .cfi_def_cfa %rsp, 8
        ret
END_FUNCTION based
LOCALS based
        LOCAL 0, base=BP
        LOCAL 16, base=BP
SITES based, 1, 2, 3
ROWS_OF_SITES based, 0, 0, 0
ROWS based, 3
LINES based, 51, 1, 1
END_MAP based

/* long gather(int n, ...): !, then adds up what the n long* behind it point to; the first five in registers.
 *
 *      CFA + 0   sixth pointer and so on (the caller's outgoing memory)
 *      CFA - 8   return address
 *      CFA - 16  saved rbx              n
 *      CFA - 64  register save area: rdi rsi rdx rcx r8 r9 */
FUNCTION gather, 64, flags=MAP_VARIADIC, rbx=2
        pushq   %rbx
        .cfi_def_cfa_offset 16
        .cfi_offset %rbx, -16
        subq    $48, %rsp
        .cfi_def_cfa_offset 64
        movl    %edi, %ebx
        movq    %rsi, 8(%rsp)
        movq    %rdx, 16(%rsp)
        movq    %rcx, 24(%rsp)
        movq    %r8, 32(%rsp)
        movq    %r9, 40(%rsp)
        CALL    __skein_stress, gather, 1
        xorl    %eax, %eax
        movl    $1, %ecx
1:      leaq    (%rsp,%rcx,8), %rdx
        cmpl    $6, %ecx
        jl      2f
        addq    $16, %rdx               /* skip saved rbx and the return address */
2:      movq    (%rdx), %rdx
        addq    (%rdx), %rax
        incl    %ecx
        cmpl    %ebx, %ecx
        jle     1b
        addq    $48, %rsp
        popq    %rbx
        .cfi_def_cfa_offset 8
        ret
END_FUNCTION gather
LONG_LOCALS gather
        LONG_LOCAL -64, count=6, kind=SAVE_AREA
LOCALS gather
SITES gather, 1
ROWS_OF_SITES gather, 0
ROWS gather, 0
LINES gather, 61
END_MAP gather

/* long variadic(void) { long x[7] = {1, 2, 4, 8, 16, 32, 64}; !; return gather(7, x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6); }
 *
 *      CFA - 8   return address
 *      CFA - 64  x[7]
 *      CFA - 80  outgoing: x + 5, x + 6  (the latter at CFA - 72) */
FUNCTION variadic, 80
        subq    $72, %rsp
        .cfi_def_cfa_offset 80
        movl    $1, %eax
        xorl    %ecx, %ecx
1:      movq    %rax, 16(%rsp,%rcx,8)
        addq    %rax, %rax
        incl    %ecx
        cmpl    $7, %ecx
        jl      1b
        CALL    __skein_stress, variadic, 1
        leaq    56(%rsp), %rax
        movq    %rax, 0(%rsp)
        leaq    64(%rsp), %rax
        movq    %rax, 8(%rsp)
        movl    $7, %edi
        leaq    16(%rsp), %rsi
        leaq    24(%rsp), %rdx
        leaq    32(%rsp), %rcx
        leaq    40(%rsp), %r8
        leaq    48(%rsp), %r9
        xorl    %eax, %eax
        CALL    gather, variadic, 2
        addq    $72, %rsp
        .cfi_def_cfa_offset 8
        ret
END_FUNCTION variadic
LOCALS variadic
        LOCAL 0, count=2, base=SP
SITES variadic, 1, 2
        SPECIAL row=1, va=0x3e
ROWS_OF_SITES variadic, 0, 2
ROWS variadic, 0, 1
LINES variadic, 71, 1
END_MAP variadic

/* long maybe(long word) { union { void *p; long i; } u; if (word == 1) u.p = &u; else u.i = word; !;
 *                         return word == 1 ? (char *)u.p - (char *)&u : u.i; }
 *
 *      CFA - 8   return address
 *      CFA - 16  u                      ambiguous
 *      CFA - 24  word
 *      CFA - 32  (padding) */
FUNCTION maybe, 32
        subq    $24, %rsp
        .cfi_def_cfa_offset 32
        movq    %rdi, 8(%rsp)
        movq    %rdi, 16(%rsp)
        cmpq    $1, %rdi
        jne     1f
        leaq    16(%rsp), %rax
        movq    %rax, 16(%rsp)
1:      CALL    __skein_stress, maybe, 1
        movq    16(%rsp), %rax
        cmpq    $1, 8(%rsp)
        jne     2f
        leaq    16(%rsp), %rcx
        subq    %rcx, %rax
2:      addq    $24, %rsp
        .cfi_def_cfa_offset 8
        ret
END_FUNCTION maybe
LOCALS maybe
        LOCAL -16, kind=AMBIGUOUS
SITES maybe, 1
ROWS_OF_SITES maybe, 0
ROWS maybe, 1
LINES maybe, 81
END_MAP maybe

/* long look_alike(void) { long i = (long)&i; !; return i == where i was; }: an integer that holds the bits of a stack address and
 * is not in any map must not change. Keeps the old value in a place of the program. */
FUNCTION look_alike, 16
        subq    $8, %rsp
        .cfi_def_cfa_offset 16
        movq    %rsp, (%rsp)
        movq    %rsp, look_alike_before(%rip)
        CALL    __skein_stress, look_alike, 1
        xorl    %eax, %eax
        movq    look_alike_before(%rip), %rcx
        cmpq    %rcx, (%rsp)
        sete    %al
        addq    $8, %rsp
        .cfi_def_cfa_offset 8
        ret
END_FUNCTION look_alike
LOCALS look_alike
SITES look_alike, 1
ROWS_OF_SITES look_alike, 0
EMPTY_ROW look_alike
LINES look_alike, 91
END_MAP look_alike
        .local  look_alike_before
        .comm   look_alike_before, 8, 8

/* void pinned(void): its call is pinned as if it called vfork (reason 2). */
FUNCTION pinned, 16
        subq    $8, %rsp
        .cfi_def_cfa_offset 16
        CALL    __skein_stress, pinned, 1
        addq    $8, %rsp
        .cfi_def_cfa_offset 8
        ret
END_FUNCTION pinned
LOCALS pinned
SITES pinned, 1
        SPECIAL pin=2
ROWS_OF_SITES pinned, 0
ROWS pinned
LINES pinned, 101
END_MAP pinned

/* int compare(const void *a, const void *b) { !; return *(int *)a - *(int *)b; }: called by qsort. */
FUNCTION compare, 32
        subq    $24, %rsp
        .cfi_def_cfa_offset 32
        movq    %rdi, (%rsp)
        movq    %rsi, 8(%rsp)
        CALL    __skein_stress, compare, 1
        movq    (%rsp), %rdi
        movq    8(%rsp), %rsi
        movl    (%rdi), %eax
        subl    (%rsi), %eax
        addq    $24, %rsp
        .cfi_def_cfa_offset 8
        ret
END_FUNCTION compare
LOCALS compare
        LOCAL -32, count=2
SITES compare, 1
ROWS_OF_SITES compare, 0
ROWS compare, 1
LINES compare, 111
END_MAP compare

/* void sorter(int *array, long n) { qsort(array, n, sizeof(int), compare); !; } */
FUNCTION sorter, 16
        subq    $8, %rsp
        .cfi_def_cfa_offset 16
        movl    $4, %edx
        leaq    compare(%rip), %rcx
        CALL    qsort@PLT, sorter, 1
        CALL    __skein_stress, sorter, 2
        addq    $8, %rsp
        .cfi_def_cfa_offset 8
        ret
END_FUNCTION sorter
LOCALS sorter
SITES sorter, 1, 2
ROWS_OF_SITES sorter, 0, 0
EMPTY_ROW sorter
LINES sorter, 121, 1
END_MAP sorter

/* void store(long (*function)(long), long argument) { stored = function(argument); }: the thread's function for those that
 * return something. */
FUNCTION store, 16
        subq    $8, %rsp
        .cfi_def_cfa_offset 16
        movq    %rdi, %rax
        movq    %rsi, %rdi
        xorl    %esi, %esi
        callq   *%rax
.Lstore_1:
        movq    %rax, stored(%rip)
        addq    $8, %rsp
        .cfi_def_cfa_offset 8
        ret
END_FUNCTION store
LOCALS store
SITES store, 1
ROWS_OF_SITES store, 0
EMPTY_ROW store
LINES store, 131
END_MAP store
        .globl  stored
        .comm   stored, 8, 8

        .section .note.GNU-stack, "", @progbits

/* Writing by hand what the compiler emits: a function map (runtime/abi/frame_map.h) beside each function.
 *
 *     FUNCTION sum, 32, rbx=2                 frame_size 32, rbx saved at CFA - 16
 *         ... code; `CALL sum, 1` calls and leaves the label .Lsum_1 behind the call ...
 *     END_FUNCTION sum
 *     LOCALS sum
 *         LOCAL -24, kind=POINTER             offset; count=1, stride=8, base=CFA
 *     SITES sum
 *         SITE sum, 1, line=12, first=0, count=1
 *     INDICES sum
 *         .short 0
 *     END_MAP sum
 *
 * Only positions are spelled out; counts are differences of labels. */
#define POINTER 0
#define AMBIGUOUS 1
#define DYNAMIC_POINTER 2
#define DYNAMIC_AMBIGUOUS 3
#define CFA 0
#define SP 1
#define BP 2
#define MAP_FP 1
#define MAP_BP 2
#define MAP_VARIADIC 4

.macro FUNCTION name, frame_size, flags=0, rbx=0, rbp=0, r12=0, r13=0, r14=0, r15=0, va_base=0, va_offset=0
        .section skein_maps, "a", @progbits
        .p2align 3
.Lmap_\name:
        .long   \name - .
        .long   .Lmap_end_\name - .Lmap_\name
        .long   .Lcode_end_\name - \name
        .long   \frame_size
        .long   .Lname_\name - .
        .long   .Lfile - .
        .short  \rbx, \rbp, \r12, \r13, \r14, \r15
        .byte   \flags, 5, 4, \va_base
        .long   \va_offset
        .short  (.Lsites_\name - .Llocals_\name) / 12
        .short  (.Lindices_\name - .Lsites_\name) / 16
        .long   (.Lindices_end_\name - .Lindices_\name) / 2
        .section .rodata
.Lname_\name:
        .asciz  "\name"
        .text
        .globl  \name
        .type   \name, @function
        .p2align 4
\name:
        .cfi_startproc
.endm

.macro END_FUNCTION name
        .cfi_endproc
.Lcode_end_\name:
        .size   \name, . - \name
.endm

.macro CALL target, function, number
        call    \target
.L\function\()_\number:
.endm

.macro LOCALS name
        .section skein_maps, "a", @progbits
.Llocals_\name:
.endm
.macro LOCAL offset, count=1, stride=8, kind=POINTER, base=CFA
        .long   \offset, \count
        .short  \stride
        .byte   \kind, \base
.endm

.macro SITES name
.Lsites_\name:
.endm
.macro SITE function, number, line=0, first=0, count=0, flags=0, va=0
        .long   .L\function\()_\number - \function, \line
        .short  \first, \count
        .byte   \flags, \va
        .short  0
.endm

.macro INDICES name
.Lindices_\name:
.endm
.macro END_MAP name
.Lindices_end_\name:
        .p2align 3
.Lmap_end_\name:
        .text
.endm

.macro FILE name
        .section .rodata
.Lfile: .asciz  "\name"
        .text
.endm

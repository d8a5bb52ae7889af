/* Writing by hand what the compiler emits: a function map (runtime/abi/frame_map.h) beside each function.
 *
 *     FUNCTION sum, 32, rbx=2                 frame_size 32, rbx saved at CFA - 16
 *         ... code; `CALL sum, 1` calls and leaves the label .Lsum_1 behind the call ...
 *     END_FUNCTION sum
 *     LOCALS sum
 *         LOCAL -24, kind=POINTER             offset; count=1, base=CFA. Long ones, LONG_LOCAL, come before them
 *     SITES sum, 1, 2, 3                      the numbers of the calls
 *         SPECIAL pin=2                       of calls that need it
 *     ROWS_OF_SITES sum, 0, 0, 0              of each call: its row, or the number of rows + that of its SPECIAL
 *     ROWS sum, 1                             bit i: local i is live; long locals are numbered behind the others
 *                                         (EMPTY_ROW sum, if there is no local; ROWS sum, if no call has a row)
 *     LINES sum, 11, 1, 1                     source line of the first call, and steps to those of the others
 *     END_MAP sum
 *
 * Only positions are spelled out; counts are differences of labels. There are eight locals at most, so a row is a byte.
 */
#define POINTER 0
#define AMBIGUOUS 1
#define DYNAMIC_POINTER 2
#define DYNAMIC_AMBIGUOUS 3
#define SAVE_AREA 4
#define CFA 0
#define SP 1
#define BP 2
#define MAP_FP 1
#define MAP_BP 2
#define MAP_VARIADIC 4
#define MAP_BLOCKS 16

.macro FUNCTION name, frame_size, flags=0, rbx=0, rbp=0, r12=0, r13=0, r14=0, r15=0
        .section skein_maps, "a", @progbits
        .p2align 2
.Lmap_\name:
        .long   \name - .
        .long   .Lmap_end_\name - .Lmap_\name
        .long   .Lcode_end_\name - \name
        .long   \frame_size
        .long   .Lname_\name - .
        .long   .Lfile - .
        .byte   \rbx, \rbp, \r12, \r13, \r14, \r15
        .short  (.Lreturns_\name - .Lshorts_\name) / 4
        .short  (.Lshorts_\name - .Llongs_\name) / 12
        .short  (.Lspecials_\name - .Lreturns_\name) / 2
        .byte   \flags, 6, 4, 0
        .short  .Lrow_count_\name
        .short  (.Lrows_of_sites_\name - .Lspecials_\name) / 8
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

.macro LONG_LOCALS name
        .section skein_maps, "a", @progbits
.Llongs_\name:
.endm
.macro LONG_LOCAL offset, count=1, stride=8, kind=POINTER, base=CFA
        .long   \offset, \count
        .short  \stride
        .byte   \kind, \base
.endm
.macro LOCALS name
        .section skein_maps, "a", @progbits
.ifndef .Llongs_\name
.Llongs_\name:
.endif
.Lshorts_\name:
.endm
.macro LOCAL offset, count=1, kind=POINTER, base=CFA
        .short  \offset / 8
        .byte   \count, \kind + (\base << 4)
.endm

.macro SITES name, numbers:vararg
.Lreturns_\name:
.irp number, \numbers
        .short  .L\name\()_\number - \name
.endr
.Lspecials_\name:
.endm
.macro SPECIAL pin=0, arguments=0, row=0, va=0
        .short  \pin, \arguments, \row, \va
.endm
.macro ROWS_OF_SITES name, rows:vararg
.Lrows_of_sites_\name:
        .byte   \rows
.endm
.macro ROWS name, rows:vararg
.Lrows_\name:
.ifnb \rows
        .byte   \rows
.endif
        .set    .Lrow_count_\name, . - .Lrows_\name
.endm
.macro EMPTY_ROW name
        .set    .Lrow_count_\name, 1
.endm
.macro LINES name, steps:vararg
.Llines_\name:
.irp step, \steps
        .uleb128 2 * (\step)
.endr
.endm
.macro END_MAP name
        .p2align 2
.Lmap_end_\name:
        .text
.endm

.macro FILE name
        .section .rodata
.Lfile: .asciz  "\name"
        .text
.endm

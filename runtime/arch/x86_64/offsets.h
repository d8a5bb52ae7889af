/* Where the assembly finds things. Plain C preprocessor: included by .S files and, with static assertions, by the C++
 * headers that lay the structures out (thread/thread.h, thread/processor.h). */
#ifndef SKEIN_ARCH_X86_64_OFFSETS_H
#define SKEIN_ARCH_X86_64_OFFSETS_H

/* struct Thread */
#define SKEIN_THREAD_SP 144
#define SKEIN_THREAD_RESULT 64
#define SKEIN_THREAD_LIMIT 152
#define SKEIN_THREAD_DEEP 160
#define SKEIN_THREAD_SEGMENT 168
#define SKEIN_THREAD_STACK_HIGH 192
#define SKEIN_THREAD_FUNCTION 72
#define SKEIN_THREAD_MXCSR 88
#define SKEIN_THREAD_X87CW 92
#define SKEIN_THREAD_WORDS 448

/* struct Processor */
#define SKEIN_PROCESSOR_CURRENT 0
#define SKEIN_PROCESSOR_STACK_TOP 8
#define SKEIN_PROCESSOR_ERRNO 16
#define SKEIN_PROCESSOR_DEEP 24
#define SKEIN_PROCESSOR_SEGMENT 32
#define SKEIN_PROCESSOR_MXCSR 40
#define SKEIN_PROCESSOR_X87CW 44

/* Bytes from the saved sp of a suspended thread to the return address into its caller, and to the CFA of the stub:
 *
 *     sp + 0   errno (4), 0 (4)
 *     sp + 8   mxcsr (4), x87 control word (4)
 *     sp + 16  r15, r14, r13, r12, rbx, rbp
 *     sp + 64  return address
 *     sp + 72  CFA of the stub
 */
#define SKEIN_SAVED_ERRNO 0
#define SKEIN_SAVED_MXCSR 8
#define SKEIN_SAVED_X87CW 12
#define SKEIN_SAVED_REGISTERS 16
#define SKEIN_SAVED_RETURN 64
#define SKEIN_SAVED_BYTES 72

/* Exceptions that were raised: the same bits in mxcsr and in the status word of the x87. */
#define SKEIN_EXCEPTIONS 0x3f

#endif

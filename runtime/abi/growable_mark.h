/* Constants of growable stacks that assembly reads, too. */
#ifndef SKEIN_ABI_GROWABLE_MARK_H
#define SKEIN_ABI_GROWABLE_MARK_H

/* The 4 bytes in front of a function that was compiled for growable stacks: it may run on one. */
#define SKEIN_GROWABLE_MARK 0x65b30e47

/* What __skein_grow keeps on the thread's stack while it asks for room, upwards from where its own frame begins. Above
 * it lie the return address into the prologue, then the one of the function itself. */
#define SKEIN_ENTRY_VECTORS 0    /* xmm0 ... xmm7 */
#define SKEIN_ENTRY_INTEGERS 128 /* rdi rsi rdx rcx r8 r9 */
#define SKEIN_ENTRY_RAX 176
#define SKEIN_ENTRY_NEED 184  /* r11 */
#define SKEIN_ENTRY_CHAIN 192 /* r10 */
#define SKEIN_ENTRY_BYTES 200

#endif

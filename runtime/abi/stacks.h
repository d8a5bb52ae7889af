/* Stacks: what the compiler relies on of their layout in memory (runtime/thread/stack.h draws it). */
#ifndef SKEIN_ABI_STACKS_H
#define SKEIN_ABI_STACKS_H

/* At least so many bytes at either end of a stack belong to it, are never accessible, and are moved with it. */
#define SKEIN_STACK_GUARD_BYTES (16 << 10)
/* An address that is no further than this from an object on a stack is taken for one of that stack. The other half of
 * the guard is left to objects at the very end of the stack. */
#define SKEIN_STACK_NEAR_BYTES (SKEIN_STACK_GUARD_BYTES / 2)

#endif

/* A constant of growable stacks that assembly reads, too. */
#ifndef SKEIN_ABI_GROWABLE_MARK_H
#define SKEIN_ABI_GROWABLE_MARK_H

/* The 4 bytes in front of a function that was compiled for growable stacks: it may run on one. */
#define SKEIN_GROWABLE_MARK 0x65b30e47

#endif

// This process becomes the one that was copied into a file (copy.h).
//
// All memory of the copied process is put at its addresses. What lies there of this process meanwhile (the program is
// loaded, libc has begun) is unmapped at the end, in the *last steps*: a list of system calls that a few instructions
// make, in memory which neither of the two processes uses. Then the kernel thread that was copied goes on.
//
//     this process            while it prepares                         after the last steps
//     program, libc, stack    the same                                  -
//                             memory of the copy, where there is room   the same
//                             *staged*: the rest, anywhere              moved to where it belongs
//                             list and code of the last steps           unmapped by the process that goes on
//
// Nothing of the kernel's is taken over but what KernelFacts names: no descriptors, no handlers, no kernel threads. The
// kernel's own pages (vDSO) stay this kernel's, and are moved to where they were; so they must be the same.
//
// Rejected: a separate program for this (the process would be that program for the kernel, for debuggers and for
// itself, /proc/self/exe).
#ifndef SKEIN_CHECKPOINT_RESTORE_H
#define SKEIN_CHECKPOINT_RESTORE_H

namespace skein {

/// If the environment says so (bootstrap::restore_variable), does not return: the process becomes another one, or ends
/// with a message. To be called as early as possible.
void restore_if_asked();

} // namespace skein

#endif

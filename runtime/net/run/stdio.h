// Standard streams in a run of several nodes.
//
//   stdout, stderr   The same open file on all nodes: `skein run` hands its own to each. So that what a thread prints
//                    keeps its order wherever it goes, what stdio holds is written before threads leave, and stdout is
//                    flushed by lines, which also keeps lines of different nodes whole.
//   stdin            Is read on node 0 only, since stdio there reads ahead. Elsewhere its descriptor cannot be read,
//                    and a report says that this was tried, when the next thread leaves or at the end. The stream
//                    itself has to be libc's own, which lies at the same address on all nodes, so that threads may keep
//                    a pointer to it. (`skein run` gives nodes that run no Skein program an empty one.)
//
// Rejected: messages to node 0 with the text. A thread's next words from its next node could overtake them, and a node
// that dies would take unsent ones along.
#ifndef SKEIN_NET_RUN_STDIO_H
#define SKEIN_NET_RUN_STDIO_H

namespace skein {

/// Before the program's main, in a run of several nodes.
void stdio_start();
/// Before threads leave: what they printed is written. May block as write() does.
void stdio_flush();

} // namespace skein

#endif

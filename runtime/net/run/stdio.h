// All nodes of a run write to the same terminal or file, and threads that print move between them.
//
//
//  stdout, stderr   They are the same open file on all nodes: `skein run` hands its own to each. What a thread prints
//                   must keep its order wherever it goes, so what stdio holds is written before threads leave. stdout
//                   is flushed by lines, which also keeps lines of different nodes whole.
//  stdin            It is read on node 0 only, since stdio there reads ahead. On other nodes its descriptor cannot be
//                   read; an attempt is reported when the next thread leaves, or at the end. The stream itself has to
//                   be libc's own, which lies at the same address on all nodes, so that threads may keep a pointer to
//                   it.
//                   (`skein run` gives an empty one to nodes that run no Skein program.)
//
// Rejected: messages to node 0 with the text. What a thread prints on its next node could overtake them, and a node
// that dies would lose what it has not sent.
#ifndef SKEIN_NET_RUN_STDIO_H
#define SKEIN_NET_RUN_STDIO_H

namespace skein {

/// Called before the program's main, in a run of several nodes.
void stdio_start();
/// Called before threads leave: writes what they have printed. May block as write() does.
void stdio_flush();

} // namespace skein

#endif

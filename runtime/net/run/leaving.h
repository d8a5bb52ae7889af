// How a node leaves a running run, with nothing lost (`skein node drain`, skein_nodes_request). The packets of the
// launcher are in net/wire/bootstrap.h; this is the nodes' side.
//
// What is of a node is of two kinds. Its threads go to other nodes, as by a push. And it *keeps* things for others,
// which ids, handles and addresses name after its number: records of threads born there, objects, channels, shared
// memory. These are its *estate*, and go to node 0, its *heir*. The names stay: from then on keeper_of says who is
// asked about them, and the link delivers what is meant for the keeper (goes_to_keeper) there.
//
//     the node that leaves                          every other node
//       | drain: threads go, none is let in           | drain: nothing new goes there (link_takes)
//       |                                             |
//       | nothing runs, nothing is under way: drained |
//       |                                             | part: messages for the keeper are held back
//       | <-------- farewell: so many came before --- |
//       | all of them are handled: nothing changes any more
//       | --- estate, piece by piece -> node 0: keeps the pieces
//       | --- farewell: so many came before --------> |
//       | handed over                                 | departed: the heir takes the estate (node 0 first),
//       |                                             | what was held back goes to it
//       |                                             | all messages of the node are handled: it is forgotten
//       v ends, as at the end of a run                v
//
// Invariants
//  * A thread is on the node, or has left it as any thread leaves a node. One that may not leave stays, and so does the
//    node: until `part` it goes on working, and drain can be taken back.
//  * A thread on its way to the node is in a shipment of its sender, who does not part before the node has said what
//    became of it. None is sent there once the sender knows that the node leaves, also by a kernel thread that had
//    looked before (shipments_go_to, shipment_enter).
//  * What the node keeps is in one place at any time. It does not change from the last message that the node handles as
//    a keeper until its heir has it, and nobody asks the heir before: node 0 is the first to hear that it is that.
//  * Messages may overtake each other, so a farewell says how many came before it, and whoever gets it waits for them.
//  * A node whose room says that it *stays* (there is something that cannot be passed on) does not leave. So a room
//    that keeps things is in this, or says so.
//  * If the node dies before `departed`, its heir drops the pieces: the node is dead as any other.
//
// docs/models/leaving.pml is a model of this.
//
// Rejected: heirs that the user chooses (node 0 cannot leave or be survived, so what it inherits is inherited once;
// with others a reader of an id would have to follow chains of heirs); leaving the estate in a process without threads
// (the machine would not be free); that each room finds the new keeper when a message to the old one comes back (each
// of them would need its own protocol for messages under way).
#ifndef SKEIN_NET_RUN_LEAVING_H
#define SKEIN_NET_RUN_LEAVING_H

#include "base/event.h"
#include "net/wire/link.h"

namespace skein {

/// One kind of things that a node keeps for others. Objects of this type live for ever.
struct EstatePart {
  EstateKind kind;
  /// Whether the pieces are put in their place when they come, and not when the node departs: contents of memory that
  /// nobody else reads before.
  bool at_once;
  /// On the node that leaves, in a handler, once nothing changes any more: sends the next piece with estate_send, or
  /// several small ones, and moves the cursor, which begins at 0. False: there was no more to send.
  bool (*next)(uint64_t &cursor);
  /// On the heir, when a piece has come: judges all that can be judged of it.
  bool (*check)(int from, const void *data, size_t bytes, Complaint &wrong);
  /// On the heir, in a handler: takes a piece that was checked. keeper_of does not name the heir yet, and does when
  /// this handler ends.
  void (*take)(int from, const void *data, size_t bytes);
  EstatePart *following; // leaving.cpp's
};
/// To be called at the start of the process.
void estate_add(EstatePart &part);
/// Sends a piece to the heir. At most estate_most bytes, 8-aligned.
void estate_send(EstateKind kind, const void *data, size_t bytes);

/// A room where there may be something that cannot be passed on, and which is waited for.
struct Remainder {
  /// Null: there is nothing. Else what it is, in words that follow "node 3 ": "has 2 windows that are open". The words
  /// are written to the buffer.
  const char *(*stays)(char *words, size_t bytes);
  Remainder *following;
};
void remainder_add(Remainder &remainder);

/// Fired in a handler: the node is about to leave, and link_takes is false for it from here on. It may be taken back.
extern Event<int> node_leaves;
/// Fired in a handler: the node has left, and is forgotten (link_alive); the heir has what it kept. It did not die.
extern Event<int> node_departed;

void leaving_start();
/// Whether a node is about to leave, as far as this one knows.
bool leaving_under_way();

// The launcher's packets, in the progress thread.
void leaving_drain(int peer, bool leaves);
void leaving_part(int peer);
void leaving_departed(int peer);
/// The peer has died instead. In a handler.
void leaving_fail(int peer);

/// Called by the progress thread. Returns nanoseconds until it is to be called again.
uint64_t leaving_tick(uint64_t now);

} // namespace skein

#endif

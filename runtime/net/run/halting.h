// How a node halts for a checkpoint, and how it begins again in a process that is made of one: the node's side of the
// packets halt, count, cut and go_on (net/wire/bootstrap.h). The copy itself is made by room checkpoint.
//
// A node that halts is *silent*: it sends nothing by itself any more, but handles every message and answers it. It
// *has halted* when its workers have (sched/halt.h) and nothing that it has begun by itself is under way. Then it says
// how many messages it has sent and handled. The launcher asks again until the sum of what was handled in one round is
// the sum of what was sent in the next. Then no message was under way at any moment between the two rounds, and none
// was handled in between (the argument of termination.h). A node that has halted sends only because it handles a
// message. So from then on nothing happens anywhere, and the copies of all nodes fit together, whenever each of them is
// made. No node may go on before all copies exist: it would send messages that a copy made later has handled, and no
// copy has sent. docs/models/cut.pml is a model of this.
//
// What would be sent without a message being handled, and why it is quiet on a node that has halted:
//
//   threads                     none runs. A thread that waits for an answer waits in its copy, too
//   calls in place (calls.h)    the worker that waits for the answer has a thread in its hands until it has come
//   heartbeats, silences        membership_tick looks at net_is_silent. Heartbeats are not counted: those that were
//                               sent before halt may be lost. Who goes on gives all peers new time
//   news of threads (outbox.h)  all is sent at each tick, also what handlers have added, until nothing is left
//   parcels (dsm/parcels.h)     the same; messages_about_to_leave says when nothing is left. What link_hold holds back
//                               leaves when an answer comes, and that is counted
//   requests without a credit   leave when a message brings the credit (active.h)
//   steals, balancing policies  steals_tick is not called, and policies are told that nobody may be asked or pushed to
//                               (steals.h). A policy that waits for an answer gets it. Raids end late
//   rounds of counting          none begins, since termination_tick is not called. One that was under way is over when
//                               no message is
//   deadlines of channels       progress_also_due is not called; they end late
//   clocks of traces            the recorder halts, too (tracing.cpp)
//   the monitor                 it can push threads, and answers nobody until the node goes on (monitor.cpp)
//   pages that follow (paging)  do not travel by the link, so a node does not halt while pages are missing here, or
//                               are kept here for others (net/paging)
//   nodes that come or leave    the launcher does not halt the run then. If it does, the node does not halt before
//   deaths                      are handled as ever, and may send (deaths=survive). The launcher counts again
//   kernel threads of the       are not known here; room checkpoint refuses to make a copy of a process that has any
//   program's own
//
// Rejected: markers in each connection (Chandy and Lamport, 1985: messages overtake each other here, and a copy would
// need the messages that were on their way); to stop handling messages, too (then there would always be some that have
// left one node and not arrived, and would have to be kept and sent again).
#ifndef SKEIN_NET_RUN_HALTING_H
#define SKEIN_NET_RUN_HALTING_H

#include "base/event.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace skein {

extern std::atomic<bool> net_silent;
/// Whether nothing may be sent that does not answer a message.
inline bool net_is_silent() { return net_silent.load(std::memory_order_acquire); }

/// Something outside of room net that can send by itself, or has a kernel thread with which the node must not be copied
/// at any moment.
struct HaltPart {
  /// Called again and again by the progress thread of a silent node. Null: it is quiet from here on, until `go_on`.
  /// Else what it does, in words that follow "node 3 ", which are written to the buffer. It does not wait.
  const char *(*busy)(char *words, size_t bytes);
  void (*go_on)(); // or null
  HaltPart *following;
};
/// To be called at the start of the process; the object lives for ever.
void halt_part_add(HaltPart &part);

void halting_start();

// The launcher's packets, in the progress thread.
void halting_halt(int number);
void halting_count(int number);
/// False: the progress thread ends, because another one will be started (fault=reborn).
bool halting_cut(int number, const char *folder);
void halting_kept(int number, int status, const char *why);
void halting_go_on(int number);

/// Called by the progress thread, after all else that is due. Returns nanoseconds until it is to be called again.
uint64_t halting_tick(uint64_t now);

/// Set by room checkpoint. `checkpoint_cut` is called when no message is under way, makes a copy, and says `copied`
/// (start_say); null: this program cannot. `checkpoint_kept`: whether the checkpoint is complete.
extern void (*checkpoint_cut)(int number, const char *folder);
extern void (*checkpoint_kept)(int number, int status, const char *why);

/// The node goes on: with the packet, and at the end of a rebirth. By the progress thread, or where there is none.
void net_go_on();

/// In a process that is made of a copy, on worker 0's kernel thread, when no other kernel thread exists and all that is
/// memory is as it was: joins the run of the copies of the other nodes, whose launcher is at the other end of
/// `launcher_socket`. Returns when all have begun, and the progress thread runs. The node is silent still, and its
/// workers have halted, before net_go_on. Descriptors whose numbers memory has are neither used nor closed.
void net_reborn(int launcher_socket);
/// Fired in it, when the launcher has said who the node is, and the new memory files have come: each room puts right
/// what only the former process had (files, kernel threads, the numbers of other processes).
extern Event<> node_reborn;

} // namespace skein

#endif

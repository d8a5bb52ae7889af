// Alternatives: a thread waits for the first of several sends and receives (occam's ALT).
//
// Each case stands as a party in its channel, here or on another node. The thread itself waits in the ring of the
// alternative, where deadlines, cancels and moves find it as in any other wait (sync/waits.h). Whoever takes the thread
// out of that ring has decided: a channel's deal (*claims* it), a deadline, a cancel, a move. It takes the other cases
// out of their channels, which others may still find until then; then they ask, and are refused.
//
//     linking -- all cases stand --> waiting -- claimed --> claimed -- the deal succeeds --> over
//                                      ^  |                    |
//                                      |  +-- deadline, …      +-- fails: released
//                                      +-----------------------+        |
//                                                       over <----------+ its time is over
//
// A deal that asks while the alternative is linking or claimed is told to come again later (`missed`), and ends without
// another look at its queues, in which two others might meet. So when the alternative is neither any more, whatever it
// is then, it looks at all its channels again; and a deal that finds so when it ends looks itself.
//
// A deal holds the alternative of its own node claimed while it asks one of another node. Alternatives that all ask
// each other, in a ring, must neither wait for each other nor refuse each other for ever. So they have an order, by
// number and node: an attempt that comes while the alternative is claimed *waits* if the asking deal holds none, or one
// that is before it in the order, and is decided when the alternative is not claimed any more. Any other attempt is
// refused, and since its node forgets the case, the case is offered anew. In a ring somebody always asks one that is
// before it, is refused, and lets go of what it holds. (docs/models/attempts.pml is a model of that.)
#ifndef SKEIN_CHANNELS_ALTERNATIVES_H
#define SKEIN_CHANNELS_ALTERNATIVES_H

#include "channels/channel.h"

namespace skein {

/// Takes the thread out of its wait, so that it is the caller's: it has to be released or ended.
Agreed alternative_claim(Alternative &alternative);
/// For a deal that was told to come later, when that is over and the channel not busy any more: whether the alternative
/// still is linking or claimed, and will look again after that. Otherwise it may have looked too early.
bool alternative_will_look(Alternative &alternative);
/// The deal has come to nothing: it waits again.
void alternative_release(Alternative &alternative);
/// Of a claimed one: the case has happened, with this code and length. The thread goes on.
void alternative_end(Alternative &alternative, uint32_t index, int code, size_t bytes);
/// A channel that one of its cases stood in has moved. If the thread still waits, it goes on, and asks again.
void alternative_ask_again(Alternative &alternative);
/// Whether no case of it may stand in a channel any more. Under the lock of the channel.
bool alternative_is_over(const Alternative &alternative);
/// It stays in memory while anybody keeps it.
void alternative_keep(Alternative &alternative);
void alternative_drop(Alternative &alternative);

/// The number by which other nodes know it; 0: none does.
uint64_t alternative_number(const Alternative &alternative);

/// Another node attempts to give a message to a case of an alternative of this node, to take one, or to tell news.
struct Attempt {
  int from;
  uint64_t call;                // which is answered with an Agreed
  uint64_t alternative, asking; // numbers: of the one that is asked, here; of the one that the deal holds there, or 0
  uint32_t index;               // of the case
  int code;                     // news, or SKEIN_OK
  const void *data;
  size_t bytes;
  void *block = nullptr;   // from malloc, in which the data lie: of an attempt that waits
  Attempt *next = nullptr; // likewise
};
/// Decides, and answers, now or later; then the arrival's message is kept. False: there can be no such attempt.
bool alternative_attempted(const Attempt &attempt, Arrival &arrival);
void alternatives_after_fork();
/// A node has died: alternatives with a case there end.
void alternatives_without_dead();

} // namespace skein

#endif

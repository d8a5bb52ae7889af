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
// is then, it looks at all its channels again; and a deal that finds so when it ends looks itself. An attempt from
// another node is refused meanwhile, and that node forgets the case, so the case is offered anew.
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

/// Node `from` attempts to give a message to a case of an alternative of this node, to take one, or to tell news (a
/// code). `wrong`: there can be no such attempt.
Agreed alternative_attempted(int from, uint64_t number, uint32_t index, int code, const void *data, size_t bytes,
                             bool &wrong);
void alternatives_after_fork();
/// A node has died: alternatives with a case there end.
void alternatives_without_dead();

} // namespace skein

#endif

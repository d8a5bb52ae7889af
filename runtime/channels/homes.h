// The home of a channel moves to where the channel is used: a message between two threads of one node takes a twentieth
// of what it takes by way of another one. (The Testbed, section 2.2.2, splits and merges control blocks, and finds the
// other end by asking all.)
//
// A channel that moves gets a record, and a handle, on its new home. The record that it leaves keeps the old handle and
// says where it went: whoever comes there is told the new handle, and asks again. A node remembers what it was told
// (*aliases*), so it asks at the old home once; and since what it was told is always a handle further on, ways get
// shorter. Programs go on with the handle that they know.
//
// When: after `patience` (knob channel_patience) messages in a row that all went to receivers of one node, while nobody
// here sent or received, and when the channel holds no message. Its patience doubles each time, so that a channel whose
// users come and go does not run after them for ever. And all channels of a node that is about to leave the run
// (net/run/leaving.h) go to node 0, its heir, as soon as they have no deal.
//
// How: the channel is busy, as with a deal, while the new home is asked for a record; who comes meanwhile stands in the
// queues.
//
//     old home                                     new home
//       | -- create: for channel 7 of mine ---------> |  a record that nobody else knows
//       | <------------------------- its handle ----- |
//       | -- fill: what is held, whether closed ----> |  only to an heir; again until all is there, one after the other
//       | <------------------------------- done ----- |
//       |  forward is set; what was held is dropped   |
//       |  all who stand here are told to ask again   |
//
// Until `forward` is set nobody knows the new handle, and nobody changes what is held here, since the channel is busy.
// So the channel is in one place at any time: before, the messages of the new record are copies that nobody can reach,
// and afterwards those that were here are. The order of messages stays, since each `fill` is sent when the one before
// it is done. If the channel was freed meanwhile, or the other node died or leaves itself, it stays, and the new record
// is freed again; so, too, if it was closed and goes to another node than an heir. Who waits for a time is told how
// much of it is left.
//
// docs/models/homes.pml is a model of that.
//
// A record that was left is there until the channel is freed; then the news go back along the way on which it came.
// When a node has left the run, all that it has of channels is such records, and they are its estate: its heir keeps,
// for each handle, where the channel went, and whom the news of its end are for. Other nodes forget aliases when they
// have too many of them, but these stay. Nothing of a record changes from the moment at which its node has handled all
// that was sent to it, so the heir says the same as the node would have said.
//
// No channel comes to a node that is about to leave: it makes none, for its own threads neither, and says "again" to
// those who ask, who then ask node 0. So the channels that it has get fewer, and it stays (Remainder) until all are
// gone.
//
// If the node dies where a channel is, the channel is gone; if one dies where it was, those who have not asked there
// before do not find it any more.
#ifndef SKEIN_CHANNELS_HOMES_H
#define SKEIN_CHANNELS_HOMES_H

#include "channels/channel.h"

namespace skein {

/// The handle by which the channel can be found, as far as this node knows.
uint64_t channel_resolve_slow(uint64_t handle);
extern std::atomic<bool> channels_moved; // any, as far as this node knows
inline uint64_t channel_resolve(uint64_t handle) {
  return __builtin_expect(channels_moved.load(std::memory_order_relaxed), 0) ? channel_resolve_slow(handle) : handle;
}
/// This node was told that the channel went on.
void channel_alias(uint64_t handle, uint64_t forward);

/// Under the lock: these two meet. Either may be null: the buffer.
void usage_note(Channel &channel, const Party *source, const Party *sink);
/// The node to which all channels of one go that leaves the run.
inline constexpr int home_heir = 0;
/// Whether node `from` may say what only the node that keeps the channels of node `home` can know. An heir may know
/// before this node does that it is that.
inline bool speaks_for(int from, int home) { return from == home || (from == home_heir && !link_takes(home)); }

/// Under the lock, of a channel that is not busy: the node to which it is to move now, or -1.
int home_wanted(const Channel &channel);
/// The channel is busy with this: asks the new home for a record, and does the rest when that answers.
void home_moves(Channel &channel);
/// Messages (fill_bytes) of a channel that node `from` is leaving, for its new record here. SKEIN_ETHREAD: there is
/// none.
int home_filled(int from, uint64_t handle, const void *data, size_t bytes, bool closed);
/// Where the channel went that had this handle on a node whose heir this one is; 0: there is none.
uint64_t home_inherited(uint64_t handle);

/// Under the lock: the channel is freed. Returns the record of its that has to be told so, or 0.
uint64_t home_forgets(Channel &channel);
/// Without the lock: tells it.
void home_tell_freed(uint64_t former);
/// News of that kind: the channel that went from here to that node has been freed.
void home_freed(int from, uint64_t handle);

void homes_start();
void homes_after_fork();

} // namespace skein

#endif

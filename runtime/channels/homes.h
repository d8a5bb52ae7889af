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
// users come and go does not run after them for ever.
//
// How: the channel is busy, as with a deal, while the new home is asked for a record; who comes meanwhile stands in the
// queues. When the answer comes, all of them are told to ask again there. Until then nobody knows the new handle, so
// the channel is in one place at any time, and has no messages in it when it goes. If it was closed or freed meanwhile,
// or the other node died, it stays, and the new record is freed again.
//
// docs/models/homes.pml is a model of that.
//
// A record that was left is there until the channel is freed; then the news go back along the way on which it came.
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
/// Under the lock, of a channel that is not busy: whether it is to move now.
bool home_is_to_move(const Channel &channel);
/// The channel is busy with this: asks the new home for a record, and does the rest when that answers.
void home_moves(Channel &channel);

/// Under the lock: the channel is freed. Returns the record of its that has to be told so, or 0.
uint64_t home_forgets(Channel &channel);
/// Without the lock: tells it.
void home_tell_freed(uint64_t former);
/// News of that kind: the channel that went from here to that node has been freed.
void home_freed(int from, uint64_t handle);

void homes_after_fork();

} // namespace skein

#endif

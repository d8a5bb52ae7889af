// Channels between nodes: who sends or receives on another node than the channel's home asks the home (docs/
// wire-format.md has the messages).
#ifndef SKEIN_CHANNELS_REMOTE_H
#define SKEIN_CHANNELS_REMOTE_H

#include "channels/channel.h"

namespace skein {

/// The call is told to ask again, for the handle `forward`, or 0: the same one. `left_ns`: how long it may still wait.
void answer_again(int to, uint64_t call, uint64_t forward, uint64_t left_ns);
/// It is over for a party of another node, which is freed: its call is answered (`result`: its code and length), or its
/// alternative is told the code, unless that knows.
void call_end(Party *party, uint64_t result);
void offer_end(Party *party);

/// Asks, for the channel's deal, the alternative of another node that this case belongs to: to take these bytes, or to
/// give what it has offered. channel_answered is called with the answer. `held`: the alternative of this node that the
/// deal has claimed, or null.
void attempt_send(Channel &channel, const Party &party, const Alternative *held, const void *data, size_t bytes);

/// A case of an alternative of this node is offered to the home of its channel, or withdrawn. `data`: what it sends.
OfferMessage *offer_new(uint64_t channel, uint64_t alternative, uint32_t index, bool sends, const void *data,
                        size_t bytes);
void offer_send(OfferMessage *offer);
void withdraw_send(uint64_t channel, uint64_t alternative);

} // namespace skein

#endif

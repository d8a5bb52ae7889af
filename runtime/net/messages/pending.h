// Operations under way for whose end a thread may wait, here or on another node; what programs see is
// <skein/pending.h>.
//
// A handle has the node that began the operation in its high bits, as a thread's id has. That node keeps a record until
// the operation has ended and a waiter has been told, or no thread needs to know. Waiting from another node is a call
// to it.
#ifndef SKEIN_NET_MESSAGES_PENDING_H
#define SKEIN_NET_MESSAGES_PENDING_H

#include "net/messages/calls.h"

namespace skein {

void pending_start();

/// A new handle of this node; never 0.
uint64_t pending_new();
/// The operation has ended. `text` may be null, and is copied. `count` is for skein_pending_wait_count.
void pending_end(uint64_t pending, int code, const char *text, unsigned count = 0);
/// A `finish` for calls: ends the operation whose handle is Call::id, with the reply's code and text.
void pending_finish(const Call &call, const ReplyMessage *reply, size_t data_bytes);

} // namespace skein

#endif

// Active messages: requests, their handlers, and the credits that keep a node from being flooded.
//
// A request names a handler by its place in the program's table of handlers (a section; <skein/messages.h>), which is
// the same on every node that runs the same build; the hello says who does. No address of code travels.
//
// Credits. To each peer a node may have `message_credits` requests under way. A request is *under way* until its
// handler has returned (a threaded one: until its thread exists). The receiver gives credits back by `credits`
// messages, half of them at a time. Without a credit a request waits here as a *letter*, in order, and leaves when a
// credit comes back; so it is the sender's thread that is held up, and never a handler:
//
//     skein_send --- credit? --yes--> link_send ----> handler runs ----> `credits` when half of them are owed
//                       |                                                    |
//                       no: letter, thread blocked <-- woken, letter leaves -+
//
// Invariants
//  * Replies and credits need no credit, and are sent by handlers, which never wait. So every request that has left is
//    handled, its credit returns, and every letter leaves: no deadlock, whatever the threads do.
//  * At a receiver there are at most peers * message_credits requests whose handler has not run.
//  * While a letter waits, all credits are out, so half of them are owed or under way: one `credits` is bound to come.
//  * All handlers of the program that are plain run one at a time, also for requests of this node to itself
//    (link_exclusive), with no Skein thread running as far as the runtime can tell (`skein_processor` is null).
//
// The runtime's own copies between nodes are requests, too (`Builtin`), and so under the same flow control.
//
// Rejected: credits in bytes (a large message is fetched by the receiver, and memory for it is the sender's until
// then); giving credits back with replies (one-way requests have none, and then there are two ways); a handler's
// address checked against the maps (a number needs no check but its range).
#ifndef SKEIN_NET_MESSAGES_ACTIVE_H
#define SKEIN_NET_MESSAGES_ACTIVE_H

#include "net/messages/calls.h"

#include <cstddef>
#include <cstdint>

namespace skein {

void active_start();

/// What the runtime asks under the same rules, numbered from builtin_first.
enum class Builtin : uint32_t { put, get, last = get };
inline constexpr uint32_t builtin_first = UINT32_C(1) << 31;
inline constexpr uint32_t builtin_number(Builtin which) { return builtin_first + static_cast<uint32_t>(which); }
/// Handles a builtin request: `data` as for link handlers. Answers with call_reply, now. False: its data are malformed.
using BuiltinHandler = bool (*)(int from, uint64_t call, const void *data, size_t bytes);
void active_builtin(Builtin which, BuiltinHandler handler);

/// Whether requests may be sent to `to`: SKEIN_OK, or a code with text for `self`. On a worker's stack.
int active_check(Thread *self, int to, size_t bytes, const char *function);

/// A request with room for its data behind it.
RequestMessage *active_new(uint32_t handler, size_t bytes);
/// Send it, or leave it as a letter: then false, and `leaver`, if not null, is woken with `result` when it has left.
/// One that never will fails its call, or, without a call, wakes `leaver` with SKEIN_EDEAD. `leaver` must be blocked. A
/// request to this node is handled at once.
bool active_post(int to, RequestMessage *message, size_t data_bytes, const Call *call, Thread *leaver,
                 uint64_t result = 0);

/// Run function(context) as plain handlers run: nothing else handles messages meanwhile, and no Skein thread is in
/// sight.
void run_exclusively(void (*function)(void *), void *context);

/// `self` was blocked for something that is there already: it goes on with this result.
Thread *go_on(Thread *self, uint64_t result);

/// The peer is dead: letters for it are. After link_forget.
void active_fail(int peer);

} // namespace skein

#endif

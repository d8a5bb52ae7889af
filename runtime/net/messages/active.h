// Active messages: a node sends a request, and a handler of the program runs for it on another node. A node must not be
// flooded with requests, so a sender needs a credit for each.
//
// A request names a handler by its place in the program's table of handlers (a section; <skein/messages.h>). The place
// is the same on every node that runs the same build, and the hello says which nodes do. No address of code travels.
//
// Credits. To each peer a node may have `message_credits` requests under way. A request is *under way* until its
// handler has returned (a threaded one: until its thread exists). The receiver returns credits by `credits` messages,
// half of them at a time. Without a credit a request waits here as a *letter*, in order, and is sent when a credit
// comes back. So the sender's thread waits, and never a handler:
//
//     skein_send --- credit? --yes--> link_send ----> handler runs ----> `credits` when half of them are owed
//                       |                                                    |
//                       no: letter, thread blocked <-- woken, letter sent ---+
//
// Invariants
//  * Replies and credits need no credit, and are sent by handlers, which never wait. So every request that was sent is
//    handled, its credit returns, and every letter is sent in the end: no deadlock, whatever the threads do.
//  * At a receiver there are at most peers * message_credits requests whose handler has not run.
//  * While a letter waits, all credits are in use, so the receiver owes half of them at some time, and a `credits`
//    message will come.
//  * All handlers of the program that are plain run one at a time, also for requests of this node to itself
//    (link_exclusive), with no Skein thread running as far as the runtime can tell (`skein_processor` is null).
//
// The runtime's own copies between nodes are requests, too (`Builtin`), and so under the same flow control.
//
// Rejected: credits in bytes (the receiver fetches a large message, whose memory is the sender's until then); returning
// credits with replies (one-way requests have no reply, so there would be two ways); sending a handler's address and
// checking it against the maps (a number needs no check but its range).
#ifndef SKEIN_NET_MESSAGES_ACTIVE_H
#define SKEIN_NET_MESSAGES_ACTIVE_H

#include "net/messages/calls.h"

#include <cstddef>
#include <cstdint>

namespace skein {

void active_start();

/// Requests of the runtime itself, under the same rules. Their handlers are numbered from builtin_first.
enum class Builtin : uint32_t { put, get, last = get };
inline constexpr uint32_t builtin_first = UINT32_C(1) << 31;
inline constexpr uint32_t builtin_number(Builtin which) { return builtin_first + static_cast<uint32_t>(which); }
/// Handles a builtin request, whose `data` are as for link handlers, and answers it at once with call_reply. False: the
/// data are malformed.
using BuiltinHandler = bool (*)(int from, uint64_t call, const void *data, size_t bytes);
void active_builtin(Builtin which, BuiltinHandler handler);

/// Whether requests may be sent to `to`: SKEIN_OK, or a code with text for `self`. `leaves_a_thread`: each of them
/// makes a thread there, which a node does not want that is about to leave. On a worker's stack.
int active_check(Thread *self, int to, size_t bytes, bool leaves_a_thread, const char *function);

/// A request with room for its data behind it.
RequestMessage *active_new(uint32_t handler, size_t bytes);
/// Sends the request and returns true, or keeps it as a letter and returns false. Then `leaver`, if not null, which
/// must be blocked, is woken with `result` when the letter has been sent. If the peer dies before, the call fails, or,
/// without a call, `leaver` is woken with SKEIN_EDEAD. A request to this node is handled at once.
bool active_post(int to, RequestMessage *message, size_t data_bytes, const Call *call, Thread *leaver,
                 uint64_t result = 0);

/// Runs function(context) as plain handlers run: no other handler runs meanwhile, and as far as the runtime can tell no
/// Skein thread is running.
void run_exclusively(void (*function)(void *), void *context);

/// `self` was blocked for an answer that is there already. Makes `self` running again, with this result.
Thread *go_on(Thread *self, uint64_t result);

/// The peer has died: drops the letters for it. To be called after link_forget.
void active_fail(int peer);
/// Whether requests to the peer wait for credits.
bool active_waits(int peer);

} // namespace skein

#endif

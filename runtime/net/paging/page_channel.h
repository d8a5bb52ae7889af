// Brings pages that threads have left behind to where they are (private/paging/paging.h has the vocabulary).
//
// Pages do not travel as messages of the link, but over a socket of their own for each pair of nodes, between two
// kernel threads that do nothing else: the *keeper* of the node that has the pages, and the *fetcher* of the one that
// wants them. A handler of the link may touch a missing page, of the buffer of a thread that waits, say. It then waits
// for two kernel threads that never wait for the link, for a lock of the runtime, or for a missing page.
//
//     fetcher                                         keeper
//        |-- PageHello: node, proof ------------------->|   once, when both are up
//        |<- PageHello: node, proof --------------------|
//        |-- PageQuestion: number, pages -------------->|   somebody waits for them, or it is their turn
//        |<- PageAnswer: number, pages, [their bytes] --|   no bytes follow if all of them are zero, or unknown
//        |-- PageQuestion: number, no pages ----------->|   nothing more is asked for by that number
//
// Meanwhile the keeper looks through what its node's threads have written (paging_look_through), so that they need not
// wait for that when they leave.
//
// The sockets are those of one host (AF_UNIX, with abstract names). A node that cannot be reached in this way never
// says hello, and nothing is left behind for it. The names can be read in /proc by anybody, so anybody may connect. The
// kernel says which user has, and before anything is read, others are hung up on; the proofs are made with the run's
// secret.
//
// One that is lost means that its node has died, which ends the run (membership.h), or that the run is over. Threads of
// which pages were there cannot go on: if nobody has ended this node by then, it ends itself with a message.
#ifndef SKEIN_NET_PAGING_PAGE_CHANNEL_H
#define SKEIN_NET_PAGING_PAGE_CHANNEL_H

#include <cstddef>
#include <cstdint>
#include <sys/un.h>

namespace skein {

/// Begins, if `moves` is lazy: from here on this node's keeper answers. To be called when the run's secret is known,
/// before threads run.
void page_channel_start();
/// Connects to all keepers. To be called when all nodes have begun, before threads run.
void page_channel_meet();

namespace page_channel {

inline constexpr size_t pages_most = 32 * 4096; // of a question

struct PageHello {
  uint64_t magic;
  int64_t node; // that says it
  uint64_t proof;
};
inline constexpr uint64_t hello_magic = 0x53'4b'50'41'47'45'53'01;

struct PageQuestion {
  uint64_t number;
  uint64_t begin;
  uint64_t bytes; // 0: it is over
};
struct PageAnswer {
  uint64_t number;
  uint64_t begin;
  uint64_t bytes;
  uint64_t following; // `bytes`; 0: all of them are zero; or
};
/// the keeper has no such pages: the thread has ended in the meantime, and news of that have come by the link.
inline constexpr uint64_t pages_unknown = UINT64_MAX;

/// What `from` says to `to` when they meet.
PageHello hello_of(int from, int to);
/// Whether that is what a node of the run says to this one.
bool hello_right(const PageHello &hello);
/// Whether the other end belongs to a process of the same user, as the kernel says. Nothing is read from another one.
bool same_user(int socket);
/// Where a node's keeper listens. Returns the bytes of the address.
unsigned address_of(int node, sockaddr_un &address);
bool send_whole(int socket, const void *bytes, size_t count);
bool receive_whole(int socket, void *bytes, size_t count);

/// These return why that is not possible, or null. The first two start a kernel thread.
const char *keeper_start();
const char *fetcher_start();
const char *fetcher_prepare();

} // namespace page_channel
} // namespace skein

#endif

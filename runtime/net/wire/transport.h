/* What the runtime needs of a network, as one table of functions in plain C.
 *
 * libskein.a is linked into every program and must drag in nothing but libc, so the network lives in a shared object of
 * its own that `skein run` names and a node loads only if the run has more than one node: libskein_shm.so (shared
 * memory of a host), libskein_tcp.so (sockets and OpenSSL), or libskein_ucx.so (fabrics). Merely loading UCX patches
 * mmap and installs signal handlers; a program that stays alone must never pay for that.
 *
 * Vocabulary: a *peer* is a node number. A *message* is one block of bytes, delivered whole, once, or never if the peer
 * died. An *address* is what another process needs to connect: opaque bytes, and descriptors where both are on one
 * host. It comes from the launcher.
 *
 * Invariants
 *  * Every function may be called from any kernel thread of the process, at any time between open and close; but
 *    `progress` by one thread at a time (net/wire/link holds a lock for that).
 *  * `receive` and `lost` are called only inside `progress`, by the thread that called it, and hold up no sender. They
 *    may not call `progress`; they may call `send`, `connect` and `disconnect`.
 *  * `at_once` is called inside `progress`, too, but in the middle of the transport: it may call nothing of it, waits
 *    for nothing and wakes nobody. It does what a network card could do in that time: look, copy, answer.
 *  * Messages between two peers usually arrive in the order sent, but nobody may rely on it: small ones overtake large
 *    ones.
 *  * `send` never blocks. What cannot leave at once leaves in a later `progress`.
 *
 * Rejected: UCX's one-sided operations (put, get, atomics). Over TCP and between processes of a host UCX makes them of
 * messages that the target's progress answers, as `at_once` does; but they do not know the blocks of shared memory, so
 * a read of freed memory would go unnoticed, several do not travel together, and atomic operations of a network card
 * and of processors are not atomic to each other. docs/design.md has the figures. */
#ifndef SKEIN_NET_WIRE_TRANSPORT_H
#define SKEIN_NET_WIRE_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SKEIN_TRANSPORT_VERSION 8

/* Receives one message. `from` is the peer that has proved to know the secret on the connection that it came on, -1 if
 * the transport cannot tell. `message` was obtained with malloc and is 16-aligned. 1: the receiver keeps it, and frees
 * it later; 0: the receiver does not need it any more, and its memory may be used for the next message. */
typedef int (*skein_transport_receive_fn)(void *context, int from, void *message, size_t bytes);

/* The answer of `at_once`: a message from malloc, which belongs to the transport from then on, or null. */
struct skein_transport_answer {
  int to;
  void *message;
  size_t bytes;
};

/* Gets a message where it lies, at any alignment, and may use it during this call only. 1: it has been handled; 0:
 * `receive` gets it, unchanged. */
typedef int (*skein_transport_at_once_fn)(void *context, int from, const void *message, size_t bytes,
                                          struct skein_transport_answer *answer);

/* A hint that a peer does not answer any more, at most once for each peer. Membership decides whether it is dead. */
typedef void (*skein_transport_lost_fn)(void *context, int peer, const char *why);

/* One line for the log, for example that a stranger was turned away. Called inside `progress`. */
typedef void (*skein_transport_note_fn)(void *context, const char *text);

#define SKEIN_TRANSPORT_SECRET_BYTES 16

#define SKEIN_TRANSPORT_DESCRIPTORS 2

struct skein_transport_address {
  const void *bytes;
  size_t count;
  int descriptors[SKEIN_TRANSPORT_DESCRIPTORS]; /* -1: none */
};

struct skein_transport_setup {
  int peers; /* number of nodes; peers are 0 .. peers-1 */
  int self;  /* this one's number */
  skein_transport_receive_fn receive;
  skein_transport_lost_fn lost;
  skein_transport_note_fn note;
  void *context;                      /* handed to all of them */
  skein_transport_at_once_fn at_once; /* or null */
  const unsigned char *secret;        /* SKEIN_TRANSPORT_SECRET_BYTES, which only nodes of this run know; for `open` */
  int sealed;         /* 0: for measurements, connections are authenticated, but what they carry is not */
  const char *listen; /* numeric address on which others may connect, for transports that listen */
};

struct skein_transport {
  uint32_t version; /* SKEIN_TRANSPORT_VERSION */
  const char *name; /* "ucx", for logs */

  /* 0, or -1 with one line of explanation in `error`. */
  int (*open)(const struct skein_transport_setup *setup, char *error, size_t error_bytes);
  /* This process's address; valid until close. */
  void (*address)(struct skein_transport_address *address);
  /* Of two nodes the one with the smaller number is the first to connect; the other does when it has been heard of.
   * The address stays the caller's, and its descriptors may be closed afterwards. */
  int (*connect)(int peer, const struct skein_transport_address *address, char *error, size_t error_bytes);

  /* Sends `message`, which was obtained with malloc and belongs to the transport from here on, even when it fails.
   * 0, or -1 if the peer is not connected (any more). */
  int (*send)(int peer, void *message, size_t bytes);
  /* The same for a message whose memory the caller wants to use again. 0: it has been sent, or never will be, and the
   * caller has it back; 1: the transport keeps it, as after `send`. */
  int (*lend)(int peer, void *message, size_t bytes);

  /* Moves traffic. Returns how many things happened (0: nothing to do). Looks at least once and at most `looks` times,
   * until something happens or somebody else wants to come in. */
  unsigned (*progress)(unsigned looks);

  /* To sleep: arm; if it says 1, poll wait_fd for input; if 2, do so for a short time only, since something waits for
   * room, of which nothing may tell; if 0, there is work, call progress; -1 on a fault. */
  int (*wait_fd)(void);
  int (*arm)(void);

  /* Forgets a peer and everything on its way there. */
  void (*disconnect)(int peer);
  /* How many messages were handed over and have not been sent yet. */
  unsigned (*pending)(void);
  /* The end. Only `send` may be called afterwards, and drops its messages. */
  void (*close)(void);
  /* The process ends without close while other threads may be inside: waits for those, and blocks those that
   * come later for ever, so that no thread is in the library when its destructors run. */
  void (*leave)(void);
  /* In the child of a fork: closes what it has inherited, and touches nothing that the parent still uses. Takes no
   * lock, since the thread that held one does not exist there. */
  void (*abandon)(void);
  /* In a process that was made of a copy of another one's memory, where nothing of that one is left but its memory:
   * forgets all peers, connections and messages, so that `open` may be called again. The numbers of descriptors in
   * memory belong to somebody else here, so none is used or closed. 0, or -1 if this transport cannot do that. */
  int (*forget)(void);
};

/* The one symbol of a transport library. */
#define SKEIN_TRANSPORT_SYMBOL "skein_transport_table"
typedef const struct skein_transport *(*skein_transport_table_fn)(void);

/* A library that lies beside those of the transports and makes one of them go wrong on purpose (test/faults). A node
 * loads it only if a knob asks for faults. */
struct skein_transport_faults {
  int peers;
  int self;
  uint64_t seed;
  uint64_t delay_us; /* messages are handled up to so late, out of order; 0: as they come */
  uint64_t mutate;   /* node `seed` modulo `peers` changes one message in so many; 0: none */
};
#define SKEIN_FAULTS_LIBRARY "libskein_faults.so"
#define SKEIN_FAULTS_SYMBOL "skein_transport_with_faults"
typedef const struct skein_transport *(*skein_transport_with_faults_fn)(const struct skein_transport *inner,
                                                                        const struct skein_transport_faults *wanted);

#ifdef __cplusplus
}
#endif
#endif

/* Channels: threads send each other messages, as occam's processes do. (The Testbed, sections 2.1.3 and 2.2.2;
 * docs/sources.md.)
 *
 *     skein_channel_t numbers = skein_channel_create(0);
 *     skein_spawn(producer, numbers);                          // which may go to any node
 *     for (int n; skein_channel_receive(numbers, &n, sizeof n, 0) == SKEIN_OK;)     // until the producer closes it
 *       printf("%d\n", n);
 *
 * A channel is a number that works on every node: its ends travel with threads, in messages and in shared memory. It
 * lives on the node where it was made, and moves by itself to where its messages are received, so that who meets there
 * needs no other node (SKEIN_OPTIONS=channel_patience=). Any number of threads may send, and any number receive; each
 * message goes to one of them.
 *
 * With the capacity 0 sender and receiver meet: both are blocked until the message has passed. With the capacity n the
 * channel holds up to n messages, and a sender is blocked only while it is full. Messages of one thread arrive in the
 * order in which it sent them. A message is copied once if both threads and the channel are on one node, and is not
 * cut: a receiver gets a whole one, or an error. What a message is goes for as long as its sender waits: nobody may
 * change it. Where a receive ends with an error, or another case of an alternative happens, the memory for the message
 * may have been written to.
 *
 * Threads that wait here can be pushed to another node meanwhile (<skein/migration.h>), and go on waiting there. A
 * deadline (`most_ns`, from now; UINT64_MAX: none) ends a wait with SKEIN_ETIME; 0 does not wait. skein_cancel ends it,
 * too, but not that of a send or a receive for a channel that lives on another node: such a thread ends when its wait
 * has. A receiver is not told that a sender's node has died, since others may send: use deadlines where deaths are
 * survived. No message is lost or comes twice, whatever moves: a send that returns an error has not sent anything.
 *
 * Codes besides these: SKEIN_ECLOSED: the channel is closed; SKEIN_ETHREAD: there is no such channel (any more);
 * SKEIN_EDEAD: its node died; SKEIN_EMEMORY: too long a message.
 *
 * All calls are for Skein threads. They may block and may migrate, unless it says otherwise. */
#ifndef SKEIN_CHANNEL_H
#define SKEIN_CHANNEL_H

#include <skein/messages.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t skein_channel_t;

/* Makes a channel on this node, or on `node`. 0, with an error text, if that is not possible. On a node that is about
 * to leave the run, or has left it, the channel is made on node 0. */
skein_channel_t skein_channel_create(size_t capacity);
skein_channel_t skein_channel_create_on(int node, size_t capacity);

/* Sends `bytes` bytes, at most SKEIN_MESSAGE_MOST, perhaps none. */
int skein_channel_send(skein_channel_t channel, const void *data, size_t bytes);
int skein_channel_timedsend_ns(skein_channel_t channel, const void *data, size_t bytes, uint64_t most_ns);

/* Receives a message of at most `room` bytes. Its length goes to `*got`, which may be null. SKEIN_EMEMORY: the message
 * is longer; `*got` tells how long, and it can still be received. */
int skein_channel_receive(skein_channel_t channel, void *to, size_t room, size_t *got);
int skein_channel_timedreceive_ns(skein_channel_t channel, void *to, size_t room, size_t *got, uint64_t most_ns);

/* Nothing can be sent any more: who does, or waits to do so, gets SKEIN_ECLOSED. What the channel holds can still be
 * received; after that receivers get SKEIN_ECLOSED, too. */
int skein_channel_close(skein_channel_t channel);

/* The channel and what it holds are gone; threads that wait get SKEIN_ETHREAD. */
int skein_channel_free(skein_channel_t channel);

/* --- alternatives: wait for whichever comes first (occam's ALT) --------------------------------------------------- */

enum skein_alternative_kind {
  SKEIN_ALT_NEVER, /* a guard that is false: this case does not happen */
  SKEIN_ALT_RECEIVE,
  SKEIN_ALT_SEND,
  SKEIN_ALT_AFTER, /* happens when the time is over, unless another case has */
  SKEIN_ALT_ELSE   /* happens if no other case can at once; it is the last one to be looked at */
};

struct skein_alternative {
  enum skein_alternative_kind kind;
  skein_channel_t channel;
  void *data;        /* what is sent, or where the message goes */
  size_t bytes;      /* of it, or the room */
  uint64_t after_ns; /* of SKEIN_ALT_AFTER */
  size_t got;        /* after a receive: the length */
  int code;          /* of the case that happened: SKEIN_OK; SKEIN_ECLOSED and the others end the wait, too */
};

/* The cases as they are written down:
 *
 *     struct skein_alternative cases[] = {SKEIN_RECEIVES(requests, request), SKEIN_RECEIVES(stop, nothing),
 *                                         SKEIN_AFTER(1000000)};
 *     switch (skein_alt(cases, 3)) {
 *     case 0: ... */
#define SKEIN_RECEIVES(channel, variable) {SKEIN_ALT_RECEIVE, (channel), &(variable), sizeof(variable), 0, 0, 0}
#define SKEIN_SENDS(channel, variable) {SKEIN_ALT_SEND, (channel), &(variable), sizeof(variable), 0, 0, 0}
#define SKEIN_AFTER(ns) {SKEIN_ALT_AFTER, 0, 0, 0, (ns), 0, 0}
#define SKEIN_ELSE {SKEIN_ALT_ELSE, 0, 0, 0, 0, 0, 0}

/* Waits until one of the cases happens, does it, and returns its number. Nothing is done for the others. Of several
 * that can happen at once any may be chosen, each as likely as the others; skein_alt_ordered takes the first one
 * (occam's PRI ALT), as far as channels of this node are concerned. Blocks for ever if no case can happen.
 * -SKEIN_EMEMORY if there is no memory. */
int skein_alt(struct skein_alternative *cases, int count);
int skein_alt_ordered(struct skein_alternative *cases, int count);

/* --- channels of one type, which the compiler checks -------------------------------------------------------------- */

/*     typedef SKEIN_CHANNEL(struct order) order_channel;
 *     order_channel orders = {skein_channel_create(16)};
 *     skein_channel_put(orders, next);
 *     skein_channel_get(orders, &order);               // SKEIN_EMEMORY for a message of another size */
#define SKEIN_CHANNEL(...)                                                                                             \
  struct {                                                                                                             \
    skein_channel_t channel;                                                                                           \
    __VA_ARGS__ *typed[0];                                                                                             \
  }
#define skein_channel_put(typed_channel, value)                                                                        \
  ({                                                                                                                   \
    __typeof__(**(typed_channel).typed) value_ = (value);                                                              \
    skein_channel_send((typed_channel).channel, &value_, sizeof value_);                                               \
  })
#define skein_channel_get(typed_channel, to)                                                                           \
  ({                                                                                                                   \
    __typeof__(*(typed_channel).typed) to_ = (to);                                                                     \
    size_t got_ = 0;                                                                                                   \
    int code_ = skein_channel_receive((typed_channel).channel, to_, sizeof *to_, &got_);                               \
    code_ || got_ == sizeof *to_ ? code_ : SKEIN_EMEMORY;                                                              \
  })

#ifdef __cplusplus
}
#endif
#endif

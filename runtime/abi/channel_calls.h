/* Channels: what the library's part (stdlib/src/channels.c), which is compiled to migrate, asks of the runtime. The
 * header that programs see is <skein/channel.h>. */
#ifndef SKEIN_ABI_CHANNEL_CALLS_H
#define SKEIN_ABI_CHANNEL_CALLS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct skein_alternative; /* <skein/channel.h> */

/* What a thread wants of a channel. It lies in the frame of the call, where the other side finds it. */
struct skein_channel_wish {
  void *data;       /* what is sent, or where the message goes */
  size_t bytes;     /* of it, or the room */
  uint64_t left_ns; /* how long to wait; UINT64_MAX: for ever */
  uint64_t reserved[14];
};

enum {
  SKEIN_CHANNEL_SEND,
  SKEIN_CHANNEL_RECEIVE,
  SKEIN_CHANNEL_CLOSE,
  SKEIN_CHANNEL_FREE,
  SKEIN_CHANNEL_CREATE, /* only between nodes, like those that follow */
  SKEIN_CHANNEL_FILL,
  SKEIN_CHANNEL_RECALL,
  SKEIN_CHANNEL_LEND,
};

/* The result: a code in the low byte, the length of the message above it. */
enum { SKEIN_CHANNEL_CODE_BITS = 8, SKEIN_CHANNEL_CODE = 0xff };

/* Instead of a code, also in the answer of another node: the thread was moved while it waited, or the channel was. It
 * waits no more, and is to ask again. Above the code, if it is not 0: how many nanoseconds of its time are left. */
#define SKEIN_CHANNEL_AGAIN ((uint64_t)0xff)

/* Block. */
uint64_t __skein_channel(uint64_t channel, uint64_t operation, struct skein_channel_wish *wish);
uint64_t __skein_channel_new(int node, size_t capacity);

/* Waits until one of the cases that receive or send has happened. The result is its number, SKEIN_ALTERNATIVE_TIME if
 * the time is over before that, or SKEIN_ALTERNATIVE_AGAIN if the thread was moved. They are looked at from `first` on,
 * and round. `*left_ns`: how long to wait; when the thread was moved, how much of that is left. Blocks. */
enum { SKEIN_ALTERNATIVE_TIME = -1, SKEIN_ALTERNATIVE_AGAIN = -2, SKEIN_ALTERNATIVE_MEMORY = -3 };
int __skein_alternative(struct skein_alternative *cases, int count, int first, uint64_t *left_ns);

/* Not 0 when a balancing policy wants to know who talks to whom. Then the library notes each message that the running
 * thread has sent or received, under the handle that the program knows. Does not block, does not migrate. */
extern uint32_t __skein_talks_counted;
void __skein_talk(uint64_t channel, uint64_t bytes);

#ifdef __cplusplus
}
#endif
#endif

/* Channels: what runs on a thread's own stack. A thread that is moved while it waits for a channel of the node that it
 * leaves, waits there no more; it is told so when it goes on, and asks again from where it is then. */
#include "library.h"

#include "abi/channel_calls.h"
#include "abi/trace_calls.h"

#include <skein/channel.h>

/* Whether channels are recorded; what happens in a channel is an event when it begins and when it ends. */
static int traced(void) { return __builtin_expect(__skein_trace_classes & SKEIN_TRACE_CHANNELS, 0) != 0; }

/* A message has passed. */
static void note_talk(skein_channel_t channel, size_t bytes) {
  if (__builtin_expect(__skein_talks_counted != 0, 0))
    __skein_talk(channel, bytes);
}

static int wish(skein_channel_t channel, uint64_t operation, struct skein_channel_wish *wish, size_t *got) {
  uint64_t result;
  const uint32_t bytes = (uint32_t)wish->bytes;
  if (traced() && operation <= SKEIN_CHANNEL_RECEIVE)
    __skein_trace_channel(operation == SKEIN_CHANNEL_SEND ? SKEIN_TRACE_SENDS : SKEIN_TRACE_RECEIVES, channel, bytes,
                          0);
  while (((result = __skein_channel(channel, operation, wish)) & SKEIN_CHANNEL_CODE) == SKEIN_CHANNEL_AGAIN) {
    const uint64_t left_ns = result >> SKEIN_CHANNEL_CODE_BITS;
    if (left_ns && wish->left_ns)
      wish->left_ns = left_ns;
  }
  if (traced() && operation == SKEIN_CHANNEL_SEND)
    __skein_trace_channel(SKEIN_TRACE_SENT, channel, bytes, result & SKEIN_CHANNEL_CODE);
  else if (traced() && operation == SKEIN_CHANNEL_RECEIVE)
    __skein_trace_channel(SKEIN_TRACE_RECEIVED, channel, (uint32_t)(result >> SKEIN_CHANNEL_CODE_BITS),
                          result & SKEIN_CHANNEL_CODE);
  const size_t length = result >> SKEIN_CHANNEL_CODE_BITS;
  if (operation <= SKEIN_CHANNEL_RECEIVE && (result & SKEIN_CHANNEL_CODE) == SKEIN_OK)
    note_talk(channel, operation == SKEIN_CHANNEL_SEND ? wish->bytes : length);
  if (got)
    *got = length;
  return (int)(result & SKEIN_CHANNEL_CODE);
}

int skein_channel_timedsend_ns(skein_channel_t channel, const void *data, size_t bytes, uint64_t most_ns) {
  struct skein_channel_wish own = {.data = (void *)data, .bytes = bytes, .left_ns = most_ns};
  return wish(channel, SKEIN_CHANNEL_SEND, &own, NULL);
}

int skein_channel_send(skein_channel_t channel, const void *data, size_t bytes) {
  return skein_channel_timedsend_ns(channel, data, bytes, UINT64_MAX);
}

int skein_channel_timedreceive_ns(skein_channel_t channel, void *to, size_t room, size_t *got, uint64_t most_ns) {
  struct skein_channel_wish own = {.data = to, .bytes = room, .left_ns = most_ns};
  return wish(channel, SKEIN_CHANNEL_RECEIVE, &own, got);
}

int skein_channel_receive(skein_channel_t channel, void *to, size_t room, size_t *got) {
  return skein_channel_timedreceive_ns(channel, to, room, got, UINT64_MAX);
}

int skein_channel_close(skein_channel_t channel) {
  struct skein_channel_wish own = {.left_ns = UINT64_MAX};
  return wish(channel, SKEIN_CHANNEL_CLOSE, &own, NULL);
}

int skein_channel_free(skein_channel_t channel) {
  struct skein_channel_wish own = {.left_ns = UINT64_MAX};
  return wish(channel, SKEIN_CHANNEL_FREE, &own, NULL);
}

skein_channel_t skein_channel_create_on(int node, size_t capacity) { return __skein_channel_new(node, capacity); }

skein_channel_t skein_channel_create(size_t capacity) { return __skein_channel_new(-1, capacity); }

/* --- alternatives ------------------------------------------------------------------------------------------------- */

/* Whether the case happens at once. */
static int happens(struct skein_alternative *each) {
  if (each->kind == SKEIN_ALT_RECEIVE)
    each->code = skein_channel_timedreceive_ns(each->channel, each->data, each->bytes, &each->got, 0);
  else
    each->code = skein_channel_timedsend_ns(each->channel, each->data, each->bytes, 0);
  return each->code != SKEIN_ETIME;
}

static int choose(struct skein_alternative *cases, int count, int first) {
  int otherwise = -1, after = -1;
  uint64_t left_ns = UINT64_MAX;
  for (int i = 0; i < count; i++) {
    cases[i].code = SKEIN_OK;
    if (cases[i].kind == SKEIN_ALT_ELSE)
      otherwise = i;
    if (cases[i].kind == SKEIN_ALT_AFTER && (after < 0 || cases[i].after_ns < left_ns)) {
      after = i;
      left_ns = cases[i].after_ns;
    }
  }
  if (otherwise >= 0 || left_ns == 0) {
    for (int i = 0; i < count; i++) {
      const int at = (first + i) % count;
      if ((cases[at].kind == SKEIN_ALT_RECEIVE || cases[at].kind == SKEIN_ALT_SEND) && happens(&cases[at]))
        return at;
    }
    return left_ns == 0 ? after : otherwise;
  }
  int result;
  if (traced())
    __skein_trace_channel(SKEIN_TRACE_SELECTS, 0, (uint32_t)count, 0);
  do
    result = __skein_alternative(cases, count, first, &left_ns);
  while (result == SKEIN_ALTERNATIVE_AGAIN);
  if (traced())
    __skein_trace_channel(SKEIN_TRACE_SELECTED, 0, (uint32_t)result, 0);
  if (result >= 0 && cases[result].code == SKEIN_OK)
    note_talk(cases[result].channel, cases[result].kind == SKEIN_ALT_RECEIVE ? cases[result].got : cases[result].bytes);
  return result == SKEIN_ALTERNATIVE_TIME ? after : result == SKEIN_ALTERNATIVE_MEMORY ? -SKEIN_EMEMORY : result;
}

int skein_alt_ordered(struct skein_alternative *cases, int count) { return choose(cases, count, 0); }

int skein_alt(struct skein_alternative *cases, int count) {
  const uint32_t random = (uint32_t)__builtin_readcyclecounter() * 2654435761u;
  return choose(cases, count, count > 0 ? (int)((random >> 8) % (uint32_t)count) : 0);
}

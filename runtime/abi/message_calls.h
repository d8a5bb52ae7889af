/* Active messages: what the library's part (stdlib/src/messages.c), which is compiled to migrate, asks of the runtime.
 * The header that programs see is <skein/messages.h>. */
#ifndef SKEIN_ABI_MESSAGE_CALLS_H
#define SKEIN_ABI_MESSAGE_CALLS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct skein_handler; /* <skein/messages.h> */
struct skein_message;

/* A request that is answered. */
struct skein_exchange {
  const struct skein_handler *handler;
  const void *data;
  size_t bytes;
  void *reply; /* of skein_call */
  size_t room;
  size_t *got;
  const struct skein_handler *on_reply; /* of skein_request */
  uint64_t argument;
};

/* skein_call and skein_request. Block. */
int __skein_exchange_call(int node, const struct skein_exchange *exchange);
int __skein_exchange_request(int node, const struct skein_exchange *exchange);

/* The request that the calling thread was made for, by the number that its function got: how many bytes of data there
 * are; and once, copied to `data`. From here on the thread may leave. Neither blocks. */
size_t __skein_message_bytes(uint64_t request);
void __skein_message_take(uint64_t request, struct skein_message *to, void *data);

#ifdef __cplusplus
}
#endif
#endif

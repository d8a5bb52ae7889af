/* Active messages: what runs on a thread's own stack. Threads of handlers begin here, so that the data of their request
 * comes along wherever they go: small ones on the stack, large ones on the private heap. */
#include "library.h"

#include "abi/message_calls.h"

#include <skein/messages.h>
#include <string.h>

enum { small = 8 << 10 }; /* of a stack of 64 KiB */

int skein_call(int node, const struct skein_handler *handler, const void *data, size_t bytes, void *reply, size_t room,
               size_t *got) {
  struct skein_exchange exchange = {
      .handler = handler, .data = data, .bytes = bytes, .reply = reply, .room = room, .got = got};
  return __skein_exchange_call(node, &exchange);
}

int skein_request(int node, const struct skein_handler *handler, const void *data, size_t bytes,
                  const struct skein_handler *on_reply, uint64_t argument) {
  struct skein_exchange exchange = {
      .handler = handler, .data = data, .bytes = bytes, .on_reply = on_reply, .argument = argument};
  return __skein_exchange_request(node, &exchange);
}

/* Bytes without a type that nobody has written might look like an address, and hold up a move. */
static void handle_with(void (*handle)(struct skein_message *), uint64_t request, char *data, size_t room) {
  struct skein_message message;
  __skein_message_take(request, &message, data);
  memset(data + message.bytes, 0, room - message.bytes);
  handle(&message);
  if (message.call)
    skein_reply(&message, NULL, 0);
}

static __attribute__((noinline)) void handle_small(void (*handle)(struct skein_message *), uint64_t request) {
  _Alignas(16) char data[small];
  handle_with(handle, request, data, sizeof data);
}

void __skein_message_thread(void (*handle)(struct skein_message *), uint64_t request) {
  size_t bytes = __skein_message_bytes(request);
  if (bytes <= 256) {
    _Alignas(16) char data[256];
    handle_with(handle, request, data, sizeof data);
  } else if (bytes <= small) {
    handle_small(handle, request);
  } else {
    char *data = skein_malloc(bytes);
    handle_with(handle, request, data, bytes);
    skein_free(data);
  }
}

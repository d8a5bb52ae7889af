/* Every worker of every node floods every other with requests, one-way and answered, plain and threaded, while its
 * threads move about. None is lost or handled twice, and nothing deadlocks, even with few credits. */

// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=workers=2 %run -n 2 --timeout 60 %t 4000 | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=2,message_credits=1 %run -n 3 --timeout 60 %t 400 | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=2,message_credits=3,net_delay_us=300,seed=3 \
// RUN:   %run -n 4 --timeout 60 %t 100 | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=2,message_credits=5 \
// RUN:   %run -n 2 --timeout 60 --transport tcp %t 1000 | FileCheck %s
// CHECK: all {{[0-9]+}} requests were handled once

#include "check.h"
#include <skein/messages.h>
#include <stdatomic.h>

enum { senders = 4 }; /* on each node */

struct note {
  long sender, number;
};

static _Atomic long handled, sum, busy;

static void note_it(const void *data) {
  const struct note *note = data;
  atomic_fetch_add(&handled, 1);
  atomic_fetch_add(&sum, note->sender * 100003 + note->number);
}

/* This never runs twice at a time on a node. */
SKEIN_HANDLER(plain, message) {
  CHECK(atomic_fetch_add(&busy, 1) == 0);
  note_it(message->data);
  skein_reply(message, message->data, message->bytes); /* if a thread waits for it */
  atomic_fetch_sub(&busy, 1);
}

SKEIN_THREADED_HANDLER(threaded, message) {
  skein_yield();
  note_it(message->data);
  skein_reply(message, message->data, message->bytes);
}

static _Atomic long replied;
SKEIN_HANDLER(on_reply, message) {
  const struct note *note = message->data;
  CHECK(message->status == SKEIN_OK && note->number == (long)message->argument);
  atomic_fetch_add(&replied, 1);
}

SKEIN_HANDLER(count, message) {
  long counts[3] = {atomic_load(&handled), atomic_load(&sum), atomic_load(&replied)};
  skein_reply(message, counts, sizeof counts);
}

static void flood(long sender, int number_of_notes) {
  CHECK(skein_push_self((int)(sender % skein_nodes())) == SKEIN_OK);
  unsigned random = (unsigned)sender * 2654435761u;
  for (long i = 0; i < number_of_notes; i++) {
    random = random * 1664525 + 1013904223;
    struct note note = {sender, i}, back = {0, 0};
    int to = (int)(random >> 16) % skein_nodes();
    const struct skein_handler *handler = random >> 30 == 0 ? &threaded : &plain;
    switch (i % 4) {
    case 0:
    case 1:
      CHECK(skein_send(to, handler, &note, sizeof note) == SKEIN_OK);
      break;
    case 2:
      CHECK(skein_request(to, handler, &note, sizeof note, &on_reply, (uint64_t)i) == SKEIN_OK);
      break;
    default:
      CHECK(skein_call(to, handler, &note, sizeof note, &back, sizeof back, NULL) == SKEIN_OK);
      CHECK(back.sender == sender && back.number == i);
    }
    if (i % 64 == 63)
      CHECK(skein_push_self((skein_node() + 1) % skein_nodes()) == SKEIN_OK);
  }
}

int main(int argc, char **argv) {
  (void)argc;
  long each = atol(argv[1]), all = senders * skein_nodes(), wanted_sum = 0;
  skein_thread_t threads[64];
  for (long i = 0; i < all; i++) {
    CHECK((threads[i] = skein_spawn(flood, i, (int)each)));
    for (long number = 0; number < each; number++)
      wanted_sum += i * 100003 + number;
  }
  for (long i = 0; i < all; i++)
    CHECK(skein_join(threads[i]) == SKEIN_OK);
  CHECK(skein_quiesce() == SKEIN_OK);
  long totals[3] = {0};
  for (int node = 0; node < skein_nodes(); node++) {
    long counts[3];
    CHECK(skein_call(node, &count, NULL, 0, counts, sizeof counts, NULL) == SKEIN_OK);
    for (int i = 0; i < 3; i++)
      totals[i] += counts[i];
  }
  CHECK(totals[0] == all * each);
  CHECK(totals[1] == wanted_sum);
  CHECK(totals[2] == all * each / 4);
  printf("all %ld requests were handled once\n", totals[0]);
  return 0;
}

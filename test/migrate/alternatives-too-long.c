/* An alternative offers a message that is too long for the first receiver: it is told how long, and a receiver with
   more room gets the message, wherever the channel and the two threads are, and however the receiver waits. */
// RUN: %skeincc -O2 %s -o %t
// RUN: %t | FileCheck %s
// RUN: %run -n 3 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=net_delay_us=300 %run -n 2 %t | FileCheck %s
// CHECK: every message came, and every receiver with too little room was told
#include <skein/channel.h>
#include <skein/migration.h>
#include <skein/sync.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { length = 300, ms = 1000000 };

static void expect(int right, const char *what, int way) {
  if (right)
    return;
  printf("node %d, way %d: %s: %s\n", skein_node(), way, what, skein_error_text());
  exit(1);
}

static void sender(skein_channel_t long_ones, skein_channel_t other, int on) {
  skein_push_self(on);
  char message[length];
  memset(message, 'm', length);
  struct skein_alternative cases[] = {{SKEIN_ALT_RECEIVE, other, message, length, 0, 0, 0},
                                      {SKEIN_ALT_SEND, long_ones, message, length, 0, 0, 0}};
  const int happened = skein_alt(cases, 2);
  expect(happened == 1 && !cases[1].code, "the sender's case", happened);
}

/* Three ways to receive. */
static int receive(skein_channel_t from, skein_channel_t other, char *to, size_t room, size_t *got, int way) {
  if (way == 0)
    return skein_channel_receive(from, to, room, got);
  if (way == 1)
    return skein_channel_timedreceive_ns(from, to, room, got, UINT64_C(20000) * ms);
  struct skein_alternative cases[] = {{SKEIN_ALT_RECEIVE, other, to, room, 0, 0, 0},
                                      {SKEIN_ALT_RECEIVE, from, to, room, 0, 0, 0}};
  expect(skein_alt(cases, 2) == 1, "the receiver's case", way);
  *got = cases[1].got;
  return cases[1].code;
}

static void receiver(skein_channel_t from, skein_channel_t other, int on, int way, int waits) {
  skein_push_self(on);
  if (waits) /* until the sender stands there */
    skein_sleep_ns(2 * ms);
  char little[8] = "1234567", room[length] = "";
  size_t got = 0;
  const int code = receive(from, other, little, sizeof little, &got, way);
  expect(code == SKEIN_EMEMORY && got == length, "too little room", way);
  expect(!strcmp(little, "1234567"), "the room was written to", way);
  expect(!receive(from, other, room, sizeof room, &got, way) && got == length, "enough room", way);
  for (int i = 0; i < length; i++)
    expect(room[i] == 'm', "what came", way);
}

int main(void) {
  const int nodes = skein_nodes();
  const skein_channel_t other = skein_channel_create(0);
  for (int home = 0; home < nodes; home++)
    for (int from = 0; from < nodes; from++)
      for (int to = 0; to < nodes; to++)
        for (int way = 0; way < 6; way++) {
          const skein_channel_t channel = skein_channel_create_on(home, 0);
          const skein_thread_t gets = skein_spawn(receiver, channel, other, to, way / 2, way % 2);
          const skein_thread_t sends = skein_spawn(sender, channel, other, from);
          expect(!skein_join(sends) && !skein_join(gets), "join", way);
          expect(!skein_channel_free(channel), "free", way);
        }
  puts("every message came, and every receiver with too little room was told");
}

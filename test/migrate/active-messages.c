/* Requests and replies between nodes and within one: plain and threaded handlers, data of all sizes, a handler's thread
 * that moves on with its data and answers from there, handlers of replies, and what is refused. */

// RUN: %skeincc -O2 -Wno-skein-global -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off %run -n 3 --timeout 30 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,message_credits=1,stacks=relocate,image=any %run -n 3 --timeout 30 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off %run -n 3 --timeout 30 --transport tcp %t | FileCheck %s
// RUN: %t | FileCheck --check-prefix=ALONE %s
// RUN: %skeincc -O1 -Wno-skein-global -fskein-stress=calls -fskein-heap=private -fskein-stacks=growable \
// RUN:   -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off %run -n 2 --timeout 60 %t | FileCheck --check-prefix=ALL %s
// CHECK: too long: skein_call: the reply has 70000 bytes, and there is room for 69999
// CHECK: nobody: skein_send: there is no node 3, only 0 to 2
// CHECK: no handler: skein_call: that is no handler of this program
// CHECK: twice: skein_reply: the request has been answered
// CHECK: all right
// ALONE: all right
// ALL: all right

#include "check.h"
#include <skein/messages.h>
#include <stdatomic.h>
#include <time.h>

SKEIN_HANDLER(add, message) {
  const long *terms = message->data;
  long sum = terms[0] + terms[1] + 1000 * skein_node() + 1000000 * message->from;
  skein_reply(message, &sum, sizeof sum);
}

SKEIN_HANDLER(echo, message) { skein_reply(message, message->data, message->bytes); }

SKEIN_HANDLER(silent, message) { (void)message; }

static void visit(int *sum, int node) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  *sum += 1;
}

/* The thread goes once around, with its data and a pointer to its sum, and answers from the node before the one that
 * asked it. */
SKEIN_THREADED_HANDLER(travel, message) {
  const unsigned char *bytes = message->data;
  int sum = 0, start = skein_node();
  for (int i = 1; i < skein_nodes(); i++)
    visit(&sum, (start + i) % skein_nodes());
  for (size_t i = 0; i < message->bytes; i++)
    sum += bytes[i];
  CHECK(skein_reply(message, &sum, sizeof sum) == SKEIN_OK);
  CHECK(skein_reply(message, &sum, sizeof sum) == SKEIN_ETHREAD);
  if (message->bytes == 0 && message->from == 0)
    printf("twice: %s\n", skein_error_text());
}

SKEIN_THREADED_HANDLER(yields, message) {
  skein_yield();
  CHECK(message->bytes == 3);
}

/* Each node has its own. */
static _Atomic long replies, sum_of_replies;
static char big[70000], room[69999];

SKEIN_HANDLER(collect, message) {
  CHECK(message->status == SKEIN_OK && message->bytes == sizeof(long));
  atomic_fetch_add(&sum_of_replies, *(const long *)message->data * (long)message->argument);
  atomic_fetch_add(&replies, 1);
}

static void fill(unsigned char *bytes, size_t count, unsigned seed) {
  for (size_t i = 0; i < count; i++)
    bytes[i] = (unsigned char)(i * 31 + i / 251 + seed);
}

static void ask_all(void) {
  int self = skein_node();
  for (int node = 0; node < skein_nodes(); node++) {
    long terms[2] = {40, 2}, sum = 0;
    size_t got = 77;
    CHECK(skein_call(node, &add, terms, sizeof terms, &sum, sizeof sum, &got) == SKEIN_OK);
    CHECK(sum == 42 + 1000 * node + 1000000 * self && got == sizeof sum);
    CHECK(skein_call(node, &silent, NULL, 0, NULL, 0, &got) == SKEIN_OK && got == 0);
    CHECK(skein_call(node, &yields, "abc", 3, &sum, sizeof sum, &got) == SKEIN_OK && got == 0);
    static const size_t sizes[] = {1, 8, 100, 300, 8000, 9000, 65536, 70000, 1 << 20};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      unsigned char *sent = malloc(sizes[i]), *back = malloc(sizes[i]);
      fill(sent, sizes[i], i);
      CHECK(skein_call(node, &echo, sent, sizes[i], back, sizes[i], &got) == SKEIN_OK && got == sizes[i]);
      CHECK(memcmp(sent, back, sizes[i]) == 0);
      free(sent);
      free(back);
    }
  }
}

static void ask_travellers(void) {
  static const size_t sizes[] = {0, 5, 200, 5000, 100000};
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    unsigned char *bytes = calloc(1, sizes[i] + 1);
    memset(bytes, 3, sizes[i]);
    int sum = -1;
    CHECK(skein_call((skein_node() + 1) % skein_nodes(), &travel, bytes, sizes[i], &sum, sizeof sum, NULL) == SKEIN_OK);
    CHECK(sum == 3 * (int)sizes[i] + skein_nodes() - 1);
    free(bytes);
  }
}

static void wait_for_replies(long wanted) {
  for (const time_t until = time(NULL) + 20; atomic_load(&replies) < wanted; skein_yield())
    CHECK(time(NULL) < until);
}

/* Replies come to this node even if the thread has moved on. */
static void ask_and_leave(void) {
  for (long i = 1; i <= 100; i++) {
    long terms[2] = {i, -1};
    CHECK(skein_request(skein_nodes() - 1, &add, terms, sizeof terms, &collect, 1) == SKEIN_OK);
  }
  CHECK(skein_push_self(skein_nodes() - 1) == SKEIN_OK);
  for (long i = 1; i <= 10; i++) {
    long terms[2] = {1, 1};
    CHECK(skein_request(0, &add, terms, sizeof terms, &collect, 7) == SKEIN_OK);
  }
  wait_for_replies(skein_nodes() == 1 ? 110 : 10);
  CHECK(skein_push_self(0) == SKEIN_OK);
  long other = (skein_nodes() - 1) * 1000;
  wait_for_replies(skein_nodes() == 1 ? 110 : 100);
  CHECK(skein_nodes() == 1 || atomic_load(&sum_of_replies) == 5050 - 100 + 100 * other);
}

static void errors(void) {
  size_t got = 0;
  if (skein_nodes() == 3) {
    CHECK(skein_call(1, &echo, big, sizeof big, room, sizeof room, &got) == SKEIN_EMEMORY && got == sizeof big);
    printf("too long: %s\n", skein_error_text());
    CHECK(skein_send(3, &echo, NULL, 0) == SKEIN_ENODE);
    printf("nobody: %s\n", skein_error_text());
    static const struct skein_handler forged = {0};
    CHECK(skein_call(1, &forged, NULL, 0, NULL, 0, NULL) == SKEIN_EREFUSED);
    printf("no handler: %s\n", skein_error_text());
    CHECK(skein_request(1, &echo, NULL, 0, &travel, 0) == SKEIN_EREFUSED);
    CHECK(skein_send(1, &echo, big, SKEIN_MESSAGE_MOST + 1) == SKEIN_EMEMORY);
  }
}

int main(void) {
  errors();
  ask_all();
  ask_travellers();
  skein_thread_t asker = skein_spawn(ask_and_leave);
  CHECK(skein_join(asker) == SKEIN_OK);
  for (int node = 1; node < skein_nodes(); node++) {
    CHECK(skein_push_self(node) == SKEIN_OK);
    ask_all();
    ask_travellers();
  }
  printf("all right\n");
  return 0;
}

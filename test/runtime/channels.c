/* Channels on one node: meetings, room, deadlines, ends, messages that are too long, and what is reported. */
// RUN: %skeincc -O2 %s -o %t
// RUN: %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=1 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=check=stress %t | FileCheck %s
// RUN: not %t stuck 2>&1 | FileCheck %s --check-prefix=STUCK
#include <assert.h>
#include <skein/channel.h>
#include <skein/sync.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MANY = 20000,
       MS = 1000000 };

static void count_up(skein_channel_t to, int n) {
  for (int i = 0; i < n; i++)
    assert(skein_channel_send(to, &i, sizeof i) == SKEIN_OK);
  skein_channel_close(to);
}

static void all_in_order(size_t capacity) {
  skein_channel_t channel = skein_channel_create(capacity);
  skein_thread_t other = skein_spawn(count_up, channel, MANY);
  int n = -1, expected = 0, code;
  size_t got;
  while (!(code = skein_channel_receive(channel, &n, sizeof n, &got)))
    assert(n == expected++ && got == sizeof n);
  printf("capacity %zu: %d messages, then %s: %s\n", capacity, expected, skein_error_name(code), skein_error_text());
  skein_join(other);
  assert(skein_channel_free(channel) == SKEIN_OK);
  assert(skein_channel_receive(channel, &n, sizeof n, &got) == SKEIN_ETHREAD);
}
// CHECK: capacity 0: 20000 messages, then SKEIN_ECLOSED: skein_channel_receive: the channel is closed
// CHECK: capacity 1: 20000 messages, then SKEIN_ECLOSED
// CHECK: capacity 100: 20000 messages, then SKEIN_ECLOSED

static int sent_at; /* which of the two comes first */
SKEIN_UNTRACKED static void send_and_note(skein_channel_t to) {
  assert(skein_channel_send(to, "a", 1) == SKEIN_OK);
  sent_at = 1;
}

SKEIN_UNTRACKED static void meets(void) {
  skein_channel_t channel = skein_channel_create(0);
  skein_thread_t other = skein_spawn(send_and_note, channel);
  skein_sleep_ns(5 * MS);
  printf("sent before it is received: %d\n", sent_at);
  char to[8] = "........";
  size_t got;
  assert(skein_channel_receive(channel, to, sizeof to, &got) == SKEIN_OK && got == 1 && !memcmp(to, "a.......", 8));
  skein_join(other);
  printf("and after it: %d\n", sent_at);
  skein_channel_free(channel);
}
// CHECK: sent before it is received: 0
// CHECK: and after it: 1

static void too_long(void) {
  skein_channel_t channel = skein_channel_create(1);
  char small[3], large[8];
  size_t got = 99;
  assert(skein_channel_send(channel, "hello", 5) == SKEIN_OK);
  int code = skein_channel_receive(channel, small, sizeof small, &got);
  printf("%s, %zu bytes: %s\n", skein_error_name(code), got, skein_error_text());
  assert(skein_channel_receive(channel, large, sizeof large, &got) == SKEIN_OK);
  printf("%zu bytes: %.*s\n", got, (int)got, large);
  assert(skein_channel_send(channel, 0, 0) == SKEIN_OK && skein_channel_receive(channel, 0, 0, &got) == SKEIN_OK);
  printf("%zu bytes\n", got);
  skein_channel_free(channel);
}
// CHECK: SKEIN_EMEMORY, 5 bytes: skein_channel_receive: the message has 5 bytes
// CHECK: 5 bytes: hello
// CHECK: 0 bytes

static void deadlines(void) {
  skein_channel_t channel = skein_channel_create(0);
  char to;
  int code = skein_channel_timedreceive_ns(channel, &to, 1, 0, 3 * MS);
  printf("receive: %s: %s\n", skein_error_name(code), skein_error_text());
  code = skein_channel_timedsend_ns(channel, "x", 1, 0);
  printf("send: %s: %s\n", skein_error_name(code), skein_error_text());
  skein_channel_free(channel);
}
// CHECK: receive: SKEIN_ETIME: skein_channel_receive: the time is over
// CHECK: send: SKEIN_ETIME: skein_channel_send: the time is over

static int send_code(skein_channel_t to) { return skein_channel_send(to, "x", 1); }
static int receive_code(skein_channel_t from) {
  char to;
  return skein_channel_receive(from, &to, 1, 0);
}

static void ends(void) {
  skein_channel_t closed = skein_channel_create(0), freed = skein_channel_create(0);
  skein_thread_t waits[] = {skein_spawn(send_code, closed), skein_spawn(receive_code, freed),
                            skein_spawn(receive_code, freed)};
  skein_sleep_ns(3 * MS);
  assert(skein_channel_close(closed) == SKEIN_OK && skein_channel_free(freed) == SKEIN_OK);
  for (int i = 0; i < 3; i++) {
    int code;
    assert(skein_join_result(waits[i], &code) == SKEIN_OK);
    printf("waiter %d: %s\n", i, skein_error_name(code));
  }
  skein_thread_t cancelled = skein_spawn(receive_code, closed = skein_channel_create(0));
  skein_sleep_ns(3 * MS);
  skein_cancel(cancelled);
  skein_join(cancelled);
  printf("cancelled; sent to it: %s\n", skein_error_name(skein_channel_timedsend_ns(closed, "x", 1, 0)));
  skein_channel_free(closed);
}
// CHECK: waiter 0: SKEIN_ECLOSED
// CHECK: waiter 1: SKEIN_ETHREAD
// CHECK: waiter 2: SKEIN_ETHREAD
// CHECK: cancelled; sent to it: SKEIN_ETIME

struct point {
  int x, y;
};
typedef SKEIN_CHANNEL(struct point) point_channel;
static void typed(void) {
  point_channel points = {skein_channel_create(2)};
  struct point point = {3, 4}, got = {0, 0};
  assert(skein_channel_put(points, point) == SKEIN_OK && skein_channel_get(points, &got) == SKEIN_OK);
  skein_channel_send(points.channel, "short", 5);
  printf("point %d %d, then %s\n", got.x, got.y, skein_error_name(skein_channel_get(points, &got)));
  skein_channel_free(points.channel);
}
// CHECK: point 3 4, then SKEIN_EMEMORY

/* In the child of a fork there are no other threads, but what the channel holds. */
static void forks(void) {
  skein_channel_t empty = skein_channel_create(0), held = skein_channel_create(2);
  skein_thread_t waits = skein_spawn(receive_code, empty);
  assert(skein_channel_send(held, "h", 1) == SKEIN_OK);
  skein_sleep_ns(3 * MS);
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    char to = 0;
    const int code = skein_channel_timedsend_ns(empty, "x", 1, MS);
    assert(skein_channel_receive(held, &to, 1, 0) == SKEIN_OK);
    printf("child: %s, held '%c'\n", skein_error_name(code), to);
    fflush(stdout);
    _exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  assert(status == 0 && skein_channel_send(empty, "x", 1) == SKEIN_OK && skein_join(waits) == SKEIN_OK);
  skein_channel_free(empty);
  skein_channel_free(held);
}
// CHECK: child: SKEIN_ETIME, held 'h'

int main(int argc, char **argv) {
  if (argc > 1) /* no other thread could ever send */
    return receive_code(skein_channel_create(0));
  all_in_order(0);
  all_in_order(1);
  all_in_order(100);
  meets();
  too_long();
  deadlines();
  ends();
  typed();
  forks();
}
// STUCK: skein_channel_receive
// STUCK-SAME: channel 1 of this node

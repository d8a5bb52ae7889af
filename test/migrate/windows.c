/* Copies between the memory of nodes: all sizes, started and waited for elsewhere, and what a window refuses. */

// RUN: %skeincc -O2 -Wno-skein-global -I%S/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off %run -n 3 --timeout 30 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,message_credits=1,net_delay_us=200 %run -n 2 --timeout 60 %t | FileCheck %s
// RUN: %t | FileCheck %s
// CHECK: past its end: the window does not hold all these bytes
// CHECK: far past it: the window does not hold all these bytes
// CHECK: closed: there is no such window
// CHECK: one's own: skein_window_open: that memory belongs to the thread
// CHECK: to one's own: skein_get_start: the bytes would go to memory that belongs to the thread
// CHECK: twice: skein_pending_wait: there is no such operation
// CHECK: all right

#include "check.h"
#include <skein/messages.h>

enum { window_bytes = 300000, pieces = 64 };

/* Each node has its own. */
static unsigned char memory[window_bytes], elsewhere[window_bytes];

static skein_window_t open_on(int node) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  for (int i = 0; i < window_bytes; i++)
    memory[i] = (unsigned char)(i * 7 + node);
  skein_window_t window = skein_window_open(memory, sizeof memory);
  CHECK(window);
  CHECK(skein_push_self(0) == SKEIN_OK);
  return window;
}

static void check_byte(int node, int at, int wanted) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  CHECK(memory[at] == (unsigned char)wanted);
  CHECK(skein_push_self(0) == SKEIN_OK);
}

static void copies(skein_window_t window, int node) {
  static const size_t sizes[] = {0, 1, 15, 4096, 100000, 299990};
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    CHECK(skein_get(elsewhere, window, 10, sizes[i]) == SKEIN_OK);
    for (size_t at = 0; at < sizes[i]; at++)
      CHECK(elsewhere[at] == (unsigned char)((at + 10) * 7 + (size_t)node));
  }
  unsigned char mine[3] = {1, 2, 3}, back[3] = {0}; /* on the stack */
  CHECK(skein_put(window, window_bytes - 3, mine, 3) == SKEIN_OK);
  CHECK(skein_get(back, window, window_bytes - 3, 3) == SKEIN_OK && memcmp(mine, back, 3) == 0);
  check_byte(node, window_bytes - 1, 3);
}

static void started(skein_window_t window, int node) {
  skein_pending_t pending[pieces];
  for (int i = 0; i < pieces; i++) {
    unsigned char piece[1000];
    memset(piece, i, sizeof piece);
    CHECK((pending[i] = skein_put_start(window, (size_t)i * sizeof piece, piece, sizeof piece)));
  }
  CHECK(skein_push_self(skein_nodes() - 1) == SKEIN_OK); /* another node waits for them */
  for (int i = pieces - 1; i >= 0; i--) {
    while (i % 2 && !skein_pending_test(pending[i]))
      ;
    CHECK(skein_pending_wait(pending[i]) == SKEIN_OK);
  }
  CHECK(skein_push_self(0) == SKEIN_OK);
  CHECK(!skein_pending_test(pending[0]));
  skein_pending_t got = skein_get_start(elsewhere, window, 0, pieces * 1000);
  CHECK(got && skein_pending_wait(got) == SKEIN_OK);
  for (int i = 0; i < pieces * 1000; i++)
    CHECK(elsewhere[i] == i / 1000);
  skein_pending_forget(skein_put_start(window, 0, "x", 1));
  CHECK(skein_quiesce() == SKEIN_OK);
  check_byte(node, 0, 'x');
}

static void refused(skein_window_t window, int node) {
  CHECK(skein_put(window, window_bytes - 2, "abc", 3) == SKEIN_EPOINTER);
  printf("past its end: %s\n", skein_error_text());
  check_byte(node, window_bytes - 1, 3);
  CHECK(skein_get(elsewhere, window, SIZE_MAX - 1, 3) == SKEIN_EPOINTER);
  printf("far past it: %s\n", skein_error_text());
  skein_pending_t pending = skein_get_start(elsewhere, window, window_bytes, 1);
  CHECK(pending && skein_pending_wait(pending) == SKEIN_EPOINTER);
  CHECK(node == 0 || skein_window_close(window) == SKEIN_ENODE);
  CHECK(skein_push_self(node) == SKEIN_OK);
  CHECK(skein_window_close(window) == SKEIN_OK && skein_window_close(window) == SKEIN_EPOINTER);
  CHECK(skein_push_self(0) == SKEIN_OK);
  CHECK(skein_get(elsewhere, window, 0, 1) == SKEIN_EPOINTER);
  printf("closed: %s\n", skein_error_text());
  unsigned char own[10];
  CHECK(!skein_window_open(own, sizeof own));
  printf("one's own: %s\n", skein_error_text());
  CHECK(!skein_get_start(own, window, 0, 1));
  printf("to one's own: %s\n", skein_error_text());
  CHECK(skein_pending_wait(pending) == SKEIN_ETHREAD);
  printf("twice: %s\n", skein_error_text());
}

int main(void) {
  int node = skein_nodes() > 1;
  skein_window_t window = open_on(node);
  copies(window, node);
  started(window, node);
  refused(window, node);
  printf("all right\n");
  return 0;
}

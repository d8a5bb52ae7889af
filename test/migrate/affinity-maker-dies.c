/* The decision maker of the policy affinity dies before it has decided anything. Another node takes over, and brings
 * the pairs of threads together that are dealt out over two of the nodes that live. */

// REQUIRES: metis
// UNSUPPORTED: sanitized
// RUN: %skeincc -O2 -I%S/Inputs %s -o %t
// RUN: rm -f %t.log
// RUN: env SKEIN_OPTIONS=policy=affinity,workers=1,deaths=survive,policy_report=on,report=%t.log \
// RUN:   %run -n 4 --timeout 60 %t 2>/dev/null | FileCheck %s
// CHECK: 1 node has died
// CHECK: few messages go between nodes
// RUN: FileCheck --check-prefix=LOG %s < %t.log
// LOG-NOT: skein[3]: affinity:
// LOG: skein[2]: affinity: {{[0-9]+}} threads talk; {{.*}} [[MOVES:[1-9][0-9]*]] moves

#include "check.h"
#include <signal.h>
#include <skein/channel.h>
#include <skein/deaths.h>
#include <skein/sync.h>

enum { pairs = 12, messages = 150000 };

static void dies(void) {
  CHECK(skein_push_self(3) == SKEIN_OK);
  raise(SIGKILL);
}

static void talks(int node, skein_channel_t to, skein_channel_t from, long first, skein_channel_t arrived) {
  CHECK(skein_push_self(node) == SKEIN_OK);
  long number = first;
  for (int i = 0; i < messages; i++) {
    const long mine = number;
    CHECK(skein_channel_send(to, &mine, sizeof mine) == SKEIN_OK);
    CHECK(skein_channel_receive(from, &number, sizeof number, NULL) == SKEIN_OK);
    CHECK(number == (i % 2 ? first : 1 - first)); /* the two numbers change sides each time */
    if (i == messages - messages / 4)
      CHECK(skein_channel_send(arrived, &mine, sizeof mine) == SKEIN_OK);
  }
}

static unsigned long long between_nodes(void) {
  unsigned long long sum = 0;
  for (int node = 0; node < 3; node++) {
    struct skein_statistics of;
    CHECK(skein_statistics_get(node, &of) == SKEIN_OK);
    sum += of.channels_sent;
  }
  return sum;
}

int main(void) {
  skein_main_stays(1);
  skein_spawn(dies);
  while (skein_deaths() == 0)
    skein_sleep_ns(1000000);
  printf("%d node has died\n", (int)skein_deaths());
  const skein_channel_t arrived = skein_channel_create(2 * pairs);
  skein_thread_t threads[2 * pairs];
  for (int i = 0; i < pairs; i++) {
    const skein_channel_t there = skein_channel_create(1), back = skein_channel_create(1);
    threads[2 * i] = skein_spawn(talks, 0, there, back, 0L, arrived);
    threads[2 * i + 1] = skein_spawn(talks, 1, back, there, 1L, arrived);
  }
  long word;
  for (int i = 0; i < 2 * pairs; i++)
    CHECK(skein_channel_receive(arrived, &word, sizeof word, NULL) == SKEIN_OK);
  const unsigned long long before = between_nodes();
  for (int i = 0; i < 2 * pairs; i++)
    CHECK(skein_join(threads[i]) == SKEIN_OK);
  const unsigned long long between = between_nodes() - before;
  if (between < 2 * pairs * (messages / 4) / 10)
    printf("few messages go between nodes\n");
  else
    printf("%llu messages went between nodes\n", between);
  return 0;
}

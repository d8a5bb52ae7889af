/* Nodes leave a run, one of them while threads elsewhere use its shared memory: blocks, parts of arrays, pages with
 * protections, and what is cached on other nodes. All of it is there afterwards with what was written last, node 0 keeps
 * it, and blocks are freed, pages changed and wrong frees told as before. */

// RUN: %skeincc -O2 -I%S/../migrate/Inputs %s -o %t
// RUN: %run -n 3 --max-nodes 4 --timeout 100 %t %skein | FileCheck %s
// RUN: env SKEIN_OPTIONS=shared=remote,net_delay_us=300 %run -n 3 --max-nodes 4 --timeout 100 --transport tcp \
// RUN:   %t %skein | FileCheck %s
// RUN: env SKEIN_OPTIONS=shared=remote,workers=1,shared_cache=8192 %run -n 3 --max-nodes 4 --timeout 100 %t %skein \
// RUN:   | FileCheck %s
// RUN: %run --hosts localhost:1,other:2 --ssh %S/Inputs/ssh_here.sh --network 127.0.0.1/8 --max-nodes 4 --timeout 100 \
// RUN:   --transport tcp %t %skein | FileCheck %s
// CHECK: nodes 0 and 1: all is there
// CHECK-NEXT: node 3: all is there
// CHECK-NEXT: nodes 0 and 3: all is there
// CHECK-NEXT: 0 blocks are left
#include "check.h"
#include <skein/deaths.h>
#include <skein/halfproc.h>
#include <skein/nodes.h>
#include <skein/shared_array.h>
#include <skein/shared_cache.h>
#include <sys/mman.h>

enum { leaver = 2,
       elements = 2400,
       small_blocks = 1000,
       large = 3 << 20,
       page_ints = 1024,
       lines = 64, // of the cached block; each has bytes of all writers
       line_ints = 128,
       users = 4 };

struct world {
  skein_array_t array;
  skein_shared int *small[small_blocks];
  skein_shared char *large, *freed;
  skein_shared int *pages;    // four pages: read and write, read only, nothing, unmapped
  skein_shared int *back;     // cached
  skein_shared int *constant; // cached
  skein_shared int *away;     // cached, on node 1
  skein_shared long *counter; // on the leaver
  long stop, left;            // the world itself is on node 0
  long added[users];
};

static int small_value(int i) { return 3 * i + 1; }

/* On the node that will leave. */
static void furnish(skein_shared struct world *world) {
  CHECK(skein_node() == leaver);
  for (int i = 0; i < small_blocks; i++) {
    skein_shared int *block = skein_shared_alloc(leaver, sizeof(int) * (size_t)(1 + i % 100));
    CHECK(block);
    block[i % 100] = small_value(i);
    world->small[i] = block;
  }
  world->large = skein_shared_alloc(leaver, large);
  world->freed = skein_shared_alloc(leaver, 2 * large);
  CHECK(world->large && world->freed);
  for (int i = 0; i < large; i += 4097)
    world->large[i] = (char)i;
  world->freed[large] = 1;
  CHECK(skein_shared_free(world->freed) == SKEIN_OK);
  skein_shared int *pages = world->pages = skein_shared_map((size_t)4 * 4096);
  for (int i = 0; i < 4; i++)
    pages[i * page_ints + 5] = 100 + i;
  CHECK(skein_shared_protect(pages + page_ints, 4096, PROT_READ) == SKEIN_OK);
  CHECK(skein_shared_protect(pages + 2 * page_ints, 4096, PROT_NONE) == SKEIN_OK);
  CHECK(skein_shared_unmap(pages + 3 * page_ints, 4096) == SKEIN_OK);
  world->back = skein_shared_alloc(leaver, sizeof(int) * lines * line_ints);
  world->constant = skein_shared_alloc(leaver, 4096);
  world->counter = skein_shared_alloc(leaver, sizeof(long));
  world->constant[9] = 99;
  CHECK(skein_shared_cache(world->back, sizeof(int) * lines * line_ints, SKEIN_CACHE_BACK) == SKEIN_OK);
  CHECK(skein_shared_cache(world->constant, 4096, SKEIN_CACHE_CONSTANT) == SKEIN_OK);
  world->away = skein_shared_alloc(1, 4096);
  CHECK(world->away && skein_shared_cache(world->away, 4096, SKEIN_CACHE_BACK) == SKEIN_OK);
  skein_shared int *away = world->away;
  for (int i = 0; i < 1024; i++)
    away[i] = 7 * i;
}

/* Uses the leaver's memory, before, while and after it leaves: a thread always reads what it wrote last. */
static void user(skein_shared struct world *world, int number) {
  skein_shared int *back = world->back;
  skein_array_t array = world->array;
  int round = 0;
  long added = 0;
  while (!__atomic_load_n(&world->stop, __ATOMIC_RELAXED) || round < 50) {
    round++;
    for (int line = 0; line < lines; line++)
      back[line * line_ints + number] = round + line;
    __atomic_fetch_add(world->counter, 1, round % 2 ? __ATOMIC_RELAXED : __ATOMIC_SEQ_CST);
    added++;
    for (int line = 0; line < lines; line++)
      CHECK(back[line * line_ints + number] == round + line);
    const size_t at = (size_t)((round * users + number) % elements);
    skein_shared long *element = skein_array_at(&array, at);
    const long was = *element;
    *element = was + 1;
    CHECK(*element == was + 1);
    CHECK(world->constant[9] == 99 && world->small[round % small_blocks][round % small_blocks % 100] ==
                                          small_value(round % small_blocks));
    if (round % 8 == 0)
      skein_yield();
    if (__atomic_load_n(&world->left, __ATOMIC_ACQUIRE) && round > 50)
      usleep(100);
  }
  for (int line = 0; line < lines; line++)
    CHECK(back[line * line_ints + number] == round + line);
  world->added[number] = added;
}

static void look(skein_shared struct world *world, int on) {
  CHECK(skein_node() == on && !skein_node_is_there(leaver));
  for (int i = 0; i < small_blocks; i++)
    CHECK(world->small[i][i % 100] == small_value(i) && skein_shared_node(world->small[i]) == 0);
  for (int i = 0; i + 1 < large; i += 4097)
    CHECK(world->large[i] == (char)i && world->large[i + 1] == 0);
  CHECK(world->pages[5] == 100 && world->pages[page_ints + 5] == 101 && world->pages[6] == 0);
  long sum = 0;
  for (int i = 0; i < users; i++)
    sum += world->added[i];
  CHECK(*world->counter == sum);
  for (int line = 0; line < lines; line++)
    for (int i = 0; i < users; i++)
      CHECK(world->back[line * line_ints + i] - world->back[i] == line);
  CHECK(world->constant[9] == 99 && world->constant[10] == 0);
  for (int i = 0; i < 1024; i++)
    CHECK(world->away[i] == 7 * i);
  const skein_array_t array = world->array;
  long all = 0;
  for (size_t i = 0; i < elements; i++)
    all += *(skein_shared long *)skein_array_at(&array, i);
  CHECK(all == sum);
}

static void look_on(skein_shared struct world *world, int on) {
  const struct skein_attributes there = {.node = SKEIN_ON(on), .worker = SKEIN_ON(0)};
  const skein_thread_t thread = skein_spawn_with(&there, look, world, on);
  CHECK(thread && skein_join(thread) == SKEIN_OK);
}

static void command(const char *skein, const char *words) {
  char line[300];
  snprintf(line, sizeof line, "%s node %s --run %d > /dev/null", skein, words, (int)getppid());
  CHECK(system(line) == 0);
}

int main(int count, char **arguments) {
  CHECK(count == 2);
  skein_main_stays(1);
  skein_stealing_set(0);
  skein_shared struct world *world = skein_shared_alloc(0, sizeof *world);
  skein_array_t array;
  CHECK(skein_array_create(&array, elements, sizeof(long), SKEIN_CYCLIC) == SKEIN_OK && array.nodes == 3);
  world->array = array;
  const struct skein_attributes there = {.node = SKEIN_ON(leaver), .worker = SKEIN_ON(0)};
  skein_thread_t thread = skein_spawn_with(&there, furnish, world);
  CHECK(thread && skein_join(thread) == SKEIN_OK);
  skein_thread_t using[users];
  for (int i = 0; i < users; i++) {
    const struct skein_attributes place = {.node = SKEIN_ON(i % 2), .worker = SKEIN_ON(0)};
    CHECK(using[i] = skein_spawn_with(&place, user, world, i));
  }
  usleep(50000);
  command(arguments[1], "drain 2");
  CHECK(!skein_node_is_there(leaver));
  __atomic_store_n(&world->left, 1, __ATOMIC_RELEASE);
  const double end = seconds() + 0.1;
  while (seconds() < end)
    skein_yield();
  __atomic_store_n(&world->stop, 1, __ATOMIC_RELEASE);
  for (int i = 0; i < users; i++)
    CHECK(skein_join(using[i]) == SKEIN_OK);
  for (int on = 0; on < 2; on++)
    look_on(world, on);
  printf("nodes 0 and 1: all is there\n");
  fflush(stdout);

  // A node that comes afterwards is told of pages and of what is cached by node 0.
  command(arguments[1], "add 1");
  CHECK(skein_node_is_there(3));
  look_on(world, 3);
  printf("node 3: all is there\n");
  command(arguments[1], "drain 1");
  look_on(world, 3);
  look_on(world, 0);
  CHECK(skein_shared_node(world->away) == 0 && skein_shared_free(world->away) == SKEIN_EPOINTER);
  CHECK(skein_shared_cache(world->away, 4096, SKEIN_CACHE_NONE) == SKEIN_OK);
  CHECK(skein_shared_free(world->away) == SKEIN_OK);
  printf("nodes 0 and 3: all is there\n");
  skein_shared int *pages = world->pages;
  CHECK(skein_shared_protect(pages + 2 * page_ints, 4096, PROT_READ | PROT_WRITE) == SKEIN_OK);
  CHECK(pages[2 * page_ints + 5] == 102);
  CHECK(skein_shared_protect(pages + 3 * page_ints, 4096, PROT_READ) == SKEIN_EPOINTER);
  CHECK(skein_shared_unmap(pages, (size_t)3 * 4096) == SKEIN_OK);
  CHECK(skein_array_free(&array) == SKEIN_OK);
  CHECK(skein_array_create(&array, elements, sizeof(long), SKEIN_CYCLIC) == SKEIN_OK && array.nodes == 4);
  for (size_t i = 0; i < elements; i++)
    CHECK(*(skein_shared long *)skein_array_at(&array, i) == 0);
  CHECK(skein_array_free(&array) == SKEIN_OK);

  // New blocks "on the node" are its heir's own.
  skein_shared long *fresh = skein_shared_alloc(leaver, 1000);
  CHECK(fresh && skein_shared_node(fresh) == 0 && fresh[3] == 0 && skein_shared_free(fresh) == SKEIN_OK);
  CHECK(skein_shared_free(world->back) == SKEIN_EPOINTER && strstr(skein_error_text(), "is cached"));
  CHECK(skein_shared_cache(world->back, sizeof(int) * lines * line_ints, SKEIN_CACHE_NONE) == SKEIN_OK);
  CHECK(skein_shared_cache(world->constant, 4096, SKEIN_CACHE_NONE) == SKEIN_OK);
  CHECK(skein_shared_free(world->freed) == SKEIN_EPOINTER && strstr(skein_error_text(), "has been freed before"));
  CHECK(skein_shared_free(world->large + 64) == SKEIN_EPOINTER && strstr(skein_error_text(), "64 bytes inside"));
  for (int i = 0; i < small_blocks; i++) {
    CHECK(skein_shared_free(world->small[i]) == SKEIN_OK);
    CHECK(i % 100 || (skein_shared_free(world->small[i]) == SKEIN_EPOINTER && strstr(skein_error_text(), "before")));
  }
  CHECK(skein_shared_free(world->large) == SKEIN_OK && skein_shared_free(world->back) == SKEIN_OK);
  CHECK(skein_shared_free((skein_shared void *)world->counter) == SKEIN_OK);
  CHECK(skein_shared_free(world->constant) == SKEIN_OK);
  printf("0 blocks are left\n");
  return 0;
}

/* A node leaves a run on which objects and channels live that threads of the other nodes use: they wait there for each
 * other, hold mutexes, have messages in buffers, wait for a time. Threads of that node wait for channels elsewhere.
 * Nothing is lost, comes twice or in another order, nobody's time begins anew, and all of it goes on under the names
 * that everybody knows. */

// RUN: %skeincc -O2 -I%S/../migrate/Inputs %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off %run -n 3 --timeout 100 %t %skein | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,channel_patience=0 %run -n 3 --timeout 100 --transport tcp %t %skein | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,channel_patience=2,net_delay_us=300 %run -n 3 --timeout 100 %t %skein | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,shared=remote,deaths=survive %run -n 4 --timeout 100 --transport tcp %t %skein \
// RUN:   | FileCheck %s
// CHECK: what waited went on
// CHECK-NEXT: what was in use was in order
// CHECK-NEXT: what was held was there
// CHECK-NEXT: what is freed is gone
#include "check.h"
#include <skein/channel.h>
#include <skein/deaths.h>
#include <skein/global.h>
#include <skein/nodes.h>
#include <skein/sync.h>

enum { leaver = 2,
       messages = 5,
       large = 300000,
       waits_ms = 4000 };

struct world {
  int ready, stop, rounds;
  skein_global_mutex_t mutex, other_mutex;
  skein_global_condition_t condition, other_condition;
  skein_global_barrier_t barrier, busy_barrier;
  skein_global_latch_t latch;
  skein_global_future_t future, set_future;
  skein_reduction_t sum, news;
  skein_semaphore_t semaphore, other_semaphore;
  skein_channel_t unbuffered, full, holds, closed, large, late, never, first, second, busy, told, other, work, silent;
  skein_thread_t moving[2];
  int guarded, in_turn[2];
};
typedef skein_shared struct world *world_t;

/* The thread is about to wait. */
static void waits(world_t world) { __atomic_fetch_add(&world->ready, 1, __ATOMIC_RELAXED); }

static skein_thread_t on(int node, void (*function)(world_t, int), world_t world, int argument) {
  const struct skein_attributes there = {.node = SKEIN_ON(node), .worker = SKEIN_ON(0)};
  const skein_thread_t thread = skein_spawn_with(&there, function, world, argument);
  CHECK(thread);
  return thread;
}

/* --- threads that wait while the node leaves ---------------------------------------------------------------------- */

static void waits_for_semaphore(world_t world, int number) {
  waits(world);
  CHECK(skein_semaphore_wait(world->semaphore) == SKEIN_OK);
}

/* Holds the mutex until the latch is down; or wants it. */
static void holds_mutex(world_t world, int number) {
  CHECK(skein_global_mutex_lock(world->mutex) == SKEIN_OK);
  CHECK(skein_global_mutex_lock(world->mutex) == SKEIN_ELOCK);
  waits(world);
  CHECK(skein_global_latch_wait(world->latch) == SKEIN_OK);
  world->guarded = 7;
  CHECK(skein_global_mutex_unlock(world->mutex) == SKEIN_OK);
}
static void wants_mutex(world_t world, int number) {
  waits(world);
  CHECK(skein_global_mutex_lock(world->mutex) == SKEIN_OK);
  CHECK(world->guarded == 7);
  CHECK(skein_global_mutex_unlock(world->mutex) == SKEIN_OK);
}

static void waits_for_condition(world_t world, int number) {
  CHECK(skein_global_mutex_lock(world->other_mutex) == SKEIN_OK);
  waits(world);
  CHECK(skein_global_condition_wait(world->condition) == SKEIN_OK);
  CHECK(skein_global_mutex_unlock(world->other_mutex) == SKEIN_OK);
}

static void comes_to_barrier(world_t world, int number) {
  waits(world);
  CHECK(skein_global_barrier_wait(world->barrier) == SKEIN_OK);
}

static void waits_for_future(world_t world, int number) {
  int64_t value = 0;
  waits(world);
  CHECK(skein_global_future_get(world->future, &value, sizeof value) == SKEIN_OK && value == 987654321);
}

static void adds(world_t world, int number) {
  int64_t values[2] = {number, 10 * number};
  waits(world);
  CHECK(skein_reduce_int64(world->sum, SKEIN_REDUCE_ADD, values, 2) == SKEIN_OK);
  CHECK(values[0] == 6 && values[1] == 60);
}

static void hears(world_t world, int number) {
  char news[16] = "";
  waits(world);
  CHECK(skein_broadcast_receive(world->news, news, sizeof news) == SKEIN_OK && !strcmp(news, "the news"));
}

static void receives(world_t world, int number) {
  int got = 0;
  waits(world);
  CHECK(skein_channel_receive(world->unbuffered, &got, sizeof got, NULL) == SKEIN_OK && got == 55);
}

/* The buffer is full. */
static void sends(world_t world, int number) {
  const int last = messages;
  waits(world);
  CHECK(skein_channel_send(world->full, &last, sizeof last) == SKEIN_OK);
}

static void waits_for_a_time(world_t world, int number) {
  int got;
  const skein_channel_t channel = number ? world->silent : world->never;
  const double begin = seconds();
  waits(world);
  CHECK(skein_channel_timedreceive_ns(channel, &got, sizeof got, NULL, waits_ms * 1000000ull) == SKEIN_ETIME);
  const double took = seconds() - begin;
  CHECK(took > waits_ms / 1e3 - 0.2 && took < waits_ms / 1e3 + 1.5);
}

static void chooses(world_t world, int number) {
  int first = 0, second = 0;
  struct skein_alternative cases[] = {SKEIN_RECEIVES(world->first, first), SKEIN_RECEIVES(world->second, second)};
  waits(world);
  CHECK(skein_alt(cases, 2) == 0 && first == 31 && second == 0);
}

static void chooses_by_time(world_t world, int number) {
  int got = 0;
  const double begin = seconds();
  struct skein_alternative cases[] = {SKEIN_RECEIVES(world->never, got), SKEIN_SENDS(world->late, number),
                                      SKEIN_AFTER(waits_ms * 1000000ull)};
  waits(world);
  CHECK(skein_alt(cases, 3) == 2);
  CHECK(seconds() - begin < waits_ms / 1e3 + 1.5);
}

/* They waited on node 1, and were pushed to node 0 meanwhile. */
static void waits_and_is_moved(world_t world, int number) {
  int got = 0;
  CHECK(skein_node() == 1);
  waits(world);
  if (number)
    CHECK(skein_semaphore_wait(world->other_semaphore) == SKEIN_OK);
  else
    CHECK(skein_channel_receive(world->other, &got, sizeof got, NULL) == SKEIN_OK && got == 41);
  CHECK(skein_node() == 0);
}

static void pushes(world_t world, int to) {
  for (int i = 0; i < 2; i++)
    CHECK(skein_push(world->moving[i], to) == SKEIN_OK);
}

/* --- threads that go on while the node leaves --------------------------------------------------------------------- */

static void meets(world_t world, int number) {
  int64_t all = 0;
  for (int round = 0; all == 0; round++) {
    int64_t stops = __atomic_load_n(&world->stop, __ATOMIC_ACQUIRE);
    CHECK(skein_reduce_int64(world->busy_barrier, SKEIN_REDUCE_MAX, &stops, 1) == SKEIN_OK);
    all = stops;
    if (number == 0)
      world->rounds = round;
  }
}

static void locks(world_t world, int number) {
  while (!__atomic_load_n(&world->stop, __ATOMIC_ACQUIRE)) {
    CHECK(skein_global_mutex_lock(world->other_mutex) == SKEIN_OK);
    const int before = world->in_turn[0]; /* not atomic: the mutex guards it */
    skein_yield();
    world->in_turn[0] = before + 1;
    __atomic_fetch_add(&world->in_turn[1], 1, __ATOMIC_RELAXED);
    CHECK(skein_global_mutex_unlock(world->other_mutex) == SKEIN_OK);
  }
}

static void talks(world_t world, int number) {
  for (int i = 0; !__atomic_load_n(&world->stop, __ATOMIC_ACQUIRE); i++)
    CHECK(skein_channel_send(world->busy, &i, sizeof i) == SKEIN_OK);
  CHECK(skein_channel_close(world->busy) == SKEIN_OK);
}
static void listens(world_t world, int number) {
  int got, code, next = 0;
  while ((code = skein_channel_receive(world->busy, &got, sizeof got, NULL)) == SKEIN_OK)
    CHECK(got == next++);
  CHECK(code == SKEIN_ECLOSED);
  CHECK(skein_channel_send(world->told, &next, sizeof next) == SKEIN_OK);
}

/* --- on the node that leaves -------------------------------------------------------------------------------------- */

/* It waits there for a channel of another node when the node is told to leave, and goes on waiting elsewhere. */
static void idles_there(world_t world, int number) {
  int got = 0;
  CHECK(skein_node() == leaver);
  waits(world);
  if (number)
    CHECK(skein_channel_receive(world->work, &got, sizeof got, NULL) == SKEIN_OK && got == 41);
  else
    waits_for_a_time(world, 1);
  CHECK(skein_node() != leaver);
}

/* It works there when the node is told to leave, and makes things until it has to go. */
static void works_there(world_t world, int number) {
  CHECK(skein_node() == leaver);
  waits(world);
  skein_channel_t channel = 0;
  for (int i = 0; skein_node() == leaver; i++) {
    if (channel)
      CHECK(skein_channel_free(channel) == SKEIN_OK);
    CHECK(channel = skein_channel_create(1));
    CHECK(skein_channel_send(channel, &i, sizeof i) == SKEIN_OK);
    int got = -1;
    if (i % 2)
      CHECK(skein_channel_receive(channel, &got, sizeof got, NULL) == SKEIN_OK && got == i);
    skein_yield();
  }
  CHECK(skein_channel_free(channel) == SKEIN_OK);
}

static char bytes[large];

int main(int count, char **arguments) {
  skein_main_stays(1);
  world_t world = skein_shared_alloc(0, sizeof *world);
  CHECK(world && count == 2 && skein_nodes() > leaver);
  world->mutex = skein_global_mutex_create(leaver);
  world->other_mutex = skein_global_mutex_create(leaver);
  world->condition = skein_global_condition_create(world->other_mutex);
  world->barrier = skein_global_barrier_create(leaver, 3);
  world->busy_barrier = skein_reduction_create(leaver, 2);
  world->latch = skein_global_latch_create(leaver, 1);
  world->future = skein_global_future_create(leaver);
  world->set_future = skein_global_future_create(leaver);
  world->sum = skein_reduction_create(leaver, 3);
  world->news = skein_reduction_create(leaver, 3);
  world->semaphore = __skein_global_create(SKEIN_GLOBAL_SEMAPHORE, 0, leaver, 0);
  world->other_semaphore = __skein_global_create(SKEIN_GLOBAL_SEMAPHORE, 0, leaver, 0);
  CHECK(world->semaphore && world->other_semaphore);
  skein_shared skein_channel_t *channels[] = {&world->unbuffered, &world->full, &world->holds, &world->closed,
                                              &world->large, &world->late, &world->never, &world->first,
                                              &world->busy, &world->told, &world->other};
  const size_t room[] = {0, messages, 100, 100, 3, 0, 0, 0, 4, 1, 0};
  for (size_t i = 0; i < sizeof room / sizeof *room; i++)
    CHECK(*channels[i] = skein_channel_create_on(leaver, room[i]));
  CHECK((world->second = skein_channel_create(0)) && (world->work = skein_channel_create(0)));
  CHECK(world->silent = skein_channel_create(0));

  for (int i = 0; i < messages; i++) {
    CHECK(skein_channel_send(world->full, &i, sizeof i) == SKEIN_OK);
    CHECK(skein_channel_send(world->holds, &i, (size_t)i) == SKEIN_OK);
    CHECK(skein_channel_send(world->closed, &i, sizeof i) == SKEIN_OK);
  }
  CHECK(skein_channel_close(world->closed) == SKEIN_OK);
  for (int i = 0; i < 3; i++) {
    memset(bytes, 'a' + i, sizeof bytes);
    CHECK(skein_channel_send(world->large, bytes, sizeof bytes - (size_t)i) == SKEIN_OK);
  }
  memset(bytes, 'x', sizeof bytes);
  CHECK(skein_global_future_set(world->set_future, bytes, sizeof bytes) == SKEIN_OK);

  skein_thread_t threads[40];
  int used = 0, waiting = 0;
  for (int node = 0; node < 2; node++) {
    threads[used++] = on(node, waits_for_semaphore, world, 0);
    threads[used++] = on(node, waits_for_condition, world, 0);
    threads[used++] = on(node, comes_to_barrier, world, 0);
    threads[used++] = on(node, waits_for_future, world, 0);
    threads[used++] = on(node, adds, world, node + 1);
    threads[used++] = on(node, hears, world, 0);
    threads[used++] = on(node, waits_for_a_time, world, 0);
    threads[used++] = on(node, chooses_by_time, world, 0);
  }
  threads[used++] = on(1, receives, world, 0);
  threads[used++] = on(0, sends, world, 0);
  threads[used++] = on(1, chooses, world, 0);
  threads[used++] = on(1, holds_mutex, world, 0);
  while (__atomic_load_n(&world->ready, __ATOMIC_RELAXED) < used)
    skein_sleep_ns(1000000);
  threads[used++] = on(0, wants_mutex, world, 0);
  threads[used++] = on(1, wants_mutex, world, 0);
  const struct skein_attributes there = {.node = SKEIN_ON(leaver)}; /* bound to no worker, so that it may leave */
  CHECK(threads[used++] = skein_spawn_with(&there, works_there, world, 0));
  CHECK(threads[used++] = skein_spawn_with(&there, idles_there, world, 1));
  CHECK(threads[used++] = skein_spawn_with(&there, idles_there, world, 0));
  for (int i = 0; i < 2; i++) {
    const struct skein_attributes first = {.node = SKEIN_ON(1)};
    CHECK(threads[used++] = skein_spawn_with(&first, waits_and_is_moved, world, i));
  }
  waiting = used;
  for (int node = 0; node < 2; node++) {
    threads[used++] = on(node, meets, world, node);
    threads[used++] = on(node, locks, world, 0);
  }
  threads[used++] = on(0, talks, world, 0);
  threads[used++] = on(1, listens, world, 0);
  while (__atomic_load_n(&world->ready, __ATOMIC_RELAXED) <= waiting) /* one of them twice */
    skein_sleep_ns(1000000);
  skein_sleep_ns(200000000);
  for (int i = 0; i < 2; i++)
    world->moving[i] = threads[waiting - 1 - i];
  CHECK(skein_join(on(1, pushes, world, 0)) == SKEIN_OK);

  char command[300];
  snprintf(command, sizeof command, "%s node drain --run %d %d > /dev/null", arguments[1], (int)getppid(), leaver);
  CHECK(system(command) == 0);
  CHECK(!skein_node_is_there(leaver));
  skein_sleep_ns(100000000);

  for (int i = 0; i < 2; i++)
    CHECK(skein_semaphore_signal(world->semaphore) == SKEIN_OK);
  CHECK(skein_semaphore_trywait(world->semaphore) == SKEIN_EBUSY);
  CHECK(skein_global_mutex_trylock(world->mutex) == SKEIN_EBUSY);
  CHECK(skein_global_latch_down(world->latch, 1) == SKEIN_OK);
  CHECK(skein_global_condition_broadcast(world->condition) == SKEIN_OK);
  comes_to_barrier(world, 0);
  const int64_t value = 987654321;
  CHECK(skein_global_future_set(world->future, &value, sizeof value) == SKEIN_OK);
  adds(world, 3);
  CHECK(skein_broadcast_send(world->news, "the news\0\0\0\0\0\0\0", 16) == SKEIN_OK);
  const int sent = 55, chosen = 31, work = 41;
  CHECK(skein_channel_send(world->work, &work, sizeof work) == SKEIN_OK);
  CHECK(skein_channel_send(world->other, &work, sizeof work) == SKEIN_OK);
  CHECK(skein_semaphore_signal(world->other_semaphore) == SKEIN_OK);
  CHECK(skein_channel_send(world->unbuffered, &sent, sizeof sent) == SKEIN_OK);
  CHECK(skein_channel_send(world->first, &chosen, sizeof chosen) == SKEIN_OK);
  int got;
  for (int i = 0; i <= messages; i++)
    CHECK(skein_channel_receive(world->full, &got, sizeof got, NULL) == SKEIN_OK && got == i);
  for (int i = 0; i < waiting; i++)
    CHECK(skein_join(threads[i]) == SKEIN_OK);
  printf("what waited went on\n");

  __atomic_store_n(&world->stop, 1, __ATOMIC_RELEASE);
  CHECK(skein_channel_receive(world->told, &got, sizeof got, NULL) == SKEIN_OK && got > 0);
  for (int i = waiting; i < used; i++)
    CHECK(skein_join(threads[i]) == SKEIN_OK);
  CHECK(world->rounds > 0 && world->in_turn[0] == world->in_turn[1]);
  printf("what was in use was in order\n");

  size_t length;
  for (int i = 0; i < messages; i++) {
    CHECK(skein_channel_receive(world->holds, &got, sizeof got, &length) == SKEIN_OK && length == (size_t)i);
    CHECK(skein_channel_receive(world->closed, &got, sizeof got, NULL) == SKEIN_OK && got == i);
  }
  CHECK(skein_channel_timedreceive_ns(world->holds, &got, sizeof got, NULL, 0) == SKEIN_ETIME);
  CHECK(skein_channel_receive(world->closed, &got, sizeof got, NULL) == SKEIN_ECLOSED);
  CHECK(skein_channel_send(world->closed, &got, sizeof got) == SKEIN_ECLOSED);
  for (int i = 0; i < 3; i++) {
    CHECK(skein_channel_receive(world->large, bytes, sizeof bytes, &length) == SKEIN_OK);
    CHECK(length == sizeof bytes - (size_t)i && bytes[0] == 'a' + i && bytes[length - 1] == 'a' + i);
  }
  CHECK(skein_global_future_get(world->set_future, bytes, sizeof bytes) == SKEIN_OK && bytes[large - 1] == 'x');
  world->other_condition = skein_global_condition_create(world->mutex);
  CHECK(world->other_condition && skein_global_condition_signal(world->other_condition) == SKEIN_OK);
  const skein_channel_t later = skein_channel_create_on(leaver, 1);
  CHECK(later && skein_channel_send(later, &got, sizeof got) == SKEIN_OK && skein_channel_free(later) == SKEIN_OK);
  printf("what was held was there\n");

  for (size_t i = 0; i < sizeof room / sizeof *room; i++) {
    const skein_channel_t freed = *channels[i];
    CHECK(skein_channel_free(freed) == SKEIN_OK);
    CHECK(skein_channel_send(freed, &got, sizeof got) == SKEIN_ETHREAD);
    CHECK(skein_channel_free(freed) == SKEIN_ETHREAD);
  }
  const uint64_t objects[] = {world->mutex, world->barrier, world->future, world->set_future, world->semaphore};
  for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
    CHECK(skein_global_free(objects[i]) == SKEIN_OK);
    CHECK(skein_global_free(objects[i]) == SKEIN_ETHREAD);
  }
  printf("what is freed is gone\n");
  return 0;
}

// Threads of all nodes visit, call, move, create and delete objects at random. Nobody is inside of an object with
// somebody else, no visit or call is lost or made twice, and what an object holds is whole wherever it is.
// RUN: %skeincc -Wno-skein-global -O2 %s -o %t && %run -n 1 --timeout 60 %t 20 100
// RUN: %run -n 3 --timeout 60 %t 30 100
// RUN: env SKEIN_OPTIONS=workers=2,stacks=relocate,image=any %run -n 2 --timeout 60 %t 30 100
// RUN: env SKEIN_OPTIONS=net_delay_us=300 %run -n 3 --timeout 60 %t 20 40
#include <skein/object.h>
#include <skein/shared.h>
#include <skein/skein.h>
#include <stdio.h>
#include <stdlib.h>

enum { objects = 12 };

struct entry {
  uint64_t number, square;
  struct entry *next;
};
struct thing {
  long busy, visits, calls;
  uint64_t entries;
  struct entry *first;
};

static uint64_t draw(uint64_t *random) {
  *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *random >> 33;
}

static void fail(const char *what) {
  fprintf(stderr, "node %d: %s: %s\n", skein_node(), what, skein_error_text());
  abort();
}

static void enter(struct thing *thing) {
  if (thing->busy++)
    fail("somebody else is inside");
}
static void leave(struct thing *thing) {
  if (--thing->busy)
    fail("somebody else came in");
}

static void check_entries(const struct thing *thing) {
  uint64_t count = 0;
  for (const struct entry *entry = thing->first; entry; entry = entry->next, count++)
    if (entry->square != entry->number * entry->number)
      fail("an entry is damaged");
  if (count != thing->entries)
    fail("entries are lost");
}

struct question {
  uint64_t number;
  unsigned char filling[1000];
};
struct reply {
  uint64_t square;
  unsigned char filling[3000];
};
SKEIN_METHOD(ask, struct thing *thing, const struct question *question, struct reply *reply) {
  enter(thing);
  if (question->number % 3 == 0)
    skein_yield();
  thing->calls++;
  reply->square = question->number * question->number;
  for (size_t i = 0; i < sizeof reply->filling; i++)
    reply->filling[i] = question->filling[i % sizeof question->filling];
  leave(thing);
}

static void call(skein_object_t object, uint64_t number) {
  static const struct question empty;
  struct question question = empty;
  struct reply reply;
  question.number = number;
  for (size_t i = 0; i < sizeof question.filling; i++)
    question.filling[i] = (unsigned char)(number + i);
  if (skein_object_call(object, &ask, &question, sizeof question, &reply, sizeof reply))
    fail("call");
  if (reply.square != number * number || reply.filling[2001] != (unsigned char)(number + 1))
    fail("a wrong answer");
}

static void visit(skein_object_t object, uint64_t number) {
  struct thing *thing;
  skein_visit(object, thing) {
    enter(thing);
    if (number % 4 == 0)
      skein_yield();
    thing->visits++;
    if (number % 2) {
      struct entry *entry = skein_object_malloc(object, sizeof *entry);
      if (!entry)
        fail("skein_object_malloc");
      *entry = (struct entry){number, number * number, thing->first};
      thing->first = entry;
      thing->entries++;
    } else if (thing->first) {
      struct entry *entry = thing->first;
      thing->first = entry->next;
      thing->entries--;
      if (skein_object_free(object, entry))
        fail("skein_object_free");
    }
    check_entries(thing);
    leave(thing);
    if (number % 7 == 0)
      return;
  }
  else fail("visit");
}

static void one_more(uint64_t number) {
  char name[30];
  snprintf(name, sizeof name, "of %llu", (unsigned long long)number);
  skein_object_t object = skein_object_create(name, sizeof(struct thing), NULL, NULL);
  if (!object || skein_object_find(name) != object)
    fail("create");
  visit(object, 1);
  if (skein_object_move(object, (int)(number % (uint64_t)skein_nodes())))
    fail("move of a new one");
  call(object, number);
  if (skein_object_delete(object) || skein_object_find(name))
    fail("delete");
}

static void wander(uint64_t number, long turns, skein_grid_t grid, skein_shared long *visits,
                   skein_shared long *calls) {
  uint64_t random = number;
  long visited = 0, called = 0;
  for (long turn = 0; turn < turns; turn++) {
    const skein_object_t object = skein_grid_at(grid, (uint32_t)(draw(&random) % objects));
    const uint64_t what = draw(&random) % 16;
    if (what < 6) {
      visit(object, draw(&random));
      visited++;
    } else if (what < 11) {
      call(object, draw(&random));
      called++;
    } else if (what < 14) {
      if (skein_object_move(object, (int)(draw(&random) % (uint64_t)skein_nodes())))
        fail("move");
    } else if (what < 15) {
      one_more(number << 32 | (uint64_t)turn);
    } else {
      skein_push_self((int)(draw(&random) % (uint64_t)skein_nodes()));
    }
  }
  __atomic_fetch_add(visits, visited, __ATOMIC_RELAXED);
  __atomic_fetch_add(calls, called, __ATOMIC_RELAXED);
}

int main(int argc, char **argv) {
  const int threads = argc > 1 ? atoi(argv[1]) : 30;
  const long turns = argc > 2 ? atol(argv[2]) : 100;
  const skein_grid_t grid = skein_grid_create(objects, sizeof(struct thing), NULL);
  if (!grid)
    fail("grid");
  skein_shared long *visits = skein_shared_alloc(0, sizeof *visits), *calls = skein_shared_alloc(0, sizeof *calls);
  skein_thread_t wanderers[threads];
  for (int i = 0; i < threads; i++) {
    const struct skein_attributes there = {.node = SKEIN_ON(i % skein_nodes())};
    wanderers[i] = skein_spawn_with(&there, wander, (uint64_t)i + 1, turns, grid, visits, calls);
  }
  for (int i = 0; i < threads; i++)
    if (skein_join(wanderers[i]))
      fail("join");
  long visited = 0, called = 0;
  for (uint32_t i = 0; i < objects; i++) {
    struct thing *thing;
    skein_visit(skein_grid_at(grid, i), thing) {
      visited += thing->visits;
      called += thing->calls;
      check_entries(thing);
    }
    else fail("the last visit");
  }
  if (visited != *visits || called != *calls) {
    fprintf(stderr, "%ld of %ld visits, %ld of %ld calls\n", visited, (long)*visits, called, (long)*calls);
    return 1;
  }
  return skein_grid_delete(grid);
}

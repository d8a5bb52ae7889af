// A node leaves the run: its objects go to others, and node 0 is the directory of those that have it as theirs. Threads
// on all other nodes visit and call them meanwhile.
// RUN: %skeincc -Wno-skein-global -O2 %s -o %t && env SKEIN_OPTIONS=steal=off %run -n 3 --timeout 60 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=stacks=relocate,image=any %run -n 3 --timeout 60 %t | FileCheck %s
// RUN: env SKEIN_OPTIONS=net_delay_us=200 %run -n 3 --transport tcp --timeout 60 %t | FileCheck %s
#include <skein/deaths.h>
#include <skein/nodes.h>
#include <skein/object.h>
#include <skein/shared.h>
#include <skein/skein.h>
#include <skein/sync.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { singles = 40, elements = 30, users = 6, rounds = 200, leaver = 2 };

struct counter {
  long value;
};
SKEIN_METHOD(add, struct counter *counter, const long *amount, long *value) { *value = counter->value += *amount; }

struct all {
  skein_object_t objects[singles];
  skein_grid_t grid;
  _Atomic int go_on; // until the node has left
};

static void check(int good, const char *what) {
  if (good)
    return;
  printf("%s: %s\n", what, skein_error_text());
  exit(1);
}

static void name_of(int i, char *to) { sprintf(to, "counter %d", i); }

// Half of them have a name, whose hash chooses the directory; the directory of the others is the leaver.
static void make(skein_shared struct all *all) {
  for (int i = 0; i < singles; i++) {
    char name[20];
    name_of(i, name);
    all->objects[i] = skein_object_create(i % 2 ? name : NULL, sizeof(struct counter), NULL, NULL);
    check(all->objects[i] != 0, "an object");
  }
}

static long use(skein_shared struct all *all, long seed) {
  long done = 0, value, one = 1;
  for (int round = 0; round < rounds || all->go_on; round++) {
    const int i = (int)((seed * 7 + round) % (singles + elements));
    skein_object_t object = i < singles ? all->objects[i] : skein_grid_at(all->grid, (uint32_t)(i - singles));
    char name[20];
    name_of(i, name);
    if (i < singles && i % 2)
      check(skein_object_find(name) == object, "a name");
    if (round % 3) {
      check(!skein_object_call(object, &add, &one, sizeof one, &value, sizeof value), "a call");
      done++;
    } else {
      struct counter *counter;
      int inside = 0;
      skein_visit(object, counter) {
        counter->value++;
        inside = 1;
      }
      check(inside, "a visit");
      done++;
    }
  }
  return done;
}

int main(void) {
  skein_main_stays(1);
  skein_shared struct all *all = skein_shared_alloc(0, sizeof *all);
  const struct skein_attributes there = {.node = SKEIN_ON(leaver), .worker = SKEIN_ON(0)};
  all->grid = skein_grid_create(elements, sizeof(struct counter), NULL);
  check(all->grid != 0, "a grid");
  check(!skein_join(skein_spawn_with(&there, make, all)), "a thread");
  all->go_on = 1;
  skein_thread_t threads[users];
  for (int i = 0; i < users; i++)
    threads[i] = skein_spawn(use, all, (long)i);
  skein_sleep_ns(20000000);
  check(!skein_nodes_request(leaver), "fewer nodes");
  while (!skein_node_has_left(leaver))
    skein_sleep_ns(1000000);
  skein_sleep_ns(20000000);
  all->go_on = 0;
  long done = 0, one, sum = 0, none = 0;
  for (int i = 0; i < users; i++) {
    check(!skein_join_result(threads[i], &one), "a join");
    done += one;
  }
  int gone = 0;
  for (int i = 0; i < singles + elements; i++) {
    skein_object_t object = i < singles ? all->objects[i] : skein_grid_at(all->grid, (uint32_t)(i - singles));
    check(!skein_object_call(object, &add, &none, sizeof none, &one, sizeof one), "the last call");
    sum += one;
    gone += skein_object_node(object) == leaver;
  }
  // CHECK: the sums are equal, and 0 objects are said to be on the node that has left
  printf("the sums are %s, and %d objects are said to be on the node that has left\n",
         sum == done ? "equal" : "not equal", gone);
  // CHECK-NEXT: 30 objects of another grid
  skein_grid_t grid = skein_grid_create(elements, sizeof(struct counter), NULL);
  check(grid != 0, "a grid without the node");
  int made = 0;
  for (uint32_t i = 0; i < elements; i++)
    made += !skein_object_call(skein_grid_at(grid, i), &add, &none, sizeof none, &one, sizeof one) && one == 0;
  printf("%d objects of another grid\n", made);
  // CHECK-NEXT: a name is free again
  check(!skein_object_delete(all->objects[1]), "a deletion");
  printf("a name is %s\n", skein_object_create("counter 1", 8, NULL, NULL) ? "free again" : "taken");
  // CHECK-NEXT: deaths: 0
  printf("deaths: %d\n", skein_deaths());
}

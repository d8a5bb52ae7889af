// Objects: created, found, visited, called, moved and deleted, from every node.
// RUN: %skeincc -Wno-skein-global -O2 %s -o %t && env SKEIN_OPTIONS=steal=off %run -n 3 --timeout 60 %t | FileCheck %s
// RUN: %skeincc -Wno-skein-global -O1 %s -o %t0
// RUN: env SKEIN_OPTIONS=steal=off,stacks=relocate,image=any %run -n 3 --timeout 60 %t0 | FileCheck %s
// RUN: %run -n 1 --timeout 60 %t one | FileCheck --check-prefix=ONE %s
#include <skein/object.h>
#include <skein/skein.h>
#include <stdio.h>
#include <string.h>

struct account {
  long balance;
  char owner[40];
  struct entry *entries;
};
struct entry {
  long amount;
  struct entry *next;
};

static void open_account(void *memory, const void *owner) {
  struct account *account = memory;
  snprintf(account->owner, sizeof account->owner, "%s", (const char *)owner);
}

SKEIN_METHOD(deposit, struct account *account, const long *amount, long *balance) {
  *balance = account->balance += *amount;
}
SKEIN_METHOD(where, void *object, const void *in, int *node) {
  (void)object;
  (void)in;
  *node = skein_node();
}

static void note(skein_object_t object, struct account *account, long amount) {
  struct entry *entry = skein_object_malloc(object, sizeof *entry);
  entry->amount = amount;
  entry->next = account->entries;
  account->entries = entry;
}

static int node_of(skein_object_t object) {
  int node = -1;
  return skein_object_call(object, &where, NULL, 0, &node, sizeof node) ? -1 : node;
}

static void visitor(int from) {
  struct account *account;
  skein_object_t object = skein_object_find("ours");
  skein_visit(object, account) {
    printf("visitor of node %d on node %d: %ld of %s\n", from, skein_node(), account->balance, account->owner);
    note(object, account, from);
    account->balance += 1;
  }
  else printf("visitor of node %d: %s\n", from, skein_error_text());
}

int main(int argc, char **argv) {
  (void)argv;
  const int nodes = skein_nodes();
  skein_object_t object = skein_object_create("ours", sizeof(struct account), open_account, "both of us");
  printf("found: %d\n", skein_object_find("ours") == object);
  printf("again: %d, %s\n", skein_object_create("ours", 8, NULL, NULL) == 0, skein_error_text());
  // ONE: found: 1
  // ONE: again: 1, an object named 'ours' is on node 0
  // CHECK: found: 1
  // CHECK: again: 1, an object named 'ours' is on node 0
  printf("none: %d, %s\n", (int)skein_object_find("theirs"), skein_error_text());
  // CHECK: none: 0, no object is named 'theirs'
  long amount = 40, balance = 0;
  printf("deposit: %d", skein_object_call(object, &deposit, &amount, sizeof amount, &balance, sizeof balance));
  printf(" %ld\n", balance);
  // CHECK: deposit: 0 40
  // ONE: deposit: 0 40
  for (int i = 0; i < nodes; i++) {
    const struct skein_attributes there = {.node = SKEIN_ON(i)};
    skein_join(skein_spawn_with(&there, visitor, i));
    printf("moved: %d\n", skein_object_move(object, (i + 1) % nodes));
    printf("on: %d, called on %d\n", skein_object_node(object), node_of(object));
  }
  // CHECK: visitor of node 0 on node 0: 40 of both of us
  // CHECK: moved: 0
  // CHECK: on: 1, called on 1
  // CHECK: visitor of node 1 on node 1: 41 of both of us
  // CHECK: moved: 0
  // CHECK: on: 2, called on 2
  // CHECK: visitor of node 2 on node 2: 42 of both of us
  // CHECK: moved: 0
  // CHECK: on: 0, called on 0
  // ONE: visitor of node 0 on node 0: 40 of both of us
  // ONE: moved: 0
  // ONE: on: 0, called on 0
  printf("nowhere: %s, %s\n", skein_error_name(skein_object_move(object, nodes)), skein_error_text());
  // CHECK: nowhere: SKEIN_ENODE, there is no node 3, only 0 to 2
  struct account *account;
  skein_visit(object, account) {
    long sum = 0;
    int count = 0;
    for (struct entry *entry = account->entries; entry; entry = entry->next, count++)
      sum += entry->amount;
    printf("entries: %d, sum %ld\n", count, sum);
    struct entry *last = account->entries;
    account->entries = last->next;
    printf("freed: %d\n", skein_object_free(object, last));
    struct account *twice;
    skein_visit(object, twice) puts("twice");
    else printf("twice: %s\n", skein_error_text());
    printf("pinned: %s\n", nodes > 1 ? skein_error_name(skein_push_self(1)) : "SKEIN_EPINNED");
    account->owner[0] = 0;
  }
  printf("left: %d\n", account == NULL);
  // CHECK: entries: 3, sum 3
  // CHECK: freed: 0
  // CHECK: twice: the caller is inside of object 0x{{[0-9a-f]+}} already
  // CHECK: pinned: SKEIN_EPINNED
  // CHECK: left: 1
  // ONE: entries: 1, sum 0
  printf("outside: %d, %s\n", skein_object_malloc(object, 8) == NULL, skein_error_text());
  // CHECK: outside: 1, skein_object_malloc: the caller is not inside of object
  printf("deleted: %d\n", skein_object_delete(object));
  printf("deleted: %s, %s\n", skein_error_name(skein_object_delete(object)), skein_error_text());
  skein_visit(object, account) puts("a ghost");
  else printf("no visit: %s\n", skein_error_text());
  printf("none: %d\n", skein_object_find("ours") == 0);
  // CHECK: deleted: 0
  // CHECK: deleted: SKEIN_EEMPTY, there is no object
  // CHECK: no visit: there is no object
  // CHECK: none: 1
  // ONE: deleted: 0
  // ONE: deleted: SKEIN_EEMPTY
  // ONE: no visit: there is no object
  skein_object_t nameless = skein_object_create(NULL, 100, NULL, NULL);
  printf("nameless: %d %d\n", nameless != 0, nameless != object);
  // CHECK: nameless: 1 1
  // ONE: nameless: 1 1
  if (argc > 1)
    return 0;
  // An object with a pointer to memory of the process stays.
  char *memory = strdup("process");
  struct account *holder;
  skein_visit(nameless, holder) holder->entries = (struct entry *)memory;
  printf("stays: %s, %s\n", skein_error_name(skein_object_move(nameless, 1)), skein_error_text());
  printf("on: %d\n", node_of(nameless));
  skein_visit(nameless, holder) holder->entries = NULL;
  printf("moved: %d, on %d\n", skein_object_move(nameless, 1), node_of(nameless));
  // CHECK: stays: SKEIN_EPINNED, {{.*}}holds an address of the process heap{{.*}}
  // CHECK: on: {{[02]}}
  // CHECK: moved: 0, on 1
  return 0;
}

// What a thread does when it leaves a node and when it arrives: in which order, with which data, also when it stays, on
// its stack, in private memory, and after longjmp and a return.
// RUN: %skeincc -Wno-skein-global -O0 %s -o %t0 && env SKEIN_OPTIONS=steal=off %run -n 2 %t0 | FileCheck %s
// RUN: %skeincc -Wno-skein-global -O2 %s -o %t2 && env SKEIN_OPTIONS=steal=off %run -n 2 %t2 | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,stacks=relocate,image=any %run -n 2 %t2 | FileCheck %s
// RUN: %skeincc -Wno-skein-global -O2 -fskein-stacks=growable -fskein-globals=private %s -o %tp
// RUN: env SKEIN_OPTIONS=steal=off %run -n 2 %tp | FileCheck %s
// RUN: env SKEIN_OPTIONS=steal=off,check=stress %run -n 2 %tp | FileCheck %s
#include <setjmp.h>
#include <skein/heap.h>
#include <skein/move_handlers.h>
#include <skein/skein.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct note {
  char text[400];
  const char *name;
  void *block; // of the process: it goes when the thread leaves
};

static void write_down(struct note *note, const char *what, int node) {
  char line[60];
  snprintf(line, sizeof line, " %s-%s-%d@%d", note->name, what, node, skein_node());
  strncat(note->text, line, sizeof note->text - strlen(note->text) - 1);
}
static void let_go(struct note *note) {
  free(note->block);
  note->block = NULL;
}

static void leaves(void *data, int to) {
  struct note *note = data;
  write_down(note, "leaves", to);
  let_go(note);
}
static void arrives(void *data, int from) {
  struct note *note = data;
  write_down(note, "arrives", from);
  note->block = malloc(100);
}

static void print_and_clear(const char *what, struct note *note) {
  printf("%s:%s\n", what, note->text[0] ? note->text : " nothing");
  note->text[0] = 0;
}

static void two(void) {
  struct note first = {.name = "a", .block = malloc(10)}, second = {.name = "b", .block = malloc(10)};
  SKEIN_ON_MOVE(leaves, arrives, &first);
  {
    SKEIN_ON_MOVE(leaves, arrives, &second);
    skein_push_self(1);
    print_and_clear("first", &first);
    print_and_clear("second", &second);
    let_go(&second);
  }
  skein_push_self(0);
  print_and_clear("first", &first);
  print_and_clear("second", &second);
  let_go(&first);
}
// CHECK: first: a-leaves-1@0 a-arrives-0@1
// CHECK: second: b-leaves-1@0 b-arrives-0@1
// CHECK: first: a-leaves-0@1 a-arrives-1@0
// CHECK: second: nothing

static void same(void) {
  struct note both = {.name = "x"};
  struct skein_move_handler low = {leaves, NULL, &both, 0, 0}, high = {NULL, arrives, &both, 0, 0};
  skein_move_handler_add(&low);
  skein_move_handler_add(&high);
  printf("again: %d\n", skein_move_handler_add(&low) == SKEIN_EBUSY);
  skein_push_self(1);
  print_and_clear("both", &both);
  printf("remove: %d %d\n", skein_move_handler_remove(&low), skein_move_handler_remove(&low) == SKEIN_EEMPTY);
  let_go(&both);
  skein_push_self(0);
  print_and_clear("one", &both);
  skein_move_handler_remove(&high);
  free(both.block);
}
// CHECK: again: 1
// CHECK: both: x-leaves-1@0 x-arrives-0@1
// CHECK: remove: 0 1
// CHECK: one: x-arrives-1@0

static void stays(void) {
  struct note note = {.name = "s"};
  char *kept = strdup(skein_error_name(0));
  SKEIN_ON_MOVE(leaves, arrives, &note);
  const int code = skein_push_self(1);
  printf("stays: %s, %s\n", skein_error_name(code), kept);
  print_and_clear("note", &note);
  SKEIN_PINNED { skein_push_self(1); }
  print_and_clear("pinned", &note);
  puts(kept);
  free(kept);
  free(note.block);
}
// CHECK: stays: SKEIN_EPOINTER, SKEIN_OK
// CHECK: note: s-leaves-1@0 s-arrives-0@0
// CHECK: pinned: nothing

static SKEIN_PRIVATE struct skein_move_handler in_private;
static SKEIN_PRIVATE struct note private_note;

static void elsewhere(void) {
  private_note = (struct note){.name = "p"};
  struct skein_move_handler *on_heap = skein_malloc(sizeof *on_heap);
  struct skein_move_handler *in_process = malloc(sizeof *in_process);
  *on_heap = (struct skein_move_handler){leaves, arrives, &private_note, 0, 0};
  in_private = (struct skein_move_handler){leaves, arrives, &private_note, 0, 0};
  printf("added: %d %d %d\n", skein_move_handler_add(in_process) == SKEIN_EPOINTER, skein_move_handler_add(on_heap),
         skein_move_handler_add(&in_private));
  free(in_process);
  skein_push_self(1);
  print_and_clear("private", &private_note);
  skein_move_handler_remove(on_heap);
  skein_free(on_heap);
  skein_push_self(0);
  print_and_clear("private", &private_note);
  skein_move_handler_remove(&in_private);
  free(private_note.block);
}
// CHECK: added: 1 0 0
// CHECK: private: p-leaves-1@0 p-leaves-1@0 p-arrives-0@1 p-arrives-0@1
// CHECK: private: p-leaves-0@1 p-arrives-1@0

static jmp_buf back;
static __attribute__((noinline)) void jumps(struct note *note) {
  SKEIN_ON_MOVE(leaves, arrives, note);
  longjmp(back, 1);
}
static void after_a_jump(void) {
  struct note note = {.name = "j"};
  SKEIN_ON_MOVE(leaves, arrives, &note);
  if (!setjmp(back))
    jumps(&note);
  printf("jumped: %d\n", skein_push_self(1));
  print_and_clear("after the jump", &note);
  skein_push_self(0);
  free(note.block);
}
// CHECK: jumped: 0
// CHECK: after the jump: j-leaves-1@0 j-arrives-0@1

static __attribute__((noinline)) void forgets(struct note *note) {
  volatile char room[300];
  struct skein_move_handler handler = {leaves, arrives, note, 0, 0};
  skein_move_handler_add(&handler);
  room[0] = 1;
}
static __attribute__((noinline)) void writes_over(void) {
  volatile char room[1000];
  for (unsigned i = 0; i < sizeof room; i++)
    room[i] = 1;
}
static void after_a_return(void) {
  struct note note = {.name = "r"};
  forgets(&note);
  writes_over();
  const int code = skein_push_self(1);
  printf("forgotten: %s, %s\n", skein_error_name(code), skein_error_text());
  print_and_clear("after the return", &note);
}
// CHECK: forgotten: SKEIN_EPINNED, {{.*}}a function that added a move handler has returned without removing it
// CHECK: after the return: nothing

static void many(void) {
  struct note note = {.name = "m"};
  struct skein_move_handler handlers[SKEIN_MOVE_HANDLERS_MOST + 1];
  int added = 0;
  for (int i = 0; i <= SKEIN_MOVE_HANDLERS_MOST; i++) {
    handlers[i] = (struct skein_move_handler){NULL, NULL, &note, 0, 0};
    added += skein_move_handler_add(&handlers[i]) == SKEIN_OK;
  }
  printf("added: %d, %s\n", added, skein_error_text());
  printf("moves: %d %s\n", skein_push_self(1), skein_error_text());
  for (int i = 0; i < added; i++)
    skein_move_handler_remove(&handlers[i]);
  printf("moves: %d\n", skein_push_self(0));
}
// CHECK: added: 64, skein_move_handler_add: the thread has 64 handlers, which is the most
// CHECK: moves: 0{{.*}}
// CHECK: moves: 0{{.*}}

int main(void) {
  void (*parts[])(void) = {two, same, stays, elsewhere, after_a_jump, after_a_return, many};
  for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
    skein_join(skein_spawn(parts[i]));
  return 0;
}

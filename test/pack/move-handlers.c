// Packing calls what a thread does when it leaves and arrives: the packed thread is back at once, its copies arrive
// from the image, and one that goes back leaves as it is and arrives as it was.
//
// RUN: %skeincc -Wno-skein-global -O2 %s -o %t && env SKEIN_OPTIONS=steal=off %run -n 2 %t | FileCheck %s
// RUN: %skeincc -Wno-skein-global -O0 -fskein-stacks=growable %s -o %t && %t one | FileCheck --check-prefix=ONE %s
#include <skein/move_handlers.h>
#include <skein/pack.h>
#include <skein/skein.h>
#include <stdio.h>
#include <stdlib.h>

struct state {
  int leaves, arrives, last;
};
static void leaves(void *data, int to) {
  struct state *state = data;
  state->leaves++;
  state->last = to;
}
static void arrives(void *data, int from) {
  struct state *state = data;
  state->arrives++;
  state->last = from;
}

static void *image;
static size_t bytes;
static int turns;

static void print(const char *side, const struct state *state) {
  printf("%s: left %d, arrived %d, last %d\n", side, state->leaves, state->arrives, state->last);
}

static void pack(void) {
  struct state state = {0, 0, 7};
  SKEIN_ON_MOVE(leaves, arrives, &state);
  const int side = skein_pack(skein_self(), &image, &bytes);
  print(side == SKEIN_UNPACKED ? "copy" : "packed", &state);
  if (skein_nodes() > 1 && side == SKEIN_UNPACKED) {
    skein_push_self(1);
    print("moved copy", &state);
  }
}

static void go_back(void) {
  struct state state = {0, 0, 7};
  SKEIN_ON_MOVE(leaves, arrives, &state);
  if (skein_pack(skein_self(), &image, &bytes) > SKEIN_OK)
    puts(skein_error_text());
  print("turn", &state);
  if (++turns < 3)
    skein_roll_back(image, bytes);
}

int main(void) {
  skein_join(skein_spawn(pack));
  skein_thread_t copy;
  if (skein_unpack(image, bytes, &copy))
    puts(skein_error_text());
  skein_join(copy);
  free(image);
  skein_join(skein_spawn(go_back));
  free(image);
  return 0;
}
// CHECK: packed: left 1, arrived 1, last 0
// CHECK: copy: left 1, arrived 1, last -1
// CHECK: moved copy: left 2, arrived 2, last 0
// CHECK: turn: left 1, arrived 1, last 0
// CHECK: turn: left 1, arrived 1, last -1
// CHECK: turn: left 1, arrived 1, last -1
// ONE: packed: left 1, arrived 1, last 0
// ONE: copy: left 1, arrived 1, last -1
// ONE: turn: left 1, arrived 1, last 0
// ONE: turn: left 1, arrived 1, last -1

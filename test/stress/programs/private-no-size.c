// Variables of no size (a GNU extension), alone in the template or beside others.
// flags: -fskein-globals=private
#include "hop.h"

static int nothing[0];
struct empty {
} emptiness[3];
unsigned char rows[1][0];

__attribute__((noinline)) static int same(const void *a, const void *b) {
  hop();
  return a == b;
}

int main(void) {
  printf("%d %d %d\n", same(nothing, &nothing[0]), same(emptiness, emptiness + 3), same(rows, rows + 1));
  printf("%zu\n", sizeof nothing + sizeof emptiness + sizeof rows);
}

#include <skein/skein.h>
#include <skein/version.h>
#include <stdio.h>

#if SKEIN_VERSION < 100
#error "no version"
#endif

static void visit(int *count) {
  for (int node = 0; node < skein_nodes(); node++)
    if (skein_push_self(node) == SKEIN_OK)
      ++*count;
}

static void visitor(void) {
  int count = 0;
  visit(&count);
  printf("Skein %s: %d of %d nodes visited\n", SKEIN_VERSION_TEXT, count, skein_nodes());
}

int main(void) { return skein_join(skein_spawn(visitor)); }

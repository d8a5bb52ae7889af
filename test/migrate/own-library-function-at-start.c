/* The runtime calls libraries, and these call functions of the C library, which a program may define itself: with a
 * poll or a stress call in it, at which nobody can be suspended while a worker looks for its first thread. (UCX calls
 * snprintf or memcpy when a message comes. A node without main had no thread by then, and died.) */

// RUN: %skeincc -O2 -fno-builtin -fskein-stress=calls -fskein-polls=loops %s -o %t
// RUN: sh -c "for i in 1 2 3 4 5 6; do %skein run -n 5 --timeout 60 %t || exit 1; done" | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=3 %run -n 3 --timeout 60 %t | FileCheck --check-prefix=ONCE %s
// CHECK-COUNT-6: done on 5 nodes
// ONCE: done on 3 nodes

#include <skein/skein.h>
#include <stdarg.h>
#include <stdio.h>

static void nothing(void) {}
static void (*might_migrate)(void) = nothing;
SKEIN_UNTRACKED void choose(void (*function)(void)) { might_migrate = function; }

SKEIN_UNTRACKED void *memcpy(void *restrict to, const void *restrict from, size_t bytes) {
  might_migrate();
  for (size_t i = 0; i < bytes; i++)
    ((volatile char *)to)[i] = ((const char *)from)[i];
  return to;
}

SKEIN_UNTRACKED int snprintf(char *to, size_t bytes, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  might_migrate();
  int length = vsnprintf(to, bytes, format, arguments);
  va_end(arguments);
  return length;
}

static void called(void) {}

int main(void) {
  for (int i = 0; i < 20; i++)
    for (int node = 0; node < skein_nodes(); node++)
      skein_join(skein_spawn_with(&(struct skein_attributes){.node = SKEIN_ON(node)}, called));
  printf("done on %d nodes\n", skein_nodes());
  return 0;
}

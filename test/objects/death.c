// A node dies: its objects are lost and whoever asks for them hears it, a name of such an object can be used again, and
// other objects live on.
// RUN: %skeincc -Wno-skein-global -O2 %s -o %t
// RUN: env SKEIN_OPTIONS=steal=off,deaths=survive %run -n 3 --timeout 60 %t 2>/dev/null | FileCheck %s
#include <signal.h>
#include <skein/deaths.h>
#include <skein/object.h>
#include <skein/skein.h>
#include <skein/sync.h>
#include <stdio.h>
#include <unistd.h>

struct thing {
  long value;
};

SKEIN_METHOD(add, struct thing *thing, const long *by, long *value) { *value = thing->value += *by; }

static void dies(void) {
  skein_push_self(2);
  kill(getpid(), SIGKILL);
}

/* A name whose directory is not on that node. */
static skein_object_t named(char *name, int not_on) {
  skein_object_t object = 0;
  for (char letter = 'a'; letter <= 'z'; letter++) {
    snprintf(name, 8, "thing-%c", letter);
    object = skein_object_create(name, sizeof(struct thing), NULL, NULL);
    if ((int)(object >> 52) != not_on)
      break;
    skein_object_delete(object);
  }
  return object;
}

static void visit(skein_object_t object, const char *what) {
  struct thing *thing;
  skein_visit(object, thing) printf("%s: %ld\n", what, ++thing->value);
  else printf("%s: %s\n", what, skein_error_text());
}

int main(void) {
  char name[8];
  const skein_object_t lost = named(name, 2), kept = skein_object_create(NULL, sizeof(struct thing), NULL, NULL);
  long by = 1, value = 0;
  printf("moved: %d\n", skein_object_move(lost, 2));
  skein_spawn(dies);
  while (skein_deaths() == 0)
    skein_sleep_ns(1000000);
  printf("lost: %s\n", skein_error_name(skein_object_call(lost, &add, &by, sizeof by, &value, sizeof value)));
  visit(lost, "lost");
  printf("to the dead: %s\n", skein_error_name(skein_object_move(kept, 2)));
  visit(kept, "kept");
  printf("called: %d %ld\n", skein_object_call(kept, &add, &by, sizeof by, &value, sizeof value), value);
  printf("moved: %d\n", skein_object_move(kept, 1));
  visit(kept, "kept");
  const skein_object_t again = skein_object_create(name, sizeof(struct thing), NULL, NULL);
  printf("the name again: %d\n", again && again != lost && skein_object_find(name) == again);
  return 0;
}
// CHECK: moved: 0
// CHECK: lost: SKEIN_EDEAD
// CHECK: lost: {{.*}}on node 2{{.*}}
// CHECK: to the dead: SKEIN_EDEAD
// CHECK: kept: 1
// CHECK: called: 0
// CHECK: moved: 0
// CHECK: kept: 3
// CHECK: the name again: 1

// An access to shared memory may wait for another node: it is a migration point, and nothing for a plain handler.
// RUN: not %skeincc -O0 -c %s -o %t.o 2>&1 | FileCheck %s
#include <skein/messages.h>
#include <skein/shared.h>

static int peek(skein_shared int *p) { return *p; }

// CHECK-DAG: error: 'total' is SKEIN_NOMIGRATE but may reach a migration point: total{{.*}} calls peek{{.*}} accesses shared memory{{.*}}, which may wait for another node; skein_local() gives a plain pointer to what is here
SKEIN_NOMIGRATE int total(skein_shared int *p) { return peek(p) + 1; }

// CHECK-DAG: error: {{.*}}answer{{.*}} is SKEIN_NOMIGRATE but may reach a migration point: {{.*}} accesses shared memory
SKEIN_HANDLER(answer, message) {
  skein_shared int *p = *(skein_shared int *const *)message->data;
  *p = 1;
}

// CHECK-NOT: error:
SKEIN_NOMIGRATE int near(skein_shared int *p) {
  const int *here = skein_local(p);
  return here ? *here : 0;
}

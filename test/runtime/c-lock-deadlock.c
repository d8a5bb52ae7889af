/* If nobody can give a lock of the C library back, a deadlock is reported: which thread waits for what, and which
 * thread took it where. */

// RUN: %skeincc -O2 %s -o %t
// RUN: env SKEIN_OPTIONS=workers=1 not %t 2>&1 | FileCheck %s
// RUN: env SKEIN_OPTIONS=workers=1 not %t twice 2>&1 | FileCheck %s --check-prefix=TWICE
// CHECK: skein: deadlock: every thread waits, and nobody is left to wake one
// CHECK-DAG: thread 2 waits in pthread_mutex_lock for the pthread_mutex_t `second`, which thread 3 took in `backward` ({{.*}}:21)
// CHECK-DAG: thread 3 waits in pthread_mutex_lock for the pthread_mutex_t `first`, which thread 2 took in `forward` ({{.*}}:16)
// TWICE: skein: pthread_mutex_lock: thread 1, in `main` ({{.*}}), asks for the pthread_mutex_t `first`, which it holds already, since `main` ({{.*}}:[[#]]): it waits for itself
// TWICE: skein: deadlock
#include <pthread.h>
#include <skein/skein.h>
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static void forward(void) {
  pthread_mutex_lock(&first);
  skein_yield();
  pthread_mutex_lock(&second);
}
static void backward(void) {
  pthread_mutex_lock(&second);
  skein_yield();
  pthread_mutex_lock(&first);
}
int main(int count, char **words) {
  (void)words;
  if (count > 1) {
    pthread_mutex_lock(&first);
    pthread_mutex_lock(&first);
  }
  skein_thread_t one = skein_spawn(forward), two = skein_spawn(backward);
  return skein_join(one) + skein_join(two);
}

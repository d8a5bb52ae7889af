// A kernel thread of the program's own uses locals of this thread, and makes calls that may migrate itself.
// refused: library
#include "hop.h"
#include <pthread.h>

struct work {
  int *from, *to;
  long sum;
};

static void *add(void *argument) {
  struct work *w = argument;
  for (int *p = w->from; p != w->to; p++) {
    hop();
    w->sum += *p;
  }
  return w;
}

int main(void) {
  int a[40];
  for (int i = 0; i < 40; i++)
    a[i] = i * i;
  struct work w[2] = {{a, a + 20, 0}, {a + 20, a + 40, 0}};
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, add, &w[i]);
  for (int i = 0; i < 20; i++)
    hop();
  for (int i = 0; i < 2; i++) {
    void *result;
    pthread_join(thread[i], &result);
    hop();
    printf("%ld %d\n", w[i].sum, result == &w[i]);
  }
}

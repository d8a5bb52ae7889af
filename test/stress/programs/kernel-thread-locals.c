// Thread-local variables of kernel threads are their own; at the end, destructors of keys still find them.
// flags: -fskein-globals=process
#include "hop.h"
#include <pthread.h>

static _Thread_local int count = 5, *place = &(int){0};
static pthread_key_t key;

static void last(void *value) { *(int *)value += count; }

static void *work(void *argument) {
  int *result = argument;
  static _Thread_local int more;
  place = &more;
  for (int i = 0; i < *result; i++) {
    count++;
    ++*place;
    hop();
  }
  pthread_setspecific(key, argument);
  *result = count * 100 + more;
  return place;
}

int main(void) {
  pthread_t threads[4];
  static int results[4] = {1, 2, 3, 4};
  void *places[4];
  pthread_key_create(&key, last);
  count++;
  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, work, &results[i]);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], &places[i]);
  for (int i = 0; i < 4; i++) {
    hop();
    printf("%d %d\n", results[i], places[i] != place);
  }
  printf("%d\n", count);
}

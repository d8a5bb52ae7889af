// tss_set and pthread_setspecific keep an address of the stack.
// changes: process
#include "words.h"
#include <pthread.h>
#include <threads.h>

static NOINLINE long use(long *p) {
  tss_t first;
  pthread_key_t second;
  tss_create(&first, 0);
  pthread_key_create(&second, 0);
  tss_set(first, p);
  pthread_setspecific(second, p + 1);
  hop();
  long sum = *(long *)tss_get(first);
  hop();
  return sum * 10 + *(long *)pthread_getspecific(second);
}

int main(void) {
  long a[2] = {5, 6};
  hop_pointer(a);
  printf("%ld\n", use(a));
}

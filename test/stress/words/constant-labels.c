// Addresses of labels, as distances from a first one and as words, over calls.
#include "words.h"

static NOINLINE long run(const char *program) {
  static const int distance[] = {0, &&add - &&end, &&times - &&end};
  uintptr_t end = (uintptr_t)&&end, hidden = (uintptr_t)&&times ^ key();
  long sum = 1;
next:
  hop();
  switch (*program++) {
  case '+':
    goto *(void *)(end + (uintptr_t)distance[1]);
  case '*':
    goto *(void *)(hidden ^ key());
  default:
    goto *(void *)end;
  }
add:
  sum += 3;
  goto next;
times:
  sum *= 7;
  goto next;
end:
  return sum;
}

int main(void) { printf("%ld\n", run("+*+*")); }

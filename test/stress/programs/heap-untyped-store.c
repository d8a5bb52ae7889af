// A buffer without a type holds addresses of locals: the compiler sees them being stored, here and in a callee, so they
// move along.
// flags: -fskein-heap=private
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_through(char *buffer, int index) {
  int *from;
  memcpy(&from, buffer + index * sizeof from, sizeof from);
  return *from;
}

__attribute__((noinline)) static void store(char *buffer, int *value) { *(int **)(buffer + 24) = value; }

int main(void) {
  int a = 3, b = 4;
  char *buffer = calloc(1, 64);
  *(int **)buffer = &a;
  *(int **)(buffer + 8) = &b;
  for (int i = 0; i < 5; i++) {
    a += i;
    printf("%d %d\n", read_through(buffer, 0), read_through(buffer, 1));
  }
  store(buffer, &b);
  printf("%d\n", read_through(buffer, 3));
  memset(buffer, 0, 64);
  printf("%d\n", read_through(memcpy(buffer, &(int *){&a}, sizeof(int *)), 0));
  free(buffer);
  return 0;
}

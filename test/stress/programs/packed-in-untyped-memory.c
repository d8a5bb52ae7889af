/* Packed structs lie in memory that has no type for the compiler: from alloca, or in a buffer of bytes. Their pointers
 * lie at any byte, and another function has written them. */
// refused: ambiguous
#include <alloca.h>
#include <stdio.h>
#include <string.h>

struct __attribute__((packed)) record {
  char kind;
  long *first;
  short more;
  long *second;
};

__attribute__((noinline)) static void fill(struct record *r, long *to) { *r = (struct record){1, to, 2, to}; }

__attribute__((noinline)) static long deep(struct record *r, int depth) {
  volatile long here = depth;
  return depth > 0 ? deep(r, depth - 1) + here : *r->first + *r->second;
}

__attribute__((noinline)) static void put(char *bytes, long *to) { memcpy(bytes + 5, &to, sizeof to); }

__attribute__((noinline)) static long get(const char *bytes, int depth) {
  long *to;
  if (depth > 0)
    return get(bytes, depth - 1) + 1;
  memcpy(&to, bytes + 5, sizeof to);
  return *to;
}

__attribute__((noinline)) static long one(long x) {
  struct record *r = alloca(sizeof *r);
  fill(r, &x);
  x += deep(r, 2);
  return x + *r->first + r->kind;
}

__attribute__((noinline)) static long some(long x, int n) {
  struct record *r = alloca(sizeof *r * n);
  for (int i = 0; i < n; i++)
    fill(&r[i], &x);
  x += deep(&r[n - 1], 3);
  return x + *r[n - 1].second;
}

__attribute__((noinline)) static long bytes(long x) {
  char buffer[16];
  put(buffer, &x);
  x += get(buffer, 3);
  return x;
}

int main(void) {
  volatile int n = 3;
  long moved = deep(&(struct record){1, &(long){1}, 2, &(long){2}}, 3);
  printf("%ld %ld %ld %ld\n", moved, one(5), some(6, n), bytes(7));
  return 0;
}

// Inline assembly around calls: results and inputs that are addresses, memory operands, clobbers, early clobbers,
// register variables.
#include "hop.h"

static NOINLINE int *copied(int *p) {
  int *q;
  __asm__("movq %1, %0" : "=r"(q) : "r"(p));
  hop();
  return q;
}

static NOINLINE int through_memory(int n) {
  int word = n, *p = &word;
  __asm__ volatile("addl $5, %0" : "+m"(*p));
  hop();
  __asm__ volatile("addl %1, %0" : "+m"(word) : "r"(*p) : "cc");
  hop();
  return word;
}

static NOINLINE long clobbers(long *a, long n) {
  long r;
  hop();
  __asm__ volatile("movq %1, %%rbx\n\tmovq %2, %%r12\n\tleaq (%%rbx,%%r12), %0"
                   : "=&r"(r)
                   : "r"(*a), "r"(n)
                   : "rbx", "r12", "r13", "r14", "r15");
  hop();
  return r + *a;
}

static NOINLINE int opaque(int *list, int n) {
  int *p = list;
  __asm__ volatile("" : "+r"(p));
  for (int i = 0; i < n; i++) {
    hop();
    __asm__ volatile("" : "+r"(p) : : "memory");
    p += *p;
  }
  return (int)(p - list);
}

static NOINLINE unsigned long exchange(unsigned long *place, unsigned long with) {
  __asm__ volatile("xchgq %0, %1" : "+r"(with), "+m"(*place));
  hop();
  return with;
}

static NOINLINE int flags(int a, int b) {
  int less;
  __asm__("cmpl %2, %1" : "=@ccl"(less) : "r"(a), "r"(b));
  hop();
  return less;
}

int main(void) {
  int list[6] = {2, 1, 1, 2, 1, 0}, v = 7;
  long n = 30;
  unsigned long word = 1;
  printf("%d %d %ld", *copied(&v), through_memory(3), clobbers(&n, 12));
  printf(" %d %lu %d %d\n", opaque(list, 3), exchange(&word, 9) * 10 + word, flags(1, 2), flags(2, 1));
}

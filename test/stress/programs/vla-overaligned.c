// VLAs of over-aligned and of packed structs with pointers.
#include "hop.h"

struct __attribute__((aligned(64))) wide {
  int *p;
  int n;
};
struct __attribute__((packed)) narrow {
  char c;
  int *p;
};

static NOINLINE int run(int n) {
  int v[n];
  struct wide w[n];
  for (int i = 0; i < n; i++) {
    v[i] = i * 7;
    w[i] = (struct wide){&v[n - 1 - i], i};
  }
  hop();
  int wrong = (uintptr_t)hop_pointer(w) % 64 != 0, sum = 0;
  for (int i = 0; i < n; i++) {
    hop();
    sum = sum * 3 + *w[i].p - w[i].n;
  }
  return sum * 2 + wrong;
}

static NOINLINE int run_packed(int n) {
  int v[n];
  struct narrow s[n];
  for (int i = 0; i < n; i++) {
    v[i] = i * 5;
    s[i].c = (char)i;
    s[i].p = &v[n - 1 - i];
    hop();
  }
  int sum = 0;
  for (int i = 0; i < n; i++) {
    hop();
    sum = sum * 3 + *s[i].p - s[i].c;
  }
  return sum;
}

int main(void) {
  for (int n = 1; n < 14; n += 3)
    printf("%d %d\n", run(n), run_packed(n));
}

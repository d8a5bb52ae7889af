// Blocks from alloca and VLAs, any number of them: in loops, behind a backward goto, in nested scopes left by break,
// continue and goto, several a turn; lists through all of them stay right.
#include "hop.h"
#include <alloca.h>

struct node {
  struct node *next;
  int *value;
  long tag;
};

static NOINLINE long total(const struct node *list) {
  long sum = 0;
  for (; list; list = list->next) {
    hop();
    sum = (sum * 7 + *list->value * list->tag) % 1000003;
  }
  return sum;
}

static NOINLINE long listed(int n) {
  struct node *list = NULL;
  int i = 0;
again:
  if (i < n) {
    struct node *node = alloca(sizeof *node);
    int *value = alloca(sizeof *value);
    hop();
    *value = i * 3 + 1;
    node->next = list;
    node->value = value;
    node->tag = i;
    list = node;
    i++;
    goto again;
  }
  hop();
  return total(list);
}

static NOINLINE long scoped(int n) {
  long sum = 0;
  int kept = n;
  int *keep[n + 1];
  for (int i = 0; i <= n; i++)
    keep[i] = &kept;
  for (int i = 1; i < n; i++) {
    int *outer[i];
    for (int k = 0; k < i; k++)
      outer[k] = keep[k];
    hop();
    for (int j = 1; j < n; j++) {
      struct node inner[j];
      for (int k = 0; k < j; k++)
        inner[k] = (struct node){k ? &inner[k - 1] : NULL, outer[k % i], j + k};
      hop();
      sum = (sum + total(&inner[j - 1])) % 1000003;
      if (j == i)
        continue;
      if (j > i + 1)
        break;
      int **more[2] = {outer, keep};
      hop();
      sum += *more[j & 1][0];
      if (sum % 11 == 0)
        goto next;
    }
    hop();
    sum += *outer[i - 1];
  next:;
    hop();
    sum += *outer[0];
  }
  return sum + *keep[n];
}

static NOINLINE long aligned(int n) {
  long sum = 0;
  for (int i = 1; i <= n; i++) {
    int **p = __builtin_alloca_with_align(sizeof(int *) * (unsigned)i, 64 * 8);
    for (int k = 0; k < i; k++)
      p[k] = &n;
    hop();
    sum += *p[i - 1] + ((uintptr_t)p % 64 == 0);
  }
  return sum;
}

int main(void) {
  for (int n = 1; n < 9; n += 3)
    printf("%ld %ld %ld\n", listed(n), scoped(n), aligned(n));
}

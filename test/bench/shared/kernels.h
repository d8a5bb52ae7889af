/* The loops of `skein bench shared`, for pointers of either kind: once compiled by clang for plain memory, once by
 * skeincc for shared memory. */
#ifndef BENCH_SHARED_KERNELS_H
#define BENCH_SHARED_KERNELS_H

#define LINK(NAME, KIND)                                                                                               \
  struct NAME {                                                                                                        \
    KIND struct NAME *next;                                                                                            \
    long value;                                                                                                        \
    long unused[6]; /* a line of the cache each */                                                                     \
  }
#define TRIAD(NAME, KIND)                                                                                              \
  void NAME(KIND double *a, const KIND double *b, const KIND double *c, long n, double s) {                            \
    for (long i = 0; i < n; i++)                                                                                       \
      a[i] = b[i] + s * c[i];                                                                                          \
  }
#define CHASE(NAME, KIND, LINK)                                                                                        \
  long NAME(KIND LINK *at) {                                                                                           \
    long sum = 0;                                                                                                      \
    for (; at; at = at->next)                                                                                          \
      sum += at->value;                                                                                                \
    return sum;                                                                                                        \
  }

LINK(plain_link, );
void plain_triad(double *a, const double *b, const double *c, long n, double s);
long plain_chase(struct plain_link *at);

#endif

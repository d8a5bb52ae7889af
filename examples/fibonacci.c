/* Fork and join: fibonacci(n) with a thread for every call above a grain, each thread's result in shared memory.
 *
 * A thread that waits in skein_join holds its own frame only, so it can be woken where it is; the ones that are ready
 * are what idle nodes steal. usage: fibonacci [n [grain]], default 30 18. */
#include <skein/shared.h>
#include <stdio.h>
#include <stdlib.h>

static long sequential(int n) { return n < 2 ? n : sequential(n - 1) + sequential(n - 2); }

static void fibonacci(int n, int grain, skein_shared long *result) {
  if (n <= grain) {
    *result = sequential(n);
    return;
  }
  skein_shared long *parts = skein_shared_alloc(skein_node(), 2 * sizeof *parts);
  skein_thread_t other = parts ? skein_spawn(fibonacci, n - 1, grain, &parts[0]) : 0;
  if (!other) {
    fprintf(stderr, "fibonacci: %s\n", skein_error_text());
    exit(1);
  }
  fibonacci(n - 2, grain, &parts[1]);
  if (skein_join(other)) {
    fprintf(stderr, "fibonacci: %s\n", skein_error_text());
    exit(1);
  }
  *result = parts[0] + parts[1];
  skein_shared_free(parts);
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 30, grain = argc > 2 ? atoi(argv[2]) : 18;
  skein_shared long *result = skein_shared_alloc(0, sizeof *result);
  if (n < 0 || n > 92 || grain < 2 || !result) {
    fprintf(stderr, "usage: fibonacci [n [grain]], 0 <= n <= 92, grain >= 2\n");
    return 2;
  }
  fibonacci(n, grain, result);
  printf("fibonacci(%d) = %ld\n", n, *result);
  return 0;
}
